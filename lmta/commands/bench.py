"""`lmta bench`."""

from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import get_annotations
from typing import Annotated, Any, Literal

import tyro

from lmta.commands.console import OUT

What = Literal["simulate", "decide", "estimate", "route", "think", "forecast", "train", "serve", "sizes", "scale"]
MEASUREMENTS: dict[str, tuple[str, str]] = {
    "simulate": ("bench_simulate", "simulate_table"),
    "decide": ("bench_decide", "decide_table"),
    "estimate": ("bench_estimate", "estimate_table"),
    "train": ("bench_train", "train_bench_table"),
    "serve": ("bench_serve", "serve_table"),
    "sizes": ("bench_sizes", "sizes_table"),
    "scale": ("bench_scale", "scale_table"),
    "route": ("bench_route", "route_table"),
    "think": ("bench_think", "think_table"),
    "forecast": ("bench_forecast", "forecast_table"),
}
"""In `lmta.benchmarks.NAME`: the function that measures, and the one that makes a table of what it found."""


def make_bench(arguments: Sequence[str]) -> Callable[..., None]:
    """The command with the options of the measurement that is named; the others are not even imported."""
    name = arguments[0] if arguments else ""
    if name not in MEASUREMENTS:
        return _bench_nothing
    module = import_module(f"lmta.benchmarks.{name}")
    measure, table = (getattr(module, function) for function in MEASUREMENTS[name])
    settings_of = get_annotations(measure)["settings"]

    def bench(
        what: tyro.conf.Positional[What],
        settings: Annotated[Any, tyro.conf.arg(name="", constructor=settings_of)],
    ) -> None:
        OUT.print(table(measure(settings)))

    return bench


def _bench_nothing(what: tyro.conf.Positional[What]) -> None:
    """The command where no measurement is named: it shows help, or refuses what was given.

    Args:
        what: What is measured. `lmta bench WHAT --help` shows its options.
    """
