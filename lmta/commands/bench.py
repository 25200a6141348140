"""`lmta bench`."""

from collections.abc import Callable
from typing import Annotated, Any

import tyro

from lmta.benchmarks.decide import DecideSettings, bench_decide, decide_table
from lmta.benchmarks.scale import ScaleSettings, bench_scale, scale_table
from lmta.benchmarks.serve import ServeBenchSettings, bench_serve, serve_table
from lmta.benchmarks.simulate import SimulateSettings, bench_simulate, simulate_table
from lmta.benchmarks.train import TrainBenchSettings, bench_train, train_bench_table
from lmta.commands.console import OUT

Measurement = (
    Annotated[SimulateSettings, tyro.conf.subcommand("simulate")]
    | Annotated[DecideSettings, tyro.conf.subcommand("decide")]
    | Annotated[TrainBenchSettings, tyro.conf.subcommand("train")]
    | Annotated[ServeBenchSettings, tyro.conf.subcommand("serve")]
    | Annotated[ScaleSettings, tyro.conf.subcommand("scale")]
)
MEASUREMENTS: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    SimulateSettings: (bench_simulate, simulate_table),
    DecideSettings: (bench_decide, decide_table),
    TrainBenchSettings: (bench_train, train_bench_table),
    ServeBenchSettings: (bench_serve, serve_table),
    ScaleSettings: (bench_scale, scale_table),
}


def bench(what: tyro.conf.OmitSubcommandPrefixes[tyro.conf.OmitArgPrefixes[Measurement]]) -> None:
    """Measure, and print the table."""
    measure, table = MEASUREMENTS[type(what)]
    OUT.print(table(measure(what)))
