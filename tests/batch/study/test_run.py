from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import simulate_month
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.simulate import simulate
from fsconsole.batch.study.bundled import bundled_studies
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import CellEvent, export_tables, run_study
from fsconsole.batch.study.spec import StudyError, StudySpec, TraceWorkload
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.study.tables import FORMS, FullerFileError, write_tables
from fsconsole.batch.study.task import RESULTS_VERSION, CellResult
from fsconsole.recording.run_lock import RunLock
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.text.table_files import TableForm
from tests.batch.study.small import HereExecutor, write_small
from tests.texts import refuses, refuses_naming

CELLS = ["FCFS-backfill on small", "RelShare(4h) on small", "RelShare(1d) on small"]


@pytest.fixture
def spec(tmp_path: Path) -> StudySpec:
    return read_study(write_small(tmp_path))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def kinds(events: list[CellEvent]) -> list[str]:
    return [event.kind for event in events]


def test_each_cell_is_worked_out_once_and_told(spec: StudySpec, out: Path) -> None:
    executor, events = HereExecutor(), list[CellEvent]()
    stored = run_study(spec, out, executor, events.append)
    assert executor.worked_out == CELLS
    assert kinds(events) == ["found"] + ["started", "finished"] * 3
    assert [event.done for event in events if event.kind == "finished"] == [1, 2, 3]
    assert all(event.total == 3 for event in events)
    assert events[-1].left_s == 0
    assert [stored.state(cell) for cell in stored.cells()] == ["done"] * 3


def test_results_are_those_of_the_simulator_and_the_measures(spec: StudySpec, out: Path) -> None:
    stored = run_study(
        replace(spec, workloads=(TraceWorkload("small.swf", months="all"),)), out, HereExecutor()
    )
    assert stored.cells()
    for cell in stored.cells():
        assert cell.period is not None
        jobs = stored.jobs_of(cell)
        run = simulate_month(jobs, cell.period, 8, cell.policy, reservations=True)
        kept = stored.month_run(cell)
        np.testing.assert_array_equal(kept.schedule.start_s, run.schedule.start_s)
        np.testing.assert_array_equal(kept.schedule.jobs.job_id, run.schedule.jobs.job_id)
        np.testing.assert_array_equal(kept.measured, run.measured)
        assert (kept.period, kept.schedule.policy) == (run.period, cell.policy)
        fields = dict(stored.summary_of(cell)["summary"])
        wanted = asdict(summarise(run.schedule, run.measured, run.period))
        assert fields.pop("jobs_per_s") > 0
        assert wanted.pop("jobs_per_s")
        assert fields == wanted
        assert_frame_equal(stored.users_of(cell), user_table(run.schedule, run.measured, run.period))
        again = stored.month_run(cell, reservations=True)
        assert again.schedule.reservations is not None
        assert run.schedule.reservations is not None
        np.testing.assert_array_equal(again.schedule.reservations.at_s, run.schedule.reservations.at_s)


def test_a_whole_trace_is_one_run_without_a_month(spec: StudySpec, out: Path) -> None:
    stored = run_study(spec, out, HereExecutor())
    for cell in stored.cells():
        schedule = simulate(stored.jobs_of(cell), 8, cell.policy)
        np.testing.assert_array_equal(stored.month_run(cell).schedule.start_s, schedule.start_s)
        assert stored.month_run(cell).measured.all()


def test_kth_under_fcfs_is_as_the_independent_simulator_has_it(out: Path) -> None:
    # The table beside the rules: 28,481 jobs, 26.687, 1.765 h, 71.89 h, 19.84 h; 112 and 10 users (dev).
    windows = read_study(bundled_studies()["kth-windows"])
    stored = run_study(replace(windows, policies=(BatchPolicy("fcfs"),)), out, HereExecutor())
    (row,) = stored.summary().to_dicts()
    assert (row["jobs"], row["dropped"]) == (28481, 8)
    assert row["avg_bounded_slowdown"] == pytest.approx(26.687, abs=0.0005)
    assert row["avg_wait_h"] == pytest.approx(1.765, abs=0.0005)
    assert row["max_wait_h"] == pytest.approx(71.89, abs=0.005)
    assert row["p99_wait_h"] == pytest.approx(19.84, abs=0.005)


def test_nothing_is_worked_out_twice(spec: StudySpec, out: Path) -> None:
    first, second, events = HereExecutor(), HereExecutor(), list[CellEvent]()
    done: list[CellEvent] = []
    run_study(spec, out, first, done.append, lambda: len([e for e in done if e.kind == "finished"]) == 2)
    assert first.worked_out == CELLS[:2]
    stored = run_study(spec, out, second, events.append)
    assert second.worked_out == CELLS[2:]
    assert (events[0].kind, events[0].done) == ("found", 2)
    assert len(stored.summary()) == 3


