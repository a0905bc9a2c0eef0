"""All experiments, in the order of the lists that show them."""

from __future__ import annotations

from fsconsole.experiments.experiment import Experiment
from fsconsole.experiments.junglas import junglas
from fsconsole.experiments.machine_share import machine_share
from fsconsole.experiments.navoceano_tables import navoceano_tables
from fsconsole.experiments.saturation import saturation
from fsconsole.shares.scenario.nearest import nearest_or_all


class UnknownExperiment(ValueError):  # noqa: N818 (reads as what it is)
    """There is no experiment of that name; the message names the nearest."""


def experiments() -> tuple[Experiment, ...]:
    """All experiments."""
    return (machine_share(), *junglas(), navoceano_tables(), saturation())


def experiment_named(name: str) -> Experiment:
    """The experiment of that name; UnknownExperiment otherwise."""
    known = {experiment.name: experiment for experiment in experiments()}
    if name not in known:
        msg = f"no experiment {name!r}{nearest_or_all(name, known)}"
        raise UnknownExperiment(msg)
    return known[name]
