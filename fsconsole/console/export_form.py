"""The controls of the export dialog, and the choice that they stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QWidget

from fsconsole.console.export_choice import (
    FONTS_PT,
    LEAST_MM,
    LINES_PT,
    MOST_MM,
    RESOLUTIONS_DPI,
    SIZES,
    ExportChoice,
)
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.number_box import NumberBox

_FORMATS = (("png", "PNG"), ("svg", "SVG"), ("pdf", "PDF"))
_DATA = ((None, "None"), ("csv", "CSV"), ("parquet", "Parquet"))
_THEMES = (("light", "Light"), ("dark", "Dark"), ("print", "Print"))
_SHOWN_PARTS = (("title", "Title"), ("names", "Names"), ("events", "Events"), ("expected", "Expected values"))
Option = tuple[Any, str]


class ExportForm(QWidget):
    """Signals: changed() when a control was moved. `parts` are what ranges are called: all, and as shown.

    `absent` are parts of figures that this one has not, so they are not offered.
    """

    changed = Signal()

    def __init__(
        self,
        choice: ExportChoice,
        parts: Sequence[tuple[str, str]],
        rows: Sequence[tuple[str, str]],
        absent: Collection[str] = (),
    ) -> None:
        super().__init__()
        self.form = SegmentedButtons(_FORMATS, "Figure format", self)
        self.size_ = _combo("Size", [(index, name) for index, (name, _, _) in enumerate(SIZES)], self)
        self.width_mm, self.height_mm = _spin("Width in mm", self), _spin("Height in mm", self)
        self.dpi = _combo("Resolution", [(dpi, f"{dpi} dpi") for dpi in RESOLUTIONS_DPI], self)
        self.theme = SegmentedButtons(_THEMES, "Theme", self)
        self.font_pt = _combo("Font size", [(size, f"{size:g} pt") for size in FONTS_PT], self)
        self.line_pt = _combo("Line width", [(size, f"{size:g} pt") for size in LINES_PT], self)
        self.part = _combo("Range", parts, self)
        self.checks = {name: QCheckBox(word, self) for name, word in _SHOWN_PARTS}
        for name in absent:
            self.checks[name].hide()
        self.data = SegmentedButtons(_DATA, "Data format", self)
        self.rows = _combo("Rows", rows, self)
        self.metadata = QCheckBox("Metadata as JSON", self)
        self.metadata.setToolTip("Scenario and its digest, seed, settings and version, in a file beside")
        self._lay_out()
        self._show(choice)
        self._listen()

    @property
    def choice(self) -> ExportChoice:
        """What the controls say."""
        return ExportChoice(
            form=self.form.value,
            data=self.data.value,
            width_mm=self.width_mm.value(),
            height_mm=self.height_mm.value(),
            dpi=self.dpi.currentData(),
            theme=self.theme.value,
            font_pt=self.font_pt.currentData(),
            line_pt=self.line_pt.currentData(),
            part=self.part.currentData(),
            rows=self.rows.currentData(),
            metadata=self.metadata.isChecked(),
            **{name: check.isChecked() for name, check in self.checks.items()},
        )

    def _show(self, choice: ExportChoice) -> None:
        self.form.choose(choice.form)
        self.data.choose(choice.data)
        self.theme.choose(choice.theme)
        self.width_mm.setValue(choice.width_mm)
        self.height_mm.setValue(choice.height_mm)
        for name in ("dpi", "font_pt", "line_pt", "part", "rows"):
            combo: QComboBox = getattr(self, name)
            combo.setCurrentIndex(max(0, combo.findData(getattr(choice, name))))
        for name, check in self.checks.items():
            check.setChecked(getattr(choice, name))
        self.metadata.setChecked(choice.metadata)
        self._name_size()
        self._adapt()

    def _lay_out(self) -> None:
        layout = QFormLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
        layout.setVerticalSpacing(8)
        by, unit, lines = MutedLabel("×", self), MutedLabel("mm", self), MutedLabel("lines", self)
        layout.addRow("Figure", _row(self.form))
        layout.addRow("Size", _row(self.size_))
        layout.addRow("", _row(self.width_mm, by, self.height_mm, unit))
        layout.addRow("Resolution", _row(self.dpi))
        layout.addRow("Theme", _row(self.theme))
        layout.addRow("Font", _row(self.font_pt, lines, self.line_pt))
        layout.addRow("Range", _row(self.part))
        shown = [check for check in self.checks.values() if not check.isHidden()]
        for first in range(0, len(shown), 2):
            layout.addRow("" if first else "Show", _row(*shown[first : first + 2]))
        layout.addRow("Data", _row(self.data))
        layout.addRow("Rows", _row(self.rows))
        layout.addRow("", _row(self.metadata))

    def _listen(self) -> None:
        for segmented in (self.form, self.theme, self.data):
            segmented.chosen.connect(self._told)
        self.size_.activated.connect(self._take_size)
        for spin in (self.width_mm, self.height_mm):
            spin.valueChanged.connect(self._resized)
        for combo in (self.dpi, self.font_pt, self.line_pt, self.part, self.rows):
            combo.currentIndexChanged.connect(self._told)
        for check in (*self.checks.values(), self.metadata):
            check.toggled.connect(self._told)

    @Slot()
    def _told(self) -> None:
        self._adapt()
        self.changed.emit()

    @Slot(int)
    def _take_size(self, index: int) -> None:
        _, width, height = SIZES[index]
        if width:
            self.width_mm.setValue(width)
            self.height_mm.setValue(height)

    @Slot()
    def _resized(self) -> None:
        self._name_size()
        self.changed.emit()

    def _name_size(self) -> None:
        size = (self.width_mm.value(), self.height_mm.value())
        found = (index for index, (_, *known) in enumerate(SIZES) if tuple(known) == size)
        self.size_.setCurrentIndex(next(found, len(SIZES) - 1))

    def _adapt(self) -> None:
        """Only PNG has a resolution, only data have rows."""
        self.dpi.setEnabled(self.form.value == "png")
        self.rows.setEnabled(self.data.value is not None)


def without_range(choice: ExportChoice) -> ExportChoice:
    """The choice where there is no part to show."""
    return replace(choice, part="all", rows="all")


def _combo(name: str, options: Iterable[Option], parent: QWidget) -> QComboBox:
    made = QComboBox(parent)
    made.setAccessibleName(name)
    for value, word in options:
        made.addItem(word, value)
    return made


def _spin(name: str, parent: QWidget) -> NumberBox:
    made = NumberBox(parent)
    made.setAccessibleName(name)
    made.setRange(LEAST_MM, MOST_MM)
    made.setDecimals(1)
    return made


def _row(*widgets: QWidget) -> QHBoxLayout:
    made = QHBoxLayout()
    made.setSpacing(8)
    for widget in widgets:
        made.addWidget(widget)
    made.addStretch(1)
    return made
