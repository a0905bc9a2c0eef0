"""Compiled painting of spans of lanes into pixels: any number in one pass and in their true sizes.

A span narrower than a pixel counts by the fraction that it covers, so that a crowd of small jobs looks as
dense as it is. No Qt; the caller determines the visible range and the colours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.policies.compiled import compiled, entry

Small = NDArray[np.int32]
Tints = NDArray[np.uint8]
Colours = NDArray[np.float32]
Sums = NDArray[np.float32]
Pixels = NDArray[np.uint32]

GAP_FROM_PX = 4.0  # Larger boxes leave a line to their neighbours.
PARTS = 5  # A place has these sums: red, green, blue, covered fraction, fraction that ends below.


@entry(allocates=False)
def paint_spans(
    start_s: Ints,
    end_s: Ints,
    first: Small,
    wide: Small,
    tint: Tints,
    sight: Floats,
    colours: Colours,
    sums: Sums,
    pixels: Pixels,
) -> None:
    """Paint spans over a background.

    Lanes of a pixel and more are computed once each, not once for each row of pixels.

    Args:
        start_s: start of each span, [spans].
        end_s: end of each span, after its start, [spans].
        first: its lowest lane, counted from 0, [spans].
        wide: its number of lanes, [spans].
        tint: its colour, a row of `colours`, [spans].
        sight: visible range: second at the left edge, pixels a second, lane at the upper edge, pixels a lane,
            and width of the line between large boxes in pixels.
        colours: red, green and blue, 0 to 255, [colours, 3]; the last one is the background.
        sums: work space, [height + 2, width, PARTS].
        pixels: 0xffRRGGBB, [height, width]; filled.
    """
    height, width = pixels.shape
    lane_px = sight[3]
    by_lane = lane_px >= 1.0
    base = np.floor(sight[2]) if by_lane else sight[2]
    scale = 1.0 if by_lane else lane_px
    rows = min(int(np.ceil(height / lane_px)) + 2, height + 2) if by_lane else height
    _clear(sums, rows)
    for span in range(len(start_s)):
        left = (start_s[span] - sight[0]) * sight[1]
        right = (end_s[span] - sight[0]) * sight[1]
        upper = (first[span] - base) * scale
        lower = upper + wide[span] * scale
        if right - left >= GAP_FROM_PX:
            right -= sight[4]
        ends = wide[span] * lane_px >= GAP_FROM_PX and by_lane
        left, right = max(left, 0.0), min(right, np.float64(width))
        upper = max(upper, 0.0)
        if left < right and upper < min(lower, np.float64(rows)):
            _add(sums, rows, left, right, upper, lower, colours, tint[span], ends)
    _compose(sums, sight, base, by_lane, colours, pixels)


@compiled
def _clear(sums: Sums, rows: int) -> None:
    for row in range(rows):
        for column in range(sums.shape[1]):
            for part in range(PARTS):
                sums[row, column, part] = np.float32(0.0)


@compiled
def _add(
    sums: Sums,
    rows: int,
    left: float,
    right: float,
    upper: float,
    lower: float,
    colours: Colours,
    tint: int,
    ends: bool,
) -> None:
    """Add a box to each place, weighted by the fraction of the place that it covers."""
    red, green, blue = colours[tint, 0], colours[tint, 1], colours[tint, 2]
    from_column, to_column = int(left), int(np.ceil(right))
    last_row = int(np.ceil(lower)) - 1
    for row in range(int(upper), min(last_row + 1, rows)):
        high = np.float32(min(lower, row + 1.0) - max(upper, np.float64(row)))
        for column in range(from_column, to_column):
            part = high
            if column == from_column or column == to_column - 1:
                part = high * np.float32(min(right, column + 1.0) - max(left, np.float64(column)))
            sums[row, column, 0] += part * red
            sums[row, column, 1] += part * green
            sums[row, column, 2] += part * blue
            sums[row, column, 3] += part
            if ends and row == last_row:
                sums[row, column, 4] += part


@compiled
def _compose(
    sums: Sums,
    sight: Floats,
    base: float,
    by_lane: bool,
    colours: Colours,
    pixels: Pixels,
) -> None:
    """Draw the sums over the background; the last rows of a lane leave out boxes that end there."""
    height = len(pixels)
    before, was_line = np.int64(-1), False
    for row in range(height):
        lane = sight[2] + (row + 0.5) / sight[3] - base
        place = np.int64(lane) if by_lane else np.int64(row)
        is_line = by_lane and (lane - place) * sight[3] >= sight[3] - sight[4]
        if row > 0 and place == before and is_line == was_line:
            for column in range(pixels.shape[1]):
                pixels[row, column] = pixels[row - 1, column]
        else:
            _compose_row(sums, place, colours, is_line, pixels, row)
        before, was_line = place, is_line


@compiled
def _compose_row(
    sums: Sums,
    place: int,
    colours: Colours,
    is_line: bool,
    pixels: Pixels,
    row: int,
) -> None:
    last = len(colours) - 1
    red, green, blue = colours[last, 0], colours[last, 1], colours[last, 2]
    one, most = np.float32(1.0), np.float32(255.0)
    for column in range(pixels.shape[1]):
        covered = sums[place, column, 3]
        part = one
        if is_line and covered > np.float32(0.0):
            part = one - min(sums[place, column, 4] / covered, one)
        if covered > one:
            part /= covered  # An imported schedule may have overlapping jobs.
        rest = one - min(covered * part, one)
        r = np.uint32(min(sums[place, column, 0] * part + rest * red, most))
        g = np.uint32(min(sums[place, column, 1] * part + rest * green, most))
        b = np.uint32(min(sums[place, column, 2] * part + rest * blue, most))
        pixels[row, column] = np.uint32(0xFF000000) | (r << np.uint32(16)) | (g << np.uint32(8)) | b
