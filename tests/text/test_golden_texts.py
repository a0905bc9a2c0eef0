"""All texts of the program in golden files: complete, one line for each, and worded by the same laws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.texts import pattern, refuses, refuses_naming, says, span, wording
from tools.texts import golden
from tools.texts.extract import texts_of
from tools.texts.golden import FOLDER, Entry, read_golden, renewed, stale_lines
from tools.texts.used_keys import wrong_keys

EXTENDED = "shares.scenario.job-extended-by"
# Laws of wording, each with the texts that are quotations or notations of a tool.
LAWS = {
    "no dash between words but a comma, a colon or a new sentence": (r"\u2014|\w -- \w", ()),
    "a plural in full, not in brackets": (r"\w\((?:s|es|ies)\)", ()),
    "no blank before a mark": (r"\w [,;!?](?:\s|$)", ()),
    "a full stop, not an exclamation mark": (r"\w!(?:\s|$)", ()),
    "percentages with a space": (r"[\d}]%(?:[ .,;]|$)", ("2.08%.", "Army=4.19%", "88%", "75%")),
    "one blank between sentences": (r"[a-z]\.  +[A-Z]", ()),
    "no plural made by an s behind a slot": (r"\}s\b", ("{run}s", "{unit}s", "{what}s")),
}
MODULE = '''"""A module."""

def f(name: str, count: int) -> str:
    """Return a text that is not for users."""
    if count:
        return f"{name} has {count} jobs left. Kill them first"
    raise ValueError("there is no job to kill")
'''


def all_entries() -> list[tuple[str, Entry]]:
    return [(path.stem, entry) for path in sorted(FOLDER.glob("*.txt")) for entry in read_golden(path.stem)]


def test_golden_files_are_as_the_source_has_them() -> None:
    assert stale_lines() == []


@pytest.mark.parametrize("law", LAWS)
def test_every_text_keeps_the_laws_of_wording(law: str) -> None:
    banned, quoted = LAWS[law]
    found = [
        f"{room}.{entry.key}: {entry.template}"
        for room, entry in all_entries()
        if re.search(banned, entry.template) and not any(one in entry.template for one in quoted)
    ]
    assert found == []


def test_keys_are_unique_in_a_room_and_have_no_blanks() -> None:
    names = [(room, entry.key) for room, entry in all_entries()]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z0-9-]+", key) for _, key in names)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A room of one module, with its golden file written."""
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    (tmp_path / "room.txt").write_text(golden.format_golden("room", renewed("room", [path])))
    return path


def renew(path: Path) -> tuple[list[str], list[str]]:
    """The golden file's lines before and after `make texts`."""
    file = path.with_name("room.txt")
    before = file.read_text().splitlines()
    file.write_text(golden.format_golden("room", renewed("room", [path])))
    return before, file.read_text().splitlines()


def test_docstrings_are_no_texts(room: Path) -> None:
    assert [text.template for text in texts_of(room)] == [
        "{name} has {count} jobs left. Kill them first",
        "there is no job to kill",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Kill them first", "Hold or kill them before"),
        ("there is no job to kill", "No job runs that could be killed"),
        ("{name} has {count} jobs left", "Of {name}, {count} jobs are left"),
    ],
)
def test_a_changed_sentence_changes_one_line_and_keeps_its_key(room: Path, old: str, new: str) -> None:
    room.write_text(MODULE.replace(old, new))
    before, after = renew(room)
    changed = [(ours, theirs) for ours, theirs in zip(before, after, strict=True) if ours != theirs]
    ((ours, theirs),) = changed
    assert ours.partition(":")[0] == theirs.partition(":")[0]


def test_a_new_text_leaves_the_keys_of_the_others(room: Path) -> None:
    room.write_text(
        MODULE.replace(
            "    if count:", '    if count < 0:\n        return "not a number of jobs"\n    if count:'
        )
    )
    before, after = renew(room)
    assert set(before) < set(after)
    assert len(after) == len(before) + 1


def test_a_text_that_moves_to_another_module_keeps_its_key(room: Path) -> None:
    sentence = "there is no job to kill"
    other = room.with_name("other.py")
    other.write_text(f'A = "{sentence}"\n')
    room.write_text(MODULE.replace(sentence, "no"))
    old = {entry.template: entry.key for entry in read_golden("room")}
    new = {entry.template: (entry.module, entry.key) for entry in renewed("room", [room, other])}
    assert new[sentence] == ("other", old[sentence])


