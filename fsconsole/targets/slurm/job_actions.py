"""Actions on jobs of a cluster, and checks of their effects: Slurm's exit status proves nothing.

Of every job the record is read first, and nothing is called where that makes no sense (`job_change.why_not`)
or is to be insisted on; then the command is run, and the record is read until it shows what was wanted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.job_change import (
    JobChange,
    JobVerb,
    Seen,
    command,
    jobs_status,
    seen,
    unconfirmed,
    why_not,
)
from fsconsole.slurm.job_labels import JobIndex, JobLabel, label_count, read_label
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError, Listing
from fsconsole.slurm.parsers.marks import new_mark
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.squeue_text import format_of, read_squeue_text
from fsconsole.slurm.parsers.values import length_s
from fsconsole.targets.slurm.action_callbacks import ActionCallbacks, Reports
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.delivery import SETTLE_S
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.tool_errors import last_line
from fsconsole.targets.slurm.tools import TIMES, TIMES_KEY, Answer, Run
from fsconsole.text.durations import slurm_limit

WAIT_S = 10.0
"""How long it is looked for what was to be done; longer where the cluster gives jobs more time to end."""

_LIMIT_S = 30.0  # Clients give up after 9 s if slurmctld does not respond.
_REFUSED_WAIT_S = 0.5  # A command that failed may have taken effect anyway.
_GAPS_S = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
_FEW = 6  # Up to this many jobs get a command each.
_FEW_READ = 2
_TOGETHER = 50
_BITS = "SLURM_BITSTR_LEN=0"  # Lists of tasks are then complete.
_NAMES_SOME = re.compile(r"\bjob (?:id )?[0-9]", re.IGNORECASE)
_UNKNOWN = re.compile(r"Invalid job id", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class _Target:
    """One label, and its result.

    Attributes:
        befores: the records that it is done to, as they were.
        ids: what tools are given for it, each with its time limit.
        said: what the tools said against it.
        is_open: whether a command was ended before it had answered.
        was_lost: whether the connection was lost after a command may have begun.
        was_sent: whether a command may have reached Slurm.
    """

    label: JobLabel
    shown: str
    befores: tuple[Job, ...] = ()
    ids: tuple[tuple[str, float | None], ...] = ()
    called: tuple[str, ...] = ()
    refusal: str = ""
    is_open: bool = False
    was_lost: bool = False
    was_sent: bool = False
    afters: tuple[Job, ...] | None = None
    report: ActionReport | None = None

    @property
    def count(self) -> int:
        """How many jobs it is; each pending task of an array is one."""
        return label_count(self.label, self.befores)


def act(
    run: Run,
    change: JobChange,
    callbacks: ActionCallbacks | None = None,
    *,
    dry_run: bool = False,
    known: Sequence[Job] | None = None,
    wait_s: float = WAIT_S,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[ActionReport, ...]:
    """Carry out the change on all jobs; errors of the cluster are results, not exceptions.

    Args:
        run: runs a command.
        change: what is done, and to which jobs.
        callbacks: callbacks during the action.
        dry_run: only say the commands.
        known: jobs as they were read last, for a dry run that reads nothing.
        wait_s: how long to look for what was to be done.
        clock: seconds that go on.

    Returns:
        A report for each label, in their order; labels that are there twice have one. In a dry run, one for
            each command that a label needs.
    """
    acting = _Acting(run, change, callbacks or ActionCallbacks(), clock)
    if dry_run:
        return acting.only_say(known)
    if acting.left:
        acting.look_before()
        acting.call(acting.left)
        acting.look_after(acting.left, wait_s)
    return tuple(target.report for target in acting.targets if target.report is not None)


def wait_for(settings: SlurmConfig | None) -> float:
    """Return the time to wait for the results, s: jobs that do not end at once have KillWait."""
    try:
        kill_s = length_s(settings.values.get("killwait", ""), bare_unit_s=1.0) if settings else None
    except DamagedError:
        kill_s = None
    return min(WAIT_S + (kill_s or 0.0), 60.0)


def audited(change: JobChange, report: ActionReport, author: Author) -> AuditRow:
    """Return the row of the audit log: the command and its result."""
    action = f"{change.verb} job"
    is_wanted = report.result is Result.UNKNOWN and change.verb is JobVerb.EXTEND
    states = (report.before, _wanted_limit(change, report.before) if is_wanted else report.after)
    return author.result(action, report.on, *states, report.command, report.result, report.text)


def _wanted_limit(change: JobChange, before: str) -> str:
    """Return the requested time limit in words, to be compared with a later one; empty if it is not known."""
    try:
        limit_s = length_s(before)
    except DamagedError:
        return ""
    return "" if limit_s is None else slurm_limit(limit_s + change.by_s)


def sent(change: JobChange, jobs: str, command: Sequence[str], author: Author) -> AuditRow:
    """Return the row of the audit log before a command."""
    return author.sent(f"{change.verb} job", jobs, "", "", command)


class _Acting:
    """One change on its way.

    Attributes:
        targets: one for each label; texts that are not labels are refused.
    """

    def __init__(
        self, run: Run, change: JobChange, callbacks: ActionCallbacks, clock: Callable[[], float]
    ) -> None:
        self._run = run
        self._change = change
        self._callbacks = callbacks
        self._pause = callbacks.pause
        self._clock = clock
        self._is_stopped = False
        self.targets = [self._target(text) for text in dict.fromkeys(change.jobs)]

    @property
    def left(self) -> list[_Target]:
        """Targets without a report."""
        return [target for target in self.targets if target.report is None]

    def _target(self, text: str) -> _Target:
        try:
            return _Target(read_label(text), text)
        except DamagedError as error:
            target = _Target(JobLabel(text, 0), text)
            self._report(target, Result.REFUSED, f"{error}.")
            return target

    def only_say(self, known: Sequence[Job] | None) -> Reports:
        """Report the commands as they would be sent, by the data known already, or by the records."""
        left = self.left
        jobs, problem = (
            (JobIndex(known), "") if known is not None else self._read(left) if left else (None, "")
        )
        said = self._foreseen(jobs, problem)
        for report in said:
            if report.result is Result.DRY_RUN:
                self._callbacks.report_done(report)
        return said

    def _foreseen(self, jobs: JobIndex | None, problem: str = "") -> Reports:
        """Return the reports of a dry run."""
        left, refused = self.left, dict[str, str]()
        for target in left:
            befores = jobs.find(target.shown) if jobs is not None else ()
            if jobs is None:
                refused[target.shown] = f"Cannot read its state: {problem}."
            elif reason := self._choose(target, befores):
                refused[target.shown] = f"This would be refused: {reason}"
            if not target.ids:
                limit_s = befores[0].time_limit_s if befores else None
                target.ids = ((target.label.text, limit_s),)
        commands = {
            target.shown: tuple(self._commands([one for each in group for one in each.ids]))
            for group in self._groups([one for one in left if one.shown not in refused])
            for target in group
        }
        said: list[ActionReport] = []
        for target in self.targets:
            if target.report is not None:
                said.append(target.report)
                continue
            for words in commands.get(target.shown) or self._commands(target.ids):
                of = (target.shown, Result.DRY_RUN, refused.get(target.shown, ""), words)
                said.append(ActionReport(*of, self._status(target.befores), count=target.count))
        return tuple(said)

    def look_before(self) -> None:
        """Read the records; refuse impossible actions."""
        left = self.left
        jobs, problem = self._read(left)
        if jobs is not None:
            self._callbacks.check(self._foreseen(jobs))
        for target in left:
            if jobs is None:
                self._report(target, Result.NOT_SENT, f"Cannot read its state: {problem}.")
                continue
            befores = jobs.find(target.shown)
            target.afters = befores
            if reason := self._choose(target, befores):
                target.befores = target.befores or befores
                self._report(target, Result.REFUSED, reason)

    def call(self, targets: Sequence[_Target]) -> None:
        """Run the commands; few jobs have one each, many have some together."""
        count, sent = sum(target.count for target in targets), 0
        self._callbacks.on_sent(sent, count)
        for group in self._groups(targets):
            self._is_stopped = self._is_stopped or self._pause(0.0)
            if self._is_stopped or self._callbacks.is_stopped():
                for target in group:
                    self._report(target, Result.NOT_SENT, "Stopped before it was run.")
                continue
            for words in self._commands([one for target in group for one in target.ids]):
                problem = self._callbacks.begin(", ".join(target.shown for target in group), words)
                if problem:
                    self._refuse_unlogged(group, problem)
                    break
                answer = self._run(words, limit_s=_LIMIT_S)
                for target in group:
                    target.called = target.called or words
                    target.refusal = target.refusal or _refusal_of(
                        answer, target.label, is_alone=len(group) == 1
                    )
                    target.is_open |= answer.is_open
                    target.was_lost |= answer.was_lost
                    target.was_sent |= not answer.was_not_sent
            sent += sum(target.count for target in group)
            self._callbacks.on_sent(sent, count)

    def _groups(self, targets: Sequence[_Target]) -> Iterator[Sequence[_Target]]:
        alone = self._change.verb is JobVerb.EXTEND or len(targets) <= _FEW
        size = 1 if alone else _TOGETHER
        yield from (targets[start : start + size] for start in range(0, len(targets), size))

    def _refuse_unlogged(self, group: Sequence[_Target], problem: str) -> None:
        """Refuse to send an action that is not in the audit log."""
        for target in group:
            if target.called:
                target.refusal = target.refusal or f"The other commands were not run: {problem}."
            else:
                self._report(target, Result.NOT_SENT, f"Not sent: {problem}.")

    def look_after(self, targets: Sequence[_Target], wait_s: float) -> None:
        """Read the records until they show the wanted state, or the time is up."""
        began_s = self._clock()
        left, problem, turn = list(targets), "", 0
        while left:
            self._is_stopped |= self._pause(_GAPS_S[min(turn, len(_GAPS_S) - 1)])
            if self._is_stopped and turn:
                break
            turn += 1
            jobs, problem = self._read(left)
            passed_s = self._clock() - began_s
            if jobs is not None:
                left = [target for target in left if not self._is_settled(target, jobs, passed_s)]
            if passed_s >= wait_s:
                break
        for target in left:
            self._give_up(target, problem)

    def _choose(self, target: _Target, befores: Sequence[Job]) -> str:
        """Choose the records to act on and the arguments for the tools; or return the reason for none."""
        if not befores:
            return "slurmctld has no such job (any more)."
        reasons = [why_not(self._change, job) for job in befores]
        able = tuple(job for job, reason in zip(befores, reasons, strict=True) if not reason)
        if not able:
            return reasons[0]
        target.befores = able
        if self._change.verb is JobVerb.EXTEND or target.label.is_cut:
            target.ids = tuple((_label_of(job).text, job.time_limit_s) for job in able)
        else:
            target.ids = ((target.label.text, None),)
        return unconfirmed(self._change, able)

    def _commands(self, ids: Sequence[tuple[str, float | None]]) -> Iterator[tuple[str, ...]]:
        if self._change.verb is JobVerb.EXTEND:
            yield from (command(self._change, (one,), limit_s) for one, limit_s in ids)
        elif ids:
            yield command(self._change, [one for one, _ in ids])

    def _read(self, targets: Sequence[_Target]) -> tuple[JobIndex | None, str]:
        """Return the records of some jobs, or why there are none."""
        numbers = sorted({target.label.number for target in targets})
        if len(numbers) > _FEW_READ:
            # Pending tasks are one line of squeue, whatever their time limits and reasons.
            has_tasks = any(target.label.tasks is not None for target in targets)
            by_squeue = None if has_tasks else self._read_many(numbers)
            return by_squeue or self._read_apart(numbers, [()])
        return self._read_apart(numbers, [(str(number),) for number in numbers])

    def _read_many(self, numbers: Sequence[int]) -> tuple[JobIndex | None, str] | None:
        """Read the jobs by one call of squeue; None where it does not know the fields."""
        which, mark = ",".join(map(str, numbers)), new_mark()
        words = ("squeue", "-h", "-a", "-t", "all", "-j", which, "-O", format_of(mark=mark))
        answer = self._run((*TIMES, _BITS, *words), limit_s=_LIMIT_S)
        try:
            if not answer.problem:
                return JobIndex(read_squeue_text(answer.stdout, time.time(), mark=mark).items), ""
        except ScenarioError:
            pass  # Another version has another form; that of scontrol is the same in all.
        return (None, answer.problem) if answer.timed_out or answer.was_stopped else None

    def _read_apart(
        self, numbers: Sequence[int], calls: Iterable[tuple[str, ...]]
    ) -> tuple[JobIndex | None, str]:
        """Read each record by scontrol, with the arguments of each call; all by squeue, which shows pending
        tasks together, if a record is left out: text of a user may look like a record or its fields.
        """
        jobs: list[Job] = []
        for which in calls:
            listing, problem = self._read_records(*which)
            if problem:
                return None, problem
            if listing.problems:
                return self._read_many(numbers) or (None, listing.problems[0].text.rstrip("."))
            jobs += listing.items
        return JobIndex(jobs), ""

    def _read_records(self, *number: str) -> tuple[Listing[Job], str]:
        """Return the records of a number, or of all, and why they cannot be asked for."""
        mark = new_mark()
        words = ("scontrol", "-a", "-o", "show", "job", *number)
        answer = self._run(("env", f"{TIMES_KEY}{mark}", _BITS, *words), limit_s=_LIMIT_S)
        if answer.problem:
            is_unknown = _UNKNOWN.search(answer.stderr) is not None and not answer.timed_out
            return Listing((), ()), "" if is_unknown else answer.problem
        try:
            return read_scontrol_job(answer.stdout, mark=mark), ""
        except ScenarioError as error:
            return Listing((), tuple(error.problems)), ""

    def _is_settled(self, target: _Target, jobs: JobIndex, passed_s: float) -> bool:
        target.afters = jobs.find(target.shown)
        signs = {self._sign(job, target.afters) for job in target.befores}
        if signs == {Seen.DONE}:
            self._report(target, Result.DESPITE if target.refusal else Result.DONE, target.refusal)
        elif Seen.NOT_YET not in signs:
            self._report(target, Result.DIFFERENT, target.refusal or "Something else has changed it.")
        elif target.refusal and target.was_lost:
            if passed_s >= SETTLE_S:
                self._report(target, Result.NOT_SENT, target.refusal)
        elif target.refusal and not target.is_open and passed_s >= _REFUSED_WAIT_S:
            result = Result.REFUSED if target.was_sent else Result.NOT_SENT
            self._report(target, result, target.refusal)
        return target.report is not None

    def _sign(self, before: Job, afters: Iterable[Job]) -> Seen:
        """Judge a record by what it was; tasks that waited together may have records of their own by now."""
        signs = {seen(self._change, before, after) for after in afters if _is_of(before, after)}
        signs = signs or {seen(self._change, before, None)}
        return next(sign for sign in (Seen.NOT_YET, Seen.OTHERWISE, Seen.DONE) if sign in signs)

    def _give_up(self, target: _Target, problem: str) -> None:
        now = self._status(target.afters or ()) or "unknown to slurmctld"
        if problem and target.called:
            target.afters = ()  # The last reading may be the one before the command.
        if target.called and not target.was_sent:
            self._report(target, Result.NOT_SENT, target.refusal)
        elif problem:
            self._report(target, Result.UNKNOWN, f"{target.refusal} Cannot read it back: {problem}.".strip())
        elif self._is_stopped or target.is_open or self._is_on_its_way(target):
            self._report(
                target, Result.UNKNOWN, f"{target.refusal} It is {now}, but this may still change.".strip()
            )
        else:
            silent = f"Slurm reported no error, but it is still {now}."
            self._report(target, Result.REFUSED, target.refusal or silent)

    def _is_on_its_way(self, target: _Target) -> bool:
        """Return True if the job is ending in order to begin again, for which it is given time."""
        again = self._change.verb is JobVerb.REQUEUE
        return again and any("COMPLETING" in job.states for job in target.afters or ())

    def _report(self, target: _Target, result: Result, text: str) -> None:
        target.report = ActionReport(
            on=target.shown,
            result=result,
            text=text,
            command=target.called,
            before=self._status(target.befores),
            after=self._status(target.afters or ()) if target.called else "",
            count=target.count,
        )
        self._callbacks.report_done(target.report)

    def _status(self, jobs: Iterable[Job]) -> str:
        return jobs_status(self._change, jobs)


def _label_of(job: Job) -> JobLabel:
    """Return the record's label; its number where the list of its tasks is damaged."""
    try:
        return read_label(job.label)
    except DamagedError:
        return JobLabel(str(job.job_id), job.job_id)


def _is_of(before: Job, after: Job) -> bool:
    """Return True if a record is the same job as before, or a task of those that waited together then."""
    if before.array_job_id and before.array_tasks and after.array_tasks:
        return after.array_job_id == before.array_job_id and _label_of(before).means(after)
    return after.job_id == before.job_id


def _refusal_of(answer: Answer, label: JobLabel, *, is_alone: bool) -> str:
    """Return the error of a tool for one job.

    In a call for several jobs it is the line that names the job, or the whole error if no line names one.
    """
    if not answer.problem:
        return ""
    lines = f"{answer.stderr}\n{answer.stdout}".splitlines()
    named = rf"(?<![\w+\[-]){re.escape(label.text)}(?![\w+\]-])"
    own = [line for line in lines if re.search(named, line)]
    if own and not is_alone:
        return f"{last_line(own[-1]).rstrip('.')}."
    if is_alone or not any(_NAMES_SOME.search(line) for line in lines):
        return f"{answer.problem.rstrip('.')}."
    return ""
