"""The pages of docs/, which come with the program, and which of them each part of the console has. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from fsconsole.resources import documents

INDEX = "README.md"
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_MARK = re.compile(r"[`*_]|\[([^\]]*)\]\([^)]*\)")

# The page of each part: of docks by the names that they are saved by (or what these begin with), of dialogs
# by class, of workspaces by id. `page.md#heading` opens the page at a heading.
TOPICS = {
    "design": "how-to/own-tree.md",
    "design_what_if": "how-to/other-schedulers.md#what-a-tree-would-give-elsewhere",
    "design_problems": "how-to/doctor.md",
    "design_staged": "how-to/slurm.md#predicted-and-reached-fairshare",
    "design_expected": "how-to/slurm.md#predicted-and-reached-fairshare",
    "design_why": "how-to/slurm-why.md",
    "observe": "how-to/plots.md",
    "observe.why": "how-to/slurm-why.md",
    "observe.notes": "how-to/time.md#write-notes",
    "observe.branches": "how-to/time.md#branch",
    "observe.past_jobs": "how-to/runs.md#the-diary-of-a-cluster",
    "observe.groups": "how-to/linux.md#in-the-console",
    "observe.partitions": "how-to/cluster-jobs.md",
    "operate": "how-to/alerts.md",
    "cluster.operate": "how-to/cluster-jobs.md",
    "analyse": "how-to/compare.md",
    "sweep": "how-to/studies.md#in-analyse",
    "study": "how-to/studies.md#in-analyse",
    "forecast": "how-to/forecast.md#in-the-console",
    "experiments": "papers.md",
    "claims": "papers.md",
    "ConnectDialog": "how-to/slurm.md",
    "ApplyForm": "how-to/slurm.md#predicted-and-reached-fairshare",
    "JobDialog": "how-to/cluster-jobs.md",
    "JobFilesDialog": "how-to/cluster-jobs.md",
    "NodeDialog": "how-to/cluster-jobs.md",
    "_LinuxDialog": "how-to/linux.md#in-the-console",
    "RulesDialog": "how-to/other-schedulers.md#what-a-tree-would-give-elsewhere",
    "ImportRowsDialog": "how-to/own-tree.md",
    "NewStudyDialog": "how-to/studies.md#in-analyse",
    "NewSearchDialog": "how-to/search.md",
    "BranchDialog": "how-to/time.md#branch",
    "ExportDialog": "how-to/plots.md",
    "PreferencesDialog": "how-to/plots.md",
    "AlertsDialog": "how-to/alerts.md",
}


@dataclass(frozen=True)
class Page:
    """A page of docs/.

    Attributes:
        path: below docs/, such as `how-to/linux.md`.
        title: its first heading.
    """

    path: str
    title: str

    @cached_property
    def text(self) -> str:
        """The page in Markdown; OSError."""
        return (documents() / self.path).read_text("utf-8")

    def holds(self, typed: str) -> bool:
        """Return whether each word that is looked for is in it, whatever the capitals."""
        text = self.text.casefold()
        return all(word in text for word in typed.casefold().split())


@lru_cache(maxsize=1)
def pages() -> tuple[Page, ...]:
    """All pages, the index first, then by folder and title; none where the program has no documents."""
    folder = documents()
    found = [_page(folder, path) for path in sorted(folder.rglob("*.md"))]
    return tuple(sorted(found, key=_order))


def topic_of(names: Iterable[str]) -> str:
    """Return the page and heading of the first name that has one; the index otherwise.

    Args:
        names: of the part with the focus and of all around it, the innermost first.
    """
    for name in names:
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            if found := TOPICS.get(".".join(parts[:count])):
                return found
    return INDEX


def slug(heading: str) -> str:
    """Return how links name a heading: `What must change` is `what-must-change`."""
    return re.sub(r"[^\w\- ]", "", _MARK.sub(r"\1", heading).strip().casefold()).replace(" ", "-")


def _order(page: Page) -> tuple[bool, str, str]:
    return page.path != INDEX, page.path.rpartition("/")[0], page.title


def _page(folder: Path, path: Path) -> Page:
    match = _TITLE.search(path.read_text("utf-8"))
    title = _MARK.sub(r"\1", match[1]) if match else path.stem
    return Page(path.relative_to(folder).as_posix(), title)
