"""Rows of the form: letter and dash, policy or recorded run, settings and faults; presets of rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLineEdit, QSizePolicy, QWidget

from fsconsole.app.comparison import named_run
from fsconsole.app.kinds import KindError, run_at
from fsconsole.console.kit.forms import ChoiceField, FaultLabel
from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import keep_width
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import hbox
from fsconsole.console.widgets.buttons import flat_button
from fsconsole.console.widgets.labels import PlainLabel
from fsconsole.experiments.comparing import Variant, parse_settings
from fsconsole.policies.registry import POLICIES
from fsconsole.recording.run_format import RunError
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES
from fsconsole.shares.scenario.settings import setting_text
from fsconsole.shares.scenario.spec import Scenario, SettingError

_NOT_RUN = "-"
_AS_IT_IS = ""
RECORDED = "run"
_LETTER_WIDTH = 12
_SAMPLE_WIDTH = 28

_SETTINGS_WORDS = (
    "Further settings",
    "KEY=VALUE, KEY=VALUE",
    "Example: policy.adjgroups=integral, policy.half_life_s=8 h\nParameters shows all keys.",
)
_FOLDER_WORDS = ("Run folder", "Run folder, such as day.run", "Folder of a recorded run")


@dataclass(frozen=True, slots=True)
class Row:
    """The content of a row of the form: a policy's name, empty for the scenario's own, and settings."""

    policy: str = ""
    settings: str = ""


PRESETS: dict[str, tuple[Row, ...]] = {
    "ADJGROUPS off / Share's / integral": tuple(
        Row("share", f"policy.adjgroups={kind}") for kind in ("off", "share", "integral")
    ),
    "Share / flat / feedback / process-fair": tuple(
        Row(name) for name in ("share", "flat", "feedback", "process-fair")
    ),
    "Half-life 8 h / 168 h": tuple(Row("", f"policy.half_life_s={time}") for time in ("8 h", "168 h")),
    "Nice cost unit / Share's": tuple(Row("", f"machine.nice_cost={kind}") for kind in ("unit", "share")),
}


class VariantRow(QWidget):
    """The entry of a variant. Signals: changed() after any change."""

    changed = Signal()

    def __init__(
        self, letter: str, dash: tuple[float, ...], *, is_needed: bool, parent: QWidget | None = None
    ) -> None:
        """Make a row; one that `is_needed` always runs."""
        super().__init__(parent)
        self.letter = letter
        options = [(_NOT_RUN, "Not run"), (_AS_IT_IS, "As in the scenario")]
        options += [(name, POLICIES[name].title) for name in POLICY_NAMES]
        options += [(RECORDED, "Recorded run")]
        self.policy = ChoiceField(f"Policy of {letter}", options[is_needed:], self)
        self.policy.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.settings = QLineEdit(self)
        self.browse = flat_button("…", "Choose a run folder", self._ask_folder, self)
        self.fault = FaultLabel(self, "table")
        self.fault.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._build_ui(dash)
        self.policy.changed.connect(self._on_changed)
        self.settings.textChanged.connect(self._on_changed)
        self._on_changed()

    @property
    def is_run(self) -> bool:
        """Whether the row takes part."""
        return bool(self.policy.read() != _NOT_RUN)

    def show_row(self, row: Row | None) -> None:
        """Write something else into the row; None takes it out where it may be."""
        self.policy.fill(_NOT_RUN if row is None else row.policy)
        self.settings.setText("" if row is None else row.settings)

    @property
    def is_recorded(self) -> bool:
        """Whether the row is a recorded run."""
        return bool(self.policy.read() == RECORDED)

    def variant(self, scenario: Scenario) -> Variant | None:
        """Return the variant of the row; None if it has a fault, which is shown, or is not used."""
        if not self.is_run:
            self._show_fault("")
            return None
        try:
            if self.is_recorded and not self.settings.text().strip():
                self._show_fault("")  # The field's hint shows what is missing.
                return None
            if self.is_recorded:
                path = Path(self.settings.text().strip()).expanduser()
                found = named_run(run_at(path, is_simulated=True).path)
                self._show_fault("")
                return found
            settings = self._settings()
            scenario.with_settings(settings)
        except (SettingError, KindError, RunError) as error:
            self._show_fault(str(error))
            return None
        self._show_fault("")
        return Variant(_name_of(settings), settings)

    def _settings(self) -> dict[str, Any]:
        chosen = self.policy.read()
        first = {"policy.name": chosen} if chosen else {}
        return first | parse_settings(self.settings.text())

    def _show_fault(self, text: str) -> None:
        self.fault.say(text)
        set_look(self.settings, "error" if text else "")

    @Slot()
    def _on_changed(self) -> None:
        self.settings.setEnabled(self.is_run)
        self.browse.setVisible(self.is_recorded)
        name, hint, tip = _FOLDER_WORDS if self.is_recorded else _SETTINGS_WORDS
        self.settings.setAccessibleName(f"{name} of {self.letter}")
        self.settings.setPlaceholderText(hint)
        self.settings.setToolTip(tip)
        self.changed.emit()

    def _ask_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self, f"Recorded run of {self.letter}", self.settings.text()
        )
        if folder:
            self.settings.setText(folder)

    def _build_ui(self, dash: tuple[float, ...]) -> None:
        letter = PlainLabel(self.letter, self, font=tabular_font(semibold=True), buddy=self.policy)
        keep_width(letter, _LETTER_WIDTH)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(2, 1)
        grid.addWidget(letter, 0, 0)
        grid.addWidget(_DashSample(dash, self), 0, 1)
        grid.addWidget(self.policy, 0, 2)
        grid.addLayout(hbox((self.settings, 1), self.browse, spacing=4), 1, 2)
        grid.addWidget(self.fault, 2, 2)


class _DashSample(QWidget):
    """How curves of the variant are drawn."""

    def __init__(self, dash: tuple[float, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self._dash = dash
        self.setFixedWidth(_SAMPLE_WIDTH)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_SAMPLE_WIDTH, 16)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            place = QRect(0, (self.height() - 16) // 2, self.width(), 16)
            paint.curve_sample(painter, place, colour("text"), self._dash)


def _name_of(settings: dict[str, Any]) -> str:
    """Return a variant in few words: `share adjgroups=off`."""
    words = [
        str(value) if key == "policy.name" else f"{key.partition('.')[2]}={setting_text(key, value)}"
        for key, value in settings.items()
    ]
    return " ".join(words) or "unchanged"
