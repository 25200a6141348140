"""A ring of items: what is in it, how old it is, and what is drawn from it."""

import jax
import jax.numpy as jnp
import numpy as np

from lmta.nn.replay import add, draw_recent, make_ring, newest_steps


def filled(*batches):
    """A ring of five that took in batches of numbers."""
    ring = make_ring({"x": jnp.zeros(2)}, 5)
    for batch in batches:
        ring = add(ring, {"x": jnp.tile(jnp.array(batch, jnp.float32)[:, None], (1, 2))})
    return ring


def test_a_ring_forgets_the_oldest():
    ring = filled([1, 2, 3], [4, 5, 6])
    assert (int(ring.size), int(ring.cursor), ring.capacity) == (5, 1, 5)
    assert ring.items["x"][:, 0].tolist() == [6, 2, 3, 4, 5]
    assert ring.age.tolist() == [0, 4, 3, 2, 1]
    assert ring.item(jnp.int32(3))["x"].tolist() == [4, 4]


def test_empty_slots_are_as_old_as_there_are_items():
    ring = filled([1, 2])
    assert int(ring.size) == 2
    assert ring.age.tolist() == [1, 0, 4, 3, 2]


def test_only_the_newest_are_drawn():
    ring = filled([1, 2, 3], [4, 5, 6])
    drawn = lambda ring, recent: set(ring.items["x"][draw_recent(ring, recent, 60, jax.random.key(0)), 0].tolist())  # noqa: E731
    assert drawn(ring, 2) == {5, 6}
    assert drawn(ring, 99) == {2, 3, 4, 5, 6}
    assert drawn(filled([1, 2]), 99) == {1, 2}


def test_steps_count_from_the_newest_item_back():
    """Items of 1, 2, 3 and 4 steps, the newest last, which alone has four; with room for five the one before counts
    too, as a whole, since it begins within the newest five."""
    ring = filled([1, 2, 3, 4])
    steps = jnp.array([1, 2, 3, 4, 7])
    np.testing.assert_array_equal(newest_steps(ring, steps), [1, 2, 3, 4, 0])
    np.testing.assert_array_equal(newest_steps(ring, steps, 4), [0, 0, 0, 4, 0])
    np.testing.assert_array_equal(newest_steps(ring, steps, 5), [0, 0, 3, 4, 0])
    np.testing.assert_array_equal(newest_steps(ring, steps, 8), [0, 2, 3, 4, 0])
