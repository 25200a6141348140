"""The contract of a problem: what it must have, what it may have, and the one way to play a day and an episode."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, Int

from lmta.lazy import Array, PRNGKeyArray, eqx, jax, jnp
from lmta.records import Record
from lmta.types import Graph, Observation


class AbstractInstance(Record):
    """One task: `days` to play with `budget` picks in all, on the nodes of a graph. Fields are arrays, so that
    instances can be stacked."""

    if TYPE_CHECKING:
        graph: Graph
        days: Int[Array, ""]
        budget: Int[Array, ""]


class AbstractState(Record):
    """Where an episode stands: the days gone and the picks left, besides what the problem itself keeps."""

    if TYPE_CHECKING:
        day: Int[Array, ""]
        budget_left: Int[Array, ""]


InstanceT = TypeVar("InstanceT", bound=AbstractInstance)
StateT = TypeVar("StateT", bound=AbstractState)
NoiseT = TypeVar("NoiseT")


class Bounds(NamedTuple):
    """The largest numbers of an observation; all are at least 0."""

    nodes: float
    globals: float


@runtime_checkable
class Problem(Protocol, Generic[InstanceT, StateT, NoiseT]):
    """What every problem must have. Every method is pure and jittable but `stack` and `bounds`, which run on the host.

    The exogenous noise of a whole episode is drawn once (`draw_noise`) and handed to `end_day`, so what happens depends
    on the instance, the episode, the day and the edge or city, never on who plays; policies do not see it.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What the problem is called."""
        ...

    @abstractmethod
    def reset(self, instance: InstanceT) -> StateT:
        """The state before the first day."""
        ...

    @abstractmethod
    def draw_noise(self, instance: InstanceT, max_days: int, key: PRNGKeyArray) -> NoiseT:
        """All that chance will do in one episode of at most `max_days`."""
        ...

    @abstractmethod
    def legal(self, instance: InstanceT, state: StateT) -> Bool[Array, " nodes"]:
        """True where a node may be picked now."""
        ...

    @abstractmethod
    def pick(self, instance: InstanceT, state: StateT, node: Int[Array, ""]) -> StateT:
        """The state after picking `node`; an illegal pick changes nothing."""
        ...

    @abstractmethod
    def end_day(self, instance: InstanceT, state: StateT, noise: NoiseT) -> tuple[StateT, Float[Array, ""]]:
        """Let chance act; the pre-decision state of the next day and the reward of this one."""
        ...

    @abstractmethod
    def observe(self, instance: InstanceT, state: StateT) -> Observation:
        """What a decision may depend on."""
        ...

    @abstractmethod
    def bounds(self, instance: InstanceT) -> Bounds:
        """The largest numbers of any observation."""
        ...

    @abstractmethod
    def stack(self, instances: Sequence[InstanceT], min_edges: int = 0, min_nodes: int = 0) -> InstanceT:
        """A batch of instances, padded to a common size with room for at least `min_edges` and `min_nodes`."""
        ...


@runtime_checkable
class ForecastingProblem(Problem[InstanceT, StateT, NoiseT], Protocol):
    """What a problem may have: today's expected reward in closed form, and what each pick would add to it.

    Picks then earn at once what they add; without it the whole reward of a day comes at its end.
    """

    @abstractmethod
    def forecast(self, instance: InstanceT, state: StateT) -> Float[Array, ""]:
        """The reward expected for today if the day ended now."""
        ...

    @abstractmethod
    def gains(self, instance: InstanceT, state: StateT) -> Float[Array, " nodes"]:
        """What picking each node would add to the forecast; it means nothing where none is legal."""
        ...


@runtime_checkable
class HostRules(Protocol):
    """What a problem may have: its rules on the host, where nothing is compiled for an instance of a new size.

    They do for one episode what the methods of the same name do in batches; a user's session needs no more.
    """

    @abstractmethod
    def reset(self, instance: Any) -> Any:
        """The state before the first day."""
        ...

    @abstractmethod
    def legal(self, instance: Any, state: Any) -> np.ndarray:
        """True where a node may be picked now."""
        ...

    @abstractmethod
    def pick(self, instance: Any, state: Any, nodes: Sequence[int]) -> Any:
        """The state after legal picks."""
        ...

    @abstractmethod
    def forecast(self, instance: Any, state: Any) -> float:
        """The reward expected for today if the day ended now."""
        ...

    @abstractmethod
    def draw_noise(self, instance: Any, seed: int) -> Any:
        """All that chance will do in one episode."""
        ...

    @abstractmethod
    def end_day(self, instance: Any, state: Any, noise: Any) -> tuple[Any, float]:
        """Let chance act; the pre-decision state of the next day and the reward of this one."""
        ...


def expected_today(problem: Problem, instance: AbstractInstance, state: AbstractState) -> Float[Array, ""]:
    """The reward expected for today if the day ended now; 0 where the problem has no closed form for it."""
    return problem.forecast(instance, state) if isinstance(problem, ForecastingProblem) else jnp.zeros(())


class DayRecord(Record):
    """What was done on a day: picks in order (padding is -1), their values to the chooser, count and reward."""

    picks: Int[Array, " max_picks"]
    values: Float[Array, " max_picks"]
    num_picks: Int[Array, ""]
    reward: Float[Array, ""]


def empty_day(max_picks: int) -> DayRecord:
    """A day before its first pick, with room for so many."""
    return DayRecord(
        picks=jnp.full(max_picks, -1, jnp.int32),
        values=jnp.zeros(max_picks),
        num_picks=jnp.zeros((), jnp.int32),
        reward=jnp.zeros(()),
    )


Choose = Callable[[Any, Int[Array, ""]], tuple[Int[Array, ""], Float[Array, ""]]]
"""(state, number of picks made today) → (node, its value to the chooser); node -1 ends the day."""


def pick_day(
    problem: Problem,
    instance: AbstractInstance,
    state: AbstractState,
    choose: Choose,
    budget: Int[Array, ""],
    max_picks: int,
) -> DayRecord:
    """Pick until `budget` is spent, nothing is legal, or the chooser ends the day. The reward is left at 0."""
    forget = lambda state, num_picks, memory: (*choose(state, num_picks), memory)  # noqa: E731
    return pick_day_remembering(problem, instance, state, forget, budget, max_picks, None)[0]


ChooseRemembering = Callable[[Any, Int[Array, ""], Any], tuple[Int[Array, ""], Float[Array, ""], Any]]
"""(state, number of picks made today, memory) → (node, its value to the chooser, memory for the next pick)."""


def pick_day_remembering(
    problem: Problem,
    instance: AbstractInstance,
    state: AbstractState,
    choose: ChooseRemembering,
    budget: Int[Array, ""],
    max_picks: int,
    memory: Any,
) -> tuple[DayRecord, Any]:
    """`pick_day` for a chooser that remembers something from pick to pick; (the record, the memory at the end)."""
    budget = jnp.where(state.day < instance.days, jnp.minimum(budget, state.budget_left), 0)

    def wants_more(carry):
        _, record, more, _ = carry
        return more & (record.num_picks < jnp.minimum(budget, max_picks))

    def pick(carry):
        state, record, _, memory = carry
        node, value, memory = choose(state, record.num_picks, memory)
        after = problem.pick(instance, state, node)
        accepted = after.budget_left < state.budget_left
        slot = jnp.where(accepted, record.num_picks, max_picks)
        record = DayRecord(
            picks=record.picks.at[slot].set(node, mode="drop"),
            values=record.values.at[slot].set(value, mode="drop"),
            num_picks=record.num_picks + accepted,
            reward=record.reward,
        )
        return after, record, accepted, memory

    first = (state, empty_day(max_picks), jnp.array(True), memory)
    _, record, _, memory = jax.lax.while_loop(wants_more, pick, first)
    return record, memory


def pick_in_order(problem: Problem, instance: AbstractInstance, state: StateT, record: DayRecord) -> StateT:
    """The post-decision state: after the picks of a record, before chance acts."""
    pick = lambda i, s: problem.pick(instance, s, record.picks[i])  # noqa: E731
    return jax.lax.fori_loop(0, record.num_picks, pick, state)


def along_picks(
    problem: Problem,
    instance: AbstractInstance,
    state: StateT,
    picks: Int[Array, " max_picks"],
    num_picks: Int[Array, ""],
    note: Callable[[StateT], Any],
) -> Any:
    """What `note(state)` says before each pick of a day and after the last; 0 beyond."""
    blank = lambda leaf: jnp.zeros((len(picks) + 1, *leaf.shape), leaf.dtype)  # noqa: E731
    empty = jax.tree.map(blank, jax.eval_shape(note, state))

    def step(i, carry):
        state, notes = carry
        notes = jax.tree.map(lambda all_notes, new: all_notes.at[i].set(new), notes, note(state))
        return problem.pick(instance, state, picks[i]), notes

    return jax.lax.fori_loop(0, num_picks + 1, step, (state, empty))[1]


def play_day(
    problem: Problem, instance: AbstractInstance, state: StateT, noise: Any, record: DayRecord
) -> tuple[StateT, DayRecord]:
    """Carry out the picks of a record and let chance act: the next pre-decision state, and the record with its reward.

    After the last day nothing changes any more.
    """
    over = state.day >= instance.days
    ended, reward = problem.end_day(instance, pick_in_order(problem, instance, state, record), noise)
    following = jax.tree.map(lambda old, new: jnp.where(over, old, new), state, ended)
    return following, eqx.tree_at(lambda r: r.reward, record, jnp.where(over, 0.0, reward))


class Episode(Record):
    """What an episode leaves behind; leading axes are days."""

    states: Any
    """The pre-decision state of each day, and the state after the last: days + 1 of them."""
    record: DayRecord
    kept: Any
    """What the decisions kept."""


DecideDay = Callable[[Any, Any], tuple[DayRecord, Any]]
"""(state, this day's input) → (the day's picks, whatever is to be kept of the decision)."""


def play_episode(
    problem: Problem, instance: AbstractInstance, noise: Any, decide: DecideDay, inputs: Any, state: Any = None
) -> Episode:
    """Play as many days as `inputs` has entries, from `state` or from the beginning: the one loop over days."""

    def day(state, given):
        chosen, kept = decide(state, given)
        following, record = play_day(problem, instance, state, noise, chosen)
        return following, (state, record, kept)

    first = problem.reset(instance) if state is None else state
    last, (states, record, kept) = jax.lax.scan(day, first, inputs)
    states = jax.tree.map(lambda days, end: jnp.concatenate([days, end[None]]), states, last)
    return Episode(states, record, kept)


def primitive_rewards(
    forecasts: Float[Array, " picks_and_one"], day_reward: Float[Array, ""]
) -> Float[Array, " picks_and_one"]:
    """Split a day's reward over its picks: what each adds to the forecast; what is left falls to the end of the day.

    `forecasts` holds the forecast before the first pick and after each one. The result has one entry for each pick
    and a last one for the end of the day, and adds up to `day_reward`.
    """
    gains = jnp.diff(forecasts)
    return jnp.concatenate([gains, (day_reward - gains.sum())[None]])
