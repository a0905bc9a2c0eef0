"""Headers of files: what another version of the program wrote is never called damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsconsole import __version__
from fsconsole.resources import this_program
from fsconsole.shares.stored_format import FormatError, OtherProgramError, StoredFormat
from tests.texts import naming, refuses

FORMAT = StoredFormat("fsconsole thing", "a thing", number=3, oldest=2)
BARE = StoredFormat("fsconsole thing", "a thing", number=3, was_bare=True)
NEWER, OLDER = "fsconsole 99.0.0 (0123abcd)", "fsconsole 0.0.1"


def file_of(tmp_path: Path, contents: object) -> Path:
    path = tmp_path / "thing.json"
    path.write_text(contents if isinstance(contents, str) else json.dumps(contents))
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = file_of(tmp_path, {**FORMAT.header(), "size": 7})
    assert FORMAT.read(path, lambda facts: facts["size"]) == 7
    assert json.loads(path.read_text())["program"] == this_program()


def test_files_without_a_header_have_number_1_where_they_had_none_at_first(tmp_path: Path) -> None:
    path = file_of(tmp_path, {"size": 7})
    assert BARE.check({"size": 7}, path) == 1
    with refuses(FormatError, "shares.is-not-of-fsconsole", place=path, noun="a thing"):
        FORMAT.read(path, dict)


@pytest.mark.parametrize(
    ("number", "by", "key"),
    [
        (4, NEWER, "shares.is-from-newer-fsconsole-its"),
        (1, OLDER, "shares.is-from-older-fsconsole-its"),
    ],
)
def test_another_number_is_named_with_the_program_that_wrote_it(
    tmp_path: Path, number: int, by: str, key: str
) -> None:
    path = file_of(tmp_path, {**FORMAT.header(), "version": number, "program": by})
    with refuses(OtherProgramError, key, place=path, number=number):
        FORMAT.read(path, dict)


@pytest.mark.parametrize(
    ("by", "age"), [(NEWER, "a newer"), (f"fsconsole {__version__} (0000abcd)", "another")]
)
def test_what_is_not_known_is_of_the_program_that_wrote_it(tmp_path: Path, by: str, age: str) -> None:
    path = file_of(tmp_path, {**FORMAT.header(), "program": by})

    def made(_facts: object) -> None:
        raise ValueError("no setting 'colour'")

    with refuses(OtherProgramError, naming(path, age, by, "no setting 'colour'", this_program())):
        FORMAT.read(path, made)


@pytest.mark.parametrize("by", [OLDER, this_program(), None, 7, "fsconsole"])
def test_what_is_not_known_in_an_own_or_older_file_is_damage(tmp_path: Path, by: object) -> None:
    path = file_of(tmp_path, {**FORMAT.header(), "program": by})

    def made(_facts: object) -> None:
        raise ValueError("no setting 'colour'")

    with refuses(FormatError, "shares.is-damaged", place=path, why="no setting 'colour'"):
        FORMAT.read(path, made)


def test_a_missing_key_is_damage_whoever_wrote_the_file(tmp_path: Path) -> None:
    path = file_of(tmp_path, {**FORMAT.header(), "program": NEWER})
    with refuses(FormatError, naming(path, "'size'")) as caught:
        FORMAT.read(path, lambda facts: facts["size"])
    assert not isinstance(caught.value, OtherProgramError)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "fsconsole thing", "version": true}', "7"])
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError) as caught:
        FORMAT.read(file_of(tmp_path, text), dict)
    assert not isinstance(caught.value, OtherProgramError)
