"""The page of a cluster: plots at the left, the form at the right, computed in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.app.forecast.change_list import staged_shares
from fsconsole.app.forecast.cluster import Cluster, live_cluster, read_capture
from fsconsole.app.forecast.cluster_figures import Shown, figures_of
from fsconsole.app.forecast.question import Answer, answer
from fsconsole.app.forecast.ways import WayRow, edits_of
from fsconsole.console.analyse.forecast.cluster_form import ClusterForm
from fsconsole.console.analyse.forecast.page import ForecastPage
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.files import is_there_as_file
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import TreeError
from fsconsole.slurm.staged_changes import Changes
from fsconsole.targets.slurm.replay import MANIFEST
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.console.cluster.session import ClusterSession

KEY = "forecast/cluster"
READING = "reading"
_FILTERS = ("Output of sshare, captures (*.psv *.txt *.csv capture.json)", "All files (*)")
_EMPTY = "A forecast of a cluster starts from a file with the output of sshare -l -a -P."


class ClusterPage(ForecastPage):
    """Answers the newest question continuously. Signals: changed() with other figures."""

    def __init__(self, session: ConsoleSession, questions: Questions, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.questions = questions
        self._path: Path | None = None
        self._live: ClusterSession | None = None
        self._is_of: ClusterSession | None = None  # Cluster of the forecast, None for a file.
        self._standing: object = None
        remembered = session.preferences.value(KEY, {})
        self.form = ClusterForm(remembered)
        self.lay_out(self.form, self.form.words)
        self._connect_signals()
        self.show_empty()
        self._begin(remembered.get("capture"))

    def ask_capture(self) -> None:
        """Ask for a file and forecast from it."""
        folder = self._path.parent if self._path is not None else Path.home()
        path = self.questions.file_to_open("Open sshare output", folder, _FILTERS)
        if path is not None:
            self.open_capture(path)

    def open_capture(self, path: Path) -> None:
        """Read a file or a capture folder, and forecast from it.

        What is shown stays until then.
        """
        self.body.clear_error()
        if path.name == MANIFEST:
            path = path.parent
        self._read(lambda: (path, read_capture(path)))

    @Slot()
    def use_live(self) -> None:
        """Forecast from the live cluster and follow it."""
        self._path = None
        self._standing = None
        self._on_live_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_live_changed()

    # -- inside -------------------------------------------------------------------------------------------

    def _begin(self, remembered: object) -> None:
        """Read the live cluster if there is one, else the capture of the last time if it is still there."""
        path = Path(remembered) if isinstance(remembered, str) and remembered else None
        self._watch_live()
        if (
            self._live is None
            and path is not None
            and (is_there_as_file(path) or is_there_as_file(path / MANIFEST))
        ):
            self.open_capture(path)

    @Slot()
    def _watch_live(self) -> None:
        """Follow another open cluster, or none."""
        found = self._session.offer(CLUSTER)
        if found is self._live:
            return
        self._live = found
        self.form.live.setVisible(found is not None)
        self._show_places()
        if found is not None:
            found.changed.connect(self._on_live_changed)
            self.use_live()

    @Slot()
    def _on_live_changed(self) -> None:
        """Take newer usage of the live cluster, where the forecast is from it and the page is seen."""
        if self._live is None or self._path is not None or not self.isVisible():
            return
        state = self._live.state
        if state.standing is None or state.standing is self._standing:
            return
        self._standing = state.standing
        self._read(lambda: (None, live_cluster(state)), self._live)

    def _read(
        self, call: Callable[[], tuple[Path | None, Cluster | None]], live: ClusterSession | None = None
    ) -> None:
        self.tasks.run(call, partial(self._on_read, live), self._on_unreadable, latest=READING)
        self.show_work()

    def _on_read(self, live: ClusterSession | None, found: tuple[Path | None, Cluster | None]) -> None:
        self.show_work()
        path, cluster = found
        if cluster is None:
            return
        self._path, self._is_of = path, live
        self.body.clear_error()
        self.form.show_cluster(cluster, f"{cluster.name}, {count_words(len(cluster.tree), 'association')}")
        self._show_places()
        self.show_empty()
        self._ask()

    def _show_places(self) -> None:
        """Show whether edits can move to and from Design: only if the forecast is of the open cluster."""
        cluster, live = self.form.cluster, self._live
        is_open = (
            live is not None and live is self._is_of and cluster is not None and bool(cluster.known.nodes)
        )
        why_not = "Design shows another tree. Connect to the cluster, or open its capture folder, there."
        for page in (self.form.changes, self.form.goal):
            page.show_places(can_stage=is_open, why_not=why_not)

    @Slot()
    def _on_stage(self) -> None:
        self._stage(self.form.changes.changes)

    @Slot(object)
    def _on_stage_way(self, row: WayRow) -> None:
        """Stage a way with the changes on which its result rests."""
        self._stage(row.changes, beside=row.changes != row.way.changes)

    def _stage(self, changes: Changes, *, beside: bool = False) -> None:
        """Stage new shares in Design; the message names the other changes.

        `beside`: a way to the goal is staged, with the changes on which it rests.
        """
        cluster, document = self.form.cluster, self._session.document
        if cluster is None or document is None:
            return
        try:
            edits = edits_of(cluster, document.tree, changes)
            document.edit("Set shares", edits)
        except (TreeError, ValueError) as error:
            self.form.changes.fault.say(str(error))
            self._session.message.emit(str(error))  # The page with the error may be hidden by another tab.
            return
        self.form.changes.fault.say("")
        self._session.message.emit(_staged_words(len(edits), changes, beside=beside))

    @Slot()
    def _take(self) -> None:
        """List the new shares that are staged in Design."""
        cluster, document = self.form.cluster, self._session.document
        if cluster is None or document is None:
            return
        try:
            taken = staged_shares(cluster, document.tree)
        except ValueError as error:
            self.form.changes.fault.say(str(error))
            return
        self.form.changes.fault.say("" if taken else "Stage new shares in Design first")
        if taken:
            self.form.changes.also(taken)

    def _on_unreadable(self, error: Exception) -> None:
        self.show_work()
        details = None
        if isinstance(error, ScenarioError):
            heading = f"Cannot use {error.name or 'the sshare file'}"
            details = partial(self.questions.show_problems, error.name, error.problems, heading)
        self.body.show_error(_describe(error), None, details)

    @Slot()
    def _ask(self) -> None:
        """Start the form's question; if it has a fault, mute the display."""
        self._remember()
        self.form.show_faults()
        question = self.form.question()
        if question is None:
            self.drop_question(is_right=self.form.is_right, show_none=lambda: self._show(None))
            return
        if question.goal is not None:
            self.form.goal.expect_answer()
        self.run_question(lambda task: answer(question, task.is_cancelled), self._show)

    def _show(self, found: Answer | None) -> None:
        self.show_work()
        self.form.show_answer(found)
        figures = figures_of(found, Shown(self.form.shown.read())) if found is not None else ()
        if found is None:
            self.show_plots(figures, (), 1.0)
        else:
            asked = found.question
            self.show_plots(figures, asked.jobs, found.until_s, asked.cluster.rate_unit)

    def ask_again(self) -> None:
        """Start the form's question again."""
        self._ask()

    def doing(self) -> str:
        """Return the name of the task under way: reading the cluster, or computing the forecast."""
        return "Reading the cluster" if self.tasks.is_busy(READING) else "Computing the forecast"

    def describe(self, error: Exception) -> str:
        """Return an error as a sentence; of many problems, the first."""
        return _describe(error)

    def show_empty(self) -> None:
        """Show plots, or what to do to get some."""
        if self.form.cluster is None:
            self.body.show_empty(_EMPTY, "Open capture…", self.ask_capture)
        elif not self.plots.figures:
            self.body.show_empty("Choose a user, an account or a change at the right.")
        else:
            self.body.show_content()

    def _remember(self) -> None:
        found = self.form.to_json() | {"capture": str(self._path) if self._path is not None else ""}
        self._session.preferences.set_value(KEY, found)

    def _connect_signals(self) -> None:
        self.form.changed.connect(self._ask)
        self.form.open_wanted.connect(self.ask_capture)
        self.form.live_wanted.connect(self.use_live)
        self.form.changes.stage_wanted.connect(self._on_stage)
        self.form.changes.take_wanted.connect(self._take)
        self.form.goal.stage_wanted.connect(self._on_stage_way)
        self._session.document_changed.connect(self._watch_live)


def _staged_words(count: int, changes: Changes, *, beside: bool) -> str:
    """Return sentences on the staged changes, and on those that Design does not stage."""
    if not count:
        return "Design already has these shares."
    sentences = [f"Staged {count_words(count, 'edit')} in Design. Apply or undo them there."]
    if beside:
        sentences.append("They include the changes above, because the goal needs them.")
    if changes != Changes(changes.shares):
        sentences.append("Design cannot stage work, usage, half-life or dampening.")
        if beside:
            sentences.append("The goal needs the other changes too.")
    return " ".join(sentences)


def _describe(error: Exception) -> str:
    """Return an error as a sentence; of many problems, the first."""
    if isinstance(error, ScenarioError):
        first = error.problems[0]
        where = f"{error.name}, line {first.line}" if first.line else error.name
        more = f" ({len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        return f"{where}: {first.text}{more}" if where else f"{first.text}{more}"
    if isinstance(error, OSError):
        return f"Cannot read {error.filename or 'the file'}: {error.strerror or error}"
    return describe_error(error)
