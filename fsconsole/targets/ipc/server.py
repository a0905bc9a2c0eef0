"""The console's side: a thread that takes command lines, and one more for every client."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswerError
from itertools import count
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from fsconsole.recording.audit import login_name
from fsconsole.targets.ipc import socket_paths
from fsconsole.targets.ipc.messages import MAX_REQUEST, Answer, LineError, Messages, Replied
from fsconsole.targets.ipc.socket_paths import PlaceError

MAX_CLIENTS = 16
IDLE_S = 600.0
ANSWER_S = 30.0
SEND_S = 10.0

Ask = Callable[[str, str, Path], "Future[Any]"]


class LineServer:
    """Listens until it is closed; nothing that a client does harms it.

    Attributes:
        path: the socket.
    """

    def __init__(self, ask: Ask, about: Callable[[], dict[str, str]]) -> None:
        """Listen on the socket; PlaceError if that fails.

        `ask` takes a command line, the client's name and the client's folder. `about` returns words that
        distinguish this console from others. Both are called in other threads.
        """
        self._ask, self._about = ask, about
        self._lock = Lock()
        self._clients: set[socket.socket] = set()
        self._numbers = count(1)
        self._closed = Event()
        socket_paths.made_folder()
        socket_paths.remove_stale()
        self.path = socket_paths.socket_of(os.getpid())
        self._listening = _listening(self.path)
        self._thread = Thread(target=self._accept, name="command line", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no more, and leave all clients."""
        with self._lock:
            self._closed.set()
            clients = list(self._clients)
        self.path.unlink(missing_ok=True)
        for open_socket in (self._listening, *clients):
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=2)
        self._listening.close()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            with self._lock:
                is_welcome = len(self._clients) < MAX_CLIENTS and not self._closed.is_set()
                if is_welcome:
                    self._clients.add(client)
            if is_welcome:
                Thread(target=self._serve, args=(client,), name="command client", daemon=True).start()
            else:
                client.close()

    def _serve(self, client: socket.socket) -> None:
        messages = Messages(client)
        try:
            if socket_paths.is_of_this_user(client):
                self._converse(messages, self._name(client))
        except (OSError, LineError):
            pass  # The client has gone, or breaks the protocol; the others are not affected.
        finally:
            with self._lock:
                self._clients.discard(client)
            messages.close()

    def _name(self, client: socket.socket) -> str:
        """Give each connection a different name, so that each client has a separate shell.

        The name begins with this user, for journal and audit log: only this user can connect.
        """
        found = socket_paths.peer(client)
        process = f", process {found[0]}" if found is not None else ""
        return f"{login_name()} (outside {next(self._numbers)}{process})"

    def _converse(self, messages: Messages, who: str) -> None:
        while True:
            try:
                request = messages.receive(MAX_REQUEST, IDLE_S)
            except LineError as error:
                messages.send({"text": str(error), "status": 2}, SEND_S)
                return
            if request is None:
                return
            messages.send(self._answer(request, who), SEND_S)

    def _answer(self, request: dict[str, Any], who: str) -> dict[str, Any]:
        line, stands_in = request.get("line"), request.get("folder", "")
        if line is None:
            return {"pid": os.getpid(), **self._about()}
        if not isinstance(line, str) or not isinstance(stands_in, str):
            return {"text": "line and folder must be texts", "status": 2}
        answer = self._asked(line, who, Path(stands_in))
        return {"text": answer.text, "status": answer.status}

    def _asked(self, line: str, who: str, stands_in: Path) -> Answer:
        try:
            reply: Replied = self._ask(line, who, stands_in).result(ANSWER_S)
        except NoAnswerError:
            return Answer(f"the machine did not respond for {ANSWER_S:g} s", 1)
        except Exception as error:  # noqa: BLE001 (the caller receives it)
            return Answer(str(error), 1)
        return Answer(reply.text, reply.status)


def _listening(path: Path) -> socket.socket:
    """Return a socket whose path appears only once it listens, so that it is not mistaken for stale."""
    made = socket.socket(socket_paths.LOCAL, socket.SOCK_STREAM)
    early = path.with_suffix(".new")
    try:
        early.unlink(missing_ok=True)
        made.bind(str(early))
        early.chmod(0o600)
        made.listen(MAX_CLIENTS)
        early.replace(path)
    except OSError as error:
        made.close()
        msg = f"cannot make {path}: {error.strerror or error}"
        raise PlaceError(msg) from error
    return made
