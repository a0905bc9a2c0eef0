"""Files that are packed are read as the plain ones are, by each command that takes text."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from pathlib import Path
from types import ModuleType

import pytest

from fsconsole.app.kinds import kind_of
from fsconsole.resources import examples
from fsconsole.targets.slurm.location import example_capture
from tests.batch.study.small import swf_text
from tests.cli.conftest import Cli
from tests.cli.kinds import SACCT
from tests.slurm.captured import captured
from tests.texts import says

PACKERS: dict[str, ModuleType] = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
SCHEDULE = "job_id,submit,start,end\n1,0,0,10\n2,5,10,20\n"
FILES = {
    "tree.yaml": (examples() / "convex-series-1.yaml").read_text("utf-8"),
    "tree.cfg": captured("plain/dump.cfg"),
    "tree.csv": "path,shares\na,1\nb,2\n",
    "sshare.psv": (example_capture() / "usage.txt").read_text("utf-8"),
    "jobs.swf": swf_text(12),
    "sacct.txt": SACCT,
    "schedule.csv": SCHEDULE,
}
COMMANDS = (
    ("tree.yaml", "tree show {x}"),
    ("tree.yaml", "simulate {x} --until 1s"),
    ("tree.cfg", "tree check {x}"),
    ("tree.csv", "tree show {x}"),
    ("sshare.psv", "slurm fairshare {x}"),
    ("sshare.psv", "slurm forecast {x} --user ocean/anna --until 1h"),
    ("sshare.psv", "slurm control {x} --target 100"),
    ("tree.cfg", "slurm diff {x} --capture {capture}"),
    ("jobs.swf", "batch simulate {x} --policy fcfs-backfill --procs 16"),
    ("sacct.txt", "batch simulate {x} --policy fcfs-backfill --procs 16"),
    ("schedule.csv", "batch compare {x} {x}"),
)


def ended(cli: Cli, words: str, path: Path) -> tuple[int, str, str]:
    found = cli(*words.format(x=path, capture=example_capture()).split())
    named = (text.replace(str(path), "FILE").replace(path.name, "FILE") for text in (found.out, found.err))
    out, err = (
        re.sub(r"(?<=per second)\s+[\d,]+|\s+|─+", " ", text) for text in named
    )  # Not widths and rates.
    return found.status, out, err


@pytest.mark.parametrize(("name", "words"), COMMANDS)
def test_packed_files_are_read_as_plain_ones(cli: Cli, tmp_path: Path, name: str, words: str) -> None:
    plain = tmp_path / name
    plain.write_text(FILES[name], "utf-8")
    expected = ended(cli, words, plain)
    assert "not UTF-8" not in expected[2]
    for suffix, packer in PACKERS.items():
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(packer.compress(FILES[name].encode()))
        assert ended(cli, words, path) == expected
        assert kind_of(path) is kind_of(plain)


def test_a_packed_file_of_another_kind_is_named(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "jobs.swf.gz"
    path.write_bytes(gzip.compress(FILES["jobs.swf"].encode()))
    assert says(cli("tree", "show", path).err, "app.is-not", path=path, kind="a trace of jobs")
    path.write_bytes(b"PK\x03\x04" + bytes(40))
    for words in ("tree show {x}", "slurm fairshare {x}", "batch simulate {x} --policy fcfs-backfill"):
        status, _, err = ended(cli, words, path)
        assert status == 1
        assert says(err, "shares.file-is-packed", packing="zip")
