"""A third problem, as another package would bring it: which trees to pick today, before their apples fall.

It has no forecast, no seeds that fail, two things to observe on a day, and options of several types.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from lmta.problems.base import AbstractInstance, AbstractState, Bounds
from lmta.problems.charts import ADVISED, GREEN, GREY, category, graph_chart
from lmta.problems.delimited import Column, canonical_ids, numbers, read_table
from lmta.problems.graphs import make_graph
from lmta.problems.heuristics import RANDOM, ScoreRule
from lmta.problems.session import AbstractSession, ReportField, check_horizon
from lmta.problems.spec import Nothing, OwnData, Policies, Sample, Seen, Size, Spec, View
from lmta.types import Graph, InputError, Observation

TREES = b"name,apples\nash lane,8\nbarn,5\ncreek,3\ndell,1\n"


class OrchardInstance(AbstractInstance):
    """Trees with their apples."""

    apples: Float[Array, " nodes"]
    spoil: Float[Array, ""]
    graph: Graph
    days: Int[Array, ""]
    budget: Int[Array, ""]


class OrchardState(AbstractState):
    """Apples that hang, and those picked today."""

    apples: Float[Array, " nodes"]
    today: Float[Array, ""]
    day: Int[Array, ""]
    budget_left: Int[Array, ""]


@dataclass(frozen=True)
class Orchard:
    """A day's picked trees give their apples; at its end the apples of a tree fall with probability `spoil`."""

    name: str = "orchard"

    def reset(self, instance: OrchardInstance) -> OrchardState:
        return OrchardState(instance.apples, jnp.zeros(()), jnp.zeros((), jnp.int32), instance.budget)

    def draw_noise(self, instance: OrchardInstance, max_days: int, key: Any) -> Array:
        return jax.random.uniform(key, (max_days, *instance.apples.shape))

    def legal(self, instance: OrchardInstance, state: OrchardState) -> Bool[Array, " nodes"]:
        return (state.apples > 0) & (state.budget_left > 0)

    def pick(self, instance: OrchardInstance, state: OrchardState, node: Any) -> OrchardState:
        allowed = self.legal(instance, state)[node] & (node >= 0)
        earned = jnp.where(allowed, state.apples[node], 0.0)
        apples = state.apples.at[node].add(-earned)
        return OrchardState(apples, state.today + earned, state.day, state.budget_left - allowed)

    def end_day(self, instance: OrchardInstance, state: OrchardState, noise: Array) -> tuple[OrchardState, Array]:
        apples = jnp.where(noise[state.day] < instance.spoil, 0.0, state.apples)
        return OrchardState(apples, jnp.zeros(()), state.day + 1, state.budget_left), state.today

    def observe(self, instance: OrchardInstance, state: OrchardState) -> Observation:
        left = jnp.stack([state.day / instance.days, state.budget_left / instance.budget])
        return Observation(state.apples[:, None], left, instance.graph, jnp.zeros_like(state.apples))

    def bounds(self, instance: OrchardInstance) -> Bounds:
        return Bounds(float(np.max(instance.apples)), 1.0)

    def stack(self, instances: Any, min_edges: int = 0, min_nodes: int = 0) -> Any:
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *instances)


@dataclass(frozen=True)
class OrchardFile:
    """How trees are read."""

    unit: Literal["apple", "crate"] = "apple"
    """What is counted: single apples, or crates of 20."""
    least: int | None = None
    """Leave out trees with fewer."""


@dataclass(frozen=True)
class OrchardRules:
    """The numbers of an orchard."""

    spoil: float = 0.0
    """The probability that the apples of a tree fall at the end of a day."""


@dataclass(frozen=True)
class Trees:
    """Names and apples."""

    names: tuple[Any, ...]
    apples: np.ndarray


def load(source: Any, options: OrchardFile) -> Trees:
    table = read_table(source, (Column("name", ()), Column("apples", (), numeric=True)))
    apples = numbers(table.columns.get("apples", []), "apples", table.origin)
    apples = apples * (20 if options.unit == "crate" else 1)
    kept = apples >= (options.least or 0)
    names = canonical_ids(table.columns["name"])
    return Trees(tuple(name for name, keep in zip(names, kept, strict=True) if keep), apples[kept])


def make_instance(trees: Trees, days: int, budget: int, rules: OrchardRules) -> OrchardInstance:
    if not 0 <= rules.spoil <= 1:
        raise InputError(f"spoil: {rules.spoil:g} given, a number from 0 to 1 is needed.")
    check_horizon(days, budget, len(trees.names), "trees")
    nothing = np.zeros(0, int)
    return OrchardInstance(
        apples=jnp.asarray(trees.apples, jnp.float32),
        spoil=jnp.float32(rules.spoil),
        graph=make_graph(nothing, nothing, np.zeros(0), len(trees.names)),
        days=jnp.int32(days),
        budget=jnp.int32(budget),
    )


