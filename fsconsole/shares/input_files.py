"""Reading of untrusted files: their limits, in one place.

Only regular files are opened, reading stops at a limit, and JSON raises nothing but ValueError. A pipe could
block, a device has no end, and a small compressed file may unpack to more than the memory. The limits are far
above the size of files that the program writes. Plain traces have no limit.
"""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

from fsconsole.operating_system import open_without_waiting
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import polars as pl

Made = TypeVar("Made")
MIB = 2**20
MAX_JSON_BYTES = 64 * MIB  # A run's manifest with the scenario in it is one of the largest JSON files.
MAX_FILE_BYTES = 1024 * MIB  # A checkpoint, a chunk of samples or an answer of a capture may be this large.
MAX_UNPACKED_BYTES = 1024 * MIB  # A checkpoint may be this large once it is unpacked.
MAX_PARQUET_VALUES = 200_000_000  # It limits the rows times columns of one file.
_LARGEST_INTEGER = 2**63
_GZIP = 16 + zlib.MAX_WBITS
_PIECE = 256 * 1024


class TooLargeError(ValueError):
    """The input is larger than the limit; the message names the limit."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: it is a pipe or a device, which would block.
    """
    handle = open_without_waiting(path)
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "This is a device or a pipe, not a file", str(path))
    return os.fdopen(handle, "rb")


def check_regular(path: Path) -> None:
    """Raise OSError unless a path is a regular file that can be read."""
    open_regular(path).close()


def stamp_of(path: Path) -> tuple[int, int] | None:
    """Return size and modification time of a file or folder, to detect changes; None if it is missing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def read_limited(path: Path, most: int = MAX_FILE_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        OSError: it cannot be read or is larger than the limit.
    """
    with open_regular(path) as stream:
        data = bytearray()
        # One call for all bytes would ask for as much memory as the limit, whatever the size of the file.
        while len(data) <= most and (part := stream.read(min(MIB, most + 1 - len(data)))):
            data += part
    if len(data) > most:
        message = f"The file is larger than {most // MIB} MiB, which is the limit"
        raise OSError(errno.EFBIG, message, str(path))
    return bytes(data)


def read_whole(path: Path) -> bytes:
    """Return the bytes of a regular file, however many; OSError if it cannot be read."""
    with open_regular(path) as stream:
        return stream.read()


def parsed_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: the JSON is broken, too deep, or has numbers that nothing can hold.
    """
    try:
        return json.loads(text, parse_int=_integer)
    except RecursionError:
        msg = "it is nested too deep"
        raise ValueError(msg) from None


def read_json(path: Path) -> Any:
    """Return the value in a JSON file; OSError if it cannot be read, ValueError if it is not JSON."""
    return parsed_json(read_limited(path, MAX_JSON_BYTES))


def typed(kind: type[Made], values: Any) -> Made:
    """Make a dataclass of plain values.

    Raises:
        ValueError: one is missing, unknown or of another type.
    """
    from pydantic import ValidationError

    try:
        made: Made = _adapter(cast("Hashable", kind)).validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        msg = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
        raise ValueError(msg) from None
    return made


@cache
def _adapter(kind: Hashable) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(cast("type[Any]", kind))


def _integer(text: str) -> int:
    value = int(text) if len(text) <= 20 else _LARGEST_INTEGER
    if not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
        msg = f"the number {text[:20]}… is too large"
        raise ValueError(msg)
    return value


def parquet_frame(source: Path | bytes, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read a Parquet file or its bytes; OSError for a special or too large file, or polars' errors."""
    import polars as pl

    if isinstance(source, Path):
        check_regular(source)

    def given() -> Any:
        return source if isinstance(source, Path) else io.BytesIO(source)

    try:
        lazy = pl.scan_parquet(given())
        values = lazy.select(pl.len()).collect().item() * len(lazy.collect_schema())
        if values > MAX_PARQUET_VALUES:
            message = (
                f"It unpacks to {thousands(values)} values, at most {thousands(MAX_PARQUET_VALUES)} are read"
            )
            raise OSError(errno.EFBIG, message, str(source) if isinstance(source, Path) else None)
        return pl.read_parquet(given(), columns=list(columns) if columns else None)
    # It is not an Exception, so a flipped byte would end the program.
    except pl.exceptions.PanicException as error:
        raise pl.exceptions.ComputeError(str(error)) from error


def ungzip(data: bytes, most: int = MAX_UNPACKED_BYTES) -> bytes:
    """Unpack gzip's data, also of several members; TooLargeError, EOFError or zlib.error otherwise."""
    pieces, size, at, view = [], 0, 0, memoryview(data)
    while at < len(data):
        unpacker = zlib.decompressobj(_GZIP)
        given: bytes | memoryview = b""
        while not unpacker.eof:
            if not given:
                given = view[at : at + _PIECE]
                at += len(given)
            piece = unpacker.decompress(given, _PIECE)
            given = unpacker.unconsumed_tail
            size += len(piece)
            if size > most:
                msg = f"unpacks to more than {most // MIB} MiB, the limit for packed files"
                raise TooLargeError(msg)
            pieces.append(piece)
            if not piece and not given and at == len(data) and not unpacker.eof:
                raise EOFError
        at -= len(unpacker.unused_data)
        while data[at : at + 1] == b"\0":  # Zeros may follow, as from a tape.
            at += 1
    return b"".join(pieces)


def check_zip(archive: zipfile.ZipFile, most: int = MAX_UNPACKED_BYTES) -> None:
    """Raise TooLargeError where the members of a zip archive say that they unpack to more than a limit."""
    if sum(member.file_size for member in archive.infolist()) > most:
        msg = f"unpacks to more than {most // MIB} MiB, which is the limit"
        raise TooLargeError(msg)
