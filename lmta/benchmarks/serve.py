"""`lmta bench serve`: many campaigns advanced at once over HTTP, beside what the policy alone needs to decide."""

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from lmta.agents.players import player
from lmta.arena.record import check_json, provenance, write_json
from lmta.benchmarks.service import Client, edge_list, memory_mb, served
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import adviser_name
from lmta.problems.delimited import Content
from lmta.problems.networks import edges
from lmta.problems.registry import DEFAULT, spec_of
from lmta.problems.session import AbstractSession, check_seed, whole_number
from lmta.types import Graph, InputError

CLIENTS = (2, 16)
"""How many ask at once, one after the other."""
CAMPAIGNS_A_TURN = 20
"""The policy alone and the service take turns after so many, so that both meet the machine as fast or slow as it is."""


@dataclass(frozen=True)
class ServeBenchSettings:
    """How fast `lmta serve` answers."""

    campaigns: int = 100
    nodes: int = 500
    budget: int = 50
    days: int = 4
    """Half of them with two clients at once, half with sixteen."""
    policy: str | None = None
    """Who decides: the adviser by default."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


@dataclass
class _Live:
    """A campaign as its client sees it."""

    address: str
    graph: Graph
    index: dict[Any, int]
    """The node of each id."""
    status: np.ndarray
    """0 inactive, 1 active, 2 reached before."""


def bench_serve(settings: ServeBenchSettings) -> dict[str, Any]:
    """For so many at once: decide without the service, then let clients advance all campaigns together."""
    _check(settings)
    rng = np.random.default_rng(settings.seed)
    policy = settings.policy or adviser_name(spec_of(DEFAULT))
    result: dict[str, Any] = {
        "settings": {name: value for name, value in asdict(settings).items() if name != "json"} | {"policy": policy},
        "provenance": provenance(),
        "alone": {},
        "clients": {},
    }
    files = _files(settings)
    adviser, campaigns = player(policy, DEFAULT), [_campaign(settings, file) for file in files]
    list(map(adviser.decide, campaigns))  # whatever has to be compiled is compiled here
    result["alone"]["1"] = _spread(_time_alone(adviser, campaigns, 1))
    with served() as (port, process), closing(Client(port)) as client:
        pairs = list(zip(campaigns, files, strict=True))
        shapes = {_shape(campaign): (campaign, file) for campaign, file in pairs}
        first_met = [_begin(client, settings, policy, *pair) for pair in shapes.values()]
        for day in range(1, settings.days + 1):
            _advance(client, first_met, day, 1, rng)  # and here
        lives = [_begin(client, settings, policy, *pair) for pair in pairs]
        for half, clients in enumerate(CLIENTS):
            alone, times, seconds = [], [], 0.0
            for turn in _turns(settings, half):
                alone += _time_alone(adviser, campaigns[turn.which], clients)
                began = time.perf_counter()
                times += _advance(client, lives[turn.which], turn.day, clients, rng)
                seconds += time.perf_counter() - began
            result["alone"][str(clients)] = _spread(alone)
            result["clients"][str(clients)] = _summary(times, seconds)
        result["memory_mb"] = memory_mb(process.pid, most=True)
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def serve_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    table = Table(
        title="{campaigns} campaigns of {nodes} nodes, {policy}".format(**result["settings"]),
        caption=f"milliseconds; the service took {result['memory_mb']:.0f} MB at most",
    )
    for name in ("what", "at once", "median", "p95", "p95 over the policy alone", "requests/s"):
        table.add_column(name, justify="left" if name == "what" else "right")
    for clients, alone in result["alone"].items():
        table.add_row("the policy alone", clients, *_shown(alone))
    for clients, measured in result["clients"].items():
        over = f"{measured['advice']['p95'] / result['alone'][clients]['p95']:.2f}×"
        table.add_row("advice", clients, *_shown(measured["advice"]), over, f"{measured['requests_per_second']:.0f}")
        table.add_row("· the decision in it", clients, *_shown(measured["decision"]))
        table.add_row("· advice over that, ×", clients, *_shown(measured["advice_over_decision"]))
        table.add_row("report", clients, *_shown(measured["report"]))
    return table


def _shown(spread: dict[str, float]) -> tuple[str, str]:
    return f"{spread['median']:.1f}", f"{spread['p95']:.1f}"


def _check(settings: ServeBenchSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.campaigns, "campaigns", 1)
    whole_number(settings.nodes, "nodes", 2)
    if whole_number(settings.days, "days", 2) % 2:
        raise InputError(f"days: {settings.days} given, an even number is needed.")
    if settings.policy is not None:
        player(settings.policy, DEFAULT)
    check_json(settings.json)


def _files(settings: ServeBenchSettings) -> list[Content]:
    """Generated networks as edge lists."""
    spec = spec_of(DEFAULT)
    wanted = spec.settings(nodes=settings.nodes, days=settings.days, budget=settings.budget)
    drawn = spec.instances(wanted, settings.seed, settings.campaigns)
    return [edge_list(instance.graph) for instance in drawn]


def _campaign(settings: ServeBenchSettings, file: Content) -> AbstractSession:
    """The campaign that the service makes of a file."""
    spec = spec_of(DEFAULT)
    read, rules = spec.own_data.options(), spec.rules()
    data = spec.own_data.load(file, read)
    return spec.begin(data, days=settings.days, budget=settings.budget, read=read, rules=rules)


def _shape(campaign: AbstractSession) -> tuple[int, int]:
    """What campaigns have in common that share a compilation."""
    graph = campaign.instance.graph
    return graph.num_nodes, len(graph.senders)


class _Turn(NamedTuple):
    """One day of some of the campaigns."""

    day: int
    which: slice


def _turns(settings: ServeBenchSettings, half: int) -> Iterator[_Turn]:
    """The days of a half, some campaigns after the other."""
    days = settings.days // 2
    for day in range(1 + half * days, 1 + (half + 1) * days):
        for first in range(0, settings.campaigns, CAMPAIGNS_A_TURN):
            yield _Turn(day, slice(first, first + CAMPAIGNS_A_TURN))


def _time_alone(adviser: AbstractPlayer, campaigns: list[AbstractSession], at_once: int) -> list[float]:
    """How long the policy itself takes for the first day of each, so many at once."""
    with ThreadPoolExecutor(at_once) as pool:
        return [decision.milliseconds for decision in pool.map(adviser.decide, campaigns)]


def _begin(
    client: Client, settings: ServeBenchSettings, policy: str, campaign: AbstractSession, file: Content
) -> _Live:
    fields = {"days": settings.days, "budget": settings.budget, "policy": policy, "seed": settings.seed}
    index = {name: i for i, name in enumerate(campaign.ids)}
    address = client.begin(f"/{campaign.word}s", fields, file)
    return _Live(address, campaign.instance.graph, index, np.zeros(len(index), np.int8))


class _Times(NamedTuple):
    """Milliseconds that a client waited for a day's advice, for the decision in it, and for its report to be noted."""

    advice: float
    decision: float
    report: float


