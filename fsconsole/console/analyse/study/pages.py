"""The pages of a study: one line each. A page is made when it is first seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast, runtime_checkable

from PySide6.QtWidgets import QWidget

from fsconsole.console.analyse.study.desk import StudyDesk
from fsconsole.console.files.questions import Questions
from fsconsole.figures.spec import FigureSpec


class HasFigures(Protocol):
    """What a page may have: figures that can be exported."""

    @property
    def current_figure(self) -> FigureSpec | None:
        """The figure that Export is about; None where none is shown."""
        ...


class HasTable(Protocol):
    """What a page may have: a table that can be copied."""

    def copy_all(self) -> None:
        """Put it on the clipboard as tab-separated lines."""
        ...


@runtime_checkable
class ExportsItself(Protocol):
    """What a page may be that is no figure and no table: it writes its own files."""

    @property
    def has_something_to_export(self) -> bool:
        """Whether there is anything."""
        ...

    def export(self, questions: Questions) -> None:
        """Ask for a file and write it."""
        ...


@dataclass(frozen=True, slots=True)
class PageKind:
    """A page: its tab's words, the class (module:name) that is made with (desk, parent), its tooltip."""

    id: str
    title: str
    made_by: str
    tip: str

    def make(self, desk: StudyDesk, parent: QWidget) -> QWidget:
        """The page."""
        module, _, name = self.made_by.partition(":")
        return cast("QWidget", getattr(import_module(module), name)(desk, parent))


_HERE = "fsconsole.console.analyse.study"
PAGES: Sequence[PageKind] = (
    PageKind("overview", "Overview", f"{_HERE}.overview:Overview", "Measures, deviations and the table"),
    PageKind(
        "figures", "Figures", f"{_HERE}.figures_page:FiguresPage", "Figs. 1 to 4 of the paper, of this study"
    ),
    PageKind("tables", "Tables", f"{_HERE}.tables_page:TablesPage", "The paper's tables, of this study"),
    PageKind("users", "Users", f"{_HERE}.user_page:UserPage", "Who suffers and why; days and jobs of a user"),
    PageKind("machine", "Machine", f"{_HERE}.gantt_page:GanttPage", "Jobs on nodes over time, reservations"),
    PageKind("compare", "Job by job", f"{_HERE}.jobs_page:ComparePage", "Two schedules compared job by job"),
    PageKind("why", "Why", f"{_HERE}.why_page:WhyPage", "Why a job has not started at a time"),
)
