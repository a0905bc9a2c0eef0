"""How long the rest of a study takes, from how long what is done has taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fsconsole.batch.study.spec import Cell


@dataclass(slots=True)
class Pace:
    """Mean times of cells, by the order of jobs, since those that go by users take several times as long."""

    _spent: dict[str, tuple[float, int]] = field(default_factory=dict)
    _elapsed_s: float = 0.0
    _worked_s: float = 0.0

    def now(self, elapsed_s: float) -> None:
        """So much time has passed since the first cell was begun."""
        self._elapsed_s = elapsed_s

    def finished(self, cell: Cell, took_s: float) -> None:
        """A cell has taken so long where it was worked out."""
        spent, count = self._spent.get(cell.policy.order, (0.0, 0))
        self._spent[cell.policy.order] = (spent + took_s, count + 1)
        self._worked_s += took_s

    def left_s(self, rest: Mapping[str, int], workers: int) -> float | None:
        """Expected time for so many cells of each order, seconds; None before the first one is done."""
        count = sum(number for _, number in self._spent.values())
        if not count:
            return None
        means = {order: spent / number for order, (spent, number) in self._spent.items()}
        mean = self._worked_s / count
        work_s = sum(number * means.get(order, mean) for order, number in rest.items())
        # What has passed beside the work itself (starting, compiling, storing) goes on as it did.
        beside = max(1.0, self._elapsed_s * min(workers, count) / self._worked_s) if self._worked_s else 1.0
        return work_s * beside / max(1, min(workers, sum(rest.values())))
