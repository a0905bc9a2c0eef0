"""External changes that wait for the next delta: edits, settings, actions and books."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.edits import Edit, SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import Action, SetBooks
from fsconsole.shares.scenario.spec import changed_settings

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass
class Waiting:
    """The changes that the next delta will put in force.

    Attributes:
        edits: edits of the tree; settings: new values by dotted key.
        actions: actions on nodes that join with the edits; books: new usages and charges.
    """

    edits: list[Edit] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    books: list[SetBooks] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.edits or self.settings or self.actions or self.books)

    def take(self, machine: Machine) -> None:
        """Put edits, settings and actions in force; books come after the delta, see `write_books`."""
        if not self:
            return
        if self.settings:
            settings, self.settings = self.settings, {}
            machine.take_settings(*changed_settings(machine.spec, machine.policy_spec, settings))
        if self.edits:
            edits, self.edits = self.edits, []
            take_edits(machine, edits)
        actions, self.actions = self.actions, []
        for action in actions:
            machine.do_planned(action)
        machine.refresh()

    def write_books(self, machine: Machine) -> None:
        """Write new usages and charges over those that the delta computed."""
        written, self.books = self.books, []
        for books in written:
            row = machine.flat.row_of.get(books.node)
            if row is not None and books.usage is not None:
                machine.state.usage[row] = machine.state.node_usage[row] = books.usage
            if row is not None and books.charge is not None:
                machine.state.charge[row] = books.charge * machine.spec.cost_per_cpu_s
        machine.refresh()


def take_edits(machine: Machine, edits: list[Edit]) -> None:
    """Apply another tree; its rows' data move along, and processes of removed users end."""
    if all(isinstance(edit, SetShares) for edit in edits):
        pairs = [pair for edit in edits if isinstance(edit, SetShares) for pair in edit.shares]
        machine.flat = machine.flat.with_shares(pairs)
        return
    before, machine.flat = machine.flat, FlatTree.of(machine.tree)
    machine.state = machine.state.moved(before, machine.flat)
    n, flat = len(machine.flat), machine.flat
    rows = np.array([flat.row_of.get(int(node), -1) for node in before.ids], np.int64)
    # A user that becomes a group keeps nothing: its processes end like those of a removed one.
    rows[1:][~flat.is_leaf[rows[1:]]] = -1
    machine.people.forget(machine.tree)
    machine.ran_by_removed += int(machine.ran[rows < 0].sum())
    machine.ran = _moved(machine.ran, rows, n)
    machine.recent = deque((tick, _moved(ran, rows, n)) for tick, ran in machine.recent)
    machine.mean_runnable = _moved(machine.mean_runnable, rows, n)
    machine.processes.owner = rows[machine.processes.owner]
    machine.drop_processes(machine.processes.owner < 0)
    machine.state.lnode[:] &= flat.is_leaf


def _moved(column: NDArray[_Number], rows: NDArray[np.int64], n: int) -> NDArray[_Number]:
    result = np.zeros(n, column.dtype)
    kept = rows >= 0
    result[rows[kept]] = column[kept]
    return result
