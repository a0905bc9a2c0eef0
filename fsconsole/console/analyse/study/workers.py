"""Where runs of a study are computed: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.kit.forms import FormDialog, TextField
from fsconsole.console.preferences import Preferences
from fsconsole.console.widgets.labels import MutedLabel

if TYPE_CHECKING:
    from fsconsole.batch.study.task import WorkExecutor

_KEY = "study/workers"
_MOST = 1024
_HINT = "Write a number of processes on this machine, or the address of a Dask scheduler (tcp://host:8786)."


@dataclass(frozen=True, slots=True)
class Workers:
    """So many processes of this machine (None: one for each core), or the scheduler at an address."""

    count: int | None = None
    address: str = ""

    @classmethod
    def read(cls, text: str) -> Workers:
        """Return the workers of a typed text.

        Raises:
            ValueError: the text is wrong; the message says what to write.
        """
        text = text.strip()
        if not text:
            return cls()
        if re.fullmatch(r"\d{1,6}", text):
            if not 1 <= int(text) <= _MOST:
                msg = f"'{text}' is not a number of processes. Write a whole number from 1 to {_MOST}."
                raise ValueError(msg)
            return cls(int(text))
        if re.fullmatch(r"(tcp|tls|ucx|ws|wss)://[^\s/]+", text):
            return cls(None, text)
        msg = f"{text!r} is neither a number of processes nor an address. Example: 8 or tcp://host:8786."
        raise ValueError(msg)

    def __str__(self) -> str:
        return self.address or ("" if self.count is None else str(self.count))

    def executor(self) -> WorkExecutor:
        """Return the executor of the works, in a thread; StudyError if a cluster cannot be reached."""
        if self.address:
            from fsconsole.batch.study.cluster import ClusterExecutor

            return ClusterExecutor(self.address)
        from fsconsole.batch.study.executors import LocalExecutor

        return LocalExecutor(self.count)


def workers_of(preferences: Preferences) -> Workers:
    """Return the chosen workers; this machine if the stored choice cannot be read."""
    try:
        return Workers.read(str(preferences.value(_KEY, "")))
    except ValueError:
        return Workers()


class WorkersDialog(FormDialog):
    """Asks for the place of later runs."""

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__("Study workers", parent)
        self._preferences = preferences
        self.where = TextField("Workers", str(workers_of(preferences)), "one process for each core")
        hint = MutedLabel(_HINT, self, wraps=True)
        self.lay_out("Keep", ("&Workers", self.where), ("", hint))
        self.resize(440, self.sizeHint().height())

    @Slot()
    def accept(self) -> None:
        """Keep it; what cannot be keeps the dialog open."""
        try:
            workers = Workers.read(self.where.text())
        except ValueError as error:
            self.refuse(self.where, str(error))
            return
        self._preferences.set_value(_KEY, str(workers))
        super().accept()
