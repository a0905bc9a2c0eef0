"""A step response in a thread of its own: on a copy of the machine, with the settings in force and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from fsconsole.console.background import Background
from fsconsole.machine.insight.step_response import Response, Step, step_response
from fsconsole.neardedicated.build import makers_of
from fsconsole.shares.scenario.spec import Scenario


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """What is tried: the node that is watched, the step, for how long, and settings beside those in force."""

    node: int
    step: Step
    length_s: float
    settings: dict[str, Any]
    leave_out_system: bool = False


class StepWork(Background):
    """Signals: done(list of Response, that with the settings in force first), failed(reason)."""

    done = Signal(object)
    failed = Signal(str)

    def __init__(
        self, checkpoint: bytes, scenario: Scenario, question: StepQuestion, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._checkpoint, self._scenario, self._question = checkpoint, scenario, question

    def work(self) -> None:
        """Run the copies, one after the other."""
        asked = self._question
        found: list[Response] = []
        try:
            for settings in ({}, asked.settings) if asked.settings else ({},):
                response = step_response(
                    self._checkpoint, self._scenario, asked.node, asked.step, asked.length_s, settings,
                    leave_out_system=asked.leave_out_system, is_cancelled=self.is_cancelled,
                    makers=makers_of(self._scenario),
                )  # fmt: skip
                if response is None:
                    return
                found.append(response)
        except (ValueError, LookupError) as error:
            self.tell(self.failed, str(error.args[0] if error.args else error))
            return
        self.tell(self.done, found)
