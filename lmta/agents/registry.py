"""Learners by name; each is imported when it is called for."""

import difflib
from functools import cache
from importlib import import_module
from typing import Any

from lmta.agents.base import AbstractAgent
from lmta.types import InputError

HOMES = {
    "lmta": "lmta.agents.lmta.agent:Lmta",
    "ws-option": "lmta.agents.ws_option.agent:WsOption",
    "flat-dqn": "lmta.agents.flat_dqn.agent:FlatDqn",
    "flat-muzero": "lmta.agents.flat_muzero.agent:FlatMuZero",
    "sampled-muzero": "lmta.agents.sampled_muzero.agent:SampledMuZero",
    "director": "lmta.agents.director.agent:Director",
}
"""Where each learner lives."""
DEFAULT = "lmta"


@cache
def agent_type(name: Any) -> type[AbstractAgent]:
    """The learner of that name."""
    if name not in HOMES:
        close = difflib.get_close_matches(str(name), HOMES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(HOMES)}."
        raise InputError(f"agent: {name!r} is not known; {hint}")
    module, _, attribute = HOMES[name].partition(":")
    return getattr(import_module(module), attribute)
