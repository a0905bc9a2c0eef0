"""Reports as files: asked for, made in threads, drawn in between."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import Tasks, describe_error

if TYPE_CHECKING:
    from fsconsole.app.reports.document import Report

REPORT_FORMS = ("Report (*.pdf)", "Web page (*.html)")
_SUFFIXES = (".pdf", ".html")


def export_report(
    questions: Questions,
    tasks: Tasks,
    stem: str,
    make: Callable[[], Report],
    show_message: Callable[[str], object],
) -> None:
    """Ask for a file, and write the report into it; `show_message` gets the result.

    Args:
        questions: dialog for the file.
        tasks: of the one who asks; with it the report is dropped.
        stem: of the file proposed.
        make: makes the report, in a thread.
        show_message: gets words for the status bar.
    """
    answer = questions.file_to_save("Export report", Path.home() / f"{stem}.pdf", REPORT_FORMS)
    if answer is None:
        return
    path, form = answer
    if not is_report(path):
        path = path.with_name(f"{path.name}{_SUFFIXES[form]}")
    write_report_to(path, tasks, make, show_message)


def is_report(path: Path) -> bool:
    """Return True if the name of a file has the suffix of a report."""
    return path.suffix.lower() in _SUFFIXES


def write_report_to(
    path: Path, tasks: Tasks, make: Callable[[], Report], show_message: Callable[[str], object]
) -> None:
    """Write a report into a file that was agreed to, in a thread.

    Args:
        path: the file, which is replaced.
        tasks: runs the thread.
        make: makes the report.
        show_message: is called with the outcome in words.
    """

    def fail(error: Exception) -> None:
        show_message(f"Cannot write {path.name}: {describe_error(error)}")

    def made() -> Report:
        from fsconsole.app.reports.writing import ready

        return ready(make(), path)

    def write(report: Report) -> None:
        from fsconsole.app.reports.writing import pictures_of, write_drawn

        drawn = pictures_of(report)
        words = f"{path.name} written to {path.parent}"
        tasks.run(partial(write_drawn, report, drawn, path), lambda _: show_message(words), fail)

    show_message(f"Making {path.name}…")
    tasks.run(made, write, fail)
