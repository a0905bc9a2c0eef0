"""Parameters of machine, policy, memory and URM: all settings with unit, meaning, effect and default."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QWidget,
)

from fsconsole.app.parameter_effects import effect_of
from fsconsole.console.design.parameter_row import COLUMNS, ParameterRow
from fsconsole.console.document import Document
from fsconsole.console.help.pages import HELP_PAGE, slug
from fsconsole.console.kit.forms import ChoiceField, DialogButtons, SwitchField, TextField
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.first_field import focus_on
from fsconsole.console.widgets.labels import InkLabel, SectionLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.shares.scenario.parameters import (
    PARAMETERS,
    SECTIONS,
    SPECS,
    default_of,
    parsed,
    written,
)
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import PARTS, MachineSpec, SettingError
from fsconsole.text.words import count_words

_SECTIONS_PX = 176
_SPACING_PX, _NARROW_SPACING_PX = 12, 6
_NARROW_PX = 1000  # In a narrower dialog, meanings and effects are below their fields.
# Properties of a site, for which the program has no sensible default.
_OF_SITE = ("machine.name", "machine.start", "machine.cpus", "memory.size_mw", "memory.sds_mw")


class ParametersDialog(Dialog):
    """Changes settings as one undoable edit; a running machine takes them over at its next delta.

    A search, the list of sections and "Changed only" choose what is shown.
    """

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Parameters", parent)
        self._document = document
        self._rows: dict[str, ParameterRow] = {}
        self._titles: dict[str, SectionLabel] = {}
        self._is_filling = False
        self._is_searching = self._is_narrow = False
        self.search = SearchBox("Find parameter", self, width=260)
        self.changed_only = SwitchField(
            "Changed only", self, tip="Show only parameters that differ from the default"
        )
        self.found = InkLabel(self, "muted")
        self.sections = QListWidget(self)
        self._build_ui()
        self._connect_signals()
        self._followed: dict[str, str] = {}
        self._show({parameter.key: document.settings[parameter.key] for parameter in PARAMETERS})
        self._followed = {key: row.field.read() for key, row in self._rows.items()}
        document.settings_changed.connect(self._follow)
        self.resize(1240, 720)
        focus_on(self._rows[PARAMETERS[0].key].field)

    def field(self, key: str) -> TextField | ChoiceField:
        """Return the field of a setting."""
        return self._rows[key].field

    def row(self, key: str) -> ParameterRow:
        """Return the widgets of a setting."""
        return self._rows[key]

    def fault(self, key: str) -> str:
        """Return the fault of a setting; empty for a valid one."""
        return self._rows[key].fault

    def show_parameter(self, key: str) -> None:
        """Scroll to the field of a setting, with the focus in it."""
        self._scroll.ensureWidgetVisible(self._rows[key].field)
        self._rows[key].field.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < scaled(_NARROW_PX)
        if is_narrow is not self._is_narrow:
            self._is_narrow = is_narrow
            self._set_spacing(_NARROW_SPACING_PX if is_narrow else _SPACING_PX)
            for row in self._rows.values():
                row.place_remark(is_below=is_narrow)

    # -- making -------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        self.sections.setAccessibleName("Sections")
        self.sections.setFixedWidth(_SECTIONS_PX)
        for section in SECTIONS:
            self.sections.addItem(QListWidgetItem(section))
        self._scroll = self._made_fields()
        head = hbox(self.search, self.changed_only, self.found, 1, spacing=12)
        body = hbox(self.sections, (self._scroll, 1), spacing=INHERIT)
        vbox(head, (body, 1), self._made_buttons(), on=self, margins=None, spacing=INHERIT)

    def _made_fields(self) -> QScrollArea:
        page = QWidget()
        grid = QGridLayout(page)
        self._grid = grid
        self._set_spacing(_SPACING_PX)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(COLUMNS - 1, 1)
        helps = _helps()
        for section, parameters in SECTIONS.items():
            self._titles[section] = SectionLabel(section)
            grid.addWidget(self._titles[section], grid.rowCount(), 0, 1, COLUMNS)
            for parameter in parameters:
                key = parameter.key
                self._rows[key] = ParameterRow(parameter, helps.get(key, ""), grid, self._on_typed)
                for part in (self._rows[key].field, self._rows[key].reset):
                    part.setProperty(HELP_PAGE, f"reference/settings.md#{slug(section)}")
        grid.setRowStretch(grid.rowCount(), 1)
        scroll = QScrollArea(self)
        scroll.setAccessibleName("Parameters")
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        return scroll

    def _set_spacing(self, spacing_px: int) -> None:
        self._grid.setContentsMargins(spacing_px, 12, spacing_px, 12)
        self._grid.setHorizontalSpacing(spacing_px)

    def _made_buttons(self) -> DialogButtons:
        made = DialogButtons("Set parameters", self)
        self.set_button = made.verb
        self.defaults_button = made.addButton("Restore defaults", made.ButtonRole.ResetRole)
        self.defaults_button.clicked.connect(self._restore)
        return made

    def _connect_signals(self) -> None:
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._on_first_wanted)
        self.changed_only.changed.connect(self._filter)
        self.sections.currentRowChanged.connect(self._on_section)

    # -- what is shown --------------------------------------------------------------------------------------

    @Slot()
    def _filter(self) -> None:
        """Show the parameters that are searched for, and the sections that have some."""
        words, is_changed_only = self.search.text().strip(), self.changed_only.isChecked()
        count = 0
        for at, (section, parameters) in enumerate(SECTIONS.items()):
            rows = [self._rows[parameter.key] for parameter in parameters]
            wanted = [
                row
                for row in rows
                if (row.matches(words) or section.casefold() == words.casefold())
                and (row.is_changed or not is_changed_only)
            ]
            for row in rows:
                row.set_shown(row in wanted)
            self._titles[section].setVisible(bool(wanted))
            self.sections.item(at).setHidden(not wanted)
            count += len(wanted)
        is_filtered = bool(words) or is_changed_only
        none = "No parameter found. Clear the search or show all."
        self.found.say(count_words(count, "parameter") if count else none, "muted" if count else "warn")
        self.found.setVisible(is_filtered)

    @Slot()
    def _on_first_wanted(self) -> None:
        """Go to the first parameter found."""
        self._is_searching = True
        row = next((one for one in self._rows.values() if one.field.isVisibleTo(self)), None)
        if row is not None:
            self._scroll.ensureWidgetVisible(row.field)
            row.field.setFocus()

    @Slot(int)
    def _on_section(self, at: int) -> None:
        """Scroll to a section, its title at the top."""
        if at >= 0:
            title = self._titles[list(SECTIONS)[at]]
            self._scroll.verticalScrollBar().setValue(title.y())

    def _mark_sections(self) -> None:
        """Show in the list how many parameters of a section are not the default."""
        for at, (section, parameters) in enumerate(SECTIONS.items()):
            count = sum(self._rows[parameter.key].is_changed for parameter in parameters)
            self.sections.item(at).setText(f"{section} ({count})" if count else section)

    # -- values -------------------------------------------------------------------------------------------

    def _show(self, values: dict[str, Any]) -> None:
        """Fill all fields, and check them once."""
        self._is_filling = True
        for parameter in PARAMETERS:
            self._rows[parameter.key].fill(written(parameter, values[parameter.key]))
        self._is_filling = False
        self._check()

    @Slot(object)
    def _follow(self, values: dict[str, Any]) -> None:
        """Show what others have set, but where another value was entered here."""
        for parameter in PARAMETERS:
            key, row = parameter.key, self._rows[parameter.key]
            if key in values and row.field.read() == self._followed[key]:
                self._is_filling = True
                row.fill(written(parameter, values[key]))
                self._is_filling = False
            if key in values:
                self._followed[key] = written(parameter, values[key])
        self._check()

    def _restore(self) -> None:
        now = self._document.settings
        self._show({one.key: now[one.key] if one.key in _OF_SITE else default_of(one) for one in PARAMETERS})

    @Slot()
    def _on_typed(self) -> None:
        if not self._is_filling:
            self._check()

    def _check(self) -> None:
        """Show beside each field its fault or effect; only valid settings can be set."""
        values, faults = self._read()
        merged = self._document.settings | values
        if not faults:
            faults = self._clashes(merged)
        for key, row in self._rows.items():
            row.show_fault(faults.get(key, ""))
            row.show_state("" if faults else effect_of(key, merged))
        self._mark_sections()
        self.set_button.setEnabled(not faults)

    def _read(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Return values that differ from the document's, and faults by key."""
        values, faults, now = dict[str, Any](), dict[str, str](), self._document.settings
        for parameter in PARAMETERS:
            text = self._rows[parameter.key].field.read()
            if text == written(parameter, now[parameter.key]):
                continue
            if text == written(parameter, default_of(parameter)):
                # The default may have more digits than are shown.
                values[parameter.key] = default_of(parameter)
                continue
            try:
                values[parameter.key] = parsed(parameter, text)
            except SettingError as error:
                faults[parameter.key] = str(error)
        return values, faults

    @staticmethod
    def _clashes(merged: dict[str, Any]) -> dict[str, str]:
        """Return the settings that contradict each other."""
        machine = MachineSpec(**_of_room("machine", merged))
        policy = PolicySpec(**_of_room("policy", merged))
        found = {f"machine.{name}": text for name, text in machine.problems()}
        for part, spec in PARTS.items():
            found |= {f"{part}.{name}": text for name, text in spec(**_of_room(part, merged)).problems()}
        return found | {f"policy.{name}": text for name, text in policy.problems(machine.hz)}

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Return in the search field moves to the first match. It must not press the default button.
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not (is_return and self._is_searching):
            super().keyPressEvent(event)
        self._is_searching = False

    def accept(self) -> None:
        """Set what was changed."""
        values, faults = self._read()
        if faults:
            return
        try:
            if values:
                self._document.set_settings(values)
        except SettingError as error:
            key = next(iter(values))
            self._rows[key].show_fault(str(error).removeprefix(f"{key}: "))
            return
        super().accept()


def _of_room(room: str, values: dict[str, Any]) -> dict[str, Any]:
    return {key.partition(".")[2]: value for key, value in values.items() if key.startswith(f"{room}.")}


def _helps() -> dict[str, str]:
    """Return meanings of the settings, by dotted key."""
    from fsconsole.shares.scenario.field_types import descriptions

    return {
        f"{room}.{name}": text.replace("`", "").replace("^2", "\N{SUPERSCRIPT TWO}").rstrip(".")
        for room, spec in SPECS.items()
        for name, text in descriptions(spec).items()
    }
