"""Moving pictures as APNG, which browsers show as they show a PNG.

Source: Portable Network Graphics Specification (Third Edition), W3C, section 11.3.2.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_WITH_ALPHA = 6
_KEEP, _OVER = 0, 1  # Disposal of a frame, and its blending with the previous one.
_MILLISECONDS = 1000


def apng(frames: Sequence[tuple[Frame, int]]) -> bytes:
    """Return a picture that repeats without an end.

    Args:
        frames: pixels, uint8 of shape (height, width, 4) as red, green, blue and opacity, all opaque and
            of one size, each with the milliseconds that it is shown.
    """
    height, width, _ = frames[0][0].shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_WITH_ALPHA, 0, 0, 0)
    parts = [_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    number = 0
    before: Frame | None = None
    for frame, shown_ms in frames:
        place, laid = (number, width, height, 0, 0), _OVER if number else _KEEP
        control = struct.pack(">IIIIIHHBB", *place, shown_ms, _MILLISECONDS, _KEEP, laid)
        parts.append(_chunk(b"fcTL", control))
        number += 1
        if before is None:
            parts.append(_chunk(b"IDAT", _packed(frame)))
        else:
            same = (frame == before).all(axis=2, keepdims=True)
            changed = np.where(same, np.uint8(0), frame)
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + _packed(changed)))
            number += 1
        before = frame
    return b"".join([*parts, _chunk(b"IEND", b"")])


def _packed(frame: Frame) -> bytes:
    """Return rows compressed without a filter, which suits plain areas best."""
    height, width, _ = frame.shape
    rows = np.zeros((height, 1 + 4 * width), np.uint8)
    rows[:, 1:] = frame.reshape(height, 4 * width)
    return zlib.compress(rows.tobytes(), 9)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
