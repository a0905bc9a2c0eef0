"""Common part of the readers of a file's sections: resolve a name at its place, or report a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.yaml_nodes import Document, Map, Seq
from fsconsole.shares.tree import Node

_Found = TypeVar("_Found")


class ReferenceReader:
    """Resolves references to nodes and people; keeps their faults in `problems`."""

    def __init__(self, document: Document, names: Names) -> None:
        self.problems: list[Problem] = []
        self.names = names
        self._document = document

    def node(self, reference: Any, place: int, path: str) -> Node | None:
        """Return the node of a reference, a group too; None with a problem noted."""
        return self.looked_up(lambda: self.names.find(reference), place, path, reference)

    def worker(self, reference: Any, place: int, path: str, *, or_root: bool = False) -> Node | None:
        """Return a node that can have work."""
        find = self.names.find_worker
        return self.looked_up(lambda: find(reference, or_root=or_root), place, path, reference)

    def looked_up(self, find: Callable[[], _Found], place: int, path: str, *references: Any) -> _Found | None:
        """Return the result of `find`; None where it finds nothing, or where a reference is not text at
        all.
        """
        if not all(isinstance(reference, str) for reference in references):
            return None
        try:
            return find()
        except LookupError as error:
            self.say(place, str(error), path)
        return None

    def say(self, place: int, text: str, path: str) -> None:
        """Add an error at a packed place."""
        self.problems.append(self._document.problem(place, text, path))

    def say_fields(self, raw: Map, path: str, found: Iterable[tuple[str, str]]) -> None:
        """Report errors by key, at the place of the key, or at the beginning of the mapping."""
        for key, message in found:
            self.say(raw.place_of(key) if key in raw else raw.place, message, f"{path}.{key}")


def items(raw: Any, name: str) -> Iterator[tuple[str, Map]]:
    """Yield (place in words, mapping) of each item of a list that is a mapping."""
    if isinstance(raw, Seq):
        for row, item in enumerate(raw):
            if isinstance(item, Map):
                yield f"{name}[{row + 1}]", item
