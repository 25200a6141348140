"""`lmta train`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import tyro

from lmta.commands.console import ERR, say
from lmta.problems.spec import InstanceSettings
from lmta.training.train import begin_run, resume_run, settings_by_default


def make_train(arguments: Sequence[str]) -> Callable[..., None]:
    """The command for one agent and problem; the preset's values, or those of the run that goes on, are defaults."""
    usual = settings_by_default(arguments)
    spec = usual.spec

    def train(
        out: Path,
        agent: str = usual.agent,
        problem: str = usual.problem,
        preset: str = usual.preset,
        features: str = usual.features,
        epochs: int = usual.epochs,
        instance: tyro.conf.OmitArgPrefixes[InstanceSettings[spec.drawn, spec.rules]] = usual.instance,  # pyright: ignore
        mixture: tyro.conf.FlagCreatePairsOff[bool] = usual.mixture,
        config: Annotated[type(usual.config), tyro.conf.arg(name="")] = usual.config,  # pyright: ignore
        seed: int = usual.seed,
        evaluate_every: int = usual.evaluate_every,
        held_out: int = usual.held_out,
        resume: tyro.conf.FlagCreatePairsOff[bool] = False,
    ) -> None:
        """Begin a run or go on with one.

        Args:
            out: Folder of the run: checkpoint, metrics, learning curve.
            agent: Who learns; `lmta agents` lists them.
            problem: What is learned; `lmta problems` lists them.
            preset: Where the settings of the agent come from, unless they are given.
            features: What the agent observes: plain, or lookahead for what the base heuristic computes beside that.
            epochs: Epochs in all.
            instance: What instances are drawn from.
            mixture: Every instance of self-play draws its own size, horizon, budget and kind, up to those of the run.
            config: The settings of the agent.
            seed: Weights, instances, noise and exploration follow from it.
            evaluate_every: Greedy play is measured after every so many epochs, and after the last.
            held_out: Instances that greedy play is measured on; they are never trained on.
            resume: Go on with the run in the folder. Its settings stay; only --epochs may change.
        """
        given: dict[str, Any] = {
            "agent": agent,
            "problem": problem,
            "preset": preset,
            "features": features,
            "epochs": epochs,
            "instance": instance,
            "mixture": mixture,
            "config": config,
            "seed": seed,
            "evaluate_every": evaluate_every,
            "held_out": held_out,
        }
        go = resume_run if resume else begin_run
        say(go(out, replace(usual, **given), ERR))

    return train
