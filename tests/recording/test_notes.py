"""Notes of a run folder: what is written is read back, and what is damaged says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.runs.notes import markdown
from fsconsole.recording.notes import Note, change_notes, read_notes, with_note, without_note
from fsconsole.recording.run_format import RunError
from tests.texts import Expected, refuses, worded, wording

times = st.floats(0, 1e9)
texts = st.text(min_size=1).filter(str.strip)
spans = st.floats(1, 1e6) | st.none()


@given(st.lists(st.tuples(times, texts, spans), max_size=8))
def test_notes_come_back_in_order_of_time(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[float, str, float | None]]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    for time_s, text, length_s in drawn:
        note = Note(time_s, text, None if length_s is None else time_s + length_s, "hale")
        change_notes(folder, lambda notes, note=note: with_note(notes, note))  # type: ignore[misc]
    found = read_notes(folder)
    assert sorted((note.time_s, note.text) for note in found) == sorted((at, text) for at, text, _ in drawn)
    assert [note.time_s for note in found] == sorted(note.time_s for note in found)
    assert sorted(note.number for note in found) == list(range(1, len(drawn) + 1))


def test_a_note_is_replaced_under_its_number_and_removed() -> None:
    notes = with_note(with_note((), Note(9.0, "b")), Note(3.0, "a"))
    assert [(note.number, note.text) for note in notes] == [(2, "a"), (1, "b")]
    moved = with_note(notes, Note(1.0, "c", number=1))
    assert [(note.number, note.text) for note in moved] == [(1, "c"), (2, "a")]
    assert [note.number for note in without_note(moved, 2)] == [1]
    assert with_note(moved, Note(5.0, "d"))[-1].number == 3


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1.0, " \n"), worded("recording.note-is-empty-write-text")),
        ((-1.0, "x"), worded("recording.note-cannot-be-at-s", time_s="-1")),
        ((float("nan"), "x"), worded("recording.note-cannot-be-at-s", time_s="nan")),
        ((5.0, "x", 5.0), worded("recording.span-would-end-at-s", time_s="5")),
        (
            (1.0, "x" * 10_001),
            worded("recording.note-has-characters-write-at", text="10\u202f001", longest_text="10\u202f000"),
        ),
    ],
)
def test_a_note_that_cannot_be_says_what_would_be_right(values: tuple[float, str], message: Expected) -> None:
    with refuses(ValueError, message):
        Note(*values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", worded("shares.is-damaged")),
        ("[]", worded("shares.is-not-of-fsconsole")),
        (
            '{"format": "fsconsole notes", "version": 9}',
            worded("shares.is-from-newer-fsconsole-its", number=9),
        ),
        ('{"format": "fsconsole notes", "version": 1, "notes": [3]}', worded("shares.is-damaged")),
        (
            '{"format": "fsconsole notes", "version": 1, "notes": [{"time_s": 1}]}',
            worded("shares.is-damaged-is-missing"),
        ),
    ],
)
def test_a_damaged_file_says_so_and_is_left_as_it_is(tmp_path: Path, text: str, message: Expected) -> None:
    (tmp_path / "notes.json").write_text(text)
    with refuses(RunError, message):
        change_notes(tmp_path, lambda notes: with_note(notes, Note(1.0, "x")))
    assert (tmp_path / "notes.json").read_text() == text


def test_markdown_keeps_the_headings_to_itself() -> None:
    notes = (
        Note(3600.0, "# not a heading\nsecond line", 4200.0, "hale", "2026-11-20T09:36:10+00:00", 1),
        Note(5000.0, "b", None, "", "2026-11-20T09:37:00+00:00", 2),
    )
    assert markdown("A run", notes).split("\n\n") == [
        wording("app.runs.notes-on", title="A run"),
        "## 01:00:00 to 01:10:00",
        "\\# not a heading\nsecond line",
        "*hale, 2026-11-20 09:36*",
        "## 01:23:20",
        "b",
        "*2026-11-20 09:37*\n",
    ]
    assert json.loads(json.dumps(markdown("A run", ()))) == (
        wording("app.runs.notes-on", title="A run") + "\n\n" + wording("app.runs.no-notes-yet") + "\n"
    )


def test_markdown_shows_what_was_written() -> None:
    text = "u21 falls *back* <b>x</b> | a_file_name and _this_, `cmd` [a](b) \\ &amp;"
    assert markdown("a *b*", (Note(1.0, text),)).split("\n\n")[:3] == [
        wording("app.runs.notes-on", title="a \\*b\\*"),
        "## 00:00:01",
        r"u21 falls \*back\* \<b\>x\</b\> \| a_file_name and \_this\_, \`cmd\` \[a\](b) \\ \&amp;",
    ]
