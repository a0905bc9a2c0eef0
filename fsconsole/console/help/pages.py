"""The pages of docs/, which come with the program, and which of them each part of the console has. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from fsconsole.resources import documents, resource

INDEX = "README.md"
HELP_PAGE = "help_page"  # Name of the property of a widget with a page of its own.
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_MARK = re.compile(r"[`*_]|\[([^\]]*)\]\([^)]*\)")

_CONSOLE = "reference/console.md"
# Help page by part of the window: docks and workspaces by their object names or the prefixes of these,
# buttons by the id of their action, other parts by class. `page.md#heading` opens a page at a heading.
TOPICS = {
    **{
        name: f"{_CONSOLE}#{heading}"
        for heading, names in {
            "window": ("FrameBar", "StatusLine"),
            "line-of-notices": ("NoticeLine", "Notice"),
            "welcome": ("WelcomePage", "TourCard"),
            "command-search": ("CommandSearch", "commands"),
            "target": ("TargetBox",),
            "arming": ("ModeButton", "ArmedBar", "operate.arm", "cluster.arm"),
            "transport": ("TransportBar", "TimeStrip", "PastButton"),
            "design": ("design", "show_design"),
            "share-tree": ("design_tree",),
            "share-map": ("design_map",),
            "problems": ("design_problems",),
            "changes-since-saved": ("design_changes", "ChangesPanel", "undo", "redo"),
            "node": ("design_node",),
            "what-if": ("design_what_if", "show_what_if"),
            "change-set": ("design_staged",),
            "expected-fairshare": ("design_expected",),
            "why": ("design_why", "observe.why", "why"),
            "observe": ("observe", "show_observe", "simulate"),
            "plots": ("observe.plots",),
            "nodes-and-legend": ("observe.legend",),
            "machine-console": ("observe.machine_console",),
            "processes": ("observe.processes",),
            "sessions-and-processes": (
                "LoginDialog", "StartDialog", "NiceDialog", "observe.login", "observe.logout",
                "observe.start",
            ),
            "control": ("observe.control",),
            "partitions-and-nodes": ("observe.partitions",),
            "groups-and-weights": ("observe.groups",),
            "operate": ("operate", "cluster.operate", "show_operate"),
            "alerts-and-notes": ("AlertBar", "NoteBar", "ShiftNoteDialog", "operate.note"),
            "near-dedicated-window": ("operate.window",),
            "current-job": ("operate.job",),
            "near-dedicated-queue": ("operate.queue",),
            "system-use": ("operate.use",),
            "control-state": ("operate.state",),
            "memory-and-sds": ("operate.memory",),
            "records": ("operate.records", "cluster.operate.records"),
            "act-on-a-night": (
                "ActionDialog", "operate.kill", "operate.extend", "operate.start_window",
                "operate.stop_window",
            ),
            "jobs-of-a-cluster": tuple(
                f"cluster.operate.{dock}" for dock in ("near", "job", "reservations", "parts")
            ),
            "act-on-jobs": ("JobDialog", "NodeDialog", "ResultsDialog"),
            "analyse": ("analyse", "show_analyse"),
            "experiments": ("experiments", "analyse.run"),
            "claims": ("claims",),
            "remarks": ("notes",),
            "figure": ("FigureTabs",),
            "sweep": ("sweep", "study"),
            "study": ("StudyPage",),
            "forecast": ("forecast", "ForecastPanel"),
            "compare": ("compare", "differences", "ComparePlot", "analyse.compare"),
            "export": ("ExportDialog", "observe.export", "analyse.export"),
            "duplicate-import-edit-nodes": ("DuplicateDialog", "ImportRowsDialog", "EditNodesDialog"),
            "keep-demands": ("KeepDialog",),
            "open-what-cannot-be-read": ("ProblemsDialog",),
        }.items()
        for name in names
    },
    "SourcePanel": "reference/scenario-file.md",
    "ComparePanel": "how-to/compare.md",
    "observe.notes": "how-to/time.md#write-notes",
    "observe.branches": "how-to/time.md#branch",
    "observe.past_jobs": "how-to/runs.md#the-diary-of-a-cluster",
    "observe.record": "how-to/runs.md",
    "cluster.operate.jobs": "how-to/cluster-jobs.md#jobs",
    "cluster.operate.nodes": "how-to/cluster-jobs.md#nodes",
    "cluster.operate.finished": "how-to/cluster-jobs.md#finished-jobs",
    "new_study": "how-to/studies.md",
    "new_search": "how-to/search.md",
    "SearchPage": "how-to/search.md#what-comes-out",
    "ConnectDialog": "how-to/slurm-cluster.md#connect",
    "RollBackDialog": "how-to/slurm-cluster.md#roll-back",
    "ApplyForm": "how-to/slurm.md#predicted-and-reached-fairshare",
    "AssociationPanel": "how-to/slurm.md#limits-qos-and-weights",
    "WhyDialog": "how-to/slurm-why.md",
    "JobFilesDialog": "how-to/cluster-jobs.md#script-and-output",
    "_LinuxDialog": "how-to/linux.md#in-the-console",
    "TwinDialog": "how-to/accessibility.md#screen-reader",
    "RulesDialog": "how-to/other-schedulers.md#what-a-tree-would-give-elsewhere",
    "ParametersDialog": "reference/settings.md",
    "LoadDialog": "how-to/own-tree.md",
    "NewStudyDialog": "how-to/studies.md",
    "NewSearchDialog": "how-to/search.md",
    "WorkersDialog": "how-to/studies.md",
    "NoteDialog": "how-to/time.md#write-notes",
    "BranchDialog": "how-to/time.md#branch",
    "PreferencesDialog": "reference/settings.md#preferences-of-the-console",
    "AlertsForm": "how-to/alerts.md",
    "AlertNotice": "how-to/alerts.md",
    "KeyboardDialog": "reference/keys.md",
    "GlossaryDialog": "reference/glossary.md",
    "AboutDialog": INDEX,
}  # fmt: skip


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

    @cached_property
    def _folded(self) -> str:
        return self.text.casefold()

    def holds(self, typed: str) -> bool:
        """Return True if the page has each searched word, ignoring case."""
        return all(word in self._folded for word in typed.casefold().split())


@lru_cache(maxsize=1)
def pages() -> tuple[Page, ...]:
    """Return all pages, the index first, then by folder and title; none without documents."""
    folder = documents()
    found = [_page(folder, path) for path in sorted(folder.rglob("*.md"))]
    return tuple(sorted(found, key=_order))


def topic_of(names: Iterable[str]) -> str:
    """Return page and heading of the first name that has them; otherwise those of the index.

    Args:
        names: of the part with the focus and of all around it, the innermost first; a page with its heading
            is a name too.
    """
    for name in names:
        if ".md" in name:
            return name
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            if found := TOPICS.get(".".join(parts[:count])):
                return found
    return INDEX


def picture_of(folder: str, link: str) -> Path | None:
    """Return the file of a picture that a page in `folder` links; None where the program has none.

    An installed package has resources/ at another place than a checkout.
    """
    near, (_, _, name) = Path(folder, link), link.partition("resources/")
    try:
        return near if near.is_file() else resource(name) if name else None
    except FileNotFoundError:
        return None


def slug(heading: str) -> str:
    """Return the anchor of a heading in links: `What must change` is `what-must-change`."""
    return re.sub(r"[^\w\- ]", "", _MARK.sub(r"\1", heading).strip().casefold()).replace(" ", "-")


def _order(page: Page) -> tuple[bool, str, str]:
    return page.path != INDEX, page.path.rpartition("/")[0], page.title


def _page(folder: Path, path: Path) -> Page:
    match = _TITLE.search(path.read_text("utf-8"))
    title = _MARK.sub(r"\1", match[1]) if match else path.stem
    return Page(path.relative_to(folder).as_posix(), title)
