"""Tables of our own: all methods at one look, presets and departures of LMTA, advisers, and an archive."""

from dataclasses import replace
from functools import partial

from lmta.experiments.cells import EPOCHS, Cell, Learner, Options, Task, options
from lmta.experiments.declare import Entry, Method, Scale, Table, grid, with_overrides
from lmta.experiments.methods import (
    AIM_ADVISER,
    AIM_POLICIES,
    AS_PUBLISHED,
    LMTA,
    PEERS,
    POWER,
    SOP_ADVISER,
    SOP_POLICIES,
    horizons,
)
from lmta.experiments.paper_tables import AIM_MAIN, SOP_MAIN

OVERVIEW = Table(
    "overview",
    "All methods on all settings at one look",
    {
        (row, f"{problem}, {column}"): replace(entry, published=None)
        for problem, table in (("AIM", AIM_MAIN), ("SOP", SOP_MAIN))
        for (row, column), entry in table.entries.items()
        if entry.cell.first_days is None and entry.cell.measure != "bound"
    },
    render="overview",
    note=f"Scores are divided by those of {AIM_MAIN.baseline} (influence) or {SOP_MAIN.baseline} (orienteering).",
)

BY_DEFAULT = {"AIM": Task("aim", 500, 10, 50), "SOP": Task("sop", 500, 10, 50)}
PRESETS = Table(
    "presets",
    "LMTA as published, and with its departures (T = 10, K = 50)",
    {
        **grid({"preset lmta": LMTA, "preset paper": AS_PUBLISHED}, BY_DEFAULT),
        **grid({"average-score": "average-score", **AIM_ADVISER}, {"AIM": BY_DEFAULT["AIM"]}),
        **grid({"even-greedy": "even-greedy", **SOP_ADVISER}, {"SOP": BY_DEFAULT["SOP"]}),
    },
    reference="preset lmta",
)

OFF = {
    "return targets": ("return_targets", 0),
    "groups": ("group_size", 1),
    "budget prior": ("budget_prior", "none"),
    "bias of subgoals": ("subgoal_bias", 0.0),
    "exploratory episodes": ("exploratory", 0.0),
    "order of intents": ("order_of_intents", 0.0),
    "consistency": ("consistency", 0.0),
    "Q-network": ("q_network", "plain"),
    "scaled latents": ("scaled_latents", False),
    "averaging": ("averaging", 0.0),
    "decay of rates": ("rate_decay", 0.0),
}
"""Each departure of preset lmta with the value that switches it off."""


THREE = ("exploratory episodes", "order of intents", "consistency")
"""One by one these add nothing that can be seen; what they add together is asked too."""


def _without(*departures: str) -> Learner:
    off = [OFF[departure] for departure in departures]
    also = [("subgoal_bias", 0.0)] if "budget prior" in departures else []  # which has nothing to bias then
    return with_overrides(LMTA, *((f"departures.{name}", value) for name, value in off + also))


DEPARTURES = Table(
    "departures",
    "LMTA with one departure switched off at a time (T = 10, K = 50)",
    grid(
        {
            "LMTA": LMTA,
            **{f"without {departure}": _without(departure) for departure in OFF},
            f"without {', '.join(THREE[:-1])} and {THREE[-1]}": _without(*THREE),
            "without all (preset paper)": AS_PUBLISHED,
        },
        BY_DEFAULT,
    ),
    reference="LMTA",
    scale=Scale(seeds=3, nodes=200, epochs=20),
)


