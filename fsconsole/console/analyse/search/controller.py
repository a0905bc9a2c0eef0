"""A search in Analyse: opened, run, stopped; a point of its front becomes a study."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.study.files import SEARCH, results_of
from fsconsole.app.study.search import SearchResult, search_result
from fsconsole.app.study.search_point import study_of_points
from fsconsole.batch.search.folder import PLAN, SETTINGS, SearchFolder
from fsconsole.batch.search.run import SearchEvent, run_search
from fsconsole.batch.search.search_file import parse_search
from fsconsole.batch.search.spec import SearchSpec
from fsconsole.console.analyse.search.page import SearchPage
from fsconsole.console.analyse.study.runner import in_words
from fsconsole.console.analyse.study.work_controller import WorkController
from fsconsole.console.kit.tasks import Task
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.scenario.yaml_nodes import text_in
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.batch.study.task import WorkExecutor

_REPORT_EVERY_S = 0.2
_FOLLOWS = "The Pareto front appears here when the search ends."
_NOTHING = "A search looks for settings that meet goals. Open a search, or create one."


@dataclass(frozen=True, eq=False, slots=True)
class OpenSearch:
    """A search that was read: its text and place, its results, and settings done before there are any."""

    spec: SearchSpec
    text: str
    results: Path
    result: SearchResult | None
    begun: int = 0


def open_search(path: Path) -> OpenSearch:
    """Read a search's file or folder; ScenarioError, StudyError or OSError where that cannot be."""
    results = results_of(path)
    if path.is_dir() or path.parent == results:
        folder = SearchFolder(results)
        return _with_results(OpenSearch(folder.spec, text_in(results / SEARCH), results, None))
    text = text_in(path)
    spec = parse_search(text, path.parent, path.name)
    return _with_results(OpenSearch(spec, text, results, None))


def _with_results(search: OpenSearch) -> OpenSearch:
    """Return a search with what is in its folder now."""
    begun = SearchFolder(search.results).begun() if (search.results / PLAN).is_file() else 0
    return replace(search, result=read_result(search.results), begun=begun)


def read_result(results: Path) -> SearchResult | None:
    """Return the results in a folder; None if it has none yet."""
    if not ((results / PLAN).is_file() and (results / SETTINGS).is_file()):
        return None
    return search_result(SearchFolder(results))


