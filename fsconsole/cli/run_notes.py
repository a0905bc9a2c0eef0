"""`fsconsole run notes`: notes on a run; write more, or remove some."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.run import run_of_any_number
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import duration, moment
from fsconsole.recording.audit import login_name
from fsconsole.text.durations import length_words

if TYPE_CHECKING:
    from fsconsole.recording.notes import Notes
    from fsconsole.recording.run import RunReader


@click.command("notes")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--add", "text", metavar="TEXT", help="Text of a note to add; give its time with --at.")
@click.option(
    "--at", type=moment, metavar="TIME", help="Instant of the note, or start of its span, such as 1h."
)
@click.option(
    "--until", type=duration, metavar="TIME", help="End of the span. Default: none, for an instant."
)
@click.option(
    "--remove", "number", type=click.IntRange(1), metavar="NUMBER", help="Number of a note to remove."
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown document.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of objects.")
@click.pass_context
def command(
    ctx: click.Context,
    run: Path,
    text: str | None,
    at: float | None,
    until: float | None,
    number: int | None,
    as_markdown: bool,
    as_json: bool,
) -> None:
    """List the notes of the run folder RUN, after one was added or removed, if asked for.

    Notes are kept in RUN, as notes.json. They change nothing of what was recorded.
    """
    _check_use(ctx, text, at, until, number)
    if as_json and as_markdown:
        ctx.fail("--json and --markdown exclude each other")
    reader = run_of_any_number(run)
    notes = _changed(ctx, reader, text, at, until, number)
    if as_json:
        print_json([asdict(note) for note in notes])
    elif as_markdown:
        from fsconsole.app.runs.notes import markdown

        print(markdown(str(reader.manifest.get("title") or run.name), notes), end="")
    else:
        _print(notes)


def _check_use(
    ctx: click.Context, text: str | None, at: float | None, until: float | None, number: int | None
) -> None:
    if text is None and (at is not None or until is not None):
        ctx.fail("--at and --until need --add TEXT")
    if text is not None and at is None:
        ctx.fail("--add needs --at TIME. Example: --at 1h")
    if text is not None and number is not None:
        ctx.fail("--add and --remove exclude each other")


def _changed(
    ctx: click.Context,
    run: RunReader,
    text: str | None,
    at: float | None,
    until: float | None,
    number: int | None,
) -> Notes:
    """Add or remove the given note; return all notes."""
    from fsconsole.recording.notes import Note, change_notes, read_notes, with_note, without_note
    from fsconsole.targets.run_machine import begin_s_of, end_s_of

    notes = read_notes(run.path)
    if text is not None and at is not None:
        end_s = end_s_of(run)
        if max(at, until or 0) > end_s:
            ctx.fail(
                f"{length_words(max(at, until or 0))} is outside the run, which ends at {length_words(end_s)}"
            )
        if at < (begin_s := begin_s_of(run)):
            ctx.fail(f"{length_words(at)} is outside the run, which begins at {length_words(begin_s)}")
        try:
            note = Note(at, text, until, login_name())
        except ValueError as error:
            raise click.UsageError(str(error), ctx) from None
        return change_notes(run.path, lambda found: with_note(found, note))
    if number is not None:
        if number not in {note.number for note in notes}:
            known = ", ".join(str(one) for one in sorted(note.number for note in notes))
            ctx.fail(
                f"{run.path} has no note {number}. Choose from {known}"
                if known
                else f"{run.path} has no notes"
            )
        return change_notes(run.path, lambda found: without_note(found, number))
    return notes


def _print(notes: Notes) -> None:
    from fsconsole.app.runs.notes import when_words, written_words

    if not notes:
        print("No notes yet. Add one with --add TEXT --at TIME.")
        return
    rows = [
        (str(note.number), when_words(note), note.text, note.author, written_words(note)) for note in notes
    ]
    print_table(("Number", "Time", "Note", "Author", "Written"), rows, numbers=False)
