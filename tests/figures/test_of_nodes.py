from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from fsconsole.figures.of_nodes import NodeSeries, event_marks, figure_of, plotted_nodes
from fsconsole.figures.quantities import quantity_named, recorded_quantity
from fsconsole.figures.style.curves import CurveStyle, assign_curves
from fsconsole.policies.words import words_of
from fsconsole.recording import run_format
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.actions import (
    CURRENT_ACCOUNT,
    Action,
    Login,
    Logout,
    NewAccount,
    ReniceUser,
    Restart,
    SetBooks,
    SetSetting,
    StartProcess,
    Work,
)
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.shares.scenario.spec import Event, PlotSpec, Scenario
from fsconsole.shares.tree import Kind, ShareTree
from fsconsole.targets.slurm import diary
from tests.texts import refuses, wording

TIMES = np.array([0.0, 10.0, 20.0])


@pytest.fixture
def tree() -> ShareTree:
    """Daemon (system) with a user; group g with users a and b."""
    tree = ShareTree()
    daemon = tree.add(0, "Daemon", 9, Kind.GROUP)
    daemon.system = True
    tree.add(daemon.id, "daemon")
    group = tree.add(0, "g", 1, Kind.GROUP)
    tree.add(group.id, "a")
    tree.add(group.id, "b")
    return tree


def series(tree: ShareTree, quantity: str, **values: float) -> NodeSeries:
    ids = {tree.find(name).id: np.full(len(TIMES), value) for name, value in values.items()}
    return NodeSeries(quantity, TIMES, ids)


def test_leaving_out_system_groups_rescales_shares_to_what_is_left(tree: ShareTree) -> None:
    shares = series(tree, "allocated_share", Daemon=0.9, daemon=0.9, g=0.1, a=0.025, b=0.075)
    left = shares.without_system(tree)
    assert tree.find("daemon").id not in left.values
    assert left.values[tree.find("a").id].tolist() == pytest.approx([0.25] * 3)
    assert left.values[tree.find("g").id].tolist() == pytest.approx([1.0] * 3)


def test_leaving_out_system_groups_leaves_other_quantities_as_recorded(tree: ShareTree) -> None:
    left = series(tree, "charge", daemon=5.0, a=3.0).without_system(tree)
    assert list(left.values) == [tree.find("a").id]
    assert left.values[tree.find("a").id].tolist() == [3.0] * 3


def test_nothing_but_system_work_leaves_zero(tree: ShareTree) -> None:
    left = series(tree, "cpu_rate", daemon=1.0, a=0.0).without_system(tree)
    assert left.values[tree.find("a").id].tolist() == [0.0] * 3


def test_curves_have_the_colours_and_dashes_of_the_session(tree: ShareTree) -> None:
    ids = [tree.find("a").id, tree.find("b").id]
    figure = figure_of(tree, series(tree, "charge", a=1.0, b=2.0), ids, name="charge")
    styles = assign_curves(tree)
    assert [(curve.colour, curve.dash) for curve in figure.curves] == [
        (styles[node].colour_token, styles[node].dash) for node in ids
    ]
    assert [curve.path for curve in figure.curves] == ["root/g/a", "root/g/b"]
    assert figure.title == "Charge"


def test_a_node_keeps_the_colour_that_it_has_in_the_session(tree: ShareTree) -> None:
    node = tree.find("a").id
    styles = {node: CurveStyle("c12", (2, 2))}
    (curve,) = figure_of(tree, series(tree, "charge", a=1.0), [node], name="charge", styles=styles).curves
    assert (curve.colour, curve.dash) == ("c12", (2, 2))


def test_a_rate_is_recorded_at_0_but_drawn_from_the_first_full_window(tree: ShareTree) -> None:
    figure = figure_of(tree, series(tree, "cpu_rate", a=1.0), [tree.find("a").id], name="cpu")
    assert figure.curves[0].x.tolist() == TIMES.tolist()
    assert figure.drawn_from == 10.0


def test_events_are_reported_in_words_once_a_time(tree: ShareTree) -> None:
    user = tree.find("a").id
    events = (
        Event(490, Login(user)),
        Event(490, StartProcess(user, Work())),
        Event(600, SetSetting("policy.half_life_s", 60)),
        Event(20, StartProcess(user, Work(), count=3)),
    )
    marks = event_marks(Scenario(tree, events=events))
    assert [(mark.at_s, mark.text) for mark in marks] == [
        (20, wording("shares.scenario.starts", who="a", what="3 loop")),
        (490, wording("shares.scenario.logs-in", who="a")),
        (600, (wording("shares.scenario.half-life-of-usage") + ": " + "60 s")),
    ]


