"""The frame: help, wrong use, faults, and what is imported when."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsconsole.resources import this_program
from tests.cli.conftest import Cli, start
from tests.texts import Expected, naming, says, worded, wording

HEAVY = ("numpy", "numba", "polars", "pydantic", "yaml", "rich", "PySide6", "pyqtgraph")


def imported_by(code: str) -> set[str]:
    process = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    return set(process.stdout.split())


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["tree", "--help"], ["simulate", "--help"], ["reproduce", "--help"]],
)
def test_help_needs_no_heavy_library(arguments: list[str]) -> None:
    code = f"from fsconsole.cli.main import run\nassert run({arguments!r}) == 0"
    assert not imported_by(code) & set(HEAVY)


def test_help_lists_the_commands_and_the_exit_status(cli: Cli) -> None:
    ended = cli("--help")
    assert ended.status == 0
    for word in ("open", "simulate", "tree", "reproduce", "export", "play", "Exit status:", "130"):
        assert word in ended.out


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"{this_program()}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["simulat"], naming("fsconsole: unknown command 'simulat'. Did you mean simulate?")),
        (["tree", "shwo"], naming("fsconsole tree: unknown command 'shwo'. Did you mean show?")),
        (["frobnicate"], naming("fsconsole: unknown command 'frobnicate'. Choose one of open, simulate, ")),
        (["simulate"], naming("fsconsole simulate: Missing argument 'SCENARIO'")),
        (
            ["simulate", "no.yaml"],
            naming("fsconsole simulate: Invalid value for 'SCENARIO': file no.yaml not found"),
        ),
        (
            ["simulate", "convex-series-1"],
            worded("cli.file-not-found", path="convex-series-1", path_2=wording("cli.example-is", found="")),
        ),
        (["tree", "show", "/"], worded("app.is-not", path="/", kind="a folder")),
        (["tree", "show", ""], worded("cli.name-is-empty")),
        (
            ["tree", "show", "/dev/null"],
            worded("cli.is-device-or-pipe-not", path="/dev/null"),
        ),
        (["reproduce"], naming("fsconsole reproduce: give an experiment. --list shows all")),
        (["reproduce", "junglas-7"], naming("unknown experiment 'junglas-7'. Did you mean junglas-")),
    ],
)
def test_wrong_use_is_one_line_and_status_2(cli: Cli, arguments: list[str], line: Expected) -> None:
    ended = cli(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert says(ended.err, line)
    assert ended.err.count("\n") == 1


def test_a_group_alone_shows_its_help(cli: Cli) -> None:
    ended = cli("tree")
    assert ended.status == 2
    assert "Commands:" in ended.err


def test_a_fault_in_the_program_is_kept_in_a_report(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, own_folders: Path
) -> None:
    import fsconsole.experiments.registry as registry

    def broken() -> None:
        msg = "the roof is leaking"
        raise AssertionError(msg)

    monkeypatch.setattr(registry, "experiments", broken)
    ended = cli("reproduce", "--list")
    assert (ended.status, ended.out) == (70, "")
    first, second = ended.err.splitlines()
    expected = "fsconsole reproduce: internal error: AssertionError: the roof is leaking"
    assert first == expected
    report = Path(second.removeprefix("fsconsole reproduce: a report was written to "))
    assert report.is_relative_to(own_folders)
    assert "Traceback" in report.read_text()


def test_without_a_command_the_console_opens(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    app = pytest.importorskip("fsconsole.console.app")
    opened: list[object] = []

    def main(path: object, prefix: object, *, on_linux: bool) -> int:
        opened.append((path, prefix, "linux") if on_linux else (path, prefix))
        return 0

    monkeypatch.setattr(app, "main", main)
    example = Path(__file__).resolve().parents[2] / "example_trees" / "convex-series-1.yaml"
    assert cli().status == 0
    assert cli("open", example).status == 0
    assert cli("--slurm").status == 0
    answer = cli("--slurm", "--via", "ssh -p 22 login1").status
    assert answer == 0
    assert cli("open", "--slurm", "--via", "sudo").status == 0
    assert cli("open", example, "--linux").status == 0
    assert cli("open", "--linux").status == 2
    assert opened == [
        (None, None),
        (example, None),
        (None, ()),
        (None, ("ssh", "-p", "22", "login1")),
        (None, ("sudo",)),
        (example, None, "linux"),
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("--via", "ssh login1"),
        ("--slurm", "--via", ""),
        ("--slurm", "--via", "ssh 'login1"),
        ("--slurm", "--via", "-v"),
        ("--slurm", "bench"),
        ("open", "--slurm", __file__),
    ],
)
def test_wrong_ways_to_a_cluster_are_wrong_use(cli: Cli, words: tuple[str, ...]) -> None:
    ended = cli(*words)
    assert ended.status == 2
    assert ended.out == ""
    assert ended.err.startswith("fsconsole")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_without_a_display_it_says_so(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    ended = cli()
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.partition(": ")[0] == "fsconsole"
    assert says(ended.err, "cli.no-display-found-fsconsole-play")


def test_a_reader_that_goes_away_is_no_fault(examples: Path) -> None:
    child = start("tree", "show", examples / "convex-series-1.yaml", "--json")
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == ""
    child.stderr.close()
    assert child.wait(60) == 1


def test_a_terminal_that_cannot_show_a_sign_gets_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    file = tmp_path / "a.yaml"
    file.write_text("version: 1\ntree: {name: root, children: [{name: gr1}, {name: 名}]}\n", "utf-8")
    child = start("tree", "show", file)
    output, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (0, "")
    lines = [line.split()[:2] for line in output.splitlines()]
    assert ["|-", "gr1"] in lines
    assert ["`-", "\\u540d"] in lines


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("closing", "status"),
    [("tree show FILE >&-", 0), ("tree check - <&-", 1), ("tree show none >&- 2>&-", 2)],
)
def test_closed_streams_are_no_fault(closing: str, status: int, examples: Path) -> None:
    file = examples / "two-organisations.yaml"
    line = closing.replace("FILE", f"'{file}'")
    ended = subprocess.run(
        f"'{sys.executable}' -c 'from fsconsole.cli.main import main; main()' {line}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert ended.returncode == status
    assert "fault" not in ended.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
@pytest.mark.parametrize("command", [("--version",), ("reproduce", "--list")])
def test_output_onto_a_full_disk_says_what_is_full(command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", "from fsconsole.cli.main import main; main()", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr.split(": ")[-2:] == ["stdout", os.strerror(errno.ENOSPC) + "\n"]


def test_a_folder_that_is_no_run_is_reported_before_there_is_a_window(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.run").mkdir()
    ended = cli("open", tmp_path / "x.run")
    assert ended.status == 1
    assert says(ended.err, "recording.is-not-run-folder-is", path="x.run", manifest="manifest.json")
