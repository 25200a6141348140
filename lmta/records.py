"""Records of arrays: frozen dataclasses that JAX takes for trees, as soon as it is imported."""

import sys
from dataclasses import dataclass, fields
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import Any, dataclass_transform

_waiting: list[type] = []
"""Records that JAX has not been told of."""


@dataclass_transform(frozen_default=True, eq_default=False)
class Record:
    """Whoever inherits from it is a frozen dataclass, and a tree whose branches are its fields."""

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=False)(cls)
        _waiting.append(cls)
        if "jax" in sys.modules and _watch not in sys.meta_path:
            _tell_jax()


def _tell_jax() -> None:
    from jax.tree_util import GetAttrKey, register_pytree_with_keys  # noqa: PLC0415 (it is imported by then)

    while _waiting:
        cls = _waiting.pop()
        names = [field.name for field in fields(cls)]

        def flatten(record: Any, names: list[str] = names) -> Any:
            return [(GetAttrKey(name), getattr(record, name)) for name in names], None

        def unflatten(_: None, leaves: Any, cls: type = cls, names: list[str] = names) -> Any:
            record = object.__new__(cls)
            record.__dict__.update(zip(names, leaves, strict=True))  # a tree may hold anything, so nothing is checked
            return record

        register_pytree_with_keys(cls, flatten, unflatten)


class _Watch(MetaPathFinder):
    """Tells JAX of all records once it is imported."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Nothing of its own: JAX's own loader, and then the records."""
        if fullname != "jax":
            return None
        sys.meta_path.remove(self)
        spec = find_spec("jax")
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_tell(module: Any) -> None:
            execute(module)
            _tell_jax()

        spec.loader.exec_module = execute_and_tell
        return spec


_watch = _Watch()
if "jax" not in sys.modules:
    sys.meta_path.insert(0, _watch)
