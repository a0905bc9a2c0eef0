"""Load from a trace: which file, which time of it, and whose jobs go to which node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.app.load.plan import Session
from fsconsole.app.load.trace import (
    Extract,
    Match,
    busiest_day,
    left_out_lines,
    match_lines,
    match_owners,
    sessions_of_trace,
)
from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.batch.traces import Imported, parse_trace
from fsconsole.batch.traces.content import content_of
from fsconsole.batch.traces.sacct import Owners
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.forms import ChoiceField, TextField, TypedField, form_of, is_being_typed
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text import numbers
from fsconsole.text.durations import LONGEST_S, in_words, length_words, typed_seconds

_FILTERS = ("Traces (*.swf *.gz *.txt *.psv *.csv)", "All files (*)")
_LEFT_OUT = "leave out"
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class TraceChoice:
    """What is chosen on the page; it can be computed in a thread."""

    imported: Imported
    from_s: float
    owners: Owners
    given: tuple[tuple[str, int | None], ...]
    deals: bool

    def load(
        self, scenario: Scenario, leaves: Sequence[int], until_s: float
    ) -> tuple[dict[int, tuple[Session, ...]], list[Match], list[str]]:
        """Return sessions, matches of names and summary lines; ValueError if it cannot."""
        jobs = self.imported.jobs
        extract = Extract.of(jobs, self.from_s, until_s)
        matches = match_owners(scenario.tree, leaves, extract.owners, dict(self.given), deal=self.deals)
        nodes, cpus = self.imported.cluster_nodes, scenario.machine.cpus
        sessions = sessions_of_trace(scenario.tree, leaves, extract, matches, cpus, nodes)
        report = self.imported.report.lines()[1:]
        words = self.owners.removesuffix("s")
        return sessions, matches, [*left_out_lines(extract), *match_lines(matches, owners=words), *report]


class TracePage(QWidget):
    """Fields of a trace. Signals: changed() when something else is chosen, or the trace has been read."""

    changed = Signal()

    def __init__(self, scenario: Scenario, questions: Questions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scenario, self._questions = scenario, questions
        self._names = Names(scenario.tree)
        self._imported: Imported | None = None
        self._given: dict[str, int | None] = {}
        self._is_fresh = False  # Whether the trace was just read and the user has not chosen anything yet.
        self._tasks = Tasks(self)
        self.file = TextField("Trace file", placeholder="SWF, or the output of sacct -P, plain or packed")
        self.about = InkLabel(self, "muted")
        self.begin = TypedField(
            "Start in the trace", self._parse_begin, 90, write=in_words, tip="Example: 3 d"
        )
        self.owners = ChoiceField("Names", [("users", "Users"), ("accounts", "Accounts (sacct)")])
        self.rest = ChoiceField(
            "Others", [(False, "Leave out"), (True, "Assign the largest users to the largest shares")]
        )
        self.matches = Table(RowModel(self._columns(), key=lambda row: row.owner.name), "Names", self)
        self._build_ui()
        self._connect_signals()

    @property
    def choice(self) -> TraceChoice | None:
        """What is chosen; None while no trace is read or the begin is wrong."""
        if self._imported is None or not self.begin.is_right:
            return None
        return TraceChoice(
            self._imported,
            self.begin.read(),
            self.owners.read(),
            tuple(self._given.items()),
            self.rest.read(),
        )

    def read_trace(self) -> None:
        """Have the file read that is named."""
        path, owners = Path(self.file.read().strip()).expanduser(), self.owners.read()
        self._imported = None
        self._tasks.cancel()
        if not self.file.read().strip():
            self.about.say("")
            self.changed.emit()
            return
        self.about.say(f"Reading {path.name}…", "muted")
        self.changed.emit()
        self._tasks.run(
            lambda: parse_trace(content_of(path), path.name, owners=owners),
            self._on_read,
            self._on_unreadable,
        )

    def show_matches(self, matches: Sequence[Match]) -> None:
        """Show where each name goes; a trace that shares no name with the tree is dealt out at first."""
        self.matches.rows.set_rows(tuple(matches))
        is_first, self._is_fresh = self._is_fresh, False
        if is_first and matches and all(match.node is None for match in matches) and not self._given:
            self.rest.fill(True)
            self.changed.emit()

    def _parse_begin(self, text: str) -> float:
        """Return a typed time within the trace, or any time of 0 or more before one is read."""
        most_s = LONGEST_S if self._imported is None else _length_s(self._imported)
        found = typed_seconds(text)
        if not 0 <= found <= most_s:
            msg = f"'{text}' is outside the trace. Write a time from 0 s to {length_words(most_s)}"
            raise ValueError(msg)
        return found

    def set_node(self, name: str, text: str) -> None:
        """Send the jobs of a name to a node; ValueError for one that is not in the tree."""
        if text.strip().casefold() in ("", _LEFT_OUT):
            self._given[name] = None
        else:
            try:
                self._given[name] = self._names.find(text.strip()).id
            except LookupError as error:
                raise ValueError(describe_error(error)) from None
        self.changed.emit()

    # -- making -------------------------------------------------------------------------------------------

    def _columns(self) -> tuple[Column[Match], ...]:
        return (
            Column("Name", lambda row: row.owner.name, width=130, is_name=True),
            Column("Jobs", lambda row: numbers.thousands(row.owner.jobs), width=70, is_number=True,
                   order=lambda row: row.owner.jobs),
            Column("CPU hours", lambda row: numbers.fixed(row.owner.node_s / HOUR_S, 1), width=100,
                   is_number=True, order=lambda row: row.owner.node_s),
            Column("Goes to", self._goes_to, width=230, is_name=True, about="Double-click to choose a node",
                   edit=self._edited),
            Column("Why", lambda row: row.how, width=110,
                   ink=lambda row: "warn" if row.node is None else "muted"),
        )  # fmt: skip

    def _goes_to(self, row: Match) -> str:
        return _LEFT_OUT if row.node is None else self._names.shortest(row.node)

    def _edited(self, row: Match, text: str) -> Match:
        self.set_node(row.owner.name, text)
        return row

    def _build_ui(self) -> None:
        tree = self._scenario.tree
        browse, busiest = QPushButton("Browse…", self), QPushButton("Busiest day", self)
        browse.clicked.connect(self.browse)
        busiest.clicked.connect(self._on_busiest)
        busiest.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for button in (browse, busiest):
            button.setAutoDefault(False)
        self.begin.fill(0.0)
        self.form = form_of(
            ("&Trace", hbox((self.file, 1), browse, spacing=INHERIT)),
            ("", self.about),
            ("&Begin at", hbox(self.begin, busiest, 1, self.begin.fault, spacing=INHERIT)),
            ("&Match", hbox(self.owners, 1)),
            ("&Without a match", hbox(self.rest, 1)),
        )
        self.matches.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        choices = [
            _LEFT_OUT,
            *(self._names.shortest(node.id) for node in tree.walk() if node.parent is not None),
        ]
        self.matches.setItemDelegateForColumn(3, _NodeDelegate(choices, self.matches))
        self.matches.setMinimumHeight(120)
        vbox(self.form, (self.matches, 1), on=self, spacing=6)

    def _connect_signals(self) -> None:
        self.file.editingFinished.connect(self._on_named)
        self.owners.changed.connect(self._on_owners)
        self.begin.changed.connect(self.changed)
        self.rest.changed.connect(self._on_rest)

    # -- what happens -------------------------------------------------------------------------------------

    @Slot()
    def _on_rest(self) -> None:
        self._is_fresh = False
        self.changed.emit()

    @Slot()
    def browse(self) -> None:
        """Ask for a trace and read it."""
        path = self._questions.file_to_open("Open trace", Path.home(), _FILTERS)
        if path is not None:
            self.file.fill(str(path))
            self.read_trace()

    @Slot()
    def _on_named(self) -> None:
        if self.file.isModified():
            self.file.setModified(False)
            self.read_trace()

    @Slot()
    def _on_owners(self) -> None:
        self._given.clear()
        self.read_trace()

    @Slot()
    def _on_busiest(self) -> None:
        if self._imported is not None:
            self.begin.fill(busiest_day(self._imported.jobs))
            self.changed.emit()

    def _on_read(self, imported: Imported) -> None:
        self._imported, self._is_fresh = imported, True
        self.begin.show_text(self.begin.text())  # Check it against this trace.
        jobs, days = imported.jobs, _length_s(imported) / DAY_S
        machine = (
            f", {numbers.thousands(imported.cluster_nodes)} processors" if imported.cluster_nodes else ""
        )
        count, names = numbers.thousands(len(jobs)), numbers.thousands(len(jobs.users))
        owners = self.owners.read()
        self.about.say(
            f"{count} jobs of {names} {owners} in {numbers.fixed(days, 1)} days{machine}.", "muted"
        )
        if not is_being_typed(self.begin):
            self.begin.fill(busiest_day(jobs))
        self.changed.emit()

    def _on_unreadable(self, error: Exception) -> None:
        words = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else describe_error(error)
        self.about.say(words, "danger")
        self.changed.emit()


class _NodeDelegate(QStyledItemDelegate):
    """Chooses a node by its name, from a list that is typed into."""

    def __init__(self, choices: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._choices = choices

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, _index: _Index) -> QWidget:
        editor = QComboBox(parent)
        editor.setEditable(True)
        editor.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        editor.setAccessibleName("Node")
        editor.addItems(self._choices)
        editor.activated.connect(partial(self._commit, editor))
        return editor

    def _commit(self, editor: QComboBox, _at: int) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        cast("QComboBox", editor).setCurrentText(str(index.data()))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        model.setData(index, cast("QComboBox", editor).currentText())


def _length_s(trace: Imported) -> int:
    return int(trace.jobs.submit_s[-1]) - int(trace.jobs.submit_s[0])
