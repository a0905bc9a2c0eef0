"""`fsconsole simulate`: summary, run folder, refusals, interruption."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from fsconsole.recording.run import RunReader
from tests.cli.conftest import Cli, start
from tests.texts import Expected, naming, says, worded, wording


@pytest.fixture
def series_1(examples: Path) -> Path:
    return examples / "convex-series-1.yaml"


def test_json_is_one_object_and_nothing_else(cli: Cli, series_1: Path, tmp_path: Path) -> None:
    ended = cli(
        "simulate", series_1, "--until", "20 min", "--out", tmp_path / "x.run", "--json", "--progress"
    )
    assert ended.status == 0
    summary = json.loads(ended.out)
    assert list(summary) == ["until_s", "policy", "seed", "settings", "nodes"]
    assert (summary["until_s"], summary["policy"], summary["seed"]) == (1200.0, "share", 1)
    assert summary["settings"]["policy.half_life_s"] == 120.0
    nodes = {node.pop("path"): node for node in summary["nodes"]}
    keys = ["machine_share", "allocated_share", "cpu_fraction", "usage", "normalised_usage", "charge"]
    assert all(list(node) == keys for node in nodes.values())
    parts = [nodes[f"root/{path}"]["cpu_fraction"] for path in ("gr1/u11", "gr1/u12", "gr2/u21")]
    assert parts == pytest.approx([0.25, 0.25, 1 / 6], abs=0.005)
    assert nodes["root/Batch/short"]["cpu_fraction"] == 0
    assert nodes["root/gr1"]["machine_share"] == pytest.approx(1000 / 21000)
    assert RunReader(tmp_path / "x.run").summary() == json.loads(ended.out)


def test_the_same_as_text(cli: Cli, series_1: Path) -> None:
    ended = cli("simulate", series_1, "--until", "90s")
    assert ended.status == 0
    assert ended.err == ""
    title, _, length = ended.out.splitlines()[0].partition(": ")
    assert title.split() == ["Convex", "series", "1"]
    assert length.startswith(
        wording("cli.simulated-s-policy-seed", summary="90", summary_2="share", summary_3="1")
    )
    u23 = next(line for line in ended.out.splitlines() if "u23" in line)
    assert len(u23) - len(u23.lstrip()) == 5
    assert u23.split()[:3] == ["u23", "1.59", "%"]


def test_without_an_end_it_runs_as_long_as_the_scenario_says(cli: Cli, series_1: Path) -> None:
    assert json.loads(cli("simulate", series_1, "--json").out)["until_s"] == 1200.0


def test_policy_settings_seed_and_sampling(cli: Cli, series_1: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.run"
    changes = ["--set", "policy.half_life_s=10 min", "--set", "policy.adjgroups=share", "--policy", "flat"]
    ended = cli(
        "simulate", series_1, "--until", 60, "--seed", 7, "--sample", "20s", *changes, "--out", out, "--json"
    )
    summary = json.loads(ended.out)
    assert (summary["policy"], summary["seed"]) == ("flat", 7)
    assert summary["settings"]["policy.half_life_s"] == 600.0
    assert summary["settings"]["policy.adjgroups"] == "share"
    run = RunReader(out)
    assert run.series("charge")[0].tolist() == [0.0, 20.0, 40.0, 60.0]
    assert (run.manifest["sample_s"], run.manifest["seed"], run.manifest["policy"]) == (20.0, 7, "flat")
    assert run.manifest["scenario"] == series_1.read_text()
    assert run.state == "complete"


def test_the_same_command_gives_the_same_run(cli: Cli, examples: Path) -> None:
    lines = [cli("simulate", examples / "convex-series-6.yaml", "--json").out for _ in range(2)]
    assert lines[0] == lines[1]


def test_a_scenario_may_come_in_on_stdin(cli: Cli, series_1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(series_1.read_bytes())))
    assert cli("simulate", "-", "--until", "1s").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "shar"], naming("unknown policy 'shar'. Did you mean share?")),
        (["--set", "policy.name=shar"], naming("unknown policy 'shar'. Did you mean share?")),
        (
            ["--set", "policy.halflife=3"],
            naming("unknown setting 'policy.halflife'. Did you mean policy.half_life_s"),
        ),
        (["--set", "k2=0.01"], naming("unknown setting 'k2'. Did you mean machine.k2?")),
        (["--set", "policy.half_life_s"], worded("shares.scenario.is-not-setting-write-key")),
        (["--set", "policy.half_life_s=often"], naming("policy.half_life_s: 'often' is not a time")),
        (
            ["--set", "policy.adjgroups=on"],
            naming("policy.adjgroups: 'on' is not allowed. It must be 'off', 'share' or 'integral'"),
        ),
        (
            ["--set", "machine.cpus="],
            worded(
                "shares.scenario.is-not-allowed-it-must",
                shown="machine.cpus: ''",
                value=wording("shares.scenario.whole-number"),
            ),
        ),
        (
            ["--set", "policy.min_kusage=1e-320"],
            worded("shares.scenario.must-be-at-least-1e"),
        ),
        (["--set", "machine.k2=0.1"], worded("shares.scenario.k2-nice-k3-must-lie")),
        (["--until", "3 fortnights"], naming("'3 fortnights' is not a time")),
        (["--until", "0"], worded("cli.is-too-short-write-time", text="'0'")),
        (["--until", "1e999s"], worded("text.is-too-long-write-time", longest_s="1e+10")),
        (["--until", "1ms"], worded("cli.until-s-is-less-than", until_s="0.001", hz="60")),
        (["--sample", "-1s"], naming("Invalid value for '--sample'")),
        (["--sample", "0.025"], worded("machine.cannot-sample-every-s-it", sample_s="0.025")),
        (["--seed", "-1"], naming("Invalid value for '--seed'")),
    ],
)
def test_what_cannot_be_is_one_line_and_status_2(
    cli: Cli, series_1: Path, arguments: list[str], message: Expected
) -> None:
    ended = cli("simulate", series_1, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert says(ended.err, message)
    assert ended.err.count("\n") == 1


def test_a_faulty_scenario_tells_every_problem_with_its_place(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    nodes = "    - {name: a, shares: -1}\n    - {name: a, sharse: 2}\n"
    path.write_text(f"version: 1\ntree:\n  name: root\n  children:\n{nodes}")
    ended = cli("simulate", path, "--json")
    assert (ended.status, ended.out) == (1, "")
    lines = ended.err.splitlines()
    assert len(lines) >= 3
    assert all(line.split()[:2] == ["fsconsole", "simulate:"] for line in lines)
    places = [line.split()[2] for line in lines]
    assert all(place.startswith(f"{path}:") for place in places)
    assert any(
        place.startswith(f"{path}:5:") and "shares" in line for place, line in zip(places, lines, strict=True)
    )
    assert any(says(line, "figures.did-you-mean") for line in lines)


def test_an_unknown_policy_in_the_file_is_its_problem(cli: Cli, series_1: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(series_1.read_text().replace("name: share", "name: shar"))
    ended = cli("simulate", path)
    assert ended.status == 1
    line = 1 + path.read_text().split("\n").index("  name: shar")
    unknown = wording("cli.unknown-policy", name="", name_2="'shar'. ")
    near = wording("figures.did-you-mean", near="share")
    assert ended.err.split(": ", 4) == [
        "fsconsole simulate",
        f"{path}:{line}:9",
        "error",
        "policy.name",
        unknown + near + "\n",
    ]


def test_a_run_that_is_there_stays_unless_forced(cli: Cli, series_1: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.run"
    again = ["simulate", series_1, "--until", "5s", "--out", out]
    assert cli(*again).status == 0
    before = (out / "manifest.json").stat().st_mtime_ns
    ended = cli(*again)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        "fsconsole simulate" + ": " + wording("cli.exists-already-choose-another-name", path=out) + "\n"
    )
    assert (out / "manifest.json").stat().st_mtime_ns == before
    assert cli(*again, "--force").status == 0
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("")
    ended = cli(*again[:-1], tmp_path / "notes", "--force")
    assert ended.status == 1
    assert says(ended.err, "recording.is-not-run-folder-it")


def test_a_place_that_cannot_be_written_is_reported(cli: Cli, series_1: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = cli("simulate", series_1, "--until", "5s", "--out", tmp_path / "file" / "x.run")
    assert ended.status == 1
    assert "cannot write" in ended.err
    assert os.strerror(errno.ENOTDIR) in ended.err


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGHUP,
        *(
            pytest.param(one, marks=pytest.mark.whole("SIGHUP goes the same way"))
            for one in (signal.SIGINT, signal.SIGTERM)
        ),
    ],
)
def test_an_interrupted_run_is_readable(series_1: Path, tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "x.run"
    child = start("simulate", series_1, "--until", "4000d", "--out", out, "--json")
    until = time.monotonic() + 60
    while not list(out.glob("samples-*.parquet")):
        assert child.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    child.send_signal(number)
    output, errors = child.communicate(timeout=60)
    assert (child.returncode, output) == (130, "")
    assert errors.split()[:2] == ["fsconsole", "simulate:"]
    where = wording("cli.contains-run-up-to-that", out=out)
    assert says(errors, "cli.interrupted-at-s-of-s", where=where)
    run = RunReader(out)
    assert run.state == "interrupted"
    assert run.series("cpu_s")[1][0][-1] > 0
    assert len(run.checkpoints()) >= 2


def test_it_needs_no_window_library(series_1: Path) -> None:
    from tests.cli.test_main import imported_by

    arguments = ["simulate", str(series_1), "--until", "1s"]
    code = f"from fsconsole.cli.main import run\nassert run({arguments!r}) == 0"
    assert not imported_by(code) & {"PySide6", "pyqtgraph", "polars", "rich.progress"}


def test_events_that_cannot_be_done_are_reported_beside_the_summary(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "version: 1\ntree: {name: root, children: [{name: u}]}\nevents:\n"
        "  - {at: 1 s, login: u}\n  - {at: 2 s, login: u}\n" + "  - {at: 3 s, logout: u}\n" * 15
    )
    ended = cli("simulate", file, "--until", "5s", "--json")
    assert ended.status == 0
    assert json.loads(ended.out)["until_s"] == 5.0
    lines = ended.err.splitlines()
    expected = [
        "fsconsole simulate: at 2 s not done: u is already logged in",
        "fsconsole simulate: at 3 s not done: u is not logged in",
    ]
    assert lines[:2] == expected
    assert lines[-1] == ("fsconsole simulate" + ": " + wording("cli.and-more-refused-events", refused="5"))


def test_feedback_that_may_hunt_is_warned_of_on_stderr(cli: Cli, series_1: Path) -> None:
    hunts = ("--set", "policy.nu=1.001", "--until", "10s", "--json")
    ended = cli("simulate", series_1, "--policy", "feedback", *hunts)
    assert ended.status == 0
    assert ended.err.split()[:2] == ["fsconsole", "simulate:"]
    assert says(ended.err, "policies.feedback-may-set-nu-to", what="hunt")
    assert says(ended.err, "policies.nu-is-too-small-for", nu="1.001")
    assert json.loads(ended.out)["policy"] == "feedback"
    assert cli("simulate", series_1, *hunts).err == ""


def test_help_names_every_policy(cli: Cli) -> None:
    for command in ("simulate", "compare"):
        message = "".join(cli(command, "--help").out.split())
        assert "share,flat,feedback,fixed,process-fair,exponential." in message
