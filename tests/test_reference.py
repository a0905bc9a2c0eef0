"""The pages of docs/reference are what the code says, the site builds, and no page is left out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fsconsole.cli.main import run
from tools.reference.write import CLAIMS, FOLDER, KEYS, PAGES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
_BY_HAND = {"console.md", "file-versions.md", "run-folder.md"}
_FROM_ELSEWHERE = re.compile(r"""<(?:script|link|img)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//""")
STALE = "The page is not current. Renew it with: make reference"


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_code_says(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == PAGES[name](), STALE


def test_no_page_is_left_that_nothing_writes() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*PAGES, KEYS, CLAIMS, *_BY_HAND}


def test_every_file_of_a_run_folder_is_on_its_page(tmp_path: Path) -> None:
    folder = tmp_path / "series.run"
    example = str(ROOT / "example_trees" / "convex-series-6.yaml")
    assert run(["simulate", example, "--until", "2min", "--out", str(folder)]) == 0
    assert run(["run", "notes", str(folder), "--add", "a note", "--at", "60s"]) == 0
    page = (FOLDER / "run-folder.md").read_text("utf-8")
    listed = {re.sub(r"N+|TICK", "N", name) for name in re.findall(r"`([\w/-]+\.\w+)`", page)}
    written = {
        re.sub(r"\d{3,}", "N", path.relative_to(folder).as_posix())
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    assert written - listed == set()


def test_the_first_page_links_to_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w/.-]+\.md)", (DOCS / "README.md").read_text("utf-8")))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert {page for page in pages if not page.startswith("papers/")} - linked == {"README.md"}


def test_the_site_is_built_and_no_link_is_broken(tmp_path: Path) -> None:
    site = ["--strict", "--quiet", "--config-file", "tools/site/mkdocs.yml", "--site-dir", str(tmp_path)]
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *site],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "tutorials" / "design-a-tree.html").is_file()
    assert (tmp_path / "screenshots" / "design-light.png").is_file()
    pages = {path.name: path.read_text("utf-8") for path in tmp_path.rglob("*.html")}
    assert [name for name, text in pages.items() if _FROM_ELSEWHERE.search(text)] == []
