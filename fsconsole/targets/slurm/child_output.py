"""Output of a child process: read up to a limit, without waiting for other processes that hold its pipes."""

from __future__ import annotations

import os
import selectors
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import IO, Protocol

_CHUNK = 1 << 18
_MOST_CHUNKS = 64  # After the end a pipe holds less than this, so reading ends in any case.
_IDLE_S = 0.25  # A thread that has read nothing for so long has read what an ended process has left.


@dataclass(slots=True, eq=False)
class Received:
    """What a process has written to one of its streams.

    Attributes:
        most_bytes: amount that is kept; data: the kept part; was_cut: more has come.
    """

    most_bytes: int
    data: bytearray = field(default_factory=bytearray)
    was_cut: bool = False
    total: int = 0

    def take(self, data: bytes) -> None:
        """Keep what there is room for."""
        room = self.most_bytes - len(self.data)
        self.data += data[: max(room, 0)]
        self.total += len(data)
        self.was_cut |= len(data) > room


Streams = Sequence[tuple[IO[bytes], Received]]


class Output(Protocol):
    """Reads the streams of a process, and closes them."""

    def is_open(self) -> bool:
        """Return True if more may follow."""

    def wait(self, limit_s: float) -> None:
        """Wait for output, for the end of it, or for some time."""

    def take_rest(self) -> None:
        """Read what an ended process has left in its pipes; others may have them open and write on."""

    def close(self) -> None:
        """Stop reading, and close the streams when nothing reads them."""


class PolledOutput:
    """Reads without blocking, in the thread that asks. Pipes of Windows cannot do that.

    It knows when a pipe is empty, so it always reads what a process wrote before its end.
    """

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._open = selectors.DefaultSelector()
        for stream, received in streams:
            if sys.platform != "win32":
                os.set_blocking(stream.fileno(), False)
            self._open.register(stream, selectors.EVENT_READ, received)

    def is_open(self) -> bool:
        """Return True if more may follow."""
        return bool(self._open.get_map())

    def wait(self, limit_s: float) -> None:
        """Read what is there once there is something."""
        for key, _ in self._open.select(limit_s):
            self._read(key)

    def take_rest(self) -> None:
        """Read until nothing is there."""
        for key in list(self._open.get_map().values()):
            for _ in range(_MOST_CHUNKS):
                if key.data.was_cut or not self._read(key):
                    break

    def close(self) -> None:
        """Stop reading and close the streams."""
        self._open.close()
        for stream, _ in self._streams:
            stream.close()

    def _read(self, key: selectors.SelectorKey) -> bool:
        """Read the available part of a stream; return whether more may follow."""
        try:
            data = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._open.unregister(key.fileobj)
            return False
        key.data.take(data)
        return True


class ThreadedOutput:
    """Reads in a thread for each stream, which closes it.

    While another process holds a pipe open, its thread remains, and what an ended process has left there is
    taken as read when nothing has come for a moment. So systems that can poll pipes do.
    """

    def __init__(self, streams: Streams) -> None:
        self._received = tuple(received for _, received in streams)
        self._is_closed = False
        self._news = Event()
        self._threads = [
            Thread(target=self._read, args=one, daemon=True, name="output of a child") for one in streams
        ]
        for thread in self._threads:
            thread.start()

    def is_open(self) -> bool:
        """Return True if more may follow."""
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, limit_s: float) -> None:
        """Wait until a stream has ended or is cut."""
        self._news.wait(limit_s)
        self._news.clear()

    def take_rest(self) -> None:
        """Wait until each thread has ended, has read nothing for a moment, or has more than the limit."""
        for thread, received in zip(self._threads, self._received, strict=True):
            before = -1
            while thread.is_alive() and before != received.total and not received.was_cut:
                before = received.total
                thread.join(_IDLE_S)

    def close(self) -> None:
        """Let the threads keep nothing of what follows."""
        self._is_closed = True

    def _read(self, stream: IO[bytes], received: Received) -> None:
        with stream:
            while data := os.read(stream.fileno(), _CHUNK):
                if self._is_closed:
                    break
                received.take(data)
                if received.was_cut:
                    self._news.set()
        self._news.set()
