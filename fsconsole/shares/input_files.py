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
import re
import stat
import zipfile
import zlib
from contextlib import suppress
from dataclasses import asdict
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
_PIECE = 256 * 1024
_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "zip": re.compile(rb"PK\x03\x04"),
}
_LONGEST_MAGIC = 10
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
UNPACK_FIRST = "Unpack it first, then read the plain file"


class PackedError(ValueError):
    """Packed data that cannot be unpacked; the message gives the reason."""


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
    # pydantic leaves unknown keys of dataclasses out.
    if unknown := _unknown(values, asdict(cast("Any", made))):
        msg = f"{unknown}: unknown key"
        raise ValueError(msg)
    return made


def _unknown(given: Any, known: Any) -> str:
    """Return the first key of nested mappings that others do not have, with those above it; empty if none."""
    if not isinstance(given, dict) or not isinstance(known, dict):
        return ""
    found = next((key for key in given if key not in known), "")
    below = ((key, _unknown(given[key], known[key])) for key in given)
    return found or next((f"{key}.{inner}" for key, inner in below if inner), "")


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


def plain_bytes(data: bytes, most: int = MAX_UNPACKED_BYTES) -> bytes:
    """Return bytes, unpacked if gzip, bzip2 or xz packed them.

    Raises:
        PackedError: they are damaged, unpack to more than the limit, or another program packed them.
    """
    packing = _packing_of(data)
    if not packing:
        return data
    found, stream = bytearray(), _unpacking(io.BytesIO(data), packing)
    while len(found) <= most and (piece := _piece(stream, packing, _PIECE)):
        found += piece
    if len(found) > most:
        msg = f"unpacks to more than {most // MIB} MiB, the limit for packed files. {UNPACK_FIRST}"
        raise PackedError(msg)
    return bytes(found)


def plain_beginning(path: Path, size: int) -> bytes:
    """Return the first bytes of a regular file, unpacked as by `plain_bytes`; empty if that fails."""
    with open_regular(path) as stream:
        packing = _packing_of(stream.read(_LONGEST_MAGIC))
        stream.seek(0)
        if not packing:
            return stream.read(size)
        with suppress(PackedError):
            return _piece(_unpacking(stream, packing), packing, size)
    return b""


def _unpacking(stream: BinaryIO, packing: str) -> BinaryIO:
    """Return a stream of the unpacked bytes of a stream."""
    if packing == "gzip":
        import gzip

        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    if packing == "bzip2":
        import bz2

        return cast("BinaryIO", bz2.BZ2File(stream))
    if packing == "xz":
        import lzma

        return cast("BinaryIO", lzma.LZMAFile(stream))
    msg = f"the file is packed ({packing}). {UNPACK_FIRST}"
    raise PackedError(msg)


def _piece(stream: BinaryIO, packing: str, size: int) -> bytes:
    import lzma

    try:
        return stream.read(size)
    except EOFError:
        msg = f"the {packing} data ends too early. Get the whole file again; nothing of it is used"
        raise PackedError(msg) from None
    except (OSError, lzma.LZMAError, zlib.error) as error:
        msg = f"the {packing} data is damaged ({error}). Get the file again; nothing of it is used"
        raise PackedError(msg) from None


def plain_path(path: Path) -> Path:
    """Return the path that a packed file has once it is unpacked."""
    return path.with_suffix("") if path.suffix.lower() in _PACKED_SUFFIXES else path


def _packing_of(begun: bytes) -> str:
    """Return the name of the compression of bytes, by their beginning; empty for plain ones."""
    return next((name for name, magic in _MAGIC.items() if magic.match(begun)), "")


def check_zip(archive: zipfile.ZipFile, most: int = MAX_UNPACKED_BYTES) -> None:
    """Raise TooLargeError where the members of a zip archive say that they unpack to more than a limit."""
    if sum(member.file_size for member in archive.infolist()) > most:
        msg = f"unpacks to more than {most // MIB} MiB, which is the limit"
        raise TooLargeError(msg)
