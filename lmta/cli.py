"""The command line: parse, call, print. Bad input gives one sentence and exit code 2."""

import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import lmta
from lmta.advisor.plan import PlanSettings, plan
from lmta.advisor.tables import advice_tables, next_step
from lmta.agents.saved import export_model
from lmta.agents.settings import RunSettings
from lmta.benchmarks.decide import DecideSettings, bench_decide, decide_table
from lmta.benchmarks.scale import ScaleSettings, bench_scale, scale_table
from lmta.benchmarks.serve import ServeBenchSettings, bench_serve, serve_table
from lmta.benchmarks.simulate import SimulateSettings, bench_simulate, simulate_table
from lmta.benchmarks.train import TrainBenchSettings, bench_train, train_bench_table
from lmta.demo import DemoSettings, check_folder, evaluations, play_stories, write_page
from lmta.devices import keep_compilations, use_all_cores
from lmta.diagnostics import pictures as diagnostic_pictures
from lmta.diagnostics.diagnose import RESULTS, DiagnoseSettings, diagnose
from lmta.diagnostics.diagnose import prepare as prepare_diagnosis
from lmta.diagnostics.tables import tables as diagnostic_tables
from lmta.evaluation.arena import Row
from lmta.evaluation.evaluate import EvaluateSettings, evaluate, prepare
from lmta.evaluation.tables import arena_table
from lmta.experiments.ablated import AblatedSettings, run_ablated
from lmta.experiments.classical import ClassicalSettings, run_classical
from lmta.experiments.shipped import ShippedSettings, run_shipped
from lmta.experiments.train import begin_run, default_settings, resume_run
from lmta.experiments.trained import TrainedSettings, run_trained
from lmta.policies.registry import policy_names
from lmta.service.settings import ServeSettings
from lmta.training.run import TrainingError
from lmta.types import InputError

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
Experiment = (
    Annotated[ClassicalSettings, tyro.conf.subcommand("classical")]
    | Annotated[TrainedSettings, tyro.conf.subcommand("trained")]
    | Annotated[ShippedSettings, tyro.conf.subcommand("shipped")]
    | Annotated[AblatedSettings, tyro.conf.subcommand("ablated")]
)
OUT = Console(width=None if sys.stdout.isatty() else 120)
ERR = Console(stderr=True)


def main() -> None:
    """Entry point of the command `lmta`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    warnings.showwarning = _show_warning
    keep_compilations()
    use_all_cores()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if list(arguments) == ["--version"]:
        OUT.print(f"lmta {lmta.__version__}", highlight=False)
        return 0
    try:
        tyro.extras.subcommand_cli_from_dict(
            {
                "evaluate": _evaluate,
                "plan": _plan,
                "serve": _serve,
                "train": _make_train(arguments),
                "export": _export,
                "policies": _policies,
                "demo": _demo,
                "diagnose": _diagnose,
                "bench": _bench,
                "experiment": _experiment,
            },
            prog="lmta",
            description="Plan day by day under a budget that has to last, when chance acts between the days.",
            args=list(arguments),
            sort_subcommands=False,
        )
    except InputError as error:
        ERR.print(f"lmta: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        return 2
    except TrainingError as error:
        ERR.print(f"lmta: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _evaluate(settings: tyro.conf.OmitArgPrefixes[EvaluateSettings]) -> None:
    """Play policies on the same instances with the same luck and compare them."""
    _print_evaluation(settings)


def _plan(settings: tyro.conf.OmitArgPrefixes[PlanSettings]) -> None:
    """Say what to do today in one's own campaign or tour, day after day."""
    advice = plan(settings)
    for part in advice_tables(advice):
        OUT.print(part, highlight=False)
    OUT.print(next_step(settings, advice), markup=False, highlight=False, soft_wrap=True)


def _serve(settings: tyro.conf.OmitArgPrefixes[ServeSettings]) -> None:
    """Advise on campaigns and tours in a page and over a JSON API."""
    from lmta.service.serve import serve  # noqa: PLC0415  (takes a second)

    serve(settings, lambda line: OUT.print(line, markup=False, highlight=False, soft_wrap=True))


