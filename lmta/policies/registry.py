"""Policies by name: BUDGET-NODES, such as `average-lookahead` or `cap5-insertion`, and a few short names."""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lmta.policies.base import Policy
from lmta.policies.budgets import BUDGET_RULES, cap_rule
from lmta.problems.heuristics import Pairing
from lmta.problems.registry import OWN, spec_of, specs
from lmta.problems.spec import Policies, Spec
from lmta.types import InputError

ADVISER = "lmta:"
"""`lmta:NAME` is the adviser that comes with the package for the problem of that name."""


def policy(name: Any, problem: Any = None) -> Policy:
    """The policy of that name. `problem` is needed only where several problems have the node rule."""
    if not isinstance(name, str):
        raise InputError(f"policy: {name!r} given, a name such as 'average-lookahead' is needed.")
    if problem is None:
        return policy(name, _owner(name).name)
    spec = spec_of(problem)
    known = spec.policies
    budget_name, _, node_name = known.short_names.get(name, name).partition("-")
    pairing = known.pairings.get(budget_name)
    budget_rule = pairing.budget_rule if pairing else BUDGET_RULES.get(budget_name) or cap_rule(budget_name)
    if budget_rule is None or node_name not in known.node_rules:
        raise InputError(_unknown(name, [spec]))
    if pairing and node_name not in goes_with(pairing, known):
        right = " or ".join(repr(f"{budget_name}-{node}") for node in goes_with(pairing, known))
        others = " and ".join(goes_with(pairing, known))
        raise InputError(f"policy {name!r}: budgets by {budget_name} go with {others} only; use {right}.")
    if node_name in known.complete and budget_name != "normal":
        raise InputError(f"policy {name!r}: {node_name} chooses the budget too; use {node_name!r}.")
    own = (pairing and pairing.node_rules) or known.node_rules
    return Policy(name, spec.problem, budget_rule, own[node_name], spec.session.on_host)


def goes_with(pairing: Pairing, known: Policies) -> list[str]:
    """The node rules that a budget rule of a problem goes with."""
    if pairing.node_rules is not None:
        return list(pairing.node_rules)
    return [name for name in known.node_rules if name not in known.complete]


def adviser(problem: Any) -> Policy:
    """Who decides for a problem where nobody is named: its best policy, under the name lmta:PROBLEM."""
    spec = spec_of(problem)
    return replace(policy(spec.policies.adviser, spec.name), name=adviser_name(spec))


def adviser_name(spec: Spec) -> str:
    """What the adviser of a problem is called."""
    return f"{ADVISER}{spec.name}"


def policy_names(problem: str) -> list[str]:
    """Every BUDGET-NODES name of a problem, but for the caps, and the short names."""
    known = spec_of(problem).policies
    full = [f"{b}-{n}" for b in BUDGET_RULES for n in known.node_rules if n not in known.complete]
    paired = [f"{b}-{n}" for b, pairing in known.pairings.items() for n in goes_with(pairing, known)]
    return [*full, *paired, *known.short_names]


def _owner(name: str) -> Spec:
    """The one problem that has a policy of that name; problems that share their rules count as one.

    This package's own problems go first, so that a name goes on to mean what it did when another package is installed.
    """
    owners = _owners(name, OWN) or _owners(name, specs())
    if not owners:
        raise InputError(_unknown(name, list({spec.problem.name: spec for spec in specs().values()}.values())))
    if len(owners) > 1:
        raise InputError(f"policy {name!r} plays {' and '.join(owners)}; say which as the second argument.")
    return next(iter(owners.values()))


def _owners(name: str, problems: Mapping[str, Spec]) -> dict[str, Spec]:
    owners: dict[str, Spec] = {}
    for spec in problems.values():
        node_name = spec.policies.short_names.get(name, name).partition("-")[2]
        if node_name in spec.policies.node_rules:
            owners.setdefault(spec.problem.name, spec)
    return owners


def _unknown(name: str, problems: list[Spec]) -> str:
    known = [n for spec in problems for n in policy_names(spec.name)]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    nodes = "; ".join(f"{spec.problem.name}: {', '.join(spec.policies.node_rules)}" for spec in problems)
    paired = [
        f", {b} (with {', '.join(p.node_rules)})" if p.node_rules else f", {b}"
        for spec in problems
        for b, p in spec.policies.pairings.items()
    ]
    short = dict.fromkeys(n for spec in problems for n in spec.policies.short_names)
    return (
        f"policy {name!r} is not known{hint} Names are BUDGET-NODES with BUDGET one of "
        f"{', '.join(BUDGET_RULES)}, capN{''.join(paired)} and NODES one of {nodes}; short names: {', '.join(short)}."
    )
