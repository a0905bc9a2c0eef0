"""The layout of a figure, in tenths of a point (720 to the inch)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QGuiApplication

from fsconsole.figures.lines import cut_to_x, thin
from fsconsole.figures.log_axis import figure_ticks, places_on_log, powers_for, strip_of
from fsconsole.figures.spec import Axis, FigureSpec, FigureStyle, Floats
from fsconsole.figures.ticks import (
    Ticks,
    linear_ticks,
    nice_top,
    power_of_thousand,
    spread,
    time_ticks,
    unit_with_power,
)
from fsconsole.resources import resource

UNITS_PER_INCH = 720
UNITS_PER_PT = 10.0
UNITS_PER_MM = UNITS_PER_INCH / 25.4
HOURS_FROM_S = 7200.0
_ROOM_PER_X_TICK_PT = 56.0
_ROOM_PER_Y_TICK_PT = 34.0
_NAME_LINE = 0.92  # Names at curves' ends keep this distance, in heights of letters.
_KEY_LINE = 1.3  # A key's names keep this distance, in heights of letters.
_MOST_PARTS = 12  # An axis from -12 to 15 gets two ticks only with this many parts.


@dataclass(frozen=True)
class Fonts:
    """The figure's fonts; sizes are pixels of a tenth of a point, the same on every device."""

    plain: QFont
    bold: QFont
    title: QFont
    small: QFont

    @classmethod
    def of(cls, style: FigureStyle) -> Fonts:
        """Return the fonts of the style's family around its base size."""
        family, font_pt = style.family, style.font_pt
        return cls(
            plain=_font(family, font_pt),
            bold=_font(family, font_pt, bold=True),
            title=_font(family, font_pt * 1.2, bold=True),
            small=_font(family, font_pt * 0.9),
        )