class SearchController(WorkController[OpenSearch]):
    """Reads searches, runs them, and shows their results.

    Signals: those of its base; study_wanted(path) of a point's study, to run it.
    """

    study_wanted = Signal(object)

    def __init__(
        self,
        session: ConsoleSession,
        parent: QWidget,
        make_executor: Callable[[], WorkExecutor] | None = None,
    ) -> None:
        self.page = SearchPage(parent)
        super().__init__(session, parent, self.page, open_search, make_executor)
        self._stopped = Event()
        self._progress = ""
        self.page.run_wanted.connect(self.run)
        self.page.stop_wanted.connect(self.stop)
        self.page.point_wanted.connect(self.open_point)
        self.page.picked.connect(self.changed)
        self._show_state()

    @property
    def search(self) -> OpenSearch | None:
        """Search that is open; None for none."""
        return self._work

    @property
    def name(self) -> str:
        """Its name; empty where none is open."""
        return self.search.spec.name if self.search is not None else "Search" if self.is_open else ""

    @property
    def has_result(self) -> bool:
        """Whether the search has points."""
        return self.search is not None and self.search.result is not None and self.search.result.is_done

    @property
    def can_run(self) -> bool:
        """Whether anything is left to do."""
        return super().can_run and not self.has_result

    @property
    def has_point(self) -> bool:
        """Whether a point of the front is selected."""
        return bool(self.page.points)

    @property
    def words(self) -> str:
        """How far the search is, and where its results are."""
        if self.search is None:
            return ""
        return self._progress or f"Results: {self.search.results.name}"

    @Slot()
    def run(self) -> None:
        """Try what is not tried yet."""
        if self.search is None or self.is_running:
            return
        self._stopped.clear()
        self.body.clear_error()
        self._progress = "Reading the trace…"
        work = partial(_work, self.search, self._make_executor, self._stopped)
        self._run_task = self._tasks.run_task(work, self._on_ended, self._on_failed, self._on_progress)
        self._show_state()

    @Slot()
    def stop(self) -> None:
        """Stop soon; settings that were tried stay."""
        self._stopped.set()
        if self.is_running:
            self._progress = "Stopping…"
            self._show_state()

    @Slot()
    def open_point(self) -> None:
        """Write the selected points as a study and have it run."""
        numbers = [point.number for point in self.page.points]
        if not numbers or self.search is None:
            return
        make = partial(_study_of, self.search.results, numbers)
        self._tasks.run(make, self.study_wanted.emit, self._on_no_study, latest="point")

    def end(self) -> None:
        """Stop all calculations, because the window closes."""
        self._stopped.set()
        super().end()

    # -- handlers -----------------------------------------------------------------------------------------

    def _on_progress(self, event: SearchEvent) -> None:
        if not self._stopped.is_set():
            count, total = thousands(event.done), count_words(event.total, "setting")
            facts = [f"{count} of {total} done", f"{event.meets} meet all bounds"]
            if event.left_s and event.phase == "search":
                facts.append(f"{length_words(event.left_s)} left")
            if event.phase == "held-out months":
                facts.append("held-out months")
            self._progress = ", ".join(facts)
            self._show_state()

    def _on_ended(self, search: OpenSearch) -> None:
        self._finish()
        if self.search is not None:
            self._show(search)
            if (result := search.result) is not None:
                self._session.message.emit(f"{result.spec.name}: {thousands(result.tried)} settings tried")

    def _on_failed(self, error: Exception) -> None:
        self._finish()
        self._show_state()
        self.body.show_error(f"The search failed: {in_words(error)}", self.run)

    def _on_no_study(self, error: Exception) -> None:
        self._session.message.emit(f"Cannot open the point: {in_words(error)}")

    # -- inside -------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        self._run_task, self._progress = None, ""

    def _show(self, search: OpenSearch | None) -> None:
        self._work = search
        self.page.show_result(search.result if search is not None else None)
        self._show_state()

    def _show_state(self) -> None:
        search = self.search
        self.page.show_progress(self._progress, is_running=self.is_running, is_left=self.can_run)
        if search is None:
            self.body.show_empty(_NOTHING)
        elif search.result is not None:
            self.body.show_content()
        elif self.is_running:
            self.body.show_empty(_FOLLOWS)
        else:
            about = f"{search.spec.about.strip()} " if search.spec.about else ""
            count = thousands(search.spec.budget)
            text = f"{count} settings, none tried yet."
            if (search.results / PLAN).is_file():
                begun = thousands(search.begun)
                text = f"Stopped after {begun} of {count} settings. Run the search again to continue."
            self.body.show_empty(f"{about}{text}", "Run search", self.run)
        self.changed.emit()


def _work(
    search: OpenSearch, make_executor: Callable[[], WorkExecutor], stopped: Event, task: Task
) -> OpenSearch:
    """Run a search in a thread; gives it with what is in its folder at the end."""
    reported = 0.0

    def report(event: SearchEvent) -> None:
        nonlocal reported
        if (now := time.monotonic()) - reported >= _REPORT_EVERY_S:
            reported = now
            task.report(event)

    with make_executor() as executor:
        run_search(
            search.spec, search.text, search.results, executor, report,
            lambda: stopped.is_set() or task.is_cancelled(),
        )  # fmt: skip
    return _with_results(search)


def _study_of(results: Path, numbers: list[int]) -> Path:
    return study_of_points(SearchFolder(results), numbers, results / "points" / "-".join(map(str, numbers)))
