"""Reports as files: the names that are accepted, and writing them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fsconsole.app.reports.document import Report

SUFFIXES = (".pdf", ".html")


def report_file(text: str) -> Path:
    """Return a file that a report can be written into; wrong use for other suffixes."""
    path = Path(text)
    if not is_report(path):
        msg = f"{text}: a report must end in {' or '.join(SUFFIXES)}"
        raise click.BadParameter(msg)
    return path


def is_report(path: Path) -> bool:
    """Return True if a file's name asks for a report."""
    return path.suffix.lower() in SUFFIXES


def write(report: Report, out: Path) -> None:
    """Write the report and print its path."""
    from fsconsole.app.reports.writing import write_report

    write_report(report, out)
    print(f"Wrote {out}")
