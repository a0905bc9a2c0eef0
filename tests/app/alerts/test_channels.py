"""Ways out of the console: a program, sendmail, a webhook; what goes wrong is one sentence."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import pytest

from fsconsole.app.alerts import channels
from fsconsole.app.alerts.channels import DeliveryError, Message
from tests.texts import refuses, refuses_naming, says, wording

FACTS = {"key": "controller", "level": "danger", "text": "lab: $(touch no) & so on", "since": "14:31"}
MESSAGE = Message("lab", (FACTS, {**FACTS, "key": "pending", "text": "many jobs"}))


class Server:
    """A webhook's other end: what was posted, and what it answers."""

    def __init__(self) -> None:
        self.posted: list[dict[str, object]] = []
        self.status, self.location = 204, ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.posted.append(
                    {"path": self.path, "type": self.headers["Content-Type"], **json.loads(body)}
                )
                self.send_response(outer.status)
                if outer.location:
                    self.send_header("Location", outer.location)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/alerts"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def script(folder: Path, text: str, name: str = "tool") -> str:
    """A Python program that can be run."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return str(path)


def test_a_program_gets_the_words_last_and_the_facts_beside(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = "import os, sys; open(sys.argv[1], 'w').write(sys.argv[2] + os.environ['FSCONSOLE_ALERT'])"
    channels.run_command((sys.executable, "-c", code, str(out)), MESSAGE)
    words, _, facts = out.read_text().partition("{")
    assert words == MESSAGE.text
    assert json.loads("{" + facts)["alerts"][1]["key"] == "pending"


@pytest.mark.parametrize(
    ("code", "limit_s", "key", "values"),
    [
        (
            "import sys; print('no route', file=sys.stderr); sys.exit(3)",
            30.0,
            "program-for-alerts-ended-with",
            {"status": 3},
        ),
        # Whatever it has come to by then.
        ("while True: pass", 0.0, "was-killed-after-s", {"limit_s": 0}),
    ],
)
def test_a_program_that_fails_is_reported(
    code: str, limit_s: float, key: str, values: dict[str, object]
) -> None:
    with refuses(DeliveryError, f"app.alerts.{key}", **values) as error:
        channels.run_command((sys.executable, "-c", code), MESSAGE, limit_s)
    assert error.value.is_final


@pytest.mark.parametrize("is_in_session", [True, False])
def test_what_a_program_leaves_behind_is_not_waited_for(tmp_path: Path, *, is_in_session: bool) -> None:
    out = tmp_path / "pid"
    code = (
        "import subprocess, sys\n"
        f"left = subprocess.Popen(['sleep', '60'], start_new_session={not is_in_session})\n"
        f"open({str(out)!r}, 'w').write(str(left.pid))\nleft.returncode = 0"
    )
    try:
        channels.run_command((sys.executable, "-c", code), MESSAGE, 20.0)
        os.kill(int(out.read_text()), 0)  # it goes on
    finally:
        os.kill(int(out.read_text()), signal.SIGKILL)


def test_a_program_that_is_not_there_is_reported() -> None:
    with pytest.raises(DeliveryError) as error:
        channels.run_command(("/nowhere/at-all",), MESSAGE)
    assert str(error.value) == wording(
        "app.alerts.could-not-be-started",
        what=wording("app.alerts.program-for-alerts"),
        command="/nowhere/at-all",
        reason=os.strerror(errno.ENOENT),
    )
    assert not error.value.is_final


def test_mail_goes_through_sendmail(tmp_path: Path) -> None:
    out = tmp_path / "mail"
    taken = "repr(sys.argv[1:]).encode() + b'\\n' + sys.stdin.buffer.read()"
    code = f"import sys\nopen({str(out)!r}, 'wb').write({taken})"
    channels.send_mail("ops@example.org, root", MESSAGE, sendmail=script(tmp_path, code))
    arguments, _, data = out.read_bytes().partition(b"\n")
    assert arguments == b"['-i', '--', 'ops@example.org', 'root']"
    mail = message_from_bytes(data, policy=policy.default)
    assert mail["To"] == "ops@example.org, root"
    expected = "[fsconsole] lab: lab: $(touch no) & so on; many jobs"
    assert mail["Subject"] == expected
    assert says(mail.get_content(), "app.alerts.since", one="danger", one_2="many jobs", one_3="14:31")


def test_sendmail_that_refuses_or_is_missing_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = script(tmp_path, "import sys\nsys.exit('unknown user')")
    with refuses(DeliveryError, "app.alerts.mail-for-alerts-was-not-2", status="1"):
        channels.send_mail("ops", MESSAGE, sendmail=program)
    monkeypatch.setattr(channels, "SENDMAIL", ())
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with refuses(DeliveryError, "app.alerts.mail-for-alerts-was-not"):
        channels.send_mail("ops", MESSAGE)


def test_a_webhook_gets_json(server: Server) -> None:
    channels.post_webhook(server.url, MESSAGE)
    (posted,) = server.posted
    assert (posted["path"], posted["type"], posted["target"]) == ("/alerts", "application/json", "lab")
    assert posted["alerts"] == list(MESSAGE.alerts)


def test_a_webhook_that_refuses_or_leads_elsewhere_is_reported(server: Server) -> None:
    server.status = 503
    with refuses(DeliveryError, "app.alerts.webhook-for-alerts-was-refused", code="503"):
        channels.post_webhook(server.url, MESSAGE)
    server.status, server.location = 302, "http://127.0.0.1:9/other"
    with refuses_naming(DeliveryError, "302"):
        channels.post_webhook(server.url, MESSAGE)
    assert len(server.posted) == 2


def test_a_webhook_that_is_not_reached_names_no_password(server: Server) -> None:
    server.close()
    url = server.url.replace("127", "ann:secret@127")
    with refuses(DeliveryError, "app.alerts.webhook-for-alerts-cannot-reach") as error:
        channels.post_webhook(url, MESSAGE, 2.0)
    assert "127.0.0.1:" in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "example.org", "ftp://example.org", "http://"])
def test_other_addresses_are_no_webhooks(url: str) -> None:
    with refuses(ValueError, "app.alerts.is-not-address-of-webhook"):
        channels.checked_url(url)


@pytest.mark.parametrize("to", ["-oQ/tmp", "a b", "ops@example.org, x y"])
def test_other_words_are_no_mail_addresses(to: str) -> None:
    with refuses(ValueError, "app.alerts.is-not-mail-address-write"):
        channels.addresses(to)


class Peer:
    """The other end of a connection, which answers these bytes and then goes on as it is told."""

    def __init__(self, answer: bytes, drip: bytes = b"") -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/alerts"
        self.asked = 0
        self._answer, self._drip = answer, drip
        self._over = Event()
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                other, _ = self._listener.accept()
                with other, suppress(OSError):
                    data = b""
                    while b"alerts" not in data.partition(b"\r\n\r\n")[2]:
                        data += other.recv(65536)
                    self.asked += 1
                    other.sendall(self._answer)
                    while self._drip and not self._over.wait(0.02):
                        other.sendall(self._drip)

    def close(self) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        b"\x1b[31mnonsense\r\n\r\n",
        b"",
        b"HTTP/1.1 200 " + b"x" * 70_000,
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 101 + b"\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
    ],
    ids=["nonsense", "nothing", "a long line", "many headers", "no number"],
)
def test_an_alert_that_arrived_is_not_sent_again_whatever_the_answer(answer: bytes) -> None:
    peer = Peer(answer)
    try:
        with refuses(DeliveryError, "app.alerts.webhook-for-alerts-got-no") as error:
            channels.post_webhook(peer.url, MESSAGE, 20.0)
    finally:
        peer.close()
    assert error.value.is_final
    assert str(error.value).isprintable()
    assert peer.asked == 1


@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 200 OK\r\n"], ids=["in the status", "in the headers"])
def test_a_call_ends_after_its_time_however_slowly_the_answer_comes(begin: bytes) -> None:
    """The limit of urllib is one of each wait: a byte each half a second held a limit of 2 s for ever."""
    peer = Peer(begin, drip=b"x")
    begun = monotonic()
    try:
        with refuses(DeliveryError, "app.alerts.webhook-for-alerts-got-no-2", limit_s="0.3") as error:
            channels.post_webhook(peer.url, MESSAGE, 0.3)
        assert monotonic() - begun < 15.0
    finally:
        peer.close()
    assert error.value.is_final


@pytest.mark.parametrize(
    "url", ["http://example.org:x/", "http://exa mple.org/a b", "http://[::1/", "http://a\x1b.b"]
)
def test_an_address_that_cannot_be_called_is_a_sentence(url: str) -> None:
    with pytest.raises((DeliveryError, ValueError)) as error:
        channels.post_webhook(url, MESSAGE, 5.0)
    assert str(error.value).isprintable()
