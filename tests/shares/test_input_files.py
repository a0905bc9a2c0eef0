"""Limits of what is read from files that may come from somebody else."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import zipfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fsconsole
from fsconsole.batch.traces.content import content_of
from fsconsole.shares import input_files
from fsconsole.shares.input_files import (
    PackedError,
    TooLargeError,
    check_zip,
    parquet_frame,
    parsed_json,
    plain_beginning,
    plain_bytes,
    read_json,
    read_limited,
    read_whole,
    typed,
)
from fsconsole.shares.scenario.yaml_nodes import text_in
from tests.texts import refuses, refuses_naming


@pytest.fixture(params=["pipe", "device", "link to a device"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What would be waited for, or never end."""
    path = tmp_path / "endless"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "device":
        return Path("/dev/zero")
    else:
        path.symlink_to("/dev/zero")
    return path


def test_only_regular_files_are_read(endless: Path) -> None:
    for read in (read_limited, read_json, parquet_frame):
        with refuses(OSError, "shares.this-is-device-or-pipe") as caught:
            read(endless)
        assert caught.value.filename == str(endless)


def test_folders_and_missing_files_are_reported_as_ever(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_limited(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_limited(tmp_path / "none")


def test_a_file_may_be_as_large_as_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 2**20)
    assert len(read_limited(path, 2**20)) == 2**20
    path.write_bytes(b"x" * (2**20 + 1))
    with refuses(OSError, "shares.file-is-larger-than-mib", most="1"):
        read_limited(path, 2**20)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_json_comes_back(value: object) -> None:
    assert parsed_json(json.dumps(value)) == value
    assert parsed_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, f"[{2**63}]", f"[{-(2**63) - 1}]", f"[1{'0' * 5000}]", "{", ""]
)
def test_broken_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parsed_json(text)
    with pytest.raises(ValueError):
        parsed_json(text.encode())


PACKERS = (gzip, bz2, lzma)


@given(st.sampled_from(PACKERS), st.lists(st.binary(max_size=400), min_size=1, max_size=4))
def test_several_members_unpack(packer: ModuleType, parts: list[bytes]) -> None:
    packed = b"".join(packer.compress(part) for part in parts)
    whole = b"".join(parts)
    assert plain_bytes(packed, max(1, len(whole))) == whole


@given(st.sampled_from(PACKERS), st.binary(min_size=1, max_size=400), st.data())
def test_packed_data_that_are_cut_are_refused(
    packer: ModuleType, content: bytes, data: st.DataObject
) -> None:
    packed = packer.compress(content)
    at = data.draw(st.integers(10, len(packed) - 1))
    with pytest.raises(PackedError):
        plain_bytes(packed[:at])


@given(st.sampled_from(PACKERS), st.binary(max_size=400), st.integers(10, 400), st.integers(1, 255))
def test_packed_data_that_are_damaged_never_raise_anything_else(
    packer: ModuleType, content: bytes, at: int, change: int
) -> None:
    packed = bytearray(packer.compress(content))
    at %= len(packed)
    packed[at] ^= change
    with suppress(PackedError):
        plain_bytes(bytes(packed))


def test_what_cannot_be_unpacked_here_is_named(tmp_path: Path) -> None:
    for name, data in (("zip", b"PK\x03\x04rest of it"), ("zstd", b"\x28\xb5\x2f\xfdrest of it")):
        with refuses(PackedError, "shares.file-is-packed", packing=name):
            plain_bytes(data)
        (tmp_path / name).write_bytes(data)
        assert plain_beginning(tmp_path / name, 4) == b""


