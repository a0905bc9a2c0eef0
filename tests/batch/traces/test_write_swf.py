"""Traces out and in again."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.traces import parse_trace, read_trace
from fsconsole.batch.traces.write_swf import swf_text, write_swf
from fsconsole.resources import resource
from tests.texts import refuses_naming

NAMES = st.one_of(
    st.integers(0, 10**6).map(str),
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=12),
)


@st.composite
def workloads(draw: st.DrawFn) -> JobTable:
    """Workloads whose users all have jobs."""
    users = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    size = draw(st.integers(len(users), 30))
    whole = st.integers(0, 10**7)
    ids = draw(st.lists(st.integers(0, 10**9), min_size=size, max_size=size, unique=True))
    columns = [np.array(draw(st.lists(whole, min_size=size, max_size=size))) for _ in range(3)]
    submit, runtime, nodes = columns
    machine = draw(st.none() | st.just(int(nodes.max()) + 1))
    start = draw(st.none() | st.integers(1, 2 * 10**9))
    zone = draw(st.sampled_from(["", "Europe/Stockholm"]))
    user = np.arange(size) % len(users)
    return job_table(
        np.array(ids),
        submit,
        runtime + 1,
        nodes + 1,
        user,
        tuple(users),
        unix_start_s=start,
        cluster_nodes=machine,
        time_zone=zone,
    )


@given(workloads())
def test_what_is_written_is_read_back(jobs: JobTable) -> None:
    trace = parse_trace(swf_text(jobs).encode(), "t.swf")
    again = trace.jobs
    for name in ("job_id", "submit_s", "runtime_s", "nodes"):
        assert getattr(again, name).tolist() == getattr(jobs, name).tolist()
    assert [again.users[user] for user in again.user] == [jobs.users[user] for user in jobs.user]
    for name in ("unix_start_s", "cluster_nodes", "time_zone"):
        assert getattr(again, name) == getattr(jobs, name)
    assert (trace.report.dropped, trace.report.repaired, trace.report.notes) == ((), (), ())


@pytest.mark.parametrize("name", ["kth.swf", "kth.swf.gz"])
def test_kth_is_read_back(tmp_path: Path, name: str) -> None:
    trace = read_trace(resource("traces/KTH-SP2-1996-2.swf.gz"))
    path = tmp_path / name
    write_swf(trace.jobs, path, wait_s=trace.wait_s, notes=["Acknowledge: Lars Malinowsky"])
    again = read_trace(path)
    assert (again.jobs.nodes == trace.jobs.nodes).all()
    assert (again.jobs.submit_s == trace.jobs.submit_s).all()
    assert (again.wait_s == trace.wait_s).all()
    assert again.jobs.users == trace.jobs.users
    assert (again.jobs.user == trace.jobs.user).all()
    text = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    assert b"\n; Acknowledge: Lars Malinowsky\n" in text


def test_lines_are_those_of_the_standard() -> None:
    one = np.array([1])
    jobs = job_table(7 * one, 3 * one, 60 * one, 4 * one, 0 * one, ("anna",), name="x", cluster_nodes=8)
    assert swf_text(jobs).splitlines() == [
        "; Version: 2.2",
        "; Computer: x",
        "; MaxJobs: 1",
        "; MaxRecords: 1",
        "; MaxNodes: 8",
        "; MaxProcs: 8",
        "; UserName: 1 anna",
        "7 3 -1 60 4 -1 -1 4 60 -1 1 1 -1 -1 -1 -1 -1 -1",
    ]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    one = np.array([1])
    with refuses_naming(FileNotFoundError, "none"):
        write_swf(job_table(one, one, one, one, 0 * one, ("a",)), tmp_path / "none" / "x.swf")
