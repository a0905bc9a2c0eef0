"""What the console keeps of a person's work is that person's alone, whatever the umask."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from platformdirs import user_state_path
from PySide6.QtCore import qInstallMessageHandler

from fsconsole.console.cluster.auto_save import SavedEditsFile, saved_edits_folder
from fsconsole.console.crash import log_path, start_logging
from fsconsole.console.files.copies import Copy, CopyFacts
from fsconsole.console.operate.nights.controller import NoteStore, ShiftNote
from fsconsole.machine.machine import machine_for
from fsconsole.recording.diary_writer import DiaryNodes, DiaryWriter
from fsconsole.shares.scenario.actions import SetSetting
from fsconsole.targets.record import AuditFile
from fsconsole.targets.slurm.kept_places import log_path as log_path_of
from tests.machine.worlds import scenario_of


@pytest.fixture(autouse=True, params=[0o000, 0o022])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture(autouse=True)
def log() -> Iterator[None]:
    before = list(logging.getLogger().handlers)
    yield
    qInstallMessageHandler(None)
    for handler in logging.getLogger().handlers:
        if handler not in before:
            logging.getLogger().removeHandler(handler)
            handler.close()


def write_all() -> None:
    start_logging()
    copy = Copy.begin()
    copy.write("x", CopyFacts("a.yaml", None, "", 1, datetime.now(UTC)))
    copy.release()
    kept = SavedEditsFile.begin(saved_edits_folder("laurel"))
    kept.write([{"shares": 1}])
    kept.release()
    machine = machine_for(scenario_of({"a": 1}))
    audit = AuditFile(machine)
    machine.act(SetSetting("policy.half_life_s", 60.0), "ann")
    assert audit.heed() == ""
    diary = DiaryWriter(
        user_state_path("fsconsole") / "diary" / "laurel" / "2026-W48.run",
        {
            "clock": {"epoch_s": 0.0},
            "quantities": {"running": {"unit": "jobs", "step": 1.0}},
            "sample_s": 1.0,
        },
    )
    nodes = DiaryNodes(("root",), ("group",), np.zeros(1, np.int64), (1,))
    for time_s in (1.0, 100.0):
        diary.sample(time_s, nodes, {"running": np.ones(1)}, {"7": {"user": "ann"}})
    diary.events([(1.0, "ann")])
    diary.close()
    assert log_path_of("laurel", "ssh login1").parent.is_dir()
    NoteStore().write("laurel", ShiftNote("ann", "ann", "today"))


def found() -> dict[Path, int]:
    paths = user_state_path("fsconsole").rglob("*")
    return {path: stat.S_IMODE(path.stat().st_mode) for path in paths if path.suffix != ".lock"}


def test_files_are_private_and_so_are_their_folders() -> None:
    write_all()
    modes = found()
    assert {path.suffix for path in modes} == {"", ".yaml", ".json", ".jsonl", ".log", ".run", ".bin"}
    for path, mode in modes.items():
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_those_of_before_are_shut_when_they_are_written() -> None:
    write_all()
    logs = {path for path in found() if path.suffix in (".jsonl", ".log")}
    folders = {path for path in found() if path.is_dir() and any(one.is_file() for one in path.iterdir())}
    folders -= {user_state_path("fsconsole") / "places"}  # Written once.
    for path in logs | folders | {log_path().parent}:
        path.chmod(0o777 if path.is_dir() else 0o644)
    write_all()
    for path in logs | folders | {log_path().parent}:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
