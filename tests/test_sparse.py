"""The product over edges agrees with a dense matrix, however it is batched."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmta.sparse import at_ranks, first_best, over_edges, padded_size

NODES, EDGES, BATCH = 7, 20, 3
REDUCTIONS = {"add": np.add, "max": np.maximum, "multiply": np.multiply}


def draw(seed, *batch):
    rng = np.random.default_rng(seed)
    ends = rng.integers(NODES, size=(2, *batch, EDGES), dtype=np.int32)
    weight = rng.random((*batch, EDGES), dtype=np.float32)
    return jnp.asarray(weight), jnp.asarray(ends[0]), jnp.asarray(ends[1])


def dense(values, weight, source, target, reduction="add"):
    out = np.full((NODES, *values.shape[1:]), 1.0 if reduction == "multiply" else 0.0)
    for w, s, t in zip(np.asarray(weight), np.asarray(source), np.asarray(target), strict=True):
        message = w * np.asarray(values)[s]
        out[t] = REDUCTIONS[reduction](out[t], message)
    return out


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_one_graph(reduction):
    values = jnp.asarray(np.random.default_rng(0).random((NODES, 2), dtype=np.float32))
    got = over_edges(values, *draw(1), reduction=reduction)
    np.testing.assert_allclose(got, dense(values, *draw(1), reduction), rtol=1e-5)


@pytest.mark.parametrize("batched", [(0, None), (None, 0), (0, 0)], ids=["values", "graphs", "both"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_batches_agree_with_one_at_a_time(batched, reduction):
    values_axis, graph_axis = batched
    shape = (BATCH, NODES, 2) if values_axis == 0 else (NODES, 2)
    values = jnp.asarray(np.random.default_rng(0).random(shape, dtype=np.float32))
    graph = draw(1, BATCH) if graph_axis == 0 else draw(1)
    product = jax.vmap(lambda *a: over_edges(*a, reduction=reduction), (values_axis, *[graph_axis] * 3))
    got = jax.jit(product)(values, *graph)
    for n in range(BATCH):
        one_values = values[n] if values_axis == 0 else values
        one_graph = [leaf[n] if graph_axis == 0 else leaf for leaf in graph]
        np.testing.assert_allclose(got[n], dense(one_values, *one_graph, reduction), rtol=1e-5)


def test_batches_of_batches_and_own_weights():
    """Two graphs, three episodes on each with coins of their own, as in a batch of rollouts."""
    _, source, target = draw(1, 2)
    rng = np.random.default_rng(0)
    values = jnp.asarray(rng.random((2, BATCH, NODES), dtype=np.float32))
    weight = jnp.asarray(rng.random((2, BATCH, EDGES), dtype=np.float32))
    over_episodes = jax.vmap(over_edges, (0, 0, None, None))
    got = jax.vmap(over_episodes)(values, weight, source, target)
    for g in range(2):
        for n in range(BATCH):
            np.testing.assert_allclose(got[g, n], dense(values[g, n], weight[g, n], source[g], target[g]), rtol=1e-5)


@given(st.lists(st.one_of(st.just(-np.inf), st.integers(-3, 3).map(float)), min_size=5, max_size=5))
def test_first_best_is_argmax(scores):
    assert int(first_best(jnp.asarray(scores, jnp.float32))) == int(np.argmax(scores))


@given(st.integers(0, 10**7))
def test_padded_sizes_waste_little(size):
    padded = padded_size(size)
    assert size <= padded <= max(size * 1.13, size + 8)
    assert padded_size(padded) == padded


compiled_at_ranks = jax.jit(at_ranks)


@given(
    st.lists(st.floats(0, 2.0**100, width=32), min_size=5, max_size=5),
    st.lists(st.integers(0, 4), min_size=2, max_size=2),
)
def test_values_at_ranks_are_those_of_a_sorted_list(values, ranks):
    got = compiled_at_ranks(jnp.asarray(values, jnp.float32), jnp.asarray(ranks, jnp.int32))
    flushed = np.where(np.asarray(values) < np.finfo(np.float32).tiny, 0.0, values)  # as XLA does with subnormal ones
    np.testing.assert_array_equal(np.where(got < np.finfo(np.float32).tiny, 0.0, got), np.sort(flushed)[::-1][ranks])
