"""Figures made of the live plots."""

from __future__ import annotations

import json
from pathlib import Path

from pytestqt.qtbot import QtBot

from fsconsole.console.live.plots.figure import figure_of_plot
from fsconsole.console.live.plots.plot_curves import Drawn
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.export import export_figure
from fsconsole.figures.spec import FigureSpec
from fsconsole.shares.edits import Remove, SetShares
from tests.console.live.running import now
from tests.texts import wording


def test_a_figure_can_be_made_after_a_user_with_work_was_removed(
    session: ConsoleSession, qtbot: QtBot
) -> None:
    document = session.document
    assert document is not None
    kept = document.tree.find("u11").id
    document.edit("Remove", [Remove(document.tree.find("u12").id)])
    session.step(60)
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick == 60)
    figure = figure_of_plot(session, "cpu_rate", Drawn((kept,)))
    assert figure is not None
    assert figure.provenance.scenario_digest


def test_a_figure_says_what_was_in_force_and_what_changed(
    session: ConsoleSession, qtbot: QtBot, tmp_path: Path
) -> None:
    document = session.document
    assert document is not None
    u11 = document.tree.find("u11")
    half_life_s, shares = document.settings["policy.half_life_s"], u11.shares
    digest_before = figure(session).provenance.scenario_digest

    def step_to(tick: int) -> None:
        session.step(tick - now(session).tick)
        qtbot.waitUntil(lambda: now(session).tick == tick)

    step_to(600)
    document.edit("Set shares", [SetShares.of(u11.id, 800)])
    step_to(1200)
    document.set_settings({"policy.half_life_s": 30.0})
    document.set_settings({"policy.name": "feedback"})
    step_to(1800)
    _, beside = export_figure(figure(session), tmp_path / "cpu.csv", "csv")
    found = json.loads(beside.read_text())
    assert found["settings"]["policy.half_life_s"] == half_life_s
    assert found["settings"]["policy.name"] == "share"
    assert found["changes"] == [
        {
            "time_s": 10.0,
            "what": wording("figures.shares-of", node="root/gr1/u11"),
            "from": shares,
            "to": 800,
        },
        {"time_s": 20.0, "what": "policy.half_life_s", "from": half_life_s, "to": 30.0},
        {"time_s": 20.0, "what": "policy.name", "from": "share", "to": "feedback"},
    ]
    assert found["scenario_digest"] == digest_before


def figure(session: ConsoleSession) -> FigureSpec:
    """The CPU rate of u11 so far."""
    assert session.document is not None
    drawn = Drawn((session.document.tree.find("u11").id,))
    made = figure_of_plot(session, "cpu_rate", drawn)
    assert made is not None
    return made