def keys_by_text(*files: Path) -> dict[str, str]:
    return {entry.template: entry.key for entry in renewed("room", list(files))}


def of_texts(*texts: str) -> str:
    return "".join(f"t{at} = {text!r}\n" for at, text in enumerate(texts))


TEXTS = ("all jobs were killed", "no node is free", "the queue is shut", "a limit was met")


@given(order=st.permutations(TEXTS), split=st.integers(0, len(TEXTS)))
def test_texts_in_another_order_or_module_keep_their_keys(
    order: list[str], split: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    one, other = folder / "one.py", folder / "other.py"
    one.write_text(of_texts(*TEXTS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(golden, "FOLDER", folder)
        before = renewed("room", [one])
        (folder / "room.txt").write_text(golden.format_golden("room", before))
        one.write_text(of_texts(*order[:split]))
        other.write_text(of_texts(*order[split:]))
        assert keys_by_text(one, other) == {entry.template: entry.key for entry in before}


def test_equal_texts_that_move_keep_all_their_keys(room: Path) -> None:
    room.write_text(of_texts(TEXTS[0], TEXTS[1], TEXTS[0]))
    renew(room)
    other = room.with_name("other.py")
    other.write_text(room.read_text())
    assert [(one.module, one.key) for one in renewed("room", [other])] == [
        ("other", one.key) for one in read_golden("room")
    ]


def test_a_conflict_in_a_golden_file_loses_no_key_and_gives_none_twice(room: Path) -> None:
    file = room.with_name("room.txt")
    head, first, last = file.read_text().partition("module\n")[0], *file.read_text().splitlines()[-2:]
    key = last.partition(":")[0].strip()
    theirs = f"  {key}: {TEXTS[0]}"
    sides = ("<<<<<<< HEAD", last, "=======", theirs, ">>>>>>> theirs")
    file.write_text("\n".join((f"{head}module", first, *sides, "")))
    room.write_text(f"{MODULE}\n{of_texts(TEXTS[0])}")
    found = keys_by_text(room)
    assert found[last.partition(": ")[2]] == key
    assert len(set(found.values())) == len(found) == 3


def test_a_golden_file_of_no_room_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    monkeypatch.setattr(golden, "all_golden", dict)
    (tmp_path / "gone.txt").touch()
    (line,) = stale_lines()
    assert line.startswith("gone.txt:")


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")) | st.sampled_from("\n\t\\"),
        max_size=30,
    )
)
def test_any_text_stands_on_one_line_and_is_read_back(text: str) -> None:
    line = golden.format_golden("r", [Entry("m", "k", text)]).splitlines()[-1]
    assert line == f"{'':2}k: {golden.folded(text)}"
    assert golden.unfolded(golden.folded(text)) == text


def test_a_text_is_compared_by_its_key_and_values() -> None:
    full = wording(EXTENDED, request=7, by_s="1 h")
    assert {"7", "h"} < set(full.split())
    assert says(f"a.yaml: {full}!", EXTENDED)
    assert says([full], EXTENDED, request=7)
    assert not says(full, EXTENDED, request=8)
    assert not says([f"a.yaml: {full}"], EXTENDED)
    assert re.fullmatch(pattern(EXTENDED), full)
    assert span(h=1, min=30).split() == ["1", "h", "30", "min"]


def test_an_error_is_compared_by_its_key_or_what_it_names() -> None:
    with refuses(ValueError, EXTENDED, by_s="1 h"):
        raise ValueError(wording(EXTENDED, request=7, by_s="1 h"))
    with refuses_naming(ValueError, "a", 7):
        raise ValueError("a has 7")


@pytest.mark.parametrize("values", [{}, {"request": 7}, {"request": 7, "by_s": 1, "other": 2}])
def test_slots_are_named_in_full(values: dict[str, object]) -> None:
    with pytest.raises(AssertionError):
        wording(EXTENDED, **values)


def test_keys_that_no_golden_file_has_are_found_in_tests(tmp_path: Path) -> None:
    good = f'says(text, "{EXTENDED}")'
    lines = ("from tests.texts import says", good, good.replace("by", "bye"), f'{good[:-1]}, nobody="x")')
    (tmp_path / "test_x.py").write_text("\n".join(lines))
    assert [line.split(": ")[0].rpartition(":")[2] for line in wrong_keys(tmp_path)] == ["3", "4"]
