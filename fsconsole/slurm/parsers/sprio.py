"""`sprio`: the components of the priority of each waiting job.

It prints weighted whole numbers (`-l`, or `-o` with capital letters), or with small letters fractions from 0
to 1 under the same names; which of the two it is, only the one who asked knows. Where no job waits it prints
nothing. Source: sprio(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing, shown
from fsconsole.slurm.parsers.pipes import header, rows
from fsconsole.slurm.parsers.values import count

FORMAT = "%i|%r|%u|%Y|%S|%A|%B|%F|%J|%P|%Q|%N|%T"  # With -o names are whole, unlike with -l.
_TEXTS = frozenset(("jobid", "partition", "user", "account", "tres", "priority", "qosname"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPriority:
    """Priority of one pending job in one of its partitions and QOS.

    Attributes:
        partition, qos: empty if not printed.
        user: user name, possibly truncated in the form with blanks.
        priority: sum; None if not printed.
        parts: components by name in lower case: site, age, assoc, fairshare, jobsize, partition, qos, nice.
    """

    job_id: int
    partition: str
    user: str
    priority: float | None
    parts: Mapping[str, float]
    qos: str = ""


def read_sprio(text: str, columns: Sequence[str] = (), only: Collection[int] = ()) -> Listing[JobPriority]:
    """Read the rows, with fields separated by `|` or blanks; ScenarioError if none is readable.

    Args:
        text: output of sprio.
        columns: column names of sprio's header, for output without a header (-h).
        only: numbers of the wanted jobs, because a capture has those of all jobs. All jobs if empty, or if
            JOBID is not the first column.
    """
    found = Findings()
    priorities = []
    if only and not columns:
        text = _without_others(text, frozenset(map(str, only)))
    for number, row in _rows(text, columns, found):
        try:
            priorities.append(_priority(row))
        except DamagedError as error:
            found.add(number, f"a job was left out: {error}")
    return found.listing(priorities)


def _without_others(text: str, wanted: frozenset[str]) -> str:
    """Return the text with empty lines for other jobs, so that line numbers stay the same."""
    first, *lines = text.split("\n")
    if _first_field(first.removeprefix("\ufeff")).upper() != "JOBID":
        return text
    kept = (line if (field := _first_field(line)) in wanted or not field.isdigit() else "" for line in lines)
    return "\n".join((first, *kept))


def _first_field(line: str) -> str:
    return line.partition("|")[0].lstrip().partition(" ")[0]


def _rows(text: str, columns: Sequence[str], found: Findings) -> Iterator[tuple[int, Mapping[str, str]]]:
    lines = text.removeprefix("\ufeff").split("\n")
    if not text.strip() or lines[0].startswith("Unable to find jobs"):
        return
    if columns or "|" in lines[0]:
        yield from rows(text, found, ("jobid",), "sprio -l", columns)
        return
    names = header(lines[0].split())
    if "jobid" not in names:
        found.add(1, "no column JOBID: this is not output of `sprio -l`")
        return
    for number, line in enumerate(lines[1:], 2):
        fields = line.split()
        if fields and fields[0] == "Weights":
            found.add(number, "these are weights (-w), not jobs. `scontrol show config` has them")
        elif fields and len(fields) in (len(names), len(names) - (names[-1] == "tres")):
            yield number, dict(zip(names, fields, strict=False))
        elif fields:
            found.add(
                number, f"{len(fields)} fields, but the header has {len(names)}. The line may be cut off"
            )


def _priority(row: Mapping[str, str]) -> JobPriority:
    job_id = count(row["jobid"])
    if not job_id:
        msg = f"{shown(row['jobid'])} is not a job number"
        raise DamagedError(msg)
    # The column PARTITION is the factor if it is the second one, or if it has a number.
    parts = {
        name.partition("#")[0]: _amount(name, value) for name, value in row.items() if name not in _TEXTS
    }
    name = row.get("partition", "")
    if "partition#2" not in row and _is_number(name):
        parts["partition"], name = float(name), ""
    return JobPriority(
        job_id=job_id,
        partition=name.strip(),
        user=row.get("user", "").strip(),
        priority=_amount("priority", row["priority"]) if "priority" in row else None,
        parts=parts,
        qos=row.get("qosname", "").strip(),
    )


def _amount(name: str, text: str) -> float:
    if _is_number(text):
        return float(text)
    msg = f"{name} is {shown(text)}, expected a number"
    raise DamagedError(msg)


def _is_number(text: str) -> bool:
    bare = text.strip().removeprefix("-")
    return bare.isascii() and bare.replace(".", "", 1).isdigit() and len(bare) < 30
