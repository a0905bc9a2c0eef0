"""The response of a machine's copy to a step: a load that starts or ends, or other shares."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fsconsole.shares.edits import SetShares
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.actions import (
    Action,
    ChangeTree,
    EndProcesses,
    SetSetting,
    StartProcess,
    Work,
)

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.parts import PartMaker
    from fsconsole.shares.scenario.spec import Scenario

Kind = Literal["start", "stop", "shares"]
LEAD_S = 20.0
_SAMPLES = 400
# The response has settled within these fractions of the step, and at least of the machine.
_BAND, _LEAST_BAND = 0.05, 0.01
_END_PART = 0.2


@dataclass(frozen=True, slots=True)
class Step:
    """The step at 0: `node` starts an endless process, ends all its processes, or gets `times` the shares."""

    kind: Kind
    node: int
    times: float = 2.0


@dataclass(frozen=True, slots=True)
class Measures:
    """The numbers of a step response.

    Attributes:
        before, final: mean before the step and over the last fifth.
        settling_s: time after which it stays within 5 % of the step (1 % of the machine at least) of the
            final value; None if it does not.
        overshoot: maximum beyond the final value, as a fraction of the step; at least 0.
    """

    before: float
    final: float
    settling_s: float | None
    overshoot: float


@dataclass(frozen=True, eq=False, slots=True)
class Response:
    """One run: times in seconds from the step on, fractions of the machine, and their measures."""

    settings: dict[str, Any]
    times: Floats
    cpu_rate: Floats
    allocated_share: Floats
    effective_share: Floats
    measures: Measures


def step_response(
    checkpoint: bytes,
    scenario: Scenario,
    node: int,
    step: Step,
    length_s: float,
    settings: Mapping[str, Any] | None = None,
    *,
    leave_out_system: bool = False,
    is_cancelled: Callable[[], bool] = lambda: False,
    makers: tuple[PartMaker, ...] = (),
) -> Response | None:
    """Run a copy of a machine through a step and record a node; return None once it is cancelled.

    With `leave_out_system` all fractions are of the machine without system groups. `settings` replace those
    in force from `LEAD_S` before the step on; `makers` are the machine's.

    Raises:
        ValueError: the step or the settings are not possible.
        LookupError: the node is unknown.
    """
    from fsconsole.machine.checkpoint import load

    machine = load(checkpoint, scenario, makers)
    for key, value in (settings or {}).items():
        act_on(machine, SetSetting(key, value))
    hz = machine.spec.hz
    began = machine.tick + round(LEAD_S * hz)
    every = max(round(length_s * hz / _SAMPLES), hz)
    rows = Watch(machine, node, began, leave_out_system=leave_out_system)
    while machine.tick < began:
        machine.advance(min(machine.tick + hz, began))
        rows.take()
    for action in _actions(machine, step):
        act_on(machine, action)
    end = began + round(length_s * hz)
    while machine.tick < end:
        if is_cancelled():
            return None
        machine.advance(min(machine.tick + every, end))
        rows.take()
    return rows.response(dict(settings or {}))


class Watch:
    """Repeated values of one row; the CPU rate is over a window.

    `taken` has time, CPU rate, allocated and effective share, fractions of the machine; NaN before any run.
    """

    def __init__(
        self,
        machine: Machine,
        node: int,
        began: int,
        *,
        leave_out_system: bool = False,
        window_s: float | None = None,
        past: Sequence[tuple[int, float]] = (),
    ) -> None:
        """Count times from the tick `began`; without `window_s` the window is the scenario's.

        `past` has earlier ticks, and the use of the row and of the whole machine by then, in CPU ticks.
        """
        self._machine, self._began = machine, began
        usual_s = max(machine.scenario.plot.rate_window_s, 4.0)
        self._window = machine.spec.ticks(usual_s if window_s is None else window_s)
        self._leaves_out = leave_out_system
        cpus = machine.spec.cpus
        self._ran = deque((tick, used, float(tick * cpus)) for tick, used in past)
        self.taken: list[tuple[float, float, float, float]] = []
        self._node = node

    def take(self) -> None:
        """Record the present values."""
        machine, row = self._machine, self._machine.flat.row_of[self._node]
        self._ran.append((machine.tick, *self._used(row)))
        while len(self._ran) > 2 and self._ran[1][0] <= machine.tick - self._window:
            self._ran.popleft()
        (_, used_before, all_before), (_, used, whole) = self._ran[0], self._ran[-1]
        rate = (used - used_before) / (whole - all_before) if whole > all_before else np.nan
        allocated, effective = (self._part(name, row) for name in ("allocated_share", "effective_share"))
        time_s = (machine.tick - self._began) / machine.spec.hz
        self.taken.append((time_s, rate, allocated, effective))

    def _used(self, row: int) -> tuple[float, float]:
        """Return CPU ticks of the row, and of all that count, since the machine started."""
        machine = self._machine
        ran = machine.flat.group_sum(machine.ran.astype(np.float64))
        if self._leaves_out:
            counted = machine.flat.is_leaf & ~machine.flat.is_system
            return float(ran[row]), float(ran[counted].sum())
        return float(ran[row]), float(machine.tick * machine.spec.cpus)

    def _part(self, column: str, row: int) -> float:
        share = self._machine.sample().columns[column]
        return float((self._machine.flat.without_system(share) if self._leaves_out else share)[row])

    def response(self, settings: dict[str, Any]) -> Response:
        """Return the recorded values and their measures."""
        times, rate, allocated, effective = np.array(self.taken).T
        return Response(settings, times, rate, allocated, effective, measures(times, rate))


def measures(times: Floats, values: Floats) -> Measures:
    """Return settling time in s and overshoot of values over times in s, [k] each; the step is at 0, NaN is
    unknown.
    """
    known = ~np.isnan(values)
    times, values = times[known], values[known]
    answer, at = values[times > 0], times[times > 0]
    before = float(values[times <= 0].mean()) if (times <= 0).any() else 0.0
    tail = answer[at >= (1 - _END_PART) * at[-1]]
    final = float(tail.mean())
    size = final - before
    band = max(_BAND * abs(size), _LEAST_BAND)
    outside = np.flatnonzero(np.abs(answer - final) > band)
    settled: float | None = 0.0
    if len(outside):
        last = int(outside[-1])
        settled = float(at[last + 1]) if at[last] < (1 - _END_PART) * at[-1] else None
    beyond = float(((answer - final) * np.sign(size)).max()) if size else 0.0
    over = beyond / abs(size) if abs(size) > 2 * _LEAST_BAND and beyond > band else 0.0
    return Measures(before, final, settled, over)


def _actions(machine: Machine, step: Step) -> list[Action]:
    if step.kind == "start":
        return [StartProcess(step.node, Work(), "step")]
    flat = machine.flat
    row = flat.row_of[step.node]
    if step.kind == "stop":
        below = range(row, int(flat.end[row]))
        busy = [at for at in below if flat.is_leaf[at] and machine.state.processes[at]]
        return [EndProcesses(int(flat.ids[at])) for at in busy]
    shares = max(1, round(float(flat.shares[row]) * step.times))
    return [ChangeTree((SetShares(((step.node, shares),)),))]


def act_on(machine: Machine, action: Action) -> None:
    """Do an action now.

    Raises:
        ValueError: the action is refused; the message says why.
    """
    outcome = machine.act(action)
    if not outcome.done:
        raise ValueError(outcome.text)
