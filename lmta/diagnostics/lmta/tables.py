"""What LMTA has learned, for people: one table a question."""

from collections.abc import Iterable

from rich.table import Table

from lmta.diagnostics.lmta.findings import Findings
from lmta.diagnostics.lmta.theory import Cap, Error, Theory
from lmta.diagnostics.tables import interval, new_table, number, share, values_table

MAX_SUBGOALS = 16


def tables(findings: Findings) -> Iterable[Table]:
    """All of them, in the order of the documentation."""
    yield _order(findings)
    yield _smoothness(findings)
    yield _theory(findings.theory)
    yield _subgoals(findings)
    values = findings.values
    rows = {
        "search value, all days": values.search,
        "search value, first day": values.search_by_day[0],
        "value head, all days": values.head,
    }
    yield values_table("Values of states beside what followed", rows)


def _order(findings: Findings) -> Table:
    order = findings.order
    caption = (
        f"Reliability of forced durations (test–retest): τ_b = {number(order.reliability)}; "
        f"nothing is left to spend at {order.nothing_left:.0%} of the states."
    )
    table = new_table("Does σ(s, z) know durations? Kendall's τ", caption, "score and duration")
    for name in ("τ_b", "95 %", "without ties", "τ_a", "tied pairs", "undefined"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in order.orderings:
        table.add_row(
            row.what,
            number(row.tau_b.mean),
            interval(row.interval),
            number(row.without_ties),
            number(row.tau_a),
            share(row.tied),
            f"{row.undefined} of {row.groups}",
        )
    return table


def _smoothness(findings: Findings) -> Table:
    table = new_table("Do values change with distance? d(h(s), g(h(s), z)) against |ΔV|", "", "ΔV by")
    for name in ("τ_b", "95 %", "Spearman's ρ", "95 %", "largest |ΔV|/d"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in findings.smoothness:
        table.add_row(
            row.what,
            number(row.kendall),
            interval(row.kendall_interval),
            number(row.spearman),
            interval(row.spearman_interval),
            number(row.steepest, 1),
        )
    return table


def _theory(theory: Theory) -> Table:
    informative = [bound for bound in theory.bounds if bound.lower_bound_mean > 0]
    held = sum(bound.lower_bound_mean <= bound.mean_duration for bound in theory.bounds)
    caption = (
        f"Durations are at least the bound (with mean model error) for {held} of {len(theory.bounds)} subgoals; "
        f"it says something (> 0) for {len(informative)}. E d(h(s), h(s⁺)) ≤ E τ (κ + ε_cap) at "
        f"{share(theory.macro_micro_holds)} of states and subgoals; {share(theory.without_step)} of runs have no pick."
    )
    table = new_table("Quantities of the theory", caption, "quantity")
    for name in ("mean", "p95 / r.m.s.", "largest"):
        table.add_column(name, justify="right", no_wrap=True)
    kappa = theory.cap_distance
    for name, cap in {
        f"step distance, exceedance over κ = {kappa:g} (ε_cap is the r.m.s.)": theory.cap,
        "… of them within a day": theory.cap_within_day,
        "… of them from a day's last pick to the next day": theory.cap_across_days,
    }.items():
        table.add_row(name, *_cap(cap))
    discount = theory.discount
    for name, error in {
        "model error d(g(h(s), z), h(s⁺)) (ε_dyn is the largest)": theory.model_error,
        f"reward error (ε_R is the largest; noise of the means {number(theory.reward_noise)})": theory.reward_error,
        f"decision-time discount, bound (μ̄ = {number(discount.reference_duration)})": discount.bound,
        "decision-time discount, gap |E(γ_LL^τ - γ)V(s⁺)|": discount.gap,
    }.items():
        table.add_row(name, *_error(error))
    residuals = [bound.push_residual for bound in theory.bounds]
    table.add_row(
        "push residual of subgoals", number(sum(residuals) / len(residuals), 3), "", number(max(residuals), 3)
    )
    return table


def _cap(cap: Cap) -> tuple[str, str, str]:
    return number(cap.distance, 3), number(cap.root_mean_square, 3), number(cap.largest, 3)


def _error(error: Error) -> tuple[str, str, str]:
    return number(error.mean, 3), number(error.p95, 3), number(error.largest, 3)


def _subgoals(findings: Findings) -> Table:
    dictionary, view = findings.dictionary, findings.view
    rows = sorted(dictionary.subgoals, key=lambda subgoal: -subgoal.chosen)[:MAX_SUBGOALS]
    left_out = len(dictionary.subgoals) - len(rows)
    caption = (
        f"Search uses {dictionary.effective_number:.1f} subgoals in effect. On the same first days the "
        f"{len(dictionary.subgoals)} subgoals give {dictionary.distinct:.1f} different sets of "
        f"{dictionary.first_picks} first picks."
        + (f" {left_out} that are chosen less are left out here." if left_out else "")
    )
    table = new_table("What each subgoal does", caption, "z")
    columns = ("chosen", "budget", "picks", view.worth_name, view.distance_name, "forced picks", "bound", "m(z)")
    for name in (*columns, "d(s, z)", f"first {view.worth_name}", f"first {view.distance_name}", "overlap"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            str(row.number),
            share(row.share),
            number(row.budget, 1),
            number(row.duration, 1),
            number(row.played.worth),
            number(row.played.spread),
            number(row.forced_duration, 1),
            number(findings.theory.bounds[row.number].lower_bound_mean, 1),
            number(row.margin),
            number(row.distance),
            number(row.first.worth),
            number(row.first.spread),
            share(row.overlap),
        )
    return table
