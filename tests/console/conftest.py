"""A session with Convex series 1 on a machine that stands, and a window of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.files.questions import Answer, Overwrite, Questions
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import ConsoleStyle, install_look
from fsconsole.console.style.theme import theme
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.resources import examples
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.read import read_scenario
from tests.console.watch import Watch, waiting
from tests.console.watched_tests import watch_of, watched

_BESIDE = QPoint(10_000, 10_000)
_PATIENCE_MS = 120_000


T = TypeVar("T", bound=QWidget)


class PatientBot(QtBot):
    """Waits longer than pytest-qt does by default: compiling, or a busy machine, may take more than 5 s."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = _PATIENCE_MS) -> None:
        with waiting():
            super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, *args: Any, timeout: int = _PATIENCE_MS, **options: Any) -> Any:
        return super().waitSignal(*args, timeout=timeout, **options)

    def waitSignals(self, *args: Any, timeout: int = _PATIENCE_MS, **options: Any) -> Any:
        return super().waitSignals(*args, timeout=timeout, **options)

    def waitActive(self, widget: QWidget, *, timeout: int = _PATIENCE_MS) -> Any:
        return super().waitActive(widget, timeout=timeout)

    def waitExposed(self, widget: QWidget, *, timeout: int = _PATIENCE_MS) -> Any:
        return super().waitExposed(widget, timeout=timeout)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the window while the test is at it: `watch` says for what."""
    return (yield from watched(item))


@pytest.fixture
def watch(request: pytest.FixtureRequest) -> Watch:
    """The watch of this test; with `geometry` set, it judges places of controls from then on."""
    return watch_of(request.node)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """Return a bot that is patient."""
    return PatientBot(request)


def notice_of(window: ConsoleWindow, kind: type[T]) -> T:
    """A notice of the window's frame."""
    found = window.findChild(kind)
    assert isinstance(found, kind)
    return found


class Answers(Questions):
    """Answers in a person's place; `asked` keeps the questions, `told` what was wrong with files."""

    def __init__(self) -> None:
        self.to_open: Path | None = None
        self.more_to_open: list[Path] = []
        self.to_save: tuple[Path, int] | None = None
        self.answer: Answer = "cancel"
        self.yes = False
        self.elsewhere = False  # save beside the file that another program has changed
        self.missing: Literal["locate", "remove", "cancel"] = "cancel"
        self.asked: list[str] = []
        self.reported: list[tuple[str, list[Problem]]] = []

    def file_to_open(self, title: str, folder: Path, filters: Sequence[str]) -> Path | None:
        self.asked.append(title)
        return self.to_open

    def files_to_open(self, title: str, folder: Path, filters: Sequence[str]) -> list[Path]:
        self.asked.append(title)
        return [path for path in (self.to_open, *self.more_to_open) if path is not None]

    def run_to_open(self, folder: Path) -> Path | None:
        self.asked.append("open run")
        return self.to_open

    def file_to_save(self, title: str, suggested: Path, filters: Sequence[str]) -> tuple[Path, int] | None:
        self.asked.append(title)
        return self.to_save

    def save_changes(self, name: str, machine: str, typed: Sequence[str] = ()) -> Answer:
        self.asked.append(", ".join([f"save changes to {name}", *typed]))
        return self.answer

    def leave_notes(self, name: str, count: int) -> Answer:
        self.asked.append(f"leave {count} notes on {name}")
        return self.answer

    def leave_branches(self, name: str, branches: Sequence[str]) -> Answer:
        self.asked.append(f"leave {', '.join(branches)} of {name}")
        return self.answer

    def run_folder(self, title: str, suggested: Path) -> Path | None:
        self.asked.append(f"{title}: {suggested.name}")
        return None if self.to_save is None else self.to_save[0]

    def leave_staged(self, cluster: str, count: int, typed: Sequence[str] = ()) -> Answer:
        self.asked.append(", ".join([f"leave {count} changes of {cluster}", *typed]))
        return self.answer

    def discard_staged(self, cluster: str, count: int, typed: Sequence[str] = ()) -> bool:
        self.asked.append(", ".join([f"discard {count} changes of {cluster}", *typed]))
        return self.yes

    def leave_applying(self, cluster: str) -> bool:
        self.asked.append(f"leave {cluster} while it is applied")
        return self.yes

    def leave_groups(self, root: str, *, is_armed: bool) -> Answer:
        self.asked.append(f"leave groups of {root}{'' if is_armed else ', read-only'}")
        return self.answer

    def release_groups(self, roots: Sequence[str]) -> bool:
        self.asked.append(f"release {', '.join(roots)}")
        return self.yes

    def lose_comments(self, name: str, lines: Sequence[int]) -> bool:
        self.asked.append(f"lose comments in lines {list(lines)}")
        return self.yes

    def overwrite_changed(self, name: str) -> Overwrite:
        self.asked.append(f"overwrite {name}")
        return "save_as" if self.elsewhere else "overwrite" if self.yes else "cancel"

    def discard_copy(self, name: str) -> bool:
        self.asked.append(f"discard copy of {name}")
        return self.yes

    def locate_or_remove(self, path: Path) -> Literal["locate", "remove", "cancel"]:
        self.asked.append(f"{path.name} not found")
        return self.missing

    def show_problems(self, name: str, problems: Sequence[Problem], heading: str) -> None:
        self.reported.append((heading, list(problems)))


