"""The console as a program: how it ends."""

from __future__ import annotations

import linecache
import os
import subprocess
import sys
from pathlib import Path

import pytest

# A console that puts something on the clipboard once its window stands, and is closed then.
_CHILD = """
import sys
from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from fsconsole.console import app
from fsconsole.console.window import ConsoleWindow

class Window(ConsoleWindow):
    def start(self, path, prefix=None):
        super().start(path, prefix)
        data = QMimeData()
        data.setText("a1\\t17")
        data.setData("image/svg+xml", b"<svg/>")
        if sys.argv[1] == "picture":
            picture = QImage(3, 2, QImage.Format.Format_RGB32)
            picture.fill(Qt.GlobalColor.red)
            data.setImageData(picture)
        QGuiApplication.clipboard().setMimeData(data)
        QTimer.singleShot(0, self.close)

app.ConsoleWindow = Window
status = app.main()
clipboard = QGuiApplication.clipboard()
print("kept", clipboard.image().width() if sys.argv[1] == "picture" else clipboard.text())
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("what", "kept"),
    [
        ("text", "kept a1\t17"),
        pytest.param("picture", "kept 3", marks=pytest.mark.whole("starts a console; text ends as well")),
    ],
)
def test_the_console_ends_well_with_something_on_the_clipboard(what: str, kept: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, what],
        capture_output=True,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == kept


def test_no_sources_of_imported_modules_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept_by_nobody.py"
    path.write_text("A_LINE = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    __import__(path.stem)
    assert str(path) not in linecache.cache


@pytest.mark.parametrize(
    "name", ["C", pytest.param("POSIX", marks=pytest.mark.whole("starts a console; C is the same locale"))]
)
def test_a_locale_without_utf8_leaves_no_notice(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from fsconsole.console.app import main; main()"],
        capture_output=True,
        text=True,
        env=os.environ
        | {"LC_ALL": name, "QT_QPA_PLATFORM": "offscreen", "FSCONSOLE_QUIT_AFTER_FIRST_PAINT": "1"},
        check=True,
    )
    assert "painted" in done.stdout
    assert "locale" not in done.stderr
