"""stdout and stderr of the command line, where no control character of a file gets to the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from fsconsole.text.visible_text import visible


class _CleanStream:
    """A text stream that escapes control characters; all but writing is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.plain = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def write(self, text: str) -> int:
        self.plain.write(visible(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Escape control characters in all that is printed inside the block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", _CleanStream(plain_stream(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def plain_stream(stream: TextIO) -> TextIO:
    """Return the stream itself, for what moves the cursor and colours text; its texts must be `visible`."""
    return stream.plain if isinstance(stream, _CleanStream) else stream
