"""`lmta problems`."""

from rich.table import Table

from lmta.commands.console import OUT
from lmta.problems.registry import specs


def problems() -> None:
    """Print the problems."""
    table = Table(caption="The first generator is the default. `lmta policies PROBLEM` lists who plays it.")
    for column in ("problem", "what it is", "generators", "own data", "options"):
        table.add_column(column, no_wrap=column == "problem")
    for spec in specs().values():
        table.add_row(
            ", ".join((spec.name, *spec.aliases)),
            spec.title,
            ", ".join(spec.generators),
            f"--{spec.own_data.option} FILE",
            ", ".join(f"--{name}" for name in spec.own_options()),
        )
    OUT.print(table, highlight=False)
