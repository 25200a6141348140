"""`lmta experiment`."""

from typing import Annotated

import tyro

from lmta.commands.console import ERR, say
from lmta.experiments.ablated import AblatedSettings, run_ablated
from lmta.experiments.classical import ClassicalSettings, run_classical
from lmta.experiments.shipped import ShippedSettings, run_shipped
from lmta.experiments.trained import TrainedSettings, run_trained

Experiment = (
    Annotated[ClassicalSettings, tyro.conf.subcommand("classical")]
    | Annotated[TrainedSettings, tyro.conf.subcommand("trained")]
    | Annotated[ShippedSettings, tyro.conf.subcommand("shipped")]
    | Annotated[AblatedSettings, tyro.conf.subcommand("ablated")]
)


def experiment(what: tyro.conf.OmitSubcommandPrefixes[tyro.conf.OmitArgPrefixes[Experiment]]) -> None:
    """Play, and print each table as it is ready."""
    if isinstance(what, ClassicalSettings):
        run_classical(what, say)
    elif isinstance(what, ShippedSettings):
        run_shipped(what, say)
    elif isinstance(what, AblatedSettings):
        run_ablated(what, say)
    else:
        run_trained(what, ERR, say)
