"""Node rules by what a seed adds: in sampled worlds, by reverse-reachable sets, or as the network calls for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from lmta.kernels.estimates import Measured, measure
from lmta.kernels.few_seeds import MOST_SEEDS, best_few
from lmta.kernels.live_edge import draw_worlds, follow_cascade, marginal_gains, plan_day_in_worlds, words_for
from lmta.kernels.mean_field import look_ahead
from lmta.kernels.network import INACTIVE, Adjacency
from lmta.kernels.opim import Seeds, opim
from lmta.kernels.seeding import Strategy, gain_over_waiting, num_worth_today, plan_day, price_of_a_seed
from lmta.problems.heuristics import DayPlan, NodeRule, PlanRule
from lmta.problems.influence.adjacency import adjacency_of
from lmta.problems.influence.rules import InfluenceInstance, InfluenceState
from lmta.problems.influence.situation import Situation, first_day, situation
from lmta.problems.influence.tuning import tuned

SMALL_NETWORK = 300
"""Up to so many nodes other strategies are tried beside the seed-or-wait index: it takes less than a second."""
GREEDY = Strategy(tilt=inf, days_to_spare=inf)
"""All that the day may spend, by gain alone."""
ADAPTIVE = Strategy()
"""While the seed-or-wait index is above 0."""
WORTH_TODAY = "a seed is set today while that promises more than to wait and see where the cascade goes; "


class Estimate(NamedTuple):
    """One way to tell what seeds add."""

    plan: Callable[[Situation, int, Strategy, int], DayPlan]
    """(situation, budget, strategy, seed) → today's seeds."""
    look: Callable[[Situation, Strategy, int], "Look"] | None = None
    """(situation, strategy, seed) → what lies ahead, where the plan goes by that."""


class Look(NamedTuple):
    """What each node would add, 0 for those that cannot be seeded; and its probability to stay untouched if nobody
    is seeded."""

    gain: np.ndarray
    untouched: np.ndarray


def by_mean_field(now: Situation, budget: int, strategy: Strategy, seed: int) -> DayPlan:
    """Today's seeds by mean field."""
    return DayPlan(*plan_day(*now, budget, strategy))


def look_by_mean_field(now: Situation, strategy: Strategy, seed: int) -> Look:
    """What lies ahead by mean field."""
    ahead = look_ahead(now.network, now.status, now.days_left, strategy.hops)
    return Look(ahead.gain, ahead.untouched)


def by_live_edges(now: Situation, budget: int, strategy: Strategy, seed: int) -> DayPlan:
    """Today's seeds by gains on sampled worlds; a few by gain alone are those that are best together."""
    live = draw_worlds(now.network, words_for(now.network.num_nodes), seed)
    picks, values = plan_day_in_worlds(now.network, live, *now[1:], budget, strategy)
    if strategy.days_to_spare == inf and 0 < len(picks) <= MOST_SEEDS:
        return DayPlan(*best_few(now.network, live, now.status, now.days_left, picks, seed))
    return DayPlan(picks, values)


def look_by_live_edges(now: Situation, strategy: Strategy, seed: int) -> Look:
    """What lies ahead in the mean of sampled worlds."""
    live = draw_worlds(now.network, words_for(now.network.num_nodes), seed)
    inactive = np.flatnonzero(now.status == INACTIVE)
    gain, untouched = np.zeros((2, len(now.status)), np.float32)
    reach = follow_cascade(now.network, live, now.status, now.days_left)
    gain[inactive] = marginal_gains(now.network, live, reach, inactive)
    untouched[inactive] = 1 - reach.num_worlds[inactive] / (64 * len(live))
    return Look(gain, untouched)


def worth_today(now: Situation, look: Look, strategy: Strategy) -> np.ndarray:
    """By what the next seed is chosen: what each node adds, less what waiting may spare."""
    score = np.zeros(len(now.status), np.float32)
    price = price_of_a_seed(look.gain.max(), now.days_left, strategy.days_to_spare)
    gain_over_waiting(np.array(now.status, np.int8), look.untouched, look.gain, price, score)
    return score


def by_opim(now: Situation, budget: int, strategy: Strategy, seed: int) -> DayPlan:
    """Today's seeds by reverse-reachable sets, with what is certain of them."""
    found = opim(now.network, now.status, now.days_left, budget, seed=seed)
    num_inactive = int(np.sum(now.status == INACTIVE))
    count = num_worth_today(found.gains, found.under_way, num_inactive, now.days_left, now.budget_left, strategy)
    return DayPlan(found.picks[:count], found.gains[:count], _guarantee(found))


def _guarantee(found: Seeds) -> str:
    if len(found.picks) == 0:
        return ""
    return (
        f"The best {len(found.picks)} by {found.num_sets:,} sets add at least {found.lower:.1f} nodes in expectation, "
        f"and no others add more than {found.upper:.1f}: {found.ratio:.0%} of what can be had today is certain, but "
        f"for one case in {1 / found.failure:,.0f}."
    )


@dataclass(frozen=True)
class SampledRule(PlanRule):
    """Seeds by one estimate."""

    name: str
    why: str
    estimate: Estimate
    strategy: Strategy = GREEDY

    def prepare(self, instance: InfluenceInstance) -> tuple[Adjacency, int]:
        """The network as compiled loops read it, and the number of days."""
        return adjacency_of(instance), int(instance.days)

    def plan(self, prepared: tuple[Adjacency, int], state: InfluenceState, budget: int, seed: int) -> DayPlan:
        """Today's seeds and the expected number of nodes that each adds."""
        return self.estimate.plan(situation(*prepared, state), budget, self.strategy, seed)

    def scorer(
        self, prepared: tuple[Adjacency, int], state: InfluenceState, budget: int, seed: int
    ) -> Callable[[Any], np.ndarray] | None:
        """What each node is worth today."""
        return _scorer(*prepared, self.estimate, self.strategy, seed)


