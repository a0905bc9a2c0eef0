"""What Slurm's sacct prints: real output, and what may be wrong with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fsconsole.batch.traces import Imported, TraceError, parse_trace, read_trace
from fsconsole.batch.traces.not_modelled import not_modelled_in
from fsconsole.batch.traces.sacct import Counted
from tests.texts import refuses, says, wording

HEADER = "JobID|JobIDRaw|User|Submit|Start|End|ElapsedRaw|AllocCPUS|NNodes|State"
DAY = "2026-11-20T"


def line(number: str, raw: str | None = None, **other: str) -> str:
    values = {
        "User": "anna",
        "Submit": f"{DAY}09:36:20",
        "Start": f"{DAY}09:36:30",
        "End": f"{DAY}09:37:00",
        "ElapsedRaw": "30",
        "AllocCPUS": "8",
        "NNodes": "2",
        "State": "COMPLETED",
        **other,
    }
    return "|".join([number, number if raw is None else raw, *values.values()])


def read(*lines: str, header: str = HEADER, counted: Counted = "cpus") -> Imported:
    return parse_trace("\n".join([header, *lines, ""]).encode(), "s.psv", counted=counted)


def test_captures_of_a_drained_cluster(shared: Path) -> None:
    """18 jobs completed, 5 were cancelled before they started; brief output has lines of steps."""
    folder = shared / "slurm-lab/captures/drained"
    whole, brief = (read_trace(folder / name) for name in ("sacct.psv", "sacct-brief.psv"))
    for trace in (whole, brief):
        assert (trace.report.found, trace.report.kept) == (23, 18)
        assert trace.report.counts() == {wording("batch.traces.no-runtime-above-0"): 5}
        assert trace.jobs.job_id.tolist()[:4] == [1, 2, 3, 4]
        assert trace.jobs.nodes.tolist()[:4] == [6, 2, 3, 1]
        assert trace.jobs.runtime_s.tolist()[:4] == [150, 60, 200, 100]
        assert [trace.jobs.users[user] for user in trace.jobs.user[:2]] == ["fs_anna", "fs_anna"]
        assert trace.wait_s.tolist()[:2] == [111, 111]
        # Second 0 is midnight; 9:36:20 is 34,580 s later.
        assert trace.jobs.submit_s[0] == 34_580
        assert trace.jobs.unix_start_s == 1_795_132_800
    assert says(brief.report.notes, "batch.traces.lines-of-job-steps-left", steps="18")
    nodes = read_trace(folder / "sacct.psv", counted="nodes").jobs.nodes.tolist()
    assert (nodes[:4], max(nodes)) == ([1, 1, 1, 1], 3)


def test_captures_of_a_running_cluster(shared: Path) -> None:
    trace = read_trace(shared / "slurm-lab/captures/running/sacct-brief.psv")
    assert trace.report.counts() == {
        wording("batch.traces.not-ended-yet"): 5,
        wording("batch.traces.no-runtime-above-0"): 5,
        wording("batch.traces.not-started-yet"): 2,
    }
    assert trace.report.kept == 11
    reasons = [str(finding) for finding in trace.report.dropped]
    assert (
        "line 6" + ": " + "job 3" + ": " + wording("batch.traces.it-has-not-ended-state", value="RUNNING")
        in reasons
    )
    assert (
        "line 33" + ": " + "job 19" + ": " + wording("batch.traces.it-has-not-started-state", state="PENDING")
        in reasons
    )


def test_without_state_the_end_says_who_still_runs() -> None:
    header = HEADER.removesuffix("|State")
    lines = [row.rpartition("|")[0] for row in (line("1"), line("2", End="Unknown"))]
    trace = read(*lines, header=header)
    assert trace.jobs.job_id.tolist() == [1]
    assert trace.report.counts() == {wording("batch.traces.not-ended-yet"): 1}


@pytest.mark.parametrize(
    ("field", "message", "runtime_s"),
    [
        ("Elapsed", "00:02:30", 150),
        ("Elapsed", "1-02:03:04", 93_784),
        ("Elapsed", "02:30.500", 150),
        ("End", f"{DAY}10:36:30", 3600),
    ],
)
def test_runtimes_in_other_forms(field: str, message: str, runtime_s: int) -> None:
    header = "JobID|User|Submit|Start|AllocCPUS|" + field
    trace = read(f"1|anna|{DAY}09:36:20|{DAY}09:36:30|8|{message}", header=header)
    assert trace.jobs.runtime_s.tolist() == [runtime_s]


def test_counts_in_thousands_and_what_was_asked_for() -> None:
    header = "JobID|User|Submit|Elapsed|AllocCPUS|ReqCPUS"
    lines = [f"1|a|{DAY}09:00:00|01:00|2K|1", f"2|a|{DAY}09:00:00|01:00|0|12", f"3|a|{DAY}09:00:00|01:00||"]
    trace = read(*lines, header=header)
    assert trace.jobs.nodes.tolist() == [2048, 12]
    assert trace.report.repairs() == {wording("batch.traces.allocated-unknown", units="CPUs"): 1}
    assert trace.report.counts() == {wording("batch.traces.no-allocated-or-requested", units="CPUs"): 1}


def test_arrays_and_het_jobs_have_numbers_of_their_own() -> None:
    trace = read(line("12_3", "15"), line("12_4", "16"), line("20+1", "21"))
    assert trace.jobs.job_id.tolist() == [15, 16, 21]
    assert not trace.report.repaired
    bare = HEADER.replace("JobIDRaw", "Account")
    trace = read(line("12_3", "x"), line("12_4", "x"), line("12.batch", "x"), line("12", "x"), header=bare)
    assert trace.jobs.job_id.tolist() == [13, 14, 12]
    assert [one.reason for one in trace.report.repaired] == [
        wording("batch.traces.sacct-names-it-without-jobidraw", called="12_3", job_id="13"),
        wording("batch.traces.sacct-names-it-without-jobidraw", called="12_4", job_id="14"),
    ]


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (line("2", Submit="yesterday"), "no submit time"),
        (line("2", ElapsedRaw="", Start="None"), "no runtime"),
        (line("2", AllocCPUS="many"), "no CPUs allocated or requested"),
        (line("2", ElapsedRaw="9" * 15), "a time or count out of range"),
        (line("2", User="a|b"), "different numbers of fields in line and header"),
        ("2|cut", "different numbers of fields in line and header"),
        (line("1"), "an earlier job has its number"),
    ],
)
def test_lines_that_cannot_be_used_are_reported(wrong: str, kind: str) -> None:
    trace = read(line("1"), wrong, line("3"))
    assert trace.jobs.job_id.tolist() == [1, 3]
    assert [(one.line, one.kind) for one in trace.report.dropped] == [(3, kind)]
    assert trace.report.found == 3


def test_a_bar_at_the_end_of_lines_and_times_in_seconds() -> None:
    trace = read(line("1", Submit="1795167380") + "|", header=HEADER + "|")
    assert (trace.jobs.submit_s.tolist(), trace.jobs.unix_start_s) == ([34_580], 1_795_132_800)


def test_a_job_without_a_user() -> None:
    trace = read(line("1", User=""), line("2"))
    assert [trace.jobs.users[user] for user in trace.jobs.user] == ["unknown", "anna"]
    assert trace.report.repairs() == {"no user": 1}


def test_fields_that_are_missing_are_named() -> None:
    with pytest.raises(
        TraceError, match="not have a field for whose they are \\(User\\), their submit times"
    ):
        read("1|2", header="JobID|AllocCPUS")
    with pytest.raises(
        TraceError, match=r"their number of nodes .AllocNodes or NNodes or ReqNodes.. Use sacct -a"
    ):
        read(f"1|a|{DAY}09:00:00|60|8", header="JobID|User|Submit|ElapsedRaw|NCPUS", counted="nodes")


def test_output_without_jobs() -> None:
    with refuses(TraceError, "batch.traces.no-jobs-sacct-printed-lines", name="s.psv", lines="1"):
        read(line("1.batch"))
    with refuses(TraceError, "batch.traces.no-jobs-sacct-printed-lines", name="s.psv"):
        read()


@pytest.mark.parametrize("message", ["٠٠:٠٢:٣٠", "०१:००", "1-٠٢:03:04", "00:02:3²"])
def test_lengths_in_other_digits_are_no_lengths(message: str) -> None:
    header = "JobID|User|Submit|Elapsed|AllocCPUS"
    day = f"{DAY}09:00:00"
    trace = read(f"1|a|{day}|01:00|8", f"2|a|{day}|{message}|8", f"3|a|{day}|01:00|٨", header=header)
    assert trace.jobs.job_id.tolist() == [1]
    assert [one.job_id for one in trace.report.dropped] == [2, 3]


@pytest.mark.parametrize("is_blank", [True, False])
def test_a_field_that_is_not_there_changes_no_number_in_silence(is_blank: bool) -> None:
    """Census: what depends on it is refused, left out, unknown, or a repair that is reported."""
    header = [*HEADER.split("|"), "ReqCPUS", "Elapsed"]
    jobs = [
        line(str(at), AllocCPUS=str(8 + at), ReqCPUS=str(4 + at), Elapsed="00:00:30").split("|")
        for at in range(1, 4)
    ]
    whole = read(*map("|".join, jobs), header="|".join(header))
    for place in range(len(header)):
        drop = [""] if is_blank else []
        rows = [[*row[:place], *drop, *row[place + 1 :]] for row in jobs]
        titles = header if is_blank else [*header[:place], *header[place + 1 :]]
        try:
            found = read(*map("|".join, rows), header="|".join(titles))
        except TraceError:
            continue
        repaired = {finding.job_id for finding in found.report.repaired}
        for at, number in enumerate(found.jobs.job_id.tolist()):
            (before,) = np.flatnonzero(whole.jobs.job_id == number)
            values = [(trace.jobs.submit_s[row], trace.jobs.runtime_s[row], trace.jobs.nodes[row])
                      for trace, row in ((found, at), (whole, before))]  # fmt: skip
            assert values[0] == values[1] or number in repaired, header[place]
            assert found.wait_s[at] in (whole.wait_s[before], -1), header[place]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"ReqTRES": "cpu=8,gres/gpu=2"}, {"GPUs": 1}),
        ({"AllocTRES": "cpu=8,gres/gpu:a100=2,gres/gpu=2"}, {"GPUs": 1}),
        ({"ReqGRES": "gpu:4"}, {"GPUs": 1}),
        ({"AllocGRES": "gpu"}, {"GPUs": 1}),
        ({"ReqTRES": "cpu=8,gres/gpu=0"}, {}),
        ({"ReqTRES": "cpu=8,node=1,billing=8"}, {}),
        ({"ReqTRES": "cpu=8,mem=16G"}, {"memory": 1}),
        ({"ReqMem": "4000Mn"}, {"memory": 1}),
        ({"ReqMem": "0"}, {}),
        ({"ReqTRES": "license/matlab=1"}, {"licences": 1}),
        ({"Timelimit": "1-00:00:00"}, {"time limits": 1}),
        ({"Timelimit": "UNLIMITED"}, {}),
        ({"Timelimit": "Partition_Limit"}, {}),
        ({"TimelimitRaw": "60"}, {"time limits": 1}),
        ({"QOS": "high"}, {"QOS limits": 1}),
        ({"Reservation": "course"}, {"reservations": 1}),
        ({"Constraints": "a100"}, {"features": 1}),
        ({"QOS": "", "Timelimit": "", "ReqTRES": ""}, {}),
    ],
)
def test_what_a_schedule_does_not_know_is_counted(fields: dict[str, str], expected: dict[str, int]) -> None:
    header = "|".join([HEADER, *fields])
    trace = read(line("1", **fields), header=header)
    parts = [f"{what} of 1 job" if not place else f"{what} of {count}"
             for place, (what, count) in enumerate(expected.items())]  # fmt: skip
    assert [note for note in trace.report.notes if not_modelled_in([note])] == (
        [f"Not modelled here: {', '.join(parts)}"] if parts else []
    )


def test_jobs_that_are_left_out_do_not_count_and_partitions_are_one_pool() -> None:
    fields = {"Timelimit": "10:00", "Partition": "cpu"}
    lines = [
        line("1", **fields),
        line("2", **{**fields, "Partition": "gpu"}),
        line("3", **{**fields, "ElapsedRaw": "0", "Partition": "fat"}),
    ]
    trace = read(*lines, header="|".join([HEADER, *fields]))
    assert not_modelled_in(trace.report.notes).endswith("time limits of 2 jobs, 2 partitions as one pool")
