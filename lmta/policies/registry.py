"""Policies by name: BUDGET-NODES, such as `average-lookahead` or `cap5-insertion`, and a few short names."""

import difflib
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from lmta.policies.base import AbstractNodeRule, BudgetRule, DayRule, Policy, ScoreRule
from lmta.policies.budgets import BUDGET_RULES, cap_rule
from lmta.policies.exact import Exact
from lmta.policies.influence import degree, lookahead, score
from lmta.policies.orienteering import GREEDY, Genetic, Insertion, make_genetic
from lmta.policies.rollout import make_rollout
from lmta.policies.sampling import ReverseReachable
from lmta.problems.base import Problem
from lmta.problems.influence.guided import GuidedInfluence
from lmta.problems.influence.rules import Influence
from lmta.problems.orienteering.guided import GuidedOrienteering
from lmta.problems.registry import BENCHMARKS
from lmta.types import InputError


def _random_scores(instance, state, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    return jax.random.uniform(key, instance.graph.node_mask.shape)


RANDOM = ScoreRule("random", _random_scores, "any legal node is as likely as another.")
LOOKAHEAD = ScoreRule(
    "lookahead", lookahead, "the value estimates (mean field) how many nodes the seed adds in the days left."
)

ADAPTIVE = DayRule(
    "lookahead",
    partial(GuidedInfluence().plan_day, urgency=jnp.zeros(())),
    "a seed is set today while that promises more than to wait and see where the cascade goes; the value estimates "
    "(mean field) how many nodes the seed adds in the days left.",
)
ROLLOUT_INSERTION = DayRule(
    "rollout-insertion",
    GuidedOrienteering().plan_day,
    "of several routes by insertion, at different prices of length and through different cities, the one that earns "
    "most over today and the next two days; the value is the profit.",
)

NODE_RULES: dict[str, dict[str, AbstractNodeRule]] = {
    "aim": {
        "degree": ScoreRule("degree", degree, "most inactive out-neighbours first; the value is their number."),
        "score": ScoreRule("score", score, "most expected direct hits first; the value is their number."),
        "lookahead": LOOKAHEAD,
        "ris": ReverseReachable(),
        "exact": Exact(),
        "random": RANDOM,
    },
    "sop": {"greedy": GREEDY, "insertion": Insertion(), "rollout-insertion": ROLLOUT_INSERTION, "random": RANDOM},
}
PROBLEMS: dict[str, Problem] = {benchmark.problem.name: benchmark.problem for benchmark in BENCHMARKS.values()}
TAILORED: dict[str, tuple[str, BudgetRule]] = {
    "adaptive": ("lookahead", BUDGET_RULES["normal"]),
    "ga": ("greedy", make_genetic(Genetic())),
    "rollout": ("lookahead", make_rollout(Influence(), LOOKAHEAD)),
}
"""Budget rules that are made for one node rule."""
SHORT_NAMES = {
    "greedy": "normal-greedy",
    "ga": "ga-greedy",
    "rollout": "rollout-lookahead",
    "exact": "normal-exact",
    "random": "average-random",
}


def policy(name: Any, problem: Any = None) -> Policy:
    """The policy of that name. `problem` (`aim` or `sop`) is needed only where both have the node rule."""
    if not isinstance(name, str):
        raise InputError(f"policy: {name!r} given, a name such as 'average-lookahead' is needed.")
    if problem is not None and problem not in tuple(NODE_RULES):
        raise InputError(f"problem {problem!r} is not known; use {' or '.join(NODE_RULES)}.")
    budget_name, _, node_name = SHORT_NAMES.get(name, name).partition("-")
    budget_rule = _budget_rule(budget_name)
    owners = [p for p, rules in NODE_RULES.items() if node_name in rules and problem in (None, p)]
    if budget_rule is None or not owners:
        raise InputError(_unknown(name, problem))
    made_for = TAILORED[budget_name][0] if budget_name in TAILORED else node_name
    if node_name != made_for:
        plays = next(p for p, rules in NODE_RULES.items() if made_for in rules)
        right = f"{budget_name}-{made_for}"
        raise InputError(f"policy {name!r}: budgets by {budget_name} go with {made_for} only; {right!r} plays {plays}.")
    if node_name == "exact" and budget_name != "normal":
        raise InputError(f"policy {name!r}: the exact optimum chooses the budget too; use 'exact'.")
    if len(owners) > 1:
        raise InputError(f"policy {name!r} plays {' and '.join(owners)}; say which as the second argument.")
    owner = owners[0]
    node_rule = ADAPTIVE if budget_name == "adaptive" else NODE_RULES[owner][node_name]
    return Policy(name, PROBLEMS[owner], budget_rule, node_rule)


def policy_names(problem: str) -> list[str]:
    """Every BUDGET-NODES name of a problem, but for the caps, and the short names."""
    full = [f"{b}-{n}" for b in BUDGET_RULES for n in NODE_RULES[problem] if n != "exact"]
    full += [f"{b}-{n}" for b, (n, _) in TAILORED.items() if n in NODE_RULES[problem]]
    return full + [short for short, name in SHORT_NAMES.items() if name.partition("-")[2] in NODE_RULES[problem]]


def _budget_rule(name: str) -> BudgetRule | None:
    return TAILORED[name][1] if name in TAILORED else BUDGET_RULES.get(name) or cap_rule(name)


def _unknown(name: str, problem: str | None) -> str:
    problems = [problem] if problem else list(NODE_RULES)
    known = [n for p in problems for n in policy_names(p)]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    nodes = "; ".join(f"{p}: {', '.join(NODE_RULES[p])}" for p in problems)
    tailored = "".join(f", {budget} (with {node})" for budget, (node, _) in TAILORED.items())
    return (
        f"policy {name!r} is not known{hint} Names are BUDGET-NODES with BUDGET one of "
        f"{', '.join(BUDGET_RULES)}, capN{tailored} and NODES one of {nodes}; "
        f"short names are {', '.join(SHORT_NAMES)}."
    )
