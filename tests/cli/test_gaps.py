"""Census of the answers about a cluster: each file of a capture missing, cut, and without each of its fields.

No answer changes, and none is refused, without naming what is missing.
"""

from __future__ import annotations

import json
import pickle
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from fsconsole.slurm.limit_reasons import limit_of_reason
from fsconsole.targets.slurm.explain import read_all_priorities
from fsconsole.targets.slurm.location import capture_place, example_capture
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.replay import MANIFEST
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import ToolError, Tools
from tests.app.doctor.faults import CAPTURES, parts_of
from tests.cli.conftest import Cli, Ended
from tests.slurm.gaps import gaps

_SHIPPED = "shipped"
_OTHERS = {path.name: path for path in sorted(CAPTURES.iterdir()) if path.is_dir()}
# The questions that each file has a part in, and the words that name the file or its part.
_ASKED = {
    "settings": (
        "account user users job limit doctor show forecast new-job priority planned",
        "scontrol|settings",
    ),
    "usage": ("account user users show fairshare doctor tree forecast ways", "sshare|usage"),
    "tree": ("limit show doctor tree", "sacctmgr|associations"),
    "jobs": ("job limit doctor forecast ways planned", "squeue|jobs are"),
    "partitions": ("job limit doctor forecast new-job planned", "scontrol|partition"),
    "qos": ("limit doctor tree forecast new-job planned", "sacctmgr|qos"),
    "priorities": ("job priority doctor", "sprio"),
    "nodes": ("doctor", "sinfo|scontrol|nodes"),
    "reservations": ("doctor", "scontrol|reservation"),
    "own_limits": ("limit doctor", "sacctmgr|limits"),
    "assoc_mgr": ("limit doctor", "in force"),
    "cluster_tres": ("limit doctor", "percent|of all"),
}
_PARTS = {
    **{str(part): (part,) for part in PartName},
    "own_limits": (PartName.TREE,), "assoc_mgr": (PartName.QOS,), "cluster_tres": (PartName.QOS,),
    "partitions": (PartName.PARTITIONS, PartName.QOS), "priorities": (),
}  # fmt: skip
# What tools leave out or blank says something: no flag, and one billing unit per CPU.
_TELLING = {("settings", "PriorityFlags"), ("partitions", "TRESBillingWeights"), ("qos", "Flags")}
# The answer has another word for a field.
_WORDS = {
    ("jobs", "TimeLimit"): "end|limit", ("jobs", "StartTime"): "end", ("jobs", "PriorityLong"): "priority",
    ("jobs", "tres-alloc"): "PERCENT|price", ("partitions", "Default"): "default",
    ("priorities", "JOBSIZE"): "job size",
}  # fmt: skip
_WORD = re.compile(r"\w+(?:[.,]\w+)*")
_COUNTS = re.compile(r"\d+ (?:broken|contradicts itself|unusual)")  # A doctor who sees less may find less.
Questions = Mapping[str, Sequence[str]]


def _questions(folder: Path) -> Questions:
    """Return command lines about the users and jobs of a capture."""
    read = parts_of(folder)
    jobs, tree = read[PartName.JOBS].value, read[PartName.USAGE].value.tree  # type: ignore[union-attr]
    users = sorted(set(tree.user) - {"", "root"}, key=lambda user: -max(
        usage for usage, name in zip(tree.usage, tree.user, strict=True) if name == user
    ))  # fmt: skip
    account = next(name for name, user in zip(tree.account, tree.user, strict=True) if user == users[0])
    place = {name: f"{where}/{name}" for where, name in zip(tree.account, tree.user, strict=True)}
    of, via = ["--capture", str(folder)], ["slurm", "forecast", str(folder)]
    found: dict[str, Sequence[str]] = {
        "account": ["slurm", "why", "account", account, *of],
        "user": ["slurm", "why", users[0], *of],
        "users": ["slurm", "why", *users[:2], *of],
        "show": ["slurm", "show", *of],
        "fairshare": ["slurm", "fairshare", str(folder)],
        "doctor": ["doctor", str(folder)],
        "tree": ["tree", "show", str(folder)],
        "ways": [*via, "--account", account, "--solve", "F=0.5 in 1 h"],
        "new-job": [*via, "--user", place[users[0]], "--new-job", "cpus=8,qos=normal"],
        "planned": [*via, "--user", place[users[0]], "--job", "cpus=8,qos=normal,start=0,end=2d"],
    }
    pending = [job for job in jobs if job.is_pending and job.priority]
    if plain := [job for job in pending if job.reason in ("Priority", "Resources")]:
        found["job"] = ["slurm", "why", "job", plain[0].label, *of]
        owner, number = f"{plain[0].account}/{plain[0].user}", str(plain[0].job_id)
        found["priority"] = [*via, "--user", owner, "--priority-of", number]
    if limited := [job for job in pending if limit_of_reason(job.reason)]:
        found["limit"] = ["slurm", "why", "job", limited[0].label, *of]
    if runs := [job for job in jobs if job.state == "RUNNING"]:
        found["forecast"] = [*via, "--user", f"{runs[0].account}/{runs[0].user}"]
    return found


