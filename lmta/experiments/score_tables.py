"""Tables of scores: ours with the seeds they stand on, the published ones beneath, ratios, and who is better."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from lmta.arena.statistics import compare
from lmta.experiments.declare import Entry, Table
from lmta.experiments.markdown import PENDING, Section, table, with_error
from lmta.experiments.published import Published
from lmta.experiments.results import Found, Results
from lmta.experiments.statistics import LEVEL, holm, welch

PUBLISHED = "*published*"
Summaries = Mapping[tuple[str, str], Found]


def summaries(declared: Table, results: Results) -> dict[tuple[str, str], Found]:
    """What is there, by row and column."""
    found = {place: results.of(declared, entry) for place, entry in declared.entries.items()}
    return {place: what for place, what in found.items() if what is not None}


def render_scores(declared: Table, results: Results) -> Section:
    """A row for each method, and one beneath it for what the paper has; then differences to the reference."""
    found = summaries(declared, results)
    head = ["method"]
    for column in declared.columns:
        head += [column, "ratio"] if declared.baseline else [column]
    rows = []
    for row in declared.rows:
        rows.append([row, *_flat(_ours(declared, found, row, column) for column in declared.columns)])
        if any(entry.published for (name, _), entry in declared.entries.items() if name == row):
            rows.append([PUBLISHED, *_flat(_theirs(declared, row, column) for column in declared.columns)])
    facts = {
        f"{row} / {column}{' / ratio' if n else ''}": text or PENDING
        for row in declared.rows
        for column in declared.columns
        for n, text in enumerate(_ours(declared, found, row, column))
        if (row, column) in declared.entries
    }
    return Section([*table(head, rows), *_differences(declared, found)], facts=facts)


def _flat(pairs: Iterable[Sequence[str]]) -> list[str]:
    return [text for pair in pairs for text in pair]


def _ours(declared: Table, found: Summaries, row: str, column: str) -> list[str]:
    """The score, and the ratio where the table has one."""
    entry, here = declared.entries.get((row, column)), found.get((row, column))
    nothing = PENDING if entry else ""
    texts = [score_text(here) if here else nothing]
    if declared.baseline:
        base = found.get((declared.baseline, column))
        texts.append(f"{here.mean.mean / base.mean.mean:.3f}" if here and base else "")
    return texts


def score_text(found: Found) -> str:
    """Mean, error and, of a learner, the number of training seeds."""
    return with_error(found.mean) + (f" ({found.seeds})" if found.learns else "")


def _theirs(declared: Table, row: str, column: str) -> list[str]:
    figure = _published(declared.entries, row, column)
    texts = [published_text(figure)]
    if declared.baseline:
        base = _published(declared.entries, declared.baseline, column)
        texts.append(f"*{figure[0] / base[0]:.3f}*" if figure and base else "")
    return texts


def published_text(figure: Published | None) -> str:
    """A figure of the paper, in italics."""
    if figure is None:
        return ""
    mean, sem = figure
    return f"*{mean:.2f}*" if sem is None else f"*{mean:.2f} ± {sem:.2f}*"


def _published(entries: Mapping[tuple[str, str], Entry], row: str, column: str) -> Published | None:
    entry = entries.get((row, column))
    return entry.published if entry else None


def _differences(declared: Table, found: Summaries) -> list[str]:
    """To the reference on the same instances; p where both are learners with two seeds at least, Holm by column."""
    reference = declared.reference
    if reference is None or not any(row == reference for row, _ in found):
        return []
    p_values = {column: _p_values(declared, found, column) for column in declared.columns}
    rows = []
    for row in declared.rows:
        cells = [_difference(declared, found, row, column, p_values[column]) for column in declared.columns]
        if row != reference and any(cells):
            rows.append([row, *cells])
    return [
        f"Difference to {reference}, paired over the instances; p by Welch over the seeds, corrected by Holm:",
        "",
        *table(["method", *declared.columns], rows),
    ]


def _difference(declared: Table, found: Summaries, row: str, column: str, p_values: Mapping[str, float]) -> str:
    here, there = found.get((row, column)), found.get((declared.reference or "", column))
    if here is None or there is None or declared.entries[row, column].cell.first_days is not None:
        return ""
    if len(here.by_episode) != len(there.by_episode):
        return ""
    p = p_values.get(row, np.nan)
    tested = "" if np.isnan(p) else f", p = {p:.2g}{'*' if p <= LEVEL else ''}"
    return with_error(compare(here.by_episode, there.by_episode).difference, "+") + tested


def _p_values(declared: Table, found: Summaries, column: str) -> dict[str, float]:
    """Of every learner against the reference, if that is one."""
    there = found.get((declared.reference or "", column))
    if there is None or not there.learns:
        return {}
    tests = {}
    for row in declared.rows:
        here = found.get((row, column))
        if row != declared.reference and here is not None and here.learns:
            tests[row] = welch(here.by_seed, there.by_seed)
    return holm(tests)


def render_exact(declared: Table, results: Results) -> Section:
    """Value, gap and ratio to the exact optimum in expectation, beside the paper's."""
    found = summaries(declared, results)
    column = declared.columns[0]
    exact = found.get((declared.baseline or "", column))
    optimum = exact.files[0]["optimum"] if exact else None
    best = _published(declared.entries, declared.baseline or "", column)
    rows = []
    if optimum is not None:
        rows.append(["optimum in expectation", f"{optimum:.2f}", "0.00", "1.000", "", ""])
    for row in declared.rows:
        here, figure = found.get((row, column)), _published(declared.entries, row, column)
        ours = [PENDING] * 3
        if here and optimum is not None:
            ours = [score_text(here), f"{optimum - here.mean.mean:.2f}", f"{here.mean.mean / optimum:.3f}"]
        theirs = [published_text(figure), f"*{figure[0] / best[0]:.2f}*"] if figure and best else ["", ""]
        rows.append([row, *ours, *theirs])
    return Section(table(["method", "value", "gap", "ratio", "published", "its ratio"], rows))