def test_a_changed_study_uses_what_still_holds(spec: StudySpec, out: Path) -> None:
    run_study(spec, out, HereExecutor())
    executor = HereExecutor()
    changed = replace(spec, name="Other", policies=(*spec.policies[:2], BatchPolicy("lxf")))
    stored = run_study(changed, out, executor)
    assert executor.worked_out == ["LXF-backfill on small"]
    assert stored.spec.name == "Other"
    assert stored.summary()["policy"].to_list() == ["FCFS-backfill", "RelShare(4h)", "LXF-backfill"]


def test_a_cell_that_fails_is_reported_and_tried_again_next_time(spec: StudySpec, out: Path) -> None:
    events: list[CellEvent] = []
    stored = run_study(spec, out, HereExecutor(fails={CELLS[1]}), events.append)
    assert [event.text for event in events if event.kind == "failed"] == ["it was told to fail"]
    assert (events[-1].done, events[-1].failed) == (2, 1)
    assert [stored.state(cell) for cell in stored.cells()] == ["done", "failed", "done"]
    assert stored.failure(stored.cells()[1]) == "it was told to fail"
    assert StudyFolder(out).failure(stored.cells()[0]) == ""
    executor = HereExecutor()
    again = run_study(spec, out, executor, events.append)
    assert executor.worked_out == CELLS[1:2]
    assert again.failure(again.cells()[1]) == ""


def test_what_cannot_be_simulated_fails_in_clear_words(spec: StudySpec, out: Path) -> None:
    folder = run_study(spec, out, HereExecutor())
    cell = replace(folder.cells()[0], cluster_nodes=2)
    executor = HereExecutor()
    executor.submit(replace(folder.plan.task(cell), cell=cell), folder.jobs_path(cell.source))
    _, answer = executor.answers(0)
    assert answer.kind == "failed"
    assert "the machine has 2" in answer.text


def damage_summary(folder: Path) -> None:
    (folder / "summary.json").write_text("{")


def damage_jobs(folder: Path) -> None:
    data = bytearray((folder / "jobs.parquet").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "jobs.parquet").write_bytes(data)


def lose_users(folder: Path) -> None:
    (folder / "users.parquet").unlink()


def lose_a_field(folder: Path) -> None:
    data = json.loads((folder / "summary.json").read_text())
    del data["summary"]["avg_wait_h"]
    (folder / "summary.json").write_text(json.dumps(data))


@pytest.mark.parametrize("damage", [damage_summary, damage_jobs, lose_users, lose_a_field])
def test_a_damaged_cell_is_reported_and_worked_out_again(
    damage: Callable[[Path], None], spec: StudySpec, out: Path
) -> None:
    stored = run_study(spec, out, HereExecutor())
    damage(stored.cell_path(stored.cells()[1]))
    executor, events = HereExecutor(), list[CellEvent]()
    run_study(spec, out, executor, events.append)
    assert executor.worked_out == CELLS[1:2]
    (event,) = [event for event in events if event.kind == "damaged"]
    assert event.text.startswith(f"recomputing {CELLS[1]}:")


def test_a_cell_that_was_begun_is_no_result(spec: StudySpec, out: Path) -> None:
    stored = run_study(spec, out, HereExecutor())
    cell = stored.cells()[0]
    path = stored.cell_path(cell)
    path.rename(path.with_name(f".{path.name}.begun"))  # as a kill leaves it before the last step
    executor, events = HereExecutor(), list[CellEvent]()
    run_study(spec, out, executor, events.append)
    assert executor.worked_out == CELLS[:1]
    assert "damaged" not in kinds(events)


def test_damaged_jobs_are_stored_again(spec: StudySpec, out: Path) -> None:
    stored = run_study(spec, out, HereExecutor())
    cell = stored.cells()[0]
    stored.jobs_path(cell.source).with_suffix(".parquet").write_bytes(b"nothing")
    with refuses(StudyError, "batch.study.run-study-again"):
        StudyFolder(out).month_run(cell)
    run_study(spec, out, HereExecutor())
    assert len(StudyFolder(out).month_run(cell).schedule.jobs) == 40


def test_tables_are_written_as_csv_and_parquet(spec: StudySpec, out: Path) -> None:
    stored = run_study(spec, out, HereExecutor())
    results = stored.summary()
    assert results["window_s"].to_list() == [None, 4 * 3600, 86400]
    assert_frame_equal(pl.read_parquet(out / "results.parquet"), results)
    assert pl.read_csv(out / "results.csv").columns == results.columns
    users = stored.users()
    assert len(users) == 3 * 3
    assert_frame_equal(pl.read_parquet(out / "users.parquet"), users)
    assert pl.read_csv(out / "users.csv").columns == users.columns


