"""What the views of a night share: the night, the audit log, who acts and whether they may."""

from __future__ import annotations

import json
import logging
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import itemgetter
from pathlib import Path

from platformdirs import user_state_path
from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.app.nights.times import Times
from fsconsole.console.arming import READ_ONLY, Arming
from fsconsole.console.connections import once
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.refresh_throttle import RefreshThrottle
from fsconsole.console.session import ConsoleSession
from fsconsole.neardedicated.handlers import MOST_NOTE
from fsconsole.neardedicated.view import Alert, NightView
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.journal import Outcome
from fsconsole.shares.files import make_private_folder, write_atomic
from fsconsole.shares.scenario.actions import Acknowledge, Action, WriteNote
from fsconsole.shares.stored_format import FormatError, StoredFormat

KILLED = "The job was killed. It ends when the clock runs"
NOTE = StoredFormat("fsconsole shift note", "a shift note", was_bare=True)
_LATER_MS = 260
_NOWHEN = datetime(1970, 1, 1)  # noqa: DTZ001 - simulated time has no zone
Then = Callable[[Outcome], None]

_log = logging.getLogger(__name__)


def plain_text(text: str) -> str:
    """Return a text of letters, blanks and line ends; what controls a terminal or turns words round is left
    out.
    """
    return "".join(
        char if char.isprintable() or char == "\n" else " " if char.isspace() else "" for char in text
    ).strip()


@dataclass(frozen=True, slots=True)
class ShiftNote:
    """What an operator leaves for the next one; `when` in words."""

    text: str
    who: str
    when: str


class NoteStore:
    """One small file for each machine."""

    def __init__(self, folder: Path | None = None) -> None:
        """Store notes in `folder`, by default the state folder."""
        self._folder = folder or user_state_path("fsconsole") / "notes"

    def read(self, machine: str) -> ShiftNote | None:
        """Return the note that was left; None where there is none, or none that can be read."""
        try:
            note = NOTE.read(
                self.path(machine),
                lambda found: ShiftNote(str(found["text"]), str(found["who"]), str(found["when"])),
            )
        except FileNotFoundError:
            return None
        except (OSError, FormatError) as error:
            _log.warning("cannot read the shift note of %s: %s", machine, error)
            return None
        return note if note.text.strip() else None

    def write(self, machine: str, note: ShiftNote) -> None:
        """Keep a note instead of the last one; OSError where that cannot be."""
        make_private_folder(self._folder)
        write_atomic(
            self.path(machine), json.dumps(NOTE.header() | asdict(note), indent=1) + "\n", private=True
        )

    def path(self, machine: str) -> Path:
        """Return the file of a machine's note."""
        name = re.sub(r"[^\w.-]+", "-", machine.lower()).strip("-.")[:80] or "machine"
        return self._folder / f"{name}.json"


