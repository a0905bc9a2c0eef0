"""Census of the readers of Slurm's output: each field missing, and blank. None makes up a number for it."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.findings import Listing
from fsconsole.slurm.parsers.sacct import FIELDS as SACCT_FIELDS
from fsconsole.slurm.parsers.sacct import read_sacct
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.sinfo import FORMAT as SINFO_FORMAT
from fsconsole.slurm.parsers.squeue_text import FIELDS_BEFORE
from fsconsole.slurm.parsers.sshare import Sshare
from tests.slurm.captured import ASSOC_COLUMNS, SPRIO_COLUMNS, captured
from tests.slurm.parsers.test_damage import READERS as OF_DAMAGE

Rows = dict[object, dict[str, Any]]
READERS: dict[str, tuple[Callable[[str], object], str]] = {
    **OF_DAMAGE,
    "sshare of Fair Tree": (OF_DAMAGE["sshare"][0], captured("fairtree.psv")),
    "sacct": (read_sacct, captured("finished/sacct.psv")),
}
NO_HEADER = {
    "assoc bare": ASSOC_COLUMNS,
    "sprio bars": SPRIO_COLUMNS,
    "squeue text": FIELDS_BEFORE,
    "sinfo": ("name", "partition", "state", "cpus", "use", "reason"),
}
# Another value is right here: what a job's label is made of, and what is computed from other fields.
_LABELS = {"array_job_id", "het_job_id", "het_offset"}
KNOWN = {
    **{
        ("squeue text", field): _LABELS for field in ("ArrayTaskID", "ArrayJobID", "HetJobID", "HetJobOffset")
    },
    **{("job", field): _LABELS for field in ("ArrayJobId", "HetJobId", "HetJobOffset")},
    ("job in a line", "ArrayJobId"): _LABELS,
    # Without the time of a suspension, a job counts as one that was never suspended.
    ("job", "SuspendTime"): {"ran_before_s"},
    ("squeue text", "StartTime"): {"ran_before_s"},
    ("squeue text", "TimeUsed"): {"ran_before_s"},
    # From RawUsage: see test_sshare.py.
    ("sshare", "NormUsage"): {"usage"},
    ("sshare of Fair Tree", "NormUsage"): {"usage"},
    ("partition", "Default"): {"is_default"},
}


def _flat(value: object, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the plain values of a record by the name of their field."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _flat(getattr(value, field.name), field.name)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(item, str(key))
    elif not isinstance(value, (list, tuple, frozenset)):
        yield name, value


def rows_of(found: object) -> Rows:
    """Return the numbers that were read, by the name of their record."""
    if isinstance(found, Listing):
        flat = [dict(_flat(item)) for item in found.items]
        return {(one.get("job_id"), one.get("name"), one.get("partition")): one for one in flat}
    if isinstance(found, SlurmConfig):
        return {"": dict(_flat(found))}
    if isinstance(found, ShareTree):
        return {found.path(node.id): {"shares": node.shares} for node in found.walk()}
    assert isinstance(found, (Sshare, StoredAssociations))
    tree = found.tree
    columns: dict[str, Any] = {"shares": tree.shares, "usage": tree.usage}
    if isinstance(found, Sshare):
        columns |= {"raw_usage": found.raw_usage, **dict(_columns(found.printed))}
    partition = found.partition or ("",) * len(tree)
    keys = zip(tree.account, tree.user, partition, strict=True)
    return {key: {name: float(one[row]) for name, one in columns.items()} for row, key in enumerate(keys)}


def _columns(printed: object) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(printed):  # type: ignore[arg-type]
        yield field.name, getattr(printed, field.name)


def variants(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield (field, text without it) for each field, left out and blank."""
    if text.lstrip().startswith("{"):
        yield from _of_json(text)
    elif name in NO_HEADER or (
        "|" in text.split("\n", maxsplit=1)[0] and "=" not in text.split("\n", maxsplit=1)[0]
    ):
        yield from of_table(text, NO_HEADER.get(name, ()))
    elif " = " in text:
        for key in re.findall(r"(?m)^(\S+) *= ", text):
            yield key, re.sub(rf"(?m)^{re.escape(key)} *=.*\n", "", text)
            yield key, re.sub(rf"(?m)^{re.escape(key)} *=.*$", f"{key} = ", text)
    elif "=" in text:
        for key in sorted(set(re.findall(r"(?<!\S)([A-Za-z/:_]+)=", text))):
            yield key, re.sub(rf"(?<!\S){re.escape(key)}=\S*", "", text)
            yield key, re.sub(rf"(?<!\S){re.escape(key)}=\S*", f"{key}=", text)


def _has_titles(text: str) -> bool:
    first = text.partition("\n")[0]
    return "|" in first and "=" not in first


def _of_json(text: str) -> Iterator[tuple[str, str]]:
    names = [name for name, value in json.loads(text).items() if isinstance(value, list) and value]
    name = next(name for name in names if isinstance(json.loads(text)[name][0], dict))
    for key in sorted({key for record in json.loads(text)[name] for key in record}):
        for blank in (False, True):
            whole = json.loads(text)
            for record in whole[name]:
                record.pop(key, None) if not blank else record.update({key: None})
            yield key, json.dumps(whole)


def of_table(text: str, titles: tuple[str, ...] | list[str]) -> Iterator[tuple[str, str]]:
    rows = [line.split("|") for line in text.split("\n")]
    names = list(titles) or rows[0]
    for at, name in enumerate(names):
        for fill, is_whole in (([], not titles), ([""], False)):
            changed = [
                [*row[:at], *fill, *row[at + 1 :]]
                if len(row) == len(names) and (is_whole or row != names)
                else row
                for row in rows
            ]
            yield name, "\n".join("|".join(row) for row in changed)


def _is_unknown(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


@pytest.mark.parametrize("name", READERS)
def test_a_field_that_is_not_there_is_no_number(name: str) -> None:
    read, text = READERS[name]
    whole = rows_of(read(text))
    made_up: dict[str, set[str]] = {}
    for field, less in variants(name, text):
        try:
            found = rows_of(read(less))
        except ScenarioError:
            continue  # It is refused.
        for key, row in found.items():
            for column, value in row.items():
                is_number = isinstance(value, (int, float)) and not _is_unknown(value)
                before = whole.get(key, {}).get(column, value)
                if is_number and value != before and column not in KNOWN.get((name, field), ()):
                    made_up.setdefault(field, set()).add(f"{column}: {before} became {value}")
    assert made_up == {}, made_up


def test_the_census_sees_all_readers_and_all_their_fields() -> None:
    fields = {name: {field for field, _ in variants(name, text)} for name, (_, text) in READERS.items()}
    assert {name for name, found in fields.items() if len(found) < 5} <= {"sprio"}
    assert set(SACCT_FIELDS) <= fields["sacct"]
    assert len(NO_HEADER["sinfo"]) == SINFO_FORMAT.count("|") + 1
