"""What is played: a problem, what its instances are drawn from, and the user's own data where there are any."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from lmta.problems.registry import DEFAULT, spec_of
from lmta.problems.spec import InstanceSettings, Spec
from lmta.types import InputError


@dataclass(frozen=True)
class Task:
    """A problem with the settings of its instances."""

    spec: Spec
    settings: InstanceSettings
    own: Any = None
    """The user's own data in place of generated instances: a path, or whatever else the problem's importer takes."""
    read: Any = None
    """How own data are read: the problem's own options, or None for their defaults."""

    @classmethod
    def of(cls, problem: Any = DEFAULT, own: Any = None, **given: Any) -> "Task":
        """The task of the problem of that name; `given` names settings of its instances and of its importer."""
        spec = spec_of(problem)
        kind = spec.own_data.options
        read = kind(**{f.name: given.pop(f.name) for f in fields(kind) if f.name in given})
        return cls(spec, spec.settings(**given), own, read)

    def check(self) -> None:
        """Refuse settings that would have no effect."""
        useless = self.spec.without_effect(self.settings, self.own, self.read)
        if useless:
            raise InputError(f"{useless[0]}: has no effect here; leave it out.")

    def instances(self, seed: int, count: int) -> list[Any]:
        """The first `count` instances of the series that belongs to `seed`; own data are read now."""
        own = self.own
        if own is not None:
            read = self.spec.own_data.options() if self.read is None else self.read
            own = self.spec.own_data.load(own, read)
        return self.spec.instances(self.settings, seed, count, own)

    def as_json(self) -> dict[str, Any]:
        """The problem, its instances and the user's data as plain values."""
        return {
            "problem": self.spec.name,
            "instance": self.spec.as_json(self.settings),
            self.spec.own_data.option: None if self.own is None else str(self.own),
            **({} if self.read is None else asdict(self.read)),
        }
