"""Colours and dashes of nodes in all views and exports. No Qt.

The colour level is the deepest level down to which no level has more than four groups that are not system
groups; each group there begins a family of three colours. If even the first level has more groups, it is the
colour level anyway: the first four get families, the others greys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fsconsole.figures.style.palette import CURVE_FAMILIES
from fsconsole.shares.tree import Node, ShareTree

SOLID: tuple[float, ...] = ()
DASHED: tuple[float, ...] = (5, 2)
DOTTED: tuple[float, ...] = (2, 2)
DASH_DOT: tuple[float, ...] = (5, 2, 2, 2)


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """Colour token of a curve and its dash in px, on and off by turns; no dash is a solid line."""

    colour_token: str
    dash: tuple[float, ...] = SOLID


_DASHES = (SOLID, DASHED, DOTTED, DASH_DOT)
_STRUCTURE = CurveStyle("g1")
_GREYS = tuple(CurveStyle(token, dash) for dash in (SOLID, DASHED, DOTTED) for token in ("g2", "g3"))
_FAMILY_OF = {token: number for number, family in enumerate(CURVE_FAMILIES) for token in family}
_FAMILIES = len(CURVE_FAMILIES)


def _family_styles(family: tuple[str, str, str]) -> tuple[CurveStyle, ...]:
    """Return the styles of a family's members below its head, in order; the last three repeat."""
    first, second, third = family
    return (
        CurveStyle(second),
        CurveStyle(third, DASHED),
        CurveStyle(first, DOTTED),
        CurveStyle(second, DASH_DOT),
        CurveStyle(third, DASH_DOT),
        CurveStyle(first, DASH_DOT),
    )


_MEMBERS = tuple(_family_styles(family) for family in CURVE_FAMILIES)
_HEADS = tuple(CurveStyle(family[0]) for family in CURVE_FAMILIES)
_REPEATED = 3


def colour_level(tree: ShareTree) -> int:
    """Return the depth of the groups that begin the families; 0 in a tree without groups."""
    counts = Counter(depth for node, depth in _by_level(tree) if node.is_group and not node.system)
    level = 0
    while 0 < counts[level + 1] <= _FAMILIES:
        level += 1
    return 1 if level == 0 and counts[1] else level


def groups_above_colours(tree: ShareTree) -> list[int]:
    """Return ids of groups above the colour level that contain groups and are not system groups."""
    level = colour_level(tree)
    return [
        node.id
        for node, depth in _by_level(tree)
        if depth < level and not node.system and any(child.is_group for child in tree.children(node.id))
    ]


def assign_curves(
    tree: ShareTree, previous: Mapping[int, CurveStyle] | None = None, level: int | None = None
) -> dict[int, CurveStyle]:
    """Return the style of every node by id; styles in `previous` stay, also those of removed nodes.

    `level` overrides the colour level (menu "Colour by"; pass no previous styles then).
    """
    if previous and all(node.id in previous for node in tree.walk()):
        return dict(previous)
    chosen = _Assignment(dict(previous or {}), colour_level(tree) if level is None else level)
    for node, depth in _by_level(tree):
        chosen.place(node, depth)
    return chosen.styles


class _Assignment:
    """Assignment of styles level by level, so that children come before grandchildren."""

    def __init__(self, styles: dict[int, CurveStyle], level: int) -> None:
        self.styles = styles
        self._level = level
        self._families = {family for style in styles.values() if (family := _family(style)) is not None}
        self._members = Counter(_family(style) for style in styles.values() if style not in _HEADS)
        self._greys = sum(1 for style in styles.values() if style in _GREYS)

    def place(self, node: Node, depth: int) -> None:
        """Give a node a style unless it has one."""
        if node.id in self.styles:
            return
        above = self.styles.get(node.parent) if node.parent is not None else None
        family = _family(above)
        if node.system:
            self.styles[node.id] = self._grey()
        elif family is not None:
            self.styles[node.id] = self._member(family)
        elif above in _GREYS:
            self.styles[node.id] = self._grey()
        elif node.is_group and depth == self._level:
            self.styles[node.id] = self._head()
        elif node.is_group and depth < self._level:
            self.styles[node.id] = _STRUCTURE
        else:
            self.styles[node.id] = self._grey()

    def _head(self) -> CurveStyle:
        for family, head in enumerate(_HEADS):
            if family not in self._families:
                self._families.add(family)
                return head
        return self._grey()

    def _member(self, family: int) -> CurveStyle:
        number = self._members[family]
        self._members[family] += 1
        styles = _MEMBERS[family]
        if number < len(styles):
            return styles[number]
        return styles[len(styles) - _REPEATED + number % _REPEATED]

    def _grey(self) -> CurveStyle:
        style = _GREYS[self._greys % len(_GREYS)]
        self._greys += 1
        return style


def apart_by_dash(style: CurveStyle) -> CurveStyle:
    """Return a style whose dash differs between families too, so that colour is never the only difference."""
    family = _FAMILY_OF.get(style.colour_token)
    if not family:
        return style
    return CurveStyle(style.colour_token, _DASHES[(_DASHES.index(style.dash) + family) % len(_DASHES)])


def _family(style: CurveStyle | None) -> int | None:
    return None if style is None else _FAMILY_OF.get(style.colour_token)


def _by_level(tree: ShareTree) -> Iterator[tuple[Node, int]]:
    """Yield all nodes with their depth, level by level, each level in tree order."""
    row, depth = [tree.root], 0
    while row:
        for node in row:
            yield node, depth
        row = [tree.node(child) for node in row for child in node.children]
        depth += 1
