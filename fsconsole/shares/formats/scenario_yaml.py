"""Scenario files of fsconsole itself: the one format that loses nothing."""

from __future__ import annotations

from fsconsole.shares.formats.base import Format, Lines
from fsconsole.shares.scenario.spec import Scenario


def _read(text: str) -> Scenario:
    from fsconsole.shares.scenario.read import parse_scenario

    return parse_scenario(text)


def _write(scenario: Scenario) -> str:
    from fsconsole.shares.scenario.write import write_text

    return write_text(scenario)


def _lines(text: str) -> Lines:
    from fsconsole.shares.scenario.tree_rows import node_lines

    return node_lines(text)


FORMAT = Format("yaml", "Scenario", (".yaml", ".yml"), _read, _write, lines=_lines)
