"""What LMTA adds to a diagnosis."""

from dataclasses import fields

from lmta.diagnostics.lmta.findings import as_json, measure
from lmta.diagnostics.lmta.pictures import pictures
from lmta.diagnostics.lmta.tables import tables
from lmta.diagnostics.parts import Effort, Part

LMTA = Part(measure, as_json, tables, pictures, frozenset(field.name for field in fields(Effort)))
