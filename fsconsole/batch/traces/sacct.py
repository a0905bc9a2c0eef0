"""Traces of Slurm: the output of `sacct -P`, a header and a job or step a line, fields separated by `|`.

Source: sacct(1) of Slurm 22.05, and captures of that version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Bools, Ints, labels_of
from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.batch.traces.filtering import Rule, applied, by_line
from fsconsole.batch.traces.raw import LARGEST, RawJobs, RawTrace
from fsconsole.batch.traces.report import Finding, TraceError
from fsconsole.text.numbers import thousands

Counted = Literal["cpus", "nodes"]
Owners = Literal["users", "accounts"]
_WHOSE: dict[Owners, str] = {"users": "User", "accounts": "Account"}

# These fields have the same content, the best one first.
_NUMBER = ("JobIDRaw", "JobID")
_RUNTIME = ("ElapsedRaw", "Elapsed", "End")
_GOT: dict[str, tuple[str, ...]] = {"cpus": ("AllocCPUS", "NCPUS"), "nodes": ("AllocNodes", "NNodes")}
_ASKED = {"cpus": ("ReqCPUS",), "nodes": ("ReqNodes",)}
_LABELS = ("Partition", "QOS")
_REQUESTS = ("ReqTRES", "AllocTRES", "ReqGRES", "AllocGRES")
# Patterns in fields of sacct of what a schedule here does not know.
_LEFT_OUT: dict[str, tuple[tuple[str, ...], str]] = {
    "GPUs": (_REQUESTS, r"(?i)(?:^|[,/])gpu(?::[^,:=]*[^,:=0-9][^,:=]*)?(?:[:=]0*[1-9]|$|,)"),
    "memory": ((*_REQUESTS, "ReqMem"), r"(?:^|,)(?:mem=)?0*[1-9][0-9.]*[KMGTP]?[cn]?(?:$|,)"),
    "licences": (_REQUESTS, r"(?:^|,)license/"),
    "time limits": (("Timelimit", "TimelimitRaw"), r"^[0-9:.-]+$"),
    "QOS limits": (("QOS",), r"\S"),
    "reservations": (("Reservation",), r"\S"),
    "features": (("Constraints",), r"\S"),
}
_UNIT = {"cpus": "CPU", "nodes": "node"}
_COMMAND = "sacct -a -X -P -o JobID,JobIDRaw,User,Submit,Start,End,ElapsedRaw,AllocCPUS,NNodes,ReqCPUS,State"

_TIME = "%Y-%m-%dT%H:%M:%S"
_NOT_STARTED = ("PENDING", "REQUEUE_HOLD", "SPECIAL_EXIT")
_NOT_ENDED = (
    "RUNNING",
    "SUSPENDED",
    "REQUEUED",
    "RESIZING",
    "CONFIGURING",
    "COMPLETING",
    "STAGE_OUT",
    "STOPPED",
)
_LONGEST_HEADER = 1 << 14


def is_sacct(data: bytes) -> bool:
    """Return True if bytes look like the output of sacct with -P or -p."""
    first = data.lstrip()[:_LONGEST_HEADER].split(b"\n", 1)[0].strip().decode("ascii", "replace")
    return "|" in first and first.isascii() and first.isprintable() and not first.startswith(";")


def parse_sacct(data: bytes, name: str, counted: Counted = "cpus", owners: Owners = "users") -> RawTrace:
    """Read the output of sacct, without lines of steps.

    Second 0 is the midnight before the first submit time, on sacct's clock.

    Args:
        data: the text, UTF-8.
        name: its name in messages.
        counted: unit that counts as a node, a CPU or a node of the cluster.
        owners: owner of a job, the user or the account.

    Raises:
        TraceError: there is no header, no job, or a necessary field is missing.
    """
    header, numbers, lines = _split(data)
    _check_fields(header, counted, owners, name)
    is_full = np.fromiter((line.count("|") == len(header) - 1 for line in lines), np.bool_, len(lines))
    whole = [line for line, full in zip(lines, is_full.tolist(), strict=True) if full]
    frame = _frame(header, whole, _WHOSE[owners])
    frame = frame.with_columns(line=pl.Series(numbers[is_full], dtype=pl.Int64))
    torn = [_torn(int(numbers[row]), lines[row], header) for row in np.flatnonzero(~is_full).tolist()]
    is_step = frame["JobID"].str.contains(".", literal=True)
    jobs = frame.filter(~is_step)
    if not len(jobs):
        msg = f"{name}: no jobs. sacct printed {thousands(len(lines))} lines, and none of them is a job"
        raise TraceError(msg)
    return _trace(_values(jobs, counted), torn, int(is_step.sum()), counted)


def _split(data: bytes) -> tuple[list[str], Ints, list[str]]:
    """Return names of the fields, and the other lines with their numbers."""
    found = [
        (number, bare)
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1)
        if (bare := line.strip("\r\n")).strip()
    ]
    header = found[0][1].strip().split("|")
    return (
        header,
        np.array([number for number, _ in found[1:]], dtype=np.int64),
        [line for _, line in found[1:]],
    )


def _check_fields(header: list[str], counted: Counted, owners: Owners, name: str) -> None:
    needed = {
        "the number of jobs": _NUMBER,
        "whose they are": (_WHOSE[owners],),
        "their submit times": ("Submit",),
        "their runtimes": _RUNTIME,
        f"their number of {_UNIT[counted]}s": (*_GOT[counted], *_ASKED[counted]),
    }
    missing = [f"{what} ({' or '.join(names)})" for what, names in needed.items() if not {*names} & {*header}]
    if missing:
        msg = (
            f"{name}: the first line of sacct's output does not have a field for {', '.join(missing)}. "
            f"Use {_COMMAND}"
        )
        raise TraceError(msg)


def _torn(number: int, line: str, header: list[str]) -> Finding:
    fields = line.count("|") + 1
    start = line.split("|", 1)[0]
    reason = f"the line has {fields} fields, but the header has {len(header)} (a name may contain a |)"
    job_id = int(start) if start.isdecimal() else None
    return Finding(job_id, number, "different numbers of fields in line and header", reason)


def _frame(header: list[str], lines: list[str], whose: str) -> pl.DataFrame:
    """Return the lines as text with a column for each relevant field; missing fields are empty.

    `User` is the field `whose`.
    """
    times = ("Submit", "Start", "End", "ElapsedRaw", "Elapsed")
    known = ("JobID", "JobIDRaw", "User", "State", *times, *_LABELS)
    sizes = [name for names in (*_GOT.values(), *_ASKED.values()) for name in names]
    sizes += [name for names, _ in _LEFT_OUT.values() for name in names if name not in (*known, *sizes)]
    sizes = list(dict.fromkeys(sizes))
    if not lines:
        return pl.DataFrame(schema=dict.fromkeys((*known, *sizes), pl.String))
    frame = pl.read_csv(
        "\n".join(lines).encode(),
        has_header=False,
        separator="|",
        schema={str(column): pl.String for column in range(len(header))},
        quote_char=None,
    )
    places = {name: str(place) for place, name in reversed([*enumerate(header)])}
    places["User"] = places[whose]
    empty = pl.lit("", dtype=pl.String)
    columns = {
        name: pl.col(places[name]).fill_null("").str.strip_chars() if name in places else empty
        for name in (*known, *sizes)
    }
    found = frame.select(**columns)
    return found.with_columns(JobID=pl.when(pl.col("JobID") == "").then("JobIDRaw").otherwise("JobID"))


def _values(frame: pl.DataFrame, counted: Counted) -> pl.DataFrame:
    """Return times in s since 1970 on sacct's clock, lengths in s, and counts; null if unknown."""
    start, end = _moment("Start"), _moment("End")
    runtime = pl.coalesce(pl.col("ElapsedRaw").cast(pl.Int64, strict=False), _length("Elapsed"), end - start)
    return frame.with_columns(
        number=pl.coalesce(pl.col(name).cast(pl.Int64, strict=False) for name in _NUMBER),
        submit=_moment("Submit"),
        start=start,
        end=end,
        runtime=runtime,
        got=pl.coalesce(*(_count(name) for name in _GOT[counted])),
        asked=pl.coalesce(*(_count(name) for name in _ASKED[counted])),
    )


