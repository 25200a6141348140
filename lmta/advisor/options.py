"""A problem's own options: what there are, and values for them that come from a form."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import docstring_parser
from pydantic import TypeAdapter, ValidationError

from lmta.problems.spec import Spec
from lmta.types import InputError


@dataclass(frozen=True)
class Option:
    """One field of a dataclass of options."""

    name: str
    type: Any
    default: Any
    describe: str

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values among which to choose; none where any of its type will do."""
        return tuple(value for kind in self._types for value in (get_args(kind) if _is_literal(kind) else ()))

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return bool({int, float} & {*self._types})

    @property
    def is_optional(self) -> bool:
        """Whether it may be left empty."""
        return NoneType in self._types

    @property
    def _types(self) -> tuple[Any, ...]:
        return (self.type,) if _is_literal(self.type) else get_args(self.type) or (self.type,)


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


@cache
def options_of(part: type) -> tuple[Option, ...]:
    """The options of a dataclass, each with the docstring below its field."""
    told = {param.arg_name: param.description or "" for param in docstring_parser.parse_from_object(part).params}
    types, defaults = get_type_hints(part), part()
    return tuple(
        Option(f.name, types[f.name], getattr(defaults, f.name), " ".join(told.get(f.name, "").split()))
        for f in fields(part)
    )


def read_options(spec: Spec, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """(how the data are read, the rules), with the defaults of whatever is not given. Numbers may come as text."""
    parts = spec.own_data.options, spec.rules
    known = {option.name: part for part in parts for option in options_of(part)}
    for name in given:
        if name not in known:
            there_are = f"there are {', '.join(known)}" if known else "there are none"
            raise InputError(f"{name}: is no option of a {spec.session.word}; {there_are}.")
    read, rules = (_made(part, {name: given[name] for name in given if known[name] is part}) for part in parts)
    return read, rules


def _made(part: type, given: Mapping[str, Any]) -> Any:
    try:
        return TypeAdapter(part).validate_python(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{first['loc'][0]}: {first['msg']}.") from None
