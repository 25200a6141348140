"""All cores at work: one device a core, a batch spread over them, and compiled programs that are kept."""

import contextlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmta.lazy import eqx, jax

if TYPE_CHECKING:
    from jax.sharding import Mesh


def keep_compilations() -> None:
    """Compiled programs are kept between runs in the user's cache, so that the second start is quick."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    _configure("jax_compilation_cache_dir", str(home / "lmta" / "jax"))
    _configure("jax_persistent_cache_min_compile_time_secs", 0.0)  # many take a tenth of a second


def _configure(name: str, value: Any) -> None:
    """Set an option of JAX, or leave it where JAX will find it when it is imported."""
    if "jax" in sys.modules:
        jax.config.update(name, value)
    else:
        os.environ[name.upper()] = str(value)


def num_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_all_cores() -> None:
    """One CPU device a core. Once JAX has started it keeps the devices it has."""
    with contextlib.suppress(RuntimeError):
        _configure("jax_num_cpu_devices", num_cores())


def map_over_cores(function: Callable[..., Any], shared: Any, *batched: Any) -> Any:
    """`function(shared, *one of each)` for every member of a batch, one after the other on each core.

    On a CPU that beats one vectorised program where every member is a loop with an end of its own. A function that
    equals the last one is not compiled again.
    """
    mesh = core_mesh(jax.tree.leaves(batched)[0].shape[0])
    everywhere, split = (jax.sharding.NamedSharding(mesh, how) for how in specs_of_members())
    return on_first_core(_make_map()(function, mesh, _put(shared, everywhere), _put(batched, split)))


@cache
def specs_of_members() -> tuple[Any, Any]:
    """How arrays lie on the cores that share a batch: whole on each of them, or split by members."""
    return jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec("members")


def on_first_core(tree: Any) -> Any:
    """The same tree with its arrays on the first device, where all that is not spread takes place."""
    return _put(tree, jax.devices()[0])


def _put(tree: Any, place: Any) -> Any:
    arrays, static = eqx.partition(tree, eqx.is_array)
    return eqx.combine(jax.device_put(arrays, place), static)


def core_mesh(size: int) -> "Mesh":
    """As many devices as share a batch of this size evenly."""
    count = max(count for count in range(1, len(jax.devices()) + 1) if size % count == 0)
    return jax.make_mesh((count,), ("members",), axis_types=(jax.sharding.AxisType.Auto,))


@cache
def _make_map() -> Callable[..., Any]:
    return eqx.filter_jit(_map)


def _map(function: Callable[..., Any], mesh: "Mesh", shared: Any, batched: tuple[Any, ...]) -> Any:
    arrays, static = eqx.partition(shared, eqx.is_array)

    def part(arrays, batched):
        return jax.lax.map(lambda members: function(eqx.combine(arrays, static), *members), batched)

    spread = jax.shard_map(
        part, mesh=mesh, in_specs=specs_of_members(), out_specs=specs_of_members()[1], check_vma=False
    )
    return spread(arrays, batched)