def _make_train(arguments: Sequence[str]) -> Callable[..., None]:
    """The command `train`, with the preset's values, or those of the run that goes on, as its defaults."""
    defaults = default_settings(arguments[1:]) if list(arguments[:1]) == ["train"] else RunSettings()

    def train(
        out: Path,
        settings: Annotated[RunSettings, tyro.conf.arg(name="")] = defaults,
        resume: tyro.conf.FlagCreatePairsOff[bool] = False,
    ) -> None:
        """Learn to plan by self-play.

        Ctrl-C or SIGTERM stops after the epoch that is under way.

        Args:
            out: Folder of the run: checkpoint, metrics, learning curve.
            settings: What the run follows from.
            resume: Go on with the run in the folder. Its settings stay; only --epochs may change.
        """
        go = resume_run if resume else begin_run
        OUT.print(go(out, settings, ERR), markup=False, highlight=False, soft_wrap=True)

    return train


def _export(run: tyro.conf.Positional[Path], file: tyro.conf.Positional[Path]) -> None:
    """Write the model of a training run to a small file.

    Args:
        run: Folder of the run.
        file: File to write.
    """
    OUT.print(export_model(run, file), markup=False, highlight=False, soft_wrap=True)


def _policies(problem: tyro.conf.Positional[Literal["aim", "sop"]] = "aim") -> None:
    """List the policies of a problem."""
    for name in policy_names(problem):
        OUT.print(name, highlight=False)
    OUT.print("capN-… for any N, such as cap5", highlight=False)
    OUT.print(f"lmta:{problem}, the learned planner that comes with lmta", highlight=False)
    OUT.print("lmta:FOLDER for the agent of a training run", highlight=False)


def _demo(settings: tyro.conf.OmitArgPrefixes[DemoSettings]) -> None:
    """Play one campaign and one tour, and compare the planners that come with lmta with classical policies."""
    check_folder(settings)
    stories = play_stories(settings, OUT.print)
    arenas = [_print_evaluation(comparison) for comparison in evaluations(settings)]
    page = write_page(settings, arenas, stories)
    for path in (*(story.picture for story in stories), page):
        OUT.print(f"wrote {path}")


def _diagnose(settings: tyro.conf.OmitArgPrefixes[DiagnoseSettings]) -> None:
    """Measure what a trained run has learned: its sense of time, its values and its subgoals."""
    prepared = prepare_diagnosis(settings)
    with _progress() as progress:
        task = progress.add_task("forcing subgoals", total=None)
        diagnosis = diagnose(prepared, lambda done, total: progress.update(task, completed=done, total=total))
    for table in diagnostic_tables(diagnosis):
        OUT.print(table)
    for path in (settings.folder / RESULTS, *diagnostic_pictures.draw_pictures(diagnosis, settings.folder)):
        OUT.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _bench(what: tyro.conf.OmitSubcommandPrefixes[tyro.conf.OmitArgPrefixes[Measurement]]) -> None:
    """Measure speed, beside a yardstick in the same run."""
    measure, table = MEASUREMENTS[type(what)]
    OUT.print(table(measure(what)))


def _experiment(what: tyro.conf.OmitSubcommandPrefixes[tyro.conf.OmitArgPrefixes[Experiment]]) -> None:
    """Make the tables of the documentation again."""

    def show(table: str) -> None:
        OUT.print(table, markup=False, highlight=False, soft_wrap=True)

    if isinstance(what, ClassicalSettings):
        run_classical(what, show)
    elif isinstance(what, ShippedSettings):
        run_shipped(what, show)
    elif isinstance(what, AblatedSettings):
        run_ablated(what, show)
    else:
        run_trained(what, ERR, show)


def _print_evaluation(settings: EvaluateSettings) -> tuple[str, list[Row]]:
    prepared = prepare(settings)
    with _progress() as progress:
        task = progress.add_task("", total=len(prepared.players) * prepared.batch.days)
        rows = evaluate(prepared, lambda player: progress.update(task, advance=1, description=player.name))
    OUT.print(arena_table(rows, prepared.title))
    return prepared.title, rows


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=ERR, transient=True)


def _show_warning(message: Warning | str, *_: Any) -> None:
    ERR.print(f"lmta: {message}", style="yellow", markup=False, highlight=False, soft_wrap=True)
