"""Compare as a whole: form at the left, curves in the middle, differences at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.comparison import SourcesComparison, compare_sources
from fsconsole.console.actions import Action
from fsconsole.console.analyse.compare.differences_panel import DifferencesPanel
from fsconsole.console.analyse.compare.form import CompareForm
from fsconsole.console.analyse.compare.plot_panel import ComparePlot
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import Task, Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import DockBody
from fsconsole.experiments.comparing import Variant
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.spec import Scenario


class CompareController(QObject):
    """Runs comparisons of the open document and shows their results.

    Signals: changed() when the possible actions have changed.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._tasks = Tasks(self)
        self._reports = Tasks(self)
        self.comparison: SourcesComparison | None = None
        self.form = CompareForm(session, parent)
        self.plot = ComparePlot(session, parent)
        self.centre = DockBody(self.plot, parent)
        self.differences = DifferencesPanel(session, parent)
        self._connect_signals()
        self._show(None)

    @property
    def is_running(self) -> bool:
        """Whether a comparison runs."""
        return self._tasks.is_busy()

    def run(self) -> None:
        """Compare the variants of the form on the present document."""
        document, variants, until_s = self._session.document, self.form.variants(), self.form.until_s()
        if document is None or not variants or until_s is None or self.is_running:
            return
        # The tree is copied because the user may continue editing while the variants run.
        scenario = pruned(replace(document.scenario, tree=document.tree.copy()))
        call = partial(_compared, scenario, variants, until_s, self.form.seeds.value())
        self._tasks.run_task(call, self._on_finished, self._on_failed, self.form.show_progress)
        self.centre.clear_error()
        self.form.show_progress(0.0)
        self._show_empty()
        self.changed.emit()

    def cancel(self) -> None:
        """Cancel the run and report it; earlier results stay."""
        if self.is_running:
            self.close()
            before = "" if self.comparison is None else f" {self.comparison.legend()} stays."
            self._session.message.emit(f"Comparison cancelled.{before}")

    def export_report(self, questions: Questions) -> None:
        """Write a report of the comparison shown."""
        from fsconsole.app.reports.comparison_report import comparison_report
        from fsconsole.console.files.report_export import export_report

        found, span_s = self.comparison, self.differences.span_s
        if found is None or span_s is None:
            self._session.message.emit("Cannot report: the runs have no time in common")
            return
        make = partial(comparison_report, found, span_s)
        export_report(questions, self._reports, "comparison", make, self._session.message.emit)

    def close(self) -> None:
        """Cancel the comparison that runs."""
        if self.is_running:
            self._tasks.cancel()
            self._end()

    def actions(self, show: Action, run: Callable[[], object]) -> list[Action]:
        """Return the user's actions, after the one that shows Compare; `run` runs it visibly."""
        menu, group = "Simulation", "compare"
        return [
            show,
            Action(
                "analyse.compare_run", "Run comparison", run, icon="run", menu=menu, group=group,
                enabled=lambda: self.form.can_run and not self.is_running, why_not=self._why_not,
                tip="Run the policies of Compare side by side on the open scenario",
                words="compare policies variants differences",
            ),
            Action(
                "analyse.compare_cancel", "Cancel comparison", self.cancel, icon="stop-window", menu=menu,
                group=group, enabled=lambda: self.is_running, why_not=lambda: "No comparison is running",
            ),
            Action(
                "analyse.compare_copy", "Copy differences", self.differences.copy_all, menu="Edit",
                group="figure", enabled=lambda: self.comparison is not None,
                why_not=lambda: "Run a comparison first",
                tip="Copy the table of the comparison to the clipboard as tab-separated lines",
            ),
        ]  # fmt: skip

    def _why_not(self) -> str:
        if self.is_running:
            return "A comparison is running"
        if self._session.document is None:
            return "Open a scenario first"
        return "Correct the marked row or time first"

    def _connect_signals(self) -> None:
        session, form = self._session, self.form
        form.run_wanted.connect(self.run)
        form.cancel_wanted.connect(self.cancel)
        form.changed.connect(self._on_form)
        session.document_changed.connect(self._on_document_changed)
        session.edited.connect(self._look_for_changes)
        session.settings_changed.connect(self._look_for_changes)

    def _show(self, comparison: SourcesComparison | None) -> None:
        self.comparison = comparison
        self.plot.show_comparison(comparison)
        self.differences.show_comparison(comparison)
        self._look_for_changes()
        self._show_empty()
        self.changed.emit()

    def _show_empty(self) -> None:
        if self.comparison is not None:
            self.centre.show_content()
        elif self.is_running:
            self.centre.show_empty("Running the variants side by side…", "Cancel", self.cancel)
        elif self._session.document is None:
            self.centre.show_empty("Open a scenario to compare policies on it.")
        else:
            self.centre.show_empty(
                "Compare runs up to four policies or sets of parameters on the open scenario with "
                "the same seeds, and shows recorded runs beside them. Select them at the left.",
                "Run comparison" if self.form.can_run else "",
                self.run,
            )

    def _end(self) -> None:
        self.form.show_progress(None)
        self._show_empty()
        self.changed.emit()

    @Slot()
    def _on_form(self) -> None:
        self._show_empty()
        self.changed.emit()

    @Slot()
    def _on_document_changed(self) -> None:
        """Close the comparison, whose nodes are those of another document."""
        self.close()
        self.centre.clear_error()
        self._show(None)

    @Slot()
    def _look_for_changes(self) -> None:
        document, comparison = self._session.document, self.comparison
        if document is None or comparison is None:
            self.plot.show_stale(False)
            return
        now, ran = document.scenario, comparison.scenario
        if all(variant.folder is not None for variant in comparison.variants):
            self.plot.show_stale(False)  # Recorded runs do not depend on the document.
            return
        same = (now.machine, now.policy) == (ran.machine, ran.policy) and ran.tree.same_as(now.tree)
        self.plot.show_stale(not same)

    def _on_finished(self, comparison: SourcesComparison) -> None:
        self._end()
        self._show(comparison)
        self._session.message.emit(f"Compared {comparison.legend()}")

    def _on_failed(self, error: Exception) -> None:
        self._end()
        self.centre.show_error(f"The comparison failed: {describe_error(error)}", self.run)


def _compared(
    scenario: Scenario, variants: Sequence[Variant], until_s: float, seeds: int, task: Task
) -> SourcesComparison:
    return compare_sources(
        scenario, variants, until_s, seeds=seeds, progress=task.report_fraction, cancelled=task.is_cancelled
    )
