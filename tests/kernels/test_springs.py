"""Springs: who is joined comes together, and the same start ends in the same places."""

import numpy as np

from lmta.kernels.springs import relax


def test_two_crowds_come_apart():
    """Two cliques that are mixed at the start, joined by one edge."""
    crowd = np.arange(40) % 2
    a, b = np.nonzero((crowd[:, None] == crowd[None, :]) & (np.arange(40)[:, None] < np.arange(40)[None, :]))
    senders, receivers = np.append(a, 0), np.append(b, 1)
    start = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    places = relax(start, senders, receivers, 50)
    assert (places == relax(start, senders, receivers, 50)).all()
    middles = np.stack([places[crowd == side].mean(axis=0) for side in (0, 1)])
    nearest = np.linalg.norm(places[:, None] - middles[None], axis=-1).argmin(axis=1)
    assert (nearest == crowd).all()


def test_nodes_without_edges_stay_in_the_picture():
    start = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    nobody = np.zeros(0, int)
    assert np.abs(relax(start, nobody, nobody, 50)).max() < 2
