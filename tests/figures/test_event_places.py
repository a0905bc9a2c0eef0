"""Words beside event lines stand clear of everything else that is drawn, or are left out."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from fsconsole.figures.arrange import UNITS_PER_MM, Arrangement, arrange
from fsconsole.figures.label_places import EventPlace, event_places
from fsconsole.figures.spec import Axis, Curve, EventMark, FigureSpec, FigureStyle, Floats

pytestmark = pytest.mark.usefixtures("qapp")

TIMES = np.arange(0.0, 1000.0, 1.0)
LOW = np.full(len(TIMES), 0.02)
STYLE = FigureStyle()


def placed(events: tuple[EventMark, ...], y: Floats = LOW) -> tuple[Arrangement, list[EventPlace]]:
    axis = Axis("CPU rate", "%", 100.0, "fraction", (0.0, 100.0))
    spec = FigureSpec("f", "F", axis, (Curve("u1", TIMES, y),), events=events)
    at = arrange(spec, STYLE, STYLE.width_mm * UNITS_PER_MM, STYLE.height_mm * UNITS_PER_MM)
    return at, event_places(at, events, STYLE.font_pt)


def rect_of(at: Arrangement, place: EventPlace) -> QRectF:
    assert place.at is not None
    metrics = QFontMetricsF(at.fonts.small)
    width = metrics.horizontalAdvance(place.text)
    return QRectF(place.at.x(), place.at.y() - metrics.ascent(), width, metrics.height())


def test_a_single_event_is_named_at_the_top_left_of_its_line() -> None:
    at, (place,) = placed((EventMark(500.0, "u21 logs in"),))
    rect = rect_of(at, place)
    assert rect.top() == pytest.approx(at.plot.top())
    assert rect.right() < place.x


def test_near_events_are_all_named_and_none_crosses_a_line_or_another() -> None:
    marks = tuple(
        EventMark(at_s, f"user {at_s:g} logs in") for at_s in (2.0, 300.0, 300.0, 310.0, 330.0, 990.0)
    )
    at, places = placed(marks)
    rects = [rect_of(at, place) for place in places]
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])
    assert not any(rect.left() <= place.x <= rect.right() for rect in rects for place in places)
    assert all(at.plot.contains(rect) for rect in rects)


def test_words_keep_clear_of_curves() -> None:
    busy = np.where(TIMES < 600, 0.97, 0.02)
    at, (place,) = placed((EventMark(500.0, "u21 logs in"),), busy)
    rect = rect_of(at, place)
    curve = at.y(97.0)
    assert not rect.top() <= curve <= rect.bottom()


FULL = np.tile([0.0, 1.0], len(TIMES) // 2)


def test_where_curves_are_everywhere_words_stand_on_a_ground_of_their_own() -> None:
    mark = EventMark(500.0, "u21 logs in (+4)")
    at, (place,) = placed((mark,), FULL)
    assert place.ground == rect_of(at, place)
    assert place.text == mark.text


def test_what_has_no_place_is_a_line_without_a_word() -> None:
    marks = tuple(EventMark(10.0 * at, "u21 logs in") for at in range(100))
    _, places = placed(marks, FULL)
    assert all(place.at is None for place in places)


def test_words_of_notes_take_the_room_that_there_is_across_other_lines() -> None:
    near = tuple(EventMark(510.0 + at, "") for at in range(0, 100, 10))
    phrase = "a note on the log of that night "
    long = phrase * 4
    at, (note, *_) = placed((EventMark(500.0, long, 900.0, is_note=True), *near), FULL)
    assert note.text.startswith(phrase.strip())
    assert note.text.endswith("\N{HORIZONTAL ELLIPSIS}")
    assert note.ground is not None
    assert at.plot.contains(note.ground)
    assert note.ground.width() > at.plot.width() / 3


def test_a_span_that_begins_before_what_is_shown_is_there() -> None:
    axis = Axis("CPU rate", "%", 100.0, "fraction", (0.0, 100.0))
    spec = FigureSpec("f", "F", axis, (Curve("u1", TIMES, LOW),))
    style = FigureStyle(x_range=(300.0, 800.0))
    at = arrange(spec, style, 5000.0, 3000.0)
    marks = (EventMark(100.0, "over", 200.0), EventMark(100.0, "in it", 400.0), EventMark(900.0, "later"))
    assert [(place.mark.text, place.x) for place in event_places(at, marks, 9.0)] == [("in it", at.x(300.0))]
