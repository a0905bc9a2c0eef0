"""Recording of a simulated machine to disk: a run folder, and the audit log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.machine.sample import Sample
from fsconsole.recording.audit import CONTROL
from fsconsole.recording.audit_log import AuditLog, file_name
from fsconsole.recording.run_format import RunError

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.recording.run_writer import RunWriter


class Recorder:
    """Starts and stops a recording; a disk error ends the recording and not the machine.

    Attributes:
        path: run folder being written, or None.
        problem: why the last recording ended by itself; empty if it did not.
    """

    def __init__(self, machine: Machine) -> None:
        """Bind the recorder to a machine, whose thread makes all calls."""
        self._machine = machine
        self._writer: RunWriter | None = None
        self.path: Path | None = None
        self.problem = ""

    def start(self, path: Path, *, overwrite: bool = False) -> str:
        """Start to write a run folder; return the result in words.

        Raises:
            RunError: the folder cannot be written.
        """
        from fsconsole.machine.checkpoint import capture
        from fsconsole.recording.run_writer import RunWriter
        from fsconsole.shares.scenario.write import write_text

        self.stop()
        machine = self._machine
        text = write_text(machine.scenario)
        self._writer = RunWriter(
            machine, path, scenario_text=text, capture=lambda: capture(machine), overwrite=overwrite
        )
        self.path, self.problem = path, ""
        machine.listeners.append(self._take)
        self._take(machine.sample())
        return f"Recording into {path.name}"

    def stop(self) -> str:
        """Close the run folder, if one is being written. Return the result in words."""
        writer, path = self._end()
        if writer is None or path is None:
            return ""
        from fsconsole.machine.summary import summary_of

        writer.close(summary=summary_of(self._machine), tick=self._machine.tick)
        return f"Recorded {path.name}"

    def heed(self) -> None:
        """Write the data that is due, between two stretches of the machine."""
        if self._writer is None:
            return
        try:
            self._writer.keep_up()
        except RunError as error:
            self._end()
            self.problem = f"Recording ended: {error}"

    def _take(self, sample: Sample) -> None:
        if self._writer is None:
            return
        try:
            self._writer(sample)
        except RunError as error:
            self._end()
            self.problem = f"Recording ended: {error}"

    def _end(self) -> tuple[RunWriter | None, Path | None]:
        if self._writer is not None:
            # The listener is not removed from the list itself, since the machine may be going through it.
            self._machine.listeners = [
                listener for listener in self._machine.listeners if listener != self._take
            ]
        writer, path = self._writer, self.path
        self._writer, self.path = None, None
        return writer, path


FOLDER = "audit"


def audit_path(machine: str) -> Path:
    """Return the path of the log of a machine of that name in the user's state folder."""
    from platformdirs import user_state_path

    return user_state_path("fsconsole") / FOLDER / file_name(machine)


class AuditFile:
    """Writes the actions on one machine to the audit log; a disk error does not stop the machine.

    Attributes:
        problem: why actions are not written yet; the next successful write includes them. Empty without a
            problem.
    """

    def __init__(self, machine: Machine) -> None:
        """Start with the actions from now on."""
        self._machine = machine
        self._seen = len(machine.audit)
        self._log = AuditLog(audit_path(machine.spec.name), machine.spec.hz, machine.spec.start, private=True)
        self.problem = ""

    def heed(self) -> str:
        """Write new actions; return why that failed, or an empty text."""
        rows = [row for row in self._machine.audit[self._seen :] if row.who != CONTROL]
        seen = len(self._machine.audit)
        try:
            self._log.write(rows)
        except OSError as error:
            place = error.filename or self._log.path
            self.problem = f"cannot write the audit log {place}: {error.strerror or error}"
            return self.problem
        self._seen, self.problem = seen, ""
        return ""
