"""What Observe works out without a window."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.kit.time_scale import MARGIN, TimeScale
from fsconsole.console.live.legend import whole_of
from fsconsole.console.live.legend_model import toggled, users_below
from fsconsole.console.live.machine import strip
from fsconsole.console.live.plots import value_ticks
from fsconsole.console.live.plots.plot_annotations import word_places
from fsconsole.console.live.plots.plot_curves import WithPartner, drawn_nodes, partner_of
from fsconsole.console.live.plots.value_column import arranged, value_rows
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.time_controls import neighbour_speed
from fsconsole.console.transport_bar import is_late, state_of
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, ShareTree
from fsconsole.targets.base import MAX_SPEED, Clock
from fsconsole.targets.events import Event, last_before, neighbour
from fsconsole.targets.simulated import SimulatedTarget
from fsconsole.targets.snapshot import Happening, failed, machine_events
from tests.texts import wording


@pytest.fixture(scope="module")
def six() -> Scenario:
    return read_scenario(examples() / "convex-series-6.yaml")


def ids(tree: ShareTree, *names: str) -> tuple[int, ...]:
    return tuple(tree.find(name).id for name in names)


# -- words of events ---


@pytest.mark.parametrize(
    ("labels", "places"),
    [
        ([(200.0, 50.0)], [145.0]),  # left of its line
        ([(80.0, 50.0)], [85.0]),  # no room at the left edge
        ([(200.0, 50.0), (210.0, 40.0)], [145.0, 215.0]),  # two close ones: one on each side
        ([(80.0, 50.0), (190.0, 60.0)], [85.0, 195.0]),  # not into the words before
        ([(80.0, 50.0), (120.0, 50.0), (400.0, 50.0)], [None, 125.0, 345.0]),
        ([(380.0, 400.0)], [None]),
    ],
)
def test_words_of_events_stand_where_there_is_room(
    labels: list[tuple[float, float]], places: list[float | None]
) -> None:
    assert word_places(labels, 52.0, 400.0) == places


# -- y ranges ---


@pytest.mark.parametrize(
    ("top", "scale", "words"),
    [
        (0.7225, 100.0, ["0", "20", "40", "60"]),
        (0.36125, 100.0, ["0", "10", "20", "30"]),
        (0.522, 100.0, ["0", "20", "40"]),
        (1.0, 100.0, ["0", "50", "100"]),
        (72.25e6, 1.0, ["0", "20 M", "40 M", "60 M"]),
    ],
)
def test_a_range_chosen_by_hand_has_ticks_in_steps_of_1_2_5(
    top: float, scale: float, words: list[str]
) -> None:
    assert [text for _, text in value_ticks.y_ticks(0.0, top, scale)] == words


@pytest.mark.parametrize(
    ("largest", "top"),
    [
        (0.0, 1.0),
        (float("nan"), 1.0),
        (0.7, 1.0),
        (1.0, 1.0),
        (1.01, 2.0),
        (3.0, 5.0),
        (495e6, 500e6),
        (9, 10),
    ],
)
def test_tops_go_in_steps_of_1_2_5(largest: float, top: float) -> None:
    assert value_ticks.top_for(largest) == pytest.approx(top)


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=30))
def test_the_top_never_shrinks_while_running_and_holds_all(values: list[float]) -> None:
    top = 1.0
    for value in values:
        after = value_ticks.next_top(top, value, running=True)
        assert after >= top
        assert after >= value * (1 - 1e-9)
        top = after
    assert value_ticks.next_top(1e15, 0.5, running=False) == 0.5


def test_ticks_say_percent_and_millions_as_the_picture_does() -> None:
    assert [words for _, words in value_ticks.y_ticks(0.0, 1.0, 100.0)] == ["0", "50", "100"]
    assert [words for _, words in value_ticks.y_ticks(0.0, 5e8, 1.0)] == ["0", "250 M", "500 M"]
    assert [words for _, words in value_ticks.y_ticks(0.0, 500.0, 1.0)] == ["0", "250", "500"]


# -- time ---


def test_the_range_follows_the_present_in_few_jumps() -> None:
    span = TimeRange()
    span.begin(Clock(until_s=1200.0))
    assert (span.start_s, span.end_s) == (0.0, 600.0)
    jumps: list[float] = []
    span.changed.connect(lambda: jumps.append(span.start_s))
    for now in range(601):
        span.advance(float(now) + 600)
        assert span.start_s <= span.now_s <= span.end_s
    assert len(jumps) <= 102


def test_a_range_chosen_by_hand_stays() -> None:
    span = TimeRange()
    span.begin(Clock(until_s=1200.0))
    span.fix(100.0, 200.0)
    span.advance(900.0)
    assert (span.mode, span.start_s, span.end_s) == ("fixed", 100.0, 200.0)
    span.follow(60.0)
    assert span.end_s - span.start_s == pytest.approx(60.0)
    assert span.end_s >= 900.0


@given(st.floats(-500, 2000), st.floats(0.01, 100))
def test_zooming_stays_inside_the_run(about: float, factor: float) -> None:
    span = TimeRange()
    span.begin(Clock(until_s=1200.0))
    span.zoom(about, factor)
    assert 0.0 <= span.start_s < span.end_s <= 1200.0 + 1e-6


def test_zooming_keeps_the_time_at_the_pointer() -> None:
    span = TimeRange()
    span.begin(Clock(until_s=1200.0))
    span.fix(200.0, 600.0)
    span.zoom(300.0, 0.5)
    assert (300.0 - span.start_s) / (span.end_s - span.start_s) == pytest.approx(0.25)


def test_the_whole_run_grows_beyond_its_planned_end() -> None:
    span = TimeRange()
    span.begin(Clock(until_s=1200.0))
    span.show_whole()
    span.advance(1201.0)
    assert span.end_s == 1500.0


# -- flags and strip ---


def test_flags_say_the_past_and_the_plan(six: Scenario) -> None:
    by_hand = [Happening(490.0, "u21 logged in"), Happening(600.0, "u12 logged in")]
    flags = machine_events(six, six.tree, by_hand, 500.0)
    assert [(flag.time_s, flag.text, flag.is_planned) for flag in flags] == [
        (0.0, flags[0].text, False),
        (490.0, wording("shares.scenario.logs-in", who="u21"), False),
        (600.0, wording("shares.scenario.logs-in", who="u12"), True),
    ]
    assert flags[0].text.split()[:3:2] == ["u11", "u22"]  # both in one text
    assert machine_events(six, six.tree, [], 100.0)[1].is_planned


def test_neighbours_of_a_time() -> None:
    flags = [Event(0.0, ("a",)), Event(490.0, ("b",)), Event(900.0, ("c",), is_planned=True)]
    assert neighbour(flags, 100.0, 1) == 490.0
    assert neighbour(flags, 490.0, -1) == 0.0
    assert neighbour(flags, 490.0, 1) is None
    assert last_before(flags, 610.0) == flags[1]


@given(st.floats(0, 1e6), st.floats(1, 1e6), st.floats(200, 3000), st.floats(0, 1))
def test_pixels_and_times_are_each_others_inverse(
    first_s: float, whole_s: float, width: float, part: float
) -> None:
    scale = TimeScale(first_s, whole_s, width)
    time_s = first_s + part * whole_s
    assert scale.time(scale.x(time_s)) == pytest.approx(time_s, abs=(first_s + whole_s) * 1e-9)
    assert 0.0 <= scale.x(time_s) <= width


def test_the_strip_of_a_run_that_begins_later(qtbot: QtBot) -> None:
    span = TimeRange()
    span.begin(Clock(3600.0, 7200.0))
    span.advance(7200.0)
    span.show_whole()
    bar = strip.TimeStrip(span, tuple)
    qtbot.addWidget(bar)
    bar.resize(1000, bar.height())
    with qtbot.waitSignal(bar.head_moved) as moved:
        QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(500, 24))
    assert moved.args == [pytest.approx(5400.0, abs=4.0)]
    assert bar.scale.x(span.now_s) == pytest.approx(1000 - MARGIN)


def test_words_never_run_into_the_next_flag() -> None:
    flags = [Event(0.0, ("a long sentence",)), Event(10.0, ("b",)), Event(500.0, ("c",))]
    placed = strip.labels(flags, TimeScale(0.0, 1000.0, 1000.0), lambda words: 7.0 * len(words))
    assert [label.words for label in placed] == ["", "b", "c"]


def test_parts_of_the_box() -> None:
    assert strip.part_at(103, 100, 200) == "left"
    assert strip.part_at(197, 100, 200) == "right"
    assert strip.part_at(150, 100, 200) == "box"
    assert strip.part_at(50, 100, 200) == "none"
    assert strip.dragged("left", 100, 200, 500) == (199, 200)
    assert strip.dragged("box", 100, 200, 50) == (150, 250)


# -- curves ---


def test_sixteen_curves_are_drawn_and_the_rest_is_a_band() -> None:
    tree = ShareTree()
    users = [tree.add(ROOT_ID, f"u{at}", 1).id for at in range(40)]
    drawn = drawn_nodes(tree, [*users, 999], leave_out_system=False)
    assert drawn.nodes == tuple(users[:16])
    assert drawn.rest == tuple(users[16:])


def test_a_sample_between_both_questions_leaves_a_curve_and_its_partner_at_the_same_times() -> None:
    """The engine adds a sample and a bucket is merged after the first quantity was read."""
    read = {
        "share": (np.array([0.0, 10.0, 20.0]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])),
        "partner": (np.array([5.0, 10.0, 15.0, 30.0]), np.array([[7.0, 8.0, 9.0, 10.0]])),
    }
    series = Mock(curves=lambda quantity, *_: read[quantity])
    times, values = WithPartner(series, "partner").curves("share", (1, 2, partner_of(1)), 0.0, 30.0, 100)
    assert times.tolist() == [0.0, 10.0, 20.0]
    assert values[:2].tolist() == read["share"][1].tolist()
    np.testing.assert_array_equal(values[2], [np.nan, 8.0, 9.0])  # the last value known at each time


def test_system_nodes_are_not_drawn_while_they_are_left_out(six: Scenario) -> None:
    shown = ids(six.tree, "daemon", "u11")
    assert drawn_nodes(six.tree, shown, leave_out_system=True).nodes == shown[1:]
    assert drawn_nodes(six.tree, shown, leave_out_system=False).nodes == shown


def test_users_with_work_are_those_of_the_scenario_and_of_its_events(six: Scenario) -> None:
    target = SimulatedTarget(six)
    try:
        assert target.choices()[0].nodes(six.tree) == ids(six.tree, "u11", "u21", "u22")
    finally:
        target.close(wait=True)


def test_a_groups_box_is_that_of_its_users(six: Scenario) -> None:
    tree = six.tree
    gr2, u21, u22, u23 = ids(tree, "gr2", "u21", "u22", "u23")
    assert users_below(tree, gr2) == [u21, u22, u23]
    assert toggled(tree, [u21], gr2) == [u21, u22, u23]
    assert toggled(tree, [u21, u22, u23], gr2) == []
    assert u21 in users_below(tree, ROOT_ID)
    assert tree.find("daemon").id not in users_below(tree, ROOT_ID)


def test_what_all_is(six: Scenario) -> None:
    assert whole_of(six.tree, left_out=True).partition("=")[2].split() == ["gr1", "+", "gr2"]
    assert whole_of(six.tree, left_out=False).partition("=")[2].split() == ["the", "machine"]


# -- transport ---


def test_states_have_words_and_icons() -> None:
    assert state_of(None, 10.0)[0] == "Starting"
    assert state_of(failed(None, "no room"), 10.0) == ("Fault", "danger", "warning")
    assert not is_late(failed(None, "no room"))


def test_speeds_have_neighbours() -> None:
    assert neighbour_speed(10.0, 1) == 100.0
    assert neighbour_speed(1.0, -1) == 1.0
    assert neighbour_speed(1000.0, 1) == MAX_SPEED
    assert neighbour_speed(MAX_SPEED, 1) == MAX_SPEED
    assert np.isinf(MAX_SPEED)


@pytest.mark.parametrize("height", range(60, 140))
def test_five_values_have_a_place_beside_every_plot(height: int) -> None:
    how = arranged(5, height)
    assert how.shown == 5
    places = [how.place(number, 5) for number in range(5)]
    assert len(set(places)) == 5
    assert max(row for _, row in places) * how.row_px + how.row_px <= height - 19
    assert how.columns == 1 or height < 79


def test_values_that_have_no_place_are_counted() -> None:
    how = arranged(16, 72)
    assert (how.columns, how.shown) == (2, 7)
    assert [how.place(number, 8) for number in (0, 3, 4, 7)] == [(0, 0), (0, 3), (1, 0), (1, 3)]


@pytest.mark.parametrize("name", ["N", "NRL", "Navy", "PRI_BATCH", "a name that is long"])
@pytest.mark.parametrize("value", [0.0, 43.3, 101.6, 7915.3, 99_999.9])
def test_digits_go_before_letters_do(look: object, name: str, value: float) -> None:
    metrics = QFontMetricsF(tabular_font("caption"))
    styles = {1: (name, CurveStyle("g1"))}
    _, (row,) = value_rows(quantity_named("charge"), styles, {1: value}, value)
    needed = metrics.horizontalAdvance(name)
    for room in range(200, 40, -1):
        shown, text = row.fitting(metrics, room)
        beside = room - metrics.horizontalAdvance(text)
        # Nothing is cut that has room.
        assert shown == name or beside < needed
        assert text == row.text or metrics.horizontalAdvance(row.text) + needed > room
        assert shown == name or "." not in text or value < 100
        assert abs(float(text.replace("\u202f", "")) - value) <= 0.5


@given(st.lists(st.tuples(st.sampled_from(["u11", "a: b", "gr1"]), st.integers(0, 3)), max_size=8))
def test_a_flag_tells_what_came_of_an_instant(steps: list[tuple[str, int]]) -> None:
    """Changes one after the other at one time are told as one; what was taken back is not told."""
    scenario = read_scenario(examples() / "convex-series-6.yaml")
    plain = machine_events(scenario, scenario.tree, [], 1e6)
    now = {name: 1 for name, _ in steps}
    texts = []
    for name, shares in steps:
        if shares != now[name]:
            texts.append(f"{name}: {now[name]} → {shares} shares, in force at the next delta")
            now[name] = shares
    flags = machine_events(scenario, scenario.tree, [Happening(77.7, text) for text in texts], 1e6)
    rows = [text for flag in flags if flag not in plain for text in flag.texts]
    assert sorted(rows) == sorted(
        wording("machine.shares", name=name, shares="1", arrow="→", shares_2=shares)
        for name, shares in now.items()
        if shares != 1
    )


def test_a_high_plot_has_more_ticks() -> None:
    def words(top: float, scale: float, height: float) -> list[str]:
        return [words for _, words in value_ticks.y_ticks(0.0, top, scale, height)]

    assert words(1.0, 100.0, 60.0) == ["0", "50", "100"]
    assert words(1.0, 100.0, 300.0) == ["0", "20", "40", "60", "80", "100"]
    assert words(5e8, 1.0, 300.0) == ["0", "100 M", "200 M", "300 M", "400 M", "500 M"]
    assert words(2.0, 1.0, 300.0) == ["0", "0.5", "1.0", "1.5", "2.0"]
