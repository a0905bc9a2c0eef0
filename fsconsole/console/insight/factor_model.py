"""The factors of two increments beside each other, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont

from fsconsole.console.kit.tables import Column, RowModel
from fsconsole.console.style import fonts
from fsconsole.machine.insight import Explanation, Factor, FactorLine, Side, factor_lines
from fsconsole.text import numbers


@dataclass(frozen=True, slots=True)
class FactorRow:
    """A line: its name, the values of both sides as text and in full, a remark, and whose it is."""

    label: str
    texts: tuple[str, ...]
    fulls: tuple[str, ...]
    note: str = ""
    source: str = ""
    is_factor: bool = False
    is_result: bool = False


def factor_rows(found: Explanation) -> list[FactorRow]:
    """Components, factors (marked by a multiplication sign), the increment, nice value and priority."""
    sides = found.sides
    rows = [_row(line, sides) for line in factor_lines(sides)]
    increments = [side.increment for side in sides]
    rows.append(_plain("= increment", increments, numbers.si, "priority points a tick", is_result=True))
    rows.append(_plain("nice value", [side.nice for side in sides], str))
    halves = [side.priority_half_life_s for side in sides]
    rows.append(_plain("priority half-life", halves, lambda value: f"{numbers.fixed(value, 2)} s"))
    priorities = [side.priority for side in sides]
    note = "of the process that runs next; the lowest priority runs"
    rows.append(_plain("priority now", priorities, numbers.si, note))
    return rows


def _row(line: FactorLine, sides: Sequence[Side]) -> FactorRow:
    beside = zip(sides, line.own, strict=True)
    return FactorRow(
        f"× {line.label}" if line.multiplies else line.label,
        tuple(_text(item) for item in line.own),
        tuple("" if item is None else numbers.full(item.value) for item in line.own),
        "; ".join(f"{side.name} {item.note}" for side, item in beside if item is not None and item.note),
        line.source,
        line.multiplies,
    )


def _text(factor: Factor | None) -> str:
    if factor is None:
        return ""
    if factor.is_part:
        return numbers.percent(factor.value, numbers.PERCENT_OF_MACHINE_DIGITS)
    return numbers.si(factor.value)


def _plain(
    label: str, values: list[Any], write: Any, note: str = "", *, is_result: bool = False
) -> FactorRow:
    texts = tuple(numbers.UNKNOWN if value is None else str(write(value)) for value in values)
    fulls = tuple("" if value is None else numbers.full(value) for value in values)
    return FactorRow(label, texts, fulls, note, is_result=is_result)


class FactorModel(RowModel[FactorRow]):
    """Factor, one column for each side, and a note."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(_columns(()), parent, key=lambda row: row.label)

    def show_explanation(self, found: Explanation | None) -> None:
        """Show another explanation."""
        names = () if found is None else tuple(side.name for side in found.sides)
        if ("Factor", *names, "Note") != self.titles:
            self.set_columns(_columns(names))
        self.set_rows([] if found is None else factor_rows(found))


def _columns(names: Sequence[str]) -> list[Column[FactorRow]]:
    def value(side: int, name: str) -> Column[FactorRow]:
        def tip(row: FactorRow) -> str | None:
            return _tip(row, row.fulls[side])

        return Column(
            name, lambda row: row.texts[side], full=lambda row: row.fulls[side], tip=tip, ink=_ink,
            font=_font, is_number=True,
        )  # fmt: skip

    return [
        Column("Factor", lambda row: row.label, tip=_tip, ink=_ink, font=_font),
        *(value(side, name) for side, name in enumerate(names)),
        Column("Note", lambda row: row.note, tip=_tip, ink=_ink, font=_font),
    ]


def _tip(row: FactorRow, full: str = "") -> str | None:
    return "\n".join(part for part in (full, row.note, row.source) if part) or None


def _ink(row: FactorRow) -> str:
    return "" if row.is_factor or row.is_result else "muted"


def _font(row: FactorRow) -> QFont | None:
    return fonts.tabular_font(semibold=True) if row.is_result else None
