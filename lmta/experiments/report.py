"""What `lmta report` does: the page of results and its figures, from the files in `results/` alone."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from lmta.experiments.costs import Costs, measured
from lmta.experiments.declare import Table
from lmta.experiments.figure_tables import (
    render_calibration,
    render_curves,
    render_frontier,
    render_lines,
    render_overview,
    render_pictures,
    render_thinking,
)
from lmta.experiments.markdown import Draw, Section, write_figure
from lmta.experiments.measured_tables import (
    render_benchmarks,
    render_cost,
    render_cost_lmta,
    render_learned_part,
    render_order,
)
from lmta.experiments.own_tables import OWN_TABLES
from lmta.experiments.paper_tables import AIM_MAIN, PAPER_TABLES, SOP_MAIN
from lmta.experiments.results import Results
from lmta.experiments.score_tables import render_adviser, render_exact, render_scores
from lmta.files import write_whole
from lmta.types import InputError

PAGE, HEAD, FIGURES = "results.md", "results.head.md", "figures"
MOST_HEAD_LINES = 10
PLACEHOLDER = re.compile(r"\{\{(.+?): (.+?)\}\}")
"""{{TABLE: FACT}} in the head, such as {{aim-main: LMTA / T=10, K=50 / ratio}}."""

Render = Callable[[Table, Results], Section]
RENDERERS: dict[str, Render] = {
    "scores": render_scores,
    "exact": render_exact,
    "adviser": render_adviser,
    "curves": render_curves,
    "lines": render_lines,
    "frontier": render_frontier,
    "thinking": render_thinking,
    "overview": partial(render_overview, {"AIM": AIM_MAIN.baseline or "", "SOP": SOP_MAIN.baseline or ""}),
    "calibration": render_calibration,
    "pictures": render_pictures,
    "order": render_order,
    "wall-clock": render_cost,
    "wall-clock-lmta": render_cost_lmta,
    "learned-part": render_learned_part,
}
HOW_TO_READ = """## How to read the tables

All methods of a column meet the same instances with the same exogenous noise. Learners have mean ± s.e.m. over training
seeds, whose number stands in brackets; policies, which do not learn, over the instances. Rows in italics are the
paper's, on instances of its own: ratios within a column compare, scores do not. Each cell is a file in `results/` with
every episode, the settings, the commit and the machine. `lmta experiment NAME` runs what is pending of a table, and
`lmta report` renders this page; see [experiments.md](experiments.md)."""


def make_page(results: Results, head: str) -> tuple[str, dict[str, Draw]]:
    """The page, and how to draw the figures that it shows."""
    costs = measured(results.folder)
    sections = {table.name: RENDERERS[table.render](table, results) for table in (*PAPER_TABLES, *OWN_TABLES)}
    lines = [fill(head, sections).rstrip(), "", HOW_TO_READ, "", "## Tables and figures of the paper", ""]
    for tables, title in ((PAPER_TABLES, ""), (OWN_TABLES, "## Tables of our own")):
        lines += [title, ""] if title else []
        for table in tables:
            lines += _section(table, sections[table.name], results, costs)
    lines += ["## Speed", "", *render_benchmarks(results.folder)]
    figures = {name: draw for section in sections.values() for name, draw in section.figures.items()}
    return "\n".join(lines).rstrip() + "\n", figures


def _section(table: Table, section: Section, results: Results, costs: Costs) -> list[str]:
    """The title, the table, what to know of it, and what is pending."""
    where = f" ({table.paper} of the paper)" if table.paper else ""
    lines = [f"### {table.name}: {table.title}{where}", "", *section.lines]
    lines += [table.note, ""] if table.note else []
    missing, total = results.missing(table), len(list(table.cells(results.scale(table))))
    if missing:
        hours = costs.of(missing) / 3600
        lines += [f"Pending: {len(missing)} of {total} cells, about {hours:.1f} core hours.", ""]
    return lines


def fill(head: str, sections: Mapping[str, Section]) -> str:
    """The head with its placeholders filled from the tables."""

    def fact(match: re.Match[str]) -> str:
        name, wanted = match.groups()
        if name not in sections or wanted not in sections[name].facts:
            known = f"there are {', '.join(list(sections[name].facts)[:3])}, …" if name in sections else "no such table"
            raise InputError(f"{HEAD}: {match.group()} names no fact; {known}.")
        return sections[name].facts[wanted]

    return PLACEHOLDER.sub(fact, head)


def write_report(results: Results, docs: Path) -> list[Path]:
    """Write the page and its figures; the files."""
    head = docs / HEAD
    if not head.exists():
        raise InputError(f"{head}: is not there; it holds the findings that the page begins with.")
    page, figures = make_page(results, head.read_text(encoding="utf-8"))
    (docs / FIGURES).mkdir(exist_ok=True)
    written = [docs / PAGE]
    write_whole(docs / PAGE, lambda file: file.write_text(page, encoding="utf-8"))
    for name, draw in figures.items():
        path = docs / FIGURES / f"{name}.png"
        write_figure(path, draw)
        written.append(path)
    return written
