"""`lmta bench forecast`: how often what really happens lies in the interval of a forecast, day by day."""

from dataclasses import asdict, dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from lmta.agents.players import player, without_thinking
from lmta.arena.play import play
from lmta.arena.record import check_json, provenance, write_json
from lmta.planning.futures import TAIL, earn, interval
from lmta.policies.player import day_seed
from lmta.policies.registry import adviser_name
from lmta.problems.batch import make_batch
from lmta.problems.registry import DEFAULT, spec_of
from lmta.problems.session import check_seed, whole_number


@dataclass(frozen=True)
class ForecastSettings:
    """Whether forecasts are calibrated."""

    problem: str = DEFAULT
    """One of those that `lmta problems` lists."""
    policy: str | None = None
    """Who decides; the problem's adviser by default. One that thinks does so about the real days alone."""
    nodes: int = 200
    days: int = 10
    budget: int = 20
    episodes: int = 200
    """Plans that are lived through, each on an instance of its own."""
    futures: int = 100
    """Of each forecast. There is one before each day."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


class Hit(NamedTuple):
    """Whether a result lay where it was forecast."""

    inside: float
    """1 within the interval, ends included, and 0 outside."""
    by_rank: float
    """How likely it is among the middle 90 % of itself and the futures, where equal ones are ordered at random."""


def bench_forecast(settings: ForecastSettings) -> dict[str, Any]:
    """Live through plans, forecast before each day, and count how often the truth lay in the interval."""
    _check(settings)
    spec = spec_of(settings.problem)
    name = settings.policy or adviser_name(spec)
    settings = replace(settings, problem=spec.name, policy=name)
    given = spec.settings(nodes=settings.nodes, days=settings.days, budget=settings.budget)
    batch = make_batch(spec.problem, spec.instances(given, settings.seed, settings.episodes), settings.seed)
    lived = play(player(name, spec.name), batch, keep_states=batch.size)
    results = np.cumsum(lived.rewards, axis=1, dtype=np.float64)
    decider, rules = player(without_thinking(name), spec.name), spec.session.on_host
    hits = np.full((settings.episodes, settings.days, settings.days, 2), np.nan)
    for n, instance in enumerate(batch.instances):
        for day in range(settings.days):
            seed = day_seed(settings.seed, 2, n, day)  # the episodes themselves have seeds of one or two parts
            today = lived.picks[day][n, : lived.num_picks[n, day]].tolist()
            futures = earn(decider, rules, instance, lived.states[day][n], settings.futures, seed, today=today)
            before = results[n, day - 1] if day else 0.0
            hits[n, day, day:] = [judge(*pair) for pair in zip(before + futures.T, results[n, day:], strict=True)]
    described = asdict(settings)
    del described["json"]
    result = {
        "settings": described,
        "provenance": provenance(),
        **coverage(hits),
    }
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def judge(futures: np.ndarray, truth: float) -> Hit:
    """How one result compares with what was forecast of it."""
    low, high = interval(futures)
    below, equal = int(np.sum(futures < truth)), int(np.sum(futures == truth))
    outside = round(TAIL * (len(futures) + 1))
    ranks = np.arange(below, below + equal + 1)
    middle = (ranks >= outside) & (ranks <= len(futures) - outside)
    return Hit(float(low <= truth <= high), float(middle.mean()))


def coverage(hits: np.ndarray) -> dict[str, Any]:
    """Shares with their errors, from [episode, day of the forecast, day that is forecast, kind of hit]."""
    days = hits.shape[1]
    return {
        "final": [_shares(hits[:, day, -1]) for day in range(days)],
        "same_day": [_shares(hits[:, day, day]) for day in range(days)],
        "from_first_day": [_shares(hits[:, 0, day]) for day in range(days)],
        "all_final": _shares(hits[:, :, -1].mean(axis=1)),
        "all": _shares(np.nanmean(hits, axis=(1, 2))),
    }


def _shares(hits: np.ndarray) -> dict[str, float]:
    """Percentages over episodes, which are independent of each other."""
    share, spread = 100 * hits.mean(axis=0), 100 * hits.std(axis=0) / sqrt(len(hits))
    return {"inside": share[0], "error": spread[0], "by_rank": share[1], "by_rank_error": spread[1]}


def forecast_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    settings = result["settings"]
    size = f"{settings['nodes']} nodes, {settings['days']} days, budget {settings['budget']}"
    table = Table(
        title=f"{settings['problem']}, {size}: share of {settings['episodes']} plans in the 90 % interval, in %",
        caption=f"by {settings['policy']}, {settings['futures']} futures a forecast, ± one binomial error (by plan in "
        "the last rows); ties at random: by the rank among the futures, where equal ones are ordered at random",
    )
    columns = ("forecast before day", "final result", "ties at random", "result of that day", "of day N, before day 1")
    for column in columns:
        table.add_column(column, justify="right")
    parts = [result[name] for name in ("final", "same_day", "from_first_day")]
    for day, (final, same, first) in enumerate(zip(*parts, strict=True), 1):
        table.add_row(str(day), _told(final), _told(final, "by_rank"), _told(same), _told(first))
    for label, name in (("all, final result", "all_final"), ("all, any result", "all")):
        table.add_row(label, _told(result[name]), _told(result[name], "by_rank"), "", "")
    return table


def _told(share: dict[str, float], kind: str = "inside") -> str:
    error = share["error" if kind == "inside" else f"{kind}_error"]
    return f"{share[kind]:.1f} ± {error:.1f}"


def _check(settings: ForecastSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.episodes, "episodes", 1)
    whole_number(settings.futures, "futures", 20)
    check_json(settings.json)
