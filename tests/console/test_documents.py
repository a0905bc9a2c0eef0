"""README and the pages of docs/: their commands run, and the menu words they name are in the action table."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from fsconsole.cli.main import run
from fsconsole.console.window import ConsoleWindow

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK, _WORDS = re.compile(r"```sh\n(.*?)```", re.DOTALL), re.compile(r"\*\*(\w+ > [^*]+)\*\*")
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


@pytest.mark.parametrize(
    "chapter", [path for path in CHAPTERS if "```sh" in path.read_text("utf-8")], ids=lambda path: path.stem
)
def test_commands_run(chapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("example_trees", "resources"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for line in "".join(_BLOCK.findall(chapter.read_text("utf-8"))).splitlines():
        program, *words = shlex.split(line, comments=True)
        if program == "make":  # what the targets do is tested by itself: here, that they are there
            subprocess.run(["make", "--dry-run", *words], cwd=ROOT, check=True, capture_output=True)
            continue
        assert program == "fsconsole"
        if words[:2] == ["bench", "seek"]:
            continue  # it opens another window; tests/cli/test_bench_seek.py runs it
        # The capture has errors, and the schedules differ.
        finds_something = words[:2] in (["doctor", "resources/slurm-capture"], ["batch", "compare"])
        assert run(words) == (1 if finds_something else 0), line


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
