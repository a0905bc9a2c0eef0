from __future__ import annotations

import pytest

from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.study.run import CompletionEstimate
from fsconsole.batch.study.spec import Cell


def cell(order: str) -> Cell:
    return Cell(order, "a", BatchPolicy(order), None, "b", 8, None)  # type: ignore[arg-type]


def test_nothing_is_expected_before_a_cell_is_done() -> None:
    assert CompletionEstimate().left_s({"fcfs": 1}, 2) is None


def test_cells_take_as_long_as_others_of_their_order() -> None:
    pace = CompletionEstimate()
    pace.finished(cell("fcfs"), 1.0)
    pace.finished(cell("relshare"), 5.0)
    pace.now(3.0)  # two processes, all the time at work
    assert pace.left_s({"relshare": 1, "fcfs": 1}, 2) == pytest.approx(3.0)
    assert pace.left_s({"lxf": 2}, 1) == pytest.approx(6.0)  # as long as all do in the mean
    assert pace.left_s({"fcfs": 0}, 2) == 0


def test_time_beside_the_work_goes_on() -> None:
    pace = CompletionEstimate()
    pace.finished(cell("fcfs"), 1.0)
    pace.now(2.0)
    assert pace.left_s({"fcfs": 3}, 1) == pytest.approx(6.0)
