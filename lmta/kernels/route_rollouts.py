"""Rollouts of a tour under common random numbers: today's route as given, then the base heuristic to the end."""

from typing import NamedTuple

import numpy as np

from lmta.kernels.cascade import GOLDEN, mixed
from lmta.kernels.compiled import kernel
from lmta.kernels.route_rules import Rules, Today, considered, make_play, play_on, reward_of_day
from lmta.kernels.route_task import Ground
from lmta.kernels.routes import make_room
from lmta.kernels.threads import share_out


class TourRollouts(NamedTuple):
    """What candidates earn in sampled worlds."""

    rewards: np.ndarray
    """[candidate, world, day]."""
    by_chance: np.ndarray
    """[candidate, world]: a control variate, see `play_on`."""


def roll_out(
    ground: Ground,
    rules: Rules,
    today: Today,
    cities: np.ndarray,
    visits: np.ndarray,
    *,
    worlds: range,
    seed: int,
    prices: np.ndarray,
    threads: int | None = None,
) -> TourRollouts:
    """Play every candidate to the end in every world.

    Candidate c visits cities[c, :visits[c]] today, which must keep to the rules. How profits move depends on seed and
    world alone, so candidates can be compared world by world. `prices` are those of the base heuristic.
    """
    rewards = np.zeros((len(visits), len(worlds), rules.days - today.day))
    by_chance = np.zeros((len(visits), len(worlds)))
    cities, visits = np.array(cities, np.int64), np.array(visits, np.int64)
    price, today = option_price(rules, today), considered(today)

    def play(some: slice) -> None:
        first = worlds.start + some.start
        shares = rewards[:, some], by_chance[:, some]
        _play_worlds(ground, rules, today, cities, visits, seed, first, prices, price, *shares)

    share_out(play, len(worlds), threads)
    return TourRollouts(rewards, by_chance)


def option_price(rules: Rules, today: Today) -> float:
    """The profit of the last city that would be visited if the most profitable ones were."""
    profit = np.sort(today.profit[today.available])[::-1][: max(today.budget_left, 1)]
    return max(float(profit[-1]), rules.floor) if len(profit) else rules.floor


@kernel
def draw_moves(drift, seed, world, moves):
    """How profits move in a world that a seed and a number name, night by night and city by city."""
    stream = mixed(mixed(np.uint64(seed)) + GOLDEN * np.uint64(world))
    num_cities = moves.shape[1]
    for night in range(len(moves)):
        for city in range(num_cities):
            word = mixed(stream + GOLDEN * np.uint64(night * num_cities + city + 1))
            moves[night, city] = drift * (2.0 * (np.float64(word >> np.uint64(11)) * 2.0**-53) - 1.0)


@kernel
def _play_worlds(ground, rules, today, cities, visits, seed, first_world, prices, option_price, rewards, by_chance):
    """Fill the rewards of consecutive worlds."""
    num_cities = len(today.profit)
    room, play = make_room(num_cities, today.budget_left), make_play(num_cities, today.budget_left)
    moves = np.empty((rewards.shape[2] - 1, num_cities))
    for w in range(rewards.shape[1]):
        draw_moves(rules.drift, seed, first_world + w, moves)
        for c in range(len(visits)):
            play.route[0] = today.position
            for i in range(visits[c]):
                play.route[i + 1] = cities[c, i]
            rewards[c, w, 0] = reward_of_day(ground, rules, today.profit, today.day, play.route, visits[c])
            later = rewards[c, w, 1:]
            by_chance[c, w] = play_on(
                ground, rules, today, prices, cities[c], visits[c], moves, option_price, room, play, later
            )[1]
