"""The Gymnasium view of a problem: one pick, or the end of the day, a step."""

from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces

from lmta.problems.base import expected_today
from lmta.problems.graphs import pad_graph
from lmta.problems.registry import DEFAULT, spec_of
from lmta.sparse import padded_size
from lmta.types import InputError


class ProblemEnv(gymnasium.Env):
    """A new instance at every reset. Action `num_nodes` ends the day; every other picks a node.

    `problem` is a name that `lmta problems` lists, `features` one of the observations that its spec offers, and
    `settings` are those of its instances. `info["action_mask"]` is 1 where an action is legal. An illegal one changes
    nothing and earns nothing; an episode is truncated after as many steps as legal play can take. Rewards add up to the
    score of the episode: a pick earns what it adds to the reward expected for today where the problem has a closed form
    for it, and the end of the day the rest.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self, problem: str = DEFAULT, features: str = "plain", render_mode: str | None = None, **settings: Any
    ):
        self.render_mode = render_mode
        self._spec = spec_of(problem)
        if features not in self._spec.features:
            raise InputError(f"features: {features!r} is not known; there are {', '.join(self._spec.features)}.")
        self._problem = rules = self._spec.features[features]
        self._settings = self._spec.settings(**settings)
        sample = self._draw(0)
        graph = sample.graph
        num_nodes = graph.num_nodes
        self._num_edges = padded_size(2 * graph.senders.shape[0] + 64)
        self._max_steps = int(sample.days) + int(sample.budget)
        observation, bounds = rules.observe(sample, rules.reset(sample)), rules.bounds(sample)
        self.action_space = spaces.Discrete(num_nodes + 1)
        self.observation_space = spaces.Dict(
            {
                "nodes": spaces.Box(0.0, bounds.nodes, observation.nodes.shape, np.float32),
                "globals": spaces.Box(0.0, bounds.globals, observation.globals.shape, np.float32),
                "edges": spaces.Box(0, num_nodes - 1, (2, self._num_edges), np.int32),
                "edge_weight": spaces.Box(0.0, 1.0, (self._num_edges,), np.float32),
            }
        )
        self._legal = jax.jit(rules.legal)
        self._pick = jax.jit(rules.pick)
        self._expected_today = jax.jit(partial(expected_today, rules))
        self._end_day = jax.jit(rules.end_day)
        self._observe = jax.jit(rules.observe)
        self._positions: np.ndarray | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Draw an instance and its noise."""
        super().reset(seed=seed)
        instance = self._draw(int(self.np_random.integers(2**31)))
        while instance.graph.senders.shape[0] > self._num_edges:
            instance = self._draw(int(self.np_random.integers(2**31)))
        graph = pad_graph(instance.graph, instance.graph.num_nodes, self._num_edges)
        self.instance = replace(instance, graph=graph)
        key = jax.random.key(int(self.np_random.integers(2**31)))
        self._noise = self._problem.draw_noise(self.instance, int(instance.days), key)
        self.state = self._problem.reset(self.instance)
        self._paid_today = 0.0
        self._steps = 0
        self._positions = None
        return self._observation(), self._info()

    def step(self, action: int | np.integer):
        """Pick a node, or end the day."""
        self._steps += 1
        if action == self.instance.graph.num_nodes:
            self.state, day_reward = self._end_day(self.instance, self.state, self._noise)
            reward = float(day_reward) - self._paid_today
            self._paid_today = 0.0
        else:
            before = self._expected_today(self.instance, self.state)
            self.state = self._pick(self.instance, self.state, jnp.int32(action))
            reward = float(self._expected_today(self.instance, self.state) - before)
            self._paid_today += reward
        terminated = bool(self.state.day >= self.instance.days)
        truncated = not terminated and self._steps >= self._max_steps
        return self._observation(), reward, terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """The mask by the name that sb3-contrib's MaskablePPO asks for."""
        return self._info()["action_mask"].astype(bool)

    def render(self):
        """The state as an RGB picture."""
        if self.render_mode is None:
            return None
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (slow, and only pictures need it)
        from matplotlib.figure import Figure  # noqa: PLC0415

        figure = Figure(figsize=(6, 6), dpi=100)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        view = self._spec.view
        self._positions = view.layout(self.instance) if self._positions is None else self._positions
        view.draw(axes, self.instance, self.state, self._positions)
        axes.set_title(f"day {int(self.state.day) + 1} of {int(self.instance.days)}")
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

    def _draw(self, seed: int) -> Any:
        return self._spec.instances(self._settings, seed, 1)[0]

    def _observation(self) -> dict[str, np.ndarray]:
        seen = self._observe(self.instance, self.state)
        edges = np.stack([seen.graph.senders, seen.graph.receivers])
        return {
            "nodes": np.asarray(seen.nodes),
            "globals": np.asarray(seen.globals),
            "edges": edges.astype(np.int32),
            "edge_weight": np.asarray(seen.graph.weight),
        }

    def _info(self) -> dict[str, Any]:
        picks = np.asarray(self._legal(self.instance, self.state))
        end_day = not bool(self.state.day >= self.instance.days)
        return {"action_mask": np.append(picks, end_day).astype(np.int8)}
