"""Settings of a policy in the dialog for a new study: a field each, with its meaning from the glossary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from fsconsole.batch.multifactor import SLURMS_EXAMPLE, OutOfRangeError, read_setting, setting_text
from fsconsole.batch.policy import UsageWeights
from fsconsole.console.help.glossary import meaning_of
from fsconsole.console.kit.forms import TypedField
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# By the fields of a batch policy: the defaults and, for each field in the form, its label, its glossary
# term, and its name in the software or paper of the policy.
ASKED: dict[str, tuple[DataclassInstance, dict[str, tuple[str, str, str]]]] = {
    "weights": (
        UsageWeights(),
        {
            "used": ("Used", "Weighted usage", "Weight of node-hours used"),
            "running": ("Running", "Weighted usage", "Weight of node-hours of running jobs so far"),
            "slots": ("Nodes", "Weighted usage", "Weight of nodes in use or reserved"),
        },
    ),
    "multifactor": (
        SLURMS_EXAMPLE,
        {
            "age": ("Age", "Priority weight", "PriorityWeightAge"),
            "fairshare": ("Fairshare", "Priority weight", "PriorityWeightFairshare"),
            "job_size": ("Job size", "Priority weight", "PriorityWeightJobSize"),
            "partition": ("Partition", "Priority weight", "PriorityWeightPartition"),
            "qos": ("QOS", "Priority weight", "PriorityWeightQOS"),
            "half_life_s": ("Half-life", "Half-life", "PriorityDecayHalfLife, such as 7 d. 0 for no decay"),
        },
    ),
}
_IN_A_LINE = 3
_FIELD_PX = 92


class PolicySettings(QWidget):
    """Settings of one policy, three in a line; faults are shown below. Signals: changed()."""

    changed = Signal()

    def __init__(self, policy: str, setting: str, parent: QWidget | None = None) -> None:
        """`policy` is for screen readers; `setting` is a field of a batch policy."""
        super().__init__(parent)
        self._usual, asked = ASKED[setting]
        self.fields: Mapping[str, TypedField[Any]] = {
            name: _field(self._usual, name, f"{policy}: {words[0]}") for name, words in asked.items()
        }
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for place, (name, field) in enumerate(self.fields.items()):
            title, term, own = asked[name]
            field.setToolTip(f"{own}\n{term}: {meaning_of(term)}")
            label = PlainLabel(title, self, buddy=field)
            label.setToolTip(field.toolTip())
            line, column = divmod(place, _IN_A_LINE)
            grid.addWidget(label, line, 2 * column)
            grid.addWidget(field, line, 2 * column + 1)
            field.changed.connect(self.changed)
        grid.setColumnStretch(2 * _IN_A_LINE, 1)
        vbox(grid, *(field.fault for field in self.fields.values()), on=self, spacing=2)
        self.setFocusProxy(next(iter(self.fields.values())))
        self.fill(self._usual)

    @property
    def is_right(self) -> bool:
        """Whether each field means a value."""
        return all(field.is_right for field in self.fields.values())

    def read(self) -> DataclassInstance:
        """Return the settings; ValueError where an entry is wrong."""
        return replace(self._usual, **{name: field.read() for name, field in self.fields.items()})

    def fill(self, value: DataclassInstance) -> None:
        """Show settings in the fields."""
        for name, field in self.fields.items():
            field.fill(getattr(value, name))


def _field(usual: DataclassInstance, name: str, words: str) -> TypedField[Any]:
    return TypedField(words, partial(_parse, usual, name), _FIELD_PX, write=partial(setting_text, name))


def _parse(usual: DataclassInstance, name: str, text: str) -> Any:
    """Return the value of a text; ValueError, without the name, if it cannot be read or is out of range."""
    value = read_setting(usual, name, text.strip())
    try:
        replace(usual, **{name: value})
    except OutOfRangeError as error:
        raise ValueError(error.fault) from None
    return value
