"""The Preferences dialog: look, start page and what operators choose; all of it acts at once."""

from __future__ import annotations

from typing import Literal, cast

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QApplication, QBoxLayout, QWidget

from fsconsole.console.alerts.form import AlertsForm
from fsconsole.console.general_preferences import CURVE_COLOURS, THEMES, GeneralPreferences, StartPage
from fsconsole.console.kit.forms import (
    ChoiceField,
    CountField,
    Fields,
    SegmentedField,
    TextField,
    align_fields,
    close_buttons,
    form_of,
    sections,
)
from fsconsole.console.operator_preferences import OperatorPreferences
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.fonts import system_px
from fsconsole.console.style.sizes import TEXT_SIZES, RowHeight
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.first_field import focus_on
from fsconsole.recording.audit import login_name

Section = Literal["general", "operate"]
_ROWS: tuple[tuple[RowHeight, str], ...] = (("compact", "Compact"), ("normal", "Normal"), ("roomy", "Roomy"))
_PAGES: tuple[tuple[StartPage, str], ...] = (("last", "Last file or cluster"), ("welcome", "Welcome"))
_WEEKS = (
    (13, "Keep 13 weeks"),
    (4, "Keep 4 weeks"),
    (52, "Keep a year"),
    (0, "Keep all"),
    (-1, "Write none"),
)
_GUTTER_PX = 32
_MOST_MINUTES = 120


class PreferencesDialog(Dialog):
    """Changes preferences; each acts as it is chosen and is remembered."""

    def __init__(
        self, preferences: Preferences, parent: QWidget | None = None, section: Section = "general"
    ) -> None:
        """`section` is the one that has the focus."""
        super().__init__("Preferences", parent)
        self._preferences = preferences
        self._general = GeneralPreferences.read(preferences)
        self._operator = OperatorPreferences(preferences)
        self._build_ui()
        self._connect_signals()
        focus_on(self.text_px if section == "general" else self.who)

    def _build_ui(self) -> None:
        system = f"As the system ({system_px()} px)"
        self.theme = SegmentedField(THEMES, "Theme", self)
        self.curves = SegmentedField(CURVE_COLOURS, "Colours of curves", self)
        sizes = ((px, f"{px} px" if px else system) for px in TEXT_SIZES)
        self.text_px = ChoiceField("Text size", sizes, self)
        self.row_height = SegmentedField(_ROWS, "Row height of tables", self)
        self.start_page = SegmentedField(_PAGES, "Start page", self)
        self._fields = Fields(
            self,
            theme=self.theme,
            curves=self.curves,
            text_px=self.text_px,
            row_height=self.row_height,
            start_page=self.start_page,
        )
        self._fields.fill(self._general)
        operator = self._operator
        self.who = TextField("Name in the audit log", "", login_name(), self)
        self.who.fill("" if operator.who == login_name() else operator.who)
        self.minutes = CountField("Armed for", 1, _MOST_MINUTES, operator.armed_minutes, self, unit="min")
        self.diary = ChoiceField("Diary of clusters", _WEEKS, self)
        self.diary.setToolTip("Write each reading of a cluster to a folder that opens as a run")
        self.diary.fill(operator.diary_weeks)
        appearance = form_of(
            ("Theme", self.theme),
            ("Curves", self.curves),
            ("Te&xt size", self.text_px),
            ("Row height", self.row_height),
        )
        start = form_of(("Start page", self.start_page))
        operate = form_of(
            ("&Name in the audit log", self.who),
            ("&Armed for", self.minutes),
            ("&Diary of clusters", self.diary),
        )
        align_fields(appearance, start, operate)
        own = sections(("Appearance", appearance), ("Start", start), ("Operate", operate))
        self.alerts = AlertsForm(self._preferences, self)
        alerts = (self.alerts, 0, Qt.AlignmentFlag.AlignTop)
        self._columns = hbox(own, alerts, spacing=_GUTTER_PX)
        vbox((self._columns, 1), close_buttons(self), on=self, margins=None, spacing=INHERIT)

    def fit_screen(self) -> None:
        """Put the columns one under the other if they are wider than the screen."""
        needed_px = self._columns.minimumSize().width()
        if needed_px > self.screen().availableSize().width():
            self._columns.setDirection(QBoxLayout.Direction.TopToBottom)
        super().fit_screen()

    def _connect_signals(self) -> None:
        self._fields.changed.connect(self._on_general_changed)
        for field in (self.who, self.minutes, self.diary):
            field.changed.connect(self._on_operator_changed)

    @Slot()
    def _on_general_changed(self) -> None:
        self._general = self._fields.read(self._general)
        self._general.remember(self._preferences)
        self._general.apply(cast("QApplication", QApplication.instance()))
        self.resize(self.size().expandedTo(self.sizeHint()))
        self.fit_screen()

    @Slot()
    def _on_operator_changed(self) -> None:
        self._operator.who = self.who.read()
        self._operator.armed_minutes = self.minutes.read()
        self._operator.diary_weeks = self.diary.read()
