"""All experiments, in the order of the lists that show them."""

from __future__ import annotations

from difflib import get_close_matches

from fsconsole.experiments.experiment import Experiment
from fsconsole.experiments.junglas import junglas
from fsconsole.experiments.machine_share import machine_share


class UnknownExperiment(ValueError):  # noqa: N818 (reads as what it is)
    """There is no experiment of that name; the message names the nearest."""


def experiments() -> tuple[Experiment, ...]:
    """All experiments."""
    return (machine_share(), *junglas())


def experiment_named(name: str) -> Experiment:
    """The experiment of that name; UnknownExperiment otherwise."""
    known = {experiment.name: experiment for experiment in experiments()}
    if name not in known:
        near = get_close_matches(name, known, 2, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}"
        msg = f"no experiment {name!r}; {hint}"
        raise UnknownExperiment(msg)
    return known[name]
