from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray
from pytestqt.qtbot import QtBot

from fsconsole.console.notices import PreferencesNotice
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from tests.console.conftest import Answers
from tests.texts import says


def test_values_come_back_at_the_next_start(qtbot: QtBot, tmp_path: Path) -> None:
    first = Preferences(tmp_path)
    first.set_value("theme", "dark")
    first.set_value("design/columns", ["name", "shares"])
    first.set_blob("window/geometry", QByteArray(b"\x01\x02"))
    first.write()
    second = Preferences(tmp_path)
    assert second.value("theme") == "dark"
    assert second.value("design/columns", []) == ["name", "shares"]
    assert second.blob("window/geometry") == QByteArray(b"\x01\x02")
    assert second.blob("observe/layout").isEmpty()


def test_a_change_is_written_by_itself(qtbot: QtBot, tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "new folder")
    preferences.set_value("a", 1)
    qtbot.waitUntil(preferences.path.exists)
    assert json.loads(preferences.path.read_text("utf-8")) == {"a": 1}


def test_two_consoles_keep_each_others_values(qtbot: QtBot, tmp_path: Path) -> None:
    one, other = Preferences(tmp_path), Preferences(tmp_path)
    one.set_value("one", 1)
    one.write()
    other.set_value("other", 2)
    other.write()
    assert json.loads(one.path.read_text("utf-8")) == {"one": 1, "other": 2}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe\x00", b"null", b"[" * 100_000])
def test_a_file_that_cannot_be_used_counts_as_empty(qtbot: QtBot, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "preferences.json").write_bytes(content)
    preferences = Preferences(tmp_path)
    assert preferences.value("theme", "system") == "system"
    preferences.set_value("theme", "light")
    preferences.write()
    assert Preferences(tmp_path).value("theme") == "light"


def test_a_value_of_another_type_counts_as_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "preferences.json").write_text('{"recent": 7}', "utf-8")
    assert Preferences(tmp_path).value("recent", []) == []


def test_a_folder_that_cannot_be_written_is_borne(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    preferences = Preferences(tmp_path / "file")
    preferences.set_value("a", 1)
    preferences.write()
    assert preferences.value("a") == 1


def test_names_that_are_not_utf_8_come_back(qtbot: QtBot, tmp_path: Path) -> None:
    name = os.fsdecode(b"/tmp/\xff.yaml")
    made = Preferences(tmp_path)
    made.set_value("files/last", name)
    made.write()
    assert Preferences(tmp_path).value("files/last") == name


@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_the_file_is_private_also_one_of_before(qtbot: QtBot, tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        made = Preferences(tmp_path / "config" / "fsconsole")
        made.set_value("alerts/webhook", "https://hooks.example.org/SECRET")
        made.write()
        assert [stat.S_IMODE(path.stat().st_mode) for path in (made.path, made.path.parent)] == [0o600, 0o700]
        made.path.chmod(0o644)
        made.path.parent.chmod(0o755)
        again = Preferences(made.path.parent)
        assert [stat.S_IMODE(path.stat().st_mode) for path in (again.path, again.path.parent)] == [
            0o600,
            0o700,
        ]
    finally:
        os.umask(before)


@given(text=st.text(max_size=60), cut=st.integers(0, 40), when=st.sampled_from(["before", "between"]))
def test_nothing_that_is_written_by_hand_is_lost(text: str, cut: int, when: str) -> None:
    """A comma too many, or half of a file, cost all preferences at the next change."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        made = Preferences(folder)
        made.set_value("alerts/webhook", text)
        made.set_value("who", "ann")
        made.write()
        whole = made.path.read_bytes()
        broken = whole[:cut] + b",}" + whole[cut + 1 :]
        made.path.write_bytes(broken)
        later = Preferences(folder) if when == "before" else made
        later.set_value("theme", "dark")
        later.write()
        stored = json.loads(made.path.read_text("utf-8"))
        assert stored["theme"] == "dark"
        try:
            is_usable = isinstance(json.loads(broken), dict)
        except ValueError:
            is_usable = False
        assert bool(later.problem) is not is_usable
        if not is_usable:
            (bad,) = folder.glob("preferences.json*.bad")
            assert bad.read_bytes() == broken
            assert says(later.problem, "console.it-is-kept-as", bad=bad)
            assert says(later.problem, "console.is-not-preferences", path=made.path)
            assert stored == ({"theme": "dark"} if when == "before" else made._values)
            assert Preferences(folder).problem == ""


def test_a_file_that_cannot_be_read_is_never_replaced(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "preferences.json").symlink_to("/dev/zero")
    made = Preferences(tmp_path)
    assert says(made.problem, "console.cannot-be-read-preferences-are", path=made.path)
    made.set_value("theme", "dark")
    made.write()
    assert (made.value("theme"), made.path.is_symlink()) == ("dark", True)


def test_a_file_that_was_set_aside_is_said_in_the_window(
    qtbot: QtBot, empty_session: ConsoleSession, answers: Answers, tmp_path: Path
) -> None:
    (tmp_path / "preferences.json").write_text('{"theme": "dark",}', "utf-8")
    empty_session.preferences = Preferences(tmp_path)
    window = ConsoleWindow(empty_session, answers)
    notice = window.findChild(PreferencesNotice)
    assert notice is not None
    assert notice.is_wanted
    assert says(notice.text, "console.is-not-preferences", path=tmp_path / "preferences.json")
    window.close()
    window.deleteLater()
