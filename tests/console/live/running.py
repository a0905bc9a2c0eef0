"""What tests of Observe ask of a session that runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fsconsole.console.document import Document
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import PLAYBACK
from fsconsole.targets.snapshot import Snapshot

Until = Callable[[Callable[[], bool]], None]


def now(session: ConsoleSession) -> Snapshot:
    snapshot = session.snapshot
    assert snapshot is not None
    return snapshot


def node(session: ConsoleSession, name: str) -> int:
    assert session.document is not None
    return session.document.tree.find(name).id


def go_to(session: ConsoleSession, time_s: float, until: Until) -> None:
    """Step to a time and wait until it is shown."""
    frames: list[float] = []

    def note() -> None:
        assert session.newest is not None
        frames.append(session.newest.time_s)

    assert session.newest is not None
    playback = session.offer(PLAYBACK)
    assert playback is not None
    session.frame.connect(note)
    playback.step(round((time_s - session.newest.time_s) * 60))

    def is_there() -> bool:
        session.look_again()
        return bool(frames) and frames[-1] >= time_s

    until(is_there)
    session.frame.disconnect(note)


def open_again(session: ConsoleSession, until: Until, changed: Callable[[Scenario], Scenario]) -> None:
    """Open the scenario that is open with something of it changed."""
    document = session.document
    assert document is not None
    session.open(Document(changed(document.scenario), document.path, text=document.text))
    until(lambda: session.snapshot is not None)


def observed_run(window: ConsoleWindow, run: Path, until: Until) -> LiveWorkspace:
    """Observe at the front, with a run folder open."""
    window.resize(1600, 1000)
    window.files.open(run)
    until(lambda: window.session.target is not None)
    window.show_workspace("observe")
    found = window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    until(lambda: found.is_open() and found.panel.isVisible() and bool(found.panel.drawn.nodes))
    window.activateWindow()
    found.panel.setFocus()
    return found
