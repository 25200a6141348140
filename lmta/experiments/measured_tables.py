"""Tables of what is not a score: order of durations, costs, benchmarks of speed, and the archive."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lmta.arena.statistics import Mean, mean_of
from lmta.experiments.declare import Table
from lmta.experiments.markdown import PENDING, Section, table, with_error
from lmta.experiments.published import COST, LMTA_COST
from lmta.experiments.results import Found, Results, read_json
from lmta.experiments.score_tables import published_text, summaries

MOST_PARTS = 4
"""Of a measure within a row of a benchmark's table."""


def render_order(declared: Table, results: Results) -> Section:
    """Kendall's τ_b by App. L, beside the paper's; and against expected budgets, which have no noise."""
    found = summaries(declared, results)
    head = ["variant"]
    for column in declared.columns:
        head += [column, "against expected budgets", "reliability", "published"]
    rows = []
    for row in declared.rows:
        rows.append([row])
        for column in declared.columns:
            here = found.get((row, column))
            names = ("tau_b", "tau_b_expected_budget", "reliability")
            ours = [_over_seeds(here, "order", name) for name in names] if here else [PENDING, "", ""]
            rows[-1] += [*ours, published_text(declared.entries[row, column].published)]
    return Section(table(head, rows))


def _over_seeds(found: Found, *path: str) -> str:
    """A measure of each run, as mean over seeds; runs where it is not defined are left out."""
    values = [value for file in found.files if (value := _at(file, *path)) is not None]
    return f"{with_error(mean_of(np.array(values)))} ({len(values)})" if values else "–"


def _at(content: Any, *path: str) -> Any:
    for name in path:
        content = content[name]
    return content


def _times(found: Found, *path: str) -> Mean:
    return mean_of(np.array([_at(file["times"], *path) for file in found.files]))


def render_cost(declared: Table, results: Results) -> Section:
    """Time of a decision and of an epoch for every method, beside the paper's on another machine."""
    found = summaries(declared, results)
    rows = []
    for row in declared.rows:
        here = found.get((row, declared.columns[0]))
        theirs = [f"*{number:.1f}*" for number in COST[row]] if row in COST else ["", ""]
        if here is None:
            rows.append([row, PENDING, "", "", *theirs])
            continue
        epoch = f"{_times(here, 'training', 'epoch_seconds').mean:.1f}" if here.learns else ""
        cores = f"{_times(here, 'cores').mean:.0f} ({_times(here, 'load').mean:.1f})"
        rows.append([row, f"{_times(here, 'decision_ms', 'median').mean:.1f}", epoch, cores, *theirs])
    head = ["method", "decision, ms", "epoch, s", "cores (load)", "published decision, ms", "published epoch, s"]
    note = "Published times are those of an NVIDIA V100. Compare ours only where the load was that of one process."
    return Section([*table(head, rows), note, ""])


def render_cost_lmta(declared: Table, results: Results) -> Section:
    """What LMTA costs in detail."""
    here = summaries(declared, results).get(next(iter(declared.entries)))
    ours = dict.fromkeys(LMTA_COST, PENDING)
    if here:
        file, days = here.files[0], len(here.files[0]["picks_by_day"])
        episodes, epochs = file["training"]["episodes"], len(file["training"]["curve"])
        decision = [_times(here, "decision_ms", name).mean for name in ("median", "p95", "mean")]
        numbers = (
            f"{_times(here, 'training', 'epoch_seconds').mean:.2f}",
            f"{decision[0]:.1f} / {decision[1]:.1f}",
            f"{days * decision[2]:,.1f}",
            str(episodes),
            f"{epochs * episodes * sum(file['picks_by_day']):,.0f} (picks of an episode × episodes × epochs)",
        )
        ours = dict(zip(LMTA_COST, numbers, strict=True))
        machine = file["provenance"]
        ours |= {"machine": f"{machine['cpu']}, {file['times']['cores']} of {machine['cores']} cores"}
    rows = [[name, text, f"*{LMTA_COST.get(name, 'NVIDIA Tesla V100')}*"] for name, text in ours.items()]
    return Section(table(["measure", "ours", "published"], rows))


def render_learned_part(declared: Table, results: Results) -> Section:
    """The adviser as it was with a learned part, beside its heuristic alone, on the same 500 instances."""
    rows = []
    for path in sorted(results.folder.glob("learned-part-*.json")):
        content = read_json(path)
        alone, learned = content["rows"]
        settings = content["settings"]
        difference = Mean(learned["difference"], learned["difference_sem"])
        texts = [path.stem.removeprefix("learned-part-"), alone["policy"], str(learned["n"]), str(settings["seed"])]
        numbers = [
            with_error(Mean(alone["mean"], alone["sem"])),
            with_error(Mean(learned["mean"], learned["sem"])),
            with_error(difference, "+"),
        ]
        rows.append([*texts, *numbers])
    head = ["setting", "heuristic", "instances", "seed", "alone", "with the learned part", "difference"]
    return Section(table(head, rows, texts=2) if rows else [f"{PENDING.capitalize()}.", ""])


def render_benchmarks(folder: Path) -> list[str]:
    """What `lmta bench` has measured, file by file."""
    lines = []
    for path in sorted(folder.glob("bench-*.json")):
        content = read_json(path)
        machine = content.pop("provenance")
        given = ", ".join(f"{name} {_short(value)}" for name, value in content.pop("settings").items())
        lines += [
            f"### {path.stem}",
            "",
            f"`lmta {path.stem.replace('-', ' ')}`: {given}. {machine['cpu']}, {machine['cores']} cores, commit "
            f"{machine['commit']}.",
            "",
            *_measures(content),
        ]
    return lines


def _measures(content: dict[str, Any]) -> list[str]:
    """A table for each list of rows, and one for all other measures."""
    lists = {
        name: rows for name, rows in content.items() if rows and isinstance(rows, list) and isinstance(rows[0], dict)
    }
    others = {name: value for name, value in content.items() if name not in lists}
    lines = table(["measure", "value"], [[name, _short(value)] for name, value in _flat(others)]) if others else []
    for name, rows in lists.items():
        flat = [dict(_flat({key: value for key, value in row.items() if not _is_large(value)})) for row in rows]
        columns = list(dict.fromkeys(column for row in flat for column in row))
        texts = sum(isinstance(flat[0].get(column), str) for column in columns)
        columns.sort(key=lambda column: not isinstance(flat[0].get(column), str))
        cells = [[_short(row[column]) if column in row else "" for column in columns] for row in flat]
        lines += [f"{name.capitalize()}:", "", *table(columns, cells, texts=texts)]
    return lines


def _has_rows(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and isinstance(value[0], dict)


def _is_large(value: Any) -> bool:
    """Whether it has more parts than a row has room for; the file has them."""
    return isinstance(value, dict | list) and len(value) > MOST_PARTS


def _flat(content: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested measures by their paths."""
    items = content.items() if isinstance(content, dict) else enumerate(content, 1)
    for name, value in items:
        path = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, dict | list):
            yield from _flat(value, f"{path}, ")
        elif value is not None:
            yield path, value


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return ", ".join(map(_short, value)) if isinstance(value, list) else str(value)
