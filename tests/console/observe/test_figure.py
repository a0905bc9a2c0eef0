"""Figures made of the live plots."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from fsconsole.console.observe.figure import figure_of_plot
from fsconsole.console.observe.plots.drawn import Drawn
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Remove


def test_a_figure_can_be_made_after_a_user_with_work_was_removed(
    session: ConsoleSession, qtbot: QtBot
) -> None:
    document = session.document
    assert document is not None
    kept = document.tree.find("u11").id
    document.edit("Remove", [Remove(document.tree.find("u12").id)])
    session.step(60)
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick == 60)
    figure = figure_of_plot(session, "cpu_rate", Drawn((kept,)), (0.0, 1.0), [])
    assert figure is not None
    assert figure.provenance.scenario_digest
