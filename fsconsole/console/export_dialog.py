"""The export dialog: a figure and its data to files, with a live preview."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRectF, QSize, QStandardPaths, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from fsconsole.console.connections import once
from fsconsole.console.export_choice import ExportChoice, base_of, height_for, name_files, names_a_file
from fsconsole.console.export_form import ExportForm, without_range
from fsconsole.console.export_plots import PlotChoice, PlotPicker
from fsconsole.console.figure_view import PX_PER_INCH, copy_figure
from fsconsole.console.preferences import Preferences
from fsconsole.console.style import icons
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.roles import Role
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.figures.arrange import UNITS_PER_MM
from fsconsole.figures.export import file_bytes, picture_format
from fsconsole.figures.paint import paint_figure
from fsconsole.figures.spec import FigureSpec, FigureStyle
from fsconsole.shares.files import is_there, is_there_as_folder, trouble_with
from fsconsole.text.numbers import fixed, percent, thousands

_WEIGH_AFTER_MS = 250
Range = tuple[float, float]


_MARGIN = 14


class ExportPreview(QWidget):
    """Paints a figure with the painter of the files, as large as fits. Signals: resized()."""

    accessible_role = Role.Chart

    resized = Signal()

    def __init__(self, spec: FigureSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spec = spec
        self._style = FigureStyle()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Preview")

    def show_figure(self, spec: FigureSpec, style: FigureStyle) -> None:
        """Show another figure or style."""
        self._spec, self._style = spec, style
        self.update()

    @property
    def zoom(self) -> float:
        """Size here over the size on paper; 1 at the screen's nominal resolution."""
        return self.paper().width() / (self._style.width_mm / 25.4 * PX_PER_INCH)

    def paper(self) -> QRectF:
        """Return the place of the figure."""
        room = QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        scale = min(room.width() / self._style.width_mm, room.height() / self._style.height_mm)
        place = QRectF(0, 0, self._style.width_mm * scale, self._style.height_mm * scale)
        place.moveCenter(room.center())
        return place

    def sizeHint(self) -> QSize:
        return QSize(560, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 240)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("window"))
            paper = self.paper()
            painter.save()
            painter.setClipRect(paper)
            painter.translate(paper.topLeft())
            scale = paper.width() / (self._style.width_mm * UNITS_PER_MM)
            painter.scale(scale, scale)
            paint_figure(painter, self._spec, self._style)
            painter.restore()
            painter.setPen(colour("line2"))
            painter.drawRect(paper)


