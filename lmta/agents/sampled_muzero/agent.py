"""Sampled MuZero: search over a few sampled actions before every pick."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Key

from lmta.agents.muzero.agent import AbstractMuZero
from lmta.agents.muzero.networks import MuZeroModel, Place, Scene
from lmta.agents.muzero.search import Found, blank_found
from lmta.agents.sampled_muzero.search import search
from lmta.agents.sampled_muzero.settings import SampledMuZeroSettings
from lmta.problems.spec import Size, Spec
from lmta.types import InputError


@dataclass(frozen=True)
class SampledMuZero(AbstractMuZero):
    """Hubert et al. 2021, on primitive actions."""

    name: ClassVar[str] = "sampled-muzero"
    summary: ClassVar[str] = "MuZero over a few sampled picks at each node of its tree, without hierarchy"
    settings_type: ClassVar[type] = SampledMuZeroSettings
    settings: SampledMuZeroSettings

    @classmethod
    def check(cls, settings: SampledMuZeroSettings, spec: Spec) -> None:
        """There must be something to search with once every sample was tried."""
        super().check(settings, spec)
        search = settings.search
        if search.simulations <= search.samples:
            raise InputError(
                f"search.simulations: {search.simulations} given, but each of the {search.samples} samples is tried "
                "first; give more simulations or fewer samples."
            )

    @classmethod
    def make(cls, spec: Spec, features: str, settings: Any, size: Size) -> "SampledMuZero":
        """Refuses to draw more actions than there are."""
        samples = settings.search.samples
        if samples > size.nodes + 1:
            raise InputError(
                f"search.samples: {samples} given, but {size.nodes} nodes and the end of the day are "
                f"{size.nodes + 1} actions."
            )
        return super().make(spec, features, settings, size)

    def search(self, model: MuZeroModel, scene: Scene, place: Place, key: Key[Array, ""], *, explore: bool) -> Found:
        """Over the sampled actions."""
        return search(model, self.settings.search, self.settings.train.discount, scene, place, key, explore=explore)

    def blank(self, num_nodes: int) -> Found:
        """With a share for every sample."""
        samples = min(self.settings.search.samples, num_nodes + 1)
        return blank_found(jnp.zeros(samples, jnp.int32), jnp.zeros(samples))
