"""Who is compared, by the names that tables give them: learners, classical policies, advisers."""

from lmta.experiments.cells import Learner, Task

LMTA = Learner("lmta", "lmta")
AS_PUBLISHED = Learner("lmta", "paper")
PEERS = {
    "WS-option": Learner("ws-option"),
    "Flat DQN": Learner("flat-dqn"),
    "Director": Learner("director"),
    "Flat MuZero": Learner("flat-muzero"),
    "Sampled MuZero": Learner("sampled-muzero"),
}
"""The learners that the paper compares with."""
LEARNERS = {"LMTA": LMTA, "LMTA, preset paper": AS_PUBLISHED, **PEERS}
IN_CURVES = {name: LEARNERS[name] for name in ("LMTA", "WS-option", "Flat DQN", "Director", "Flat MuZero")}


def _policies(budgets: tuple[str, ...], nodes: tuple[str, ...]) -> dict[str, str]:
    names = [f"{budget}-{node}" for budget in budgets for node in nodes]
    return dict(zip(names, names, strict=True))


PAPER_AIM = _policies(("average", "normal", "static"), ("degree", "score"))
"""The heuristics of the paper."""
PAPER_SOP = {"ga": "ga", "greedy": "greedy"}
AIM_POLICIES = {
    **_policies(("average", "front", "normal", "static"), ("degree", "score", "lookahead", "ris")),
    "average-random": "average-random",
}
SOP_POLICIES = {**PAPER_SOP, **_policies(("even", "cap4", "cap5", "cap6"), ("greedy", "insertion"))}
AIM_ADVISER = {"lmta:aim": "lmta:aim"}
SOP_ADVISER = {"lmta:sop": "lmta:sop"}
STRONG_AIM = {**_policies(("average", "front"), ("lookahead", "ris")), **AIM_ADVISER}
"""What the paper does not compare with."""
STRONG_SOP = {**_policies(("even",), ("greedy", "insertion")), **SOP_ADVISER}

SIZES = ((10, 50), (10, 60), (10, 70), (20, 10))
"""(T, K) of the main tables."""


def horizons(problem: str, sizes: tuple[tuple[int, int], ...] = SIZES, nodes: int = 500) -> dict[str, Task]:
    """A column for each (T, K)."""
    return {f"T={days}, K={budget}": Task(problem, nodes, days, budget) for days, budget in sizes}


AIM_70, SOP_70 = Task("aim", 500, 10, 70), Task("sop", 500, 10, 70)
POWER = Task("power2500", 2_500, 10, 60)
BOTH = {"AIM": AIM_70, "SOP": SOP_70}
