"""Figures as PNG, SVG and PDF bytes, each with its provenance inside."""

from __future__ import annotations

import json
import os
import re
import sys
from html import escape

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from fsconsole.figures.arrange import UNITS_PER_INCH, UNITS_PER_MM
from fsconsole.figures.paint import paint_figure
from fsconsole.figures.spec import FigureSpec, FigureStyle
from fsconsole.figures.style.palette import palette_of

DEFAULT_DPI = 200.0
MAX_PIXELS = 200_000_000
# Names may contain characters that XML does not allow.
_NOT_XML = re.compile(r"[^\t\n\r -\ufffd\U00010000-\U0010ffff]")


def provenance_text(spec: FigureSpec, style: FigureStyle) -> str:
    """Return the JSON text that is written into every file."""
    quantities = ", ".join(part.quantity for part in spec.parts)
    data = {"title": spec.title, "quantity": quantities, **spec.provenance.to_json(style.x_range)}
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def image_of(spec: FigureSpec, style: FigureStyle, dpi: float = DEFAULT_DPI) -> QImage:
    """Return the figure as an opaque image.

    Raises:
        ValueError: the image would be too large.
    """
    ensure_application()
    width, height = (max(1, round(mm / 25.4 * dpi)) for mm in (style.width_mm, style.height_mm))
    if width * height > MAX_PIXELS:
        msg = f"an image of {width} x {height} pixels is too large. Use at most {MAX_PIXELS} pixels in all"
        raise ValueError(msg)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.setDotsPerMeterX(round(dpi / 0.0254))
    image.setDotsPerMeterY(round(dpi / 0.0254))
    image.fill(QColor(palette_of(style.theme).surface))
    with QPainter(image) as painter:
        painter.scale(dpi / UNITS_PER_INCH, dpi / UNITS_PER_INCH)
        paint_figure(painter, spec, style)
    return image


def png_bytes(spec: FigureSpec, style: FigureStyle, dpi: float = DEFAULT_DPI) -> bytes:
    """Return a figure as PNG with title and provenance in text chunks.

    Raises:
        OSError: Qt cannot create the file.
    """
    image = image_of(spec, style, dpi)
    image.setText("Title", spec.title)
    image.setText("Software", spec.provenance.program)
    image.setText("Description", spec.provenance.line())
    image.setText("Provenance", provenance_text(spec, style))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise OSError("the image could not be drawn")
    return bytes(buffer.data().data())


def svg_bytes(spec: FigureSpec, style: FigureStyle) -> bytes:
    """Return a figure as SVG with real text; provenance is in <desc> and <metadata>."""
    ensure_application()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    width, height = style.width_mm * UNITS_PER_MM, style.height_mm * UNITS_PER_MM
    generator.setResolution(UNITS_PER_INCH)
    generator.setSize(QSize(round(width), round(height)))
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle(spec.title)
    generator.setDescription(spec.provenance.line())
    with QPainter(generator) as painter:
        paint_figure(painter, spec, style)
    return _finished(bytes(buffer.data().data()).decode(), spec, style).encode()


def pdf_bytes(spec: FigureSpec, style: FigureStyle) -> bytes:
    """Return a figure as a PDF page of its size; provenance is in its information and an attached file."""
    ensure_application()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(UNITS_PER_INCH)
    size = QSizeF(style.width_mm, style.height_mm)
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Millimeter, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(spec.title)
    writer.setCreator(spec.provenance.line())
    writer.addFileAttachment(
        "provenance.json", QByteArray(provenance_text(spec, style).encode()), "application/json"
    )
    with QPainter(writer) as painter:
        paint_figure(painter, spec, style)
    return bytes(buffer.data().data())


def _finished(svg: str, spec: FigureSpec, style: FigureStyle) -> str:
    metadata = f"<metadata>{escape(provenance_text(spec, style), quote=False)}</metadata>\n"
    # Qt rounds the size to whole units.
    size = f'<svg width="{style.width_mm:g}mm" height="{style.height_mm:g}mm"'
    svg = re.sub(r'<svg width="[^"]*" height="[^"]*"', size, svg, count=1)
    # Viewers without the family that Qt found should use a sans-serif, not a serif.
    svg = re.sub(r'font-family="([^",]*)"', r'font-family="\1, sans-serif"', svg)
    return _NOT_XML.sub("", svg.replace("<defs>", metadata + "<defs>", 1))


# Qt ends when the last reference to its application goes.
_kept: list[QGuiApplication] = []


def ensure_application() -> None:
    """Create an offscreen application for drawing unless one exists; fonts need it."""
    if QGuiApplication.instance() is not None:
        return
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _kept.append(QGuiApplication([sys.argv[0]]))
