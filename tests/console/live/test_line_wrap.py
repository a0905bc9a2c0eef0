"""Prose in the machine console."""

from __future__ import annotations

import pytest

from fsconsole.console.live.machine.line_output import is_prose, wrapped
from fsconsole.machine.machine import machine_for
from fsconsole.machine.shell import Shell
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario


def test_sentences_are_broken_between_words() -> None:
    message = "lim: node u99 not found in the tree. Did you mean u11 or u12 or perhaps somebody else?"
    lines = wrapped(message, 40).split("\n")
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == message


def test_what_stands_beside_a_first_column_stays_there() -> None:
    expected = [
        "  -K N      half-life of usage in",
        "            hours, or as 600s",
    ]
    answer = wrapped("  -K N      half-life of usage in hours, or as 600s", 36).split("\n")
    assert answer == expected


def test_what_was_filled_is_filled_anew() -> None:
    """The shell fills to 79 columns; short lines, indented ones and empty ones stay lines of their own."""
    first, second = "word " * 15 + "last", "and more"
    expected = f"{first} {second}\n\nshort\n  x"
    answer = wrapped(f"{first}\n{second}\n\nshort\n  x", 100)
    assert answer == expected


def test_rows_of_a_table_are_never_joined() -> None:
    long = f"acct       {'word ' * 12}at all"
    rows = [long, f"login      {'word ' * 13}", "bye        Leave", long]
    assert [row.split()[0] for row in wrapped("\n".join(rows), 200).split("\n")] == [
        "acct", "login", "bye", "acct",
    ]  # fmt: skip


def test_help_has_a_row_for_each_command() -> None:
    scenario = read_scenario(examples() / "convex-series-1.yaml")
    message = Shell(machine_for(scenario)).run("help").text
    rows = [line.split()[0] for line in message.split("\n") if line[:1].strip() and "  " in line]
    assert len(rows) > 10
    shown = wrapped(message, 400).split("\n")
    kept = [line.split()[0] for line in shown if line[:1].strip() and "  " in line]
    assert kept == rows


@pytest.mark.parametrize("text", ["", "x" * 200, "a" * 90 + "   ", " " * 90, f"{'n' * 50}  {'w ' * 40}"])
def test_nothing_is_lost(text: str) -> None:
    assert "".join(wrapped(text, 20).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("line", "status", "is_wrapped"),
    [
        ("sharesh", 0, False),
        ("sharesh x", 1, True),
        ("help", 0, True),
        ("pl --help", 0, True),
        ("", 0, False),
    ],
)
def test_tables_and_data_stay_as_they_are(line: str, status: int, is_wrapped: bool) -> None:
    assert is_prose(line, status) == is_wrapped