SEES_MORE = replace(LMTA, features="lookahead", epochs=20)
"""Its curve is flat after 5 epochs."""
FEATURES = Table(
    "features",
    "Learners that observe what the base heuristic computes (T = 10, K = 50)",
    {
        **grid({"LMTA, plain features": LMTA, "LMTA, lookahead features": SEES_MORE}, BY_DEFAULT),
        **grid({"the same without search": SEES_MORE}, BY_DEFAULT, cell=partial(Cell, simulations=0)),
        **grid(
            {
                "WS-option, lookahead features": with_overrides(
                    replace(PEERS["WS-option"], features="lookahead", epochs=20), ("train.sleep", 10)
                ),
                "Flat DQN, lookahead features": replace(PEERS["Flat DQN"], features="lookahead", epochs=20),
            },
            BY_DEFAULT,
        ),
        **grid(
            {"average-score": "average-score", "average-lookahead": "average-lookahead", **AIM_ADVISER},
            {"AIM": BY_DEFAULT["AIM"]},
        ),
        **grid({"even-insertion": "even-insertion", **SOP_ADVISER}, {"SOP": BY_DEFAULT["SOP"]}),
    },
    reference="LMTA, lookahead features",
)


def _more(problem: str, **given: object) -> Task:
    sizes = {name: int(str(given.pop(name, usual))) for name, usual in (("nodes", 500), ("days", 10), ("budget", 50))}
    return Task(problem, **sizes, more=options(**given))


TIGHT = {"nodes": 100, "budget": 40, "limit": 0.6, "drift": 0.15}
AIM_SETTINGS = {
    **horizons("aim"),
    "N=200, K=20": _more("aim", nodes=200, budget=20),
    "N=1000, K=100": _more("aim", nodes=1000, budget=100),
    "N=2500, K=250": _more("aim", nodes=2500, budget=250),
    "degree 3": _more("aim", degree=3.0),
    "degree 10": _more("aim", degree=10.0),
    "power-law": _more("aim", generator="power-law"),
    "small-world": _more("aim", generator="small-world"),
    "block": _more("aim", generator="block"),
    "random probabilities": _more("aim", probabilities="random"),
    "T=5, K=50": _more("aim", days=5),
    "T=20, K=50": _more("aim", days=20),
    "T=5, K=5": _more("aim", days=5, budget=5),
    "T=10, K=10": _more("aim", budget=10),
    "T=30, K=15": _more("aim", days=30, budget=15),
}
SOP_SETTINGS = {
    **horizons("sop"),
    "tight, uniform": _more("sop", **TIGHT),
    "tight, clustered": _more("sop", generator="clustered", **TIGHT),
    "N=100": _more("sop", nodes=100),
    "N=1000": _more("sop", nodes=1000),
    "N=2500": _more("sop", nodes=2500),
    "clustered": _more("sop", generator="clustered"),
}


def _adviser(name: str, title: str, adviser: dict[str, str], rivals: dict[str, str], tasks: dict[str, Task]) -> Table:
    """Settings as rows, since there are many; policies as columns."""
    methods: dict[str, Method] = {**adviser, **rivals}
    entries = {
        (setting, column): Entry(Cell(who, task)) for setting, task in tasks.items() for column, who in methods.items()
    }
    return Table(name, title, entries, render="adviser")


AIM_ADVISER_TABLE = _adviser(
    "adviser-aim", "The adviser of influence beside all classical policies", AIM_ADVISER, AIM_POLICIES, AIM_SETTINGS
)
SOP_ADVISER_TABLE = _adviser(
    "adviser-sop", "The adviser of orienteering beside all classical policies", SOP_ADVISER, SOP_POLICIES, SOP_SETTINGS
)
MANY_VISITS = _more("sop", nodes=200, days=5, budget=100, crowding=0.01)
THINKING_INSTANCES = 60
LARGE = 1_000
"""From so many nodes on, a quarter of the rollouts and half of the instances."""


def _thinking(adviser: str, task: Task, rollouts: int, instances: int = THINKING_INSTANCES) -> Cell:
    """The adviser that thinks so much; with 0 rollouts the rule, whose cell other tables share."""
    return Cell(f"{adviser}@{rollouts}", task, instances=instances) if rollouts else Cell(adviser, task)


