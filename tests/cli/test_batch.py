"""`fsconsole batch`: schedules of traces, what comes out of them, and everything that may be wrong."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sys
from pathlib import Path

import polars as pl
import pytest

from fsconsole.batch.policy import POLICIES, POLICY_WORDS
from fsconsole.cli.batch_policy import policy_of
from fsconsole.resources import resource
from tests.cli.conftest import Cli
from tests.texts import says, wording

KEYS = [
    *("jobs", "users", "dropped", "avg_bounded_slowdown", "avg_wait_h", "max_wait_h", "p99_wait_h"),
    *("under_shared", "over_shared", "jobs_per_s"),
]


@pytest.fixture
def kth() -> Path:
    return resource("traces/KTH-SP2-1996-2.swf.gz")


def swf(*jobs: tuple[int, int, int, int, int], header: str = "; MaxProcs: 10\n") -> str:
    """A trace of jobs (number, submit, runtime, processors, user)."""
    lines = (
        f"{job} {submit} -1 {runtime} {nodes} -1 -1 {nodes} {runtime} -1 1 {user} -1 -1 -1 -1 -1 -1\n"
        for job, submit, runtime, nodes, user in jobs
    )
    return header + "".join(lines)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Three jobs on 10 processors: the second waits for the first, the third is backfilled."""
    path = tmp_path / "small.swf"
    path.write_text(swf((1, 0, 100, 6, 1), (2, 10, 100, 6, 2), (3, 20, 60, 4, 1)))
    return path


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (("fcfs-backfill",), "kth-fcfs-backfill"),
        (("lxf-backfill",), "kth-lxf-backfill"),
        (("relshare", "--window", "1d"), "kth-relshare-1d"),
        (("relshare-no-expected",), "kth-relshare-1d-no-expected"),
    ],
)
def test_kth_comes_out_job_for_job(
    cli: Cli, shared: Path, kth: Path, tmp_path: Path, policy: tuple[str, ...], expected: str
) -> None:
    out = tmp_path / "jobs.csv"
    ended = cli("batch", "simulate", kth, "--procs", 100, "--policy", *policy, "--out", out, "--json")
    assert (ended.status, ended.err) == (0, "")
    made = pl.read_csv(out)
    right = pl.read_csv(shared / f"traces/expected/{expected}.csv.gz").cast(pl.Int64)
    assert made.columns == ["job_id", "submit", "start", "end"]
    assert made.sort("job_id").equals(right.sort("job_id"))
    assert made["submit"].is_sorted()


# The table of the rules' KTH schedules: slowdown, waits in hours.
@pytest.mark.parametrize(
    ("policy", "slowdown", "average", "most", "p99"),
    [
        ("fcfs-backfill", 26.687, 1.765, 71.89, 19.84),
        ("lxf-backfill", 12.030, 1.263, 127.47, 17.62),
        ("relshare", 18.543, 1.757, 221.82, 24.73),
        ("relshare-no-expected", 20.035, 1.778, 242.37, 24.34),
    ],
)
def test_json_has_the_known_figures(
    cli: Cli, policy: str, slowdown: float, average: float, most: float, p99: float
) -> None:
    summary = json.loads(cli("batch", "simulate", "KTH-SP2-1996-2", "--policy", policy, "--json").out)
    assert list(summary)[: len(KEYS)] == KEYS
    assert (summary["jobs"], summary["users"], summary["dropped"]) == (28_481, 214, 8)
    assert summary["avg_bounded_slowdown"] == pytest.approx(slowdown, abs=0.0005)
    assert summary["avg_wait_h"] == pytest.approx(average, abs=0.0005)
    assert summary["max_wait_h"] == pytest.approx(most, abs=0.005)
    assert summary["p99_wait_h"] == pytest.approx(p99, abs=0.005)
    assert summary["jobs_per_s"] > 0