def test_a_folder_shows_its_state_while_cells_are_worked_out(spec: StudySpec, out: Path) -> None:
    seen: list[list[str]] = []

    def on_event(event: CellEvent) -> None:
        stored = StudyFolder(out)
        seen.append([stored.state(cell) for cell in stored.cells()])

    run_study(spec, out, HereExecutor(), on_event)
    assert seen[0] == ["waiting"] * 3
    assert seen[1] == ["running", "waiting", "waiting"]
    assert seen[2] == ["done", "waiting", "waiting"]
    assert seen[3] == ["done", "running", "waiting"]


def test_a_folder_in_use_is_refused(spec: StudySpec, out: Path) -> None:
    out.mkdir()
    lock = RunLock(out)
    with refuses(StudyError, "batch.study.another-program-is-running-in", what="study"):
        run_study(spec, out, HereExecutor())
    lock.release()
    run_study(spec, out, HereExecutor())


def test_a_folder_of_something_else_is_refused(spec: StudySpec, out: Path) -> None:
    out.mkdir()
    (out / "thesis.tex").write_text("")
    with refuses(StudyError, "batch.study.holds-something-other-than-choose", what="study"):
        run_study(spec, out, HereExecutor())
    with refuses(StudyError, "batch.study.is-not-study-folder-is"):
        StudyFolder(out)


def test_a_study_in_its_own_folder_is_not_written_over(spec: StudySpec, out: Path) -> None:
    out.mkdir()
    (out / "study.yaml").write_text("# mine\n")
    with refuses(StudyError, "batch.study.holds-something-other-than-choose", what="study"):
        run_study(spec, out, HereExecutor())
    assert (out / "study.yaml").read_text() == "# mine\n"


def test_comments_in_the_study_of_a_folder_stay(spec: StudySpec, out: Path) -> None:
    path = run_study(spec, out, HereExecutor()).path / "study.yaml"
    path.write_text(f"# why\n{path.read_text()}")
    run_study(read_study(path), out, HereExecutor())
    assert path.read_text().startswith("# why\n")
    run_study(replace(spec, name="Other"), out, HereExecutor())
    assert StudyFolder(out).spec.name == "Other"


def test_a_damaged_plan_is_reported_and_made_again(spec: StudySpec, out: Path) -> None:
    run_study(spec, out, HereExecutor())
    (out / "plan.json").write_text('{"cells": 3}')
    with refuses(StudyError, "shares.is-damaged-is-missing", why="'sources'"):
        StudyFolder(out)
    executor = HereExecutor()
    run_study(spec, out, executor)
    assert executor.worked_out == []


def test_what_is_wrong_with_the_study_of_a_folder_names_its_file(spec: StudySpec, out: Path) -> None:
    folder = run_study(spec, out, HereExecutor())
    (out / "study.yaml").write_text("version: 9\n")
    with pytest.raises(ScenarioError) as error:
        _ = folder.spec
    assert error.value.name == str(out / "study.yaml")


def test_what_is_done_is_kept_when_the_executor_ends(spec: StudySpec, out: Path) -> None:
    class Ending(HereExecutor):
        def answers(self, timeout_s: float) -> list[object]:  # type: ignore[override]
            if self.worked_out:
                raise StudyError("the scheduler is gone")
            return super().answers(timeout_s)  # type: ignore[return-value]

    with refuses_naming(StudyError, "gone"):
        run_study(spec, out, Ending())  # type: ignore[arg-type]
    assert len(StudyFolder(out).summary()) == 1
    assert len(pl.read_csv(out / "results.csv")) == 1


def test_a_folder_removed_while_the_study_runs_ends_it_and_stays_away(spec: StudySpec, out: Path) -> None:
    executor = HereExecutor()

    def on_event(event: CellEvent) -> None:
        if event.kind == "finished":
            shutil.rmtree(out)

    with refuses(StudyError, "batch.study.was-removed-or-emptied-while", path="out"):
        run_study(spec, out, executor, on_event)
    assert executor.worked_out == CELLS[:1]
    assert not out.exists()
    assert len(run_study(spec, out, executor).summary()) == 3


def test_a_folder_removed_while_cells_are_computed_is_named_and_not_the_file_that_lacks(
    spec: StudySpec, out: Path
) -> None:
    class Removing(HereExecutor):
        def answers(self, timeout_s: float) -> list[CellResult]:
            shutil.rmtree(out)
            return super().answers(timeout_s)

    with refuses(StudyError, "batch.study.was-removed-or-emptied-while", path="out"):
        run_study(spec, out, Removing())
    assert not out.exists()