def _planner(name: str, title: str, adviser: str, rivals: dict[str, str], tasks: dict[str, Task]) -> Table:
    """As the tables of advisers, with the adviser that thinks first, and the one that does not among its rivals."""
    entries = {}
    for setting, task in tasks.items():
        less = task.nodes >= LARGE
        cell = _thinking(adviser, task, 500 if less else 2_000, THINKING_INSTANCES // 2 if less else THINKING_INSTANCES)
        entries[setting, "planner"] = Entry(cell)
        entries |= {(setting, column): Entry(Cell(who, task)) for column, who in rivals.items()}
    return Table(name, title, entries, render="adviser", note=PLANNER_NOTE)


PLANNER_NOTE = (
    f"2,000 rollouts a decision on the first {THINKING_INSTANCES} instances; from {LARGE:,} nodes on 500 on the first "
    f"{THINKING_INSTANCES // 2}. All are compared on these."
)
AIM_PLANNER_TABLE = _planner(
    "planner-aim",
    "The planner of influence beside all classical policies",
    "lmta:aim",
    AIM_POLICIES,
    AIM_SETTINGS,
)
SOP_PLANNER_TABLE = _planner(
    "planner-sop",
    "The planner of orienteering beside all classical policies",
    "lmta:sop",
    SOP_POLICIES,
    {**SOP_SETTINGS, "many visits": MANY_VISITS},
)
ROLLOUTS = (0, 50, 200, 1_000, 5_000)
THINKING = Table(
    "thinking",
    "What thinking gives, by rollouts a decision",
    {
        (setting, str(rollouts)): Entry(_thinking(adviser, task, rollouts))
        for rollouts in ROLLOUTS
        for setting, (adviser, task) in {
            "influence, N=200, T=10, K=20": ("lmta:aim", AIM_SETTINGS["N=200, K=20"]),
            "influence, T=5, K=5": ("lmta:aim", AIM_SETTINGS["T=5, K=5"]),
            "influence, T=20, K=10": ("lmta:aim", AIM_SETTINGS["T=20, K=10"]),
            "tours, tight": ("lmta:sop", SOP_SETTINGS["tight, uniform"]),
            "tours, tight, clustered": ("lmta:sop", SOP_SETTINGS["tight, clustered"]),
            "tours, many visits": ("lmta:sop", MANY_VISITS),
        }.items()
    },
    render="thinking",
    note=f"The first column is what the rule earns, the others what rollouts add on the first {THINKING_INSTANCES} "
    "instances, paired.",
)
TOURS = Table(
    "tours",
    "Tours with routes of the engine, beside those by insertion",
    grid(
        {**SOP_ADVISER, "even-rollout-insertion": "even-rollout-insertion", "even-insertion": "even-insertion"},
        {
            **{name: SOP_SETTINGS[name] for name in ("tight, uniform", "tight, clustered")},
            "many visits": MANY_VISITS,
            **{name: SOP_SETTINGS[name] for name in ("T=10, K=50", "T=20, K=10")},
        },
    ),
    reference="even-rollout-insertion",
    note="Many visits: 200 cities, T = 5, K = 100, crowding 0.01.",
)
CLASSICAL_AIM = Table(
    "classical-aim",
    "Classical policies, influence",
    grid({**AIM_POLICIES, **AIM_ADVISER}, {**horizons("aim"), "Power-2500": POWER}),
    baseline="average-score",
    reference="average-lookahead",
)
CLASSICAL_SOP = Table(
    "classical-sop",
    "Classical policies, orienteering",
    grid({**SOP_POLICIES, **SOP_ADVISER}, horizons("sop")),
    baseline="greedy",
    reference="even-insertion",
)
TUNING_SEED = 100
"""Of development instances that settings are chosen on."""
TUNED_ON = {"AIM": Task("aim", 200, 10, 50), "SOP": Task("sop", 200, 10, 50)}


def _tuning(name: str, title: str, learner: Learner, settings: dict[str, Options]) -> Table:
    """A learner with each setting of a small grid, on development seeds; the first is the default."""
    on_development = replace(learner, seed=0)
    rows = {row: with_overrides(on_development, *changed) for row, changed in settings.items()}
    cell = partial(Cell, seed=TUNING_SEED, tuning=True)
    return Table(name, title, grid(rows, TUNED_ON, cell=cell), reference=next(iter(settings)), note=TUNING_NOTE)


TUNING_NOTE = "Development seeds, for choosing defaults; none of these figures is a result."


def _simulations_and(width: str, *pairs: tuple[int, int]) -> dict[str, Options]:
    """Simulations of a search beside the number of actions at its root."""
    return {
        f"{simulations} simulations, {width} {number}": (
            ("search.simulations", simulations),
            (f"search.{width}", number),
        )
        for simulations, number in pairs
    }


TUNE_FLAT_MUZERO = _tuning(
    "tune-flat-muzero",
    "Simulations and considered actions of Flat MuZero (N = 200, T = 10, K = 50)",
    PEERS["Flat MuZero"],
    {
        **_simulations_and("considered", (50, 16), (50, 8), (50, 32), (25, 8), (25, 16), (100, 16), (100, 32)),
        "PUCT, 50 simulations": (("search.planner", "puct"),),
        "PUCT, 100 simulations": (("search.planner", "puct"), ("search.simulations", 100)),
    },
)
TUNE_SAMPLED_MUZERO = _tuning(
    "tune-sampled-muzero",
    "Simulations and samples of Sampled MuZero (N = 200, T = 10, K = 50)",
    PEERS["Sampled MuZero"],
    {
        **_simulations_and(
            "samples", (50, 20), (50, 10), (50, 40), (25, 10), (25, 20), (100, 10), (100, 20), (100, 40)
        ),
        "flatter proposal": (("search.proposal_temperature", 2.0),),
    },
)
TUNE_DIRECTOR = _tuning(
    "tune-director",
    "Stride of Director (N = 200, T = 10, K = 50: five picks a day)",
    PEERS["Director"],
    {"one goal a day": (), **{f"stride {stride}": (("stride", stride),) for stride in (1, 2, 3, 4)}},
)
TUNE_WS_OPTION = _tuning(
    "tune-ws-option",
    "Budget policy and capacities of WS-option (N = 200, T = 10, K = 50)",
    PEERS["WS-option"],
    {
        "as it is": (),
        "awake after 5 epochs": (("train.sleep", 5),),
        "awake after 25 epochs": (("train.sleep", 25),),
        "always asleep (average budgets)": (("train.sleep", EPOCHS + 1),),
        "fewer random budgets": (("train.budget_epsilon", 0.1),),
        "more random budgets": (("train.budget_epsilon", 0.6),),
        "high level: half the updates": (("train.high_updates", 24),),
        "high level: twice the updates": (("train.high_updates", 96),),
        "low level: half the updates": (("train.low_updates", 80),),
        "low level: twice the updates": (("train.low_updates", 320),),
        "high level: three layers": (("network.high_layers", 3),),
        "half as wide": (("network.hidden", 32),),
    },
)
LEARNED_PART = Table(
    "learned-part",
    "What was learned above the two heuristics",
    {},
    render="learned-part",
    note="Archived: played on a former commit, when the advisers still had a learned part above the heuristics. It "
    "earned nothing that can be told from 0, so it is gone, and these cannot be played again.",
)

OWN_TABLES = (
    CLASSICAL_AIM,
    CLASSICAL_SOP,
    AIM_ADVISER_TABLE,
    SOP_ADVISER_TABLE,
    AIM_PLANNER_TABLE,
    SOP_PLANNER_TABLE,
    THINKING,
    TOURS,
    PRESETS,
    DEPARTURES,
    FEATURES,
    OVERVIEW,
    TUNE_FLAT_MUZERO,
    TUNE_SAMPLED_MUZERO,
    TUNE_DIRECTOR,
    TUNE_WS_OPTION,
    LEARNED_PART,
)
