from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic

import numpy as np
import polars as pl
import pytest

from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.search import run
from fsconsole.batch.search.folder import POINTS, SETTINGS, SearchFolder
from fsconsole.batch.search.judge import Judge, Verdict
from fsconsole.batch.search.run import SearchEvent, run_search
from fsconsole.batch.search.search_file import read_search
from fsconsole.batch.study.executors import LocalExecutor
from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.task import WorkExecutor
from tests.batch.search.small_search import TEXT, Here, write_search, write_trace
from tests.texts import refuses


def searched(path: Path, out: Path, executor: WorkExecutor | None = None, text: str = TEXT) -> SearchFolder:
    return run_search(read_search(path), text, out, executor or Here())


def stored(out: Path) -> list[bytes]:
    return [(out / name).read_bytes() for name in (SETTINGS, POINTS, "points.csv")]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    searched(write_search(folder), folder / "out")
    return folder


def test_all_settings_are_distinct_and_as_many_as_the_budget(done: Path) -> None:
    settings = SearchFolder(done / "out").settings()
    assert settings["number"].to_list() == list(range(1, 61))
    # Of one group's shares beside users of equal shares each number gives other shares.
    assert settings.select("policy", "set:shares.A").unique().height == 60


def test_points_are_the_baseline_and_the_front_with_held_out_values(done: Path) -> None:
    folder = SearchFolder(done / "out")
    points, settings = folder.points(), folder.settings()
    assert points is not None
    assert points["number"][0] == 0
    assert points["wait_growth"][0] == points["held_out:wait_growth"][0] == 1
    front = settings.filter("on_front")
    assert points["number"].to_list()[1:] == front["number"].to_list()
    values = settings.select("share_of_A", "wait_growth", "avg_wait_h_of_A").to_numpy()
    for own in front.select("share_of_A", "wait_growth", "avg_wait_h_of_A").to_numpy():
        beaten = (values <= own).all(axis=1) & (values < own).any(axis=1)
        meets = settings["meets_bounds"].to_numpy()
        assert not beaten.any() or (own[0] <= 31 and not (beaten & meets).any())
    assert not (done / "out" / "parts").exists()


def test_the_same_search_gives_the_same_bytes_in_processes_of_its_own(done: Path) -> None:
    with LocalExecutor(2) as executor:
        searched(done / "small.yaml", done / "again", executor)
    assert stored(done / "again") == stored(done / "out")


@pytest.mark.parametrize("stop_after", [0, 1, 4, 8])
def test_a_stopped_search_goes_on_to_the_same_bytes(done: Path, tmp_path: Path, stop_after: int) -> None:
    spec, here = read_search(done / "small.yaml"), Here()
    out = tmp_path / "out"
    seen: list[SearchEvent] = []
    run_search(spec, TEXT, out, here, seen.append, lambda: len(here.done) > stop_after)
    assert not (out / POINTS).exists()
    before = len(here.done)
    searched(done / "small.yaml", out, here)
    assert stored(out) == stored(done / "out")
    whole = Here()
    searched(done / "small.yaml", tmp_path / "whole", whole)
    # What was being computed at the stop is computed once more, nothing else.
    assert len(here.done) - before <= len(whole.done) - before + 3


