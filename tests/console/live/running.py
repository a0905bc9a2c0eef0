"""What tests of Observe ask of a session that runs."""

from __future__ import annotations

from collections.abc import Callable

from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.scenario.spec import Scenario
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
    session.frame.connect(lambda: frames.append(now(session).time_s))
    session.step(round((time_s - now(session).time_s) * 60))
    until(lambda: bool(frames) and frames[-1] >= time_s)


def open_again(session: ConsoleSession, until: Until, changed: Callable[[Scenario], Scenario]) -> None:
    """Open the scenario that is open with something of it changed."""
    document = session.document
    assert document is not None
    session.open(Document(changed(document.scenario), document.path, text=document.text))
    until(lambda: session.snapshot is not None)
