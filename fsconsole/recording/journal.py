"""What was done to a machine from outside, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.actions import Action


@dataclass(frozen=True, slots=True)
class Outcome:
    """What really happened to an action.

    Attributes:
        pids: the processes that it started or ended.
        on: what it was done to; before, after: what that was, and is now.
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
    """An action from outside and the tick before which it came; who did it, and why, where that is known."""

    tick: int
    action: Action
    who: str = ""
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain data for the journal file."""
        said = {"by": self.who, "why": self.why}
        said = {key: text for key, text in said.items() if text}
        return {"tick": self.tick, **actions.to_json(self.action), **said}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> JournalEntry:
        """Return the entry that `to_json` wrote; ValueError for anything else."""
        try:
            values = dict(data)
            tick, who, why = int(values.pop("tick")), values.pop("by", ""), values.pop("why", "")
            return cls(tick, actions.from_json(values), str(who), str(why))
        except (TypeError, LookupError, AttributeError, OverflowError) as error:
            msg = f"{str(data)[:80]} is not an action: {error}"
            raise ValueError(msg) from error
