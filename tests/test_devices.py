"""A batch spread over the cores is what each member gives alone."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from lmta.devices import core_mesh, map_over_cores


@dataclass(frozen=True)
class Times:
    """Multiplies, and counts how often it is traced."""

    traces: tuple[list, ...] = ([],)

    def __call__(self, shared, a, b):
        self.traces[0].append(1)
        return {"product": shared["factor"] * a, "sum": a + b.sum()}

    def __hash__(self):
        return 1


def test_every_member_meets_what_is_shared():
    function = Times()
    a, b = jnp.arange(6.0), jnp.ones((6, 2))
    for factor in (3.0, 4.0):
        out = map_over_cores(function, {"factor": jnp.float32(factor), "word": "kept"}, a, b)
        np.testing.assert_allclose(out["product"], factor * np.arange(6))
        np.testing.assert_allclose(out["sum"], np.arange(6) + 2)
    assert len(function.traces[0]) == 1, "the second call was compiled again"


def test_no_more_devices_than_share_a_batch_evenly():
    assert core_mesh(1).size == 1
    assert core_mesh(len(jax.devices())).size == len(jax.devices())