@pytest.fixture(scope="session")
def style(qapp: QApplication) -> ConsoleStyle:
    """One style for all tests: Qt deletes a style that is replaced, with widgets still about."""
    return install_look(qapp, "light")


@pytest.fixture(autouse=True)
def pointer_beside_windows(qapp: QApplication) -> Iterator[None]:
    """Begin each test with the pointer beside all windows and no key held, and leave none of its windows.

    The parts of a window made under the pointer get Enter as they come into sight, and never Leave, as the
    platform has not reported the pointer in that window: bars would wait for it and docks never settle.
    Qt takes the modifiers of the last event for those that are held: after a click with Shift, the next test
    would extend a selection where it selects a row.
    """
    yield
    QToolTip.hideText()
    QCursor.setPos(_BESIDE)
    if qapp.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyClick(QWindow(), Qt.Key.Key_Shift)
    for window in qapp.topLevelWindows():
        window.close()


@pytest.fixture
def look(style: ConsoleStyle) -> Iterator[ConsoleStyle]:
    """The console's look, light at first and again afterwards."""
    theme().set_mode("light")
    yield style
    theme().set_mode("light")


@pytest.fixture
def empty_session(qtbot: QtBot, look: ConsoleStyle) -> Iterator[ConsoleSession]:
    """Nothing is open."""
    made = ConsoleSession()
    yield made
    made.open(None)
    made.close()


@pytest.fixture
def session(qtbot: QtBot, empty_session: ConsoleSession) -> ConsoleSession:
    """Convex series 1 is open (of no file, so that nothing is written over), the machine stands at 0 s."""
    path = examples() / "convex-series-1.yaml"
    empty_session.open(Document(read_scenario(path), name=path.name))
    qtbot.waitUntil(lambda: empty_session.snapshot is not None)
    return empty_session


@pytest.fixture
def answers() -> Answers:
    """What the windows of this test are answered."""
    return Answers()


@pytest.fixture
def empty_window(qtbot: QtBot, empty_session: ConsoleSession, answers: Answers) -> Iterator[ConsoleWindow]:
    """The console with nothing open."""
    made = ConsoleWindow(empty_session, answers)
    with qtbot.waitActive(made):
        made.show()
    yield made
    answers.answer = "discard"
    made.close()
    made.deleteLater()


@pytest.fixture
def window(
    qtbot: QtBot, session: ConsoleSession, answers: Answers, request: pytest.FixtureRequest
) -> Iterator[ConsoleWindow]:
    """The console, 1600 x 1000, with the workspace at the front that the folder of the test is about."""
    made = ConsoleWindow(session, answers)
    made.resize(1600, 1000)
    # A workspace takes longer to make than all the rest of the window.
    made.stack.wanted = next((one for one in WORKSPACES if one in request.path.parts), "observe")
    with qtbot.waitActive(made):
        made.show()
    yield made
    answers.answer = "discard"
    made.close()
    made.deleteLater()
