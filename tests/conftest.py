"""What all tests stand on: no display, nobody's own settings, the same examples each time."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

# Before anything imports Qt. The screen is that of a desk; Qt's own off screen is 800 x 800, and no pointer
# reaches what lies beyond it. Walks are made on a real display too, which this variable names.
os.environ["QT_QPA_PLATFORM"] = os.environ.get(
    "FSCONSOLE_TEST_PLATFORM", f"offscreen:configfile={Path(__file__).with_name('screen.json')}"
)

# Before anything imports numpy or polars. Threads of theirs that wait take processor time, which is counted
# here, and several workers share the processors.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}

import pytest
from PySide6.QtCore import QEvent, QSettings, QStandardPaths
from PySide6.QtWidgets import QApplication
from shiboken6 import createdByPython

from fsconsole.console.garbage import collect_here

pytest_plugins = [
    "tests.batch.study.fixtures",
    "tests.hangs",
    "tests.costs",
    "tests.kept",
    "tests.laws",
    "tests.user_cache",
    "tests.module_queue",
    "tests.slurm.fake.fixtures",
    "tests.slurm.lab.fixtures",
    "tests.slurm.ssh.fixtures",
]

_CHECKOUT = Path(__file__).resolve().parent.parent
_XDG_FOLDERS = ("CONFIG_HOME", "STATE_HOME", "DATA_HOME", "CACHE_HOME", "RUNTIME_DIR")


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a home of its own, so that no settings, state or cache is read or left behind.

    platformdirs and Qt's own paths both follow the XDG variables.
    """
    home = tmp_path_factory.mktemp("home")
    for name in _XDG_FOLDERS:
        folder = home / name.lower()
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(f"XDG_{name}", str(folder))
    monkeypatch.setenv("HOME", str(home))
    _redirect_qt_settings(home)
    return home


@pytest.fixture(scope="session", autouse=True)
def one_application(qapp: QApplication) -> QApplication:
    """Make the process's application the one that windows need, before a figure makes a lesser one."""
    collect_here(qapp).timer.stop()
    sys.setswitchinterval(0.0002)  # as in the console
    return qapp


@pytest.fixture(scope="module", autouse=True)
def older_objects(one_application: QApplication) -> None:
    """Have the collector pass over what was there before the module's tests: imports, compiled functions.

    There are soon a million objects of that, and each full collection would take a second.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def garbage(one_application: QApplication) -> Iterator[None]:
    """Collect after the test, and not before: windows that only the test's frame held are garbage already.

    Qt deletes them first, a window before its parts; the collector would begin with any part.
    """
    yield
    for widget in one_application.topLevelWidgets():
        if widget.parent() is None and createdByPython(widget):
            widget.deleteLater()
    one_application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    collect_here(one_application).look()


def _redirect_qt_settings(home: Path) -> None:
    QStandardPaths.setTestModeEnabled(True)
    for form in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
        for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
            QSettings.setPath(form, scope, str(home / "settings"))


@pytest.fixture
def shared() -> Path:
    """Return the folder of real captures and traces that stands beside a developer's checkout."""
    folder = _CHECKOUT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no ../shared beside this checkout: its captures and traces are not part of the project")
    return folder
