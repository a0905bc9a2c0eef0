"""Messages over the socket: one JSON object per line, in both directions."""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from typing import Any, Protocol

from fsconsole.shares.input_files import parsed_json

MAX_REQUEST = 1 << 18
MAX_ANSWER = 1 << 24
_AT_ONCE = 1 << 16


class LineError(Exception):
    """The other side broke the protocol, or sent nothing in time; the message gives the fault."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a command line: text, and status 0 for success, 1 for a refusal, 2 for wrong use."""

    text: str
    status: int = 0


class Replied(Protocol):
    """Result of a command, as the machine's shell prints it."""

    @property
    def text(self) -> str:
        """Text for the client."""
        ...

    @property
    def status(self) -> int:
        """Status: 0 for success, 1 for a refusal, 2 for wrong use."""
        ...


class Messages:
    """JSON objects over a connected socket; data after a line is stored for the next one."""

    def __init__(self, connection: socket.socket) -> None:
        """Take a connected socket, and its closing, over."""
        self._connection = connection
        self._rest = b""

    def send(self, data: dict[str, Any], within_s: float) -> None:
        """Send one object; OSError if the other side does not accept it."""
        self._connection.settimeout(within_s)
        self._connection.sendall(json.dumps(data).encode() + b"\n")

    def receive(self, limit: int, within_s: float) -> dict[str, Any] | None:
        """Return the next object, None if the other side has closed.

        Raises:
            LineError: the data is not an object, or comes too late.
        """
        until = time.monotonic() + within_s
        while b"\n" not in self._rest:
            if len(self._rest) > limit:
                msg = f"a message has at most {limit} bytes"
                raise LineError(msg)
            part = self._part(until)
            if not part:
                return None
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return _parsed(line)

    def close(self) -> None:
        """Close the socket of the connection."""
        self._connection.close()

    def _part(self, until: float) -> bytes:
        left = until - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            self._connection.settimeout(left)
            return self._connection.recv(_AT_ONCE)
        except TimeoutError:
            msg = "no message arrived in time"
            raise LineError(msg) from None


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        data = parsed_json(line)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        msg = "a message must be one JSON object per line"
        raise LineError(msg)
    return data