def of_version(folder: Path, version: int) -> None:
    """Make all results of a study's folder those of another version of the program."""
    for path in folder.glob("cells/*/summary.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"version": version}))


@pytest.mark.parametrize("version", [RESULTS_VERSION - 1, RESULTS_VERSION + 1])
def test_cells_of_another_version_are_named_and_no_table_is_replaced(
    spec: StudySpec, out: Path, version: int
) -> None:
    stored = run_study(spec, out, HereExecutor())
    before = {path: path.read_bytes() for path in out.iterdir() if path.is_file()}
    of_version(out, version)
    stored = StudyFolder(out)
    assert {stored.state(cell) for cell in stored.cells()} == {"of another version"}
    assert stored.other_versions() == {version: 3}
    with refuses(StudyError, "batch.study.no-cell-of-study-in"):
        export_tables(stored, out)
    assert {path: path.read_bytes() for path in out.iterdir() if path.is_file()} == before


@given(
    rows=st.lists(st.integers(0, 6), min_size=1, max_size=5),
    form=st.sampled_from(FORMS),
    text=st.text(st.sampled_from('a,"\n\r;'), max_size=6),
)
def test_no_table_is_replaced_by_one_with_fewer_rows(rows: list[int], form: TableForm, text: str) -> None:
    with TemporaryDirectory() as folder:
        most = 0
        for count in rows:
            frame = pl.DataFrame({"user": [text] * count, "jobs": [1] * count})
            path = Path(folder) / f"results.{form}"
            if count < most:
                with refuses(FullerFileError, "batch.study.is-not-replaced-it-has"):
                    write_tables(Path(folder), {"results": frame})
            else:
                write_tables(Path(folder), {"results": frame})
            most = max(most, count)
            assert pl.read_parquet(Path(folder) / "results.parquet").height == most
            assert path.is_file()


def test_a_run_that_is_stopped_early_keeps_the_fuller_tables_of_an_earlier_one(
    spec: StudySpec, out: Path
) -> None:
    run_study(spec, out, HereExecutor())
    of_version(out, RESULTS_VERSION - 1)
    for path in out.glob("cells/*"):  # As in another version, whose cells have other names.
        path.rename(path.with_name(path.name[::-1]))
    events: list[CellEvent] = []
    run_study(spec, out, HereExecutor(), events.append, lambda: len(events) > 2)
    assert events[0].text
    assert events[-1].kind == "found"
    assert pl.read_parquet(out / "results.parquet").height == len(pl.read_csv(out / "results.csv")) == 3
    run_study(spec, out, HereExecutor())
    assert StudyFolder(out).other_versions() == {RESULTS_VERSION - 1: 3}


def test_a_plan_of_another_version_is_no_damage_and_stays(spec: StudySpec, out: Path) -> None:
    run_study(spec, out, HereExecutor())
    plan = json.loads((out / "plan.json").read_text()) | {"version": 2, "new": 1}
    (out / "plan.json").write_text(json.dumps(plan))
    with refuses(StudyError, "shares.is-from-newer-fsconsole-its", number=2):
        StudyFolder(out)
    with refuses(StudyError, "shares.is-from-newer-fsconsole-its", number=2):
        run_study(spec, out, HereExecutor())
    assert json.loads((out / "plan.json").read_text()) == plan


def test_a_plan_of_a_newer_program_stays(spec: StudySpec, out: Path) -> None:
    run_study(spec, out, HereExecutor())
    plan = json.loads((out / "plan.json").read_text()) | {"program": "fsconsole 99.0.0"}
    plan["cells"][0]["policy"]["mood"] = 1
    (out / "plan.json").write_text(json.dumps(plan))
    with refuses_naming(StudyError, "plan.json", "a newer", "99.0.0", "mood"):
        StudyFolder(out)
    with refuses_naming(StudyError, "plan.json", "a newer", "99.0.0", "mood"):
        run_study(spec, out, HereExecutor())
    assert json.loads((out / "plan.json").read_text()) == plan


def test_measures_of_a_later_program_stay_and_are_left_out(spec: StudySpec, out: Path) -> None:
    before = run_study(spec, out, HereExecutor()).summary()
    for path in out.glob("cells/*/summary.json"):
        record = json.loads(path.read_text())
        path.write_text(json.dumps(record | {"summary": record["summary"] | {"mood": 1}}))
    assert StudyFolder(out).summary().equals(before)
