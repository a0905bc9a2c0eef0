"""Writing a report: PDF by Typst, or one HTML file. The same report gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fsconsole.app.reports.document import Figure, Report
from fsconsole.figures.spec import FONT_SHIPPED, FigureStyle
from fsconsole.shares.files import write_atomic

WIDTH_MM = 170.0


def write_report(report: Report, out: Path) -> None:
    """Write a report as HTML or PDF by the suffix of `out`, by default PDF.

    Raises:
        OSError: the file cannot be written.
    """
    report = ready(report, out)
    write_drawn(report, pictures_of(report), out)


def ready(report: Report, out: Path) -> Report:
    """Return a report whose texts can be shown in a file, to be drawn next; in any thread."""
    if out.suffix.lower() == ".html":
        return report
    from fsconsole.app.reports.typst_pdf import spelt

    return spelt(report)


def pictures_of(report: Report) -> list[bytes]:
    """Return the report's figures as SVG, in its size and font; Qt draws them, so call it in the window's
    thread.
    """
    return [_picture(report.style, figure) for figure in report.figures]


def write_drawn(report: Report, pictures: Sequence[bytes], out: Path) -> None:
    """Write a report whose figures are drawn; in any thread."""
    if out.suffix.lower() == ".html":
        from fsconsole.app.reports.html_page import html_of

        write_atomic(out, html_of(report, pictures))
        return
    from fsconsole.app.reports.typst_pdf import pdf_of

    write_atomic(out, pdf_of(report, pictures))


def _picture(style: FigureStyle, figure: Figure) -> bytes:
    """Draw the figure without a title, as the report has it as a caption."""
    from fsconsole.figures.export import file_bytes

    own = replace(style, width_mm=WIDTH_MM, height_mm=figure.height_mm, family=FONT_SHIPPED, title=False)
    return file_bytes(figure.spec, "svg", own)
