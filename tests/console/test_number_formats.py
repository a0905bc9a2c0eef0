"""Numbers are read and written with a point, in every locale; a comma that is typed is a point."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox
from pytestqt.qtbot import QtBot

from fsconsole.app.forecast.one_user import OneUser
from fsconsole.console.analyse.forecast.one_form import OneForm
from fsconsole.console.export_choice import ExportChoice
from fsconsole.console.export_form import ExportForm
from fsconsole.console.live.machine.dialogs import StartDialog
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_formats

LOCALES = ("de_DE", "tr_TR", "fr_FR", "C")
TYPED = {"0.5": 0.5, "12.25": 12.25, "0,5": 0.5, "12,25": 12.25}


@pytest.fixture(params=LOCALES)
def installed(request: pytest.FixtureRequest) -> Iterator[str]:
    QLocale.setDefault(QLocale(request.param))
    install_formats()
    yield request.param
    install_formats()


def type_in(field: QDoubleSpinBox, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Tab)


@pytest.mark.parametrize("text", TYPED)
def test_what_is_typed_into_a_length_is_what_is_done(
    qtbot: QtBot, session: ConsoleSession, installed: str, text: str
) -> None:
    assert session.document is not None
    done: list[object] = []
    tree = session.document.tree
    dialog = StartDialog(tree, tree.find("u11").id, done.append, None)
    qtbot.addWidget(dialog)
    fields = dialog.findChildren(QDoubleSpinBox)
    assert fields
    for field in fields:
        type_in(field, text)
        assert field.value() == TYPED[text], (installed, field.accessibleName())
        assert "," not in field.text()


@pytest.mark.parametrize("text", TYPED)
def test_sizes_of_figures_read_a_point(qtbot: QtBot, installed: str, text: str) -> None:
    form = ExportForm(ExportChoice(), [], [])
    qtbot.addWidget(form)
    for field in (form.width_mm, form.height_mm):
        field.setRange(0.0, 1000.0)
        field.setDecimals(2)
        type_in(field, text)
        assert field.value() == TYPED[text], (installed, field.accessibleName())


@pytest.mark.parametrize("text", ["1.5", "1,5"])
def test_the_dampening_factor_reads_a_point(qtbot: QtBot, installed: str, text: str) -> None:
    form = OneForm(OneUser())
    qtbot.addWidget(form)
    type_in(form.damping, text)
    assert (form.damping.value(), form.asked.damping) == (1.5, 1.5), installed


_CHILD = """
from datetime import datetime
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from fsconsole.console.style.application_style import install_look
from fsconsole.console.widgets.number_box import NumberBox
app = QApplication([])
style = install_look(app, "light")
box = NumberBox()
box.selectAll()
QTest.keyClicks(box, "12.25")
box.interpretText()
print(box.value(), box.text(), "%.1f" % 0.5, datetime(2026, 3, 1).strftime("%b"), "iI".upper(), float("0.5"))
"""


@pytest.mark.parametrize("name", ["de_DE.UTF-8", "tr_TR.UTF-8"])
def test_a_program_that_starts_in_another_locale_has_the_same_formats(name: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", _CHILD],
        env=os.environ | {"LC_ALL": name, "LANG": name, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == ["12.25", "12.25", "0.5", "Mar", "II", "0.5"]
