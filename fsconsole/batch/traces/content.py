"""The bytes of a trace, unpacked if they are packed."""

from __future__ import annotations

import codecs
import zlib
from pathlib import Path

from fsconsole.batch.traces.report import TraceError
from fsconsole.shares.input_files import MIB, TooLargeError, read_whole, ungzip
from fsconsole.text.numbers import thousands

_GZIP = b"\x1f\x8b"
# Reading takes about 600 bytes of memory for a job: a small packed file must not exhaust it.
_MOST_BYTES, _MOST_LINES = 256 * MIB, 3_000_000
_SUFFIXES = (".gz", ".swf", ".txt", ".psv", ".csv")


def content_of(path: Path) -> bytes:
    """Return the bytes of a file, unpacked if gzipped.

    Raises:
        OSError: the file cannot be read.
        TraceError: the packed data are damaged.
    """
    return unpacked(read_whole(path), str(path))


def unpacked(data: bytes, name: str) -> bytes:
    """Return the text of bytes, unpacked if gzipped.

    Raises:
        TraceError: they are damaged or UTF-16.
    """
    text = _decompressed(data, name) if data.startswith(_GZIP) else data
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        msg = f"{name}: the text is UTF-16, as some editors save it. Save it as UTF-8"
        raise TraceError(msg)
    return text.removeprefix(codecs.BOM_UTF8)


def _decompressed(data: bytes, name: str) -> bytes:
    try:
        text = ungzip(data, _MOST_BYTES)
    except EOFError:
        msg = f"{name}: the gzip data ends too early. Get the whole file again; nothing of it is used"
        raise TraceError(msg) from None
    except TooLargeError as error:
        msg = f"{name}: {error}. Unpack it first (gunzip), then read the plain file."
        raise TraceError(msg) from None
    except zlib.error as error:
        msg = f"{name}: the gzip data is damaged ({error}). Get the file again; nothing of it is used"
        raise TraceError(msg) from None
    if text.count(b"\n") > _MOST_LINES:
        message = f"{name}: unpacks to more than {thousands(_MOST_LINES)} lines, the limit for packed files"
        msg = f"{message}. Unpack it first (gunzip), then read the plain file."
        raise TraceError(msg)
    return text


def workload_name(name: str) -> str:
    """Return the name of a workload from its file: without folder and extensions."""
    stem = Path(name).name
    while stem.endswith(_SUFFIXES):
        stem = stem.removesuffix(Path(stem).suffix)
    return stem