def _read(folder: Path, name: str) -> object:
    """Return the parts as they are read from a file: gaps that come to the same are asked about once."""
    cluster = json.loads((folder / MANIFEST).read_text())["cluster"]
    reader = Reader(Tools(capture_place(folder)), cluster=cluster)
    found: list[object] = []
    for part in _PARTS[name]:
        try:
            read = reader.read(part)
        except ToolError:
            return "unreadable"
        found.append((read.value, bool(read.notes)))
    if name == "priorities":
        found.append(read_all_priorities(reader.tools.run))
    return pickle.dumps(found)


def _made(folder: Path, name: str) -> Iterator[tuple[str, object]]:
    """Make the gaps of a file one after the other; yield each, and what is read then."""
    path = folder / f"{name}.txt"
    text = path.read_text()
    for field, less in gaps(folder, path.name):
        path.write_text(less)
        yield field, _read(folder, name)
    path.unlink()
    yield "missing", "missing"
    path.write_text(text)


def _unsaid(cli: Cli, folder: Path, name: str, questions: Questions) -> Iterator[str]:
    asked, words = _ASKED[name]
    mine = {key: questions[key] for key in asked.split() if key in questions}
    whole = {key: _asked(cli, command) for key, command in mine.items()}
    seen: set[object] = {_read(folder, name)}
    for field, read in _made(folder, name):
        if read in seen or (name, field) in _TELLING:
            continue
        seen.add(read)
        for key, command in mine.items():
            now, before = _asked(cli, command), whole[key]
            is_same = (now.status, now.out) == (before.status, before.out)
            if not is_same and not _says(
                now, before, f"{words}|{_WORDS.get((name, field), re.escape(field))}"
            ):
                yield f"{key}, {name}.txt {field}: {now.status} {_sentences(now) - _sentences(before)}"
    assert mine
    assert len(seen) > 1, f"no gap of {name}.txt is asked about"


def _says(now: Ended, before: Ended, words: str) -> bool:
    """Return True if an answer only lacks words, or has a new sentence that names what is missing."""
    if now.out and {*_WORD.findall(now.out)} <= {*_WORD.findall(before.out)}:
        return True
    return any(re.search(words, one, re.IGNORECASE) for one in _sentences(now) - _sentences(before))


def _sentences(ended: Ended) -> set[str]:
    return {*re.split(r"(?<=[.:]) ", " ".join(f"{ended.out} {ended.err}".split()))}


def _asked(cli: Cli, words: Sequence[str]) -> Ended:
    ended = cli(*words)
    return Ended(ended.status, _COUNTS.sub("", ended.out), ended.err)


def _folder(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(_OTHERS.get(name, example_capture()), tmp_path / name))


@pytest.mark.dear("asks each question without each field of a file")
@pytest.mark.parametrize("name", _ASKED)
def test_no_answer_changes_without_naming_what_is_missing(name: str, cli: Cli, tmp_path: Path) -> None:
    folder = _folder(_SHIPPED, tmp_path)
    assert [*_unsaid(cli, folder, name, _questions(folder))] == []


@pytest.mark.whole("captures of other clusters, which have the same gaps")
@pytest.mark.parametrize("name", _OTHERS)
def test_no_answer_about_another_capture_does(name: str, cli: Cli, tmp_path: Path) -> None:
    folder = _folder(name, tmp_path)
    questions = _questions(folder)
    files = [file for file in _ASKED if (folder / f"{file}.txt").is_file()]
    assert [one for file in files for one in _unsaid(cli, folder, file, questions)] == []