class ExportDialog(Dialog):
    """Exports what `source` gives; `shown` is the range in x that the screen shows, if it is a part.

    With `preferences`, the last choice and name of each figure, the last folder and look are remembered.
    With `plots` a person chooses which of them are in the figure; `source` gives the figure of those.
    With `others` all these can be written instead, in the same look, each under its own name.
    Signals: message(text) which files were written where.
    """

    message = Signal(str)

    def __init__(
        self,
        source: Callable[[], FigureSpec],
        parent: QWidget | None = None,
        *,
        preferences: Preferences | None = None,
        shown: Range | None = None,
        plots: PlotChoice | None = None,
        others: tuple[str, Callable[[], Sequence[FigureSpec]]] | None = None,
    ) -> None:
        self.spec = source()
        super().__init__(f"Export: {self.spec.title}", parent)
        self._source, self._others = source, others
        self.all_figures = QCheckBox(others[0] if others is not None else "", self)
        self.all_figures.setVisible(others is not None)
        self.plots = None if plots is None else PlotPicker(plots, self)
        self._shown = shown
        self._preferences = preferences
        self.form = ExportForm(
            self._remembered(), self._ranges(), self._row_counts(), self._absent(), self.plots
        )
        self.preview = ExportPreview(self.spec, self)
        self.file = QLineEdit(str(self._folder() / self._file_name()), self)
        self.remark = MutedLabel("", self)
        self.trouble = PlainLabel("", self)
        self._left, self._right = ElidedLabel(self), MutedLabel("", self)
        self._weigh = once(self, _WEIGH_AFTER_MS, self._show_weight)
        self._build_ui()
        self._connect_signals()
        self._refresh()

    @property
    def choice(self) -> ExportChoice:
        """What is chosen now."""
        return self.form.choice

    @property
    def paths(self) -> list[Path]:
        """The files that Export writes."""
        return [path for _, base in self._figures() for path in self.choice.paths(base)]

    def _figures(self) -> list[tuple[FigureSpec, Path]]:
        """Return each figure to write, and its file without the suffix."""
        base = base_of(self.file.text())
        if self._others is None or not self.all_figures.isChecked():
            return [(self.spec, base)]
        return [(spec, base.with_name(spec.name)) for spec in self._others[1]()]

    @Slot()
    def export(self) -> None:
        """Write the files and close; a fault is shown under the file name."""
        try:
            written = [
                path for spec, base in self._figures() for path in self.choice.write(spec, base, self._shown)
            ]
        except OSError as error:
            place = error.filename or self.paths[0]
            self._show_trouble(f"Cannot write {place}: {error.strerror or error}. Choose another place.")
            return
        except ValueError as error:
            self._show_trouble(f"{error}. Choose a smaller size or resolution.")
            return
        self._remember(base_of(self.file.text()))
        self.message.emit(f"{name_files(written)} written to {written[0].parent.absolute()}")
        self.accept()

    @Slot()
    def copy(self) -> None:
        """Put the figure on the clipboard as it would be written."""
        copy_figure(self.spec, self.choice.style(self._shown), self.choice.dpi)
        self.remark.setText("The figure was copied to the clipboard as an image and as SVG.")

    @Slot()
    def browse(self) -> None:
        """Choose the place in the system's dialog."""
        name, _ = QFileDialog.getSaveFileName(self, "Save figure as", str(self.paths[0]))
        if name:
            self._on_name_typed(name)
            self.file.setText(str(base_of(name)))

    # -- inside -------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        captions = hbox((self._left, 1), self._right, margins=(14, 0, 14, 10), spacing=INHERIT)
        seen = vbox((self.preview, 1), captions)
        top = hbox((seen, 1), self.form)
        vbox((top, 1), self._bottom(), on=self, spacing=INHERIT)
        self.resize(940, 620)

    def _bottom(self) -> QWidget:
        label = PlainLabel("&Save as", self, buddy=self.file)
        self.file.setAccessibleName("Save as")
        browse = QPushButton("Browse…", self)
        browse.clicked.connect(self.browse)
        line = hbox(label, (self.file, 1), browse, self.all_figures, self._buttons(), spacing=8)
        for words in (self.remark, self.trouble):  # Long texts do not widen the dialog.
            words.setWordWrap(True)
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.trouble.hide()
        made = QWidget(self)
        vbox(line, self.remark, self.trouble, on=made, margins=(16, 4, 16, 12), spacing=INHERIT)
        return made

    def _buttons(self) -> QDialogButtonBox:
        box = QDialogButtonBox(self)
        role = QDialogButtonBox.ButtonRole
        copy = box.addButton("Copy figure", role.ActionRole)
        cancel = box.addButton("Cancel", role.RejectRole)
        self.export_button = box.addButton("Export", role.AcceptRole)
        icons.put_icon(self.export_button, "export", "onaccent")
        for button in (copy, cancel):
            button.setAutoDefault(False)
        self.export_button.setDefault(True)
        copy.clicked.connect(self.copy)
        cancel.clicked.connect(self.reject)
        self.export_button.clicked.connect(self.export)
        return box

    def _connect_signals(self) -> None:
        self.form.changed.connect(self._on_form_changed)
        self.all_figures.toggled.connect(self._name_files)
        if self.plots is not None:
            self.plots.changed.connect(self._on_plots_chosen)
        self.file.textEdited.connect(self._on_name_typed)
        self.file.textChanged.connect(self._name_files)
        self.preview.resized.connect(self._show_zoom)

    @Slot(str)
    def _on_name_typed(self, text: str) -> None:
        """Choose the format whose ending was typed."""
        form = picture_format(Path(text.strip()))
        if form is not None and form != self.choice.form:
            self.form.form.choose(form)

    @Slot()
    def _on_form_changed(self) -> None:
        """Take the ending of another format off the name: the one that was chosen last counts."""
        form = picture_format(Path(self.file.text().strip()))
        if form is not None and form != self.choice.form:
            self.file.setText(str(base_of(self.file.text())))
        self._refresh()

    @Slot()
    def _on_plots_chosen(self) -> None:
        """Show another figure's name, and a height for its plots unless the user chose one."""
        before, self.spec = self.spec, self._source()
        if self.choice.height_mm == height_for(len(before.parts)):
            self.form.height_mm.setValue(height_for(len(self.spec.parts)))
        base = base_of(self.file.text())
        if base.name == before.name:
            self.file.setText(str(base.parent / self.spec.name))
        self.setWindowTitle(f"Export: {self.spec.title}")
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        choice = self.choice
        self.preview.show_figure(self.spec, choice.style(self._shown))
        self._show_zoom()
        self._right.setText(self._size_text())
        self._name_files()
        self._weigh.start()

    @Slot()
    def _show_zoom(self) -> None:
        zoom = percent(self.preview.zoom, 0)
        is_image = self.choice.form == "png"
        self._left.setText(f"Preview at {zoom}, pixels" if is_image else f"Preview at {zoom}, vector graphic")

    def _size_text(self) -> str:
        choice = self.choice
        if choice.form == "png":
            width, height = choice.pixels()
            return f"{thousands(width)} × {thousands(height)} px"
        return f"{fixed(choice.width_mm, 1)} × {fixed(choice.height_mm, 1)} mm"

    @Slot()
    def _show_weight(self) -> None:
        """Large pictures are not drawn only to be weighed."""
        if self.choice.form == "png":
            return
        size = len(file_bytes(self.spec, self.choice.form, self.choice.style(self._shown)))
        self._right.setText(f"{self._size_text()}, about {thousands(size / 1000)} kB")

    @Slot()
    def _name_files(self) -> None:
        self.trouble.hide()
        set_look(self.file, "")
        paths = self.paths
        trouble = next(filter(None, map(trouble_with, paths)), "")
        there = [path for path in paths if is_there(path)]
        text = f"Writes {name_files(paths)}"
        if not names_a_file(self.file.text()):
            text, there = "Type a file name for the figure.", []
        elif trouble:
            text, there = f"Cannot write there: {trouble}. Choose another name or folder.", []
        self.remark.setText(f"{text}; replaces {name_files(there)}" if there else text)
        self.export_button.setEnabled(names_a_file(self.file.text()) and not trouble)

    def _show_trouble(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        palette = self.trouble.palette()
        palette.setColor(self.trouble.foregroundRole(), colour("danger"))
        self.trouble.setPalette(palette)
        set_look(self.file, "error")
        self.trouble.show()
        self.file.setFocus()

    # -- what is remembered -------------------------------------------------------------------------------

    def _remembered(self) -> ExportChoice:
        """Return the last choice for this figure, in the size and look of the last export of any."""
        known = self._preferences
        found = known.value(f"export/{self.spec.name}") if known else None
        choice = ExportChoice.from_json(found).with_look(known.value("export_look") if known else None)
        if found is None and self.spec.below:
            choice = replace(choice, height_mm=height_for(len(self.spec.parts)))
        return choice if self._shown is not None else without_range(choice)

    def _remember(self, base: Path) -> None:
        if self._preferences is not None:
            self._preferences.set_value(f"export/{self.spec.name}", self.choice.to_json())
            self._preferences.set_value("export_look", self.choice.look())
            self._preferences.set_value(f"export_name/{self.spec.name}", base.name)
            self._preferences.set_value("export_folder", str(base.parent.absolute()))

    def _file_name(self) -> str:
        known = self._preferences.value(f"export_name/{self.spec.name}") if self._preferences else None
        return known if isinstance(known, str) and names_a_file(known) else self.spec.name

    def _absent(self) -> list[str]:
        spec = self.spec
        parts = (("events", spec.events), ("notes", spec.notes), ("expected", spec.expected))
        return [name for name, marks in parts if not marks]

    def _folder(self) -> Path:
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        known = self._preferences.value("export_folder", "") if self._preferences else ""
        return next(
            (Path(one) for one in (known, documents) if one and is_there_as_folder(Path(one))), Path.home()
        )

    def _ranges(self) -> list[tuple[str, str]]:
        unit = self.spec.x_axis.unit
        kinds = self.spec.x_axis.kinds
        every = _ends("All", kinds) if kinds else _span("All", self.spec.x_span(), unit)
        found = [("all", every)]
        if self._shown is not None:
            found.append(("shown", _span("As shown", self._shown, unit)))
        return found

    def _row_counts(self) -> list[tuple[str, str]]:
        count = self._count(None)
        if self.spec.x_axis.kinds:
            every = "1 value per curve" if count == 1 else f"All values, {thousands(count)}"
        else:
            every = "1 sample per curve" if count == 1 else f"All samples, {thousands(count)}"
        found = [("all", every)]
        if self._shown is not None:
            found.append(("shown", f"As shown, {thousands(self._count(self._shown))}"))
        return found

    def _count(self, part: Range | None) -> int:
        low, high = part or (-np.inf, np.inf)
        counts = (int(((curve.x >= low) & (curve.x <= high)).sum()) for curve in self.spec.curves)
        return max(counts, default=0)

    # -- Qt -----------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))


def _ends(word: str, kinds: tuple[str, ...]) -> str:
    """Return `All, 4h to 7d`, or the single kind."""
    ends = dict.fromkeys((kinds[0], kinds[-1]))
    return f"{word}, {' to '.join(ends)}"


def _span(word: str, part: Range, unit: str) -> str:
    return f"{word}, {fixed(part[0])} to {fixed(part[1])} {unit}"
