"""A family of strategies for campaigns, of which one may suit a network better than the adviser."""

import hashlib
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from lmta.kernels.estimates import measure
from lmta.kernels.seeding import SeedOrWait, Strategy
from lmta.problems.heuristics import BudgetRule, PlanRule
from lmta.problems.influence.adaptive import ADAPTIVE
from lmta.problems.influence.estimates import ESTIMATES, WORTH_TODAY, SampledRule, hops, index_holds
from lmta.problems.influence.rules import InfluenceInstance
from lmta.problems.influence.situation import first_day
from lmta.problems.influence.strategies import MOST_NODES, CampaignSimulator
from lmta.problems.influence.tuning import STRATEGIES, play
from lmta.problems.simulator import Play, Tuning

HOPS = (1, 2, 3, 4, 5, 7)
DAYS_TO_SPARE = (1.0, 3.0, 9.0, 27.0, 1000.0)
ALL_AT_ONCE = 100.0
"""A tilt with which all is spent on the first day, as with an endless one."""
ANYWHERE, NEARBY = (1.0, 0.3), (0.3, 0.1)
"""How far the tilt is moved, and the logarithm of each constant of the seed-or-wait index."""


class Fitted(NamedTuple):
    """A strategy, and how it tells what a seed adds."""

    estimate: Literal["mean field", "live edges"] = "mean field"
    tilt: float = Strategy().tilt
    days_to_spare: float = Strategy().days_to_spare
    hops: int = Strategy().hops
    """Of mean field alone."""
    seed_or_wait: SeedOrWait = Strategy().seed_or_wait

    @property
    def strategy(self) -> Strategy:
        """As kernels read it."""
        return Strategy(self.tilt, self.days_to_spare, self.hops, seed_or_wait=self.seed_or_wait)


def draw(rng: np.random.Generator, near: Fitted | None) -> Fitted:
    """Another member of the family: near one, or anywhere."""
    usual = near or Fitted()
    tilt, constants = NEARBY if near else ANYWHERE
    moved = np.array(usual.seed_or_wait) * np.exp(constants * rng.normal(size=len(usual.seed_or_wait)))
    spare = usual.days_to_spare * np.exp(0.5 * rng.normal()) if near else rng.choice(DAYS_TO_SPARE)
    stays = near is not None and rng.random() < 0.5
    return usual._replace(
        tilt=_rounded(usual.tilt + tilt * rng.normal()),
        days_to_spare=_rounded(spare),
        hops=usual.hops if stays else int(rng.choice(HOPS)),
        seed_or_wait=SeedOrWait(*map(_rounded, moved)),
    )


def _rounded(number: float) -> float:
    return float(f"{number:.4g}")


def variants(instance: InfluenceInstance, fitted: Fitted) -> Sequence[Fitted]:
    """Rollouts go by mean field; gains in sampled worlds are another estimate for the same decisions."""
    nodes = int(np.sum(instance.graph.node_mask))
    return [fitted._replace(estimate="live edges")] if nodes <= MOST_NODES else []


def own(instance: InfluenceInstance) -> Fitted | None:
    """The adviser goes by mean field and the seed-or-wait index as it is where both hold."""
    start = first_day(instance)
    return Fitted() if index_holds(start, measure(start.network, start.status, start.days_left)) else None


def make_play(instance: InfluenceInstance) -> Play:
    """Whole campaigns on a network."""
    start = first_day(instance)

    def earn(fitted: Fitted, worlds: range, seed: int) -> tuple[np.ndarray, np.ndarray]:
        returns, by_chance = play(start, fitted.strategy, worlds, seed)
        return returns, by_chance

    return earn


def rules_of(fitted: Fitted) -> tuple[BudgetRule, PlanRule]:
    """Seeds while the index is above 0, by the strategy's estimate."""
    why = f"{WORTH_TODAY}the value is how many nodes the seed adds in the days left, {describe(fitted)}."
    return ADAPTIVE.budget_rule, SampledRule("tuned", why, ESTIMATES[fitted.estimate], fitted.strategy)


def fingerprint(instance: InfluenceInstance) -> str:
    """SHA-256 of the edges and their probabilities, in an order of its own."""
    graph = instance.graph
    real = np.asarray(graph.edge_mask)
    ends = [np.asarray(end)[real].astype("<i8") for end in (graph.senders, graph.receivers)]
    order = np.lexsort(ends)
    parts = [*ends, np.asarray(graph.weight)[real].astype("<f4")]
    told = hashlib.sha256(str(int(np.sum(graph.node_mask))).encode())
    for part in parts:
        told.update(part[order].tobytes())
    return told.hexdigest()


def describe(fitted: Fitted) -> str:
    """How it looks and how patient it is."""
    look = "by sampled worlds" if fitted.estimate == "live edges" else f"by mean field over {hops(fitted.hops)}"
    return f"{look}, tilt {fitted.tilt:+.2g}, {fitted.days_to_spare:.3g} days to spare"


def simulator(instance: InfluenceInstance, fitted: Fitted) -> Any:
    """Rollouts that go on with the strategy."""
    return CampaignSimulator(instance, fitted.strategy)


TUNING = Tuning(
    strategy=Fitted,
    known=tuple(Fitted(tilt=min(ALL_AT_ONCE, strategy.tilt), hops=strategy.hops) for strategy in STRATEGIES),
    draw=draw,
    variants=variants,
    own=own,
    make_play=make_play,
    rules=rules_of,
    simulator=simulator,
    fingerprint=fingerprint,
    describe=describe,
)
