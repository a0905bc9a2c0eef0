"""Words of single values stand clear of one another and of the curve where there is room."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from fsconsole.figures.arrange import arrange
from fsconsole.figures.label_places import label_places
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle

STYLE = FigureStyle()


def test_words_of_a_valley_and_of_near_values_do_not_meet(qapp: QApplication) -> None:
    x = np.array([0.0, 4.0, 5.0, 10.0])
    spec = FigureSpec(
        "a", "", Axis("y", "", 1.0, "", (0.0, 1.0)), (Curve("c", x, np.array([1, 0.4, 0.5, 0.1])),)
    )
    at = arrange(spec, STYLE, 4000, 2500)
    placed = label_places(at, [(4.0, 0.4, "0.400"), (5.0, 0.5, "0.500")], STYLE.font_pt)
    metrics = QFontMetricsF(at.fonts.plain)
    size = (metrics.horizontalAdvance("0.400"), metrics.capHeight())
    rects = [QRectF(left, base - size[1], *size) for left, base, _ in placed]
    assert not rects[0].intersects(rects[1])
    # The word of the lowest value of a valley stands below it.
    assert rects[0].top() > at.y(0.4)
    for rect in rects:
        assert at.plot.contains(rect)


def test_only_values_with_words_have_dots() -> None:
    x = np.arange(3.0)
    some = Curve("c", x, x, marks=True, labels=("", "1", ""))
    assert some.labels_some
    assert not Curve("c", x, x, marks=True, labels=("0", "1", "2")).labels_some
    assert not Curve("c", x, x).labels_some


def test_figures_one_below_the_other_have_the_same_edges(qapp: QApplication) -> None:
    small, large = (
        FigureSpec("a", "", Axis("y"), (Curve("c" * 9, np.arange(2.0), np.array([0.0, top])),))
        for top in (1.0, 90_000.0)
    )
    style = FigureStyle(edges_em=(5.0, 6.0), title=False, axis_titles="none", x_labels=False)
    plots = [arrange(spec, style, 4000, 1000).plot for spec in (small, large)]
    assert plots[0].left() == plots[1].left() == 5 * 90
    assert plots[0].right() == plots[1].right() == 4000 - 6 * 90
    with_labels = arrange(small, FigureStyle(axis_titles="none", title=False), 4000, 1000).plot
    assert plots[0].bottom() > with_labels.bottom()
