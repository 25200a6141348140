"""Cells as tasks on a Ray cluster: results come back to the folder here, and a lost node's cells are run elsewhere."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmta.experiments.cells import Cell
from lmta.experiments.engines import BUSY_SECONDS, Event, OnEvent, Worker
from lmta.experiments.run import Folders, claim
from lmta.files import write_whole
from lmta.types import InputError

try:
    import ray  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise InputError("ray: is not installed; install the extra with: pip install 'lmta[ray]'.") from error

LOOK_SECONDS = 0.5
BESIDE_RUNS = "results"
"""Where nodes keep the files of cells, in the folder of the runs: what is done of a task need not be done again."""


class Ray:
    """One core a task; a task is a training with all cells that share it. As many are under way as there are cores."""

    def __init__(self, address: str):
        try:
            ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
        except ConnectionError as error:
            raise InputError(f"ray: no cluster answers at {address!r}; begin one with `ray start --head`.") from error

    @property
    def cores(self) -> int:
        """Of all nodes together."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def run(self, cells: Sequence[Cell], folders: Folders, on_event: OnEvent) -> None:
        """Keep the cluster at work until all are done."""
        jobs: dict[str, list[Cell]] = {}
        for cell in cells:
            jobs.setdefault(claim(cell), []).append(cell)
        waiting, under_way = list(jobs.values()), {}
        try:
            while waiting or under_way:
                while waiting and len(under_way) < self.cores:
                    job = waiting.pop(0)
                    for cell in job:
                        on_event(Event("started", cell))
                    under_way[_submit(job, folders.runs)] = job
                done, _ = ray.wait(list(under_way), timeout=LOOK_SECONDS)
                for task in done:
                    _take_in(task, under_way.pop(task), folders, on_event)
        except KeyboardInterrupt:
            for task in under_way:
                ray.cancel(task)
            raise


def _submit(job: Sequence[Cell], runs: Path) -> Any:
    task = ray.remote(run_job).options(num_cpus=1, max_retries=-1, name=job[0].name)
    return task.remote(list(job), str(runs.absolute()))


def _take_in(task: Any, job: Sequence[Cell], folders: Folders, on_event: OnEvent) -> None:
    """Write what a task brought back."""
    answers: list[dict[str, Any]]
    try:
        answers = ray.get(task)
    except ray.exceptions.RayError as error:
        answers = [{"came": "failed", "why": str(error).strip().splitlines()[-1]}] * len(job)
    for cell, answer in zip(job, answers, strict=True):
        path = cell.file(folders.results)
        if answer["came"] == "done" and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, lambda file, answer=answer: file.write_text(answer["file"], encoding="utf-8"))
        on_event(Event(answer["came"], cell, answer.get("why", ""), Path(answer.get("log", folders.runs))))


def run_job(job: Sequence[Cell], runs: str) -> list[dict[str, Any]]:
    """On a node: run the cells in a process of their own; what came of each, with its file.

    `runs` has the path that it has here. Where that is shared storage, a training goes on from its checkpoint;
    elsewhere it begins on the node.
    """
    folders = Folders(Path(runs) / BESIDE_RUNS, Path(runs))
    answers = []
    worker = Worker(folders, cores=1)
    try:
        for cell in job:
            answer = worker.run(cell)
            while answer["came"] == "busy":  # what a lost node had under way ends after its epoch
                time.sleep(BUSY_SECONDS)
                answer = worker.run(cell)
            if answer["came"] == "done":
                answer["file"] = cell.file(folders.results).read_text(encoding="utf-8")
            elif not worker.alive:
                worker = Worker(folders, cores=1)
            answers.append(answer | {"log": str(worker.log(cell))})
    finally:
        worker.close()
    return answers