class Known(NamedTuple):
    """What is worked out of a network once."""

    network: Adjacency
    days: int
    measured: Measured
    base: Strategy | None
    """By which strategy it is decided how many seeds to set; by the seed-or-wait index as it is where there is none."""


def index_holds(start: Situation, measured: Measured) -> bool:
    """Whether the seed-or-wait index, as it was fitted, serves on this network."""
    return measured.estimate == "mean field" and int(np.sum(start.status == INACTIVE)) > SMALL_NETWORK


@dataclass(frozen=True)
class MeasuredRule(PlanRule):
    """Seeds by the estimate that a few sampled cascades on the network call for."""

    why: str = "the value estimates how many nodes the seed adds in the days left."
    strategy: Strategy = GREEDY
    name: str = "measured"

    def prepare(self, instance: InfluenceInstance) -> Known:
        """What a few cascades tell, and where the seed-or-wait index may not hold, what rollouts tell."""
        start = first_day(instance)
        measured = measure(start.network, start.status, start.days_left)
        base = None if index_holds(start, measured) or self.strategy == GREEDY else tuned(start, 0)
        return Known(start.network, start.days_left, measured, base)

    def plan(self, prepared: Known, state: InfluenceState, budget: int, seed: int) -> DayPlan:
        """Today's seeds, and which estimate they are by."""
        now = situation(prepared.network, prepared.days, state)
        count, estimate, strategy = self._way(prepared, now, budget, seed)
        day = estimate.plan(now, count, strategy, seed)
        return day._replace(note=" ".join(filter(None, [_told(prepared.measured), _tried(prepared.base), day.note])))

    def scorer(
        self, prepared: Known, state: InfluenceState, budget: int, seed: int
    ) -> Callable[[Any], np.ndarray] | None:
        """What each node is worth today."""
        now = situation(prepared.network, prepared.days, state)
        _, estimate, strategy = self._way(prepared, now, budget, seed)
        return _scorer(prepared.network, prepared.days, estimate, strategy, seed)

    def _way(self, prepared: Known, now: Situation, budget: int, seed: int) -> tuple[int, Estimate, Strategy]:
        """How many seeds to set at most, by which estimate and with which strategy."""
        estimate = ESTIMATES[prepared.measured.estimate]
        if prepared.base is None:
            return budget, estimate, self.strategy
        return _by_base(prepared.base, estimate, now, budget, seed)


def _by_base(
    base: Strategy, estimate: Estimate, now: Situation, budget: int, seed: int
) -> tuple[int, Estimate, Strategy]:
    """As many seeds as the base heuristic sets, which has proved itself in rollouts, but by the estimate that serves.

    Where nothing is left for later days, no node is left to the cascade in order to spare a seed, and a few seeds are
    worth sampled worlds even where mean field serves.
    """
    count = len(by_mean_field(now, budget, base, seed).picks)
    spends_all = count == now.budget_left
    if estimate is MEAN_FIELD and count <= MOST_SEEDS and spends_all:
        estimate = LIVE_EDGES
    if estimate is MEAN_FIELD or count == 0:
        return (budget if count else 0), MEAN_FIELD, base
    return count, estimate, Strategy(tilt=inf, days_to_spare=inf if spends_all else base.days_to_spare)


def _scorer(
    network: Adjacency, days: int, estimate: Estimate, strategy: Strategy, seed: int
) -> Callable[[Any], np.ndarray] | None:
    look = estimate.look
    if look is None:
        return None

    def scores(state: InfluenceState) -> np.ndarray:
        now = situation(network, days, state)
        return worth_today(now, look(now, strategy, seed), strategy)

    return scores


def hops(count: int) -> str:
    """So many hops, in words."""
    return "1 hop" if count == 1 else f"{count} hops"


def _told(measured: Measured) -> str:
    """Which estimate serves, and why."""
    times = f"{measured.walks:.1f} times what sampled cascades reach"
    if measured.estimate == "mean field":
        return f"The estimate is mean field, which promises {times} from here."
    return f"The estimate is by {measured.estimate}, since mean field would promise {times}."


def _tried(base: Strategy | None) -> str:
    """By which strategy it was decided how many seeds to set."""
    if base is None:
        return ""
    when = "at once" if base.tilt == inf else "later" if base.tilt < 0 else "earlier" if base.tilt > 0 else "as usual"
    return f"How many is by what earned most in rollouts: to seed {when}, by a look of {hops(base.hops)}."


MEAN_FIELD = Estimate(by_mean_field, look_by_mean_field)
LIVE_EDGES = Estimate(by_live_edges, look_by_live_edges)
SETS = Estimate(by_opim)
ESTIMATES = {"mean field": MEAN_FIELD, "live edges": LIVE_EDGES, "reverse-reachable sets": SETS}
LIVE_EDGE = SampledRule(
    "live-edge",
    "the value is how many nodes the seed adds in the days left, in the mean of sampled worlds.",
    LIVE_EDGES,
)
OPIM = SampledRule(
    "opim",
    "each pick covers most of the reverse-reachable sets left; its value is the expected gain in nodes.",
    SETS,
)
MEASURED = MeasuredRule()


def seeding_or_waiting(rule: Any) -> NodeRule:
    """The rule in the form that leaves seeds to later days where that promises more."""
    return replace(rule, strategy=ADAPTIVE, why=WORTH_TODAY + rule.why)