class MachineArming(Arming):
    """That of the session's machine: read-only again with every other one.

    Attributes:
        rows: what it has noted for the audit log, each with its place among the rows of its tick.
    """

    def __init__(
        self,
        session: ConsoleSession,
        now: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(session.preferences, session, now, steady)
        self._session = session
        self.rows: list[tuple[float, AuditRow]] = []
        session.target_changed.connect(self._on_target)
        session.document_changed.connect(self._on_target)
        session.past_moved.connect(self._on_past_moved)

    def can_arm(self) -> bool:
        """Return True if the machine exists and its present is shown."""
        return self._session.snapshot is not None and not self._session.locked

    def note(self, action: str, before: str, after: str, why: str) -> None:
        """Keep a row of it."""
        snapshot, document = self._session.newest, self._session.document
        tick = snapshot.tick if snapshot is not None else 0
        machine = document.scenario.machine.name if document is not None else ""
        row = AuditRow(tick, self.choices.who, action, machine, before, after, Result.DONE, "", why)
        earlier = snapshot.audit if snapshot is not None else ()
        self.rows.append((sum(one.tick == tick for one in earlier) - 0.5, row))

    @Slot()
    def _on_past_moved(self) -> None:
        """Disarm while the past is shown."""
        if self._session.past.is_on:
            self.disarm("the view shows the past")

    @Slot()
    def _on_target(self) -> None:
        """Disarm, and discard the rows of the former machine."""
        self.disarm("another target")
        self.rows.clear()


class NightController(QObject):
    """Follows the session at the tables' pace and submits the operator's actions.

    Signals: changed() with another night, or none; audited() with more in the audit log.
    """

    changed = Signal()
    audited = Signal()

    def __init__(self, session: ConsoleSession, arming: MachineArming | None = None) -> None:
        super().__init__(session)
        self.session = session
        self.arming = arming or MachineArming(session)
        self.notes = NoteStore()
        self.night: NightView | None = None
        self.reason = ""
        self._audit: tuple[AuditRow, ...] = ()
        self._kept: ShiftNote | None = None
        self._given: str | None = None
        self._tasks = Tasks(self)
        self._pace = RefreshThrottle()
        self._later = once(self, _LATER_MS, self.look)
        session.frame.connect(self._on_frame)
        session.target_changed.connect(self._on_target_changed)
        session.document_changed.connect(self._on_target_changed)
        self.arming.changed.connect(self.audited)
        self._on_target_changed()
        self.look()

    # -- what is so -----------------------------------------------------------------------------------------

    @property
    def times(self) -> Times:
        """Seconds of the machine as times of day."""
        document = self.session.document
        return Times(document.scenario.machine.start if document is not None else _NOWHEN)

    @property
    def hz(self) -> int:
        """Ticks in a second of the machine."""
        document = self.session.document
        return document.scenario.machine.hz if document is not None else 1

    @property
    def machine(self) -> str:
        """What the machine is called."""
        document = self.session.document
        return document.scenario.machine.name if document is not None else ""

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """Alerts of the night that last, acknowledged ones too."""
        return () if self.night is None else self.night.alerts

    def since(self, alert: Alert) -> str:
        """Return the start of an alert by the machine's clock."""
        return self.times.short(alert.since_s)

    def acknowledge(self, key: str) -> None:
        """Note on the machine that an alert was seen."""
        self.submit(Acknowledge(key))

    @property
    def who(self) -> str:
        """Name of the operator who acts here."""
        return self.arming.choices.who

    @property
    def is_armed(self) -> bool:
        """Whether actions go to the machine."""
        return self.arming.is_armed

    @property
    def audit(self) -> tuple[AuditRow, ...]:
        """All that was done, oldest first, with what this console has noted itself."""
        if not self.arming.rows:
            return self._audit
        places: Counter[int] = Counter()
        rows = []
        for row in self._audit:
            rows.append((row.tick, float(places[row.tick]), row))
            places[row.tick] += 1
        rows += [(row.tick, place, row) for place, row in self.arming.rows]
        return tuple(row for _, _, row in sorted(rows, key=itemgetter(0, 1)))

    @property
    def note(self) -> ShiftNote | None:
        """What the last operator has left for the next one: the newer of the machine's and the folder's."""
        kept, night = self._kept, self.night
        if night is None or not night.note or (kept is not None and kept.text == night.note):
            return kept
        return ShiftNote(night.note, night.note_by, self.times.clock(night.note_s))

    # -- what is done ---------------------------------------------------------------------------------------

    def act(self, action: Action, why: str = "", then: Then | None = None) -> None:
        """Start an armed operator's action; `then` gets the result."""
        self.arming.look()
        if not self.is_armed:
            self.session.message.emit(READ_ONLY)
            return
        reason, self.reason = why.strip() or self.reason, ""
        self.submit(action, reason, then)

    def submit(self, action: Action, why: str = "", then: Then | None = None) -> None:
        """Submit what may be done at any time: to acknowledge, to leave a note."""
        asked = self.session.act(action, self.who, why)
        if asked is not None:
            then = then or (lambda _: None)
            self._tasks.watch(asked, then, lambda error: then(Outcome(False, str(error), 0)))
        self.audited.emit()

    def leave_note(self, text: str) -> str:
        """Keep a note for the next operator; what went wrong, or nothing. Asked again, what is done stays."""
        text = plain_text(text)
        if len(text) > MOST_NOTE:
            return f"A note has at most {MOST_NOTE} characters. This one has {len(text)}."
        is_given = self.night is not None
        if is_given and text != self._given:
            self.submit(WriteNote(text))
            self._given = text
        try:
            when = f"{datetime.now().astimezone():%d %b %H:%M}"
            self.notes.write(self.machine, ShiftNote(text, self.who, when))
        except OSError as error:
            where = f"{self.notes.path(self.machine).parent}: {error.strerror or error}"
            if is_given:
                return f"The machine has the note, but it could not be saved for the next start in {where}"
            return f"The note could not be saved for the next start in {where}"
        self._given = None
        self._kept = self.notes.read(self.machine)
        self.changed.emit()
        return ""

    def show(self, night: NightView | None, audit: tuple[AuditRow, ...] = ()) -> None:
        """Show a night from now on."""
        is_other = audit != self._audit
        self.night, self._audit = night, audit
        self.changed.emit()
        if is_other:
            self.audited.emit()

    @Slot()
    def look(self) -> None:
        """Show what the newest snapshot has."""
        snapshot = self.session.snapshot
        if snapshot is not None:
            self._pace.keep()
            self.show(snapshot.night, snapshot.audit)

    # -- inside ---------------------------------------------------------------------------------------------

    @Slot()
    def _on_frame(self) -> None:
        if self._pace.is_due(is_running=self.session.is_running):
            self.look()
        elif not self._later.isActive():
            self._later.start()  # The last frame before a pause is shown too.

    @Slot()
    def _on_target_changed(self) -> None:
        self._tasks.cancel()
        self._later.stop()
        self.reason = ""
        self._given = None
        self._kept = self.notes.read(self.machine) if self.machine else None
        self.show(None)
