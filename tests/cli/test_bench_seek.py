"""`fsconsole bench seek`: how long any instant takes to be shown, and whether it is the run as it was."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fsconsole.machine.checkpoint import pack, unpack
from fsconsole.recording.run import RunReader
from tests.cli.conftest import Cli, program
from tests.texts import wording


def seek(run: Path) -> dict[str, Any]:
    """In a process of its own, which has a window."""
    done = subprocess.run(
        program("bench", "seek", run, "--seeks", 6, "--json"), capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.whole("starts two programs with a window, which play 20 minutes each")
def test_seeks_are_held_against_a_straight_run(cli: Cli, examples: Path, tmp_path: Path) -> None:
    run = tmp_path / "six.run"
    cli("simulate", examples / "convex-series-6.yaml", "--until", "20min", "--out", run)
    figures = seek(run)
    assert figures["identical"] is True
    assert (figures["seeks"], figures["span_s"]) == (6, 1200.0)
    assert 0 < figures["p50_ms"] <= figures["p95_ms"]
    _, first = RunReader(run).checkpoints()[0]
    later = first.with_name("000000000060.npz")  # so that every seek begins with what is not the run
    header, columns = unpack(first.read_bytes())
    columns["state.usage"] = columns["state.usage"] + 1.0
    later.write_bytes(pack({**header, "tick": 60}, columns))
    assert seek(run)["identical"] is False


def test_a_run_whose_samples_are_gone_is_not_waited_for(cli: Cli, examples: Path, tmp_path: Path) -> None:
    run = tmp_path / "six.run"
    cli("simulate", examples / "convex-series-6.yaml", "--until", "2min", "--out", run)
    for place in (*run.glob("*.parquet"), run / "index.jsonl"):
        place.unlink()
    ended = cli("bench", "seek", run)
    told = ended.err.partition(": ")[2]
    assert (ended.status, told) == (1, wording("console.contains-no-samples", path=run, value="") + "\n")