def test_users_are_those_of_the_reference(cli: Cli, shared: Path, tmp_path: Path) -> None:
    out = tmp_path / "users.csv"
    cli("batch", "simulate", "KTH-SP2-1996-2", "--policy", "relshare", "--users-out", out)
    made = pl.read_csv(out).sort("user")
    right = pl.read_csv(shared / "traces/expected/kth-relshare-1d-users.csv.gz").sort("user")
    assert made["user"].to_list() == right["user"].to_list()
    for name in ("node_hours", "usage_nh", "entitled_nh", "dev_nh", "max_wait_h", "avg_wait_h"):
        assert made[name].to_list() == pytest.approx(right[name].to_list(), abs=1e-5), name


def test_the_same_as_text(cli: Cli, small: Path, tmp_path: Path) -> None:
    out = tmp_path / "jobs.csv"
    ended = cli("batch", "simulate", small, "--policy", "fcfs-backfill", "--out", out)
    assert (ended.status, ended.err) == (0, "")
    assert out.read_text() == "job_id,submit,start,end\n1,0,0,100\n2,10,100,200\n3,20,20,80\n"
    lines = ended.out.splitlines()
    assert lines[:2] == [
        wording("batch.traces.of-read", name=small, kept="3", found="3 jobs"),
        wording("cli.on-processors", label="FCFS-backfill", cluster_nodes="10"),
    ]
    assert lines[-1] == f"Wrote {out}"
    (most,) = (line for line in lines if "Maximum wait, h" in line)
    assert most.split()[-1] == "0.03"  # 90 s


def test_what_was_dropped_is_reported_and_written(cli: Cli, tmp_path: Path) -> None:
    trace, found = tmp_path / "t.swf", tmp_path / "dropped.csv"
    trace.write_text(swf((1, 5, 9, 6, 1), (2, 3, 9, 11, 2), (3, 4, 0, 4, 1), (4, 4, 9, 1, 1)))
    ended = cli("batch", "simulate", trace, "--policy", "fcfs-backfill", "--dropped", found)
    read, *told = ended.out.splitlines()[:4]
    assert read == wording("batch.traces.of-read", name=trace, kept="2", found="4 jobs")
    assert [line.split(maxsplit=3) for line in told] == [
        ["1", "job", "dropped:", wording("batch.traces.larger-than-machine") + " (line 3)"],
        ["1", "job", "dropped:", wording("batch.traces.no-runtime-above-0") + " (line 4)"],
        ["1", "job", "repaired:", wording("batch.traces.not-in-order-of-submit") + " (line 5)"],
    ]
    rows = list(csv.DictReader(found.read_text().splitlines()))
    assert [(row["job_id"], row["line"], row["what"]) for row in rows] == [
        ("2", "3", "dropped"),
        ("3", "4", "dropped"),
        ("4", "5", "repaired"),
    ]
    assert "--dropped" not in ended.out
    assert says(
        cli("batch", "simulate", trace, "--policy", "lxf-backfill").out, "cli.dropped-file-csv-writes-each"
    )
    assert rows[0]["reason"] == wording(
        "batch.traces.it-needs-but-machine-has", nodes="11", units="processors", most="10"
    )


def test_limit_keeps_the_first_jobs_that_pass(cli: Cli, tmp_path: Path) -> None:
    trace, out = tmp_path / "t.swf", tmp_path / "jobs.csv"
    trace.write_text(swf((1, 0, 0, 6, 1), (2, 9, 9, 6, 2), (3, 5, 9, 4, 3), (4, 7, 9, 1, 4)))
    ended = cli("batch", "simulate", trace, "--policy", "fcfs-backfill", "--limit", 2, "--out", out, "--json")
    summary = json.loads(ended.out)
    assert (summary["jobs"], summary["users"], summary["dropped"]) == (2, 2, 1)
    assert out.read_text().splitlines()[1:] == ["3,5,5,14", "4,7,7,16"]


