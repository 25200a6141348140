"""The Gymnasium view of a problem: one pick, or the end of the day, a step."""

from dataclasses import replace
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from lmta.problems.graphs import pad_graph
from lmta.problems.influence import picture as networks
from lmta.problems.orienteering import picture as maps
from lmta.problems.registry import BENCHMARKS, InstanceSettings
from lmta.sparse import padded_size

PICTURES = {"aim": (networks.draw, networks.layout), "sop": (maps.draw, maps.layout)}


class ProblemEnv(gymnasium.Env):
    """A new instance at every reset. Action `num_nodes` ends the day; every other picks a node.

    `info["action_mask"]` is 1 where an action is legal. An illegal one changes nothing and earns nothing; an episode is
    truncated after as many steps as legal play can take. Rewards add up to the score of the episode.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(self, benchmark: str = "aim", render_mode: str | None = None, **settings: Any):
        self.render_mode = render_mode
        self._benchmark = BENCHMARKS[benchmark]
        self._problem = self._benchmark.problem
        self._settings = InstanceSettings(**settings)
        sample = self._draw(0)
        graph = sample.graph
        num_nodes = graph.num_nodes
        self._num_edges = padded_size(2 * graph.senders.shape[0] + 64)
        self._max_steps = int(sample.days) + int(sample.budget)
        observation = self._problem.observe(sample, self._problem.reset(sample))
        self.action_space = spaces.Discrete(num_nodes + 1)
        self.observation_space = spaces.Dict(
            {
                "nodes": spaces.Box(0.0, self._problem.largest_feature(sample), observation.nodes.shape, np.float32),
                "globals": spaces.Box(0.0, 1.0, observation.globals.shape, np.float32),
                "edges": spaces.Box(0, num_nodes - 1, (2, self._num_edges), np.int32),
                "edge_weight": spaces.Box(0.0, 1.0, (self._num_edges,), np.float32),
            }
        )
        self._legal = jax.jit(self._problem.legal)
        self._pick = jax.jit(self._problem.pick)
        self._forecast = jax.jit(self._problem.forecast)
        self._end_day = jax.jit(self._problem.end_day)
        self._observe = jax.jit(self._problem.observe)
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
        self._luck = self._problem.draw_noise(self.instance, int(instance.days), key)
        self.state = self._problem.reset(self.instance)
        self._paid_today = 0.0
        self._steps = 0
        self._positions = None
        return self._observation(), self._info()

    def step(self, action: int | np.integer):
        """Pick a node, or end the day."""
        self._steps += 1
        if action == self.instance.graph.num_nodes:
            self.state, day_reward = self._end_day(self.instance, self.state, self._luck)
            reward = float(day_reward) - self._paid_today
            self._paid_today = 0.0
        else:
            before = self._forecast(self.instance, self.state)
            self.state = self._pick(self.instance, self.state, jnp.int32(action))
            reward = float(self._forecast(self.instance, self.state) - before)
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
        figure = Figure(figsize=(6, 6), dpi=100)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        draw, layout = PICTURES[self._problem.name]
        self._positions = layout(self.instance) if self._positions is None else self._positions
        draw(axes, self.instance, self.state, self._positions)
        axes.set_title(f"day {int(self.state.day) + 1} of {int(self.instance.days)}")
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

    def _draw(self, seed: int) -> Any:
        return self._benchmark.instances(self._settings, seed, 1)[0]

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
