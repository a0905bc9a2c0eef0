"""The journal: external actions on a machine and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.actions import Action


@dataclass(frozen=True, slots=True)
class Outcome:
    """The actual effect of an action.

    Attributes:
        pids: processes that it started or ended.
        on: its object; before, after: state of the object.
    """

    done: bool
    text: str
    tick: int
    pids: tuple[int, ...] = ()
    on: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An external action, the tick before which it came, and its author and reason if known."""

    tick: int
    action: Action
    who: str = ""
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain data for the journal file."""
        origin = {"by": self.who, "why": self.why}
        origin = {key: text for key, text in origin.items() if text}
        return {"tick": self.tick, **actions.to_json(self.action), **origin}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> JournalEntry:
        """Return the entry that `to_json` wrote.

        Raises:
            ValueError: the data is not an entry.
        """
        try:
            values = dict(data)
            tick, who, why = int(values.pop("tick")), values.pop("by", ""), values.pop("why", "")
            return cls(tick, actions.from_json(values), str(who), str(why))
        except (TypeError, LookupError, AttributeError, OverflowError) as error:
            msg = f"{str(data)[:80]} is not an action: {error}"
            raise ValueError(msg) from error
