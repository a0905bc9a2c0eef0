"""ProxyCommand HOST PORT ONE_WAY_S: a TCP connection whose bytes take so long in each direction.

Standard library alone.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import time
from collections import deque

_CHUNK = 1 << 16


class _Way:
    """Bytes under way in one direction; an empty chunk is the end."""

    def __init__(self, source: int, sink: int, delay_s: float) -> None:
        self.source, self.sink = source, sink
        self._delay_s = delay_s
        self._under_way: deque[tuple[float, bytes]] = deque()
        self.is_read = True  # more may come from the source
        self.is_open = True

    def take(self) -> None:
        """Read what has come, and date its arrival."""
        try:
            chunk = os.read(self.source, _CHUNK)
        except OSError:
            chunk = b""
        self.is_read = bool(chunk)
        self._under_way.append((time.monotonic() + self._delay_s, chunk))

    def wait_s(self) -> float | None:
        """Return the time until the next arrival; None where nothing is under way."""
        return max(0.0, self._under_way[0][0] - time.monotonic()) if self._under_way else None

    def arrive(self) -> None:
        """Write what is due."""
        while self.is_open and self._under_way and self._under_way[0][0] <= time.monotonic():
            rest = memoryview(self._under_way.popleft()[1])
            self.is_open = bool(rest)
            try:
                while rest:
                    rest = rest[os.write(self.sink, rest) :]
            except OSError:
                self.is_open = False


def main() -> None:
    """Carry bytes until the far end has closed."""
    host, port, one_way_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    time.sleep(2 * one_way_s)  # the handshake of TCP
    with socket.create_connection((host, port)) as far:
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        up, down = _Way(0, far.fileno(), one_way_s), _Way(far.fileno(), 1, one_way_s)
        while down.is_open:
            waits = [wait for way in (up, down) if (wait := way.wait_s()) is not None]
            sources = [way.source for way in (up, down) if way.is_read]
            ready, _, _ = select.select(sources, [], [], min(waits, default=None))
            for way in (up, down):
                if way.source in ready:
                    way.take()
                way.arrive()
            if not up.is_open:  # ssh has gone: nobody reads what would still come
                return


if __name__ == "__main__":
    main()