def _advance(client: Client, lives: list[_Live], day: int, clients: int, rng: np.random.Generator) -> list[_Times]:
    """One day of campaigns, by so many clients at once."""

    def one(live: _Live, seed: int) -> _Times:
        start = time.perf_counter()
        answer = client.send("GET", f"{live.address}/advice")
        advised = time.perf_counter()
        picks = [pick["id"] for pick in answer["picks"]]
        hits = _cascade(live, picks, np.random.default_rng(seed))
        body = json.dumps({"day": day, "seeded": picks, "activated": hits}).encode()
        ready = time.perf_counter()
        client.send("POST", f"{live.address}/day", body)
        return _Times(1000 * (advised - start), answer["milliseconds"], 1000 * (time.perf_counter() - ready))

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(one, lives, rng.integers(2**32, size=len(lives)).tolist()))


def _summary(times: list[_Times], seconds: float) -> dict[str, Any]:
    """How the times are spread, and requests a second."""
    advice, decision, report = np.array(times).T
    return {
        "advice": _spread(advice),
        "decision": _spread(decision),
        "advice_over_decision": _spread(advice / decision),
        "report": _spread(report),
        "requests_per_second": 2 * len(times) / seconds,
    }


def _cascade(live: _Live, picks: list[int], rng: np.random.Generator) -> list[int]:
    """Whom the cascade reaches; the campaign moves on to the next day."""
    live.status[[live.index[pick] for pick in picks]] = 1
    senders, receivers = edges(live.graph)
    probability = np.asarray(live.graph.weight)[np.asarray(live.graph.edge_mask)]
    fires = (live.status[senders] == 1) & (rng.random(len(senders)) < probability)
    hit = np.unique(receivers[fires & (live.status[receivers] == 0)])
    live.status[live.status == 1] = 2
    live.status[hit] = 1
    names = list(live.index)
    return [names[i] for i in hit.tolist()]


def _spread(milliseconds: Sequence[float] | np.ndarray) -> dict[str, float]:
    return {"median": float(np.median(milliseconds)), "p95": float(np.percentile(milliseconds, 95))}
