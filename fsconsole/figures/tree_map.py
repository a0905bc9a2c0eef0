"""The share map of a tree as a figure: an icicle whose widths are parts of the machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QPainter

from fsconsole.figures.arrange import UNITS_PER_PT, Fonts
from fsconsole.figures.map_geometry import boxes
from fsconsole.figures.map_painter import MapInk, MapLook, paint_map
from fsconsole.figures.painted_text import draw_text_at
from fsconsole.figures.spec import Axis, FigureSpec, FigureStyle, Floats, Provenance
from fsconsole.figures.style.curves import assign_curves
from fsconsole.figures.style.palette import palette_of
from fsconsole.shares.flat import FlatTree
from fsconsole.text.numbers import short_percent

if TYPE_CHECKING:
    from fsconsole.shares.tree import ShareTree

_PX = 0.75 * UNITS_PER_PT  # A logical pixel of the window has 96 to the inch.
_GAP_PT = 3.0
_MOST_BAND_PX, BAND_MM = 40.0, 9.0
_AXIS = Axis("share of the machine", "%", 100.0, "fraction")


@dataclass(frozen=True, eq=False)
class TreeMap(FigureSpec):
    """A share map.

    Attributes:
        tree: the names of its nodes.
        flat: its rows.
        widths: fraction of the machine of each row.
    """

    tree: ShareTree | None = field(default=None, kw_only=True)
    flat: FlatTree | None = field(default=None, kw_only=True)
    widths: Floats | None = field(default=None, kw_only=True)

    @property
    def height_mm(self) -> float:
        """Height in mm with room for a line of text in each level."""
        return BAND_MM * (1 if self.flat is None else len(self.flat.levels)) + 2


def tree_map(tree: ShareTree, title: str, widths: Floats | None = None) -> TreeMap:
    """Return the map of a tree.

    Args:
        tree: the tree.
        title: title of the figure.
        widths: fraction of the machine of each row of its flat tree, [rows]; None for fractions by shares.
    """
    flat = FlatTree.of(tree)
    return TreeMap(
        "share-map", title, _AXIS, (), _AXIS, quantity="machine_share", provenance=Provenance(),
        tree=tree, flat=flat, widths=flat.machine_share() if widths is None else widths,
    )  # fmt: skip


def paint_tree_map(painter: QPainter, spec: TreeMap, style: FigureStyle, size: tuple[float, float]) -> None:
    """Paint a map at the origin, in tenths of a point."""
    palette, fonts = palette_of(style.theme), Fonts.of(style)
    painter.fillRect(QRectF(0, 0, *size), QColor(palette.surface))
    if spec.flat is None or spec.tree is None or spec.widths is None:
        return
    flat, tree, widths = spec.flat, spec.tree, spec.widths
    top = 0.0
    if style.title:
        painter.setFont(fonts.title)
        painter.setPen(QColor(palette.hex("text")))
        top = style.font_pt * 1.5 * UNITS_PER_PT
        draw_text_at(painter, QPointF(0, style.font_pt * 1.1 * UNITS_PER_PT), spec.title)
        top += _GAP_PT * UNITS_PER_PT
    band = min((size[1] - top) / _PX / len(flat.levels), _MOST_BAND_PX) - 1 / len(flat.levels)
    styles = assign_curves(tree, None)
    look = MapLook(
        name=lambda row: tree.node(int(flat.ids[row])).name,
        token=lambda row: styles[int(flat.ids[row])].colour_token,
        part=lambda row: short_percent(float(widths[row])),
    )
    painter.save()
    painter.translate(0, top)
    painter.scale(_PX, _PX)
    font = QFont(fonts.plain)
    font.setPixelSize(max(1, round(fonts.plain.pixelSize() / _PX)))
    painter.setFont(font)
    paint_map(painter, boxes(flat, widths, size[0] / _PX - 1, band_height=band), look, MapInk(palette))
    painter.restore()