def render_adviser(declared: Table, results: Results) -> Section:
    """A row for each setting: the adviser, the classical policy that earns most there, and how they compare."""
    found = summaries(declared, results)
    adviser, *rivals = declared.columns
    rows, ratios = [], []
    for setting in declared.rows:
        ours = found.get((setting, adviser))
        there = {rival: what for rival in rivals if (what := found.get((setting, rival))) is not None}
        if ours is None or not there:
            rows.append([setting, PENDING, *[""] * 6])
            continue
        episodes = min(what.scores.shape[1] for what in (ours, *there.values()))
        ours, there = ours.first(episodes), {rival: what.first(episodes) for rival, what in there.items()}
        name = max(there, key=lambda rival: there[rival].mean.mean)
        best = there[name]
        ratios.append(ours.mean.mean / best.mean.mean)
        rows.append(
            [
                setting,
                name + ("" if len(there) == len(rivals) else f" (of {len(there)} that are there)"),
                with_error(ours.mean),
                with_error(best.mean),
                f"{ratios[-1]:.3f}",
                with_error(compare(ours.by_episode, best.by_episode).difference, "+"),
                decision_ms(ours),
                decision_ms(best),
            ]
        )
    head = ["setting", "best classical policy", "adviser", "that policy", "ratio", "difference", "ms", "that policy"]
    facts = {"settings": str(len(declared.rows))}
    facts |= {
        "at least the best": str(sum(ratio >= 1 for ratio in ratios)) if ratios else PENDING,
        "least ratio": f"{min(ratios):.3f}" if ratios else PENDING,
        "mean ratio": f"{float(np.mean(ratios)):.3f}" if ratios else PENDING,
    }
    return Section(table(head, rows, texts=2), facts=facts)


def decision_ms(found: Found) -> str:
    """The median time of a decision."""
    return f"{np.mean([file['times']['decision_ms']['median'] for file in found.files]):.1f}"
