"""Laws of reading: every line is a job that is kept or one that is told, whatever stands there."""

from __future__ import annotations

import contextlib
import re

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from fsconsole.batch.traces import TraceError, parse_trace
from fsconsole.batch.traces.sacct import is_sacct

WORDS = st.one_of(
    st.integers(-2, 200).map(str),
    st.sampled_from(
        ["-1", "0", "1e3", "nan", "inf", "1.5", "-0.5", '"', "1_0", "x", "9" * 19, "١", "+1", "0x1"]
    ),
)
GAPS = st.sampled_from([" ", "  ", "\t", " \t "])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n ;\n"])
TIMES = st.sampled_from(["2026-11-20T09:36:20", "1795167380", "Unknown", "None", "", "yesterday", "1" * 18])
FIELDS = {  # of sacct
    "JobID": st.sampled_from(["1", "2", "3_1", "4+0", "5.batch", "x", "", "9" * 25]),
    "JobIDRaw": st.sampled_from(["1", "2", "3", ""]),
    "User": st.sampled_from(["anna", "", '"', "ü"]),
    "Submit": TIMES,
    "Start": TIMES,
    "End": TIMES,
    "ElapsedRaw": st.sampled_from(["", "0", "60", "-5", "x", "9" * 19]),
    "AllocCPUS": st.sampled_from(["", "0", "4", "2K", "1.5K", "99999999999999999999", "-1"]),
    "State": st.sampled_from(["COMPLETED", "RUNNING", "PENDING", "CANCELLED by 0", ""]),
}


@st.composite
def swf_text(draw: st.DrawFn) -> str:
    lines = draw(
        st.lists(st.lists(WORDS, min_size=1, max_size=20) | st.lists(WORDS, min_size=18, max_size=18))
    )
    return "".join(draw(GAPS).join(line) + draw(ENDS) for line in lines)


@st.composite
def sacct_text(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.tuples(*FIELDS.values()), max_size=12))
    cut = st.sampled_from([None, None, None, 5, -1])
    return "\n".join(["|".join(FIELDS), *("|".join(row)[: draw(cut)] for row in rows)])


@given(swf_text())
@example("1 2 3\n" + "1 " * 18 + "\n" + "2 " * 18)
def test_every_line_of_a_trace_is_kept_or_told(text: str) -> None:
    with contextlib.suppress(TraceError):
        trace = parse_trace(text.encode(), "t.swf", cluster_nodes=100)
        _check(trace.report.found, trace.report.kept, len(trace.report.dropped))
        jobs = trace.jobs
        assert trace.report.found == sum(1 for line in re.split("\r?\n", text) if line.strip(" ;\t"))
        assert len(jobs) == trace.report.kept > 0
        assert (np.diff(jobs.submit_s) >= 0).all()
        assert (jobs.runtime_s > 0).all()
        assert ((jobs.nodes > 0) & (jobs.nodes <= 100)).all()
        assert len(np.unique(jobs.job_id)) == len(jobs)


@given(sacct_text())
def test_every_line_of_sacct_is_kept_told_or_a_step(text: str) -> None:
    assert is_sacct(text.encode())
    with contextlib.suppress(TraceError):
        trace = parse_trace(text.encode(), "s.psv")
        _check(trace.report.found, trace.report.kept, len(trace.report.dropped))
        assert len(trace.jobs) == trace.report.kept > 0
        assert (trace.jobs.submit_s >= 0).all()
        assert len(np.unique(trace.jobs.job_id)) == len(trace.jobs)


def _check(found: int, kept: int, dropped: int) -> None:
    assert found == kept + dropped


@given(st.binary(max_size=200))
@example(b"\x1f\x8b")
@example(b"a|b")
@example(b"|")
@example(b"\xef\xbb\xbf1 2")
def test_anything_is_read_or_refused_with_a_reason(data: bytes) -> None:
    with contextlib.suppress(TraceError):
        parse_trace(data, "x")