@cache
def _shipped() -> None:
    """Register the program's own fonts with Qt."""
    for path in sorted(resource("fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(path))


def _font(family: str, size_pt: float, *, bold: bool = False) -> QFont:
    font = QFont(QGuiApplication.font())
    if family:
        _shipped()
        font.setFamilies([family])
    font.setPixelSize(max(1, round(size_pt * UNITS_PER_PT)))
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    # Hinting fits letters to whole units of this fine grid, which spoils their spacing on the coarser screen.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """A curve's points in shown units, cut to the range in x, and the place of its name (y of the middle)."""

    x: Floats
    y: Floats
    end_y: float | None


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A figure laid out: the plot's rectangle, ranges in shown units, ticks, titles and name places.

    `name_width`: room for the name of a curve; longer ones are elided. `unnamed`: number of curves without
    room for their names, and the place of that remark; None if all have room. `log_floor`: lowest power of
    ten of the y axis, whose shown units are powers then; None on another axis.
    """

    plot: QRectF
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: Ticks
    y_ticks: Ticks
    x_title: str
    y_title: str
    x_scale: float
    y_scale: float
    curves: tuple[DrawnCurve, ...]
    name_places: tuple[float | None, ...]
    fonts: Fonts
    name_width: float
    unnamed: tuple[int, float] | None = None
    log_floor: float | None = None

    def x(self, shown: float) -> float:
        """Return the place of a value of the x axis."""
        low, high = self.x_range
        return float(self.plot.left() + (shown - low) / (high - low) * self.plot.width())

    def y(self, shown: float) -> float:
        """Return the place of a value of the y axis."""
        low, high = self.y_range
        return float(self.plot.bottom() - (shown - low) / (high - low) * self.plot.height())


def arrange(spec: FigureSpec, style: FigureStyle, width: float, height: float) -> Arrangement:
    """Lay a figure out on width x height tenths of a point."""
    fonts = Fonts.of(style)
    low, high = style.x_range or spec.x_span()
    in_hours = spec.x_axis.unit == "s" and high - low > HOURS_FROM_S
    x_scale = spec.x_axis.scale / 3600 if in_hours else spec.x_axis.scale
    start = low if spec.drawn_from is None else max(low, spec.drawn_from)
    cut = [cut_to_x(curve.x, curve.y * spec.y_axis.scale, start, high) for curve in spec.curves]
    bands = [(curve.x, edge) for curve in spec.curves for edge in (*curve.band, *curve.whiskers)]
    reach = cut + [cut_to_x(x, edge * spec.y_axis.scale, start, high) for x, edge in bands]
    powers = _powers(reach) if spec.y_axis.is_log else None
    exponent = 0 if powers else power_of_thousand(_largest(reach))
    y_scale = spec.y_axis.scale / 10.0**exponent
    y_range = _y_range(spec.y_axis, reach, exponent)
    if powers:
        floor, top = powers
        y_range = (floor - strip_of(floor, top), top)
        cut = [(x, places_on_log(y, floor, y_range[0])) for x, y in cut]
    plot = _plot_rect(spec, style, fonts, width, height, y_range, powers)
    if _has_words_at_top(spec, [y / 10.0**exponent for _, y in cut], y_range):
        plot.setTop(plot.top() + QFontMetricsF(fonts.plain).height())  # The plot stays clear of the title.
    columns = max(2, int(plot.width() / 2.5))
    curves = tuple(_drawn(*thin(x, y, columns), x_scale, exponent) for x, y in cut)
    result = Arrangement(
        plot=plot,
        x_range=(low * x_scale, high * x_scale),
        y_range=y_range,
        x_ticks=_x_ticks(spec.x_axis, low * x_scale, high * x_scale, plot.width(), style),
        y_ticks=figure_ticks(*powers) if powers else _y_ticks(y_range, plot.height(), style),
        x_title=_x_title(spec.x_axis, style, in_hours=in_hours),
        y_title=_y_title(spec.y_axis, style, exponent),
        x_scale=x_scale,
        y_scale=y_scale,
        curves=curves,
        name_places=(),
        fonts=fonts,
        name_width=_NAMES_PART * width,
        log_floor=powers[0] if powers else None,
    )
    return _with_names(result, is_key=spec.has_key) if style.names else result


def _with_names(arranged: Arrangement, *, is_key: bool) -> Arrangement:
    """Add names at the ends of curves, or one below the other from the top as a key.

    Without room for all, the last curves get no name; their number is written at the bottom.
    """
    height = QFontMetricsF(arranged.fonts.bold).height()
    ends = [curve.end_y for curve in arranged.curves]
    named = [index for index, end in enumerate(ends) if is_key or end is not None]
    gap = _NAME_LINE * height
    inset = height / 2 if is_key else height / 4
    top, bottom = arranged.plot.top() + inset, max(arranged.plot.top(), arranged.plot.bottom()) - height / 4
    most = max(1, int((bottom - top) / gap + 1 + 1e-9))
    left_out, foot = len(named) - most, bottom
    if left_out > 0:
        named, bottom, left_out = named[: most - 1], bottom - gap, left_out + 1
    if is_key:
        step = min(_KEY_LINE * height, (bottom - top) / max(len(named) - 1, 1))
        places = [top + number * step for number in range(len(named))]
    else:
        places = spread([arranged.y(ends[index] or 0.0) for index in named], gap, top, bottom)
    found = dict(zip(named, places, strict=True))
    return replace(
        arranged,
        name_places=tuple(found.get(index) for index in range(len(ends))),
        unnamed=(left_out, foot) if left_out > 0 else None,
    )


def _drawn(x: Floats, y: Floats, x_scale: float, exponent: int) -> DrawnCurve:
    known = np.flatnonzero(~np.isnan(y))
    shown = y / 10.0**exponent
    return DrawnCurve(x * x_scale, shown, float(shown[known[-1]]) if len(known) else None)


def _largest(cut: list[tuple[Floats, Floats]]) -> float:
    return max((float(np.nanmax(np.abs(y))) for _, y in cut if len(y) and not np.isnan(y).all()), default=0.0)


def _powers(cut: list[tuple[Floats, Floats]]) -> tuple[float, float]:
    """Return the lowest and highest power of ten of an axis for these curves."""
    above = [y[y > 0] for _, y in cut]
    smallest = min((float(y.min()) for y in above if len(y)), default=math.inf)
    return powers_for(smallest, _largest(cut))


def _y_range(axis: Axis, cut: list[tuple[Floats, Floats]], exponent: int) -> tuple[float, float]:
    if axis.limits is not None:
        return axis.limits
    factor = 10.0**exponent
    known = [y[~np.isnan(y)] for _, y in cut]
    top = max((float(y.max()) for y in known if len(y)), default=0.0) / factor
    bottom = min((float(y.min()) for y in known if len(y)), default=0.0) / factor
    high = nice_top(top)
    if axis.unit == "%" and exponent == 0 and top <= 100:
        high = min(high, 100.0)
    return (-nice_top(-bottom) if bottom < 0 else 0.0), high


def _plot_rect(
    spec: FigureSpec,
    style: FigureStyle,
    fonts: Fonts,
    width: float,
    height: float,
    y_range: tuple[float, float],
    powers: tuple[float, float] | None,
) -> QRectF:
    plain, bold = QFontMetricsF(fonts.plain), QFontMetricsF(fonts.bold)
    em = style.font_pt * UNITS_PER_PT
    labels = (figure_ticks(*powers) if powers else _y_ticks(y_range, height * 0.7, style)).labels
    title = plain.height() if _y_title(spec.y_axis, style, 0) else 0.0
    left = 0.7 * em + title + 0.9 * em + max(plain.horizontalAdvance(label) for label in labels)
    names = max((bold.horizontalAdvance(curve.name) for curve in spec.curves), default=0.0)
    names = min(names, _NAMES_PART * width)
    right = 1.2 * em + (names + 0.9 * em if style.names else 0.4 * em)
    if style.edges_em is not None:
        left, right = (edge * em for edge in style.edges_em)
    top = 0.9 * em
    if style.title and spec.title:
        top += QFontMetricsF(fonts.title).height() + 0.2 * em
    if style.title and spec.caption:
        top += QFontMetricsF(fonts.small).height()
    if style.title and (spec.title or spec.caption):
        top += 0.7 * em
    lines = (2 if _x_title(spec.x_axis, style) else 1) if style.x_labels else 0
    bottom = 0.7 * em + lines * plain.height() + max(lines - 1, 0) * em
    return QRectF(left, top, max(width - left - right, em), max(height - top - bottom, em))


def _has_words_at_top(spec: FigureSpec, shown: list[Floats], y_range: tuple[float, float]) -> bool:
    """Return True if labels would reach above the plot; labels of a few values are placed elsewhere."""
    edge = y_range[1] - _TOP_PART * (y_range[1] - y_range[0])
    for curve, values in zip(spec.curves, shown, strict=True):
        if not curve.labels or len(curve.labels) != len(values):
            continue
        if curve.labels_some and spec.shape_of(curve) == "line":
            continue
        labelled = [value for value, words in zip(values.tolist(), curve.labels, strict=True) if words]
        if any(value > edge for value in labelled):
            return True
    return False


def _x_ticks(axis: Axis, low: float, high: float, room: float, style: FigureStyle) -> Ticks:
    if axis.kinds:
        seen = [place for place in range(len(axis.kinds)) if low <= place <= high]
        words = QFontMetricsF(Fonts.of(style).plain)
        widths = {place: words.horizontalAdvance(f"{axis.kinds[place]}  ") for place in seen}
        named = _named_kinds(axis.kinds, widths, room / max(len(seen), 1))
        return Ticks(tuple(map(float, named)), tuple(axis.kinds[place] for place in named))
    count = max(2, int(room / UNITS_PER_PT / _ROOM_PER_X_TICK_PT * 9 / style.font_pt))
    if axis.unit == "s" and high - low <= HOURS_FROM_S:
        return time_ticks(low, high, count)
    return linear_ticks(low, high, count)


def _named_kinds(kinds: Sequence[str], widths: Mapping[int, float], step: float) -> list[int]:
    """Return the places that get a name: all if there is room, otherwise evenly spaced ones.

    A name unlike most others, such as a model's among months, cannot be guessed from its neighbours and
    always gets priority.
    """
    forms = {place: _DIGIT.sub("0", kinds[place]) for place in widths}
    counts = Counter(forms.values())
    odd = [place for place in widths if counts[forms[place]] == 1] if len(counts) < len(forms) else []
    regular = [place for place in widths if place not in odd]
    widest = max((widths[place] for place in regular), default=0.0)
    every = max(1, math.ceil(widest / step - 1e-9))
    if not odd:
        return regular[::every]
    named: list[int] = []
    for place in (*odd, *regular[::every]):
        if all(abs(place - other) * step >= (widths[place] + widths[other]) / 2 for other in named):
            named.append(place)
    return sorted(named)


_NAMES_PART = 0.35  # The names of its curves take no larger fraction of a figure's width.
_TOP_PART = 0.12  # A label above a value takes this fraction of the y axis in a low plot.
_DIGIT = re.compile(r"\d")


def _y_ticks(y_range: tuple[float, float], room: float, style: FigureStyle) -> Ticks:
    count = max(2, int(room / UNITS_PER_PT / _ROOM_PER_Y_TICK_PT * 9 / style.font_pt))
    tried = (linear_ticks(*y_range, parts) for parts in range(min(count, 6), _MOST_PARTS))
    return next((ticks for ticks in tried if len(ticks.values) > 1), linear_ticks(*y_range, _MOST_PARTS))


def _x_title(axis: Axis, style: FigureStyle, *, in_hours: bool = False) -> str:
    is_left_out = style.axis_titles == "none" or not style.x_labels
    return "" if is_left_out else _titled(axis.title, "h" if in_hours else axis.unit)


def _y_title(axis: Axis, style: FigureStyle, exponent: int) -> str:
    if style.axis_titles != "both":
        return ""
    titled = _titled(axis.title, unit_with_power(axis.unit, exponent))
    return f"{titled} (log)" if axis.is_log else titled


def _titled(title: str, unit: str) -> str:
    return f"{title}, {unit}" if unit else title