def test_people_are_called_by_their_names(tree: ShareTree) -> None:
    account = tree.find("a").id
    fields: dict[Action, str] = {
        Login(CURRENT_ACCOUNT, "hale"): "hale logs in",
        Logout(account, person="hale"): "hale logs out",
        StartProcess(CURRENT_ACCOUNT, Work(), "model", person="hale"): "hale starts model",
        NewAccount("hale", account): "hale works on a",
        ReniceUser("hale", 28): "hale has nice 28",
        SetBooks(account, 0.0): "books of a changed",
        Restart(): "restart",
        SetSetting("policy.name", "feedback"): "Policy: Hierarchical feedback",
        SetSetting("policy.nosched", True): "Ignore shares: yes",
        SetSetting("policy.k_mu", (0.5, 0.7)): "Error gain: 0.5, 0.7",
    }
    assert {action: words_of(action, tree) for action in fields} == fields


def test_every_action_has_words(tree: ShareTree) -> None:
    account = tree.find("a").id
    fields: dict[Action, str] = {
        Login(account): "a logs in",
        Logout(account): "a logs out",
        StartProcess(account, Work(), "cc", 2): "a starts 2 cc",
        actions.EndProcesses(account): "a ends",
        actions.EndProcess(7): "process 7 ends",
        actions.Renice(7, 30): "process 7 has nice 30",
        ReniceUser("a", 30): "a has nice 30",
        NewAccount("hale", account): "hale works on a",
        SetBooks(999): "books of a node changed",
        Restart(): "restart",
        actions.ChangeTree(()): "shares changed",
        SetSetting("policy.half_life_s", 60): "Half-life of usage: 60 s",
        actions.SubmitJob(JobSpec("night", "nd", 60)): "",  # hundreds would cover all other marks
        actions.KillJob(41870): "job 41870 killed",
        actions.HoldJob(41870): "job 41870 held",
        actions.ReleaseJob(41870): "job 41870 released",
        actions.MoveJob(41870, 2): "job 41870 moved to position 2",
        actions.RunJob(41870): "job 41870 started out of turn",
        actions.CheckpointJob(41870): "job 41870 checkpointed",
        actions.RestartJob(41870): "job 41870 restarted",
        actions.ExtendJob(41870, -1800): "job 41870 extended by -30 min",
        actions.SetQueue("nd", started=False): "queue nd stopped",
        actions.SuspendProcess(7): "process 7 suspended",
        actions.ResumeProcess(7): "process 7 resumed",
        actions.OpenWindow(): "near-dedicated window opened",
        actions.CloseWindow(): "near-dedicated window closed",
        actions.MoveWindow(end_s=60): "near-dedicated window moved",
        actions.OrderQueue("shortest"): "queue order: shortest",
        actions.Acknowledge("late"): "alert late acknowledged",
        actions.WriteNote("{}"): "note written",
    }
    assert {action: words_of(action, tree) for action in fields} == fields
    assert {type(action) for action in fields} == set(get_args(Action))


def test_without_a_wish_all_users_outside_system_groups_are_plotted(tree: ShareTree) -> None:
    assert plotted_nodes(Scenario(tree)) == (tree.find("a").id, tree.find("b").id)
    wish = Scenario(tree, plot=PlotSpec(nodes=(tree.find("g").id,)))
    assert plotted_nodes(wish) == (tree.find("g").id,)


def test_an_unknown_quantity_is_refused_with_the_nearest() -> None:
    with refuses(ValueError, "figures.did-you-mean", near="charge"):
        quantity_named("charges")


def test_a_node_is_absent_without_system_groups_where_it_is_with_them(tree: ShareTree) -> None:
    gone = np.array([np.nan, 0.2, 0.3])
    shares = series(tree, "allocated_share", daemon=0.5, b=0.1)
    values = {**shares.values, tree.find("a").id: gone, tree.find("g").id: gone + 0.1}
    left = NodeSeries(shares.quantity, TIMES, values).without_system(tree).values
    found = left[tree.find("a").id]
    assert np.isnan(found).tolist() == [True, False, False]
    assert found[1:].tolist() == pytest.approx([0.2 / 0.3, 0.3 / 0.4])
    assert left[tree.find("b").id].tolist() == pytest.approx([1.0, 0.1 / 0.3, 0.1 / 0.4])
    assert left[tree.find("g").id].tolist() == pytest.approx([1.0] * 3)
    alone = NodeSeries(shares.quantity, TIMES, {tree.find("a").id: gone}).without_system(tree).values
    for name in ("a", "g"):
        assert np.isnan(alone[tree.find(name).id]).tolist() == [True, False, False]
    assert np.isnan(alone[tree.find("b").id]).all()


def test_each_recorded_quantity_can_be_drawn() -> None:
    recorded = {name.removesuffix(run_format.WITHOUT_SYSTEM) for name in run_format.QUANTITIES}
    for name in recorded | set(diary.QUANTITIES):
        assert recorded_quantity(name) is quantity_named(name)
    energy = recorded_quantity("energy", "J")
    assert (energy.title, energy.axis.unit) == ("energy", "J")
