"""The page of the demo: one file of HTML beside its pictures."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import numpy as np

from lmta.arena.arena import comparisons
from lmta.arena.tables import in_short, with_error
from lmta.demo.settings import Comparison, Day, Headline, Part, Picture
from lmta.files import write_whole

PAGE = "index.html"
LEAD = (
    "Plan day by day under a budget that has to last, when chance acts between the days: spend it at once and you "
    "cannot react, save it and the days run out. Everything below was decided, played, measured and learned just now."
)
STYLE = """
:root { color-scheme: light dark; --line: #8883; --soft: #8881; --accent: #c8442a; --quiet: #667; }
@media (prefers-color-scheme: dark) {
  :root { --accent: #ff8a6b; --quiet: #99a; }
  body { background: #14161a; color: #e6e8ec; }
  img { filter: invert(0.92) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 2.2rem; margin: 0; }
h2 { font-size: 1.5rem; margin: 3.5rem 0 0.5rem; border-top: 1px solid var(--line); padding-top: 1.5rem; }
h3 { font-size: 1.02rem; margin: 0 0 0.2rem; }
p { max-width: 46rem; }
.quiet, figcaption, summary, footer { color: var(--quiet); font-size: 0.88rem; }
.grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); }
.wide { grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); align-items: start; }
.card { background: var(--soft); border-radius: 0.7rem; padding: 1rem; margin: 0; }
.number { color: var(--accent); font-size: 1.7rem; font-weight: 700; line-height: 1.2; }
.day { color: var(--quiet); font-size: 0.8rem; text-transform: uppercase; letter-spacing: 0.06em; }
article img { margin-bottom: 0.6rem; }
article .quiet { margin-top: 0.3rem; }
img { width: 100%; height: auto; display: block; border-radius: 0.4rem; }
figure { margin: 0; }
figcaption { margin-top: 0.5rem; }
.wide > :last-child:nth-child(odd) { grid-column: 1 / -1; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.82rem; white-space: nowrap; }
th, td { padding: 0.35rem 0 0.35rem 0.8rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td:last-child { white-space: normal; min-width: 6rem; }
tr:nth-child(2) { font-weight: 600; }
"""


def write_page(folder: Path, parts: Sequence[Part], seconds: float) -> Path:
    """All that the demo has shown, as one page beside its pictures."""
    headlines = [headline for part in parts for headline in part.headlines]
    body = [
        f"<h1>lmta</h1><p>{escape(LEAD)}</p>",
        _grid(map(_headline, headlines)),
        *map(_part, parts),
        f"<h2>How it was made</h2><p class=quiet>In {seconds:.0f} seconds, by <code>lmta demo</code>. Whatever is "
        "compared met the same instances and the same noise (common random numbers), so differences are paired.</p>",
    ]
    head = "<meta charset=utf-8><meta name=viewport content='width=device-width, initial-scale=1'><title>lmta</title>"
    page = f"<!doctype html><html lang=en>{head}<style>{STYLE}</style>{''.join(body)}"
    path = folder / PAGE
    write_whole(path, lambda temporary: temporary.write_text(page, encoding="utf-8"))
    return path


def _part(part: Part) -> str:
    days = _grid(_day(number, day) for number, day in enumerate(part.days, 1))
    findings = "".join(f"<p>{_emphasised(finding)}</p>" for finding in part.findings)
    compared = [_picture(part.comparison.chart), _table(part.comparison)] if part.comparison else []
    shown = _grid([*map(_picture, part.pictures), *compared], "wide")
    return f"<section><h2>{escape(part.title)}</h2><p>{escape(part.task)}</p>{days}{findings}{shown}</section>"


def _grid(cells: Iterable[str], kind: str = "") -> str:
    cells = list(cells)
    return f'<div class="grid {kind}">{"".join(cells)}</div>' if cells else ""


def _headline(headline: Headline) -> str:
    return f"<div class=card><div class=number>{escape(headline.number)}</div>{escape(headline.meaning)}</div>"


def _day(number: int, day: Day) -> str:
    picture = "" if day.picture is None else _image(day.picture)
    return (
        f"<article class=card>{picture}<div class=day>day {number}</div><h3>{escape(day.decision)}</h3>"
        f"<div>{escape(day.outcome)}</div><div class=quiet>Why: {escape(day.why)}</div></article>"
    )


def _picture(picture: Picture) -> str:
    return f"<figure class=card>{_image(picture)}<figcaption>{escape(picture.caption)}.</figcaption></figure>"


def _image(picture: Picture) -> str:
    return f'<img src="{escape(picture.file)}" alt="{escape(picture.caption)}">'


def _emphasised(finding: str) -> str:
    """A finding with what stands before its colon in bold."""
    topic, colon, rest = finding.partition(":")
    return f"<b>{escape(topic)}{colon}</b>{escape(rest)}" if colon else escape(finding)


def _table(comparison: Comparison) -> str:
    rows = comparison.rows
    lines = "".join(
        f"<tr><td>{escape(row.policy)}<td>{with_error(row.score)}"
        f"<td>{'' if row is rows[0] else with_error(comparison.difference, '+')}"
        f"<td>{np.median(row.decision_ms):.1f}<td>{in_short(row.budget_by_day)}"
        for row, comparison in zip(rows, comparisons(rows), strict=True)
    )
    head = "<tr><th>policy<th>mean ± s.e.m.<th>difference<th>ms<th>picks by day"
    return f"<div class='card scroll'><table>{head}{lines}</table><p class=quiet>{escape(comparison.title)}</p></div>"
