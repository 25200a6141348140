"""What a problem is: pure functions of an instance and a state, and the one loop that plays a day."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from lmta.types import Observation


class AbstractInstance(eqx.Module):
    """One task: `days` to play with `budget` picks in all. Fields are arrays, so that instances can be stacked."""

    days: eqx.AbstractVar[Int[Array, ""]]
    budget: eqx.AbstractVar[Int[Array, ""]]


class AbstractState(eqx.Module):
    """Where an episode stands: the days gone and the picks left, besides what the problem itself keeps."""

    day: eqx.AbstractVar[Int[Array, ""]]
    budget_left: eqx.AbstractVar[Int[Array, ""]]


InstanceT = TypeVar("InstanceT", bound=AbstractInstance)
StateT = TypeVar("StateT", bound=AbstractState)
LuckT = TypeVar("LuckT")


@runtime_checkable
class Problem(Protocol, Generic[InstanceT, StateT, LuckT]):
    """The rules. Every method is pure and jittable but `stack`, which prepares a batch on the host.

    Chance is drawn once for a whole episode (`draw_luck`) and handed to `end_day`, so what happens depends on the
    instance, the episode, the day and the edge or city, never on who plays; policies do not see it.
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
    def draw_luck(self, instance: InstanceT, max_days: int, key: PRNGKeyArray) -> LuckT:
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
    def forecast(self, instance: InstanceT, state: StateT) -> Float[Array, ""]:
        """The reward expected for today if the day ended now."""
        ...

    @abstractmethod
    def end_day(self, instance: InstanceT, state: StateT, luck: LuckT) -> tuple[StateT, Float[Array, ""]]:
        """Let chance act; the state on the next morning and the reward of the day."""
        ...

    @abstractmethod
    def observe(self, instance: InstanceT, state: StateT) -> Observation:
        """What a decision may depend on."""
        ...

    @abstractmethod
    def largest_feature(self, instance: InstanceT) -> float:
        """A bound on the node features of every observation; all are at least 0."""
        ...

    @abstractmethod
    def stack(self, instances: Sequence[InstanceT], min_edges: int = 0, min_nodes: int = 0) -> InstanceT:
        """A batch of instances, padded to a common size with room for at least `min_edges` and `min_nodes`."""
        ...


class DayRecord(eqx.Module):
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


@runtime_checkable
class GuidedProblem(Problem[InstanceT, StateT, LuckT], Protocol):
    """A problem with a rule of thumb for the picks of a day, which a learned planner can steer."""

    value_of_a_pick: ClassVar[str]
    """What the values of a day's picks say."""
    has_a_pace: ClassVar[bool]
    """Whether the guide can tell when a pick had better wait for another day."""

    @abstractmethod
    def plan_day(
        self,
        instance: InstanceT,
        state: StateT,
        budget: Int[Array, ""],
        most: int,
        urgency: Float[Array, ""] | None = None,
    ) -> DayRecord:
        """At most `budget` picks (and at most `most`), in the order to make them; the reward is left at 0.

        With an urgency, a guide that has a pace also stops where waiting promises more; at 0 by its own judgement.
        """
        ...


Choose = Callable[[Any, Int[Array, ""]], tuple[Int[Array, ""], Float[Array, ""]]]
"""(state, number of picks made today) → (node, its value to the chooser); node -1 ends the day."""


def pick_day(
    problem: Problem,
    instance: AbstractInstance,
    state: StateT,
    choose: Choose,
    budget: Int[Array, ""],
    max_picks: int,
) -> tuple[StateT, DayRecord]:
    """Pick until `budget` is spent, nothing is legal, or the chooser ends the day. The reward is left at 0."""
    budget = jnp.minimum(budget, state.budget_left)

    def wants_more(carry):
        _, record, more = carry
        return more & (record.num_picks < jnp.minimum(budget, max_picks))

    def pick(carry):
        state, record, _ = carry
        node, value = choose(state, record.num_picks)
        after = problem.pick(instance, state, node)
        accepted = after.budget_left < state.budget_left
        slot = jnp.where(accepted, record.num_picks, max_picks)
        record = DayRecord(
            picks=record.picks.at[slot].set(node, mode="drop"),
            values=record.values.at[slot].set(value, mode="drop"),
            num_picks=record.num_picks + accepted,
            reward=record.reward,
        )
        return after, record, accepted

    state, record, _ = jax.lax.while_loop(wants_more, pick, (state, empty_day(max_picks), jnp.array(True)))
    return state, record


def pick_in_order(problem: Problem, instance: AbstractInstance, state: StateT, record: DayRecord) -> StateT:
    """The state after the picks of a record."""
    pick = lambda i, s: problem.pick(instance, s, record.picks[i])  # noqa: E731
    return jax.lax.fori_loop(0, record.num_picks, pick, state)


def along_picks(
    problem: Problem,
    instance: AbstractInstance,
    morning: StateT,
    picks: Int[Array, " max_picks"],
    num_picks: Int[Array, ""],
    note: Callable[[StateT], Any],
) -> Any:
    """What `note(state)` says before each pick of a day and after the last; 0 beyond."""
    blank = lambda leaf: jnp.zeros((len(picks) + 1, *leaf.shape), leaf.dtype)  # noqa: E731
    empty = jax.tree.map(blank, jax.eval_shape(note, morning))

    def step(i, carry):
        state, notes = carry
        notes = jax.tree.map(lambda all_notes, new: all_notes.at[i].set(new), notes, note(state))
        return problem.pick(instance, state, picks[i]), notes

    return jax.lax.fori_loop(0, num_picks + 1, step, (morning, empty))[1]


def play_day(
    problem: Problem,
    instance: AbstractInstance,
    state: StateT,
    luck: Any,
    choose: Choose,
    budget: Int[Array, ""],
    max_picks: int,
) -> tuple[StateT, DayRecord]:
    """One whole day: picks, then chance. After the last day nothing changes any more."""
    over = state.day >= instance.days
    picked, record = pick_day(problem, instance, state, choose, jnp.where(over, 0, budget), max_picks)
    return _night(problem, instance, state, picked, luck, record)


def live_day(
    problem: Problem, instance: AbstractInstance, state: StateT, luck: Any, record: DayRecord
) -> tuple[StateT, DayRecord]:
    """The same with picks that are chosen already; none may be there after the last day."""
    return _night(problem, instance, state, pick_in_order(problem, instance, state, record), luck, record)


def _night(
    problem: Problem, instance: AbstractInstance, morning: StateT, evening: StateT, luck: Any, record: DayRecord
) -> tuple[StateT, DayRecord]:
    over = morning.day >= instance.days
    ended, reward = problem.end_day(instance, evening, luck)
    state = jax.tree.map(lambda old, new: jnp.where(over, old, new), morning, ended)
    return state, eqx.tree_at(lambda r: r.reward, record, jnp.where(over, 0.0, reward))


def primitive_rewards(
    forecasts: Float[Array, " picks_and_one"], day_reward: Float[Array, ""]
) -> Float[Array, " picks_and_one"]:
    """Split a day's reward over its picks: what each adds to the forecast; what is left falls to the end of the day.

    `forecasts` holds the forecast before the first pick and after each one. The result has one entry for each pick
    and a last one for the end of the day, and adds up to `day_reward`.
    """
    gains = jnp.diff(forecasts)
    return jnp.concatenate([gains, (day_reward - gains.sum())[None]])
