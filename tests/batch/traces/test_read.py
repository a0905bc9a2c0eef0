"""Reading traces: real ones, and every way in which a line can be wrong."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path

import numpy as np
import pytest

from fsconsole.batch.traces import Imported, TraceError, own_schedule, parse_trace, read_trace
from fsconsole.resources import resource
from tests.texts import says, wording

HEADER = "; Computer: test\n; UnixStartTime: 843480031\n; MaxProcs: 100\n; TimeZoneString: Europe/Stockholm\n"


def job(
    number: object = 1,
    submit: object = 0,
    runtime: object = 60,
    got: object = 4,
    asked: object = -1,
    user: object = 7,
    wait: object = 5,
) -> str:
    """A line of the Standard Workload Format."""
    return f"{number} {submit} {wait} {runtime} {got} -1 -1 {asked} 100 -1 1 {user} 1 -1 1 -1 -1 -1"


def read(*lines: str, nodes: int | None = None) -> Imported:
    text = HEADER + "".join(f"{line}\n" for line in lines)
    return parse_trace(text.encode(), "t.swf", cluster_nodes=nodes)


def dropped(trace: Imported) -> list[tuple[int | None, int, str]]:
    return [(one.job_id, one.line, one.reason) for one in trace.report.dropped]


def test_kth_as_its_readme_says() -> None:
    trace = read_trace(resource("traces/KTH-SP2-1996-2.swf.gz"))
    assert (len(trace.jobs), len(trace.jobs.users), trace.cluster_nodes) == (28_481, 214, 100)
    assert (trace.report.found, trace.report.kept, len(trace.report.dropped)) == (28_489, 28_481, 8)
    assert trace.report.counts() == {wording("batch.traces.no-runtime-above-0"): 8}
    assert says(
        trace.report.notes,
        "batch.traces.header-counts-jobs-but-file",
        declared="28\u202f490",
        found="28\u202f489",
    )
    assert (trace.jobs.name, trace.jobs.time_zone) == ("KTH-SP2-1996-2", "Europe/Stockholm")
    assert trace.jobs.unix_start_s == 843480031
    days = (trace.jobs.submit_s[-1] - trace.jobs.submit_s[0]) / 86400
    assert days == pytest.approx(339.9, abs=0.05)


def test_hpc2n_as_its_readme_says(shared: Path) -> None:
    trace = read_trace(shared / "traces/HPC2N-2002-2.1-cln.swf.gz")
    assert (len(trace.jobs), len(trace.jobs.users), trace.cluster_nodes) == (202_876, 257, 240)
    load = trace.jobs.node_seconds.sum() / 240 / (trace.jobs.submit_s[-1] - trace.jobs.submit_s[0])
    assert load == pytest.approx(0.60, abs=0.005)


def test_columns_of_a_line() -> None:
    trace = read(job(3, 10, 50, 4, 8, 7, 5), job(4, 10, 70, -1, 8, 2, -1), job(5, 12, 1, 100, 1, 7, 0))
    jobs = trace.jobs
    assert jobs.job_id.tolist() == [3, 4, 5]
    assert jobs.submit_s.tolist() == [10, 10, 12]
    assert jobs.runtime_s.tolist() == [50, 70, 1]
    assert jobs.nodes.tolist() == [4, 8, 100]
    assert [jobs.users[user] for user in jobs.user] == ["7", "2", "7"]
    assert jobs.users == ("2", "7")
    assert trace.wait_s.tolist() == [5, -1, 0]
    assert jobs.cluster_nodes == 100


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (job(2, submit=-1), "its submit time is -1 s. It must be 0 or more"),
        (job(2, runtime=0), "its runtime is 0 s, so it never ran. It must be above 0"),
        (job(2, runtime=-1), "its runtime is -1 s, so it never ran. It must be above 0"),
        (job(2, got=0, asked=-1), "it has 0 processors and requests -1, not above 0"),
        (job(2, got=101), "it needs 101 processors, but the machine has 100"),
        (job(2, got=-1, asked=128), "it needs 128 processors, but the machine has 100"),
        (job(1), "line 5 already has a job with this number"),
        (job(2, submit="soon"), "field 2 (submit time) is 'soon', not a number"),
        (job(2, runtime="nan"), "field 4 (runtime) is 'nan', not a number"),
        (job(2, runtime="1e300"), "field 4 (runtime) is '1e300', beyond 1e+10"),
        (job(2, runtime="6_0"), "field 4 (runtime) is '6_0', not a number"),
        (job(2, runtime="٦٠"), "field 4 (runtime) is '٦٠', not a number"),
        (job(2, got="2.5"), "field 5 (allocated processors) is '2.5', not a whole number"),
        ("2 0 5 60", "the line has 4 fields, but a job has 18"),
    ],
)
def test_a_job_that_cannot_be_simulated_is_dropped_and_told(line: str, reason: str) -> None:
    trace = read(job(1), line, job(9))
    assert trace.jobs.job_id.tolist() == [1, 9]
    ((_, place, shown),) = dropped(trace)
    assert (place, shown) == (6, reason)
    assert (trace.report.found, trace.report.kept) == (3, 2)


def test_a_line_without_a_number_of_the_job_is_reported_all_the_same() -> None:
    trace = read(job(1), "Segmentation fault")
    assert dropped(trace) == [
        (None, 6, wording("batch.traces.line-has-but-job-has", words="2 fields", fields="18"))
    ]
    assert str(trace.report.dropped[0]) == (
        "line 6"
        ": "
        + wording("batch.traces.job-without-number")
        + ": "
        + wording("batch.traces.line-has-but-job-has", words="2 fields", fields="18")
    )


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (job(2, submit=0) + " 9 9", "more than 18 fields"),
        (job(2).replace("100 -1 1 7", "100 -1 failed 7"), "not a number in a field that is not needed"),
        (job(2, submit="0.7"), "fractions of a second cut off"),
        (job(2, runtime="60.5"), "fractions of a second cut off"),
        (job(2, got=-1, asked=4), "processors allocated unknown"),
        (job(2, user=-1), "no user"),
    ],
)
def test_what_can_be_put_right_is_kept_and_told(line: str, kind: str) -> None:
    trace = read(job(1), line)
    assert (trace.jobs.submit_s.tolist(), trace.jobs.runtime_s.tolist()) == ([0, 0], [60, 60])
    assert trace.jobs.nodes.tolist() == [4, 4]
    assert [(one.job_id, one.line, one.kind) for one in trace.report.repaired] == [(2, 6, kind)]
    assert not trace.report.dropped


def test_jobs_out_of_order_are_sorted_and_told() -> None:
    trace = read(job(1, 100), job(2, 40), job(3, 100), job(4, 99))
    assert trace.jobs.job_id.tolist() == [2, 4, 1, 3]
    assert [(one.job_id, one.line) for one in trace.report.repaired] == [(2, 6), (4, 8)]
    assert says(trace.report.repaired[0].reason, "batch.traces.it-was-submitted-s-before", latest="60")


def test_the_machine_asked_for_goes_before_the_header() -> None:
    lines = [job(1, got=101), job(2, got=50)]
    assert read(*lines, nodes=128).jobs.job_id.tolist() == [1, 2]
    assert read(*lines, nodes=128).cluster_nodes == 128
    assert read(*lines).jobs.job_id.tolist() == [2]
    assert parse_trace(job(1, got=10**6).encode(), "t").cluster_nodes is None


def test_white_space_blank_lines_and_comments_between() -> None:
    text = f"\n  {job(1)}  \r\n\t\n;comment\n{job(2).replace(' ', chr(9))}\r\n   ;  x\n{job(3)}"
    trace = parse_trace(text.encode(), "t.swf")
    assert trace.jobs.job_id.tolist() == [1, 2, 3]
    assert (trace.report.dropped, trace.report.repaired) == ((), ())


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    text = codecs.BOM_UTF8 + f"{HEADER}{job(1)}\n".encode()
    for data in (text, gzip.compress(text)):
        trace = parse_trace(data, "t.swf")
        assert (trace.cluster_nodes, trace.report.found, trace.report.dropped) == (100, 1, ())


def test_the_report_in_words_counts_reasons() -> None:
    trace = read(
        job(1), *(job(10 + place, runtime=0) for place in range(7)), job(30, got=101), job(2, user=-1)
    )
    assert trace.report.lines() == [
        wording("batch.traces.of-read", name="t.swf", kept="2", found="10 jobs"),
        "7 jobs dropped: no runtime above 0 (lines 6, 7, 8, 9, 10, …)",
        "1 job dropped: larger than the machine (line 13)",
        "1 job repaired: no user (line 14)",
        "Not modelled here: time limits of 2 jobs",
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "t.swf: no jobs. The Standard Workload Format has a line of 18 numbers"),
        (HEADER.encode(), "t.swf: no jobs"),
        (
            b"root:\n  - name: a\n",
            "t.swf: not a trace. None of its 2 lines is a job: line 1: a job without a number",
        ),
        (job(1, got=0).encode(), "t.swf: no job of this trace can be simulated"),
        (gzip.compress(HEADER.encode(), mtime=0)[:-9], "t.swf: the gzip data ends too early"),
        (b"\x1f\x8bnonsense", "t.swf: the gzip data is damaged"),
        (
            (HEADER + job(1)).encode("utf-16"),
            "t.swf: the text is UTF-16, as some editors save it. Save it as",
        ),
        (
            "\n".join(job(i, runtime=10**10, got=10**9) for i in range(1, 4)).encode(),
            "t.swf: its jobs have 3.0e.19 node-seconds in all. The sum must be below 4.6e.18. Check that",
        ),
    ],
)
def test_what_is_no_trace_is_refused_with_its_reason(data: bytes, says: str) -> None:
    with pytest.raises(TraceError, match=f"^{says.replace('(', '.').replace(')', '.')}"):
        parse_trace(data, "t.swf")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_trace(tmp_path / "none.swf")


def test_what_the_real_machine_did() -> None:
    trace = read(job(1, 10, wait=5), job(2, 20, wait=-1), job(3, 30, wait=0))
    schedule = own_schedule(trace)
    assert schedule is not None
    assert schedule.jobs.job_id.tolist() == [1, 3]
    assert schedule.start_s.tolist() == [15, 30]
    assert (schedule.policy, schedule.label, schedule.cluster_nodes) == (
        None,
        wording("batch.traces.as-it-ran", name="t"),
        100,
    )
    assert own_schedule(read(job(1, wait=-1))) is None


def test_submit_times_rise_and_numbers_are_unlike_each_other_in_every_real_trace() -> None:
    jobs = read_trace(resource("traces/KTH-SP2-1996-2.swf.gz")).jobs
    assert (np.diff(jobs.submit_s) >= 0).all()
    assert len(np.unique(jobs.job_id)) == len(jobs)