@pytest.mark.parametrize("packer", PACKERS)
def test_the_beginning_of_a_packed_file(packer: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(packer.compress(b"begin and more"))
    assert plain_beginning(path, 5) == b"begin"
    path.write_bytes(b"begin and more")
    assert plain_beginning(path, 5) == b"begin"


@pytest.mark.parametrize("packer", PACKERS)
def test_bombs_are_not_unpacked(packer: ModuleType) -> None:
    packed = packer.compress(bytes(5 * 2**20))
    assert len(packed) < 2**14
    with refuses(PackedError, "shares.unpacks-to-more-than-mib", most="4"):
        plain_bytes(packed, 4 * 2**20)


def test_zip_bombs_are_not_unpacked() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a", "b"):
            archive.writestr(name, bytes(2**20))
        check_zip(archive, 2**21)
        with refuses(TooLargeError, "shares.unpacks-to-more-than-mib-2", most="1"):
            check_zip(archive, 2**21 - 1)


def test_parquet_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "samples.parquet"
    frame = pl.DataFrame({"a": [0] * 1000, "b": [1.0] * 1000})
    frame.write_parquet(path)
    monkeypatch.setattr(input_files, "MAX_PARQUET_VALUES", 2000)
    assert parquet_frame(path).equals(frame)
    assert parquet_frame(path.read_bytes(), ["b"]).columns == ["b"]
    monkeypatch.setattr(input_files, "MAX_PARQUET_VALUES", 1999)
    with refuses(
        OSError, "shares.it-unpacks-to-values-at", values="2\u202f000", max_parquet_values="1\u202f999"
    ):
        parquet_frame(path)


@dataclass(frozen=True)
class Inner:
    """A part."""

    weights: tuple[float, ...] = ()


@dataclass(frozen=True)
class Outer:
    """A whole."""

    count: int
    inner: Inner


def test_dataclasses_are_made_of_their_own_plain_values_alone() -> None:
    whole = Outer(3, Inner((1.0, 2.0)))
    assert typed(Outer, json.loads(json.dumps(asdict(whole)))) == whole
    for wrong in (
        {"count": "3"},
        {"count": 3.5},
        {"count": None},
        {"inner": 4},
        {"inner": {"weights": ["x"]}},
    ):
        with refuses_naming(ValueError, next(iter(wrong))):
            typed(Outer, asdict(whole) | wrong)
    for unknown in ({"mood": 1}, {"inner": asdict(whole)["inner"] | {"mood": 1}}):
        with refuses_naming(ValueError, "mood"):
            typed(Outer, asdict(whole) | unknown)


# Files of the program itself, of the kernel, made by this process a moment before, or checked before it is
# asked to work (stored_jobs).
_OTHER_OPENS = {
    "app/examples.py", "app/reports/html_page.py", "app/reports/typst_pdf.py", "app/study/files.py",
    "batch/study/stored_jobs.py", "console/help/pages.py", "console/play.py", "console/style/icons.py",
    "linux/hierarchy.py", "policies/compiled.py", "resources.py", "shares/files.py",
    "targets/slurm/tools.py",
}  # fmt: skip
# Streams, documents and dialogs are opened too; these are names of paths.
_PATHS = "path|file|place|name|complete|target|source|handle"
_OPENS = re.compile(rf"\.read_(?:text|bytes)\(|(?<![\w.])open\((?!self|mode)|\b(?:{_PATHS})\.open\(")
_WRITES = re.compile(r"""open\((?:\w+, )?["'][wax]b?["']|def open\(""")


def test_every_file_is_opened_as_one_that_somebody_else_may_have_made() -> None:
    """A FIFO in the place of a file held a command, or the window, for ever."""
    package = Path(fsconsole.__file__).parent
    found = set()
    for path in package.rglob("*.py"):
        name = path.relative_to(package).as_posix()
        lines = path.read_text("utf-8").splitlines()
        if name.startswith("experiments/") or name in ("shares/input_files.py", "figures/script.py"):
            continue
        if any(_OPENS.search(line) and not _WRITES.search(line) and "os.open(" not in line for line in lines):
            found.add(name)
    assert found == _OTHER_OPENS


def test_a_pipe_in_the_place_of_any_text_is_refused(endless: Path) -> None:
    for read in (text_in, read_whole, content_of):
        with refuses(OSError, "shares.this-is-device-or-pipe"):
            read(endless)
