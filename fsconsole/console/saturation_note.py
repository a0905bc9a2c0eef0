"""Users of the displayed machine who cannot use their entitlement, and the users who get the rest."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QElapsedTimer, QObject, Slot

from fsconsole.console.session import ConsoleSession
from fsconsole.figures.style.curves import groups_above_colours
from fsconsole.policies.registry import policy_of
from fsconsole.shares.flat import FlatTree, Floats, Ints
from fsconsole.shares.saturation import Split, demands_of_processes, frontier, split
from fsconsole.shares.saturation_words import Left, left_sentence, lefts
from fsconsole.targets.snapshot import Snapshot
from fsconsole.text.words import count_words

_PACE_MS = 1000
# Bursts and sleeps make counts fluctuate, so smaller fractions are not reported.
_WORTH_TELLING = 0.01


class SaturationNote(QObject):
    """A sentence about the largest surplus of a group with work, and how many more, once a second at most."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session
        self._sentences: tuple[str, ...] = ()
        self._since = QElapsedTimer()
        session.frame.connect(self._on_frame)
        session.document_changed.connect(self._forget)

    @property
    def text(self) -> str:
        """The sentence; empty where all users with work can use what they are entitled to."""
        more = len(self._sentences) - 1
        if more < 1:
            return "".join(self._sentences)
        others = count_words(more, "more does so.", "more do so.")
        return f"{self._sentences[0]} {others} See What if."

    @property
    def all_of_it(self) -> str:
        """A line for each who leaves something, the largest surplus first."""
        return "\n".join(self._sentences)

    @Slot()
    def _forget(self) -> None:
        self._sentences = ()

    @Slot()
    def _on_frame(self) -> None:
        snapshot = self._session.snapshot
        if snapshot is None:
            return
        if snapshot.running and self._since.isValid() and self._since.elapsed() < _PACE_MS:
            return
        self._since.start()
        self._sentences = self._find_sentences(snapshot)

    def _find_sentences(self, snapshot: Snapshot) -> tuple[str, ...]:
        document = self._session.document
        if document is None or not snapshot.tick:
            return ()
        if not policy_of(document.scenario.policy).gives_groups_their_part:
            return ()
        tree, flat = document.tree, document.flat
        demands, _ = demands_now(flat, snapshot, document.scenario.machine.cpus)
        result = split(flat, demands)
        opened = [flat.row_of[node] for node in groups_above_colours(tree)]
        givers = lefts(flat, result, frontier(flat, opened))
        return tuple(left_sentence(tree, left) for left in givers if _is_news(flat, result, left))


def demands_now(flat: FlatTree, snapshot: Snapshot, cpus: int) -> tuple[Floats, Floats]:
    """Return demands and CPU rates as parts of the machine, [rows] each; the rate is NaN where none is known.

    A leaf uses a CPU at most for each process that can run.
    """
    ids = snapshot.sample.ids
    runnable = _in_rows(flat, ids, snapshot.runnable, 0.0)
    measured = _in_rows(flat, ids, snapshot.sample.columns["cpu_rate"], np.nan)
    return demands_of_processes(flat, runnable, cpus), measured


def _is_news(flat: FlatTree, result: Split, left: Left) -> bool:
    row = flat.row_of[left.giver]
    is_enough = left.amount >= _WORTH_TELLING and bool(left.takers)
    return is_enough and bool(result.what_if[row] > 0) and not flat.is_system[row]


def _in_rows(flat: FlatTree, ids: Ints, values: Floats, missing: float) -> Floats:
    """Return values of nodes in the rows of a tree that may have changed since."""
    found = np.full(len(flat), missing)
    if len(values) != len(ids):
        return found
    if len(ids) == len(flat) and bool(np.all(ids == flat.ids)):
        return values.astype(np.float64)
    for node, value in zip(ids.tolist(), values.tolist(), strict=True):
        row = flat.row_of.get(node)
        if row is not None:
            found[row] = value
    return found
