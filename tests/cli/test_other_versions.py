"""Runs and files of other versions of the program, on the command line."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import FORMAT
from fsconsole.shares.scenario.read import parse_scenario
from tests.cli.conftest import Cli
from tests.format_samples import SAMPLES, kind_of, samples
from tests.texts import naming, says

NEWER = "fsconsole 99.0.0 (0123abcd)"


def sample(tmp_path: Path, name: str) -> Path:
    return shutil.copytree(SAMPLES / name / "x.run", tmp_path / f"{name}.run")


def change(run: Path, **values: object) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | values))


@pytest.mark.parametrize("name", ["run-1-22-nov", "run-1-25-nov", "run-2-27-nov", "run-2-29-nov", "run-3"])
def test_the_scenario_of_any_run_is_simulated_again_to_the_same_samples(
    cli: Cli, tmp_path: Path, name: str
) -> None:
    old, new = sample(tmp_path, name), tmp_path / "new.run"
    text = cli("run", "scenario", old).out
    (tmp_path / "again.yaml").write_text(text)
    assert cli("simulate", tmp_path / "again.yaml", "--out", new).status == 0
    columns = ["time_s", "node", *RunReader(old).quantities()]
    before, after = (RunReader(run).samples(columns).sort("time_s", "node") for run in (old, new))
    assert before.equals(after)


@pytest.mark.parametrize("name", [one.name for one in samples() if kind_of(one) == "run"])
def test_a_run_gives_scenario_notes_and_samples_whoever_wrote_it_and_however_it_ended(
    cli: Cli, tmp_path: Path, name: str
) -> None:
    run, values = sample(tmp_path, name), tmp_path / "values.csv"
    assert parse_scenario(cli("run", "scenario", run).out).tree.paths()
    assert cli("run", "notes", run).status == 0
    times = RunReader(run).samples()["time_s"].n_unique()
    assert cli("export", run, "--plot", "cpu_s", "--out", values).status == (0 if times else 1)
    assert len(values.read_text().splitlines()) == times + 1 if times else not values.exists()


def test_the_scenario_is_the_text_as_it_was_unless_the_run_had_other_settings(
    cli: Cli, tmp_path: Path
) -> None:
    run = sample(tmp_path, "run-2-29-nov")
    text = RunReader(run).scenario_text
    assert parse_scenario(cli("run", "scenario", run).out).seed == 5
    change(run, seed=3)
    assert cli("run", "scenario", run).out == text
    assert text.startswith("# A comment")
    settings = RunReader(run).manifest["settings"]
    change(run, settings=settings | {"policy.half_life_s": 77.0})
    assert parse_scenario(cli("run", "scenario", run).out).policy.half_life_s == 77.0


def test_a_run_of_format_1_is_exported_with_its_notes(cli: Cli, tmp_path: Path) -> None:
    run = sample(tmp_path, "run-1-25-nov")
    assert [row["text"] for row in json.loads(cli("run", "notes", run, "--json").out)] == [
        "First note ä",
        "A span",
    ]
    assert cli("export", run, "--plot", "charge", "--out", tmp_path / "charge.csv").status == 0
    assert len((tmp_path / "charge.csv").read_text().splitlines()) == 32
    assert cli("run", "report", run, "--out", tmp_path / "run.html").status == 0
    assert cli("run", "diff", run, sample(tmp_path, "run-2-27-nov")).status == 0
    assert cli("run", "notes", run, "--add", "late", "--at", "50s").status == 0


@pytest.mark.parametrize("command", ["why {} u11", "simulate --resume {} --until 2min", "nd status {}"])
def test_a_run_whose_checkpoints_are_older_says_how_to_go_on(cli: Cli, tmp_path: Path, command: str) -> None:
    run = sample(tmp_path, "run-1-25-nov")
    run = run.rename(run.with_name("old run's.run"))
    ended = cli(*(word.format(run) for word in command.split()))
    assert ended.status != 0
    assert says(ended.err, "shares.is-from-older-fsconsole-its", number=5)
    way_out = shlex.split(ended.err.partition("Take its scenario out: fsconsole ")[2])
    assert parse_scenario(cli(*way_out).out).title == RunReader(run).manifest["title"]


def test_a_newer_run_gives_scenario_notes_and_samples_and_no_more(cli: Cli, tmp_path: Path) -> None:
    run = sample(tmp_path, "run-3")
    text = RunReader(run).scenario_text.replace("seed: 3", "seed: 3\nmood: good")
    change(run, version=99, program=NEWER, scenario=text)
    for arguments in (
        ["run", "scenario", run],
        ["run", "notes", run],
        ["export", run, "--plot", "charge", "--out", tmp_path / "charge.csv"],
    ):
        ended = cli(*arguments)
        assert ended.status == 0, ended.err
        assert says(ended.err, "shares.is-from-newer-fsconsole-its", number=99, by=f" ({NEWER})")
    assert cli("run", "scenario", run).out == text
    refused = cli("run", "report", run, "--out", tmp_path / "x.html")
    assert (refused.status, says(refused.err, "shares.is-from-newer-fsconsole-its")) == (1, True)
    change(run, quantities=["of another form"])
    assert says(cli("run", "notes", run).err, "shares.is-from-newer-fsconsole-its")


def test_a_setting_of_a_newer_program_is_no_damage(cli: Cli, tmp_path: Path) -> None:
    run = sample(tmp_path, "run-3")
    settings = RunReader(run).manifest["settings"] | {"policy.mood": "good"}
    change(run, settings=settings, program=NEWER)
    assert says(cli("tree", "show", run).err, naming("manifest.json", "a newer", NEWER, "policy.mood"))
    change(run, program=FORMAT.header()["program"])
    assert says(cli("tree", "show", run).err, "shares.is-damaged")


def test_a_run_that_is_resumed_keeps_the_manifest_of_its_number(cli: Cli, tmp_path: Path) -> None:
    run = sample(tmp_path, "run-2-27-nov")
    before = (run / "manifest.json").read_bytes()
    assert cli("simulate", "--resume", run, "--until", "70s").status == 0
    assert (run / "manifest-2.json").read_bytes() == before
    manifest = RunReader(run).manifest
    assert FORMAT.header().items() <= manifest.items()
    assert manifest["settings"].keys() == json.loads(before)["settings"].keys()
    assert cli("simulate", "--resume", run, "--until", "80s").status == 0
    assert (run / "manifest-2.json").read_bytes() == before
    assert cli("simulate", SAMPLES.parents[2] / "example_trees" / "three-users.yaml", "--until", "1s",
               "--out", run, "--force").status == 0  # fmt: skip
