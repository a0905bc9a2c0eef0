"""Hooks of MkDocs: the navigation from the folders of docs/, and links that leave docs/.

Links in docs/ are those of a checkout, so that they work in an editor and on a code host too. Pictures of the
program become files of the site; other files outside docs/ are named by their path, once they are found.
"""

from __future__ import annotations

import logging
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_ROOT = Path(__file__).resolve().parents[2]
_DOCS = _ROOT / "docs"
_PICTURES = {"resources/screenshots": "screenshots", "fsconsole": "code-map"}
_ASSETS = ("iframe-worker.js", "wide.css")
_SECTIONS = {
    "Tutorials": ("tutorials",),
    "How-to": ("how-to",),
    "Reference": ("reference",),
    "Explanation": ("explanation",),
    "Papers": ("papers-systems.md", "papers.md", "papers"),
    "Project": ("einfuehrung.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"),
}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
_log = logging.getLogger("mkdocs.plugins.fsconsole")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the navigation: a tab for each section, a page for each file of its folder."""
    config.nav = [
        {"Home": "README.md"},
        *({title: [path for part in parts for path in _pages(part)]} for title, parts in _SECTIONS.items()),
    ]
    return config


def _pages(part: str) -> Iterator[str]:
    place = _DOCS / part
    paths = [place] if place.is_file() else sorted(place.glob("*.md"), key=_title)
    yield from (path.relative_to(_DOCS).as_posix() for path in paths)


def _title(path: Path) -> tuple[bool, str]:
    text = path.read_text("utf-8")
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return path.name != "README.md", found[1].casefold() if found else path.name


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pictures and the parts of the pages that lie outside docs/."""
    for name in _ASSETS:
        files.append(
            File.generated(config, f"assets/{name}", abs_src_path=str(Path(__file__).with_name(name)))
        )
    for folder, name in _PICTURES.items():
        for path in sorted((_ROOT / folder).glob("*.[ps][nv]g")):
            place = f"{name}/{path.name}"
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Rewrite the links that leave docs/."""
    here = posixpath.dirname(page.file.src_uri)
    return _LINK.sub(lambda found: _within(found, here), markdown)


def _within(found: re.Match[str], here: str) -> str:
    picture, text, target, _ = found.groups()
    if ":" in target:
        return found[0]
    path = Path(os.path.normpath(_DOCS / here / target))
    if path.is_relative_to(_DOCS):
        return found[0]
    if not path.exists():
        _log.warning("docs/%s: %s: not found", here, target)
        return found[0]
    name = path.relative_to(_ROOT).as_posix()
    place = _PICTURES.get(posixpath.dirname(name))
    if picture and place:
        return f"![{text}]({posixpath.relpath(f'{place}/{path.name}', here or '.')})"
    return f"`{name}`" if text.strip("`") in name else f"{text} (`{name}`)"
