"""Tables and figures of a study as files: the values shown, and names that are file names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from fsconsole.app.study.export import study_figures, study_tables, write_study_figures
from fsconsole.app.study.reading import read_state
from fsconsole.app.study.state import users_by_change
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.traces.write_swf import write_swf
from fsconsole.figures.spec import FigureStyle
from tests.batch.measures.schedules import kth_jobs
from tests.batch.study.small import HereExecutor, write_small


def test_a_longest_wait_of_one_run_is_no_mean_of_blocks(tmp_path: Path) -> None:
    write_swf(kth_jobs(), tmp_path / "kth.swf")
    text = "version: 1\nname: KTH\nworkloads: [{trace: kth.swf, procs: 100}]\n"
    text += "policies: [fcfs-backfill, lxf-backfill]\n"
    (tmp_path / "kth.yaml").write_text(text)
    folder = run_study(read_study(tmp_path / "kth.yaml"), tmp_path / "out", HereExecutor())
    state = read_state(folder, "KTH")
    means = next(table for table in study_tables(state) if table.name == "means").frame
    columns = ["policy", "max_wait_h", "p99_wait_h", "avg_wait_h"]
    assert means.select(columns).equals(state.summary.select(columns))


def test_workloads_give_names_of_files(tmp_path: Path) -> None:
    folder = run_study(read_study(write_small(tmp_path)), tmp_path / "out", HereExecutor())
    state = read_state(folder, "Small")
    names = ("7/03", "7-03", "日" * 300)
    summary = pl.concat(state.summary.with_columns(pl.lit(name).alias("workload")) for name in names)
    cells = tuple(replace(cell, workload=name) for name in names for cell in state.cells)
    named = replace(state, cells=cells, summary=summary)
    written = list(write_study_figures(study_figures(named), tmp_path, "csv", FigureStyle()))
    assert any(path.name.endswith("over-windows-7-03.csv") for path in written)
    assert any(path.name.endswith("over-windows-7-03-2.csv") for path in written)
    assert {path.parent for path in written} == {tmp_path}
    # None replaces another.
    assert len(set(written)) == len(written)


def test_all_figures_are_those_that_the_console_shows(tmp_path: Path) -> None:
    write_swf(kth_jobs().rows(slice(0, 500)), tmp_path / "kth.swf")
    text = "version: 1\nname: KTH\nworkloads: [{trace: kth.swf, procs: 100}]\n"
    text += "policies: [fcfs-backfill, lxf-backfill, {policy: relshare, window: 1d}]\n"
    (tmp_path / "kth.yaml").write_text(text)
    folder = run_study(read_study(tmp_path / "kth.yaml"), tmp_path / "out", HereExecutor())
    state = read_state(folder, "KTH")
    found = {spec.name: spec for spec in study_figures(state)}
    # Each has a file of its own.
    assert len(found) == len(study_figures(state))
    for stem in (
        "fig-1a-avg_bounded_slowdown", "wait-percentiles-kth", "wait-distribution-kth", "user-waits-kth",
        "share-error-kth", "deviation-by-user-kth", "fig-2a-jobs-by-day-kth", "fig-3c-node-hours-by-day-kth",
    ):  # fmt: skip
        assert stem in found
    most = users_by_change(state, "kth")[0]
    assert f"User #{most}" in found["fig-2a-jobs-by-day-kth"].caption
    other = {spec.name: spec for spec in study_figures(state, "6")}
    assert "User #6" in other["fig-2a-jobs-by-day-kth"].caption
    assert "#6" in other["user-waits-kth"].caption
    assert other["deviation-by-user-kth"].curves[0].lit is not None
    assert all(spec.provenance.scenario == "KTH" for spec in found.values())
