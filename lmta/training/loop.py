"""The loop of a run: an epoch, its metrics, a checkpoint, again and again until all are done or it is to stop."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event

from lmta.agents.base import Model
from lmta.agents.saved import CHECKPOINT
from lmta.agents.settings import RunSettings
from lmta.training.checkpoint import save
from lmta.training.metrics import Metrics, MetricsLog
from lmta.training.run import Progress, advance, playing

Measure = Callable[[Model], Metrics]
"""What greedy play of a model is worth."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def train(
    folder: Path,
    settings: RunSettings,
    progress: Progress,
    measure: Measure,
    on_epoch: Callable[[Metrics], None],
    on_stop: Callable[[], None],
) -> int:
    """Train until all epochs are done, or until the epoch in which a signal came is done; the epochs done.

    The first Ctrl-C or SIGTERM calls `on_stop`, the second ends the process at once. Epochs run beside the main
    thread, because Python sees signals there only, and not while a compiled program runs. The main thread looks up
    every so often, because the signal may have woken another one.
    """
    stop = Event()

    def stop_soon() -> None:
        stop.set()
        on_stop()

    with ThreadPoolExecutor(1) as pool, _on_first_signal(stop_soon):
        epochs = pool.submit(_epochs, folder, settings, progress, measure, on_epoch, stop)
        while not epochs.done():
            wait([epochs], timeout=0.1)
        return epochs.result()


def _epochs(
    folder: Path,
    settings: RunSettings,
    progress: Progress,
    measure: Measure,
    on_epoch: Callable[[Metrics], None],
    stop: Event,
) -> int:
    """The checkpoint comes last: metrics of an epoch that it does not have are dropped when the run goes on."""
    epochs, done = settings.epochs, int(progress.epoch)
    with contextlib.closing(MetricsLog(folder, done)) as log:
        while done < epochs and not stop.is_set():
            progress, metrics = advance(settings, progress)
            done = metrics["epoch"]
            if done % settings.evaluate_every == 0 or done == epochs:
                start = time.perf_counter()
                metrics["evaluation"] = measure(playing(settings, progress))
                metrics["seconds"]["evaluate"] = time.perf_counter() - start
            log.add(metrics)
            save(folder / CHECKPOINT, settings, progress)
            on_epoch(metrics)
    return done


@contextlib.contextmanager
def _on_first_signal(call: Callable[[], None]) -> Iterator[None]:
    """Call at the first signal; the second has its plain effect."""
    came = []

    def handle(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        came.append(number)
        if len(came) > 1:
            signal.raise_signal(number)
        call()

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
