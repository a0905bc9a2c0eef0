"""The load that a scenario plans, as a lane under the time strip."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.load.plan import load_steps
from fsconsole.console.kit.load_lane import LoadLane
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession

_HEIGHT_PX = 28


class PlannedLoad(LoadLane):
    """Follows the open scenario on the time axis of the strip; hidden where it plans no load that changes."""

    def __init__(self, session: ConsoleSession, span: TimeRange, parent: QWidget | None = None) -> None:
        super().__init__(_HEIGHT_PX, parent)
        self._session, self._span = session, span
        self._shown: object = None
        for signal in (session.document_changed, session.target_changed, session.settings_changed):
            signal.connect(self._follow)
        span.changed.connect(self._follow_span)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        document = self._session.document
        scenario = document.scenario if document is not None else None
        planned = (
            None
            if scenario is None
            else (scenario.logins, scenario.workloads, scenario.events, scenario.plot, scenario.machine.cpus)
        )
        if planned == self._shown:
            return
        self._shown = planned
        self.end_s = float("inf") if scenario is None else scenario.plot.until_s
        steps = load_steps(scenario) if scenario is not None else []
        self.show_load(steps, self._span.whole_s, scenario.machine.cpus if scenario is not None else 1)
        self._follow_span()
        # A load that lasts from the first to the last second shows no change over time.
        self.setVisible(len(steps) > 3)

    @Slot()
    def _follow_span(self) -> None:
        self.set_range(self._span.first_s, self._span.whole_s)
