"""Parameters of machine, policy, memory and URM: all settings with unit, meaning, default and source."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.document import Document
from fsconsole.console.kit.forms import ChoiceField, DialogButtons, TextField
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.first_field import focus_on
from fsconsole.console.widgets.labels import InkLabel, MutedLabel, SectionLabel
from fsconsole.shares.scenario.parameters import (
    PARAMETERS,
    SECTIONS,
    SPECS,
    Parameter,
    choices,
    default_of,
    parsed,
    written,
)
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.spec import PARTS, MachineSpec, SettingError

_FIELD_WIDTH = 170


class ParametersDialog(QDialog):
    """Changes settings as one undoable edit; a running machine takes them over at its next delta."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._fields: dict[str, TextField | ChoiceField] = {}
        self._faults: dict[str, InkLabel] = {}  # only of settings with which something was wrong
        self._fault_rows: dict[str, int] = {}
        self._is_filling = False
        self.setWindowTitle("Parameters")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        layout.addWidget(self._made_fields(), 1)
        layout.addWidget(self._made_buttons())
        self._show({parameter.key: document.settings[parameter.key] for parameter in PARAMETERS})
        self.resize(940, 720)
        focus_on(self._fields[PARAMETERS[0].key])

    def field(self, key: str) -> TextField | ChoiceField:
        """The field of a setting."""
        return self._fields[key]

    def fault(self, key: str) -> str:
        """What is wrong with a setting; empty where nothing is."""
        label = self._faults.get(key)
        return label.text() if label is not None else ""

    # -- making -------------------------------------------------------------------------------------------

    def _made_fields(self) -> QScrollArea:
        page = QWidget()
        self._grid = grid = QGridLayout(page)
        grid.setContentsMargins(16, 12, 16, 12)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(3, 1)
        helps = _helps()
        for section, parameters in SECTIONS.items():
            grid.addWidget(SectionLabel(section), grid.rowCount(), 0, 1, 4)
            for parameter in parameters:
                self._add(grid, parameter, helps.get(parameter.key, ""))
        grid.setRowStretch(grid.rowCount(), 1)
        scroll = QScrollArea(self)
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        return scroll

    def _made_buttons(self) -> DialogButtons:
        made = DialogButtons("Set parameters", self)
        self.set_button = made.verb
        self.defaults_button = made.addButton("Restore defaults", made.ButtonRole.ResetRole)
        self.defaults_button.clicked.connect(self._restore)
        return made

    def _add(self, grid: QGridLayout, parameter: Parameter, told: str) -> None:
        row = grid.rowCount()
        field = self._made_field(parameter)
        field.setToolTip(
            f"{told}\nSuch as 500 ms, 30 s, 2 min, 8 h or 1 d" if _is_duration(parameter) else told
        )
        field.setAccessibleDescription(told)
        field.setFixedWidth(_FIELD_WIDTH)
        default = written(parameter, default_of(parameter)) or "empty"
        told = told if told[1:2].isdigit() else told[:1].upper() + told[1:]
        remark = MutedLabel(f"{told}\nDefault {default} ({parameter.source})", None, "caption")
        remark.setWordWrap(True)
        grid.addWidget(_caption(parameter, field), row, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(field, row, 1)
        grid.addWidget(MutedLabel(parameter.unit), row, 2)
        grid.addWidget(remark, row, 3)
        self._fault_rows[parameter.key] = row + 1
        grid.setRowMinimumHeight(row + 1, 0)  # its row is taken, though nothing stands there yet

    def _made_field(self, parameter: Parameter) -> TextField | ChoiceField:
        options = [(word, word) for word in choices(parameter)]
        made = ChoiceField(parameter.label, options) if options else TextField(parameter.label)
        made.changed.connect(self._on_typed)
        self._fields[parameter.key] = made
        return made

    # -- values -------------------------------------------------------------------------------------------

    def _show(self, values: dict[str, Any]) -> None:
        """Fill all fields, and check them once."""
        self._is_filling = True
        for parameter in PARAMETERS:
            field = self._fields[parameter.key]
            field.fill(written(parameter, values[parameter.key]))
            if isinstance(field, TextField):
                field.setCursorPosition(0)
        self._is_filling = False
        self._check()

    def _restore(self) -> None:
        keep = ("machine.name", "machine.start", "machine.cpus", "memory.size_mw", "memory.sds_mw")
        now = self._document.settings
        self._show({one.key: now[one.key] if one.key in keep else default_of(one) for one in PARAMETERS})

    @Slot()
    def _on_typed(self) -> None:
        if not self._is_filling:
            self._check()

    def _check(self) -> None:
        """Say beside each field what is wrong with it; only sound settings can be set."""
        values, faults = self._read()
        if not faults:
            faults = self._clashes(values)
        for parameter in PARAMETERS:
            fault = faults.get(parameter.key, "")
            self._say(parameter.key, fault)
            set_look(self._fields[parameter.key], "error" if fault else "")
        self.set_button.setEnabled(not faults)

    def _say(self, key: str, fault: str) -> None:
        """Show what is wrong with a setting below its field."""
        if fault and key not in self._faults:
            self._faults[key] = InkLabel(self._grid.parentWidget(), "danger")
            self._grid.addWidget(self._faults[key], self._fault_rows[key], 1, 1, 3)
        if key in self._faults:
            self._faults[key].say(fault, "danger")

    def _read(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Values that differ from the document's, and faults by key."""
        values, faults, now = dict[str, Any](), dict[str, str](), self._document.settings
        for parameter in PARAMETERS:
            text = self._fields[parameter.key].read()
            if text == written(parameter, now[parameter.key]):
                continue
            if text == written(parameter, default_of(parameter)):
                values[parameter.key] = default_of(parameter)  # which may have more digits than are shown
                continue
            try:
                values[parameter.key] = parsed(parameter, text)
            except SettingError as error:
                faults[parameter.key] = str(error)
        return values, faults

    def _clashes(self, values: dict[str, Any]) -> dict[str, str]:
        """What cannot stand together."""
        merged = self._document.settings | values
        machine = MachineSpec(**_of_room("machine", merged))
        policy = PolicySpec(**_of_room("policy", merged))
        found = {f"machine.{name}": text for name, text in machine.problems()}
        for part, spec in PARTS.items():
            found |= {f"{part}.{name}": text for name, text in spec(**_of_room(part, merged)).problems()}
        return found | {f"policy.{name}": text for name, text in policy.problems(machine.hz)}

    def accept(self) -> None:
        """Set what was changed."""
        values, faults = self._read()
        if faults:
            return
        try:
            if values:
                self._document.set_settings(values)
        except SettingError as error:
            self._say(next(iter(values)), str(error))
            return
        super().accept()


def _caption(parameter: Parameter, field: QWidget) -> QWidget:
    """What a setting is called here and, below, in files and on the command line."""
    made = QWidget()
    label = QLabel(parameter.label)
    label.setBuddy(field)
    key = MutedLabel(parameter.key, None, "caption")
    key.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    vbox(label, key, on=made)
    return made


def _is_duration(parameter: Parameter) -> bool:
    return is_time(parameter.key)


def _of_room(room: str, values: dict[str, Any]) -> dict[str, Any]:
    return {key.partition(".")[2]: value for key, value in values.items() if key.startswith(f"{room}.")}


def _helps() -> dict[str, str]:
    """What the settings mean, by dotted key."""
    from fsconsole.shares.scenario.field_types import descriptions

    return {
        f"{room}.{name}": text.replace("`", "").replace("^2", "\N{SUPERSCRIPT TWO}").rstrip(".")
        for room, spec in SPECS.items()
        for name, text in descriptions(spec).items()
    }
