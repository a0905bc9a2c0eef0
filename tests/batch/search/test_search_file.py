from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.batch.policy import DAY_S, BatchPolicy
from fsconsole.batch.search.bundled import bundled_searches
from fsconsole.batch.search.plan import plan_search
from fsconsole.batch.search.search_file import parse_search, read_search
from fsconsole.batch.search.spec import Choice, Range
from fsconsole.shares.scenario.problems import ScenarioError
from tests.batch.search.small_search import TEXT, write_search
from tests.texts import Expected, naming, refuses, says, worded


def test_a_search_file_is_read(tmp_path: Path) -> None:
    spec = read_search(write_search(tmp_path))
    assert spec.groups == {"A": ("1", "2"), "others": None}
    assert [goal.key for goal in spec.goals] == ["share_of_A", "wait_growth", "avg_wait_h_of_A"]
    assert (spec.goals[0].target, spec.goals[0].at_most, spec.goals[0].days) == (0.3, 31, 7)
    assert spec.axes == (
        Choice("expected_usage", (True, False)),
        Range("window", 4 * 3600, 7 * DAY_S, is_log=True, is_whole=True),
        Range("shares.A", 1, 100, is_log=True, is_whole=True),
    )
    assert spec.baseline == BatchPolicy()


@pytest.mark.parametrize("name", bundled_searches())
def test_searches_that_come_with_the_program_can_be_planned(name: str) -> None:
    path = bundled_searches()[name]
    plan = plan_search(read_search(path))
    assert plan.test is not None
    assert len(plan.train.periods) > 4


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ("target: 30 %, ", "", naming("line 10, column 15: error: goals[1]: a share needs of")),
        (
            "of: A, target",
            "of: A, fewest_jobs: 3, target",
            worded("batch.search.does-not-apply-to-leave", key="fewest_jobs", measure="share"),
        ),
        (
            "{from: 4h, to: 7d, scale: log}",
            "{from: 7d, to: 4h}",
            naming("space.window: from must be smaller than to"),
        ),
        (
            "{from: 4h, to: 7d, scale: log}",
            "4 weeks",
            naming("'4 weeks' is not a time"),
        ),
        ("  window:", "  reservation: [1, 2]\n  window:", naming("Unknown key 'reservation'. Did you mean")),
        (
            "  expected",
            "  form: [ratio]\n  policy: [share-lower]\n  expected",
            worded("batch.search.does-not-apply-to-leave-2", key="form", str="share-lower"),
        ),
        (
            "  expected",
            "  policy: [relshar]\n  expected",
            worded("batch.search.unknown-policy", name_2="'relshar'"),
        ),
        (
            "  expected",
            "  decay: 0.5\n  half_life: 1d\n  expected",
            worded("batch.search.decay-and-half-life-mean"),
        ),
        ("    A: {from", "    B: {from", naming("space.shares: no group 'B'")),
        ("at_most: 31", "at_most: 31, at_least: 32", worded("batch.search.at-least-is-more-than")),
        ("A: [1, 2]", "A: [1, 2, 1]", worded("batch.search.is-listed-twice", user="1")),
        ("A: [1, 2]", "A: rest", worded("batch.search.only-one-group-can-be")),
        (
            "avg_wait_h, of: A",
            "share, of: A, target: 40 %",
            worded("batch.search.goals-has-same-measure-leave", key="1"),
        ),
        ("trace: small.swf", "trace: other.swf", worded("batch.study.file-does-not-exist-and-2")),
        ("at_most: 31", "at_most: 20 %", worded("batch.search.write-only-number-points-of")),
        ("goals:\n", "goals: []\nx:\n", worded("shares.scenario.is-empty-list-give-at", key="goals:")),
        ("measure: wait_growth", "measure: wait_grow", worded("shares.scenario.must-be-not", key="measure:")),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(
    tmp_path: Path, was: str, now: str, message: Expected
) -> None:
    assert was in TEXT
    path = write_search(tmp_path, TEXT.replace(was, now))
    with pytest.raises(ScenarioError) as caught:
        read_search(path)
    assert says(str(caught.value), message)


def test_a_search_without_a_choice_is_refused() -> None:
    text = TEXT[: TEXT.index("space:")] + "space:\n  window: 1d\n"
    with refuses(ScenarioError, "batch.search.there-is-nothing-to-choose"):
        parse_search(text, Path(), check_files=False)


def test_goals_that_are_bounds_alone_are_refused() -> None:
    start = TEXT.index("goals:")
    text = (
        TEXT[:start]
        + "goals:\n  - {measure: wait_growth, at_most: 2, aim: bound}\n"
        + TEXT[TEXT.index("space:") :]
    )
    with refuses(ScenarioError, "batch.search.every-goal-is-only-bound"):
        parse_search(text, Path(), check_files=False)
