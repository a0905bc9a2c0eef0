"""A damaged capture folder ends no command in a fault: a sentence names the file, or what is left out."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from fsconsole.targets.slurm.location import example_capture
from fsconsole.targets.slurm.replay import MANIFEST, CaptureError, Manifest, read_manifest
from tests.cli.conftest import Cli
from tests.cli.test_census import USES
from tests.cli.test_command_tree import ALL
from tests.cli.test_inert_names import NEEDED
from tests.laws import tries

# Commands with an option for a capture folder, and those that take one as a file.
_MORE = {
    "slurm forecast": ("--user", "ocean/anna"),
    "slurm why": ("finn",),
    "slurm roll-back": ("1", "--dry-run"),
}
WINDOW = "open {x}"
COMMANDS = {
    **{
        words: ("--capture", "{x}", *_MORE.get(words, NEEDED.get(words, ())))
        for words, one in ALL.items()
        if any(part.name == "captured" for part in one.params)
    },
    **{
        use.words: ()
        for use in USES.values()
        if "capture" in use.works and "--capture" not in use.words and use.words.split()[0] != "slurm"
    },
    "slurm fairshare {x}": (),
    "slurm forecast {x} --user ocean/anna": (),
    "slurm control {x} --target 100": (),
    WINDOW: (),
}
FILES = sorted(path.name for path in example_capture().iterdir() if path.suffix == ".txt")
BAD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        "",
        "x",
        "\ud800",
        "../x",
        "/etc/passwd",
        "\0",
        [],
        [None],
        [[]],
        ["x", 1],
        {},
        {"a": 1},
    ),
    *(0, -1, 1.5, 1e20, -1e300, 10**400, float("nan"), float("inf"), -float("inf")),
)
MISSING = object()
Ask = Callable[[str, Path], tuple[int, str, str]]


@pytest.fixture
def ask(cli: Cli, tmp_path: Path) -> Ask:
    tree = tmp_path / "tree.yaml"
    tree.write_text("version: 1\ntree: {name: root, children: [{name: newer, shares: 1}]}\n")

    def call(command: str, folder: Path) -> tuple[int, str, str]:
        known = {
            "x": folder,
            "out": tmp_path / "out",
            "dump": tree,
            "tree": tree,
            "job": 36,
            "account": "ocean",
        }
        words = (*command.split(), *COMMANDS[command])
        ended = cli(*(word.format(**known) for word in words))
        for made in tmp_path.glob("out*"):
            made.unlink()
        return ended.status, re.sub(r"\d+\.\d\d s\b", "", ended.out), ended.err

    return call


def copied(folder: Path) -> Path:
    return shutil.copytree(example_capture(), folder, dirs_exist_ok=True)


def fields(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to all values in JSON."""
    for key, below in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(below, dict | list):
            yield from fields(below, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: object) -> Any:
    found = json.loads(json.dumps(value))
    at = found
    for key in path[:-1]:
        at = at[key]
    if new is MISSING:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return found


LIST = json.loads((example_capture() / MANIFEST).read_text("utf-8"))


def manifest_in(folder: Path) -> Manifest | str:
    """Return the list of a folder, or what is wrong with it."""
    try:
        return read_manifest(folder)
    except CaptureError as error:
        return str(error)


def test_each_field_of_the_list_is_checked(tmp_path: Path) -> None:
    folder = copied(tmp_path / "kept")
    for path in fields(LIST):
        if len(path) > 1 and path[1] > 1:
            continue  # All rows are read alike.
        for new in (*BAD, MISSING):
            (folder / MANIFEST).write_text(json.dumps(changed(LIST, path, new)), "utf-8")
            found = manifest_in(folder)
            if isinstance(found, str):
                assert str(folder / MANIFEST) in found
                continue
            assert [*map(type, found[:2])] == [str, float]
            assert all([*map(type, one)] == [tuple, str, str, int] for one in found.answers)


NEWER = json.dumps(LIST | {"version": 99, "program": "fsconsole 99.0.0"}).encode()
LISTS = (b"", b"{", b"[]", b"null", b"\xff\xfe{", b"[" * 100_000, b"{}", NEWER, None, "folder")


