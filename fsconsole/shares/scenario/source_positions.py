"""Where in a file stands what is worth a look but is no error: the reader keeps no places of sound nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.tree_rows import TreeReader
from fsconsole.shares.scenario.yaml_nodes import Map, read_document, unpacked


def with_places(problems: Sequence[Problem], text: str) -> list[Problem]:
    """The problems of the scenario in a text, those about a node or a key with its line and column."""
    if not problems:
        return []
    document = read_document(text)
    data = document.data
    if not isinstance(data, Map):
        return list(problems)
    rows = TreeReader.rows_of(document, data.get("tree"))
    return [_placed(problem, data, rows) for problem in problems]


def _placed(problem: Problem, data: Map, rows: dict[int, Map]) -> Problem:
    if problem.node is not None and problem.node in rows:
        line, column = unpacked(rows[problem.node].place)
    elif problem.node is None and problem.path in data:
        line, column = unpacked(data.place_of(problem.path, of_key=True))
    else:
        return problem
    return replace(problem, line=line, column=column)
