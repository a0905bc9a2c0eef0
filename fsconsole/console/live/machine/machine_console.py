"""The machine's own shell in a dock: what was typed, what the machine answered, and a prompt below."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from fsconsole.console.live.machine.line_output import MARGIN, LineOutput, is_prose, put_ink
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.style.theme import theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.labels import PlainLabel

_CLEAR = "clear"
_MOST_PASTED = 1_000_000  # Characters, enough for a long share database.
MOST_LINES = 500
_LONGEST_USER = 16
_READS_BELOW = "sharecf"


class MachineConsole(QWidget):
    """Lines run one after the other, each with its answer below; what is typed before that waits its turn.

    Signals: run_wanted() at the space bar before an empty line, to run or pause the machine; left() at Esc
    there.
    """

    run_wanted = Signal()
    left = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._history = LineHistory()
        self._name = ""
        self._prompt = ""
        self._is_waiting = False
        self._running = ""
        self._ahead: deque[str] = deque()
        self.output = LineOutput(self)
        self.input = _Input(self)
        self._label = PlainLabel("", self, font=fixed_font())
        self.setFocusProxy(self.input)
        self._build_ui()
        self.input.returnPressed.connect(self._enter)
        self.input.stepped.connect(self._step)
        self.input.completing.connect(lambda: session.line.complete(self.input.text()))
        self.input.clearing.connect(self.output.clear)
        self.input.copying.connect(self._copy_or_drop)
        self.input.run_wanted.connect(self.run_wanted)
        self.input.left.connect(self.left)
        self.input.textEdited.connect(self._run_pasted)
        self.output.typed.connect(self._type)
        session.line.replied.connect(self._show_reply)
        session.line.user_changed.connect(self._show_user)
        session.line.completed.connect(self._show_completed)
        session.document_changed.connect(self.start_anew)
        theme().changed.connect(self._colour_prompt)
        self.start_anew()

    @property
    def name(self) -> str:
        """What the prompt calls the machine."""
        return self._name

    @Slot()
    def start_anew(self) -> None:
        """Begin an empty console with the prompt of the open document's machine."""
        document = self._session.document
        self._name = machine_in_prompt(document.scenario.machine.name if document is not None else "")
        self._show_user()
        self._ahead.clear()
        self._is_waiting = False
        self.output.clear()
        self.input.clear()
        self._colour_prompt()

    def run(self, line: str) -> None:
        """Have a line run, once those before it have been answered."""
        if self._is_waiting:
            self._ahead.append(line)
            return
        self.output.add_command(self._prompt, line)
        if line.strip() == _CLEAR:
            self.output.clear()
        elif line.strip():
            self._is_waiting, self._running = True, line
            self._session.line.run(line)

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        entry = hbox(self._label, (self.input, 1), margins=(MARGIN, 0, MARGIN, 0))
        vbox((self.output, 1), entry, 0, on=self, margins=(0, MARGIN // 2, 0, MARGIN // 2))

    @Slot()
    def _show_user(self) -> None:
        """Show the prompt of the shell's present user."""
        self._prompt = prompt_of(self._name, self._session.line.user)
        self._label.setText(self._prompt)

    @Slot()
    def _enter(self) -> None:
        line = self.input.text()
        self.input.clear()
        self._history.add(line)
        self.run(line)

    @Slot(str)
    def _run_pasted(self, text: str) -> None:
        """Run lines as if typed; text after the last line end waits for Enter."""
        lines, rest = typed_lines(text)
        if lines:
            self.input.setText(rest)
        for line in lines:
            self._history.add(line)
            self.run(line)

    @Slot(int)
    def _step(self, by: int) -> None:
        self.input.setText(self._history.step(by, self.input.text()))

    @Slot()
    def _copy_or_drop(self) -> None:
        """Ctrl+C copies what is selected above, else drops the line and those that wait, as shells do."""
        if self.output.textCursor().hasSelection():
            self.output.copy()
        else:
            self.output.add_command(self._prompt, self.input.text())
            self.input.clear()
            self._ahead.clear()

    @Slot(object)
    def _type(self, event: QKeyEvent) -> None:
        """Put what is typed over the answers behind the prompt."""
        self.input.setFocus(Qt.FocusReason.OtherFocusReason)
        self.input.insert(event.text())

    @Slot(str, int)
    def _show_reply(self, text: str, status: int) -> None:
        if not self._is_waiting:
            return  # The query was sent before another document was opened.
        self._is_waiting = False
        if text:
            self.output.add_answer(text, is_prose=is_prose(self._running, status))
        while self._ahead and not self._is_waiting:
            self.run(self._ahead.popleft())

    @Slot(str, object)
    def _show_completed(self, line: str, words: tuple[str, ...]) -> None:
        if line != self.input.text():
            return  # The operator has typed since the query.
        longer = completed(line, words)
        if longer == line and len(words) > 1:
            self.output.add_command(self._prompt, line)
            self.output.add_answer("  ".join(words))
        self.input.setText(longer)

    @Slot()
    def _colour_prompt(self) -> None:
        put_ink(self._label, "accent")
        put_ink(self.input, "text")

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.input.setFocus(Qt.FocusReason.MouseFocusReason)
        event.accept()

    def sizeHint(self) -> QSize:
        # The width that the dock above needs.
        return QSize(320, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 92)


class _Input(QLineEdit):
    """The line behind the prompt.

    Signals: stepped(-1 or 1) through history; completing() at Tab unless the line is empty; clearing() at
    Ctrl+L; copying() at Ctrl+C without a selection; run_wanted() at the space bar and left() at Esc while
    the line is empty.
    """

    stepped = Signal(int)
    completing = Signal()
    clearing = Signal()
    copying = Signal()
    run_wanted = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFont(fixed_font())
        self.setFrame(False)
        self.setAccessibleName("Machine console, command")
        self.setMaxLength(_MOST_PASTED)

    def event(self, event: QEvent) -> bool:
        # Tab completes the word. On an empty line it moves the focus, as Shift+Tab and F6 do on any line.
        if (
            event.type() is QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Tab
            and self.text()
        ):
            self.completing.emit()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, is_ctrl = event.key(), event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.stepped.emit(-1 if key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_Space and not self.text():
            self.run_wanted.emit()
        elif key == Qt.Key.Key_Escape and not self.text():
            self.left.emit()
        elif key == Qt.Key.Key_Escape:
            self.clear()
        elif is_ctrl and key == Qt.Key.Key_L:
            self.clearing.emit()
        elif event.matches(QKeySequence.StandardKey.Copy) and not self.hasSelectedText():
            self.copying.emit()
        else:
            super().keyPressEvent(event)


class LineHistory:
    """Lines that were run, the newest last; steps back and forth among them and the line just begun."""

    def __init__(self) -> None:
        """Start with nothing typed."""
        self._lines: list[str] = []
        self._at = 0
        self._begun = ""

    def add(self, line: str) -> None:
        """Keep a line that was run; one typed twice in a row is kept once."""
        if line.strip() and self._lines[-1:] != [line]:
            self._lines = [*self._lines, line][-MOST_LINES:]
        self._at = len(self._lines)
        self._begun = ""

    def step(self, by: int, typed: str) -> str:
        """Return the line before (-1) or after (1) the displayed one; `typed` is the present text."""
        if self._at == len(self._lines):
            self._begun = typed
        self._at = min(max(self._at + by, 0), len(self._lines))
        return self._begun if self._at == len(self._lines) else self._lines[self._at]


def typed_lines(text: str) -> tuple[list[str], str]:
    """Return the complete lines of a text, and the rest; all below a bare `sharecf` is its input."""
    *lines, rest = text.replace("\r\n", "\n").split("\n")
    if lines and lines[0].split() == [_READS_BELOW]:
        return ["\n".join([*lines, rest])], ""
    return lines, rest


def completed(line: str, words: Sequence[str]) -> str:
    """Return the line with its last word as long as all that it may become agree; a blank follows the only
    one.
    """
    if not words:
        return line
    start = len(line) - len(_last_word(line))
    common = _common(words) + (" " if len(words) == 1 else "")
    return line[:start] + common if len(common) > len(line) - start else line


def _common(words: Sequence[str]) -> str:
    """Return the common beginning of words."""
    first, last = min(words), max(words)
    agreed = next((at for at, sign in enumerate(first) if last[at : at + 1] != sign), len(first))
    return first[:agreed]


def _last_word(line: str) -> str:
    return "" if not line or line[-1].isspace() else line.rsplit(maxsplit=1)[-1]


def prompt_of(machine: str, user: str = "") -> str:
    """Return the prompt: `c2# ` for the operator, `u21@c2$ ` for another user."""
    return f"{user[:_LONGEST_USER]}@{machine}$ " if user else f"{machine}# "


def machine_in_prompt(machine: str) -> str:
    """Return `c2` for Convex C2: the last word of a machine's name that begins with a letter."""
    words = [word for word in machine.replace(",", " ").split() if word.casefold() != "simulated"]
    named = [word for word in words if word[0].isalpha()]
    return named[-1].casefold() if named else "machine"
