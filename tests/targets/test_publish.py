"""When snapshots are due."""

from __future__ import annotations

import pytest

from fsconsole.recording.series import TieredSeries
from fsconsole.targets import publish
from fsconsole.targets.publish import Publisher
from tests.targets.test_realtime import Clock


def test_the_first_snapshot_is_due_however_short_the_computer_has_been_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    clock.now = 0.0
    monkeypatch.setattr(publish, "time", clock)
    assert Publisher(TieredSeries(("cpu_rate",), 1)).is_due
