from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from fsconsole.console.notices import PreferencesNotice
from fsconsole.console.preference_format import LAYOUTS, PREFERENCES
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from tests.console.conftest import Answers
from tests.disks import fails_with
from tests.texts import naming, says


def stored(preferences: Preferences) -> dict[str, object]:
    """What a file has beside its header, which is checked."""
    found = json.loads(preferences.path.read_text("utf-8"))
    assert PREFERENCES.header().items() <= found.items()
    return {key: value for key, value in found.items() if key not in PREFERENCES.header()}


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
    assert stored(preferences) == {"a": 1}


def test_two_consoles_keep_each_others_values(qtbot: QtBot, tmp_path: Path) -> None:
    one, other = Preferences(tmp_path), Preferences(tmp_path)
    one.set_value("one", 1)
    one.write()
    other.set_value("other", 2)
    other.write()
    assert stored(one) == {"one": 1, "other": 2}


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
            is_usable = PREFERENCES.check(json.loads(broken), made.path) == PREFERENCES.number
        except ValueError:
            is_usable = False
        assert bool(later.problem) is not is_usable
        if not is_usable:
            (bad,) = folder.glob("preferences.json*.bad")
            assert bad.read_bytes() == broken
            assert says(later.problem, "console.it-is-kept-as", bad=bad)
            assert says(later.problem, naming(made.path))
            kept = {"theme": "dark"} if when == "before" else made._values
            assert stored == PREFERENCES.header() | kept
            assert Preferences(folder).problem == ""


def test_a_file_that_cannot_be_read_is_never_replaced(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "preferences.json").symlink_to("/dev/zero")
    made = Preferences(tmp_path)
    assert says(made.problem, "console.cannot-be-read", path=made.path)
    made.set_value("theme", "dark")
    made.write()
    assert (made.value("theme"), made.path.is_symlink()) == ("dark", True)


def test_layouts_that_cannot_be_read_are_set_aside_and_reported(qtbot: QtBot, tmp_path: Path) -> None:
    damaged = bytes(range(1, 200))
    (tmp_path / "window.ini").write_bytes(damaged)
    made = Preferences(tmp_path)
    (bad,) = tmp_path.glob("window.ini*.bad")
    assert bad.read_bytes() == damaged
    assert str(bad) in made.problem
    made.set_blob("design/layout", QByteArray(b"x"))
    assert Preferences(tmp_path).problem == ""


def test_a_file_that_was_set_aside_is_said_in_the_window(
    qtbot: QtBot, empty_session: ConsoleSession, answers: Answers, tmp_path: Path
) -> None:
    (tmp_path / "preferences.json").write_text('{"theme": "dark",}', "utf-8")
    empty_session.preferences = Preferences(tmp_path)
    window = ConsoleWindow(empty_session, answers)
    notice = window.findChild(PreferencesNotice)
    assert notice is not None
    assert notice.is_wanted
    assert says(notice.text, "shares.is-damaged", place=tmp_path / "preferences.json")
    window.close()
    window.deleteLater()


def test_columns_of_number_1_move_to_their_names_of_today_and_a_copy_stays(
    qtbot: QtBot, tmp_path: Path
) -> None:
    old = {
        "observe/legend/hidden": ["usage"],
        "cluster.observe/associations/hidden": ["shares", "waiting"],
        "cluster.observe/partitions/sort": ["waiting", "descending"],
        "cluster.observe/partitions/hidden": 7,
    }
    (tmp_path / "preferences.json").write_text(json.dumps(old))
    preferences = Preferences(tmp_path)
    assert preferences.value("live/legend/hidden") == ["normalised_usage", "raw_shares", "waiting"]
    assert preferences.value("cluster.observe/partitions/sort") == ["pending", "descending"]
    assert preferences.problem == ""
    assert json.loads(preferences.path.read_text()) == old
    preferences.set_value("live/legend/hidden", ["raw_shares"])
    preferences.write()
    assert json.loads((tmp_path / "preferences-1.json").read_text()) == old
    assert stat.S_IMODE((tmp_path / "preferences-1.json").stat().st_mode) == 0o600
    assert {key: stored(preferences)[key] for key in old if "partitions" not in key}.items() <= old.items()
    assert Preferences(tmp_path).value("live/legend/hidden") == ["raw_shares"]


def test_preferences_of_a_newer_program_are_reported_and_stay(qtbot: QtBot, tmp_path: Path) -> None:
    text = json.dumps({**PREFERENCES.header(), "version": 99, "theme": "dark"})
    (tmp_path / "preferences.json").write_text(text)
    preferences = Preferences(tmp_path)
    assert says(preferences.problem, "shares.is-from-newer-fsconsole-its", number=99)
    preferences.set_value("theme", "light")
    preferences.write()
    assert preferences.path.read_text() == text


def layout(number: int) -> QByteArray:
    """What Qt writes, as far as its number."""
    return QByteArray(b"\0\0\0\xff" + number.to_bytes(4, "big") + b"rest")


def settings_of(folder: Path) -> QSettings:
    return QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)


def test_layouts_of_another_number_are_reported_once(qtbot: QtBot, tmp_path: Path) -> None:
    settings_of(tmp_path).setValue("observe/layout", layout(4))
    first = Preferences(tmp_path)
    assert says(first.problem, "console.docks-are-as-at-first", numbers=4)
    first.set_blob("live/layout-machine", layout(LAYOUTS.number))
    del first
    assert Preferences(tmp_path).problem == ""
    assert settings_of(tmp_path).value("observe/layout") == layout(4)


def test_layouts_of_number_7_need_no_header(qtbot: QtBot, tmp_path: Path) -> None:
    settings_of(tmp_path).setValue("live/layout-machine", layout(7))
    assert Preferences(tmp_path).problem == ""


def test_layouts_of_a_newer_program_stay(qtbot: QtBot, tmp_path: Path) -> None:
    written = settings_of(tmp_path)
    for key, value in (LAYOUTS.header() | {"version": 99, "live/layout-machine": layout(99)}).items():
        written.setValue(key, value)
    written.sync()
    preferences = Preferences(tmp_path)
    assert says(preferences.problem, "console.docks-are-as-at-first", numbers=99)
    preferences.set_blob("live/layout-machine", layout(7))
    preferences.set_blob("window/geometry", QByteArray(b"place"))
    del preferences
    after = settings_of(tmp_path)
    assert (after.value("live/layout-machine"), int(str(after.value("version")))) == (layout(99), 99)
    assert after.value("window/geometry") == QByteArray(b"place")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_preferences_that_cannot_be_written_are_reported_once_and_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    preferences = Preferences(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkstemp", fails_with(number))
        for theme in ("dark", "light"):
            preferences.set_value("theme", theme)
            preferences.write()
        why = os.strerror(number)
        assert says(preferences.problem, "console.cannot-write-preferences-s", path=preferences.path, why=why)
        assert preferences.problem.count(why) == 1
    preferences.write()
    assert stored(preferences) == {"theme": "light"}
