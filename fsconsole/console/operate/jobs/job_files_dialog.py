"""Shows a job's batch script and the end of its output, which is followed while it is seen."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QPlainTextEdit, QTabWidget, QWidget

from fsconsole.app.jobs.words import name_of
from fsconsole.console.connections import every
from fsconsole.console.kit.forms import close_buttons
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.widgets.boxes import INHERIT, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.slurm.jobs import Job
from fsconsole.targets.slurm.job_files import JobOutput, read_output, read_script
from fsconsole.text.visible_text import visible

_SIZE = QSize(820, 520)
_FOLLOW_MS = 2000
_OUTPUT = "output"


class JobFilesDialog(Dialog):
    """Reads in the target's thread; while the end of the output is in sight, it stays there."""

    def __init__(self, controller: JobController, job: Job, parent: QWidget) -> None:
        super().__init__(f"Script and output of job {name_of(job)}", parent)
        self._cluster, self._label = controller.cluster, job.label
        self._tasks = Tasks(self)
        self.tabs = QTabWidget(self)
        self.output, self.script = self._page("Output"), self._page("Script")
        self.remark = InkLabel(self, "muted")
        self._words = {self.output: "Reading.", self.script: "Reading."}
        vbox((self.tabs, 1), self.remark, close_buttons(self), on=self, margins=None, spacing=INHERIT)
        self._timer = every(self, _FOLLOW_MS, self._read_output)
        self.tabs.currentChanged.connect(self._show_state)
        self.resize(_SIZE)
        self._read_output()
        self._ask(partial(read_script, job=job.label), self._take_script, self.script)
        self._timer.start()

    # -- inside ---------------------------------------------------------------------------------------------

    def _page(self, title: str) -> QPlainTextEdit:
        page = QPlainTextEdit(self)
        page.setReadOnly(True)
        page.setFont(fixed_font())
        page.setAccessibleName(title)
        page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.tabs.addTab(page, title)
        return page

    @Slot()
    def _read_output(self) -> None:
        """Read the output, unless the tab is hidden."""
        if self.isVisible() and self.tabs.currentWidget() is not self.output:
            return
        if not self._tasks.is_busy(_OUTPUT):
            self._ask(partial(read_output, job=self._label), self._take_output, self.output)

    def _ask(
        self, question: Callable[..., object], take: Callable[..., object], page: QPlainTextEdit
    ) -> None:
        if self._cluster is not None:
            asked = self._cluster.target.ask(question)
            key = _OUTPUT if page is self.output else ""
            self._tasks.watch(asked, take, partial(self._on_failed, page), latest=key)

    def _take_script(self, text: str) -> None:
        self.script.setPlainText(visible(text))
        self._words[self.script] = ""
        self._show_state()

    def _take_output(self, found: JobOutput) -> None:
        bar = self.output.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum()
        text = visible(found.text)
        if text != self.output.toPlainText():
            self.output.setPlainText(text)
            if is_at_end:
                bar.setValue(bar.maximum())
        where = f"The end of {found.path}" if found.is_cut else found.path
        self._words[self.output] = found.remark or where
        self._show_state()

    def _on_failed(self, page: QPlainTextEdit, error: Exception) -> None:
        if not isinstance(error, CancelledError):
            self._words[page] = str(error)
            if page is self.output:
                self._timer.stop()  # The reason of the failure does not change every two seconds.
            self._show_state()

    @Slot()
    def _show_state(self) -> None:
        page = self.output if self.tabs.currentWidget() is self.output else self.script
        self.remark.say(self._words[page], "muted")