def test_a_month_holds_the_measured_jobs_alone(cli: Cli, kth: Path, tmp_path: Path) -> None:
    out = tmp_path / "jobs.csv.gz"
    line = ("batch", "simulate", kth, "--policy", "relshare", "--out", out)
    by_date = cli(*line, "--month", "1996-10-01", "1996-11-01")
    assert says(by_date.out, "cli.jobs-of-simulated", name="1996-10")
    rows = pl.read_csv(gzip.decompress(out.read_bytes()))
    by_second = json.loads(cli(*line, "--month", 640769, 3322769, "--json").out)
    assert pl.read_csv(gzip.decompress(out.read_bytes())).equals(rows)
    assert (len(rows), by_second["jobs"]) == (2406, 2406)
    submits = rows["submit"].to_list()
    assert 640769 <= min(submits) <= max(submits) < 3322769


def test_shares_from_a_tree_favour_who_has_more(cli: Cli, tmp_path: Path) -> None:
    """Both users wait when the machine gets free; all in all each has used 1000 s of 10 processors."""
    trace, tree, out = tmp_path / "t.swf", tmp_path / "tree.yaml", tmp_path / "jobs.csv"
    trace.write_text(swf((1, 0, 100, 5, 1), (2, 0, 100, 5, 2), (3, 50, 100, 10, 1), (4, 50, 100, 10, 2)))
    starts = {}
    for name, shares in (("first", (9, 1)), ("second", (1, 9))):
        nodes = "".join(f"    - {{name: '{user}', shares: {shares[user - 1]}}}\n" for user in (1, 2))
        tree.write_text(f"version: 1\ntree:\n  name: root\n  children:\n{nodes}")
        ended = cli("batch", "simulate", trace, "--policy", "relshare", "--shares", tree, "--out", out)
        assert ended.status == 0, ended.err
        starts[name] = pl.read_csv(out)["start"].to_list()
    assert starts == {"first": [0, 0, 100, 200], "second": [0, 0, 200, 100]}


def test_a_trace_may_come_in_on_stdin(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(small.read_bytes()))))
    ended = cli("batch", "simulate", "-", "--policy", "lxf-backfill")
    assert ended.out.startswith(
        "stdin" + wording("batch.traces.of-read", name="", kept="3", found="3 jobs") + "\n"
    )