def _moment(name: str) -> pl.Expr:
    """Return a time in sacct's format, or seconds since 1970 if SLURM_TIME_FORMAT was %s."""
    written = pl.col(name).str.to_datetime(_TIME, time_unit="us", strict=False).dt.epoch("s")
    return pl.coalesce(written, pl.col(name).cast(pl.Int64, strict=False))


def _length(name: str) -> pl.Expr:
    """Return a length of time, [DAYS-]HOURS:MINUTES:SECONDS."""
    number = "([0-9]{1,7})"  # Polars' \d matches the digits of all alphabets, which it cannot cast.
    form = rf"^(?:{number}-)?(?:{number}:)?{number}:{number}(?:\.[0-9]+)?$"
    parts = pl.col(name).str.extract_groups(form)
    days, hours, minutes, seconds = (parts.struct[place].cast(pl.Int64) for place in range(4))
    return days.fill_null(0) * DAY_S + hours.fill_null(0) * HOUR_S + minutes * 60 + seconds


def _count(name: str) -> pl.Expr:
    """Return a count, which sacct may abbreviate: 2K is 2048."""
    parts = pl.col(name).str.extract_groups(r"^([0-9]+(?:\.[0-9]+)?)([KM]?)$")
    unit = parts.struct[1].replace_strict({"K": 1024, "M": 1024**2}, default=1, return_dtype=pl.Int64)
    return (parts.struct[0].cast(pl.Float64) * unit).round().cast(pl.Int64, strict=False)


