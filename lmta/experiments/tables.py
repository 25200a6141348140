"""Every table and figure by name. A new one is a declaration in `paper_tables` or `own_tables`."""

import difflib
from collections.abc import Iterable

from lmta.experiments.cells import Cell
from lmta.experiments.declare import Scale, Table
from lmta.experiments.own_tables import OWN_TABLES
from lmta.experiments.paper_tables import PAPER_TABLES
from lmta.types import InputError

TABLES: dict[str, Table] = {table.name: table for table in (*PAPER_TABLES, *OWN_TABLES)}
ALL = "all"


def tables_named(names: Iterable[str]) -> list[Table]:
    """The tables of these names, or all."""
    wanted = set()
    for name in names:
        if name not in (ALL, *TABLES):
            close = difflib.get_close_matches(name, TABLES, n=1)
            hint = f"did you mean {close[0]!r}?" if close else "`lmta experiment list` has all."
            raise InputError(f"{name!r} is no experiment; {hint}")
        wanted |= set(TABLES) if name == ALL else {name}
    return [table for name, table in TABLES.items() if name in wanted]


def all_cells(scales: Iterable[tuple[Table, Scale]]) -> list[Cell]:
    """The cells of several tables, each once."""
    return list(dict.fromkeys(cell for table, scale in scales for cell in table.cells(scale)))
