from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from pytestqt.qtbot import QtBot

from fsconsole.console.preferences import Preferences


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
