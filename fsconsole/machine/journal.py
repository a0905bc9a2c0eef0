"""What was done to a machine from outside, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.actions import Action


@dataclass(frozen=True, slots=True)
class Outcome:
    """What really happened to an action.

    `pids` are the processes that it started or ended.
    """

    done: bool
    text: str
    tick: int
    pids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An action from outside and the tick before which it came."""

    tick: int
    action: Action

    def to_json(self) -> dict[str, Any]:
        """Plain data for the journal file."""
        return {"tick": self.tick, **actions.to_json(self.action)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> JournalEntry:
        """The entry that `to_json` wrote; ValueError for anything else."""
        try:
            values = dict(data)
            return cls(int(values.pop("tick")), actions.from_json(values))
        except (TypeError, LookupError, AttributeError, OverflowError) as error:
            msg = f"{str(data)[:80]} is no action: {error}"
            raise ValueError(msg) from error
