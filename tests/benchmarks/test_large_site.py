"""A real cluster of 3,900 associations, 22,700 jobs and 1,932 nodes, held against Slurm's own tools.

Unlike a fake, it has slurmctld and slurmdbd answer. The unit is what the tools need to print all of it: their
processor time and that of the console count, since what daemons take is the same for both.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.targets.slurm.reading import Reader, commands
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Tools
from tests.benchmarks.calibrators import CALIBRATORS
from tests.benchmarks.measure import Benchmark, all_processes
from tests.benchmarks.test_cluster_window import Opened
from tests.slurm.lab.large_site import JOBS, NODES, LargeLab

_TOOLS = "tools"
_PARTS = (PartName.SETTINGS, PartName.TREE, PartName.USAGE, PartName.JOBS, PartName.NODES)
_LIMIT_S = 120.0


@pytest.fixture(scope="module")
def site(can_have_slurm: None) -> Iterator[LargeLab]:
    with LargeLab() as lab:
        lab.fill()
        yield lab


@pytest.fixture
def tools(site: LargeLab, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """The tools of the site; what they need to print all of it is a calibrator."""
    monkeypatch.setenv("SLURM_CONF", site.environment["SLURM_CONF"])
    made = Tools(site.place, dict(os.environ))

    def print_all() -> None:
        began = time.perf_counter()
        for part in _PARTS:
            assert made.run(commands(site.options.cluster)[part], limit_s=_LIMIT_S).rc == 0
        print(f"tools: {time.perf_counter() - began:.2f} s by the clock")

    monkeypatch.setitem(CALIBRATORS, _TOOLS, print_all)
    return made


def test_read(bench: Benchmark, site: LargeLab, tools: Tools) -> None:
    """All of it is read, which includes limits of associations that the unit has not."""

    def read() -> None:
        reader = Reader(tools, _LIMIT_S, site.options.cluster)
        found = {part: reader.read(part) for part in _PARTS}
        jobs, nodes = found[PartName.JOBS].value, found[PartName.NODES].value
        assert len(nodes) == NODES
        assert sum(len(found[part].notes) for part in _PARTS) == 0
        assert len(jobs) > JOBS // 5

    bench(read, of=_TOOLS, clock=all_processes, rounds=3)


def test_shown(bench: Benchmark, site: LargeLab, tools: Tools, qtbot: QtBot, qapp: QApplication) -> None:
    """From connecting on until usage and jobs are read, worked out and painted in Observe."""
    count = len(site.run("squeue", "-h", "-a", "-t", "all").stdout.splitlines())

    def show() -> None:
        began = time.perf_counter()
        opened = Opened(qtbot, qapp, count)
        opened.connect(site.place)
        print(f"shown: {time.perf_counter() - began:.2f} s by the clock")
        opened.close()

    bench(show, of=_TOOLS, clock=all_processes, rounds=3)
