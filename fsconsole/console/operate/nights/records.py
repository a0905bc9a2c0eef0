"""What is on record of a night: the audit log, the report of this night, that of the last one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QPlainTextEdit

from fsconsole.app.reports.document import Report, Section
from fsconsole.app.reports.night_report import night_again, night_report
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.operate.records import AUDIT_FORMS, AuditTable, Record, Records
from fsconsole.console.style.fonts import fixed_font
from fsconsole.neardedicated.report import TABLES, report_csv, report_text
from fsconsole.neardedicated.view import NightView, ReportView
from fsconsole.shares.scenario.write import write_text

_FILE = "scenario.yaml"
_BY_HAND = (
    "This run has manual changes and was not recorded, so a scenario cannot repeat it. "
    "`fsconsole nd report RUN` makes the report of a recorded run again."
)
_REPORT_FORMS = ("Text (*.txt)", "Jobs that ended (*.csv)", "System use (*.csv)")


class ReportPage(QPlainTextEdit):
    """A report in the paper's layout."""

    def __init__(
        self, controller: NightController, name: str, report: Callable[[NightView], ReportView | None],
        *, is_last: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self._controller, self._report, self._is_last = controller, report, is_last
        self._shown: tuple[ReportView | None] | None = None
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setFont(fixed_font())
        self.setFrameShape(self.Shape.NoFrame)
        self.setLineWrapMode(self.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)

    @property
    def report(self) -> ReportView | None:
        """What is reported; None while there is nothing."""
        night = self._controller.night
        return self._report(night) if night is not None else None

    def text(self, form: int) -> str:
        """Return the report in one of its forms; empty where there is none."""
        report, start = self.report, self._controller.times.start
        if report is None:
            return ""
        return report_csv(report, start, TABLES[form - 1]) if form else report_text(report, start)

    def report_maker(self) -> Callable[[], Report]:
        """Return a function that makes the report with findings and figures in a thread."""
        report, night = self.report, self._controller.night
        assert report is not None  # noqa: S101 (asked for where there is text)
        assert night is not None  # noqa: S101
        document = self._controller.session.document
        return partial(
            night_report,
            report,
            self._controller.times.start,
            required_efficiency=night.required_efficiency,
            scenario="" if document is None else document.scenario.title,
            again=self._again(),
        )

    def _again(self) -> Section | None:
        """Return the section on repeating the report: from the scenario, or from the run if more was done."""
        snapshot, document = self._controller.session.snapshot, self._controller.session.document
        if snapshot is None or document is None:
            return None
        if snapshot.recording is not None:
            return night_again(snapshot.recording.name, snapshot.time_s, last=self._is_last)
        if snapshot.journal:
            return Section("Commands of this report", (_BY_HAND,))
        files = ((_FILE, write_text(document.scenario)),)
        return night_again(_FILE, snapshot.time_s, last=self._is_last, files=files)

    def follow(self, nothing: str) -> None:
        """Show it as it is now; where one reads it stays."""
        shown = (self.report,)
        if shown == self._shown:
            return
        self._shown = shown
        text = self.text(0) or nothing
        if text == self.toPlainText():
            return
        bar = self.verticalScrollBar()
        at, was_last = bar.value(), bar.maximum() > 0 and bar.value() == bar.maximum()
        self.setPlainText(text)
        bar.setValue(bar.maximum() if was_last else at)


class NightRecords(Records):
    """The audit log and two reports."""

    def __init__(self, controller: NightController) -> None:
        self.audit = AuditTable(
            lambda tick: controller.times.clock(tick / controller.hz),
            controller.session.preferences,
            "operate/audit",
        )
        self.night = ReportPage(controller, "Near-dedicated report", lambda night: night.night)
        self.last = ReportPage(
            controller, "Report of last night", lambda night: night.last_night, is_last=True
        )
        super().__init__(
            (
                Record(
                    "Audit log", "audit log", lambda: "audit", AUDIT_FORMS, self.audit,
                    lambda: self.audit.show_rows(controller.audit),
                    lambda form: self.audit.text(controller.audit, as_csv=form > 0),
                    find=self.audit.filter_by,
                ),
                _record("ND report", "ND report", self.night, "No window has been open yet."),
                _record(
                    "Last night", "ND report of last night", self.last,
                    "No earlier night yet.",
                ),
            )
        )  # fmt: skip
        controller.changed.connect(self.follow)
        controller.audited.connect(self.follow)


def _record(title: str, name: str, page: ReportPage, nothing: str) -> Record:
    stem = name.lower().replace(" of ", "-").replace(" ", "-")
    follow = partial(page.follow, nothing)
    return Record(
        title, name, lambda: stem, _REPORT_FORMS, page, follow, page.text, nothing, page.report_maker
    )
