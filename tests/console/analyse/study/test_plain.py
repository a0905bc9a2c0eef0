"""What the study page knows without a window: rows, grid, names, what is typed for a new study."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.study.choice import StudyChoice, file_name, problem_of
from fsconsole.app.study.files import example_studies, is_study, results_of
from fsconsole.app.study.rows import MEASURED, study_rows
from fsconsole.app.study.state import SweepProgress
from fsconsole.batch.policy import POLICIES
from fsconsole.batch.study.spec import MonthWorkload, TraceWorkload
from fsconsole.console.analyse.study.sweep_grid import SweepGrid, SweepLayout
from fsconsole.figures.study_numbers import StudyNumbers
from fsconsole.resources import examples
from fsconsole.text.words import count_words
from tests.batch.study.small import write_small
from tests.console.analyse.study.conftest import cells_of, study_state
from tests.texts import refuses_naming, says

PLACE = {column.name: place for place, column in enumerate(MEASURED)}
MONTHS = ("KTH 1996-10", "KTH 1996-11")


def test_the_best_of_each_column_is_that_of_the_workload() -> None:
    rows = {row.policy: row for row in study_rows(study_state().numbers)}
    best = {name: {label for label, row in rows.items() if PLACE[name] in row.best} for name in PLACE}
    assert best["avg_bounded_slowdown"] == best["avg_wait_h"] == best["p99_wait_h"] == {"LXF-backfill"}
    assert best["max_wait_h"] == {"FCFS-backfill"}
    # None is better where all are equal.
    assert best["over_shared"] == set()
    # More jobs are no better.
    assert best["jobs"] == set()


def test_heat_goes_from_the_best_to_the_worst() -> None:
    rows = {row.policy: row for row in study_rows(study_state().numbers)}
    place = PLACE["max_wait_h"]
    assert rows["FCFS-backfill"].heat[place] == 0.0
    assert rows["RelShare(1d)"].heat[place] == 1.0
    part = (127.47 - 71.89) / (221.82 - 71.89)
    assert rows["LXF-backfill"].heat[place] == pytest.approx(part)
    assert rows["LXF-backfill"].heat[PLACE["jobs"]] is None


def test_a_policy_that_is_alone_is_not_called_best() -> None:
    others = {cell.key: "waiting" for cell in cells_of(("KTH",)) if cell.policy.is_by_user}
    alone = study_state(states={**others, "KTH/LXF-backfill": "waiting"})  # type: ignore[dict-item]
    (row,) = study_rows(alone.numbers)
    assert row.policy == "FCFS-backfill"
    assert row.best == frozenset()


def test_users_of_several_seeds_are_different_people() -> None:
    state = study_state()
    users = pl.DataFrame(
        {
            "workload": ["KTH"] * 2,
            "policy": ["FCFS-backfill"] * 2,
            "seed": [1, 2],
            "user": ["a", "a"],
            "dev_nh": [100.0, 300.0],
        }
    )
    with_seeds = replace(state, users=users.with_columns(pl.col("seed").cast(pl.UInt64)))
    found = [with_seeds.users_of("KTH", "FCFS-backfill", seed)["dev_nh"].to_list() for seed in (1, 2, 3)]
    assert found == [[100.0], [300.0], []]


def test_the_grid_has_a_row_for_each_month_and_a_column_for_each_policy() -> None:
    grid = SweepGrid.of(cells_of(MONTHS))
    assert grid.rows == ("1996-10", "1996-11")
    assert grid.columns == ("FCFS", "LXF", "4h", "1d")
    cell = grid.cell(1, 2)
    assert cell is not None
    assert cell.key == "KTH 1996-11/RelShare(4h)"
    assert grid.place_of(cell) == (1, 2)
    assert grid.cell(2, 0) is None


def test_seeds_are_rows_of_their_own() -> None:
    cells = cells_of(("7/03",))
    seeded = tuple(replace(cell, seed=seed, key=f"{cell.key}{seed}") for seed in (1, 2) for cell in cells)
    assert SweepGrid.of(seeded).rows == ("7/03, 1", "7/03, 2")
    no_expected = replace(cells[0], policy=POLICIES["relshare-no-expected"])
    assert SweepGrid.of((no_expected,)).columns == ("1d−",)


@given(
    width=st.floats(120, 2000),
    height=st.floats(40, 1200),
    label=st.floats(0, 60),
    rows=st.integers(1, 12),
)
def test_what_is_drawn_somewhere_is_found_there(width: float, height: float, label: float, rows: int) -> None:
    grid = SweepGrid.of(cells_of(tuple(f"m{number}" for number in range(rows))))
    layout = SweepLayout(grid, width, height, label)
    seen = set()
    for row in range(rows):
        for column in range(len(grid.columns)):
            x, y, wide, high = layout.box(row, column)
            assert layout.place_at(x + wide / 2, y + high / 2) == (row, column)
            seen.add((round(x, 6), round(y, 6)))
    # No two cells stand in one place.
    assert len(seen) == rows * len(grid.columns)


@given(rows=st.integers(1, 60), height=st.floats(40, 900), line=st.integers(8, 20))
def test_names_of_rows_never_overlap(rows: int, height: float, line: int) -> None:
    layout = SweepLayout(SweepGrid.of(cells_of(tuple(map(str, range(rows))))), 300, height, 60)
    middles = [box[1] + box[3] / 2 for box in map(layout.label, layout.named_rows(line))]
    assert all(after - before >= line - 1e-6 for before, after in pairwise(middles))
    assert len(middles) > 0 or rows == 1
    if rows > 1 and layout.cell_px[1] >= line:
        # All are named where there is room.
        assert len(middles) == rows


def test_a_slowdown_below_1_is_not_called_best() -> None:
    state = study_state(("KTH",))
    short = state.summary.with_columns(
        pl.Series("avg_bounded_slowdown", [0.64, 0.8, 0.9, 0.95]),
        pl.Series("avg_bounded_slowdown_at_least_1", [1.0, 1.1, 1.2, 1.3]),
    )
    rows = study_rows(StudyNumbers(state.workloads, state.numbers.policies, short))
    assert not any(PLACE["avg_bounded_slowdown"] in row.best for row in rows)
    standard = PLACE["avg_bounded_slowdown_at_least_1"]
    assert [standard in row.best for row in rows] == [True, False, False, False]
    shown = {column.name: column for column in MEASURED if column.is_shown}
    assert says(shown["avg_bounded_slowdown"].about, "app.study.as-paper-prints-it-average")
    assert "elsewhere" in shown["avg_bounded_slowdown_at_least_1"].about


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (SweepProgress("running", 16, "here", 108.0), "1 min 48 s left"),
        (SweepProgress("running", 16, "here"), ""),
        (SweepProgress("pausing"), "Pausing…"),
        (SweepProgress(), ""),
    ],
)
def test_the_time_left_in_words(progress: SweepProgress, words: str) -> None:
    assert progress.left == words


def test_times_and_counts_in_words() -> None:
    assert (count_words(1, "run"), count_words(88, "run")) == ("1 run", "88 runs")
    answer = SweepProgress("running", 2, "2 workers at tcp://n01:8786").host
    assert answer == "tcp://n01:8786"


def test_a_study_is_told_from_a_scenario(tmp_path: Path) -> None:
    study = write_small(tmp_path)
    assert is_study(study)
    assert not any(is_study(path) for path in examples().glob("*.yaml"))
    assert not is_study(tmp_path)
    assert not is_study(tmp_path / "missing.yaml")
    (tmp_path / "plan.json").write_text("{}")
    # A folder with results.
    assert is_study(tmp_path)


def test_results_go_beside_the_file_or_where_they_are(tmp_path: Path) -> None:
    study = write_small(tmp_path)
    assert results_of(study) == tmp_path / "small.results"
    (tmp_path / "plan.json").write_text("{}")
    assert results_of(study) == tmp_path == results_of(tmp_path)
    example, _ = example_studies()[0]
    assert results_of(example).parent.name == "studies"
    assert not results_of(example).is_relative_to(example.parent)


def test_a_choice_becomes_the_study_of_the_issue(tmp_path: Path) -> None:
    choice = StudyChoice("KTH", "KTH-SP2-1996-2", procs=100, part="all", windows="4h, 1d")
    spec = choice.spec(tmp_path)
    assert spec.workloads == (TraceWorkload("KTH-SP2-1996-2", 100, "all"),)
    assert [policy.label for policy in spec.policies] == [
        "FCFS-backfill",
        "LXF-backfill",
        "RelShare(4h)",
        "RelShare(1d)",
    ]
    assert choice.runs() == 4


def test_generated_months_have_seeds(tmp_path: Path) -> None:
    spec = StudyChoice("July", month="7/03", seeds="1-3 7").spec(tmp_path)
    assert spec.workloads == (MonthWorkload("7/03"),)
    assert spec.seeds == (1, 2, 3, 7)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (StudyChoice("", "KTH-SP2-1996-2"), "Give the study a name."),
        (StudyChoice("a"), "Choose a trace."),
        (StudyChoice("a", "KTH-SP2-1996-2", policies=()), "Choose at least one policy."),
        (StudyChoice("a", "KTH-SP2-1996-2", windows="soon"), "Fair-share windows: 'soon' is not a time."),
        (StudyChoice("a", "KTH-SP2-1996-2", windows="1e309"), "Fair-share windows: '1e309' is not a time."),
        (StudyChoice("a", "KTH-SP2-1996-2", windows="0 s"), "Fair-share windows: "),
        (StudyChoice("a", month="7/03", seeds="x"), "Seeds: 'x' is not a whole number."),
        (StudyChoice("a", month="7/03", seeds="9-1"), "Seeds: '9-1' is not a range"),
        (StudyChoice("a", "KTH-SP2-1996-2", part="some"), "Enter months. Example: 1996-10 1996-11"),
        (StudyChoice("a", "/nowhere/x.swf"), "nowhere"),
    ],
)
def test_what_is_wrong_with_a_choice_is_reported(choice: StudyChoice, message: str, tmp_path: Path) -> None:
    with refuses_naming(ValueError, ".") as found:
        choice.spec(tmp_path)
    assert message in problem_of(found.value)


def test_file_names_are_made_of_names() -> None:
    answer = file_name("KTH by month")
    assert answer == "kth-by-month.yaml"
    assert file_name("…") == "study.yaml"
