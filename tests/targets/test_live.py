"""What the console draws live besides what is recorded."""

from __future__ import annotations

import numpy as np

from fsconsole.machine.machine import Machine
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.live import live_sample


def test_the_normalised_usage_of_who_has_no_part_is_unknown() -> None:
    """In Convex series 1 not all users are logged in at first; what is recorded stays 0."""
    machine = Machine(read_scenario(examples() / "convex-series-1.yaml"))
    machine.advance(60)
    recorded = machine.sample()
    live = live_sample(recorded, machine.flat)
    inactive = recorded.columns["allocated_share"] == 0
    assert inactive.any()
    assert not inactive.all()
    assert (np.isnan(live.columns["normalised_usage"]) == inactive).all()
    assert (recorded.columns["normalised_usage"][inactive] == 0).all()
