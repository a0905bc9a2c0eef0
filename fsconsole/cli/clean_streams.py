"""stdout and stderr of the command line: numbers as terminals have them, no control character of a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from fsconsole.text.numbers import on_terminal
from fsconsole.text.visible_text import visible


class _ChangingStream:
    """A text stream that changes the written text; everything but writing is the original stream's."""

    def __init__(self, stream: TextIO, change: Callable[[str], str]) -> None:
        self.plain = stream
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def write(self, text: str) -> int:
        self.plain.write(self._change(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Escape control characters in all that is printed inside the block, with numbers as on terminals."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        _changed(_changed(plain_stream(stream), on_terminal), visible) for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _changed(stream: TextIO, change: Callable[[str], str]) -> TextIO:
    return cast("TextIO", _ChangingStream(stream, change))


def plain_stream(stream: TextIO) -> TextIO:
    """Return the stream itself, for text that moves the cursor or has colours; its texts must be
    `visible`.
    """
    return stream.plain if isinstance(stream, _ChangingStream) else stream
