"""All experiments in the order of lists, grouped by paper."""

from __future__ import annotations

from fsconsole.experiments.damping import unicos_damping
from fsconsole.experiments.effective_share import effective_share
from fsconsole.experiments.effects import effects
from fsconsole.experiments.experiment import Experiment
from fsconsole.experiments.io_interference import io_interference
from fsconsole.experiments.junglas import junglas
from fsconsole.experiments.junglas_batch import junglas_batch
from fsconsole.experiments.junglas_steering import junglas_steering
from fsconsole.experiments.linux_series import linux_series
from fsconsole.experiments.machine_share import machine_share
from fsconsole.experiments.memory_hard_sleep import memory_hard_sleep
from fsconsole.experiments.memory_locked_io import memory_locked_io
from fsconsole.experiments.memory_thrash import memory_thrash
from fsconsole.experiments.navoceano import navoceano
from fsconsole.experiments.navoceano_groups import navoceano_groups
from fsconsole.experiments.navoceano_memory import navoceano_memory
from fsconsole.experiments.navoceano_tables import navoceano_tables
from fsconsole.experiments.navoceano_urm import navoceano_urm
from fsconsole.experiments.near_dedicated_design import near_dedicated_design
from fsconsole.experiments.near_dedicated_modes import near_dedicated_modes
from fsconsole.experiments.near_dedicated_preemption import near_dedicated_preemption
from fsconsole.experiments.near_dedicated_report import near_dedicated_report
from fsconsole.experiments.near_dedicated_utilisation import near_dedicated_utilisation
from fsconsole.experiments.relshare import relshare
from fsconsole.experiments.relshare_table_one import relshare_table_one
from fsconsole.experiments.saturation import saturation
from fsconsole.experiments.unicos_control import unicos_control
from fsconsole.experiments.unicos_decay import unicos_decay
from fsconsole.experiments.unicos_flat import unicos_flat
from fsconsole.experiments.unicos_groups import unicos_groups
from fsconsole.experiments.unicos_limits import unicos_limits
from fsconsole.experiments.yalim import yalim_tables
from fsconsole.experiments.yalim_fairshare import yalim_figures
from fsconsole.experiments.yalim_padding import yalim_padding
from fsconsole.text.nearest import nearest_or_all


class UnknownExperiment(ValueError):  # noqa: N818 (reads as what it is)
    """The name is not an experiment's; the message suggests the nearest one."""


def experiments() -> tuple[Experiment, ...]:
    """Return all experiments, in the order of their papers."""
    return (
        machine_share(),
        *junglas(),
        effective_share(),
        *junglas_batch(),
        *junglas_steering(),
        *linux_series(),
        *unicos_flat(),
        unicos_decay(),
        *unicos_groups(),
        unicos_damping(),
        unicos_limits(),
        unicos_control(),
        navoceano_tables(),
        *navoceano(),
        *navoceano_groups(),
        navoceano_urm(),
        navoceano_memory(),
        saturation(),
        *effects(),
        io_interference(),
        near_dedicated_report(),
        near_dedicated_preemption(),
        near_dedicated_modes(),
        near_dedicated_utilisation(),
        near_dedicated_design(),
        memory_hard_sleep(),
        memory_locked_io(),
        memory_thrash(),
        *relshare(),
        relshare_table_one(),
        *yalim_tables(),
        yalim_padding(),
        *yalim_figures(),
    )


def experiment_named(name: str) -> Experiment:
    """Return the experiment of that name.

    Raises:
        UnknownExperiment: the name is unknown.
    """
    known = {experiment.name: experiment for experiment in experiments()}
    if name not in known:
        msg = f"unknown experiment {name!r}{nearest_or_all(name, known)}"
        raise UnknownExperiment(msg)
    return known[name]
