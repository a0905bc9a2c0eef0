"""The machine of a run on disk: it waits for its state exactly as long as that is on its way."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from fsconsole.recording.keyframes import Keyframes
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.recorded.machine import RecordedMachine
from fsconsole.targets.rewind import Rewinder
from fsconsole.targets.snapshot import Snapshot


class AnsweredByHand(Rewinder):
    """A rewinder whose answers a test gives; the first is at hand."""

    def __init__(self) -> None:
        super().__init__(read_scenario(examples() / "convex-series-1.yaml"), Keyframes(), tuple)
        self.first = super().moment(0.0).result(60)
        self.times: list[float] = []
        self.futures: list[Future[Snapshot]] = []

    def moment(self, time_s: float) -> Future[Snapshot]:
        self.times.append(time_s)
        self.futures.append(Future())
        return self.futures[-1]


@pytest.fixture
def rewinder() -> Iterator[AnsweredByHand]:
    made = AnsweredByHand()
    yield made
    made.close(wait=True)


def test_it_waits_while_its_state_is_on_its_way_and_asks_again_where_more_was_recorded(
    rewinder: AnsweredByHand,
) -> None:
    end_s = 10.0
    machine = RecordedMachine(rewinder._scenario, rewinder, lambda: end_s)
    assert not machine.is_waiting
    for _ in range(2):  # what is on its way is not asked for again
        assert not machine.look()
        assert (machine.is_waiting, machine.snapshot(), rewinder.times) == (True, None, [10.0])
    rewinder.futures[0].set_result(rewinder.first)
    assert not machine.is_waiting
    assert [machine.look() for _ in range(2)] == [True, False]
    assert (machine.snapshot(), machine.problem) == (rewinder.first, "")
    assert rewinder.times == [10.0]
    end_s = 20.0
    assert not machine.look()
    assert (machine.is_waiting, rewinder.times) == (True, [10.0, 20.0])
    assert machine.snapshot() is rewinder.first


def test_what_was_cancelled_is_asked_for_again_and_what_failed_is_a_problem(rewinder: AnsweredByHand) -> None:
    machine = RecordedMachine(rewinder._scenario, rewinder, lambda: 10.0)
    machine.look()
    rewinder.futures[0].cancel()
    assert not machine.is_waiting
    assert not machine.look()
    assert (machine.is_waiting, rewinder.times) == (True, [10.0, 10.0])
    rewinder.futures[1].set_exception(ValueError("damaged"))
    assert [machine.look() for _ in range(2)] == [True, False]
    assert (machine.snapshot(), machine.problem, machine.is_waiting) == (None, "damaged", False)