@pytest.mark.parametrize(("command", "data"), [*zip(COMMANDS, cycle(LISTS), strict=False)])
def test_a_list_that_cannot_be_read_is_named(
    ask: Ask, tmp_path: Path, command: str, data: bytes | str | None
) -> None:
    folder = copied(tmp_path / "kept")
    path = folder / MANIFEST
    path.unlink()
    if isinstance(data, bytes):
        path.write_bytes(data)
    elif data is not None:
        path.mkdir()
    status, out, err = ask(command, folder)
    assert status in (1, 2)
    assert str(folder) in err + out
    assert len((err + out).strip().splitlines()) == 1


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "a folder": _folder,
    "empty": lambda path: path.write_bytes(b""),
    "not UTF-8": lambda path: path.write_bytes(b"\xff" + path.read_bytes()),
    "packed": lambda path: path.write_bytes(b"\x1f\x8b\x08" + path.read_bytes()),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3 - 1].rstrip()),
    "other text": lambda path: path.write_text("nothing\n"),
    "NUL": lambda path: path.write_bytes(b"\0" * 4096),
}
TOOLS = {"settings": "scontrol", "tree": "sacctmgr", "usage": "sshare", "jobs": "squeue", "nodes": "sinfo"}


@tries(400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    command=st.sampled_from([one for one in COMMANDS if one != WINDOW]),
    name=st.sampled_from(FILES),
    damage=st.sampled_from([*DAMAGES]),
)
def test_an_answer_that_cannot_be_read_is_named(
    ask: Ask, tmp_path: Path, command: str, name: str, damage: str
) -> None:
    folder = copied(tmp_path / "kept")
    sound = ask(command, folder)
    DAMAGES[damage](folder / name)
    status, out, err = ask(command, folder)
    shutil.rmtree(folder)
    assert status in (0, 1, 2), err
    assert "internal error" not in err
    if (status, out) != sound[:2] and damage not in ("empty", "cut"):
        tool = TOOLS.get(name.removesuffix(".txt"), "scontrol")
        assert name in err + out or tool in err + out


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(BAD),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=8), below, max_size=3),
    max_leaves=6,
)


@tries(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_is_a_fault_of_the_program(ask: Ask, tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "kept"
    shutil.rmtree(folder, ignore_errors=True)
    copied(folder)
    command = data.draw(st.sampled_from([one for one in COMMANDS if one != WINDOW]), "command")
    if data.draw(st.booleans(), "in the list"):
        path = data.draw(st.sampled_from([*fields(LIST)]), "field")
        new = data.draw(_VALUES, "value")
        (folder / MANIFEST).write_text(json.dumps(changed(LIST, path, new)), "utf-8")
    else:
        file = folder / data.draw(st.sampled_from([MANIFEST, *FILES]), "file")
        text = file.read_bytes()
        start = data.draw(st.integers(0, len(text)), "start")
        length = data.draw(st.sampled_from([0, 1, 2, 30, len(text)]), "length")
        file.write_bytes(text[:start] + data.draw(st.binary(max_size=6), "bytes") + text[start + length :])
    status, out, err = ask(command, folder)
    assert status in (0, 1, 2), err
    assert "internal error" not in err
    if isinstance(manifest_in(folder), str):
        assert status != 0
        assert str(folder) in out + err


@pytest.mark.parametrize("command", [one for one in COMMANDS if one != WINDOW])
def test_no_command_of_a_capture_names_the_program_that_replays_it(
    ask: Ask, tmp_path: Path, command: str
) -> None:
    folder = copied(tmp_path / "kept")
    for name in (None, "settings.txt"):
        if name is not None:
            (folder / name).unlink()
        status, out, err = ask(command, folder)
        assert status in (0, 1, 2)
        assert "slurm.replay" not in out + err
        if name is None and "--dry-run" in COMMANDS[command] and "job" in command:
            assert re.search(r"^(scancel|scontrol) ", out, re.MULTILINE), (out, err)