def _trace(frame: pl.DataFrame, torn: list[Finding], steps: int, counted: Counted) -> RawTrace:
    line = frame["line"].to_numpy()
    fresh = frame["number"].is_null()
    job_id = _numbered(frame["number"])
    broken, dropped = applied(_rules(frame), job_id, line)
    called = frame["JobID"]
    nameless = Rule(
        fresh.to_numpy() & ~broken,
        "no number of its own",
        lambda row: f"sacct names it {called[row]} without JobIDRaw. Its number here is {job_id[row]}",
    )
    kept = frame.filter(~broken)
    names = sorted({*kept["User"]} - {""})
    number = {name: place for place, name in enumerate(names)} | {"": -1}
    zero_s = _midnight(kept["submit"])
    labels = (labels_of(kept["Partition"].to_list()), labels_of(kept["QOS"].to_list()))
    raw = RawJobs(
        line[~broken],
        job_id[~broken],
        (kept["submit"] - zero_s).to_numpy(),
        (kept["start"] - kept["submit"]).fill_null(-1).to_numpy(),
        kept["runtime"].to_numpy(),
        kept["got"].fill_null(0).to_numpy(),
        kept["asked"].fill_null(0).to_numpy(),
        np.array([number[name] for name in kept["User"]], dtype=np.int64),
        *labels,
        {what: _has(kept, names, pattern) for what, (names, pattern) in _LEFT_OUT.items()},
    )
    return RawTrace(
        raw,
        _UNIT[counted],
        len(frame) + len(torn),
        by_line(torn, dropped),
        applied([nameless], job_id, line)[1],
        _notes(steps),
        dict(enumerate(names)),
        zero_s,
    )


def _has(frame: pl.DataFrame, names: Sequence[str], pattern: str) -> Bools:
    """Return True for each job that has the pattern in any of some fields, bool [jobs]."""
    found = frame.select(pl.any_horizontal(pl.col(name).str.contains(pattern) for name in names))
    return found.to_series().to_numpy()


def _rules(frame: pl.DataFrame) -> list[Rule]:
    """Return the rules for jobs: they have started and ended, and sacct has their values."""
    state, submit, end, runtime = (frame[name] for name in ("State", "Submit", "End", "runtime"))
    first = state.str.extract(r"^(\w+)").fill_null("")
    waits = first.is_in(_NOT_STARTED)
    runs = first.is_in(_NOT_ENDED) | ((end == "Unknown") & ~waits)
    size = frame.select(pl.coalesce("got", "asked")).to_series()
    far = (frame["submit"].abs() > LARGEST) | (runtime.abs() > LARGEST) | (size > LARGEST)
    return [
        Rule(waits.to_numpy(), "not started yet", lambda row: f"it has not started (state {state[row]})"),
        Rule(
            runs.to_numpy(),
            "not ended yet",
            lambda row: f"it has not ended (state {state[row] or 'not given'}), so its runtime is unknown",
        ),
        Rule(
            frame["submit"].is_null().to_numpy(),
            "no submit time",
            lambda row: f"its submit time is {submit[row]!r}. It must look like 2026-11-20T09:36:20",
        ),
        Rule(
            runtime.is_null().to_numpy(),
            "no runtime",
            lambda row: f"its runtime is missing or in an unknown form ({_times_text(frame, row)})",
        ),
        Rule(
            far.fill_null(value=False).to_numpy(),
            "a time or count out of range",
            lambda row: f"a time or count is beyond {LARGEST:.0e} ({_times_text(frame, row)})",
        ),
    ]


def _times_text(frame: pl.DataFrame, row: int) -> str:
    """Return sacct's times of a job as text."""
    names = ("Submit", "Start", "End", "ElapsedRaw", "Elapsed")
    times = [f"{name} {frame[name][row]}" for name in names if frame[name][row]]
    return ", ".join(times) or "its times are missing"


def _numbered(number: pl.Series) -> Ints:
    """Return numbers of all jobs, new ones after the largest for jobs without one."""
    given = number.fill_null(0).to_numpy().copy()
    missing = np.flatnonzero(number.is_null().to_numpy())
    given[missing] = given.max(initial=0) + 1 + np.arange(len(missing))
    return given


def _midnight(submit: pl.Series) -> int:
    first = submit.min()
    return int(first) // DAY_S * DAY_S if isinstance(first, int) else 0


def _notes(steps: int) -> list[str]:
    clock = "times are those of the clock that sacct used; sacct does not print a time zone"
    return [f"{thousands(steps)} lines of job steps left out", clock] if steps else [clock]
