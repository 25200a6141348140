"""Flat MuZero: search over all nodes and the end of the day before every pick."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Key

from lmta.agents.flat_muzero.search import search
from lmta.agents.flat_muzero.settings import FlatMuZeroSettings
from lmta.agents.muzero.agent import AbstractMuZero
from lmta.agents.muzero.networks import MuZeroModel, Place, Scene
from lmta.agents.muzero.search import Found, blank_found


@dataclass(frozen=True)
class FlatMuZero(AbstractMuZero):
    """Schrittwieser et al. 2020, on primitive actions."""

    name: ClassVar[str] = "flat-muzero"
    summary: ClassVar[str] = "MuZero over single picks and the end of the day, without hierarchy"
    settings_type: ClassVar[type] = FlatMuZeroSettings
    settings: FlatMuZeroSettings

    def search(self, model: MuZeroModel, scene: Scene, place: Place, key: Key[Array, ""], *, explore: bool) -> Found:
        """Over all actions."""
        return search(model, self.settings.search, self.settings.train.discount, scene, place, key, explore=explore)

    def blank(self, num_nodes: int) -> Found:
        """With a share for every action."""
        return blank_found(None, jnp.zeros(num_nodes + 1))
