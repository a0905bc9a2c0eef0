"""Reading a file in a thread of its own, so that the window stays alive."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from fsconsole.console.background import SCENARIO_FORM, Background, called, load

if TYPE_CHECKING:
    from fsconsole.shares.formats import Format
    from fsconsole.shares.scenario.spec import Scenario

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read.

    Attributes:
        path: where it is.
        text: what it holds.
        scenario: what that says.
        form: name of its format.
    """

    path: Path
    text: str
    scenario: Scenario
    form: str

    @property
    def is_foreign(self) -> bool:
        """Whether it is of another format than the console saves in."""
        return self.form != "yaml"


class Reading(Background):
    """One file on its way.

    Signals, each with this object first: progressed(fraction); then either done(ReadFile) or failed(error).
    """

    progressed = Signal(object, float)
    done = Signal(object, object)
    failed = Signal(object, object)

    def __init__(self, path: Path, parent: QObject, form: Format | None = None) -> None:
        """`form` is the format; the file's suffix and content tell where none is given."""
        super().__init__(parent)
        self.path = path
        self._form = form
        self._told = 0.0

    # -- in the thread ------------------------------------------------------------------------------------

    def work(self) -> None:
        """Read the file and tell what came of it."""
        from fsconsole.shares.scenario.yaml_nodes import Cancelled

        try:
            found = called(self._read)
        except Cancelled:
            return
        except Exception as error:  # noqa: BLE001 (whatever is wrong with a file is told in the window)
            if not isinstance(error, OSError | ValueError):
                _log.warning("%s cannot be opened", self.path, exc_info=error)
            self.tell(self.failed, self, error)
        else:
            self.tell(self.done, self, found)

    def _read(self) -> ReadFile:
        load(SCENARIO_FORM)
        from fsconsole.shares.formats import format_of
        from fsconsole.shares.scenario.problems import ScenarioError
        from fsconsole.shares.scenario.read import parse_scenario
        from fsconsole.shares.scenario.yaml_nodes import MAX_BYTES, text_of

        with self.path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        try:
            text = text_of(data)
            form = self._form or format_of(self.path, text)
            if form.name == "yaml":
                scenario = parse_scenario(text, "", self._progress, self.is_cancelled)
            else:
                scenario = form.read(text)
        except ScenarioError as error:
            raise ScenarioError(error.problems, self.path.name) from None
        return ReadFile(self.path, text, scenario, form.name)

    def _progress(self, part: float) -> None:
        if part - self._told >= 0.01:
            self._told = part
            self.tell(self.progressed, self, part)
