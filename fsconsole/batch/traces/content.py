"""The bytes of a trace, unpacked if they are packed."""

from __future__ import annotations

import codecs
from pathlib import Path

from fsconsole.batch.traces.report import TraceError
from fsconsole.shares.input_files import MIB, UNPACK_FIRST, PackedError, plain_bytes, plain_path, read_whole
from fsconsole.text.numbers import thousands

# Reading takes about 600 bytes of memory for a job: a small packed file must not exhaust it.
_MOST_BYTES, _MOST_LINES = 256 * MIB, 3_000_000
_SUFFIXES = (".swf", ".txt", ".psv", ".csv")


def content_of(path: Path) -> bytes:
    """Return the bytes of a file, unpacked if packed.

    Raises:
        OSError: the file cannot be read.
        TraceError: the packed data are damaged.
    """
    return unpacked(read_whole(path), str(path))


def unpacked(data: bytes, name: str) -> bytes:
    """Return the text of bytes, unpacked if packed.

    Raises:
        TraceError: they are damaged or UTF-16.
    """
    try:
        text = plain_bytes(data, _MOST_BYTES)
    except PackedError as error:
        raise TraceError(f"{name}: {error}") from None
    if text is not data and text.count(b"\n") > _MOST_LINES:
        lines = thousands(_MOST_LINES)
        msg = f"{name}: unpacks to more than {lines} lines, the limit for packed files. {UNPACK_FIRST}"
        raise TraceError(msg)
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        msg = f"{name}: the text is UTF-16, as some editors save it. Save it as UTF-8"
        raise TraceError(msg)
    return text.removeprefix(codecs.BOM_UTF8)


def workload_name(name: str) -> str:
    """Return the name of a workload from its file: without folder and extensions."""
    stem = plain_path(Path(name)).name
    while stem.endswith(_SUFFIXES):
        stem = stem.removesuffix(Path(stem).suffix)
    return stem
