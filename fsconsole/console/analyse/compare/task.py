"""A comparison in threads of its own."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from fsconsole.console.background import Background
from fsconsole.experiments.comparing import Variant, compare
from fsconsole.experiments.experiment import Cancelled
from fsconsole.shares.scenario.spec import Scenario

_STEP = 0.01
_log = logging.getLogger(__name__)


class CompareTask(Background):
    """Runs the variants. Signals: progressed(fraction), finished(Comparison), failed(sentence)."""

    progressed = Signal(float)
    finished = Signal(object)
    failed = Signal(str)

    def __init__(
        self, scenario: Scenario, variants: Sequence[Variant], until_s: float, parent: QObject
    ) -> None:
        """`scenario` is the task's own; nobody else changes it."""
        super().__init__(parent)
        self._scenario, self._variants, self._until_s = scenario, tuple(variants), until_s
        self._told = 0.0

    def work(self) -> None:
        """In the thread."""
        try:
            found = compare(
                self._scenario,
                self._variants,
                self._until_s,
                progress=self._at,
                cancelled=self.is_cancelled,
            )
        except Cancelled:
            return
        except Exception as error:  # noqa: BLE001 (whatever went wrong is shown above the plot)
            _log.warning("the comparison failed", exc_info=error)
            self.tell(self.failed, str(error) or type(error).__name__)
            return
        self.tell(self.finished, found)

    def _at(self, fraction: float) -> None:
        if fraction - self._told >= _STEP:
            self._told = fraction
            self.tell(self.progressed, fraction)
