"""README and the pages of docs/: their commands run, and the menu words they name are in the action table."""

from __future__ import annotations

import re
import shlex
import subprocess
from functools import partial
from itertools import pairwise
from pathlib import Path

import click
import pytest

from fsconsole.app.study import significance, units, user_tests
from fsconsole.batch.significance.bootstrap import draw_counts
from fsconsole.batch.study import executors
from fsconsole.cli.main import cli, run
from fsconsole.console.window import ConsoleWindow
from fsconsole.experiments.registry import experiment_named, experiments
from tests.batch.study.small import HereWorkers

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK, _WORDS = re.compile(r"```sh\n(.*?)```", re.DOTALL), re.compile(r"\*\*(\w+ > [^*]+)\*\*")
_SHOWN = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`((?:fsconsole|make) [^`]+)`")
_REPRODUCED = re.compile(r"`(?:fsconsole )?reproduce ([a-z][\w-]*)")
_PLACEHOLDER = re.compile(r"…|[A-Z]{2,}|N")
_PARTIAL = (click.exceptions.NoArgsIsHelpError, click.MissingParameter, click.BadOptionUsage)
_FEW = 50  # Samples of a bootstrap.
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    """Go to a folder with the examples, in which a command may leave files.

    Only a whole run starts the workers of studies and draws as many samples as the commands do.
    """
    monkeypatch.chdir(tmp_path)
    if not pytestconfig.getoption("whole"):
        monkeypatch.setattr(executors, "LocalExecutor", HereWorkers)
        for module in (units, user_tests, significance):
            monkeypatch.setattr(module, "draw_counts", partial(draw_counts, samples=_FEW))
    for folder in ("example_trees", "resources"):
        (tmp_path / folder).symlink_to(ROOT / folder)


def _written(line: str) -> set[str]:
    """Return the files that a command writes; folders take more than one."""
    words = shlex.split(line, comments=True)
    named = {word for option, word in pairwise(words) if option in ("--out", "--map", "--dropped", ">")}
    if words[1:3] in (["tree", "convert"], ["batch", "convert"]):
        named |= set([word for word in words[3:] if not word.startswith("-")][1:2])
    return {name for name in named if Path(name).suffix}


def test_no_two_pages_write_the_same_file() -> None:
    """A reader who follows both would replace a file, or be refused."""
    pages: dict[str, set[str]] = {}
    for chapter in CHAPTERS:
        for form, block in _SHOWN.findall(chapter.read_text("utf-8")):
            lines = [line for line in block.splitlines() if line.startswith("fsconsole ")]
            for name in set[str]().union(*map(_written, lines)) if form in ("sh", "text") else ():
                pages.setdefault(name, set()).add(chapter.stem)
    assert pages
    assert {name: found for name, found in pages.items() if len(found) > 1} == {}


@pytest.mark.dear("runs each command of a page")
@pytest.mark.parametrize(
    "chapter", [path for path in CHAPTERS if "```sh" in path.read_text("utf-8")], ids=lambda path: path.stem
)
@pytest.mark.usefixtures("checkout")
def test_commands_run(chapter: Path) -> None:
    for line in "".join(_BLOCK.findall(chapter.read_text("utf-8"))).splitlines():
        program, *words = shlex.split(line, comments=True)
        if program == "make":  # what the targets do is tested by itself: here, that they are there
            subprocess.run(["make", "--dry-run", *words], cwd=ROOT, check=True, capture_output=True)
            continue
        assert program == "fsconsole"
        if words[:2] == ["bench", "seek"]:
            continue  # it opens another window; tests/cli/test_bench_seek.py runs it
        # The capture has errors, and the schedules and trees differ.
        finds_something = words[:2] in (
            ["doctor", "resources/slurm-capture"],
            ["batch", "compare"],
            ["tree", "diff"],
        )
        assert run(words) == (1 if finds_something else 0), line


_SYSTEMS = (ROOT / "docs" / "papers-systems.md").read_text("utf-8").split("\n## ")[1:-1]


@pytest.mark.parametrize("systems", _SYSTEMS, ids=lambda text: text.split()[0].strip(","))
@pytest.mark.usefixtures("checkout")
def test_commands_that_show_the_systems_of_the_papers_run(systems: str) -> None:
    names = {one.name for one in experiments()}
    rows = re.findall(r"^\| .+ \| (.+) \|$", systems, re.MULTILINE)
    lines = [line.removeprefix("reproduce ") for row in rows for line in re.findall("`([^`]+)`", row)]
    assert len(lines) > 5
    for line in lines:
        if line not in names:
            assert run(shlex.split(line)) == 0, line


def mistake(words: list[str]) -> click.UsageError | None:
    """What is wrong with a command line, which is not run; its files need not be there."""
    try:
        context = cli.make_context("fsconsole", words)
        while isinstance(context.command, click.Group) and (
            rest := [*context._protected_args, *context.args]
        ):
            name, command, rest = context.command.resolve_command(context, rest)
            assert command is not None
            context = command.make_context(name, rest, parent=context)
    except click.exceptions.Exit:  # --version
        return None
    except click.UsageError as error:
        return None if re.search("^file .* not found|does not exist", error.message) else error
    return None


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_commands_that_are_not_run_are_right(chapter: Path) -> None:
    text = chapter.read_text("utf-8")
    # Blocks of text need a cluster, a window or minutes. Commands in sentences may lack what is meant anyway.
    blocks = [block for language, block in _SHOWN.findall(text) if language in ("", "text")]
    lines = [(line, False) for line in "".join(blocks).splitlines()]
    for line, is_part in lines + [(line, True) for line in _INLINE.findall(text)]:
        if line.startswith("make "):
            subprocess.run(["make", "--dry-run", line.split()[1]], cwd=ROOT, check=True, capture_output=True)
        if not line.startswith("fsconsole"):
            continue
        words = shlex.split(re.split(" [<>] ", line)[0], comments=True)[1:]
        if is_part and any(map(_PLACEHOLDER.fullmatch, words)):
            continue
        error = mistake(words)
        assert error is None or (is_part and isinstance(error, _PARTIAL)), line
    for name in _REPRODUCED.findall(text):
        experiment_named(name)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 700


def test_menu_words_and_links_are_there(window: ConsoleWindow) -> None:
    for name in ("design", "observe", "operate", "analyse"):
        window.workspace(name)
    known = {" > ".join([*one.menu.split("/"), one.name]) for one in window.table if one.menu}
    known |= {one.menu.replace("/", " > ") for one in window.table}
    texts = {path: path.read_text("utf-8") for path in CHAPTERS}
    named = set(_WORDS.findall("\n".join(texts.values())))
    assert len(named) > 30
    assert named - known == set()
    for path, text in texts.items():
        broken = [target for target in _LINK.findall(text) if not (path.parent / target).exists()]
        assert not broken, path