def test_the_time_left_does_not_count_the_start_of_the_workers(
    done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that was resumed said "13 h left": its first settings came with the start of the workers."""
    here, seen, begun = Here(), list[SearchEvent](), monotonic()

    def clock() -> float:
        start = 1000.0 if here.done else 0.0
        return begun + start + len(here.done)  # then a second for each chunk of ten settings

    monkeypatch.setattr(run, "monotonic", clock)
    run_search(read_search(done / "small.yaml"), TEXT, tmp_path / "out", here, seen.append)
    lefts = [event.left_s for event in seen if event.phase == "search" and event.left_s is not None]
    assert lefts
    assert max(lefts) <= 60 / 8  # eight settings or more a second, of 60


def test_nothing_is_computed_again_when_all_is_there(done: Path, tmp_path: Path) -> None:
    searched(done / "small.yaml", tmp_path / "out")
    again = Here()
    searched(done / "small.yaml", tmp_path / "out", again)
    assert not [key for key in again.done if "-base-" not in key and "-test-" not in key]


def test_damaged_tables_and_parts_are_computed_again(done: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    here = Here()
    run_search(read_search(done / "small.yaml"), TEXT, out, here, cancelled=lambda: len(here.done) > 3)
    parts = sorted((out / "parts").iterdir())
    assert parts
    parts[0].write_bytes(b"not a table")
    (out / SETTINGS).write_bytes(b"PAR1")
    searched(done / "small.yaml", out)
    assert stored(out) == stored(done / "out")


def test_held_out_months_have_no_part_in_the_choice(done: Path, tmp_path: Path) -> None:
    path = write_search(tmp_path)
    write_trace(tmp_path, last_month_seed=99)  # other jobs in March, the held-out month
    # Jobs of January and February have all started before March, so that none of its jobs runs beside them.
    there = searched(path, tmp_path / "out")
    mine, other = there.settings(), SearchFolder(done / "out").settings()
    assert mine.equals(other)
    points, others = there.points(), SearchFolder(done / "out").points()
    assert points is not None
    assert others is not None
    assert points["number"].equals(others["number"])
    held = [name for name in points.columns if name.startswith("held_out:")]
    assert not points.select(held).equals(others.select(held))


def test_months_in_train_and_in_test_are_refused(tmp_path: Path) -> None:
    path = write_search(tmp_path, TEXT.replace("test: [1997-03]", "test: [1997-02, 1997-03]"))
    with refuses(StudyError, "batch.search.is-in-train-and-in", name="1997-02"):
        searched(path, tmp_path / "out")


def test_all_other_months_are_held_out_where_none_is_named(tmp_path: Path) -> None:
    path = write_search(tmp_path, TEXT.replace("test: [1997-03]\n", ""))
    spec = replace(read_search(path), budget=16)
    folder = run_search(spec, TEXT.replace("test: [1997-03]\n", ""), tmp_path / "out", Here())
    assert (folder.train.names, folder.test.names) == (["1997-01", "1997-02"], ["1997-03", "1997-04"])


def test_a_folder_of_another_search_is_left_alone(done: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    searched(done / "small.yaml", out)
    before = stored(out)
    other = replace(read_search(done / "small.yaml"), seed=4)
    with refuses(StudyError, "batch.search.holds-another-search-its-goals"):
        run_search(other, TEXT, out, Here())
    assert stored(out) == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with refuses(StudyError, "batch.study.holds-something-other-than-choose", what="search"):
        run_search(other, TEXT, tmp_path / "mine", Here())


def test_a_small_space_is_tried_to_its_end(tmp_path: Path) -> None:
    text = TEXT[: TEXT.index("space:")] + (
        "space:\n  window: [4h, 1d]\n  expected_usage: [true, false]\n"
        "  policy: [relshare, fcfs-backfill]\nbudget: 60\n"
    )
    settings = searched(write_search(tmp_path, text), tmp_path / "out", text=text).settings()
    fair = [f"RelShare({span}){more}" for span in ("4h", "1d") for more in ("", ", no expected usage")]
    assert sorted(settings["policy"]) == sorted(["FCFS-backfill", *fair])
    fcfs = settings.filter(pl.col("policy") == "FCFS-backfill")
    assert fcfs["set:window"].to_list() == [None]  # a window means nothing under it


def test_a_search_finds_better_settings_than_its_first_sample(done: Path) -> None:
    settings = SearchFolder(done / "out").settings()
    first = settings.filter(pl.col("generation") == 0)
    later = settings.filter(pl.col("generation") > 0)
    goals = ("share_of_A", "wait_growth", "avg_wait_h_of_A")
    assert any(later[goal].min() < first[goal].min() for goal in goals)  # type: ignore[operator]


def test_work_that_fails_ends_the_search_with_its_reason(done: Path, tmp_path: Path) -> None:
    with refuses(StudyError, "batch.search.settings-could-not-be-evaluated"):
        searched(done / "small.yaml", tmp_path / "out", Here(fails=True))


def test_a_goal_that_nothing_can_be_measured_of_is_refused(tmp_path: Path) -> None:
    text = TEXT.replace("fewest_jobs: 3", "fewest_jobs: 3000")
    with refuses(StudyError, "batch.search.no-user-has-or-more", fewest_jobs="3000"):
        searched(write_search(tmp_path, text), tmp_path / "out", text=text)


def test_the_seed_decides_what_is_tried(done: Path, tmp_path: Path) -> None:
    spec = replace(read_search(done / "small.yaml"), seed=5, budget=16)
    other = run_search(spec, TEXT.replace("seed: 3", "seed: 5"), tmp_path / "out", Here()).settings()
    mine = SearchFolder(done / "out").settings().head(16)
    assert not np.array_equal(other["gene:window"], mine["gene:window"])


def test_a_sample_alone_has_one_setting_in_each_part_of_an_axis(done: Path, tmp_path: Path) -> None:
    spec = replace(read_search(done / "small.yaml"), method="sample", budget=32)
    settings = run_search(spec, TEXT, tmp_path / "out", Here()).settings()
    for generation in (0, 1):
        genes = settings.filter(pl.col("generation") == generation)["gene:window"].to_numpy()
        assert sorted((genes * 16).astype(int).tolist()) == list(range(16))


def test_settings_that_cannot_be_simulated_are_never_on_the_front(
    done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_judge: Judge, policy: BatchPolicy, shares: object) -> Verdict:
        if policy.is_by_user and not policy.expected_usage:
            raise ValueError("too long")
        return verdict(_judge, policy, shares)  # type: ignore[arg-type]

    verdict = Judge.verdict
    monkeypatch.setattr(Judge, "verdict", refused)
    settings = searched(done / "small.yaml", tmp_path / "out").settings()
    failed = settings.filter(~pl.col("set:expected_usage"))
    assert failed.height > 0
    assert failed["share_of_A"].null_count() == failed.height
    assert not failed["on_front"].any()
    assert not failed["meets_bounds"].any()
