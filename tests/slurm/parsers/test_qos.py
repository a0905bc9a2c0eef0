"""`sacctmgr -P show qos` and weights of resources: what is damaged is left out and said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.parsers.billing import tres_weights
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.targets.slurm.location import capture_place, example_capture
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.captured import captured
from tests.texts import refuses, says, wording

QOS = captured("plain/qos.psv")


@pytest.mark.parametrize("factor", ["-1", "nan", "inf", "two"])
def test_a_factor_that_cannot_be_leaves_its_qos_out(factor: str) -> None:
    found = read_qos(QOS.replace("2.000000", factor))
    assert [one.name for one in found.items] == ["normal"]
    (problem,) = found.problems
    assert problem.line == 3
    assert says(problem.text, "slurm.parsers.is-not-factor-expected-number", text=f"'{factor}'")


def test_what_is_not_a_table_of_qos_is_refused() -> None:
    with refuses(
        ScenarioError, "slurm.parsers.no-column-this-is-not", missing="name, priority, flags, usagefactor"
    ):
        read_qos("Account|User\nbio|anna\n")


def test_weights_of_resources() -> None:
    assert tres_weights("CPU=1.0,Mem=0.25G,GRES/gpu=2.0") == {
        "cpu": (1.0, ""),
        "mem": (0.25, "G"),
        "gres/gpu": (2.0, ""),
    }
    assert tres_weights("(null)") == {}
    for damaged in ("CPU", "CPU=", "CPU=-1", "CPU=1,,Mem=2", "CPU=1e999"):
        with refuses(DamagedError, "slurm.parsers.is-not-weight-of-resource"):
            tres_weights(damaged)


def test_a_capture_without_qos_is_of_an_older_version(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    shutil.copytree(example_capture(), folder)
    manifest = folder / "capture.json"
    manifest.write_text(manifest.read_text().replace('"qos"', '"other"'))
    found = Reader(Tools(capture_place(folder)), cluster="demo").read(PartName.QOS)
    assert found.value == ()
    assert found.notes == (wording("targets.slurm.this-capture-folder-has-no"),)
