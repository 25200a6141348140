"""Places for the nodes of a network as if edges were springs and nodes pushed each other away."""

import numba
import numpy as np

GRAVITY = 3.0
"""Pull to the middle, which keeps parts that no edge joins in the picture."""


@numba.njit(cache=True)
def relax(start, senders, receivers, rounds):
    """The places after so many rounds of Fruchterman and Reingold, whose steps become shorter and shorter.

    Places lie around the middle, about 1 away; all pairs push, so a round takes the square of the nodes.
    """
    places = start.copy()
    count = len(places)
    area = 4.0 / count  # the square of the distance at which a push and a spring are even
    ideal = np.sqrt(area)
    for round_ in range(rounds):
        force = -GRAVITY * places
        for a in range(count):
            x, y = places[a, 0], places[a, 1]
            pushed_x, pushed_y = 0.0, 0.0
            for b in range(a):
                dx, dy = x - places[b, 0], y - places[b, 1]
                push = area / (dx * dx + dy * dy + 1e-9)
                pushed_x += push * dx
                pushed_y += push * dy
                force[b, 0] -= push * dx
                force[b, 1] -= push * dy
            force[a, 0] += pushed_x
            force[a, 1] += pushed_y
        for edge in range(len(senders)):
            a, b = senders[edge], receivers[edge]
            dx, dy = places[a, 0] - places[b, 0], places[a, 1] - places[b, 1]
            pull = np.sqrt(dx * dx + dy * dy) / ideal
            force[a, 0] -= pull * dx
            force[a, 1] -= pull * dy
            force[b, 0] += pull * dx
            force[b, 1] += pull * dy
        longest = 0.2 * (1 - round_ / rounds)
        for a in range(count):
            length = np.sqrt(force[a, 0] ** 2 + force[a, 1] ** 2)
            step = min(length, longest) / max(length, 1e-12)
            places[a, 0] += step * force[a, 0]
            places[a, 1] += step * force[a, 1]
    return places
