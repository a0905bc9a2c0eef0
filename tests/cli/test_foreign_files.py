"""Run folders, studies and traces from somebody else: a line that names the file, never a fault or a wait."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsconsole.batch.traces import content
from fsconsole.cli.main import run
from fsconsole.resources import examples
from tests.batch.study.small import swf_text, write_small
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded, wording


def error_of(cli: Cli, *arguments: object) -> str:
    """Return the message of a command that fails."""
    ended = cli(*arguments)
    assert ended.status == 1, ended
    return ended.err


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "a.run"
    example = str(examples() / "convex-series-6.yaml")
    assert run(["simulate", example, "--until", "20s", "--out", str(path)]) == 0
    return path


@pytest.fixture
def run_folder(recorded: Path, tmp_path: Path) -> Path:
    return shutil.copytree(recorded, tmp_path / "a.run")


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def endless(path: Path, kind: str) -> None:
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", ["manifest.json", "nodes.json", "journal.jsonl"])
def test_pipes_and_devices_in_a_run_are_neither_waited_for_nor_read(
    cli: Cli, run_folder: Path, tmp_path: Path, name: str, kind: str
) -> None:
    endless(run_folder / name, kind)
    export = ("export", run_folder, "--plot", "cpu_rate", "--format", "csv", "--out", tmp_path / "p.csv")
    error = error_of(cli, *(("machine", run_folder, "pl") if name == "journal.jsonl" else export))
    assert str(run_folder) in error
    assert name in error or name == "manifest.json"


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_samples_that_are_no_file_are_a_gap_that_is_reported(
    cli: Cli, run_folder: Path, tmp_path: Path, kind: str
) -> None:
    endless(run_folder / "samples-000001.parquet", kind)
    ended = cli("export", run_folder, "--plot", "cpu_rate", "--format", "csv", "--out", tmp_path / "p.csv")
    assert ended.status == 1
    assert "samples-000001.parquet" in ended.err
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.parametrize(
    "command", [("doctor",), ("tree", "show"), ("simulate", "--until", "1s"), ("tree", "check")]
)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    ended = cli(*command, tmp_path / "pipe.yaml")
    assert ended.status == 2
    assert says(ended.err, naming("a device or a pipe, not a file"))


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_checkpoint_that_is_no_file_is_reported(cli: Cli, run_folder: Path, kind: str) -> None:
    for checkpoint in (run_folder / "checkpoints").iterdir():
        endless(checkpoint, kind)
    told = error_of(cli, "machine", run_folder, "pl")
    assert says(told, naming("000000000000.npz", "a device or a pipe, not a file"))


def test_a_checkpoint_that_unpacks_to_too_much_is_reported(cli: Cli, run_folder: Path) -> None:
    for checkpoint in (run_folder / "checkpoints").iterdir():
        with zipfile.ZipFile(checkpoint, "a") as archive:
            archive.writestr("more.npy", b"x")
            archive.infolist()[-1].file_size = 2**31
    assert says(error_of(cli, "machine", run_folder, "pl"), "shares.unpacks-to-more-than-mib-2", most="1024")


@pytest.mark.parametrize("name", ["manifest.json", "journal.jsonl"])
def test_json_nested_too_deep_is_reported(cli: Cli, run_folder: Path, name: str) -> None:
    (run_folder / name).write_text("[" * 100_000 + "\n")
    assert wording("recording.is-damaged", name=name) + ": " + wording(
        "shares.it-is-nested-too-deep"
    ) in error_of(cli, "machine", run_folder, "pl")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda data: data.pop("scenario"), worded("machine.shell.is-missing", missing="the scenario")),
        (lambda data: data.update(scenario=5), naming("scenario is 5")),
        (lambda data: data.update(settings=[]), naming("settings is []")),
        (lambda data: data.pop("settings"), worded("machine.shell.is-missing", missing="settings'")),
        (lambda data: data.update(seed="x"), naming("seed is 'x'")),
        (lambda data: data.update(sample_s=1e300), naming("sample_s needs")),
        (lambda data: data.update(sample_s=10**30), worded("shares.number-is-too-large")),
        (lambda data: data["settings"].update({"machine.cpus": -3}), naming("cpus")),
        (lambda data: data["settings"].update({"machine.what": 3}), naming("machine.what")),
    ],
)
def test_a_manifest_that_cannot_be_is_reported(
    cli: Cli, run_folder: Path, change: Callable[[dict[str, Any]], object], word: Expected
) -> None:
    changed(run_folder / "manifest.json", change)
    error = error_of(cli, "machine", run_folder, "pl")
    assert says(error, "recording.is-damaged", name="manifest.json")
    assert says(error, word)


CYCLE = '[{"id": 0, "path": "", "parent": null}, {"id": 1, "path": "a", "parent": 2}'
CYCLE += ', {"id": 2, "path": "b", "parent": 1}]'


@pytest.mark.parametrize("nodes", ["{}", "[3]", '[{"id": "x", "path": ""}]', "[" * 100_000, CYCLE])
def test_nodes_that_cannot_be_are_reported(cli: Cli, run_folder: Path, nodes: str) -> None:
    (run_folder / "nodes.json").write_text(nodes)
    assert says(
        error_of(cli, "export", run_folder, "--plot", "cpu_rate", "--out", "p.svg"),
        "recording.is-damaged",
        name="nodes.json",
    )


def test_a_packed_trace_that_is_too_large_says_how_to_read_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.swf.gz"
    path.write_bytes(gzip.compress(swf_text(20_000).encode()))
    simulate = ("batch", "simulate", path, "--policy", "fcfs-backfill")
    monkeypatch.setattr(content, "_MOST_BYTES", 2**20)
    error = error_of(cli, *simulate)
    assert says(error, "shares.unpacks-to-more-than-mib")
    monkeypatch.undo()
    assert cli(*simulate, "--out", tmp_path / "j.csv").status == 0
    path.write_bytes(gzip.compress(b"\n" * 3_000_001))
    assert says(
        error_of(cli, *simulate), "batch.traces.unpacks-to-more-than-lines", name=path, lines="3,000,000"
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("done")
    path = folder / "small"
    assert run(["study", "run", str(write_small(folder)), "--out", str(path)]) == 0
    return path


@pytest.fixture
def study(done: Path, tmp_path: Path) -> Path:
    return shutil.copytree(done, tmp_path / "small")


@pytest.mark.parametrize("value", [10**19, 10**400, "x", None, [], 1.5, -1])
@pytest.mark.parametrize("where", [("policy", "window_s"), ("policy", "weights"), ("cluster_nodes",)])
def test_a_plan_that_cannot_be_is_reported(
    cli: Cli, study: Path, where: tuple[str, ...], value: object
) -> None:
    def change(data: dict[str, Any]) -> None:
        held = data["cells"][0]
        for key in where[:-1]:
            held = held[key]
        held[where[-1]] = value

    changed(study / "plan.json", change)
    if where != ("cluster_nodes",) or value != -1:
        assert says(error_of(cli, "study", "show", study), "recording.is-damaged", name="plan.json")


@pytest.mark.parametrize("value", [10**19, "x", [], True])
@pytest.mark.parametrize("key", ["jobs", "avg_wait_h"])
def test_a_summary_that_cannot_be_is_no_result(cli: Cli, study: Path, key: str, value: object) -> None:
    for summary in study.glob("cells/*/summary.json"):
        changed(summary, lambda data: data["summary"].update({key: value}))
    shown = cli("study", "show", study, "--json")
    assert shown.status in (0, 1)
    assert "Small" in shown.out or str(study) in shown.err


def test_an_export_of_a_run_without_samples_names_what_is_missing(
    cli: Cli, recorded: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copytree(recorded, tmp_path / "x.run"))
    for chunk in path.glob("samples-*"):
        chunk.unlink()
    ended = cli("export", path, "--plot", "cpu_rate", "--out", tmp_path / "h.png")
    assert ended.status == 1
    assert says(ended.err, "cli.contains-no-samples", path=path, value=": samples-000001.parquet")
    assert not list(tmp_path.glob("h.*"))