def test_several_reservations_and_other_options_reach_the_policy() -> None:
    fields = {"window_s": 4.0 * 3600, "origin_s": 7, "form": "difference", "decay": 0.5}
    policy = policy_of("relshare", {**fields, "reservations": 3, "carry_reservation": True})
    message = "RelShare(4h), origin 7s, difference, decay 0.5, carried reservation, 3 reservations"
    assert policy.label == message
    assert policy_of("weighted-usage", {"weights": "1,2,3"}).label.split(", ") == [
        "Weighted usage(1d)",
        "weights 1/2/3",
    ]
    assert policy_of("lxf-backfill", {"lxf_bound_s": 60.0}).label.split(", ") == [
        "LXF-backfill",
        "bound 1min",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("--policy", "fcfs"),
            "unknown policy 'fcfs'. Choose one of fcfs-backfill, sjf-backfill, lxf-backfill,",
        ),
        ((), "Missing option '--policy'"),
        (
            ("--policy", "fcfs-backfill", "--window", "1d"),
            "--window has no effect on fcfs-backfill. It is for",
        ),
        (("--policy", "lxf-backfill", "--origin", "5"), "--origin has no effect on lxf-backfill. It is for"),
        (("--policy", "lxf-backfill", "--decay", "0"), "--decay has no effect on lxf-backfill. It is for"),
        (
            ("--policy", "lxf-backfill", "--boundary-passes"),
            "--boundary-passes has no effect on lxf-backfill. It is for",
        ),
        (("--policy", "share-upper", "--form", "ratio"), "--form has no effect on share-upper. It is for"),
        (
            ("--policy", "relshare", "--lxf-bound", "60"),
            "--lxf-bound has no effect on relshare. It is for lxf",
        ),
        (("--policy", "relshare", "--weights", "1,1,1"), "--weights has no effect on relshare. It is for"),
        (
            ("--policy", "relshare-no-expected", "--carry-reservation"),
            "--carry-reservation has no effect on relshare-no-expected. It is for relshare, share-upper,",
        ),
        (
            ("--policy", "weighted-usage", "--weights", "1,2"),
            "'1,2' is not three numbers. Example: 0.7,0.7,3",
        ),
        (("--policy", "weighted-usage", "--weights", "1,2,0"), "slots: 0 is not a finite number above 0"),
        (("--policy", "relshare", "--decay", "1"), "decay is 1. It must be at least 0 and below 1"),
        (("--policy", "relshare", "--decay", "nan"), "decay is nan"),
        (("--policy", "relshare", "--window", "0"), "'0' is too short"),
        (("--policy", "relshare", "--window", "1.5"), "1.5 s is not a whole number of seconds"),
        (("--policy", "relshare", "--window", "1x"), "'1x' is not a time"),
        (("--policy", "relshare", "--origin", "noon"), "'noon' is not a second of the trace"),
        (("--policy", "relshare", "--reservations", "0"), "0 is not in the range x>=1"),
        (("--policy", "relshare", "--procs", "0"), "0 is not in the range"),
        (("--policy", "relshare", "--limit", "0"), "0 is not in the range"),
        (
            ("--policy", "relshare", "--month", "1d", "2d"),
            "no job was submitted from 1d to 2d (exclusive). The trace has",
        ),
        (("--policy", "relshare", "--month", "2003-07", "2003-08"), "'2003-07' is not a second of the trace"),
        (("--policy", "relshare", "--month", "9", "3"), "the period from 9 to 3 ends before it begins"),
    ],
)
def test_wrong_use(cli: Cli, small: Path, arguments: tuple[str, ...], says: str) -> None:
    ended = cli("batch", "simulate", small, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert says in ended.err
    assert ended.err.split()[:3] == ["fsconsole", "batch", "simulate:"]


def test_a_month_outside_a_dated_trace(cli: Cli, kth: Path) -> None:
    ended = cli("batch", "simulate", kth, "--policy", "relshare", "--month", "2003-07-01", "2003-08-01")
    assert ended.status == 2
    assert says(ended.err, "batch.no-job-was-submitted-from", from_text="2003-07-01", to_text="2003-08-01")
    assert says(ended.err, "batch.trace-has-arrivals-from")
    assert re.findall(r"\d+-\d+-\d+ \d+:\d+", ended.err) == ["1996-09-23 14:00", "1997-08-29 10:34"]


def test_a_machine_that_nobody_knows(cli: Cli, tmp_path: Path) -> None:
    trace = tmp_path / "t.swf"
    trace.write_text(swf((1, 0, 9, 6, 1), header=""))
    ended = cli("batch", "simulate", trace, "--policy", "relshare")
    assert (ended.status, says(ended.err, "cli.does-not-give-number-of")) == (
        2,
        True,
    )
    assert cli("batch", "simulate", trace, "--policy", "relshare", "--procs", 6).status == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            gzip.compress(b"; x\n" * 999, mtime=0)[:-12],
            "the gzip data ends too early. Get the whole file again",
        ),
        (b"", "no jobs. The Standard Workload Format has a line of 18 numbers for each job"),
        (b"1 2 3\n", "None of its 1 lines is a job: line 1: job 1: the line has 3 fields, but a job has 18"),
        (swf((1, 0, 9, 11, 1)).encode(), "no job of this trace can be simulated"),
        (b"JobID|State\n1|DONE\n", "not have a field for whose they are (User), their submit times (Submit)"),
    ],
)
def test_traces_that_cannot_be_used(cli: Cli, tmp_path: Path, content: bytes, says: str) -> None:
    trace = tmp_path / "bad.swf"
    trace.write_bytes(content)
    ended = cli("batch", "simulate", trace, "--policy", "relshare")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.split()[:4] == ["fsconsole", "batch", "simulate:", f"{trace}:"]
    assert says in ended.err


