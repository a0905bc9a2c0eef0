"""The controls of the export dialog, and their choice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFormLayout, QWidget

from fsconsole.console.export_choice import (
    FONTS_PT,
    LEAST_MM,
    LINES_PT,
    MOST_MM,
    RESOLUTIONS_DPI,
    SIZES,
    ExportChoice,
)
from fsconsole.console.kit.forms import ChoiceField, Fields, NumberField, SegmentedField, SwitchField
from fsconsole.console.widgets.boxes import STRETCH, hbox
from fsconsole.console.widgets.labels import MutedLabel

_FORMATS = (("png", "PNG"), ("svg", "SVG"), ("pdf", "PDF"))
_DATA = ((None, "None"), ("csv", "CSV"), ("parquet", "Parquet"), ("py", "Script"))
_THEMES = (("light", "Light"), ("dark", "Dark"), ("print", "Print"))
_SHOWN_PARTS = (
    ("title", "Title"),
    ("names", "Names"),
    ("events", "Events"),
    ("notes", "Notes"),
    ("expected", "Expected values"),
)


class ExportForm(QWidget):
    """Signals: changed() when a control was moved. `parts` are what ranges are called: all, and as shown.

    `absent` are parts of figures that this one has not, so they are not offered; `plots` chooses plots.
    """

    changed = Signal()

    def __init__(
        self,
        choice: ExportChoice,
        parts: Sequence[tuple[str, str]],
        rows: Sequence[tuple[str, str]],
        absent: Collection[str] = (),
        plots: QWidget | None = None,
    ) -> None:
        super().__init__()
        self._plots = plots
        self.form = SegmentedField(_FORMATS, "Figure format", self)
        self.size_ = ChoiceField("Size", [(index, name) for index, (name, _, _) in enumerate(SIZES)], self)
        self.width_mm = NumberField("Width in mm", LEAST_MM, MOST_MM, decimals=1, parent=self)
        self.height_mm = NumberField("Height in mm", LEAST_MM, MOST_MM, decimals=1, parent=self)
        self.dpi = ChoiceField("Resolution", [(dpi, f"{dpi} dpi") for dpi in RESOLUTIONS_DPI], self)
        self.theme = SegmentedField(_THEMES, "Theme", self)
        self.font_pt = ChoiceField("Font size", [(size, f"{size:g} pt") for size in FONTS_PT], self)
        self.line_pt = ChoiceField("Line width", [(size, f"{size:g} pt") for size in LINES_PT], self)
        self.part = ChoiceField("Range", parts, self)
        self.checks = {name: SwitchField(word, self) for name, word in _SHOWN_PARTS}
        for name in absent:
            self.checks[name].hide()
        self.data = SegmentedField(_DATA, "Data format", self)
        self.rows = ChoiceField("Rows", rows, self)
        self.metadata = SwitchField(
            "Metadata as JSON",
            self,
            tip="Write scenario, digest, seed, settings and version to a file beside the figure",
        )
        own = ("form", "data", "width_mm", "height_mm", "dpi", "theme", "font_pt", "line_pt", "part", "rows")
        self._fields = Fields(
            self, **{name: getattr(self, name) for name in own}, metadata=self.metadata, **self.checks
        )
        self._build_ui()
        self._fields.fill(choice)
        self._adapt()
        self.size_.activated.connect(self._take_size)
        self._fields.changed.connect(self._on_changed)

    @property
    def choice(self) -> ExportChoice:
        """Choice of the controls."""
        return self._fields.read(ExportChoice())

    def _build_ui(self) -> None:
        layout = QFormLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
        layout.setVerticalSpacing(8)
        by, unit, lines = MutedLabel("×", self), MutedLabel("mm", self), MutedLabel("lines", self)
        shown = [check for check in self.checks.values() if not check.isHidden()]
        rows: list[tuple[str, Sequence[QWidget]]] = [
            ("Figure", [self.form]),
            ("Size", [self.size_]),
            ("", [self.width_mm, by, self.height_mm, unit]),
            ("Resolution", [self.dpi]),
            ("Theme", [self.theme]),
            ("Font", [self.font_pt, lines, self.line_pt]),
            ("Range", [self.part]),
            *(("" if at else "Show", shown[at : at + 2]) for at in range(0, len(shown), 2)),
            ("Data", [self.data]),
            ("Rows", [self.rows]),
            ("", [self.metadata]),
        ]
        if self._plots is not None:
            rows.insert(0, ("Plots", [self._plots]))
        for words, fields in rows:
            layout.addRow(words, hbox(*fields, STRETCH, spacing=8))

    @Slot()
    def _on_changed(self) -> None:
        self._adapt()
        self.changed.emit()

    @Slot(int)
    def _take_size(self, index: int) -> None:
        _, width, height = SIZES[index]
        if width:
            self.width_mm.setValue(width)
            self.height_mm.setValue(height)

    def _adapt(self) -> None:
        """Name the size; only PNG has a resolution, only data have rows."""
        size = (self.width_mm.value(), self.height_mm.value())
        found = (index for index, (_, *known) in enumerate(SIZES) if tuple(known) == size)
        self.size_.setCurrentIndex(next(found, len(SIZES) - 1))
        self.dpi.setEnabled(self.form.value == "png")
        self.rows.setEnabled(self.data.value is not None)


def without_range(choice: ExportChoice) -> ExportChoice:
    """Return the choice for the whole figure, as no part of it is on the screen."""
    return replace(choice, part="all", rows="all")
