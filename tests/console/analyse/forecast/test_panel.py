"""One user, by keys and clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.app.forecast.jobs import PAPER_JOBS
from fsconsole.app.forecast.one_user import PAPER_NOTE
from fsconsole.console.analyse.forecast.one_form import reached_words
from fsconsole.console.analyse.forecast.panel import CLUSTER, ForecastPanel
from fsconsole.console.export_dialog import ExportDialog
from fsconsole.console.session import ConsoleSession
from fsconsole.text.numbers import thousands
from tests.console.assistive import description_of
from tests.console.conftest import Answers
from tests.console.test_glossary import PLAIN, TERMS, term
from tests.console.test_text_twins import cells
from tests.texts import says, span, wording

_Key = Qt.Key


def marked(panel: ForecastPanel) -> list[str]:
    """Fairshares marked in the plot."""
    return [words for words in panel.plots.figures[1].curves[0].labels if words]


def editor_of(panel: ForecastPanel) -> QLineEdit:
    """The editor open in a cell of jobs."""
    view = panel.one.form.table.view
    (found,) = [one for one in view.viewport().findChildren(QLineEdit) if one.isVisible()]
    return found


def retype(field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def test_it_shows_the_papers_figure_3_with_its_contradiction(panel: ForecastPanel) -> None:
    assert marked(panel) == ["0.703", "0.779", "0.498", "0.349", "0.508"]
    expected = ["d = 1", "d = 2"]
    assert [curve.name for curve in panel.plots.figures[1].curves] == expected
    form = panel.one.form
    assert form.model.rowCount() == 4
    assert (form.note.text(), form.note.isVisible()) == (PAPER_NOTE, True)
    assert panel.words == wording("console.analyse.forecast.one-user-classic-fairshare")


def test_a_cell_is_edited_by_keys_and_the_curves_follow(qtbot: QtBot, panel: ForecastPanel) -> None:
    panel.take_focus()
    view, form = panel.one.form.table.view, panel.one.form
    assert view.currentIndex().data() == "28"
    QTest.keyClicks(view, "0")
    QTest.keyClick(editor_of(panel), _Key.Key_Return)
    qtbot.waitUntil(lambda: form.asked.jobs[0].cores == 0)
    assert marked(panel)[0] == "1.000"
    assert not form.note.isVisible()


def test_a_wrong_cell_keeps_its_editor_says_why_and_escape_gives_the_old_value_back(
    panel: ForecastPanel,
) -> None:
    table = panel.one.form.table
    table.view.setFocus()
    table.view.setCurrentIndex(table.model.index(0, 3))
    QTest.keyClick(table.view, _Key.Key_F2)
    editor = editor_of(panel)
    editor.selectAll()
    QTest.keyClicks(editor, "-3")
    least = wording("app.forecast.from-to", low="0")
    shown = table.fault.text()
    assert shown.partition(": ")[0].split() == ["To,", "wk"]
    assert says(shown, "app.forecast.is-not-number-example", strip="-3", least=least, high="520")
    assert editor.property("look") == "error"
    QTest.keyClick(editor, _Key.Key_Return)
    assert editor_of(panel) is editor
    assert table.model.jobs == PAPER_JOBS
    QTest.keyClick(editor, _Key.Key_Escape)
    assert not table.fault.isVisible()
    assert table.model.jobs == PAPER_JOBS


def test_jobs_are_added_with_ins_and_removed_with_del(qtbot: QtBot, panel: ForecastPanel) -> None:
    table = panel.one.form.table
    table.view.setFocus()
    table.view.setCurrentIndex(table.model.index(3, 1))
    QTest.keyClick(table.view, _Key.Key_Insert)
    QTest.keyClick(editor_of(panel), _Key.Key_Escape)
    assert table.model.jobs[:4] == PAPER_JOBS
    assert len(table.model.jobs) == 5
    assert table.model.jobs[4].start_s == PAPER_JOBS[3].end_s
    QTest.keyClick(table.view, _Key.Key_Delete)
    assert table.model.jobs == PAPER_JOBS
    for _ in range(4):
        QTest.mouseClick(table.remove, Qt.MouseButton.LeftButton)
    assert table.model.rowCount() == 0
    assert not table.remove.isEnabled()
    assert marked(panel) == []
    QTest.mouseClick(table.add, Qt.MouseButton.LeftButton)
    QTest.keyClick(editor_of(panel), _Key.Key_Return)
    assert table.model.rowCount() == 1


def test_columns_of_jobs_share_the_width(panel: ForecastPanel) -> None:
    view = panel.one.form.table.view
    assert view.horizontalHeader().length() == view.viewport().width()


def test_target_hours_go_with_the_dampening_factor(panel: ForecastPanel) -> None:
    form = panel.one.form
    form.damping.setFocus()
    form.damping.selectAll()
    QTest.keyClicks(form.damping, "2")
    QTest.keyClick(form.damping, _Key.Key_Return)
    assert form.target.text() == "20000"
    assert float(marked(panel)[3]) == pytest.approx(0.349**0.5, abs=1e-3)
    assert form.slider.value() == 30
    form.slider.setFocus()
    QTest.keyClick(form.slider, _Key.Key_Home)
    assert form.damping.value() == 0.1
    assert form.target.text() == "1000"
    assert form.whole.isVisible()
    assert says(
        form.whole.text(), "console.analyse.forecast.halves-at-h", whole="1", halves_at_h=thousands(10000)
    )


def test_a_wrong_field_keeps_its_text_and_the_last_right_forecast(panel: ForecastPanel) -> None:
    form = panel.one.form
    before = panel.plots.figures
    retype(form.half_life, "long")
    assert form.half_life.fault.isVisible()
    assert form.half_life.fault.text().startswith(
        wording(
            "batch.is-not-number-above-0",
            damping=wording("console.analyse.forecast.half-life-in-days") + ": 'long'",
        )
    )
    assert form.half_life.property("look") == "error"
    assert form.half_life.text() == "long"
    assert panel.plots.figures == before
    retype(form.half_life, "14")
    assert not form.half_life.fault.isVisible()
    assert form.asked.half_life_d == 14.0


def test_a_wished_fairshare_says_when(panel: ForecastPanel) -> None:
    form = panel.one.form
    retype(form.wished, "0.9")
    assert form.reached.text() == wording(
        "console.analyse.forecast.after-for-good", reached_s=span(d=64, h=6)
    )
    retype(form.wished, "1")
    assert form.reached.text() == reached_words(float("inf"))
    form.wished.selectAll()
    QTest.keyClick(form.wished, _Key.Key_Delete)
    assert form.reached.text() == ""


def test_any_other_factor_can_be_compared_or_none(panel: ForecastPanel) -> None:
    box = panel.compare.box
    edit = box.findChild(QLineEdit)
    assert edit is not None
    retype(edit, "3.5")
    expected = "d = 3.5"
    assert panel.plots.figures[1].curves[1].name == expected
    retype(edit, "x")
    assert panel.compare.fault.isVisible()
    assert box.property("look") == "error"
    box.setCurrentIndex(box.findText("none"))
    assert not panel.compare.fault.isVisible()
    assert len(panel.plots.figures[1].curves) == 1


def test_what_was_typed_is_there_again(
    qtbot: QtBot, panel: ForecastPanel, session_of_own: ConsoleSession, answers: Answers
) -> None:
    retype(panel.one.form.target, "5000")
    panel.one.form.table.model.remove_jobs([0])
    panel.compare.box.setEditText("none")
    panel.mode.choose(CLUSTER)
    again = ForecastPanel(session_of_own, answers)
    qtbot.addWidget(again)
    qtbot.addWidget(again.head)
    assert again.one.form.asked == panel.one.form.asked
    assert again.one.form.asked.target_h == 5000.0
    assert again.compare.box.currentText() == "none"
    assert again.mode.value == CLUSTER
    again.end()


def test_the_line_goes_through_both_plots_and_values_stand_above(panel: ForecastPanel) -> None:
    plots = panel.plots
    plots.usage.setFocus()
    QTest.keyClick(plots.usage, _Key.Key_Left)
    assert plots.fairshare.style_shown().cursor_at == plots.usage.style_shown().cursor_at is not None
    texts = [label.text() for label in plots._values]
    assert texts[0].split()[:3] == ["8.00", "weeks:", "usage"]
    expected = "d = 1 0.78"
    assert expected in texts[1]
    QTest.keyClick(plots.usage, _Key.Key_Escape)
    assert plots.fairshare.style_shown().cursor_at is None


def test_plots_and_jobs_have_the_same_edges(panel: ForecastPanel) -> None:
    plots = panel.plots
    assert plots.usage.style_shown().edges_em == plots.fairshare.style_shown().edges_em
    first, last = plots.bars.box(0), plots.bars.box(3)
    at = (plots.bars.width() - plots.bars._edges[0] - plots.bars._edges[1]) / 8
    assert first.width() == pytest.approx(2 * at, abs=2)
    assert last.right() == pytest.approx(plots.bars._edges[0] + 6.5 * at, abs=2)


def test_either_figure_is_exported_or_copied_from_the_header(qtbot: QtBot, panel: ForecastPanel) -> None:
    menu = panel.export_button.menu()
    words = [action.text() for action in menu.actions()]
    assert words == ["Export fairshare…", "Export usage…", "Copy fairshare", "Copy usage"]
    menu.actions()[1].trigger()
    dialog = panel.window().findChild(ExportDialog)
    assert dialog is not None
    assert dialog.spec is panel.plots.figures[0]
    assert dialog.spec.provenance.settings["target_h"] == 10_000.0
    dialog.reject()
    menu.actions()[2].trigger()
    assert not QGuiApplication.clipboard().image().isNull()
    QGuiApplication.clipboard().clear()


def test_the_plot_clicked_is_the_one_that_is_exported(panel: ForecastPanel) -> None:
    for place, plot in ((1, panel.plots.fairshare), (0, panel.plots.usage)):
        QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(40, 20))
        assert panel.plots.current is panel.plots.figures[place]


def test_controls_have_names(panel: ForecastPanel) -> None:
    form = panel.one.form
    fields = (form.target, form.half_life, form.usage, form.until, form.wished, form.damping, form.slider)
    for widget in (*fields, panel.compare.box, panel.mode, panel.export_button, form.table.view):
        assert widget.accessibleName()
    assert panel.plots.bars.accessibleName() == "Planned jobs"
    titles, *jobs = cells(panel.plots.bars.text_twin())
    assert {term(title) for title in titles} <= TERMS | PLAIN
    assert jobs[1] == ["56", span(d=17, h=12), "28 d"]
    assert says(
        description_of(panel.plots.bars),
        "console.analyse.forecast.cores-from-to-from-now",
        cores="56",
        start_s=span(d=17, h=12),
        end_s="28 d",
    )


def test_large_usage_is_read_with_its_power_of_ten(panel: ForecastPanel) -> None:
    retype(panel.one.form.usage, "3000000")
    usage, below = panel.plots._titles[0].text().split("; ")
    assert (usage.split(), below) == (["Usage,", "10⁶", "core-h"], "jobs below")
    panel.one.form.table.model.remove_jobs(range(4))
    assert panel.plots._titles[0].text() == usage
