"""What jobs depend on, in words, on all forms that a real cluster printed."""

from __future__ import annotations

import pytest

from fsconsole.app.jobs.dependencies import awaited_jobs, dependency_words, waiting_words
from fsconsole.slurm.parsers.squeue_text import read_squeue_text
from tests.slurm.captured import captured
from tests.texts import wording

_JOBS = {job.name: job for job in read_squeue_text(captured("arrays/squeue-O.txt"), 1795660884).items}
_EITHER = "afterany:8(unfulfilled)?afternotok:4(failed)"  # as Slurm 22.05.8 prints them, like all here
_NEVER = "afterok:8(unfulfilled),afterok:5(failed)"


@pytest.mark.parametrize(
    ("job", "words", "awaited"),
    [
        ("post", "waits for array 1 to end without error", ("1",)),
        (
            "task",
            "waits for 1_3 to end without error and for 2 to end without error and for 2 to end",
            ("1_3", "2"),
        ),
        ("later", "waits for 2 to have started 5 minutes before", ("2",)),
        ("corr", "waits for the same task of array 1 to end without error", ("1",)),
        ("either", "waits for 2 to fail or for array 1 to end without error", ("2", "1")),
        ("bb", "waits for 2 to write back its burst buffer", ("2",)),
        ("sweep", "", ()),
    ],
)
def test_dependencies_in_words(job: str, words: str, awaited: tuple[str, ...]) -> None:
    text = _JOBS[job].dependency
    assert (dependency_words(text), awaited_jobs(text)) == (words, awaited)


def test_what_is_settled_is_reported_and_comes_last() -> None:
    assert dependency_words(_EITHER) == "waits for 8 to end or for 4 to fail (cannot happen any more)"
    assert awaited_jobs(f"{_NEVER.replace('8', '5x')},afterok:8(unfulfilled)") == ("8", "5")
    assert dependency_words("singleton(unfulfilled)") == wording(
        "app.jobs.waits-for", conditions=wording("app.jobs.earlier-jobs-of-its-user")
    )


def test_what_is_not_understood_stays_in_slurms_words() -> None:
    assert dependency_words("afterok:8(unfulfilled),new thing") == (
        "waits for 8 to end without error and for new thing"
    )
    assert dependency_words("afternew:8(unfulfilled)") == wording(
        "app.jobs.waits-for", conditions="8 (afternew)"
    )
    assert dependency_words("") == ""


def test_states_of_what_is_awaited() -> None:
    states = {"8": "running"}
    assert waiting_words(_EITHER, lambda job: states.get(job, "")) == (
        wording("app.jobs.one-of-these-is-enough")
        + "\n"
        + wording("app.jobs.to-end", job="8")
        + ", "
        + wording("app.jobs.to-fail", job="now running\n4")
        + wording("app.jobs.cannot-happen-any-more")
    )
