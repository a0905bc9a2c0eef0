"""The diary of a cluster: each reading of usage and jobs in a run folder, a week a folder.

The time zone names the folder of a reading and nothing else: a folder keeps its first clock.
What sshare prints is kept to its last digit but for LevelFS, which is computed when it is looked at. Of jobs
all is kept but their priorities, which change all the time. Raw shares are those of the last reading.
"""

from __future__ import annotations

import math
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np

from fsconsole.recording import run_format as form
from fsconsole.recording.audit import AuditRow
from fsconsole.recording.diary_writer import DiaryNodes, DiaryWriter
from fsconsole.recording.record_log import RecordLog
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_lock import is_held
from fsconsole.shares.flat import Floats
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.jobs import Job
from fsconsole.targets.serial_executor import SerialExecutor
from fsconsole.targets.slurm.kept_places import is_settled, store_name
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.summary import ClusterSummary, TreeIndex
from fsconsole.text import moments

FOLDER = "diary"
KEPT_WEEKS = 13
_PERIOD_S = 300.0
_PART = re.compile(r"\d{4}-W\d{2}\.run")
_CLOSE_S = 1.0
_BACK_S = 1.0  # Clocks may differ by this much between readings.
_UNLIMITED = "unlimited"

QUANTITIES: dict[str, dict[str, Any]] = {
    "fairshare": {"unit": "FairShare of sshare", "step": 1e-6},
    "raw_usage": {"unit": "RawUsage of sshare, billing-seconds", "step": 1.0, "predict": "decay"},
    "norm_shares": {"unit": "NormShares of sshare", "step": 1e-6},
    "effective_usage": {
        "unit": "EffectvUsage of sshare", "step": 1e-6, "predict": "above", "of": "raw_usage",
    },
    "norm_usage": {"unit": "NormUsage of sshare", "step": 1e-6, "predict": "top", "of": "raw_usage"},
    "level_fs": {
        "unit": (
            "computed: NormShares divided "
            "by EffectvUsage"
        ), "quotient": ["norm_shares", "effective_usage"],
    },
    "cpus": {"unit": "CPUs of running jobs, as a fraction of the cluster's", "step": 1e-6},
    "running": {"unit": "jobs", "step": 1.0},
    "waiting": {"unit": "pending jobs and tasks of arrays", "step": 1.0},
}  # fmt: skip
_USAGE = ("fairshare", "raw_usage", "norm_shares", "effective_usage", "norm_usage")
_COLUMNS = ("norm_shares", "effective_usage", "norm_usage", "fairshare", "raw_usage", "waiting")


def diaries_folder() -> Path:
    """Return the folder of all diaries, in the user's state folder."""
    from platformdirs import user_state_path

    return user_state_path("fsconsole") / FOLDER


def diary_folder(cluster: str, place: str = "") -> Path:
    """Return the folder of the diary of a cluster at a place of `kept_places.place_key`."""
    return diaries_folder() / store_name(cluster, place)


def parts_of(folder: Path) -> list[Path]:
    """Return the weeks of a diary, the oldest first."""
    with suppress(OSError):
        return sorted(item for item in folder.iterdir() if _PART.fullmatch(item.name) and item.is_dir())
    return []


def thin(folder: Path, weeks: int) -> list[Path]:
    """Remove the oldest weeks, so that this many stay, 0 for all; weeks that cannot be removed stay too."""
    removed = []
    for part in parts_of(folder)[:-weeks] if weeks > 0 else []:
        with suppress(OSError, RunError):
            if RunReader(part).kind == form.DIARY and not is_held(part):
                shutil.rmtree(part)
                removed.append(part)
    return removed


