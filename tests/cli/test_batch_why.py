"""`fsconsole batch why` and `fsconsole batch compare`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from fsconsole.text.words import listed
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, span, worded, wording


def _swf(*jobs: tuple[int, int, int, int, int]) -> str:
    """A trace of jobs (number, submit, runtime, processors, user) on 8 processors."""
    lines = (
        f"{job} {submit} -1 {runtime} {nodes} -1 -1 {nodes} {runtime} -1 1 {user} -1 -1 -1 -1 -1 -1\n"
        for job, submit, runtime, nodes, user in jobs
    )
    return "; MaxProcs: 8\n" + "".join(lines)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Job 2 holds the reservation until its owner's small job 3 has run and job 4 of another user comes."""
    path = tmp_path / "story.swf"
    path.write_text(_swf((1, 0, 100, 4, 1), (2, 10, 50, 8, 7), (3, 20, 10, 2, 7), (4, 40, 60, 8, 2)))
    return path


def test_why_says_place_reservation_and_standing(cli: Cli, trace: Path) -> None:
    ended = cli("batch", "why", trace, "--policy", "relshare", "--job", 2, "--at", 45)
    assert (ended.status, ended.err) == (0, "")
    assert says(
        ended.out,
        "cli.on-processors-at-s",
        label="RelShare(1d)",
        cluster_nodes="8",
        at_s_2="45",
    )
    assert "day 0" in ended.out
    assert "00:00:45 (45" in ended.out
    assert says(
        ended.out,
        "batch.insight.has-waited-for",
        job=wording("batch.insight.job-of-user", job_id="2", user="7"),
        waited_s=span(s=35),
        asks=wording("batch.insight.for", nodes="8 nodes", runtime_s=span(s=50)),
    )
    assert "; 4 are" in ended.out
    assert says(ended.out, "batch.insight.it-is-of-in-order", position="2nd", waiting="2", slowdown="")
    assert "job 4." in ended.out
    assert says(
        ended.out,
        "batch.insight.another-job-holds-reservation",
        who=wording(
            "batch.insight.job-of-user-starts", job_id="4", user="2", nodes="8 nodes", start_s="00:01:40"
        ),
    )
    assert says(ended.out, "neardedicated.of-waiting", control="rank 2", least_work_s="2 users")
    assert says(ended.out, "cli.it-starts-at-after", waited=span(min=2, s=30))
    causes = "once " + wording("batch.insight.to-smaller-or-shorter-jobs")
    assert says(ended.out, "batch.insight.and-lost-it", losses="once", causes=causes)


def test_why_as_json_at_the_submit_time(cli: Cli, trace: Path) -> None:
    found = json.loads(cli("batch", "why", trace, "--policy", "relshare", "--job", 2, "--json").out)
    assert (found["at_s"], found["state"], found["planned_start_s"], found["agrees"]) == (
        10,
        "waiting",
        100,
        True,
    )
    assert found["standing"]["priority"] is None  # nothing used: infinite
    assert found["own_reservations"]["losses"] == [
        {"at_s": 40, "cause": wording("batch.insight.own-easy-jobs")}
    ]
    assert found["policy"] == "RelShare(1d)"


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (
            ("--policy", "relshare", "--job", 9),
            2,
            (worded("cli.job-is-not-among-jobs", job="9", jobs="4", job_id="1", job_id_2="4")),
        ),
        (("--policy", "relshare", "--job", "x"), 2, naming("'x' is not a valid integer")),
        (("--policy", "relshare"), 2, naming("Missing option '--job'")),
        (("--policy", "relsare", "--job", 1), 2, worded("figures.did-you-mean", near="relshare")),
        (
            ("--policy", "fcfs-backfill", "--job", 1, "--at", "soon"),
            2,
            worded("batch.is-not-second-of-trace", text="'soon'"),
        ),
        (
            ("--policy", "fcfs-backfill", "--job", 1, "--window", "1d"),
            2,
            worded("cli.has-no-effect-on-it", options="--window"),
        ),
    ],
)
def test_why_refuses_what_cannot_be(
    cli: Cli, trace: Path, options: tuple[object, ...], status: int, message: Expected
) -> None:
    ended = cli("batch", "why", trace, *options)
    assert ended.status == status
    assert says(ended.err, message)


