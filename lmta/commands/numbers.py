"""Numbers on the command line: what is none is refused in one sentence that names its option."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from lmta.types import InputError, quoted

NUMBERS = ConstructorRegistry()
"""How tyro reads numbers here."""
_WANTED: dict[type, str] = {int: "a whole number", float: "a number"}


class _NumberError(Exception):
    """Unlike a ValueError it passes through tyro, which knows the option but tells of its own types."""

    def __init__(self, text: str, wanted: str):
        super().__init__(text, wanted)
        self.text, self.wanted = text, wanted


@NUMBERS.primitive_rule
def _number_rule(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Any] | None:
    kind = info.type
    if kind not in _WANTED:
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar=kind.__name__.upper(),
        instance_from_str=_reader(kind),
        is_instance=lambda value: isinstance(value, int | kind) and not isinstance(value, bool),
        str_from_instance=lambda value: [str(value)],
    )


def _reader(kind: type) -> Callable[[list[str]], Any]:
    def read(words: list[str]) -> Any:
        try:
            return kind(words[0])
        except ValueError:
            raise _NumberError(words[0], _WANTED[kind]) from None

    return read


@contextlib.contextmanager
def telling_option(arguments: Sequence[str]) -> Iterator[None]:
    """Refuse what is no number by the option that it follows in the raw arguments."""
    try:
        yield
    except _NumberError as error:
        raise InputError(
            f"{_option_of(error.text, arguments)}: {quoted(error.text)} given, {error.wanted} is needed."
        ) from None


def _option_of(text: str, arguments: Sequence[str]) -> str:
    """The option whose value is this text, or one of whose values is."""
    option = ""
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if argument.startswith("--"):
            option = name.removeprefix("--").replace("_", "-")
        if text == (value if argument.startswith("--") and equals else argument):
            break
    return option
