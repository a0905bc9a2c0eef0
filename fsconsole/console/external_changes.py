"""External changes of the machine, ordered with those of the document. No Qt here.

Both sides go on at once: what was submitted here may have been done before or after a change from outside.
The machine decides; where the later one of two was made here, the earlier one is not taken into the document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsconsole.app.edit_words import verb_of
from fsconsole.policies.words import settings_changed
from fsconsole.shares.edits import Edit
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetSetting
from fsconsole.shares.scenario.spec import SettingError
from fsconsole.shares.tree import ShareTree, TreeError
from fsconsole.targets.external_changes import Field, OutsideChange, fields_of, meets, without
from fsconsole.targets.snapshot import Snapshot
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.console.document import Document

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ExternalChange:
    """A change from outside as far as the document has to follow it.

    `overtaken` is what a change made here has replaced since, `over` are nodes where it replaced one.
    """

    change: OutsideChange
    edits: tuple[Edit, ...]
    settings: Mapping[str, Any]
    overtaken: frozenset[Field]

    @property
    def verb(self) -> str:
        """What was done, for the undo stack and the list of changes."""
        return f"Outside: {verb_of(self.edits)}"

    def conflict(self, tree: ShareTree) -> str:
        """Return a sentence on a conflict with a change made here; empty without one."""
        replaced = tuple(node for node, _ in self.overtaken if node is not None)
        command = f"{self.change.line} (from outside)"
        if replaced or self.overtaken:
            what = _names(tree, replaced) or ", ".join(sorted(key for _, key in self.overtaken))
            return f"{command} changed {what}, but your later change takes precedence."
        if self.change.over:
            what = _names(tree, self.change.over)
            return f"{command} changed {what}. It replaced your earlier change, which was not applied yet."
        return ""


class OutsideChanges:
    """Keeps count of what was submitted to one target, and of what came from elsewhere."""

    def __init__(self) -> None:
        """Start for a target without any requests so far."""
        self._seen = 0
        self._submitted = 0
        self._sent: list[tuple[int, frozenset[Field]]] = []

    def submitted(self, action: Action) -> None:
        """Take note of an action that was submitted here."""
        self._submitted += 1
        if isinstance(action, ChangeTree):
            self._sent.append((self._submitted, fields_of(action.edits)))
        elif isinstance(action, SetSetting):
            self._sent.append((self._submitted, fields_of((), (action.key,))))

    def arrived(self, snapshot: Snapshot) -> list[ExternalChange]:
        """Return changes since the last call, in order."""
        fresh = snapshot.outside[self._seen :]
        self._seen = len(snapshot.outside)
        found = [self._arrival(change) for change in fresh]
        self._sent = [sent for sent in self._sent if sent[0] > snapshot.answered]
        return found

    def _arrival(self, change: OutsideChange) -> ExternalChange:
        later = frozenset(one for number, fields in self._sent if number > change.after for one in fields)
        touched = fields_of(change.edits, change.settings)
        return ExternalChange(
            change,
            without(change.edits, later),
            {key: value for key, value in change.settings.items() if not meets((None, key), later)},
            frozenset(one for one in touched if meets(one, later)),
        )


def _names(tree: ShareTree, nodes: Sequence[int]) -> str:
    names = [tree.node(node).name for node in dict.fromkeys(nodes) if node in tree]
    return listed(names, _MOST_NAMED)


def follow(document: Document, arrival: ExternalChange) -> str:
    """Take a change into the document; what it met there, in a sentence, empty where nothing."""
    conflict = arrival.conflict(document.tree)
    try:
        document.edit(arrival.verb, arrival.edits)
        if arrival.settings:
            changed = settings_changed(document.settings, arrival.settings)
            document.set_settings(arrival.settings, f"Outside: {changed}")
    except (TreeError, SettingError) as error:
        return f"{arrival.change.line} (from outside) does not fit the open document: {error}"
    return conflict
