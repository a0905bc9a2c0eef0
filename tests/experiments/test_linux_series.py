"""Junglas' series on the machine itself: skipped where that is not permitted, and in short where it is."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.console.analyse.experiment_model import measured
from fsconsole.experiments import linux_series
from fsconsole.experiments.linux_series import SERIES, Pace, run_series
from fsconsole.experiments.registry import experiment_named
from fsconsole.linux.busy_leaves import Gained
from tests.linux.real_kernel import alone, here, why_not
from tests.texts import says, wording

__all__ = ["alone"]
SHORT = Pace(speed_up=60.0, plain_s=2.0, points=3.0, convex_points=8.0)


@pytest.mark.parametrize("number", sorted(SERIES))
def test_it_is_skipped_and_says_why(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_series, "why_not", lambda: "systemd owns the control groups here.")
    result = experiment_named(f"linux-series-{number}").run()
    assert result.claims == ()
    reason = wording("linux.systemd-owns-control-groups-here").rstrip(".")
    assert result.tally().split(": ") == ["Skipped", reason]
    assert result.standing == "nothing fails"
    assert result.to_json()["skipped"] == wording("linux.systemd-owns-control-groups-here")
    assert measured(result).text == "skipped"


def test_parts_are_of_what_all_got_between_two_times() -> None:
    gained = Gained((1, 2))
    for time_s, cpu_s in ((0.0, (0.0, 0.0)), (1.0, (1.0, 0.0)), (2.0, (2.0, 3.0)), (3.0, (2.0, 3.0))):
        gained.take(time_s, cpu_s)
    assert gained.parts(0.0, 2.0).tolist() == pytest.approx([0.4, 0.6])
    assert gained.parts(0.9, 2.1).tolist() == pytest.approx([0.25, 0.75])
    assert gained.parts(2.0, 3.0).tolist() == [0.0, 0.0]


@pytest.mark.dear("keeps the processors busy, to be divided by the kernel")
@pytest.mark.usefixtures("alone")
@pytest.mark.skipif(bool(why_not()), reason=why_not() or "control groups can be changed here")
def test_a_short_run_on_the_kernel_follows_shares_and_the_convex_and_leaves_nothing() -> None:
    progress: list[float] = []
    result = run_series(4, progress.append, lambda: False, SHORT)
    assert [claim.explain() for claim in result.claims if claim.fails] == []
    assert len(result.claims) == 2
    assert np.all(np.diff(progress) >= 0)
    assert says(result.figures[0].caption, "experiments.time-as-on-convex-machine", speed_up="60")
    assert list(here().cpu.glob("fsconsole-series-4")) == []
