"""Names and comments that hold rows and records of other jobs: the listings have the real jobs alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.parsers.marks import new_mark
from fsconsole.slurm.parsers.sacct import FIELDS as SACCT_FIELDS
from fsconsole.slurm.parsers.sacct import read_sacct
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.scontrol_node import read_scontrol_node
from fsconsole.slurm.parsers.squeue_text import FIELDS, FORMAT, format_of, read_squeue_text
from fsconsole.slurm.parsers.squeue_text import in_lines as jobs_in_lines
from tests.slurm.captured import captured
from tests.texts import says, wording

NOW_S = 1_795_660_900
MARK = "_9f3a2b1c"
ROW = captured("arrays/squeue-O.txt").splitlines()[2]
SACCT_ROW = captured("finished/sacct.psv").splitlines()[1]
NODE = "n9|batch|idle|8|0/8/0/8|none"
# What scontrol -o of Slurm 22.05.8 printed of a job with a comment, times cut out and put back in `_record`.
_RECORD = (
    "JobId={number} JobName={name} UserId=backup(34) GroupId=nogroup(65534) MCS_label=N/A Priority=100640 "
    "Nice=0 Account=imaging QOS=normal JobState=FAILED Reason=JobLaunchFailure Dependency=(null) Requeue=1 "
    "Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:53 RunTime=00:00:00 TimeLimit=01:00:00 TimeMin=N/A "
    "SubmitTime=1795972333{mark} EligibleTime=1795972333{mark} AccrueTime=1795972333{mark} "
    "StartTime=1795972334{mark} EndTime=1795972334{mark} Deadline=N/A PreemptTime=None SuspendTime=None "
    "SecsPreSuspend=0 LastSchedEval=1795972334{mark} Scheduler=Backfill Partition=batch "
    "AllocNode:Sid=localhost:32009 ReqNodeList=(null) ExcNodeList=(null) NodeList=n1 BatchHost=n1 "
    "NumNodes=1 NumCPUs=1 NumTasks=1 CPUs/Task=1 TRES=cpu=1,node=1,billing=1 Command=(null) "
    "WorkDir=/srv/backup Comment={comment}  StdErr=/srv/backup/slurm.out Power= \n"
)


def _record(number: int, name: str, comment: str = "c", mark: str = MARK) -> str:
    return _RECORD.format(number=number, name=name, comment=comment, mark=mark)


_FORGED_RECORD = _record(99, "y", "", "").replace("backup(34)", "root(0)").rstrip()
_PIECES = (
    *("\n", "\r\n", "|", " ", "x", "_", "\n\n", "\n ", f"\n{ROW}", f"\n{SACCT_ROW}", f"\n{NODE}\n"),
    *(f"\n{_FORGED_RECORD}", f"\n{_FORGED_RECORD}\n", "\nJobId=99 JobName=y", " TimeLimit=9-00:00:00"),
    *(" ArrayJobId=9 ArrayTaskId=3", "\n   ArrayJobId=9 ArrayTaskId=3", " HetJobId=9 HetJobOffset=1"),
    *(
        " UserId=root(0) GroupId=root(0) MCS_label=N/A",
        "\n TimeLimit=9-00:00:00",
        " StdErr=/x",
        "|_0badbeef|",
    ),
    _FORGED_RECORD.partition("JobName=")[2],
)
NAMES = st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=6).map("".join)
MANY = st.lists(NAMES, min_size=1, max_size=6)


def _rows(names: Sequence[str], fields: Sequence[str], row: str, parts: Mapping[str, str]) -> str:
    """What a tool prints of jobs with these names: fields with what follows each."""
    values = dict(zip(fields, row.split("|", len(fields) - 1), strict=True))
    text = ""
    for number, name in enumerate(names, 1):
        own = values | {fields[0]: str(number), fields[1]: str(number), fields[-1]: name}
        text += "".join(f"{own[field]}{end}" for field, end in parts.items()) + "\n"
    return text


def _squeue(names: Sequence[str], mark: str) -> str:
    parts = dict(item.split(":0") for item in format_of(mark=mark).split(","))
    return _rows(names, FIELDS, ROW, parts)


def _sacct(names: Sequence[str], mark: str) -> str:
    heads = "".join(f"{field}{mark}" for field in SACCT_FIELDS)
    return f"{heads}\n{_rows(names, SACCT_FIELDS, SACCT_ROW, dict.fromkeys(SACCT_FIELDS, mark))}"


@given(MANY)
def test_squeue_lists_the_real_jobs_with_their_names(names: Sequence[str]) -> None:
    mark = new_mark()
    listing = read_squeue_text(_squeue(names, mark), NOW_S, mark=mark)
    assert [(job.job_id, job.name, job.user) for job in listing.items] == [
        (number, name, "fs_ben") for number, name in enumerate(names, 1)
    ]
    assert not listing.problems
    kept = read_squeue_text(jobs_in_lines(_squeue(names, mark), mark), NOW_S)
    assert [(job.job_id, job.name) for job in kept.items] == [
        (number, re.sub(r"[\r\n]", " ", name)) for number, name in enumerate(names, 1)
    ]


@given(MANY)
def test_sacct_lists_the_real_jobs_with_their_names(names: Sequence[str]) -> None:
    mark = new_mark()
    listing = read_sacct(_sacct(names, mark), mark)
    assert [(one.job.job_id, one.job.name) for one in listing.items] == [*enumerate(names, 1)]
    assert not listing.problems


@given(MANY)
def test_scontrol_lists_the_real_nodes_with_their_reasons(reasons: Sequence[str]) -> None:
    """With -o it prints blanks for the line ends of a reason."""
    shown = [f"x{re.sub(chr(10), ' ', one)}" for one in reasons]
    head, end = "CPUTot=8 State=IDLE+DRAIN Partitions=b Reason=", " [root@1795167491]\n"
    text = "".join(f"NodeName=n{number} {head}{one}{end}" for number, one in enumerate(shown))
    assert [(node.name, node.state, node.reason.split()) for node in read_scontrol_node(text).items] == [
        (f"n{number}", "drained", one.split()) for number, one in enumerate(shown)
    ]


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=6))
def test_scontrol_lists_no_job_that_is_not_real(texts: Sequence[tuple[str, str]]) -> None:
    """What is listed is as slurmctld has it; with quiet texts, all of them are."""
    text = "".join(_record(number, *both) for number, both in enumerate((*texts, ("quiet", "c")), 1))
    listing = read_scontrol_job(_record(100, "first") + text + _record(101, "last"), mark=MARK)
    ids = [job.job_id for job in listing.items]
    assert len(ids) == len(set(ids))
    assert {*ids} <= {100, 101, *range(1, len(texts) + 2)}
    assert 101 in ids
    for job in listing.items:
        assert (job.user, job.time_limit_s, job.state, job.submit_s) == (
            "backup",
            3600,
            "FAILED",
            1795972333,
        )
        assert not job.array_job_id + job.het_job_id
    assert bool(listing.problems) == (len(ids) < len(texts) + 3)


def test_a_name_that_is_a_row_is_a_name() -> None:
    """As slurmctld of 22.05.8 took it, and squeue printed it."""
    name = f"x\n{ROW.replace('13|13', '99|99', 1)}"
    forged = read_squeue_text(_squeue([name], ""), NOW_S)
    # Without a mark it is a row.
    assert [job.job_id for job in forged.items] == [1, 99]
    listing = read_squeue_text(_squeue([name, "plain|b"], MARK), NOW_S, mark=MARK)
    assert [(job.job_id, job.name) for job in listing.items] == [(1, name), (2, "plain|b")]


def test_an_account_that_shifts_the_fields_is_left_out() -> None:
    text = _squeue(["one", "two"], MARK).replace("|hep|", "|a|batch|normal|RUNNING|", 1)
    listing = read_squeue_text(text, NOW_S, mark=MARK)
    assert [job.name for job in listing.items] == ["two"]
    assert listing.problems[0].text == wording(
        "slurm.parsers.fields-instead-of",
        values=wording("slurm.parsers.job-was-left-out-2", error="32"),
        fields="29",
        reason=wording("slurm.parsers.account-s-name-contains"),
    )
    assert jobs_in_lines(text, MARK) == _squeue(["one", "two"], "").splitlines(keepends=True)[1]


def test_what_is_cut_off_is_said() -> None:
    text = _sacct(["one", "two"], MARK)
    listing = read_sacct(text[: text.rindex(MARK)], MARK)
    assert [one.job.name for one in listing.items] == ["one"]
    assert says(listing.problems[0].text, "slurm.parsers.fields-but-header-has", fields="19", wanted="20")
    assert says(
        read_squeue_text(_squeue(["one", "two"], MARK)[:-60], NOW_S, mark=MARK).problems[0].text,
        "slurm.parsers.fields-instead-of",
        fields="29",
    )


def test_records_beside_a_forged_one_are_left_out_too() -> None:
    """The times of job 2 stand in what looks like job 99, or those of job 99 nowhere."""
    name = f"{_FORGED_RECORD.partition('JobName=')[2]}\nJobId=99 JobName=y"
    for text in (_record(2, name), _record(2, "x", f"c\n{_FORGED_RECORD}")):
        rest = "".join(_record(number, "x") for number in (3, 4, 5))
        listing = read_scontrol_job(_record(1, "x") + text + rest, mark=MARK)
        assert {job.job_id for job in listing.items} < {1, 3, 4, 5}
        assert {4, 5} <= {job.job_id for job in listing.items}
        assert says(listing.problems[0].text, "slurm.parsers.its-text-or-that-of")


def test_text_without_marks_is_read_by_lines() -> None:
    """A capture, or a tool that prints none."""
    assert format_of() == FORMAT
    plain = _squeue(["a|b", "c"], "")
    assert [job.name for job in read_squeue_text(plain, NOW_S, mark=MARK).items] == ["a|b", "c"]
    assert jobs_in_lines(plain, MARK) == plain
    assert len({new_mark() for _ in range(100)}) == 100
