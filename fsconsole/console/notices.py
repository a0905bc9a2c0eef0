"""Notices of the window: a file that is read, a copy to restore, a machine that has stopped, a conflict."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.connections import once
from fsconsole.console.files.copies import is_of_older_file
from fsconsole.console.files.restore import Restorer
from fsconsole.console.kit.forms import is_being_typed
from fsconsole.console.notice_bar import NoticeBar
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dialog import MessageBox
from fsconsole.console.widgets.dock_states import LINE_AFTER_MS, TEXT_AFTER_MS
from fsconsole.console.widgets.strip import Importance
from fsconsole.text.words import count_words

_DAYS = ("today", "yesterday")


class ReadingNotice(NoticeBar):
    """A file is being read: reported where it takes longer, and then the old content is muted.

    It is not muted while something is typed there, which would be entered by that.
    """

    def __init__(self, content: QWidget, cancel: Callable[[], object]) -> None:
        super().__init__("raised", "waiting", "accent", (("Cancel", self._on_cancelled),), Importance.TASK)
        self._content, self._cancel = content, cancel
        self._sentence_to_come = ""
        self._say_timer = once(self, LINE_AFTER_MS, self._on_long)
        self._mute_timer = once(self, TEXT_AFTER_MS, self._on_very_long)

    def start(self, sentence: str) -> None:
        """Report that reading has begun; a later start only changes the sentence."""
        self._sentence_to_come = sentence
        if self.is_wanted:
            self.say(sentence)
        elif not self._say_timer.isActive():
            self._say_timer.start()
            self._mute_timer.start()

    @Slot()
    def finish(self) -> None:
        """Report nothing more, and show the content as usual."""
        self._say_timer.stop()
        self._mute_timer.stop()
        self._content.setEnabled(True)
        self.put_away()

    @Slot()
    def _on_long(self) -> None:
        self.say(self._sentence_to_come)

    @Slot()
    def _on_very_long(self) -> None:
        focus: QWidget | None = self._content.window().focusWidget()
        if focus is None or not is_being_typed(focus):
            self._content.setEnabled(False)

    def _on_cancelled(self) -> None:
        self.finish()
        self._cancel()


class RestoreNotice(NoticeBar):
    """Offers copies of documents that were not saved when the console ended."""

    def __init__(self, restorer: Restorer) -> None:
        super().__init__(
            "sel",
            "undo",
            "accent",
            (("Restore", restorer.restore), ("Discard copy…", restorer.discard)),
            Importance.QUESTION,
        )
        self._restorer = restorer
        restorer.changed.connect(self._show_offer)

    @Slot()
    def _show_offer(self) -> None:
        facts = self._restorer.offered
        if facts is None:
            self.put_away()
            return
        when, edits = day_and_time(facts.when), count_words(facts.edits, "more edit")
        sentences = [
            f"{facts.name} was not saved last time.",
            f"A copy from {when} has {edits}." if facts.edits else f"A copy from {when} was kept.",
        ]
        if is_of_older_file(facts):
            sentences.append("The file has been changed since.")
        if facts.notes:
            notes = count_words(len(facts.notes), "note")
            sentences.append(f"It has {notes} on a run, which was not recorded.")
        elif facts.has_run:
            sentences.append("Its run was not recorded, and does not come back.")
        self.say(" ".join(sentences))


class FaultNotice(NoticeBar):
    """The notice that the machine's engine has stopped while the console runs on."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(
            "dangerbg",
            "warning",
            "danger",
            (("Restart machine", session.restart), ("Details…", self.show_details)),
            Importance.FAULT,
        )
        self._session = session
        self._fault: str | None = None
        session.frame.connect(self._refresh)
        session.target_changed.connect(self._clear)
        session.document_changed.connect(self._clear)

    def show_details(self) -> None:
        """Show the report of the fault, to be copied."""
        target = self._session.target
        more = "The tree and recorded data are safe. You can keep editing, but the simulation has stopped."
        box = MessageBox(self.window(), self.text, more)
        box.setDetailedText(target.fault_report if target is not None else "")
        box.show_remark()

    @Slot()
    def _refresh(self) -> None:
        fault = "" if self._session.target is None else self._session.target.fault
        if fault and fault != self._fault:
            self._fault = fault
            self.say(fault)

    @Slot()
    def _clear(self) -> None:
        self._fault = None
        self.put_away()


class ConflictNotice(NoticeBar):
    """The notice of a conflict between a change of the user and an external one."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__("warnbg", "warning", "warn", (("Close", self.put_away),), Importance.QUESTION)
        session.conflicted.connect(self.say)
        session.conflict_settled.connect(self.put_away)
        session.target_changed.connect(self.put_away)
        session.document_changed.connect(self.put_away)


class NotEnteredNotice(NoticeBar):
    """The notice that what was half typed was not entered, with its text: its node was removed."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__("warnbg", "warning", "warn", (("Close", self.put_away),), Importance.QUESTION)
        session.not_entered.connect(self.say)
        session.document_changed.connect(self.put_away)


class PreferencesNotice(NoticeBar):
    """The notice of a file of preferences that cannot be used."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__("warnbg", "warning", "warn", (("Close", self.put_away),), Importance.FAULT)
        session.preferences.failed.connect(self.say)
        if session.preferences.problem:
            self.say(session.preferences.problem)


def day_and_time(when: datetime) -> str:
    """Return a date in short words: today 14:32, yesterday 09:05, 19 Nov."""
    day_text = day(when)
    return f"{day_text} {when:%H:%M}" if day_text in _DAYS else day_text


def day(when: datetime) -> str:
    """Return a day in words: today, yesterday, 19 Nov, 19 Nov 2025."""
    now = datetime.now().astimezone()
    days = (now.date() - when.date()).days
    if 0 <= days < len(_DAYS):
        return _DAYS[days]
    return f"{when.day} {when:%b}" if when.year == now.year else f"{when.day} {when:%b %Y}"
