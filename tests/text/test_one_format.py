"""Numbers and times are written in one place: no other code groups digits or parts seconds into hours."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fsconsole

_ROOT = Path(fsconsole.__file__).parent
_WRITTEN_IN = {"text/numbers.py", "text/durations.py"}
_LENGTHS = {60, 3600, 86400}


def twins(source: str) -> Iterator[tuple[int, str]]:
    """The line and the kind of each format that should be a call of `text.numbers` or `text.durations`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FormattedValue):
            if _has_grouping(node):
                yield node.lineno, "groups digits"
            if _is_parted(node.value):
                yield node.lineno, "writes a time"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ":,}" in node.value:
            yield node.lineno, "groups digits"
        if isinstance(node, ast.Call) and _name(node.func) == "divmod" and _is_length(node.args[1]):
            yield node.lineno, "parts a time"
        if isinstance(node, ast.Call) and _name(node.func) == "str" and _calls(node.args, "timedelta"):
            yield node.lineno, "writes a time"


def _has_grouping(slot: ast.FormattedValue) -> bool:
    parts = slot.format_spec.values if isinstance(slot.format_spec, ast.JoinedStr) else []
    texts = [str(part.value) for part in parts if isinstance(part, ast.Constant)]
    return any("," in text and "%" not in text for text in texts)  # with a percent sign it is a date


def _is_parted(value: ast.expr) -> bool:
    """Return True if a slot of a text is seconds divided into minutes, hours or days."""
    return (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Div | ast.FloorDiv | ast.Mod)
        and _is_length(value.right)
    )


def _is_length(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value in _LENGTHS


def _calls(values: list[ast.expr], name: str) -> bool:
    return any(isinstance(value, ast.Call) and _name(value.func) == name for value in values)


def _name(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""


def test_numbers_and_times_are_written_in_one_place() -> None:
    found = {
        f"{name}:{line} {kind}"
        for path in sorted(_ROOT.rglob("*.py"))
        if (name := str(path.relative_to(_ROOT))) not in _WRITTEN_IN
        for line, kind in twins(path.read_text("utf-8"))
    }
    assert not found


@pytest.mark.parametrize(
    "source",
    [
        'f"{count:,}"', 'f"{count:>9,.1f}"', '"{count:,}".format(count=1)', 'f"{time_s / 60:g} min"',
        'f"{rest // 3600:02d}"', 'f"{time_s / 3600:.1f} h"', "divmod(time_s, 86400)",
        "str(timedelta(seconds=time_s))",
    ],
)  # fmt: skip
def test_twins_are_found(source: str) -> None:
    assert len(list(twins(source))) == 1


def test_what_is_no_twin_is_left_alone() -> None:
    source = 'f"{count:>9.1f}, {hours / 2:g}, {thousands(count)}, {at:%d %B, %H:%M}"; minutes = time_s / 60'
    assert not list(twins(source))
