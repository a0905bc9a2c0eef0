"""The sources of demands, and the outlook on them for the views of Design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QElapsedTimer, QObject, Signal

from fsconsole.app.tree.elsewhere.rule import Division, Rule
from fsconsole.app.tree.elsewhere.rules import RULES
from fsconsole.app.tree.outlook import Outlook
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.saturation_note import demands_now
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.saturation import SATURATED, demands_of_report, saturated
from fsconsole.shares.scenario.spec import Demand, DemandReport

# The machine's demands are read twice per second while it runs.
_PACE_MS = 500
_DIGITS = 6  # Digits of a share of machine.


@dataclass(frozen=True, slots=True)
class Source:
    """Where demands come from: a report, the running machine, or nowhere: all are saturated."""

    title: str
    report: DemandReport | None = None
    is_machine: bool = False


NOWHERE = Source("none: all saturated")
MACHINE = Source("running machine", is_machine=True)


class WhatIf(QObject):
    """Demands of the open document and the outlook on them; it follows edits, previews and the machine.

    What is typed in stands beside the document until it is kept as a report. Signals: changed() when
    demands or what follows from them may be others, sources_changed() when others are to choose from.
    """

    changed = Signal()
    sources_changed = Signal()

    def __init__(self, session: ConsoleSession, preview: SharePreview) -> None:
        super().__init__(session)
        self._session = session
        self._preview = preview
        self._source = NOWHERE
        self._typed: dict[int, float] = {}
        self._before_kept: tuple[Source, dict[int, float]] | None = None
        self._outlook: Outlook | None = None
        self._rule = RULES[0]
        self._division: Division | None = None
        self._fault = ""
        self._is_stale = False
        self._tasks = Tasks(self)
        self._is_in_map = True
        self._since = QElapsedTimer()
        session.document_changed.connect(self._start)
        session.edited.connect(self._refresh)
        session.settings_changed.connect(self._on_reports)
        session.frame.connect(self._on_frame)
        preview.changed.connect(self._refresh)
        self._start()

    @property
    def sources(self) -> list[Source]:
        """Sources of demands: reports first, since users have saved them."""
        document = self._session.document
        reports = document.scenario.reports if document is not None else ()
        return [*(Source(report.title, report) for report in reports), MACHINE, NOWHERE]

    @property
    def source(self) -> Source:
        """Source of demands that is chosen."""
        return self._source

    def choose(self, source: Source) -> None:
        """Take demands from elsewhere; those typed in are forgotten."""
        self._source, self._typed = source, {}
        self._refresh()

    def set_demand(self, node_id: int, demand: float) -> None:
        """Set a node's demand: a fraction of the machine, inf if it is saturated."""
        self._typed[node_id] = demand
        self._refresh()

    @property
    def title(self) -> str:
        """Where the demands come from, those typed in too."""
        if not self._typed:
            return self._source.title
        return "typed in" if self._source is NOWHERE else f"{self._source.title}, changed"

    @property
    def has_typed(self) -> bool:
        """Whether demands were typed in."""
        return bool(self._typed)

    @property
    def can_keep(self) -> bool:
        """Whether there are demands that no report of the document has."""
        document = self._session.document
        is_locked = document is not None and bool(document.locked)
        return not is_locked and (self.has_typed or (self._source.is_machine and self._has_run))

    def keep(self, title: str) -> None:
        """Write the demands into a report of the document, undoably, and take it from there."""
        document = self._session.document
        if document is not None and self.can_keep:
            self._before_kept = self._source, self._typed
            report = self._report(title)
            document.keep_report(report)
            self.choose(Source(title, report))

    @property
    def is_in_map(self) -> bool:
        """Whether the share map hatches what is not used."""
        return self._is_in_map

    def show_in_map(self, is_shown: bool) -> None:
        """Hatch what is not used, or not."""
        if is_shown != self._is_in_map:
            self._is_in_map = is_shown
            self.changed.emit()

    @property
    def outlook(self) -> Outlook | None:
        """What follows from the demands; None while nothing is open. Computed when it is asked for.

        What another rule gives comes later, with `changed`; what it gave before stays until then.
        """
        document = self._session.document
        if self._outlook is None and document is not None:
            flat = self._preview.shown.flat
            column, measured = self._columns(flat)
            self._outlook = Outlook.of(document.tree, flat, column, self._stated(), measured)
            self._divide(self._outlook)
            self._outlook = self._with_division(self._outlook)
        return self._outlook

    @property
    def rule(self) -> Rule:
        """Chosen rule; Share divides surplus by shares, as the tree itself does."""
        return self._rule

    def choose_rule(self, rule: Rule) -> None:
        """Divide the machine by a rule of another scheduler too."""
        if rule != self._rule:
            self._rule, self._division, self._fault = rule, None, ""
            self._tasks.cancel()
            self._refresh()

    @property
    def note(self) -> str:
        """Why there is nothing of the rule chosen, or empty."""
        if self._rule == RULES[0] or (self._division is not None and not self._fault):
            return ""
        return f"{self._rule.title}: {self._fault or 'computing…'}"

    def demand_of(self, node_id: int) -> float:
        """Return the text on a node's demand; saturated by default."""
        outlook = self.outlook
        row = outlook.flat.row_of.get(node_id) if outlook is not None else None
        return outlook.demand(row) if outlook is not None and row is not None else SATURATED

    # -- inside -------------------------------------------------------------------------------------------

    def _divide(self, outlook: Outlook) -> None:
        """Run the rule in a thread on a copy of the tree, one run at a time, so that each finishes."""
        if self._rule == RULES[0]:
            return
        self._is_stale = self._tasks.is_busy()
        if not self._is_stale:
            rule, asked = self._rule, replace(outlook.asked(), tree=outlook.tree.copy())
            self._tasks.run(lambda: rule.divide(asked), self._on_divided, self._on_failed)

    def _with_division(self, outlook: Outlook) -> Outlook:
        if self._division is None or len(self._division.parts) != len(outlook.flat):
            return outlook
        return outlook.under(self._rule, self._division)

    def _on_divided(self, division: Division) -> None:
        self._division, self._fault = division, ""
        self._show_division()

    def _on_failed(self, error: Exception) -> None:
        self._division, self._fault = None, f"{describe_error(error).rstrip('.')}."
        self._show_division()

    def _show_division(self) -> None:
        """Show the result; start again if demands have changed since."""
        if self._is_stale:
            self._refresh()
        elif self._outlook is not None:
            self._outlook = self._with_division(replace(self._outlook, rule=None, division=None))
            self.changed.emit()

    @property
    def _has_run(self) -> bool:
        snapshot = self._session.snapshot
        return snapshot is not None and snapshot.tick > 0

    def _report(self, title: str) -> DemandReport:
        """Return the given demands, and for a machine the present demands of the rows shown."""
        outlook = self.outlook
        if outlook is None:
            return DemandReport(title, ())
        flat, measured = outlook.flat, outlook.measured
        rows = {flat.row_of[node] for node in outlook.stated}
        if self._source.is_machine:
            rows |= set(outlook.rows[~np.isnan(measured[outlook.rows])].tolist())
        return DemandReport(title, tuple(_demand(outlook, row) for row in sorted(rows)))

    def _stated(self) -> Mapping[int, float]:
        report = self._source.report
        return (demands_of_report(report) if report is not None else {}) | self._typed

    def _columns(self, flat: FlatTree) -> tuple[Floats, Floats]:
        """Return demands and measured shares of the machine, per row."""
        unknown, snapshot = np.full(len(flat), np.nan), self._session.snapshot
        if self._source.report is not None:
            for item in self._source.report.demands:
                if item.measured is not None and item.node in flat.row_of:
                    unknown[flat.row_of[item.node]] = item.measured
        if not self._source.is_machine or snapshot is None or not self._has_run:
            return saturated(flat), unknown
        document = self._session.document
        cpus = document.scenario.machine.cpus if document is not None else 1
        return demands_now(flat, snapshot, cpus)

    def _start(self) -> None:
        reports = [source for source in self.sources if source.report is not None]
        self._source, self._typed = (reports or [NOWHERE])[0], {}
        self._tasks.cancel()
        self._division, self._fault = None, ""
        self._before_kept = None
        self._refresh()
        self.sources_changed.emit()

    def _on_reports(self) -> None:
        """Show the reports that are kept: by undo one may have come or gone."""
        if self._source not in self.sources:
            self._source, self._typed = self._before_kept or (NOWHERE, {})
        self._refresh()
        self.sources_changed.emit()

    def _refresh(self) -> None:
        self._outlook = None
        self.changed.emit()

    def _on_frame(self) -> None:
        snapshot = self._session.snapshot
        if not self._source.is_machine or snapshot is None:
            return
        if snapshot.running and self._since.isValid() and self._since.elapsed() < _PACE_MS:
            return
        self._since.start()
        self._refresh()


def _demand(outlook: Outlook, row: int) -> Demand:
    """Return a row's demand as reports have it, to a ten thousandth of a percent."""
    demand, measured = outlook.demand(row), float(outlook.measured[row])
    return Demand(
        int(outlook.flat.ids[row]),
        None if demand > 1 else round(demand, _DIGITS),
        None if np.isnan(measured) else round(measured, _DIGITS),
    )