class Harvest(AbstractSession):
    """Which trees to pick today."""

    problem = Orchard()
    word = "harvest"
    title = "Harvest of an orchard"
    icon = "park"
    verb = "pick"
    result_name = "apples"
    budget_name = "trees"
    report_fields: ClassVar[tuple[ReportField, ...]] = (
        ReportField("picked", "done", "ids", "Which trees you picked", "the trees that were picked"),
        ReportField("fallen", "observed", "ids", "Whose apples fell", "the trees whose apples fell"),
        ReportField("counts", "observed", "numbers", "What hangs now", "what hangs now", number="apples"),
    )

    def __init__(self, trees: Trees, days: int, budget: int, rules: OrchardRules):
        super().__init__(make_instance(trees, days, budget, rules), trees.names)
        self.collected = 0.0

    @property
    def result(self) -> float:
        return self.collected

    def progress(self) -> str:
        return f"{self.collected:g} apples picked"

    def advance(self, picked: Any = (), fallen: Any = (), counts: Any = None) -> None:
        done, gone = self._indices(picked, "picked"), self._indices(fallen, "fallen")
        self._check_day()
        apples = np.array(self.state.apples)
        earned = float(apples[done].sum())
        apples[[*done, *gone]] = 0
        for name, number in (counts or {}).items():
            apples[self.index(name, "counts")] = number
        left = self._left_after(len(done), "picked")
        places = lambda s: (s.apples, s.budget_left, s.day)  # noqa: E731
        self.state = eqx.tree_at(places, self.state, (jnp.asarray(apples), left, self.state.day + 1))
        self.collected += earned


def chart(session: Any, positions: Any, advised: Any, past: Any) -> dict[str, Any]:
    points = [
        {
            "id": str(i),
            "name": str(name),
            "x": 100.0 * i,
            "y": 50.0 * (i % 2),
            "category": 2 if i in advised else int(session.state.apples[i] == 0),
            "symbolSize": 20,
        }
        for i, name in enumerate(session.ids)
    ]
    kinds = [category("full", "circle", GREEN), category("empty", "rect", GREY), ADVISED]
    return graph_chart(points, [], kinds, "orchard")


def most_apples(instance: OrchardInstance, state: OrchardState, key: Any) -> Float[Array, " nodes"]:
    return state.apples


def draw(source: Any, size: Size, options: Nothing, rules: OrchardRules, rng: np.random.Generator) -> OrchardInstance:
    trees = Trees(tuple(range(size.nodes)), rng.uniform(1, 9, size.nodes)) if isinstance(source, str) else source
    return make_instance(trees, size.days, size.budget, rules)


SPEC = Spec(
    name="orchard",
    title="which trees to pick today",
    problem=Orchard(),
    features={"plain": Orchard()},
    default=Size(20, 3, 5),
    rules=OrchardRules,
    drawn=Nothing,
    generators=("uniform",),
    draw=draw,
    own_data=OwnData(
        option="trees",
        describe="Your trees: CSV (name, apples).",
        suffixes=(".csv",),
        options=OrchardFile,
        load=load,
        look=lambda trees: Seen(len(trees.names), 0, trees.apples, "apples", trees.names, nodes_name="trees"),
        leaves_to_chance=lambda trees: False,
        samples=(
            Sample(
                "four-trees",
                "Four trees",
                "Four trees with 17 crates.",
                lambda: ("four-trees.csv", TREES),
                days=3,
                budget=3,
                options={"unit": "crate"},
            ),
        ),
    ),
    session=Harvest,
    begin=lambda data, *, days, budget, read, rules: Harvest(data, days, budget, rules),
    policies=Policies(
        node_rules={
            "apples": ScoreRule("apples", most_apples, "the tree with most apples first."),
            "random": RANDOM,
        },
        adviser="even-apples",
        baseline="even-apples",
    ),
    view=View(
        layout=lambda instance: np.zeros((instance.graph.num_nodes, 2)),
        draw=lambda axes, instance, state, places: None,
        chart=chart,
        title="The orchard",
        worth_name="apples",
        worth=lambda instance, state: np.asarray(state.apples),
        distance_name="hops",
        distances=lambda instance, nodes: np.full((len(nodes), len(nodes)), np.inf),
        shows_edges=False,
    ),
)
