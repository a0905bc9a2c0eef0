"""Readings of a cluster that come one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from pytestqt.qtbot import QtBot

from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.targets.slurm.state import ClusterState
from tests.console.cluster.play import PlayTarget, parts_read

PERIOD_S = 60.0


class Clock(Protocol):
    """Goes on when a test says so."""

    now_s: float


def grown(standing: AssociationStatus, times: float) -> AssociationStatus:
    """All have used so much more, and their fairshare is less."""
    printed = standing.printed
    used = np.minimum(printed.effective_usage * times, 1.0)
    return replace(
        standing,
        raw_usage=standing.raw_usage * times,
        norm_usage=standing.norm_usage,
        printed=replace(printed, effective_usage=used, fairshare=printed.fairshare / times),
    )


def publish(observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot, **changed: Any) -> ClusterState:
    """A new state, and wait until it is shown."""
    state = target.publish(**changed)
    cluster = observe.cluster.watch.cluster
    assert cluster is not None

    def seen() -> bool:
        digest = observe.cluster.watch.digest
        return digest is not None and digest.state.serial == state.serial

    cluster.look()
    qtbot.waitUntil(seen)
    return state


def read_again(observe: LiveWorkspace, target: PlayTarget, clock: Clock, qtbot: QtBot) -> None:
    """A period later everything is read anew."""
    clock.now_s += PERIOD_S
    before = target.now.standing
    assert before is not None
    publish(observe, target, qtbot, standing=grown(before, 1.02), parts=parts_read(clock.now_s))
