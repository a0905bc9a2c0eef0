"""A figure as a short Python script for matplotlib, which draws the data of the CSV file beside it."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.figures.data import columns_of, edges_of
from fsconsole.figures.print_looks import Hatch, dash_of, hatch_of
from fsconsole.figures.spec import Curve, FigureSpec, FigureStyle
from fsconsole.figures.style.palette import palette_of

_HEAD = '''\
"""{title}

Made by {program}. It needs matplotlib and the file {data} in the same folder, and
writes {picture}. The header of the file names its units; column() converts them into those
of the axes.
"""

import csv
from pathlib import Path

import matplotlib.pyplot as plt

plt.rcParams["font.size"] = {font_pt!r}
here = Path(__file__).resolve().parent
with (here / {data!r}).open(newline="", encoding="utf-8") as file:
    header, *rows = csv.reader(file)


def column(place, scale):
    return [scale * float(row[place]) if row[place] else float("nan") for row in rows]


'''
_KINDS = "x, kinds = list(range(len(rows))), [row[0] for row in rows]\n"
_WIDE_MM = 120.0
_MOST_KINDS = 20
_MM_IN_LETTER_PT = 0.25  # A letter is so wide for each point of its height.
_LETTERS: dict[float, str] = {0: "-", 45: "/", 90: "|", 135: "\\"}
_NUMBERS = "x = column(0, {scale!r})\n"


def script_of(spec: FigureSpec, style: FigureStyle, data: str) -> str:
    """Return the script; `data` is the name of the CSV file, with the columns of `columns_of`.

    It draws curves, bars, boxes, bands, axes, limits and titles, but neither events nor notes.
    """
    parts = spec.parts
    picture = f"{data.rpartition('.')[0]}.png"
    title = " ".join(spec.title.replace("\\", "/").replace('"', "'").split())
    lines = [
        _HEAD.format(
            title=title, program=spec.provenance.program, data=data, picture=picture, font_pt=style.font_pt
        )
    ]
    lines.append(_KINDS if spec.x_axis.kinds else _NUMBERS.format(scale=spec.x_axis.scale))
    size = (round(style.width_mm / 25.4, 2), round(style.height_mm / 25.4, 2))
    lines.append(
        f"fig, axes = plt.subplots({len(parts)}, sharex=True, squeeze=False, figsize={size}, "
        'layout="constrained")\n'
    )
    assert sum(len(part.curves) for part in parts) == len(columns_of(spec)) - 1  # noqa: S101 (one each)
    place, edge = 1, len(columns_of(spec))
    for row, part in enumerate(parts):
        lines.append(f"ax = axes[{row}][0]\n")
        lines += _part(part, style, place, edge)
        place += len(part.curves)
        edge += sum(len(list(edges_of(curve))) for curve in part.curves)
    lines.append(f"ax.set_xlabel({_titled(spec.x_axis.title, spec.x_axis.unit)!r})\n")
    if spec.x_axis.kinds:
        lines.append(_kinds(spec.x_axis.kinds, style))
    if style.title:
        lines.append(f"fig.suptitle({spec.title!r})\n")
    lines.append(_legend(spec, style))
    lines.append(f"fig.savefig(here / {picture!r}, dpi=200)\n")
    return "".join(lines)


def _part(part: FigureSpec, style: FigureStyle, first: int, edge: int) -> list[str]:
    """Return the lines of one plot; its curves start at column `first`, the edges of bands at `edge`."""
    bars = [curve for curve in part.curves if part.shape_of(curve) == "bar"]
    made = [_drawn(part, place, first + place, bars, style) for place in range(len(part.curves))]
    for place, curve in enumerate(part.curves):
        made += _edges(part, curve, first + place, edge, bars, style)
        edge += len(list(edges_of(curve)))
    axis = part.y_axis
    made.append(f"ax.set_ylabel({_titled(axis.title, axis.unit)!r})\n")
    if axis.limits:
        made.append(f"ax.set_ylim({axis.limits[0]!r}, {axis.limits[1]!r})\n")
    if axis.is_log:
        made.append('ax.set_yscale("symlog")\n')
    made.append("ax.grid(alpha=0.3)\n")
    return made


def _kinds(kinds: Sequence[str], style: FigureStyle) -> str:
    """Return the line that labels kinds: turned where they are too long side by side, of many only some."""
    step = -(-len(kinds) // _MOST_KINDS)
    letters = sum(len(kind) + 2 for kind in kinds[::step])
    turned = (
        ', rotation=45, ha="right"' if letters * style.font_pt * _MM_IN_LETTER_PT > style.width_mm else ""
    )
    every = f"[::{step}]" if step > 1 else ""
    return f"ax.set_xticks(x{every}, kinds{every}{turned})\n"


def _legend(spec: FigureSpec, style: FigureStyle) -> str:
    """Return the line that puts names next to the plots, or below where they would take most of the width."""
    if not any(curve.name for part in spec.parts for curve in part.curves):
        return ""
    if style.width_mm < _WIDE_MM and len(spec.parts) == 1:
        return 'fig.legend(fontsize="small", loc="outside lower center", ncols=2)\n'
    return 'for ax in fig.axes:\n    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))\n'


def _drawn(part: FigureSpec, index: int, place: int, bars: list[Curve], style: FigureStyle) -> str:
    curve = part.curves[index]
    colour, dash = palette_of(style.theme).hex(curve.colour), _dash(part, index, style)
    values = f"column({place}, {part.y_axis.scale!r})"
    look = f"color={colour!r}, label={curve.name!r}"
    match part.shape_of(curve):
        case "bar":
            at = f"[at + {_bar_offset(curve, bars)!r} for at in x]"
            fill = _filled(part, index, style)
            return f"ax.bar({at}, {values}, {0.8 / len(bars)!r}, {fill}, label={curve.name!r})\n"
        case "box":
            return ""
        case "tick":
            wide_pt = round(min(14.0, 1.5 * style.width_mm / max(len(curve.x), 1)), 1)
            return f'ax.plot(x, {values}, "_", markersize={wide_pt!r}, {look})\n'
        case "level":
            return f"ax.axhline({values}[0], {dash}{look})\n"
    mark = 'marker=".", ' if curve.marks else ""
    return f"ax.plot(x, {values}, {mark}linewidth={style.line_pt!r}, {dash}{look})\n"


def _edges(
    part: FigureSpec, curve: Curve, place: int, edge: int, bars: list[Curve], style: FigureStyle
) -> list[str]:
    """Return the lines that draw whiskers of bars, boxes with theirs, and bands of lines."""
    colour, scale = palette_of(style.theme).hex(curve.colour), part.y_axis.scale
    ends = [f"column({edge + side}, {scale!r})" for side in range(len(list(edges_of(curve))))]
    if not ends:
        return []
    match part.shape_of(curve):
        case "bar":
            at = f"[at + {_bar_offset(curve, bars)!r} for at in x]"
            return [f'ax.vlines({at}, {ends[0]}, {ends[1]}, color="black", linewidth=1)\n']
        case "box":
            low, high = ends[2:] or ends[:2]
            look = f'color="white", edgecolor={colour!r}, zorder=3'
            return [
                f"ax.vlines(x, {low}, {high}, color={colour!r}, linewidth=1)\n",
                f"low, high = {ends[0]}, {ends[1]}\n",
                f"ax.bar(x, [b - a for a, b in zip(low, high)], 0.5, low, {look})\n",
                f'ax.plot(x, column({place}, {scale!r}), "_", markersize=24, color={colour!r}, zorder=4)\n',
            ]
    return [f"ax.fill_between(x, {ends[0]}, {ends[1]}, color={colour!r}, alpha=0.2, linewidth=0)\n"]


def _bar_offset(curve: Curve, bars: list[Curve]) -> float:
    """Return the distance of a curve's bars from the middle of a kind."""
    return (bars.index(curve) - (len(bars) - 1) / 2) * 0.8 / len(bars)


def _filled(part: FigureSpec, index: int, style: FigureStyle) -> str:
    """Return the colours of bars, and their hatching."""
    hatch, colour = hatch_of(part, index, style), palette_of(style.theme).hex(part.curves[index].colour)
    if hatch.is_full:
        return f"color={colour!r}"
    return f'facecolor="none", edgecolor={colour!r}, hatch={_hatching(hatch)!r}'


def _hatching(hatch: Hatch) -> str:
    """Return matplotlib's letters for a hatching: more of them make it denser."""
    return "".join(_LETTERS[angle] * (4 if hatch.gap_pt < 2 else 3) for angle in hatch.angles)


def _dash(part: FigureSpec, index: int, style: FigureStyle) -> str:
    """Return the dash pattern in line widths, by which matplotlib scales it."""
    dash = dash_of(part, index, style)
    return f"linestyle=(0, {dash!r}), " if dash else ""


def _titled(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title
