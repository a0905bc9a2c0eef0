"""Names that an ordinary user can give to a job, and a trap for what Qt would open because of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel

# Waits in `open` until another process opens the FIFO too, and lets it go on with nothing to read.
_WATCH = """
import sys
while True:
    open(sys.argv[1], "w").close()
    open(sys.argv[1] + ".opened", "a").close()
"""


class Trap:
    """A FIFO that stops for good whoever opens it, were it not watched from another process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._watch = subprocess.Popen([sys.executable, "-c", _WATCH, str(path)])

    @property
    def is_sprung(self) -> bool:
        """Whether a program has opened the FIFO."""
        return self.path.with_name(f"{self.path.name}.opened").exists()

    def remove(self) -> None:
        """End the watch."""
        self._watch.kill()
        self._watch.wait()


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    """A FIFO in the present folder, for names that cannot hold a slash."""
    made = Trap(tmp_path / "fifo")
    yield made
    made.remove()


def shown_tip() -> QLabel:
    """Return the label of Qt's tooltip in sight."""
    QApplication.processEvents()
    found = [one for one in QApplication.topLevelWidgets() if one.objectName() == "qtooltip_label"]
    assert found, "there is no tooltip"
    assert isinstance(found[-1], QLabel)
    return found[-1]
