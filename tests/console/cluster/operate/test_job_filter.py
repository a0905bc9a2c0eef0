"""What is typed to find jobs, and how tables sort them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.jobs.columns import Field, JobColumns, below, columns_of
from fsconsole.app.jobs.filter import FilterError, chosen, read_filter
from fsconsole.app.jobs.words import CODES
from fsconsole.slurm.jobs import Job
from fsconsole.targets.slurm.location import capture_place, example_capture
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.targets.slurm.tools import Tools
from tests.console.cluster import play

ALL = ["7", "13", "19", "21", "30", "31", "32", "33_[4-9%2]", "34", "36", "35"]


@pytest.fixture(scope="module")
def columns() -> JobColumns:
    return columns_of(play.night_state())


def found(columns: JobColumns, text: str) -> list[str]:
    return [columns.jobs[place].label for place in np.flatnonzero(chosen(columns, read_filter(text)))]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("", ALL),
        ("user:fs_kim", ["30", "34"]),
        ("User:kim", ["30", "34"]),
        ("user=kim", []),
        ("user=fs_kim,fs_ben", ["30", "31", "34"]),
        ("user:fs_kim state:running", ["30"]),
        ("kim running", ["30"]),
        ("partition=dedicated cpus>16", ["34"]),
        ("cpus>=16", ["33_[4-9%2]", "34"]),
        ("cpus=5", ["7"]),
        ("-partition:batch", ["13", "30", "34"]),
        ("partition!=batch", ["13", "30", "34"]),
        ("elapsed>2m", ["7", "31", "36", "35"]),
        ("elapsed>0:09:30", ["35"]),
        ("elapsed<30s", ["21"]),
        ("left<25m", []),
        ("limit=1:30:00", ["30"]),
        ("limit=90:00", ["30"]),
        ("fairshare>0.9", ["30", "34"]),
        ('"higher priority"', ["33_[4-9%2]"]),
        ('reason:"held by an operator"', ["32"]),
        ("33_", ["33_[4-9%2]"]),
        ("node:n2", ["21", "36"]),
        ("nodes=n1", ["7", "21"]),
        ("nobody", []),
        ("state:pending", ["13", "19", "32", "33_[4-9%2]", "34"]),
        ("state=PD", ["13", "19", "32", "33_[4-9%2]", "34"]),
        ("pd", ["13", "19", "32", "33_[4-9%2]", "34"]),
        ("state=r", ["7", "21", "30"]),
        ("state=running,S", ["7", "21", "30", "31", "36"]),
        ("state:held", ["32"]),
        ("reason=resources", ["19", "34"]),
        ("JobHeldAdmin", ["32"]),
        ("state!=PENDING", ["7", "21", "30", "31", "36", "35"]),
        ("user:", ALL),
        ("-", ALL),
    ],
)
def test_terms_find_jobs(columns: JobColumns, text: str, labels: list[str]) -> None:
    assert found(columns, text) == labels


def test_some_held_tasks_are_found_among_the_held_and_the_pending(columns: JobColumns) -> None:
    jobs = tuple(
        replace(job, reason="BeginTime,JobHeldAdmin") if job.array_tasks == "4-9%2" else job
        for job in columns.jobs
    )
    mixed = replace(columns, jobs=jobs, _words={}, _sorts=None)
    both = ["32", "33_[4-9%2]"]
    assert found(mixed, "state:held") == found(mixed, "state=held") == both
    assert found(mixed, 'reason="held by an operator"') == found(mixed, "reason=JobHeldAdmin") == both
    assert "33_[4-9%2]" in found(mixed, "state:pending")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("usr:anna", "Unknown field usr. Did you mean user?"),
        ("cpus>", "cpus: the value is missing. Example: cpus>16"),
        ("cpus>many", "cpus: 'many' is not a number. Example: cpus>16"),
        (
            "elapsed>soon",
            "elapsed: 'soon' is not a time. Example: elapsed>2h, elapsed<30m or elapsed>1:30:00",
        ),
        ("user>anna", "user is text. Use : (contains), = or !=. Example: user:anna"),
        ('"open', 'A quote " is not closed. Close it.'),
        ("start>1", "start cannot be searched. Use elapsed, left or limit. Example: elapsed>2h"),
    ],
)
def test_what_cannot_be_looked_for_is_reported(text: str, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        read_filter(text)
    assert str(caught.value) == message


@given(st.text(max_size=40))
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    state = play.cluster_state()
    try:
        terms = read_filter(text)
    except FilterError:
        return
    assert len(chosen(columns_of(state), terms)) == len(state.jobs)


@pytest.mark.parametrize("by", [*Field])
@pytest.mark.parametrize("is_down", [False, True])
def test_every_column_sorts_with_what_is_unknown_last(columns: JobColumns, by: Field, is_down: bool) -> None:
    order = columns.order(by, is_down=is_down)
    assert sorted(order) == list(range(len(columns)))
    if by in (Field.CPUS, Field.ELAPSED, Field.LEFT, Field.PRIORITY, Field.FAIRSHARE, Field.START):
        values = columns.numbers(by)[order]
        known = values[~np.isnan(values)]
        assert not np.isnan(values[: len(known)]).any()
        assert list(known) == sorted(known, reverse=is_down)


def test_words_sort_without_regard_to_capitals() -> None:
    jobs = tuple(play.job(number, user, "batch", "RUNNING") for number, user in enumerate("bAac", 1))
    sorted_ones = _plain(jobs).order(Field.USER, is_down=False)
    assert [jobs[place].user for place in sorted_ones] == ["A", "a", "b", "c"]


def test_jobs_know_their_association_and_its_fairshare(columns: JobColumns) -> None:
    tree = play.cluster_tree()
    place = next(number for number, job in enumerate(columns.jobs) if job.job_id == 7)
    assert tree.keys[int(columns.nodes[place])] == ("genomics", "fs_finn", "")
    assert columns.fairshare[place] == 0.208667


def test_a_job_of_nobody_known_has_no_association() -> None:
    state = replace(play.cluster_state(), jobs=(play.job(1, "nobody", "batch", "RUNNING"),))
    one = columns_of(state)
    assert one.nodes[0] == -1
    assert math.isnan(one.fairshare[0])
    assert columns_of(replace(state, tree=None)).nodes[0] == -1


def test_all_below_an_account_belongs_to_it() -> None:
    tree = play.cluster_tree()
    bio = next(node for node, key in tree.keys.items() if key[:2] == ("bio", ""))
    users = {tree.keys[node][1] for node in below(tree, [bio])} - {""}
    assert users == {"fs_finn", "fs_gina", "fs_hugo", "fs_ida", "fs_jan"}
    assert below(tree, [99_999]) == frozenset()


def _plain(jobs: tuple[Job, ...]) -> JobColumns:
    return columns_of(replace(play.cluster_state(), jobs=jobs, tree=None))


def _read() -> ClusterState:
    reader = Reader(Tools(capture_place(example_capture())))
    return replace(play.cluster_state(), jobs=reader.read(PartName.JOBS).value, tree=None)


def test_the_bundled_capture_is_found_by_slurms_words() -> None:
    state = _read()
    columns = columns_of(state)
    pending = [job.label for job in state.jobs if job.state == "PENDING"]
    assert len(pending) > 20
    for text in ("state:pending", "state=PD", "pending", "PD"):
        assert found(columns, text) == pending
    for reason in {job.reason for job in state.jobs if job.state == "PENDING"}:
        of_it = [job.label for job in state.jobs if job.reason == reason]
        assert set(of_it) <= set(found(columns, f'"{reason}"'))
        if reason.isalnum():
            assert found(columns, f"reason={reason}") == of_it


@pytest.mark.parametrize("state", sorted(CODES))
def test_every_state_is_found_by_its_word_and_its_code(state: str) -> None:
    columns = _plain((play.job(1, "anna", "batch", state), play.job(2, "anna", "batch", "UNKNOWN")))
    for text in (f"state={state}", f"state={CODES[state]}", f"state:{state.lower()}", CODES[state].lower()):
        assert "1" in found(columns, text)
    assert found(columns, f"state={CODES[state]}") == ["1"]
