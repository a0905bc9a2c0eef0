"""Choices of a study as a person makes them, apart into a trace and the model beside it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.study.choice import StudyChoice

_COUNTS = st.integers(0, 500)


@given(st.integers(1, 500), _COUNTS, st.integers(1, 64), st.floats(0, 200))
def test_a_model_beside_a_trace_is_the_model_alone(jobs: int, procs: int, people: int, load: float) -> None:
    """The processors of the trace are not those of the model, which has its own number unless told."""
    alone = StudyChoice("a", jobs=jobs, people=people, load=load)
    beside = replace(alone, trace="KTH-SP2-1996-2", procs=procs)
    trace, model = beside.each()
    assert trace == StudyChoice("a", "KTH-SP2-1996-2", procs=procs, people=people, load=load)
    assert model == alone
    told = replace(beside, model_procs=procs).each()[1]
    assert (told.procs, told.trace, told.jobs) == (procs, "", jobs)


def test_a_trace_or_a_model_is_one_workload() -> None:
    for one in (StudyChoice("a", "KTH-SP2-1996-2"), StudyChoice("a", jobs=5), StudyChoice("a", month="7/03")):
        assert one.each() == (one,)
