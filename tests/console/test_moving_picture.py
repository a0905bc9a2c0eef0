"""Moving pictures: chunks as specified, which laid upon each other are the frames."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from PySide6.QtGui import QImage

from fsconsole.console.moving_picture import Frame, apng


def test_frames_come_back_from_the_chunks() -> None:
    source = np.random.default_rng(1)
    first = source.integers(0, 256, (5, 7, 4), np.uint8)
    first[..., 3] = 255
    second = first.copy()
    second[1:3, 2:4, 0] ^= 90
    data = apng([(first, 200), (second, 900), (first, 50)])
    assert (image := QImage.fromData(data)).size().toTuple() == (7, 5)
    red, green, blue, alpha = first[2, 3].tolist()
    assert image.pixelColor(3, 2).getRgb() == (red, green, blue, alpha)
    chunks, at = [], 8
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size) == (zlib.crc32(kind + body),)
        chunks.append((kind, body))
        at += 12 + size
    assert b" ".join(kind for kind, _ in chunks) == b"IHDR acTL fcTL IDAT fcTL fdAT fcTL fdAT IEND"
    numbers = [struct.unpack(">I", body[:4])[0] for kind, body in chunks if kind in (b"fcTL", b"fdAT")]
    assert numbers == [0, 1, 2, 3, 4]
    shown = _rows(chunks[3][1])
    for body, wanted in ((chunks[5][1], second), (chunks[7][1], first)):
        laid = _rows(body[4:])
        shown = np.where(laid[..., 3:] == 0, shown, laid)
        assert (shown == wanted).all()
    assert [struct.unpack(">HH", chunks[at][1][20:24]) for at in (2, 4, 6)] == [
        (200, 1000),
        (900, 1000),
        (50, 1000),
    ]


def _rows(packed: bytes) -> Frame:
    return np.frombuffer(zlib.decompress(packed), np.uint8).reshape(5, 29)[:, 1:].reshape(5, 7, 4)
