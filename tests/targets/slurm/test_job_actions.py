"""What is reported of jobs when a cluster is silent, slow, broken, or says one thing and does another."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.recording.audit import Result
from fsconsole.slurm.job_change import JobChange, JobVerb, only_insisted
from fsconsole.slurm.job_warnings import JobWarning, Surroundings, dangers, insisting
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.targets.slurm.action_callbacks import ActionCallbacks
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.job_actions import act, audited, wait_for
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.tools import Answer, Tools
from tests.slurm.captured import captured
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import says, wording

KILL, RESUME = JobChange(JobVerb.KILL, ("7",)), JobChange(JobVerb.RESUME, ("7",))
DOWN = "slurmctld does not respond: Unable to contact slurm controller (connect failure)"
REAL = next(
    line for line in captured("preempted/scontrol-show-job-oneline.txt").splitlines() if "JobId=43 " in line
)


def _record(state: str = "RUNNING", *, number: int = 7, priority: int = 9, limit: str = "00:30:00") -> str:
    """What scontrol printed of a running job, with some of it changed."""
    changes = (("JobId", number), ("JobState", state), ("Priority", priority), ("TimeLimit", limit))
    line = REAL
    for key, value in changes:
        line = re.sub(rf"\b{key}=\S*", f"{key}={value}", line, count=1)
    return f"{line}\n"


@dataclass
class Script:
    """A cluster that says what it is told: records by turns (the last for ever), one answer to all else."""

    records: list[str | Answer]
    answer: Answer = field(default_factory=lambda: Answer((), 0))
    calls: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, command: Sequence[str], *, limit_s: float = 0.0) -> Answer:
        if "show" not in command and "squeue" not in command:
            self.calls.append(tuple(command))
            return self.answer
        shown = self.records.pop(0) if len(self.records) > 1 else self.records[0]
        return shown if isinstance(shown, Answer) else Answer(tuple(command), 0, shown)


class Clock:
    """Time that goes on when somebody waits; it may be stopped after so many waits."""

    def __init__(self, stops_after: int = 10**9) -> None:
        self.now_s = 0.0
        self._left = stops_after

    def __call__(self) -> float:
        return self.now_s

    def wait(self, length_s: float) -> bool:
        """Wait no time at all."""
        self.now_s += length_s
        self._left -= 1
        return self._left < 0


def _act(run: Script, change: JobChange = KILL, clock: Clock | None = None) -> ActionReport:
    clock = clock or Clock()
    (report,) = act(run, change, ActionCallbacks(pause=clock.wait), clock=clock)
    return report


def _failed(text: str, *, rc: int = 1, stderr: str = "", timed_out: bool = False) -> Answer:
    return Answer((), rc, stderr=stderr or text, problem=text, timed_out=timed_out)


def test_it_is_read_back_until_it_is_seen() -> None:
    run = Script([_record(), _record(), _record(), _record("COMPLETING")])
    report = _act(run)
    assert (report.result, report.before, report.after) == (Result.DONE, "RUNNING", "COMPLETING")
    assert report.command == ("scancel", "7")
    assert run.calls == [("scancel", "7")]


def test_silence_is_no_proof() -> None:
    report = _act(Script([_record()]))
    assert report.result is Result.REFUSED
    assert report.text == wording("targets.slurm.slurm-reported-no-error-but", now="RUNNING")


def test_what_slurm_refuses_is_reported_in_its_words_and_soon() -> None:
    clock = Clock()
    run = Script([_record()], _failed("scancel is not allowed to do this: Access/permission denied"))
    report = _act(run, clock=clock)
    assert (report.result, report.text) == (
        Result.REFUSED,
        wording("targets.slurm.is-not-allowed-to-do", tool="scancel", denied="Access/permission denied."),
    )
    assert clock.now_s < 2


def test_an_error_that_did_its_work_is_done() -> None:
    assert _act(Script([_record(), _record("CANCELLED")], _failed("odd"))).result is Result.DESPITE


def test_a_command_that_does_not_end_is_judged_by_what_is_there() -> None:
    slow = _failed("scancel did not respond within 30 s and was ended", timed_out=True)
    done = _act(Script([_record(), _record("CANCELLED")], slow))
    assert (done.result, "was ended" in done.text) == (Result.DESPITE, True)
    undone = _act(Script([_record()], slow))
    assert undone.result is Result.UNKNOWN
    assert says(undone.text, "targets.slurm.it-is-but-this-may", now="RUNNING")


def test_what_cannot_be_read_before_is_not_tried() -> None:
    run = Script([_failed(DOWN)])
    report = _act(run)
    assert (report.result, report.text) == (
        Result.NOT_SENT,
        wording("targets.slurm.cannot-read-its-state", problem=DOWN),
    )
    assert run.calls == []


def test_what_cannot_be_read_back_is_unknown() -> None:
    report = _act(Script([_record(), _failed(DOWN)]))
    assert report.result is Result.UNKNOWN
    assert DOWN in report.text


def test_garbage_instead_of_records_is_no_reason_to_act() -> None:
    run = Script(["JobId=x\x00 JobState"])
    assert _act(run).result is Result.NOT_SENT
    assert run.calls == []


def test_something_else_that_happens_meanwhile_is_reported() -> None:
    report = _act(Script([_record(), _record("COMPLETED")]), JobChange(JobVerb.SUSPEND, ("7",)))
    assert (report.result, report.after) == (Result.DIFFERENT, "COMPLETED")
    extended = _record(limit="00:55:00")
    report = _act(Script([_record(), extended]), JobChange(JobVerb.EXTEND, ("7",), 300.0))
    assert (report.result, report.before, report.after) == (Result.DIFFERENT, "30:00", "55:00")


def test_a_requeue_that_takes_its_time_is_not_refused() -> None:
    report = _act(Script([_record(), _record("COMPLETING")]), JobChange(JobVerb.REQUEUE, ("7",)))
    assert report.result is Result.UNKNOWN
    changing = wording("targets.slurm.it-is-but-this-may", refusal="", now="COMPLETING")
    assert report.text == changing.strip()


def test_what_is_to_be_insisted_on_is_not_done_by_itself() -> None:
    stopped = _record("SUSPENDED")
    run = Script([stopped])
    assert "same CPUs" in _act(run, RESUME).text
    assert run.calls == []
    run = Script([stopped, _record()])
    shown = dangers(RESUME, Surroundings(jobs=read_scontrol_job(stopped).items, now_s=0.0))
    assert _act(run, insisting(RESUME, shown)).result is Result.DONE


def test_an_answer_is_of_the_dangers_that_were_shown() -> None:
    """The job begins to use what is taken off while the question is open."""
    short = JobChange(JobVerb.EXTEND, ("7",), -25 * 60.0)
    run = Script([_record().replace("RunTime=00:00:17", "RunTime=00:29:00")])
    assert says(_act(run, short).text, "slurm.job-has-run-longer-than")
    other = insisting(short, [JobWarning("", ("7",), "Slurm suspended it.")])
    assert says(_act(run, other).text, "slurm.job-has-run-longer-than")
    assert run.calls == []


class OtherPlanError(Exception):
    """The plan is another one."""


@pytest.mark.parametrize("verb", JobVerb)
def test_what_a_plan_is_compared_with_is_what_is_acted_on(verb: JobVerb) -> None:
    change, seen = JobChange(verb, ("7", "8", "x"), 300.0), list[ActionReport]()

    def check(reports: tuple[ActionReport, ...]) -> None:
        seen.extend(reports)
        raise OtherPlanError

    run = Script([_record()])
    with pytest.raises(OtherPlanError):
        act(run, change, ActionCallbacks(check=check))
    assert run.calls == []
    assert tuple(seen) == act(run, change, dry_run=True)
    assert run.calls == []


def test_a_limit_that_somebody_else_set_since_is_not_shortened() -> None:
    back = JobChange(JobVerb.EXTEND, ("7",), -300.0, was="30:00")
    run = Script([_record(limit="00:45:00")])
    report = _act(run, back)
    assert (report.result, run.calls) == (Result.REFUSED, [])
    assert says(report.text, "slurm.time-limit-has-changed-since", now="45:00")
    assert _act(Script([_record(), _record(limit="00:25:00")]), back).result is Result.DONE


def _refused(reason: str) -> str:
    return wording("targets.slurm.this-would-be-refused", reason=reason)


def test_a_dry_run_runs_nothing() -> None:
    run = Script([])
    jobs = (
        Job(job_id=7, user="ann", partition="b", states=("RUNNING",), time_limit_s=600.0),
        Job(job_id=9, user="ann", partition="b", states=("COMPLETED",)),
    )
    change = JobChange(JobVerb.EXTEND, ("7", "8", "9"), 300.0)
    reports = act(run, change, known=jobs, dry_run=True)
    assert [report.result for report in reports] == [Result.DRY_RUN] * 3
    assert [report.command[2:] for report in reports] == [
        (f"JobId={number}", "TimeLimit=+5") for number in (7, 8, 9)
    ]
    assert [report.text for report in reports] == [
        "",
        _refused(wording("targets.slurm.slurmctld-has-no-such-job")),
        _refused(wording("slurm.job-has-ended", state="COMPLETED")),
    ]
    assert act(run, JobChange(JobVerb.KILL, ("7",)), known=(), dry_run=True)[0].command == ("scancel", "7")


def test_a_dry_run_of_tasks_says_what_would_be_called() -> None:
    tasks = Job(
        job_id=7,
        user="ann",
        partition="b",
        states=("PENDING",),
        time_limit_s=600.0,
        array_job_id=7,
        array_tasks="1-3%2",
    )
    change = JobChange(JobVerb.EXTEND, ("7_[1-3%2]",), 300.0)
    (report,) = act(Script([]), change, known=(tasks,), dry_run=True)
    assert report.command == ("scontrol", "update", "JobId=7_[1-3]", "TimeLimit=15")


def _many(count: int = 120, state: str = "RUNNING") -> str:
    return "".join(_record(state, number=number) for number in range(1, count + 1))


def _jobs(count: int = 120) -> tuple[Job, ...]:
    return tuple(
        Job(job_id=number, user="ann", partition="b", states=("PENDING",)) for number in range(1, count + 1)
    )


def test_a_dry_run_says_the_commands_that_are_sent() -> None:
    labels = tuple(str(number) for number in range(1, 121))
    odd = _failed("squeue: error: Invalid field")
    run = Script([odd, _many(), odd, _many(state="COMPLETING")])
    change = JobChange(JobVerb.KILL, labels)
    act(run, change, ActionCallbacks(pause=Clock().wait))
    said = act(Script([]), change, known=_jobs(), dry_run=True)
    assert [report.on for report in said] == [*labels]
    assert [*dict.fromkeys(report.command for report in said)] == run.calls
    assert [len(call) for call in run.calls] == [51, 51, 21]


def test_a_dry_run_says_each_command_of_a_label() -> None:
    tasks = [
        replace(job, array_job_id=7, array_tasks=str(job.job_id), time_limit_s=600.0) for job in _jobs(2)
    ]
    said = act(Script([]), JobChange(JobVerb.EXTEND, ("7",), 300.0), known=tasks, dry_run=True)
    assert [report.command[2] for report in said] == ["JobId=7_1", "JobId=7_2"]


def test_jobs_are_counted_by_tasks_as_they_are_sent() -> None:
    (array,) = (replace(job, job_id=7, array_job_id=7, array_tasks="1-150%4") for job in _jobs(1))
    for label, count in (("7", 150), ("7_[1-150%4]", 150), ("7_[3-5]", 3), ("7_9", 1)):
        (report,) = act(Script([]), JobChange(JobVerb.HOLD, (label,)), known=(array,), dry_run=True)
        assert report.count == count, label
    odd, sent = _failed("squeue: error: Invalid field"), list[tuple[int, int]]()
    labels = tuple(str(number) for number in range(1, 121))
    callbacks = ActionCallbacks(on_sent=lambda jobs, of: sent.append((jobs, of)), pause=Clock().wait)
    act(Script([odd, _many(), odd, _many(state="COMPLETING")]), JobChange(JobVerb.KILL, labels), callbacks)
    assert sent == [(0, 120), (50, 120), (100, 120), (120, 120)]


def test_a_person_who_stops_it_leaves_what_was_not_sent_and_the_rest_is_read_back() -> None:
    odd, sent = _failed("squeue: error: Invalid field"), list[int]()
    run = Script([odd, _many(), odd, _many(), odd, _many(state="COMPLETING")])
    labels = tuple(str(number) for number in range(1, 121))
    callbacks = ActionCallbacks(
        on_sent=lambda jobs, _of: sent.append(jobs), is_stopped=lambda: sent[-1] == 50, pause=Clock().wait
    )
    reports = act(run, JobChange(JobVerb.KILL, labels), callbacks)
    assert [report.result for report in reports] == [Result.DONE] * 50 + [Result.NOT_SENT] * 70
    assert len(run.calls) == 1


def test_who_stops_it_finds_what_was_not_begun() -> None:
    labels = tuple(str(number) for number in range(1, 121))
    text = "".join(_record(number=number) for number in range(1, 121))
    odd = _failed("squeue: error: Invalid field")
    run = Script([odd, text, odd, text], Answer((), 0))
    clock = Clock(stops_after=2)
    reports = act(run, JobChange(JobVerb.KILL, labels), ActionCallbacks(pause=clock.wait), clock=clock)
    results = [report.result for report in reports]
    assert results == [Result.UNKNOWN] * 100 + [Result.NOT_SENT] * 20
    assert [len(call) for call in run.calls] == [51, 51]


def test_of_several_only_those_that_a_tool_names_are_refused() -> None:
    labels = tuple(str(number) for number in range(1, 11))
    before = "".join(_record(number=number) for number in range(1, 11))
    after = "".join(
        _record("SUSPENDED" if number != 3 else "RUNNING", number=number, priority=0)
        for number in range(1, 11)
    )
    odd = _failed("squeue: error: Invalid field")
    message = "Access/permission denied for job 3"
    run = Script(
        [odd, before, odd, after, after],
        _failed(f"scontrol is not allowed to do this: {message}", stderr=message),
    )
    clock = Clock()
    reports = act(run, JobChange(JobVerb.SUSPEND, labels), ActionCallbacks(pause=clock.wait), clock=clock)
    assert {report.on for report in reports if report.result is not Result.DONE} == {"3"}
    assert reports[2].text == f"{message}."
    assert run.calls == [("scontrol", "suspend", ",".join(labels))]


def test_every_report_is_reported_when_it_is_there() -> None:
    on_report: list[ActionReport] = []
    clock = Clock()
    run = Script([_record(), _record("CANCELLED")])
    callbacks = ActionCallbacks(on_report.append, pause=clock.wait)
    reports = act(run, JobChange(JobVerb.KILL, ("7", "7", "x")), callbacks, clock=clock)
    assert [report.on for report in reports] == ["7", "x"]
    assert {report.on for report in on_report} == {"7", "x"}


@given(
    st.lists(
        st.sampled_from(("RUNNING", "PENDING", "SUSPENDED", "COMPLETING", "CANCELLED", "junk", "")),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(JobVerb),
    st.booleans(),
    st.text(max_size=20),
)
def test_whatever_a_cluster_says_there_is_a_report(
    states: list[str], verb: JobVerb, insists: bool, words: str
) -> None:
    texts = [_record(state) if state else words for state in states]
    change = JobChange(verb, ("7",), 300.0)
    jobs = [job for state in ("SUSPENDED", "CANCELLED") for job in read_scontrol_job(_record(state)).items]
    insisted = frozenset((job.label, only_insisted(change, job)) for job in jobs if insists)
    report = _act(Script([*texts]), replace(change, insisted=insisted))
    assert report.result in Result
    assert report.result is Result.DONE or report.text


def test_the_audit_log_has_the_command_and_what_came_of_it() -> None:
    report = _act(Script([_record()], _failed("scancel is not allowed to do this: Access denied")))
    row = audited(KILL, report, Author("root", "it hangs", ("ssh", "login1"), "ssadm"))
    assert (row.who, row.action, row.on, row.why) == ("root", "kill job", "7", "it hangs")
    assert row.result is Result.REFUSED
    assert row.author.split() == ["root", "as", "ssadm", "through", "ssh", "login1"]
    expected = "ssh login1 'scancel 7'. scancel is not allowed to do this: Access denied"
    assert row.text == expected


def test_jobs_that_do_not_end_at_once_are_given_their_time() -> None:
    assert wait_for(None) == 10.0
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    assert settings.values["killwait"] == "3 sec"
    assert wait_for(settings) == 13.0


@pytest.fixture
def run(fake_slurm: FakeSlurm) -> Callable[..., Answer]:
    """Child processes that find the fake tools."""
    return Tools(Location()).run


def test_through_child_processes_a_job_of_the_captures_is_not_killed_by_a_fake(
    run: Callable[..., Answer], fake_slurm: FakeSlurm
) -> None:
    fake_slurm.answer("scontrol", "show", "job", stdout=_record())
    (report,) = act(run, KILL, wait_s=0.2)
    assert report.result is Result.REFUSED
    assert [call.line for call in fake_slurm.calls if call.tool == "scancel"] == ["scancel 7"]


def test_through_child_processes_slurmctld_may_be_down(
    run: Callable[..., Answer], fake_slurm: FakeSlurm
) -> None:
    fake_slurm.slurmctld_is_down()
    (report,) = act(run, KILL)
    assert report.result is Result.NOT_SENT
    assert says(report.text, "targets.slurm.does-not-respond-2", who="slurmctld")
    assert not [call for call in fake_slurm.calls if call.tool == "scancel"]


@pytest.mark.parametrize(("labels", "is_apart"), [(("7_2", "8", "9"), True), (("7", "8", "9"), False)])
def test_a_task_among_many_jobs_is_read_by_itself(labels: tuple[str, ...], is_apart: bool) -> None:
    """squeue shows pending tasks in one row, with the reasons of all."""
    tools: list[str] = []

    def run(command: Sequence[str], *, limit_s: float = 0.0) -> Answer:
        tools.append("squeue" if "squeue" in command else command[0])
        return _failed("Cannot be read")

    act(run, JobChange(JobVerb.HOLD, labels), ActionCallbacks(pause=Clock().wait))
    assert ("squeue" not in tools) is is_apart