@pytest.fixture
def two(cli: Cli, trace: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The same trace under two policies: job 2 goes before job 4 under FCFS alone."""
    paths = (tmp_path / "fcfs.csv", tmp_path / "relshare.csv.gz")
    for path, policy in zip(paths, ("fcfs-backfill", "relshare"), strict=True):
        assert cli("batch", "simulate", trace, "--policy", policy, "--out", path).status == 0
    return paths


def test_compare_counts_and_names_the_largest_shifts(
    cli: Cli, two: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "differences.csv"
    ended = cli("batch", "compare", *two, "--out", out)
    assert (ended.status, ended.err) == (1, "")
    assert says(
        ended.out, "cli.first-difference-job-on-average", first_differing_job="2", mean="2", side="later"
    )  # (60 - 50) / 4
    assert span(min=1) + " later" in ended.out
    assert span(s=50) + " earlier" in ended.out
    assert pl.read_csv(out)["shift_s"].to_list() == [0, 60, 0, -50]


def test_compare_as_json(cli: Cli, two: tuple[Path, Path]) -> None:
    found = json.loads(cli("batch", "compare", *two, "--json").out)
    assert (found["same"], found["earlier"], found["later"], found["first_differing_job"]) == (2, 1, 1, 2)
    assert (found["most_later_s"], found["most_later_job"], found["mean_shift_s"]) == (60, 2, 2.5)


def test_equal_schedules_end_with_status_0(cli: Cli, two: tuple[Path, Path], tmp_path: Path) -> None:
    """A copy without gzip is the same; one without submit times and ends has nothing that differs."""
    copy = tmp_path / "copy.csv"
    copy.write_bytes(gzip.decompress(two[1].read_bytes()))
    ended = cli("batch", "compare", two[1], copy)
    assert (ended.status, says(ended.out, "cli.and-are-equal-jobs-with", same="4")) == (0, True)
    pl.read_csv(copy).select("job_id", "start").write_csv(copy)
    assert cli("batch", "compare", two[1], copy).status == 0


def test_compare_refuses_what_is_no_schedule(cli: Cli, two: tuple[Path, Path], trace: Path) -> None:
    ended = cli("batch", "compare", two[0], trace)
    assert ended.status == 1
    assert says(ended.err, "app.is-not", path=trace, kind="a trace of jobs")
    other = trace.with_name("other.csv")
    other.write_text("number,begin\n1,2\n")
    missing = listed(["job_id", "start"])
    ended = cli("batch", "compare", two[0], other)
    assert says(ended.err, "batch.1-missing-column-schedule-has", path=other, missing=missing)
    assert says(cli("batch", "compare", two[0], "-").err, "cli.schedules-are-read-from-files")
    ended = cli("batch", "compare", *two, "--out", two[0])
    assert ended.status == 2
    assert says(ended.err, "cli.is-one-of-schedules-choose")


def test_compare_with_the_trace_has_the_measures_of_both(
    cli: Cli, two: tuple[Path, Path], trace: Path
) -> None:
    found = json.loads(cli("batch", "compare", *two, "--trace", trace, "--json").out)["measures"]
    for policy, measures in zip(("fcfs-backfill", "relshare"), found, strict=True):
        own = json.loads(cli("batch", "simulate", trace, "--policy", policy, "--json").out)
        own = {name: value for name, value in own.items() if name in measures}
        assert {**own, "jobs_per_s": None, "dropped": 0} == measures
    assert "Jain index" in cli("batch", "compare", *two, "--trace", trace).out
    ended = cli("batch", "compare", *two, "--procs", 4)
    assert (ended.status, says(ended.err, "cli.procs-needs-trace-give-it")) == (2, True)
