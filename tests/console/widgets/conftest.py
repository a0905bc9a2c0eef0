from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from fsconsole.console.look.style import ConsoleStyle, install_look
from fsconsole.console.look.theme import theme


@pytest.fixture
def look(qapp: QApplication) -> Iterator[ConsoleStyle]:
    """The console's look on the application, light at first; taken away afterwards."""
    yield install_look(qapp, "light")
    theme().set_mode("system")
    qapp.setStyle("Fusion")
