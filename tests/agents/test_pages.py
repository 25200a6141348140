"""Pages of the learners name every metric that is logged, and no option that is not there."""

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from tiny_runs import tiny

from lmta.agents.registry import HOMES
from lmta.agents.settings import make_agent
from lmta.training.run import begin

PAGES = Path(__file__).parents[2] / "docs" / "agents"
OF_ALL = {"epoch", "score", "evaluation", "seconds", "episodes_per_second"}
OF_RUNS = {"features", "preset", "seed", "variant", "without", "chance-budgets", "evaluate-every"}
"""Options of runs, and those of settings that stand without their prefix."""


def option_names(settings, prefix=""):
    for field in fields(settings):
        value, name = getattr(settings, field.name), prefix + field.name.replace("_", "-")
        yield from option_names(value, f"{name}.") if is_dataclass(value) else [name]


@pytest.mark.parametrize("name", HOMES)
def test_every_metric_is_on_the_page_and_every_option_is_there(name):
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    settings = tiny(name)
    agent, progress = make_agent(settings), begin(settings)
    given = progress.learner, progress.replay, jnp.int32(0), jax.random.key(0)
    _, terms = eqx.filter_eval_shape(agent.learn, *given)
    measures = eqx.filter_eval_shape(agent.measures, progress.learner)
    logged = page[page.index("\n## Logged") :]
    missing = {metric for metric in {*terms, *measures, *OF_ALL} if f"`{metric}`" not in logged}
    assert not missing
    said = {option.strip(".") for option in re.findall(r"--([a-z][a-z.-]*)", page)} - {"network", "train", "loss"}
    known = {*option_names(settings.config), *OF_RUNS}
    known |= {re.sub(r"([a-z-]+)$", r"no-\1", option) for option in known}
    assert {option for option in said if option not in known and option != "departures"} == set()
