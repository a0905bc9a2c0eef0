"""Labels of jobs: what they mean, and what tools take of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.job_labels import JobIndex, read_label, tasks_of
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError
from tests.texts import refuses


def _job(number: int, **text: object) -> Job:
    return Job(job_id=number, user="ann", partition="batch", states=("PENDING",), **text)  # type: ignore[arg-type]


ARRAY = (
    _job(7, array_job_id=7, array_tasks="3-4%2"),
    _job(9, array_job_id=7, array_tasks="1"),
    _job(10, array_job_id=7, array_tasks="2"),
)
HET = (_job(20, het_job_id=20), _job(21, het_job_id=20, het_offset=1))
INDEX = JobIndex((*ARRAY, *HET, _job(30)))


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("7", "7"),
        (" 7_3 ", "7_3"),
        ("7_[1,3,5%2]", "7_[1,3,5]"),
        ("7_[0-21:7%2]", "7_[0,7,14,21]"),
        ("7_[1-3,4]", "7_[1-4]"),
        ("7_[1,3,...]", "7_[1,3]"),
        ("7+1", "7+1"),
    ],
)
def test_tools_are_given_what_they_take(label: str, text: str) -> None:
    """As tried: `Invalid job id specified for job 1_[3-4%2]`, `Invalid range: 14-994:7`."""
    assert read_label(label).text == text


@pytest.mark.parametrize(
    ("text", "key"),
    [
        *((text, "is-not-job-number-example") for text in ("", "abc", "0", "-7", "7_", "7_[]")),
        *((text, "is-not-job-number-example") for text in ("7;8", "7 8", "7+1_2", "٧")),
        ("7_[-]", "has-no-task-example-7"),
    ],
)
def test_what_is_no_label_is_refused(text: str, key: str) -> None:
    with refuses(DamagedError, f"slurm.{key}"):
        read_label(text)


@pytest.mark.parametrize(
    ("label", "numbers"),
    [
        ("7", (7, 9, 10)),
        ("7_1", (9,)),
        ("7_3", (7,)),
        ("7_[1-3]", (7, 9, 10)),
        ("7_[3-4%2]", (7,)),
        ("7_[3,...]", (7, 9, 10)),
        ("9", (9,)),
        ("20", (20, 21)),
        ("20+0", (20,)),
        ("20+1", (21,)),
        ("30", (30,)),
        ("31", ()),
        ("7_8", ()),
    ],
)
def test_records_are_found_as_slurm_finds_them(label: str, numbers: tuple[int, ...]) -> None:
    assert tuple(job.job_id for job in INDEX.find(label)) == numbers


@given(st.sets(st.integers(0, 300), min_size=1, max_size=60))
def test_a_label_names_the_tasks_that_its_text_names(tasks: set[int]) -> None:
    text = read_label(f"7_[{','.join(map(str, tasks))}%3]").text
    inner = text.removeprefix("7_[").removesuffix("]")
    assert tasks_of(inner) == tasks
    ends = [[int(end) for end in piece.split("-")] for piece in inner.split(",")]
    assert all(before[-1] + 1 < after[0] for before, after in pairwise(ends))


@given(st.text(alphabet="0123456789,-:%. x", max_size=30))
def test_any_text_can_be_looked_at_for_tasks(text: str) -> None:
    assert all(task >= 0 for task in tasks_of(text))


def test_absurdly_many_tasks_are_not_made() -> None:
    assert len(tasks_of("0-99999999,0-99999999")) <= 5_000_000
