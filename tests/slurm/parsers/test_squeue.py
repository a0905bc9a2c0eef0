"""`squeue --json`, against what `squeue -o` printed at the same time."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.values import length_s
from tests.slurm.captured import captured
from tests.texts import Expected, naming, says, worded, wording

ODD = captured("odd/squeue.json")
NUMBERS = ("array_job_id", "billable_tres", "cpus", "end_time", "node_count", "priority", "start_time")
NULLABLE = ("array_task_id", "time_limit", *NUMBERS)
NOW_S = 1795167642.0  # 2026-11-20T09:40:42, when the plain ones were taken


def _by_id(text: str) -> dict[int, Job]:
    listing = read_squeue(text)
    assert not listing.problems
    return {job.job_id: job for job in listing.items}


def _as_later_versions(text: str) -> str:
    """The same jobs in the form of the data parser v0.0.40."""
    document = json.loads(text)
    for job in document["jobs"]:
        for key in NULLABLE:
            value = job[key]
            job[key] = {"set": value is not None, "infinite": False, "number": value or 0}
        code = job["exit_code"]
        job["exit_code"] = {
            "status": ["ERROR" if code else "SUCCESS"],
            "return_code": {"set": True, "infinite": False, "number": code >> 8},
            "signal": {"id": {"set": bool(code & 127), "infinite": False, "number": code & 127}, "name": ""},
        }
        job["job_state"] = [job["job_state"]]
    return json.dumps(document)


def _check_against_columns(text: str, table: str, now_s: float | None) -> None:
    jobs = _by_id(text)
    lines = [line.split("|") for line in table.splitlines()]
    for line in lines:
        number, name, user, account, partition, qos, _, state, used, limit, _, cpus, nodes, priority = line[
            :14
        ]
        if int(number) not in jobs:
            continue
        job = jobs[int(number)]
        assert (job.label, job.name, job.user, job.account) == (number, name, user, account)
        assert (job.partition, job.qos, job.state) == (partition, qos, state)
        assert (job.cpus, job.node_count, job.priority) == (int(cpus), int(nodes), int(priority))
        assert job.time_limit_s == length_s(limit)
        assert line[17] == (job.nodes if not job.is_pending else f"({job.reason})") or not line[17]
        if now_s is not None or job.is_finished:
            assert job.ran_s(now_s or 0.0) == length_s(used)
    assert set(jobs) <= {int(line[0]) for line in lines}


def test_it_says_what_squeue_prints() -> None:
    _check_against_columns(captured("plain/squeue.json"), captured("plain/squeue.psv"), NOW_S)


def test_every_capture(shared: Path) -> None:
    for folder in ("running", "drained", "fairtree"):
        captures = shared / "slurm-lab" / "captures" / folder
        text = (captures / "squeue.json").read_text("utf-8")
        now_s = NOW_S if folder == "running" else None
        _check_against_columns(text, (captures / "squeue.psv").read_text("utf-8"), now_s)
        assert _by_id(text) == _by_id(_as_later_versions(text))
        rest = (captures / "rest-jobs.json").read_text("utf-8")
        assert _by_id(rest).keys() == _by_id(text).keys()


def test_what_is_rare() -> None:
    jobs = _by_id(ODD)
    expected = "a name UserId=root(0) GroupId=root(0) x|y"
    assert jobs[1].name == expected
    assert jobs[10].is_held
    assert not jobs[3].is_held
    assert jobs[11].ran_s(NOW_S) == 4  # suspended after four seconds
    assert jobs[11].suspend_s is not None
    assert [jobs[number].label for number in (1, 7, 18)] == ["1", "6+1", "2_1"]
    assert jobs[20].label.startswith("20_[1,3,5,")
    assert jobs[20].label.endswith(",50%3]")
    assert (jobs[15].exit_code, jobs[16].exit_code) == ((3, 0), (0, 15))
    assert jobs[3].time_limit_s is None  # UNLIMITED, which 22.05 does not say here


def test_later_versions_say_the_same() -> None:
    assert _by_id(_as_later_versions(ODD)) == _by_id(ODD)


def _one(**changed: Any) -> str:
    job = {"job_id": 7, "job_state": ["RUNNING", "COMPLETING"], "partition": "batch", "user_name": "ann",
           "node_count": 1, "cpus": 2}  # fmt: skip
    return json.dumps({"jobs": [job | changed]})


def test_what_only_later_versions_say() -> None:
    limit = {"set": False, "infinite": True, "number": 0}
    (job,) = read_squeue(_one(time_limit=limit)).items
    assert job.time_limit_s == math.inf
    assert job.states == ("RUNNING", "COMPLETING")
    assert not read_squeue(json.dumps({"jobs": [], "warnings": []})).items


def test_a_cut_off_output_gives_the_jobs_before_the_cut() -> None:
    whole = list(_by_id(ODD))
    place = ODD.index('"job_id": 10')
    listing = read_squeue(ODD[:place])
    assert [job.job_id for job in listing.items] == whole[: whole.index(10)]
    assert listing.problems[0].line == ODD[:place].count("\n") + 1
    assert "cut off" in listing.problems[0].text


def test_one_odd_job_does_not_take_the_others_with_it() -> None:
    listing = read_squeue(ODD.replace('"job_id": 10,', '"job_id": "ten",'))
    assert 10 not in {job.job_id for job in listing.items}
    assert len(listing.items) == len(_by_id(ODD)) - 1
    assert says(listing.problems[0].text, "slurm.parsers.is-expected-number", name="job_id", str="'ten'")
    assert "job_id" in "".join(ODD.splitlines()[listing.problems[0].line - 1 :][:70])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "",
            worded(
                "slurm.parsers.not-json-from-here-on-2",
                here=wording("slurm.parsers.end-output-is-cut-off"),
                sign="{",
            ),
        ),
        (
            "squeue: unrecognized option '--json'",
            naming("line 1, column 0: error: not JSON from here on: found 'squeue: unr"),
        ),
        ("{}", worded("slurm.parsers.no-list-this-is-not", key="'jobs'", command="squeue --json")),
        ('{"jobs": [7]}', worded("slurm.parsers.is-not-object", str="'7'")),
        (
            '{"jobs": [{"job_id": 7}]}',
            worded(
                "slurm.parsers.job-was-left-out-2",
                error=wording("slurm.parsers.it-has-no", missing="job_state, ") + "partition, user_name",
            ),
        ),
        ('{"errors": [{"error": "no contact", "errno": 5}], "jobs": []}', worded("slurm.parsers.slurm-says")),
        ('{"jobs": [' + "[" * 100_000, worded("slurm.parsers.not-json-of-slurm-tool")),
        ('{"jobs": [' + "9" * 5000 + "]}", worded("slurm.parsers.not-json-of-slurm-tool")),
        (
            _one(priority=float("nan")),
            worded("slurm.parsers.is-expected-number", name="priority", str="'nan'"),
        ),
        (_one(cpus=True), worded("slurm.parsers.is-expected-number", name="cpus", str="'True'")),
        (_one(job_state=[]), worded("slurm.parsers.its-number-or-state-is")),
        (_one(name=["x"]), worded("slurm.parsers.is-expected-text", name="name", str="\"['x']\"")),
    ],
)
def test_what_is_wrong_is_reported(text: str, words: Expected) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_squeue(text)
    assert says(str(caught.value), words)


def test_half_a_character_does_no_harm() -> None:
    (job,) = read_squeue(_one(name="x\ud800")).items
    assert job.name.encode("utf-8")
