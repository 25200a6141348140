"""JAX for modules that can do without: it is imported when it is first used.

A campaign is planned in compiled loops, so whoever plans one need not wait for JAX.
"""

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    from jax import Array
    from jaxtyping import PRNGKeyArray
else:
    Array = PRNGKeyArray = Any

    class Lazy:
        """A module that is imported with the first of its names that is asked for."""

        def __init__(self, module):
            self.__module = module

        def __getattr__(self, name):
            value = getattr(import_module(self.__module), name)
            setattr(self, name, value)
            return value

    jax, jnp, eqx = Lazy("jax"), Lazy("jax.numpy"), Lazy("equinox")

__all__ = ["Array", "PRNGKeyArray", "eqx", "jax", "jit", "jnp"]


def jit(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """The function compiled by JAX at its first call."""
    compiled = cache(lambda: jax.jit(function, **options))

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return compiled()(*arguments, **named)

    return call
