"""Tables of the documentation: a title, a column for each evaluation, a row for each policy, and the command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lmta.agents.planner import PREFIX
from lmta.arena.arena import Row
from lmta.arena.evaluate import EvaluateSettings
from lmta.arena.tables import with_error


@dataclass(frozen=True)
class Table:
    """A title, and what is played for each column; the policies are the same in all, but for the run of an agent."""

    title: str
    columns: dict[str, EvaluateSettings]


def markdown(table: Table, columns: Mapping[str, Sequence[Row]]) -> str:
    """The table with the scores of each column, and the command that plays one."""
    first = next(iter(columns.values()))
    lines = [
        f"### {table.title}",
        "",
        "| policy | " + " | ".join(columns) + " |",
        "|---|" + "---:|" * len(columns),
        *(
            f"| {_name(row)} | " + " | ".join(_cell(rows[n]) for rows in columns.values()) + " |"
            for n, row in enumerate(first)
        ),
        "",
        f"`{_command(table)}`",
        "",
    ]
    return "\n".join(lines)


def _name(row: Row) -> str:
    """An agent has another run in each column."""
    return "lmta" if row.policy.startswith(PREFIX) else row.policy


def _cell(row: Row) -> str:
    optimum = "" if row.optimum is None else f" (in expectation {row.optimum:.2f})"
    return with_error(row.score) + optimum


def _command(table: Table) -> str:
    """The command that plays the same evaluation, with T and K where the columns differ."""
    settings = next(iter(table.columns.values()))
    instance = settings.instance
    several = len(table.columns) > 1
    sizes = {
        "nodes": instance.nodes,
        "days": "T" if several else instance.days,
        "budget": "K" if several else instance.budget,
    }
    futures = settings.futures if settings.futures > 1 else None
    options = sizes | {
        "instances": settings.instances,
        "futures": futures,
        "seed": settings.seed,
        "first-days": settings.first_days,
    }
    given = [f"--{name} {value}" for name, value in options.items() if value is not None]
    policies = [f"{PREFIX}RUN" if name.startswith(PREFIX) else name for name in settings.policies.split(",")]
    return " ".join([f"lmta evaluate --problem {settings.problem}", *given, f"--policies {','.join(policies)}"])
