"""Ways on which an alert leaves the console: a program, mail, a webhook. Each call ends after its time.

No shell takes part; arguments are lists. What went wrong is a DeliveryError with one sentence.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parseaddr
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from fsconsole import __version__
from fsconsole.operating_system import end_group, own_group
from fsconsole.resources import this_program
from fsconsole.text.visible_text import visible_line

COMMAND_S, MAIL_S, WEBHOOK_S = 30.0, 30.0, 10.0
SENDMAIL = ("/usr/sbin/sendmail", "/usr/lib/sendmail")
_LONGEST = 300
_MOST_READ = 10_000


class DeliveryError(Exception):
    """An alert that was not delivered, in a sentence.

    Attributes:
        is_final: whether it is not worth another try: it may have arrived.
    """

    def __init__(self, sentence: str, *, is_final: bool = False) -> None:
        super().__init__(sentence)
        self.is_final = is_final


@dataclass(frozen=True, slots=True)
class Message:
    """Alerts of one delivery, as channels send them.

    Attributes:
        target: name of the cluster or machine.
        alerts: plain data of each: key, level, text, since (as a person reads it).
    """

    target: str
    alerts: tuple[Mapping[str, str], ...]

    @property
    def text(self) -> str:
        """Texts of all alerts in a line."""
        return "; ".join(alert["text"] for alert in self.alerts)


def run_command(command: Sequence[str], message: Message, limit_s: float = COMMAND_S) -> None:
    """Run a program with the words of the alert as its last argument, and its facts in FSCONSOLE_ALERT.

    Raises:
        DeliveryError: it cannot be run, takes more than `limit_s`, or ends with a status other than 0.
    """
    text, facts = message.text, json.dumps(_facts(message))
    environment = {**os.environ, "FSCONSOLE_ALERT": facts}
    status, output = _run([*command, text], b"", limit_s, environment, what="The program for alerts")
    if status:
        msg = f"The program for alerts ended with status {status}: {command[0]}.{_quoted(output)}"
        raise DeliveryError(msg, is_final=True)


def send_mail(to: str, message: Message, limit_s: float = MAIL_S, sendmail: str = "") -> None:
    """Send mail through the system's sendmail, to addresses with commas between.

    Raises:
        DeliveryError: there is no sendmail, it takes more than `limit_s`, or it ends with a status other
            than 0.
    """
    program = sendmail or find_sendmail()
    if not program:
        msg = "Mail for alerts was not sent: sendmail was not found. Install a mail server, such as postfix."
        raise DeliveryError(msg)
    from email.message import EmailMessage  # Takes time and memory, which a mail alone needs.

    mail = EmailMessage()
    mail["To"] = ", ".join(addresses(to))
    mail["Subject"] = f"[fsconsole] {message.target}: {' '.join(message.text.split())}"[:_LONGEST]
    mail["Auto-Submitted"] = "auto-generated"
    lines = [f"{one['level']}: {one['text']} (since {one['since']})" for one in message.alerts]
    mail.set_content("\n".join([message.target, "", *lines, "", this_program()]))
    status, output = _run(
        [program, "-i", "--", *addresses(to)], mail.as_bytes(), limit_s, None, what="sendmail"
    )
    if status:
        msg = f"Mail for alerts was not sent: sendmail ended with status {status}.{_quoted(output)}"
        raise DeliveryError(msg)


def post_webhook(url: str, message: Message, limit_s: float = WEBHOOK_S) -> None:
    """Post the alert as JSON; redirections are not followed.

    Raises:
        DeliveryError: the address cannot be reached within `limit_s`, or refuses it.
    """
    from fsconsole.app.alerts.webhook import post  # Imports http and ssl: 6 MB, which a webhook alone needs.

    data = json.dumps(_facts(message)).encode()
    post(checked_url(url), data, {"User-Agent": f"fsconsole/{__version__}"}, limit_s)


def find_sendmail() -> str:
    """Return the path of the system's sendmail; empty if it is missing."""
    found = shutil.which("sendmail")
    return found or next((path for path in SENDMAIL if Path(path).is_file()), "")


def addresses(text: str) -> list[str]:
    """Split addresses at commas; ValueError names one that is wrong."""
    found = [part.strip() for part in text.split(",") if part.strip()]
    for one in found:
        if parseaddr(one)[1] != one or one.startswith("-") or any(sign.isspace() for sign in one):
            msg = f"'{one}' is not a mail address. Write an address such as ops@example.org, or a local user."
            raise ValueError(msg)
    return found


def checked_url(url: str) -> str:
    """Return the address of a webhook, or nothing.

    Raises:
        ValueError: it is not one.
    """
    text = url.strip()
    if not text:
        return ""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        msg = (
            f"'{text}' is not the address of a webhook. Write an address such as https://example.org/alerts."
        )
        raise ValueError(msg)
    return text


# -- inside -------------------------------------------------------------------------------------------------


def _facts(message: Message) -> dict[str, Any]:
    alerts = list(message.alerts)
    return {"program": "fsconsole", "target": message.target, "text": message.text, "alerts": alerts}


def _run(
    command: list[str], data: bytes, limit_s: float, environment: Mapping[str, str] | None, *, what: str
) -> tuple[int, str]:
    """Run a program in a session of its own, and kill it as a whole after its time."""
    # A pipe would stay open while a child that the program leaves behind runs.
    with TemporaryFile() as output:
        try:
            program = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=output,
                env=environment,
                **own_group(),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            msg = f"{what} could not be started: {command[0]}: {reason}."
            raise DeliveryError(msg) from error
        with program:
            try:
                program.communicate(data, timeout=limit_s)
            except subprocess.TimeoutExpired:
                end_group(program, by_force=True)
                msg = f"{what} was killed after {limit_s:g} s: {command[0]}."
                raise DeliveryError(msg, is_final=True) from None
        output.seek(0)
        return program.returncode, output.read(_MOST_READ).decode("utf-8", "replace")


def _quoted(output: str) -> str:
    words = line_of(output)
    return f" ({words})" if words else ""


def line_of(words: str) -> str:
    """Return words of a program or server as one short line without control characters."""
    return visible_line(" ".join(words.split())[:_LONGEST])
