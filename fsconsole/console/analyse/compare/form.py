"""What is to be compared: four rows, how long, and Run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from fsconsole.app.ensemble import MOST_SEEDS
from fsconsole.console.analyse.compare.variant_row import PRESETS, Row, VariantRow
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, Gap, hbox, vbox
from fsconsole.console.widgets.buttons import menu_button
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.experiments.comparing import DASHES, LETTERS, Variant
from fsconsole.text.durations import in_words, typed_seconds
from fsconsole.text.numbers import percent

_NEEDED = 2
_LONGEST_S = 1e9


class CompareForm(QScrollArea):
    """Rows A to D above the length of the run; faults are shown below the entries.

    Signals: run_wanted(), cancel_wanted(), changed() when it may have become right or wrong.
    """

    run_wanted = Signal()
    cancel_wanted = Signal()
    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.rows = [
            VariantRow(letter, dash, is_needed=number < _NEEDED)
            for number, (letter, dash) in enumerate(zip(LETTERS, DASHES, strict=True))
        ]
        self.until = QLineEdit()
        self.until.setAccessibleName("Simulated time")
        self.until.setToolTip("Simulated time, such as 90 s, 20 min or 2 h")
        self.until.setFixedWidth(90)
        self.seeds = QSpinBox()
        self.seeds.setRange(1, MOST_SEEDS)
        self.seeds.setAccessibleName("Number of seeds")
        self.seeds.setToolTip(
            "Run each variant with this many seeds, on all cores\nThe curves are then medians, "
            "with bands from the 5th to the 95th percentile."
        )
        self.run = QPushButton("Run comparison")
        set_look(self.run, "primary")
        self.cancel = QPushButton("Cancel")
        self.progress = MutedLabel("")
        self.presets = QMenu()
        for title, rows in PRESETS.items():
            self.presets.addAction(title, partial(self.fill, rows))
        self.setAccessibleName("Variants")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = self._page()
        self.setWidget(page)
        for ground in (page, self.viewport()):
            ground.setAutoFillBackground(False)  # The background of the dock is visible.
        self._connect_signals()
        self.show_progress(None)
        self.rows[1].show_row(Row("flat"))
        self._on_document_changed()

    def fill(self, rows: Sequence[Row]) -> None:
        """Write a preset into the rows; further rows take no part."""
        for number, row in enumerate(self.rows):
            row.show_row(rows[number] if number < len(rows) else None)

    @Slot()
    def _on_document_changed(self) -> None:
        """Show the length of another document's run."""
        document = self._session.document
        self.until.setText("" if document is None else in_words(document.scenario.plot.until_s))
        self.check()

    def until_s(self) -> float | None:
        """Return the length of the run; None if the entry is wrong."""
        try:
            found = typed_seconds(self.until.text())
        except ValueError:
            return None
        return found if 0 < found <= _LONGEST_S else None

    def variants(self) -> tuple[Variant, ...]:
        """Return the variants of the rows; empty if one is wrong or no document is open."""
        document = self._session.document
        if document is None:
            return ()
        found = [row.variant(document.scenario) for row in self.rows]
        is_wrong = any(one is None and row.is_run for one, row in zip(found, self.rows, strict=True))
        return () if is_wrong else tuple(one for one in found if one is not None)

    @property
    def can_run(self) -> bool:
        """Whether everything is as it must be."""
        return self.run.isEnabled()

    def show_progress(self, fraction: float | None) -> None:
        """Show the progress of the run; None if no run is active."""
        self.run.setVisible(fraction is None)
        self.cancel.setVisible(fraction is not None)
        self.progress.setText("" if fraction is None else f"Running, {percent(fraction, 0)}")

    @Slot()
    def check(self) -> None:
        """Show all faults; only a correct form can be run."""
        is_time = self.until_s() is not None
        is_open = self._session.document is not None
        set_look(self.until, "" if is_time or not is_open else "error")
        self.run.setEnabled(bool(self.variants()) and is_time)
        self.changed.emit()

    def sizeHint(self) -> QSize:
        return QSize(368, 520)

    def _page(self) -> QWidget:
        page = QWidget()
        presets = menu_button("Presets", "Common sets of rows", self.presets)
        label = PlainLabel("Until", buddy=self.until)
        seeds = PlainLabel("Seeds", buddy=self.seeds)
        vbox(
            hbox((MutedLabel("Same scenario, same seeds"), 1), presets, spacing=INHERIT),
            *self.rows,
            hbox(label, self.until, Gap(8), seeds, self.seeds, STRETCH, spacing=8),
            hbox((self.progress, 1), self.run, self.cancel, spacing=INHERIT),
            STRETCH,
            on=page,
            margins=(12, 10, 12, 10),
            spacing=10,
        )
        return page

    def _connect_signals(self) -> None:
        for row in self.rows:
            row.changed.connect(self.check)
        self.until.textChanged.connect(self.check)
        self.until.returnPressed.connect(self.run_wanted)
        self.run.clicked.connect(self.run_wanted)
        self.cancel.clicked.connect(self.cancel_wanted)
        self._session.document_changed.connect(self._on_document_changed)
        self._session.settings_changed.connect(self.check)
