"""A ring of games, in the manner of flashbax: a state, and pure functions that make, fill and look into it."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key


class Ring(eqx.Module):
    """Items with a leading axis; `cursor` is where the next goes, `size` how many there are."""

    items: Any
    cursor: Int[Array, ""]
    size: Int[Array, ""]

    @property
    def capacity(self) -> int:
        """How many items fit."""
        return jax.tree.leaves(self.items)[0].shape[0]

    @property
    def age(self) -> Int[Array, " capacity"]:
        """How many items came after each; empty slots are at least as old as there are items."""
        return (self.cursor - 1 - jnp.arange(self.capacity)) % self.capacity

    def item(self, number: Int[Array, ""]) -> Any:
        """One item."""
        return jax.tree.map(lambda leaf: leaf[number], self.items)


def make_ring(item: Any, capacity: int) -> Ring:
    """An empty ring for items shaped like `item`."""
    empty = jax.tree.map(lambda leaf: jnp.zeros((capacity, *leaf.shape), leaf.dtype), item)
    return Ring(empty, jnp.zeros((), jnp.int32), jnp.zeros((), jnp.int32))


def add(ring: Ring, items: Any) -> Ring:
    """Put a batch of items in, over the oldest where the ring is full."""
    count = jax.tree.leaves(items)[0].shape[0]
    slots = (ring.cursor + jnp.arange(count)) % ring.capacity
    stored = jax.tree.map(lambda kept, new: kept.at[slots].set(new), ring.items, items)
    return Ring(
        items=stored,
        cursor=(ring.cursor + count) % ring.capacity,
        size=jnp.minimum(ring.size + count, ring.capacity),
    )


def draw_recent(ring: Ring, recent: int, count: int, key: Key[Array, ""]) -> Int[Array, " count"]:
    """Numbers of items drawn evenly from the newest `recent`."""
    age = jax.random.randint(key, (count,), 0, jnp.minimum(ring.size, recent))
    return (ring.cursor - 1 - age) % ring.capacity


def newest_steps(ring: Ring, steps: Int[Array, " capacity"], max_steps: int | None = None) -> Int[Array, " capacity"]:
    """The steps of each item, 0 for empty slots and for items older than the newest `max_steps` steps."""
    counts = jnp.where(ring.age < ring.size, steps, 0)
    if max_steps is None:
        return counts
    order = jnp.argsort(ring.age)
    newer = jnp.zeros_like(counts).at[order].set(jnp.cumsum(counts[order]) - counts[order])
    return jnp.where(newer < max_steps, counts, 0)
