"""The socket: whose it is, what goes over it, and that nothing a client does harms the server."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from fsconsole.targets.ipc import messages, server, socket_paths
from fsconsole.targets.ipc.client import Line, consoles
from fsconsole.targets.ipc.messages import Answer, LineError
from fsconsole.targets.ipc.server import LineServer
from fsconsole.targets.ipc.socket_paths import PlaceError
from tests.texts import refuses, wording

Ask = Callable[[str, str, Path], "Future[Any]"]
WAIT_S = 60.0


def answered(answer: Answer) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(answer)
    return future


@pytest.fixture
def serve() -> Iterator[Callable[[Ask], LineServer]]:
    made: list[LineServer] = []

    def make(ask: Ask) -> LineServer:
        made.append(LineServer(ask, lambda: {"title": "t", "machine": "m"}))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def echo(serve: Callable[[Ask], LineServer]) -> LineServer:
    return serve(lambda line, _who, _folder: answered(Answer(line)))


def raw(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(WAIT_S)
    made.connect(str(path))
    return made


def test_only_the_user_may_enter(echo: LineServer) -> None:
    assert stat.S_IMODE(echo.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(echo.path.parent.stat().st_mode) == 0o700


def test_another_user_is_not_heard(echo: LineServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_paths, "peer", lambda _: (1, os.getuid() + 1))
    with raw(echo.path) as client:
        assert client.recv(100) == b""
    assert consoles() == []  # nor does a client talk to a console of somebody else


def test_a_folder_of_somebody_else_is_not_used(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    socket_paths.made_folder()
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with refuses(PlaceError, "shares.not-folder-of-this-user"):
        socket_paths.made_folder()


def test_a_folder_open_to_others_is_shut(own_folders: Path) -> None:
    path = socket_paths.made_folder()
    path.chmod(0o777)
    assert stat.S_IMODE(socket_paths.made_folder().stat().st_mode) == 0o700


def test_something_in_the_way_is_reported(own_folders: Path) -> None:
    socket_paths.folder().parent.mkdir(parents=True)
    socket_paths.folder().write_text("", "utf-8")
    with pytest.raises(PlaceError):
        LineServer(lambda *_: answered(Answer("")), dict)


def test_lines_and_answers_of_any_text(echo: LineServer) -> None:
    with Line(echo.path) as line:
        for text in ("pl", "über  \t x", "a\nb\r\n", "\udc80", "x" * 100_000):
            assert line.ask(text) == Answer(text)


def test_a_console_says_what_it_is(echo: LineServer) -> None:
    (found,) = consoles()
    assert (found.pid, found.title, found.machine, found.path) == (os.getpid(), "t", "m", echo.path)


def test_each_connection_is_somebody_else(serve: Callable[[Ask], LineServer]) -> None:
    made = serve(lambda _line, who, _folder: answered(Answer(who)))
    with Line(made.path) as one, Line(made.path) as other:
        first = one.ask("")
        assert one.ask("") == first
        assert other.ask("") != first


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\n",
        b"[1]\n",
        b"\xff\xfe\n",
        b"[" * 50_000 + b"\n",
        b'{"line": 1}\n',
        b'{"folder": 2, "line": ""}\n',
    ],
)
def test_nonsense_is_answered_in_words(echo: LineServer, sent: bytes) -> None:
    with raw(echo.path) as client:
        client.sendall(sent)
        answer = json.loads(client.makefile().readline())
    assert answer["status"] == 2
    assert answer["text"]
    assert len(consoles()) == 1


def test_what_is_too_long_is_not_read_to_its_end(echo: LineServer) -> None:
    with raw(echo.path) as client:
        with suppress(ConnectionError):  # the server may have answered and gone before all is sent
            client.sendall(b"x" * (messages.MAX_REQUEST + messages._AT_ONCE + 1))
        assert b"at most" in client.recv(1000)
    assert len(consoles()) == 1


def test_a_client_that_goes_harms_nothing(serve: Callable[[Ask], LineServer]) -> None:
    waiting: Future[Any] = Future()
    asked = Event()

    def ask(line: str, _who: str, _folder: Path) -> Future[Any]:
        asked.set()
        return waiting if line == "slow" else answered(Answer(line))

    made = serve(ask)
    with raw(made.path) as client:
        client.sendall(b'{"line": "slow"}\n')
        assert asked.wait(WAIT_S)
    waiting.set_result(Answer("late"))
    with Line(made.path) as line:
        assert line.ask("pl") == Answer("pl")


def test_what_fails_or_never_answers_is_reported(
    serve: Callable[[Ask], LineServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ANSWER_S", 0.05)

    def ask(line: str, _who: str, _folder: Path) -> Future[Any]:
        future: Future[Any] = Future()
        if line == "fail":
            future.set_exception(RuntimeError("closed"))
        return future

    with Line(serve(ask).path) as line:
        assert line.ask("fail") == Answer("closed", 1)
        assert line.ask("wait") == Answer(
            wording("targets.ipc.machine-did-not-respond-for", answer_s="0.05"), 1
        )


def test_idle_clients_are_sent_away(echo: LineServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE_S", 0.05)
    with raw(echo.path) as client:
        assert b"in time" in client.recv(1000)


def test_more_clients_than_there_is_room_for(echo: LineServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CLIENTS", 1)
    with Line(echo.path) as line:
        assert line.ask("a") == Answer("a")
        with raw(echo.path) as other:
            assert other.recv(10) == b""
        assert line.ask("b") == Answer("b")


def test_closing_ends_conversations_and_takes_the_socket_away(echo: LineServer) -> None:
    with Line(echo.path) as line:
        line.ask("a")
        echo.close()
        with refuses(LineError, "targets.ipc.console-has-closed"):
            line.ask("b")
    assert not echo.path.exists()
    with refuses(LineError, "targets.ipc.console-has-closed"):
        Line(echo.path)


_KILLED = """
import os, signal
from fsconsole.targets.ipc.server import LineServer
made = LineServer(lambda *_: None, dict)
print(made.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_console_leaves_is_taken_away(serve: Callable[[Ask], LineServer]) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED], check=False, capture_output=True, text=True)
    left = Path(done.stdout.strip())
    assert left.is_socket()
    made = serve(lambda line, *_: answered(Answer(line)))
    assert not left.exists()
    assert [one.path for one in consoles()] == [made.path]


def test_a_socket_with_the_own_name_is_replaced(
    own_folders: Path, serve: Callable[[Ask], LineServer]
) -> None:
    socket_paths.made_folder()
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(str(socket_paths.socket_of(os.getpid())))
    left.close()
    made = serve(lambda line, *_: answered(Answer(line)))
    with Line(made.path) as line:
        assert line.ask("pl") == Answer("pl")
