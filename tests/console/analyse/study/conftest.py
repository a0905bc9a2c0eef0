"""Studies of small frames, and one that is really run, on a selection without a window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fsconsole.app.study.reading import read_state
from fsconsole.app.study.state import CellState, StudyState
from fsconsole.batch.policy import POLICIES, BatchPolicy
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.spec import Cell
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.study.task import CellResult
from fsconsole.batch.traces.write_swf import write_swf
from fsconsole.console.analyse.study.controller import StudyController
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.session import ConsoleSession
from tests.batch.measures.schedules import kth_jobs
from tests.batch.study.small import HereExecutor, write_small

HOUR_S = 3600
RELSHARE = POLICIES["relshare"]
STUDIED = (
    POLICIES["fcfs-backfill"],
    POLICIES["lxf-backfill"],
    *(replace(RELSHARE, window_s=hours * HOUR_S) for hours in (4, 24)),
)
# KTH, from the table of the batch rules; 4 h has a maximum wait there, and no other value.
MEASURES = {
    "FCFS-backfill": (26.687, 1.765, 71.89, 19.84),
    "LXF-backfill": (12.030, 1.263, 127.47, 17.62),
    "RelShare(4h)": (19.0, 1.6, 187.9, 24.5),
    "RelShare(1d)": (18.543, 1.757, 221.82, 24.73),
}
USERS = {"3": -28284.6, "84": 13959.4, "2": -9691.2, "5": 20.0}


def cells_of(workloads: tuple[str, ...], policies: tuple[BatchPolicy, ...] = STUDIED) -> tuple[Cell, ...]:
    return tuple(
        Cell(f"{workload}/{policy.label}", workload, policy, None, "source", 100, None)
        for workload in workloads
        for policy in policies
    )


def study_state(
    workloads: tuple[str, ...] = ("KTH",), states: dict[str, CellState] | None = None
) -> StudyState:
    """A study whose cells are done unless `states` says otherwise, by key."""
    cells = cells_of(workloads)
    by_key: dict[str, CellState] = {cell.key: (states or {}).get(cell.key, "done") for cell in cells}
    done = [cell for cell in cells if by_key[cell.key] == "done"]
    summary = [
        (cell.workload, cell.policy.label, None, *MEASURES[cell.policy.label], 8, 100, 28481) for cell in done
    ]
    names = ["avg_bounded_slowdown", "avg_wait_h", "max_wait_h", "p99_wait_h", "over_shared", "under_shared"]
    users = [
        (cell.workload, cell.policy.label, None, user, dev * (1 + place / 10))
        for place, cell in enumerate(done)
        for user, dev in USERS.items()
    ]
    kinds = {"workload": pl.String, "policy": pl.String, "seed": pl.UInt64}
    return StudyState(
        "Study of KTH",
        cells,
        by_key,
        {key: "the machine is too small" for key, state in by_key.items() if state == "failed"},
        pl.DataFrame(
            summary, schema={**kinds, **dict.fromkeys(names, pl.Float64), "jobs": pl.Int64}, orient="row"
        ),
        pl.DataFrame(users, schema={**kinds, "user": pl.String, "dev_nh": pl.Float64}, orient="row"),
    )


@pytest.fixture
def selection(empty_session: ConsoleSession) -> StudySelection:
    return StudySelection(empty_session)


class SlowExecutor(HereExecutor):
    """Answers one task each time it is let; waits for that without taking the processor."""

    def answers(self, timeout_s: float) -> list[CellResult]:
        return super().answers(timeout_s) if self.waiting else []


@pytest.fixture
def executor() -> SlowExecutor:
    """Works out cells in the study's thread."""
    return SlowExecutor()


@pytest.fixture
def study_controller(
    qtbot: QtBot, empty_session: ConsoleSession, executor: SlowExecutor
) -> Iterator[StudyController]:
    """All about studies, over an empty widget, cells worked out here."""
    widget = QWidget()
    qtbot.addWidget(widget)
    made = StudyController(empty_session, widget, lambda: executor)
    yield made
    made.end()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The file of a study with three runs."""
    return write_small(tmp_path)


@pytest.fixture(scope="session")
def kth_folder(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    """The first 500 jobs of KTH's trace under FCFS, LXF and RelShare(1d), really run."""
    folder = tmp_path_factory.mktemp("kth")
    write_swf(kth_jobs().rows(slice(0, 500)), folder / "kth.swf")
    policies = "[fcfs-backfill, lxf-backfill, {policy: relshare, window: 1d}]"
    text = f"version: 1\nname: KTH\nworkloads: [{{trace: kth.swf, procs: 100}}]\npolicies: {policies}\n"
    (folder / "kth.yaml").write_text(text)
    return run_study(read_study(folder / "kth.yaml"), folder / "results", HereExecutor())


@pytest.fixture
def kth_selection(selection: StudySelection, kth_folder: StudyFolder) -> Iterator[StudySelection]:
    """That study on a selection; RelShare(1d) is selected."""
    selection.show(read_state(kth_folder, "KTH"))
    yield selection
    selection.close()
