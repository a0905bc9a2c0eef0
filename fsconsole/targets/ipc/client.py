"""The other side: finds running consoles and asks one of them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsconsole.targets.ipc import socket_paths
from fsconsole.targets.ipc.messages import MAX_ANSWER, Answer, LineError, Messages

_ABOUT_S = 5.0
_ANSWER_S = 40.0
_SEND_S = 10.0


@dataclass(frozen=True, slots=True)
class Console:
    """A console that listens: process id, the document open in it and its machine's name."""

    path: Path
    pid: int
    title: str
    machine: str


class Line:
    """A connection to one console; LineError where it does not respond. Use it as a context."""

    def __init__(self, path: Path) -> None:
        """Connect to the console."""
        found = socket_paths.connected(path)
        if found is None:
            msg = "the console has closed"
            raise LineError(msg)
        self._messages = Messages(found)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._messages.close()

    def about(self) -> dict[str, Any]:
        """Return the description that the console gives of itself."""
        return self._exchange({}, _ABOUT_S)

    def ask(self, line: str) -> Answer:
        """Run a command line on the console's machine.

        Raises:
            LineError: the console does not answer.
        """
        data = self._exchange({"line": line, "folder": str(Path.cwd())}, _ANSWER_S)
        text, status = data.get("text"), data.get("status")
        if not isinstance(text, str) or not isinstance(status, int):
            msg = "the console sent an invalid answer"
            raise LineError(msg)
        return Answer(text, status)

    def _exchange(self, request: dict[str, Any], within_s: float) -> dict[str, Any]:
        try:
            self._messages.send(request, _SEND_S)
            answer = self._messages.receive(MAX_ANSWER, within_s)
        except OSError:
            answer = None
        if answer is None:
            msg = "the console has closed"
            raise LineError(msg)
        return answer


def consoles() -> list[Console]:
    """Return all consoles of this user that answer, by process id."""
    found = []
    for path in socket_paths.sockets() if socket_paths.HAS_SOCKETS else ():
        with contextlib.suppress(LineError), Line(path) as line:
            about = line.about()
            titles = (str(about.get(name, "")) for name in ("title", "machine"))
            found.append(Console(path, int(path.stem), *titles))
    return found


def named(name: str, among: list[Console]) -> list[Console]:
    """Return consoles that a name may mean: a process id, a document's or machine's name or its beginning."""
    wanted = name.casefold()
    exact = [one for one in among if wanted in (str(one.pid), one.title.casefold(), one.machine.casefold())]
    begun = [one for one in among if one.title.casefold().startswith(wanted)]
    return exact or begun or [one for one in among if one.machine.casefold().startswith(wanted)]