class Diary:
    """Takes in states of a cluster in any thread, and writes them in a thread of its own.

    A disk that is full or hangs stops the diary and nothing else; it is tried again with the next reading,
    and what was missed is a gap.

    Attributes:
        problem: why nothing is written now, in a sentence; empty while it is.
    """

    def __init__(self, weeks: int = KEPT_WEEKS, folder: Path | None = None) -> None:
        """Keep so many weeks, 0 for all, in the cluster's folder, or in another one."""
        self.problem = ""
        self._weeks, self._folder = weeks, folder
        self._executor = SerialExecutor("diary")
        self._writer: DiaryWriter | None = None
        self._part = ""
        self._base_s = 0.0
        self._taken_s = -math.inf  # The newest reading is left out while the clock is behind.
        self._is_busy = self._is_behind = False
        self._index: TreeIndex | None = None
        self._nodes: DiaryNodes | None = None
        self._seen_outside = 0
        self._began_s = 0
        self._last_row: AuditRow | None = None
        self._link = Link.CONNECTING
        self._is_first = True
        self._events: list[tuple[float, str]] = []

    def take(self, digest: ClusterSummary, now_s: float) -> None:
        """Keep a state that differs from the last one, without waiting for the disk; seconds since 1970."""
        if self._is_busy or digest.state.captured_s is not None or not is_settled(digest.state.place):
            return
        at_s = self._due_s(digest.state, now_s)
        events = self._news(digest.state, now_s)
        self._events += events
        if digest.index is None or (at_s is None and not events):
            return
        self._is_busy = True
        self._executor.submit(lambda: self._write(digest, at_s))

    def close(self) -> None:
        """Complete pending writes; a disk that hangs is waited for some seconds."""
        self._executor.submit(self._end)
        self._executor.close(_CLOSE_S)

    # -- inside -------------------------------------------------------------------------------------------

    def _due_s(self, state: ClusterState, now_s: float) -> float | None:
        """Return the time of the reading to keep: each of usage, or of jobs where usage cannot be read."""
        usage, jobs = (state.parts.get(part, Part()) for part in (PartName.USAGE, PartName.JOBS))
        if state.standing is not None and usage.as_of_s is not None and usage.as_of_s != self._taken_s:
            return usage.as_of_s
        fails = usage.problem and jobs.as_of_s is not None and not jobs.problem
        if fails and jobs.as_of_s is not None and jobs.as_of_s >= self._taken_s + _period_s(state):
            return min(jobs.as_of_s, now_s)
        return None

    def _news(self, state: ClusterState, now_s: float) -> list[tuple[float, str]]:
        """Return the events since the last state, in words."""
        found: list[tuple[float, str]] = []
        outside, link = len(state.outside), state.link
        if not self._is_first:
            rows = self._new_rows(state.audit)
            found += [(row.tick, f"{row.action} {row.on}, by {row.who}") for row in rows if row.done]
            found += [
                (now_s, f"changed elsewhere: {one.line}") for one in state.outside[self._seen_outside :]
            ]
            if link is Link.NO_ANSWER and self._link is not link:
                found.append((now_s, "the cluster does not respond"))
            elif self._link is Link.NO_ANSWER and link is not Link.NO_ANSWER:
                found.append((now_s, "the cluster responds again"))
        else:
            self._began_s = math.floor(now_s)
        self._last_row = state.audit[-1] if state.audit else self._last_row
        self._seen_outside, self._link = outside, link
        self._is_first = self._is_first and not state.name
        return found

    def _new_rows(self, audit: Sequence[AuditRow]) -> list[AuditRow]:
        """Return the rows since the last state; those of before the diary began come late, in front of
        them.
        """
        found: list[AuditRow] = []
        for row in reversed(audit):
            if row == self._last_row or row.tick < self._began_s:
                break
            found.insert(0, row)
        return found

    def _write(self, digest: ClusterSummary, at_s: float | None) -> None:
        """Write waiting states, in the thread."""
        try:
            writer = self._open(digest.state, at_s)
            if self._link is Link.NO_ANSWER:
                writer.missing("the cluster did not respond")
            events, self._events = self._events, []
            try:
                writer.events([(when - self._base_s, words) for when, words in events])
            except OSError:
                self._events = events + self._events
                raise
            if at_s is not None:
                nodes = self._nodes_of(digest)
                jobs = {str(job.job_id): _record(job) for job in digest.state.jobs}
                is_kept = writer.sample(at_s - self._base_s, nodes, _columns(digest), jobs)
                self._taken_s = at_s
                self._note_left_out(writer, at_s, is_kept=is_kept)
            self.problem = "" if at_s is None else self._clock_problem(writer, at_s)
        except BlockingIOError:
            self._stop("another program of yours writes it")
        except (OSError, RunError) as error:
            place = error.filename if isinstance(error, OSError) else None
            self._stop(f"{error.strerror}: {place}" if isinstance(error, OSError) and place else str(error))
        finally:
            self._is_busy = False

    def _note_left_out(self, writer: DiaryWriter, at_s: float, *, is_kept: bool) -> None:
        """Write an event for the first of the readings that are left out while the clock is behind."""
        is_behind = not is_kept and writer.last_s is not None and at_s - self._base_s < writer.last_s
        if is_behind and not self._is_behind and writer.last_s is not None:
            words = f"readings from {moments.whole(at_s)} on are left out: the clock was set back"
            writer.events([(writer.last_s, words)])
        self._is_behind = is_behind

    def _clock_problem(self, writer: DiaryWriter, at_s: float) -> str:
        """Return the reason why a reading was left out; empty where it was not."""
        end_s = at_s if writer.last_s is None else self._base_s + writer.last_s
        if end_s <= at_s + _BACK_S:
            return ""
        until = moments.moment(end_s, at_s)
        return f"The clock was set back. The diary has readings up to {until} and continues after that."

    def _stop(self, why: str) -> None:
        if self._writer is not None:
            self._writer.missing("the diary could not be written")
        clock = moments.clock(time.time())
        self.problem = self.problem or f"The diary has not been written since {clock}: {why}."

    def _open(self, state: ClusterState, at_s: float | None) -> DiaryWriter:
        """Return the writer of the week of a reading."""
        if at_s is None and self._writer is not None:
            return self._writer
        moment = moments.local(time.time() if at_s is None else at_s)
        year, week, day = moment.isocalendar()
        name = f"{year}-W{week:02}.run"
        if self._writer is not None and name == self._part:
            return self._writer
        self._end()
        folder = self._folder or diary_folder(state.name, state.place)
        monday = (moment.year, moment.month, moment.day - day + 1, 0, 0, 0, 0, 0, -1)
        settings = state.settings
        is_fair_tree = settings is not None and settings.is_fair_tree
        quantities = {
            name: values for name, values in QUANTITIES.items() if is_fair_tree or name != "level_fs"
        }
        plots = ("fairshare", "effective_usage", "level_fs" if is_fair_tree else "norm_usage", "cpus",
                 "running", "waiting")  # fmt: skip
        self._writer = DiaryWriter(
            folder / name,
            {
                "title": f"{state.name}, week {week} of {year}",
                "cluster": state.name,
                "place": state.place,
                "settings": {} if settings is None else {"slurm_version": settings.version},
                "slurm": {} if settings is None else dict(settings.values),
                "sample_s": _period_s(state),
                "clock": {"epoch_s": time.mktime(monday)},
                "quantities": quantities,
                "plots": plots,
                "columns": _COLUMNS,
            },
        )
        self._base_s = self._writer.epoch_s
        self._part, self._nodes, self._index = name, None, None
        thin(folder, self._weeks)
        return self._writer

    def _end(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                writer.close()
            except OSError:
                writer.abandon()

    def _nodes_of(self, digest: ClusterSummary) -> DiaryNodes:
        """Return paths and kinds of the rows; the same object while the tree is the same."""
        index = digest.index
        assert index is not None  # noqa: S101 (asked of states that have a tree)
        if self._nodes is None or index is not self._index:
            tree = index.tree.shares
            paths = tree.paths()
            self._nodes = DiaryNodes(
                [paths[node] for node in index.tree.nodes],
                [str(tree.node(node).kind) for node in index.tree.nodes],
                np.maximum(index.tree.stored.tree.parent, 0),
                [1, *map(_stored_shares, index.tree.stored.tree.shares[1:].tolist())],
            )
            self._index = index
        return self._nodes


def _stored_shares(shares: int) -> int | str:
    return "parent" if shares == PARENT_SHARES else shares


def _period_s(state: ClusterState) -> float:
    period_s = 0.0 if state.settings is None else state.settings.calc_period_s or 0.0
    return period_s or _PERIOD_S


def _columns(digest: ClusterSummary) -> Mapping[str, Floats]:
    """Return values of all rows; NaN where nothing was read."""
    count = len(digest.running)
    unknown = np.full(count, np.nan)
    standing = digest.state.standing
    usage = digest.state.parts.get(PartName.USAGE, Part())
    known = standing is not None and len(standing.norm_usage) == count and not usage.problem
    columns = dict.fromkeys(_USAGE, unknown)
    if standing is not None and known:
        printed = standing.printed
        columns = {
            "fairshare": printed.fairshare,
            "raw_usage": standing.raw_usage,
            "norm_shares": printed.norm_shares,
            "effective_usage": printed.effective_usage,
            "norm_usage": standing.norm_usage,
        }
    work = {"cpus": digest.cpus / digest.all_cpus, "running": digest.running, "waiting": digest.waiting}
    return {**columns, **work}


def _record(job: Job) -> dict[str, Any]:
    """Return a job without fields that change all the time, and without usual values."""
    found = {name: value for name in _FIELDS if (value := getattr(job, name)) != _USUAL.get(name, _NEEDED)}
    if job.priority != 0:  # A priority of 0 means that the job is held.
        found.pop("priority", None)
    if job.time_limit_s == math.inf:
        found["time_limit_s"] = _UNLIMITED
    return found


def _job(record: Mapping[str, Any]) -> Job:
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in record.items()
        if name in _FIELDS  # A later program may have kept more.
    }
    if values.get("time_limit_s") == _UNLIMITED:
        values["time_limit_s"] = math.inf
    return Job(**values)


_NEEDED = object()  # It marks a field that has no usual value.
_FIELDS = tuple(one.name for one in fields(Job) if one.name != "elapsed_s")
_USUAL: dict[str, Any] = {one.name: one.default for one in fields(Job) if one.default is not MISSING}


class DiaryJobs:
    """The jobs of a week of a diary as they were; one thread asks."""

    def __init__(self, part: Path) -> None:
        """Look into the folder of a week."""
        self._log = RecordLog(part)

    def at(self, time_s: float) -> tuple[Job, ...] | None:
        """Return all jobs at a time of the run's clock, by number; None where they are not known."""
        found = self._log.at(time_s)
        if found is None:
            return None
        try:
            jobs = [_job(record) for record in found.values()]
        except (TypeError, ValueError):
            return None
        return tuple(sorted(jobs, key=lambda job: job.job_id))