@pytest.mark.parametrize("command", [("simulate",), ("why", "--job", 1)])
def test_what_does_not_fit_into_whole_numbers(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    trace = tmp_path / "t.swf"
    jobs = ((job, 0, 10**10, 1, 1) for job in (1, 2, 3))
    trace.write_text(swf(*jobs, header="; MaxProcs: 100000000\n"))
    ended = cli("batch", *command, trace, "--policy", "relshare", "--window", "100000d")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.split()[:4] == ["fsconsole", "batch", f"{command[0]}:", f"{trace}:"]
    assert says(ended.err, "batch.workload-is-too-long-or")


@pytest.mark.parametrize("command", [("simulate",), ("why", "--job", 1)])
def test_a_machine_beyond_any_is_refused(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    trace = tmp_path / "t.swf"
    trace.write_text(swf((1, 0, 10, 1, 1), header="; MaxProcs: 1000000000\n"))
    ended = cli("batch", *command, trace, "--policy", "relshare")
    assert (ended.status, ended.out) == (1, "")
    assert says(
        ended.err, "batch.machine-has-nodes-at-most", cluster_nodes="1,000,000,000", most_nodes="134,217,728"
    )


def test_a_trace_that_is_not_there(cli: Cli) -> None:
    ended = cli("batch", "simulate", "KTH-SP2", "--policy", "relshare")
    assert ended.status == 2
    assert says(
        ended.err,
        "cli.program-has",
        message=wording("cli.file-not-found", path="KTH-SP2", path_2=""),
        known="KTH-SP2-1996-2",
    )


def test_users_that_the_tree_lacks(cli: Cli, small: Path, examples: Path) -> None:
    tree = examples / "two-organisations.yaml"
    ended = cli("batch", "simulate", small, "--policy", "relshare", "--shares", tree)
    assert ended.status == 1
    assert ended.err.split()[:4] == ["fsconsole", "batch", "simulate:", f"{tree}:"]
    missing = wording("batch.of-users-of-workload", names="2", users="2", names_2="1, 2", more="")
    assert says(ended.err, "batch.share-tree-does-not-have", missing=missing)


def test_outputs_that_could_not_be_written_are_refused_first(cli: Cli, small: Path, tmp_path: Path) -> None:
    line = ("batch", "simulate", small, "--policy", "relshare", "--out")
    ended = cli(*line, "")
    assert (ended.status, says(ended.err, "cli.is-folder-give-file-to")) == (2, True)
    ended = cli(*line, tmp_path / "none" / "jobs.csv")
    assert (ended.status, says(ended.err, "cli.folder-does-not-exist")) == (1, True)
    before = small.read_text()
    ended = cli(*line, small)
    assert (ended.status, small.read_text() == before) == (2, True)
    assert f"{small} is {wording('cli.trace-itself')}" in ended.err
    ended = cli(*line, tmp_path / "a.csv", "--users-out", tmp_path / "a.csv")
    assert (ended.status, (tmp_path / "a.csv").exists()) == (2, False)


def test_what_sacct_printed_becomes_a_trace(cli: Cli, shared: Path, tmp_path: Path) -> None:
    capture, out = shared / "slurm-lab/captures/drained/sacct.psv", tmp_path / "lab.swf.gz"
    ended = cli("batch", "convert", capture, out, "--procs", 32)
    read, dropped = ended.out.splitlines()[:2]
    assert read == wording("batch.traces.of-read", name=capture, kept="18", found="23 jobs")
    assert wording("batch.traces.no-runtime-above-0") in dropped
    assert re.findall(r"\d+", dropped) == ["5", "0", "14", "15", "16", "17", "18"]
    again = cli("batch", "convert", capture, out, "--procs", 32)
    assert (again.status, "--force" in again.err) == (1, True)
    assert cli("batch", "convert", capture, "--out", out, "--procs", 32, "--force").status == 0
    printed = cli("batch", "convert", capture, "-", "--procs", 32)
    assert printed.out == gzip.decompress(out.read_bytes()).decode()
    assert printed.err.startswith(wording("batch.traces.of-read", name=capture, kept="18", found="23 jobs"))
    assert cli("batch", "convert", capture).status == 2
    summaries = []
    for trace, procs in ((capture, ("--procs", 32)), (out, ())):
        line = ("batch", "simulate", trace, *procs, "--policy", "relshare", "--json")
        summaries.append({**json.loads(cli(*line).out), "jobs_per_s": 0, "dropped": 0, "not_modelled": ""})
    assert summaries[0] == summaries[1]
    assert summaries[0]["users"] == 13
    by_nodes = cli("batch", "simulate", capture, "--procs", 4, "--count", "nodes", "--policy", "relshare")
    assert by_nodes.status == 0


def test_counting_nodes_is_for_sacct(cli: Cli, small: Path) -> None:
    ended = cli("batch", "simulate", small, "--count", "nodes", "--policy", "relshare")
    assert (ended.status, says(ended.err, "batch.traces.counts-processors-choice-between-cpus")) == (1, True)


def test_one_stdin_for_two_files(cli: Cli) -> None:
    ended = cli("batch", "simulate", "-", "--policy", "relshare", "--shares", "-")
    assert (ended.status, says(ended.err, "cli.trace-and-share-tree-cannot")) == (
        2,
        True,
    )


def test_policies_are_listed_with_their_options(cli: Cli) -> None:
    listed = json.loads(cli("batch", "policies", "--json").out)
    assert [item["policy"] for item in listed] == list(POLICIES)
    by_name = {item["policy"]: item["options"] for item in listed}
    assert (by_name["sjf-backfill"], by_name["conservative-backfill"]) == (["--reservations"], [])
    printed = cli("batch", "policies").out
    assert all(f"{name} " in printed and words in printed for name, words in POLICY_WORDS.items())


def test_shortest_first_and_conservative_backfilling_of_a_small_trace(cli: Cli, tmp_path: Path) -> None:
    """Jobs 3 to 5 arrive while 1 runs; 5 fits beside 1 and 2 but would delay 3, which is not first."""
    trace, out = tmp_path / "small.swf", tmp_path / "jobs.csv"
    jobs = ((1, 0, 10, 2, 1), (2, 1, 10, 3, 1), (3, 2, 9, 4, 2), (4, 2, 8, 4, 2), (5, 3, 100, 1, 1))
    trace.write_text(swf(*jobs, header="; MaxProcs: 4\n"))

    def starts(policy: str) -> list[int]:
        cli("batch", "simulate", trace, "--policy", policy, "--out", out)
        return pl.read_csv(out).sort("job_id")["start"].to_list()

    assert starts("sjf-backfill") == [0, 27, 18, 10, 27]
    assert starts("conservative-backfill") == [0, 10, 20, 29, 37]
    output = cli("batch", "why", trace, "--policy", "conservative-backfill", "--job", "5", "--at", "12").out
    assert says(output, "batch.insight.it-holds-reservation-itself-and", planned="00:00:37")


def test_partitions_of_a_trace_count_under_slurms_priority(cli: Cli, tmp_path: Path) -> None:
    """Field 16 of a job is its partition: job 3 overtakes job 2 where its partition has a higher priority."""
    trace, out = tmp_path / "small.swf", tmp_path / "jobs.csv"
    rows = [
        f"{job} {submit} -1 10 4 -1 -1 4 10 -1 1 1 -1 -1 -1 {job % 2} -1 -1"
        for job, submit in ((1, 0), (2, 1), (3, 2))
    ]
    trace.write_text("; MaxProcs: 4\n" + "\n".join(rows) + "\n")

    def starts(*options: str) -> list[int]:
        cli("batch", "simulate", trace, "--policy", "slurm-multifactor", *options, "--out", out)
        return pl.read_csv(out).sort("job_id")["start"].to_list()

    assert starts() == [0, 10, 20]
    assert starts("--multifactor", "fairshare=0,partitions=1:10") == [0, 20, 10]
    ended = cli("batch", "simulate", trace, "--policy", "slurm-multifactor", "--multifactor", "partition=x")
    assert (ended.status, says(ended.err, "shares.is-not-whole-number", value="'x'")) == (2, True)
