"""Figures of a study: which policies and windows they show, in which colours, over which kinds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import numpy as np
import polars as pl
import pytest

from fsconsole.batch.policy import POLICIES, BatchPolicy
from fsconsole.figures.export import FIGURE_FORMATS, file_bytes
from fsconsole.figures.of_batch import (
    LONGEST_WAIT,
    SLOWDOWN,
    UsersOf,
    deviation_by_user,
    figure_1,
    figure_4,
    means_over_workloads,
    over_windows,
    over_workloads,
)
from fsconsole.figures.spec import FigureStyle, Floats
from fsconsole.figures.study_numbers import (
    Spread,
    StudyNumbers,
    families,
    policy_styles,
    short_workloads,
)
from fsconsole.figures.style.curves import CurveStyle
from tests.texts import wording

pytestmark = pytest.mark.usefixtures("qapp")

HOUR_S = 3600
WINDOWS_H = (4, 12, 24, 48, 168)
RELSHARE = POLICIES["relshare"]
STUDIED = (
    POLICIES["fcfs-backfill"],
    POLICIES["lxf-backfill"],
    *(replace(RELSHARE, window_s=hours * HOUR_S) for hours in WINDOWS_H),
    POLICIES["relshare-no-expected"],
)
# Averages of all KTH jobs as the rules' table has them (batch rules, table of KTH and the line below it).
KTH = {
    "FCFS-backfill": (26.687, 71.89),
    "LXF-backfill": (12.030, 127.47),
    "RelShare(1d)": (18.543, 221.82),
    "RelShare(1d), no expected usage": (20.035, 242.37),
}
LONGEST_H = dict(zip(WINDOWS_H, (187.9, 190.2, 221.8, 228.3, 226.5), strict=True))


def by_label(policies: tuple[BatchPolicy, ...] = STUDIED) -> dict[str, BatchPolicy]:
    return {policy.label: policy for policy in policies}


def kth(workloads: tuple[str, ...] = ("KTH",), seeds: tuple[int, ...] = (1,)) -> StudyNumbers:
    rows = []
    for workload in workloads:
        for label, policy in by_label().items():
            for seed in seeds:
                known = (18.0, LONGEST_H.get(policy.window_s // HOUR_S, 0.0))
                slowdown, longest = KTH.get(label, known)
                rows.append((workload, label, seed, slowdown + seed - 1, 1.0, longest, 2.0))
    names = ["workload", "policy", "seed", "avg_bounded_slowdown", "avg_wait_h", "max_wait_h", "p99_wait_h"]
    return StudyNumbers(workloads, by_label(), pl.DataFrame(rows, schema=names, orient="row"))


def test_windows_of_one_policy_are_steps_of_one_colour() -> None:
    styles = policy_styles(by_label())
    tokens = {label: style.colour_token for label, style in styles.items()}
    assert [tokens[f"RelShare({window})"] for window in ("4h", "12h", "1d", "2d", "7d")] == [
        "c4",
        "c5",
        "c5",
        "c6",
        "c6",
    ]
    assert tokens["FCFS-backfill"] == "c2"
    assert tokens[("RelShare(1d), " + wording("figures.no-expected-usage"))] == "c11"
    # No two policies look alike.
    assert len(set(styles.values())) == len(styles)


def test_policies_without_windows_are_levels_beside_the_windows() -> None:
    spec = over_windows(kth(), "KTH", LONGEST_WAIT)
    assert spec.x_axis.kinds == ("4h", "12h", "1d", "2d", "7d")
    curves = {curve.name: curve for curve in spec.curves}
    assert curves["RelShare"].labels == ("188", "190", "222", "228", "226")
    assert curves["FCFS 72"].shape == curves["LXF 127"].shape == "level"
    assert set(curves) == {"RelShare", "FCFS 72", "LXF 127"}


def test_the_first_figure_has_the_daily_windows_of_every_month() -> None:
    months = ("KTH 1996-10", "KTH 1996-11")
    specs = figure_1(kth(months))
    assert [spec.title.split(": ") for spec in specs][:2] == [
        ["Fig. 1(a)", wording("figures.average-bounded-slowdown")],
        ["Fig. 1(b)", "Average wait"],
    ]
    assert specs[0].x_axis.kinds == ("1996-10", "1996-11")
    assert [curve.name for curve in specs[0].curves] == list(KTH)
    assert {curve.shape for curve in specs[0].curves} == {"line"}


def test_the_fourth_figure_parts_windows_at_a_day() -> None:
    specs = figure_4(kth(("a", "b")))
    names = [[curve.name for curve in spec.curves] for spec in specs]
    assert (
        names
        == [
            ["RelShare(4h)", "RelShare(12h)", "RelShare(1d)"],
            ["RelShare(1d)", "RelShare(2d)", "RelShare(7d)"],
        ]
        * 2
    )
    assert [spec.name for spec in figure_4(kth())] == [
        "fig-4a-avg_bounded_slowdown",
        "fig-4c-max_wait_h",
    ]


def test_several_seeds_are_a_band_around_their_mean() -> None:
    spec = over_workloads(kth(("a", "b"), seeds=(1, 2, 3)), SLOWDOWN, ["FCFS-backfill"])
    (curve,) = spec.curves
    low, high = cast("tuple[Floats, Floats]", curve.band)
    assert curve.y.tolist() == pytest.approx([27.687, 27.687])
    assert low.tolist() == pytest.approx([26.687] * 2)
    assert high.tolist() == pytest.approx([28.687] * 2)
    assert spec.caption == wording("figures.means-over-seeds-with-bands")
    assert kth().spread("KTH", "FCFS-backfill", "max_wait_h").seeds == 1
    assert over_windows(kth(), "KTH", SLOWDOWN).caption == "KTH"


def test_what_is_not_done_yet_is_a_gap() -> None:
    numbers = kth(("a",))
    later = replace(numbers, workloads=("a", "b"))
    (curve,) = over_workloads(later, SLOWDOWN, ["FCFS-backfill"]).curves
    assert np.isnan(curve.y).tolist() == [False, True]
    nothing = replace(numbers, summary=numbers.summary.clear())
    spec = over_windows(nothing, "a", SLOWDOWN)
    assert [curve.name for curve in spec.curves] == ["RelShare"]
    assert np.isnan(spec.curves[0].y).all()


def test_without_windows_there_is_a_bar_for_each_policy() -> None:
    two = {label: policy for label, policy in by_label().items() if not policy.is_by_user}
    spec = over_windows(replace(kth(), policies=two), "KTH", SLOWDOWN)
    assert spec.x_axis.kinds == ("FCFS", "LXF")
    assert spec.curves[0].labels == ("26.7", "12.0")
    assert figure_4(replace(kth(), policies=two)) == ()


def users(**dev_nh: float) -> UsersOf:
    kinds = {"user": pl.String, "dev_nh": pl.Float64}
    frame = pl.DataFrame({"user": list(dev_nh), "dev_nh": list(dev_nh.values())}, schema=kinds)
    return UsersOf("RelShare(1d)", CurveStyle("c5"), frame)


def test_deviations_fall_from_the_left_and_one_far_off_is_cut_and_says_its_value() -> None:
    made = deviation_by_user(users(u84=13959.4, u69=3217.6, u3=-28284.6, u2=-9691.2, u5=-49.0))
    assert made.users == ("u84", "u69", "u2", "u3")
    assert made.words == wording("figures.of-users-dev-node-h", users="4", whom="5", considerable_nh="50")
    (curve,) = made.spec.curves
    assert curve.labels == ("", "", "", "#u3: −28.3")
    low, high = made.spec.y_axis.limits or (0.0, 0.0)
    assert -28.3 < low < -9.7
    assert high > 13.9


def test_the_bar_of_a_user_stands_out_with_a_number_clear_of_that_of_the_bar_beside_it() -> None:
    some = users(u84=13959.4, u69=3217.6, u3=-28284.6, u2=-9691.2, u5=-49.0)
    base = users(u2=100.0)
    made = deviation_by_user(some, base, lit="u2")
    curve = made.spec.curves[0]
    assert curve.lit == made.users.index("u2")
    assert curve.labels[2:] == ("#u2: −9.7", "#u3: −28.3")
    svg = file_bytes(made.spec, "svg", FigureStyle(width_mm=60, height_mm=60)).decode()
    lit, cut = (
        float(found[1])
        for word in curve.labels[2:]
        if (found := re.search(f' y="([0-9.]+)"[^<>]*>{word}<', svg)) is not None
    )
    # The number of the bar that stands out is next to it, the other one above.
    assert cut < lit
    assert deviation_by_user(some, base).spec.curves[0].lit is None
    assert file_bytes(made.spec, "png", FigureStyle()) != file_bytes(
        replace(made.spec, curves=(replace(curve, lit=None), *made.spec.curves[1:])), "png", FigureStyle()
    )


def test_of_many_users_the_largest_deviations_are_shown() -> None:
    many = users(**{f"u{number}": 51.0 + number for number in range(30)})
    made = deviation_by_user(many, users(u29=60.0), most=4)
    assert made.users == ("u29", "u28", "u27", "u26")
    assert made.words == wording("figures.of-users-dev-node-h", users="4", whom="30", considerable_nh="50")
    other = made.spec.curves[1]
    assert other.shape == "tick"
    assert other.y[0] == 60.0
    assert np.isnan(other.y[1:]).all()


@pytest.mark.parametrize("form", FIGURE_FORMATS)
def test_figures_go_on_paper_also_while_nothing_is_done(form: str) -> None:
    style = FigureStyle(theme="print")
    numbers = kth(("a", "b"))
    nothing = replace(numbers, summary=numbers.summary.clear())
    for spec in (*figure_1(nothing), *figure_4(numbers), deviation_by_user(users()).spec):
        assert file_bytes(spec, form, style)


def test_families_are_named_without_their_window() -> None:
    assert list(families(by_label())) == ["RelShare", ("RelShare, " + wording("figures.no-expected-usage"))]


def test_names_lose_the_words_that_all_share() -> None:
    assert short_workloads(("KTH 1996-10", "KTH 1996-11")) == ("1996-10", "1996-11")
    assert short_workloads(("KTH", "HPC2N 2002")) == ("KTH", "HPC2N 2002")
    assert short_workloads(("7/03",)) == ("7/03",)
    model = "Lublin-Feitelson, 2000 jobs, load 0.8"
    assert short_workloads(("KTH 1996-10", "KTH 1996-11", model)) == (
        "1996-10",
        "1996-11",
        "Lublin-Feitelson",
    )
    twice = ("KTH 1996-10", "SDSC 1996-10", f"{model[:-1]}7", model)
    assert short_workloads(twice) == twice


def test_a_policy_is_the_same_series_in_all_figures_of_a_study() -> None:
    numbers = kth(("KTH 1", "KTH 2"))
    found: dict[str, set[int | None]] = {}
    for spec in (*figure_1(numbers), *figure_4(numbers), over_workloads(numbers, SLOWDOWN, list(by_label()))):
        for curve in spec.curves:
            found.setdefault(curve.name, set()).add(curve.series)
    assert set(found) == set(by_label())
    assert all(len(series) == 1 for series in found.values())
    assert len(set.union(*found.values())) == len(found)


def test_intervals_take_the_place_of_seeds_and_say_of_what_they_are() -> None:
    numbers = kth(seeds=(1, 2, 3))
    known = {
        ("KTH", label, SLOWDOWN.name): Spread(20.0, 15.0, 30.0, is_interval=True) for label in by_label()
    }
    known_numbers = replace(numbers, intervals=known, interval_units={"KTH": "3 seeds"})
    slowdown, wait, *_ = figure_1(known_numbers)
    first = slowdown.curves[0]
    assert [edge.tolist() for edge in first.band] == [[15.0], [30.0]]
    assert slowdown.caption == wording("figures.95-intervals-over", units="3 seeds")
    assert wait.caption == wording("figures.means-over-seeds-with-bands")
    windows = over_windows(known_numbers, "KTH", SLOWDOWN)
    assert windows.caption == ("KTH. " + wording("figures.95-intervals-over", units="3 seeds"))
    assert all(curve.band for curve in windows.curves)


def test_means_over_workloads_have_a_bar_with_an_interval_for_each_policy() -> None:
    numbers = kth(("a", "b"))
    assert means_over_workloads(numbers) == ()
    known = {("", label, SLOWDOWN.name): Spread(20.0, 15.0, 30.0, is_interval=True) for label in by_label()}
    found = means_over_workloads(replace(numbers, intervals=known, interval_units={"": "11 months"}))
    assert found[0].title == (
        wording("figures.average-bounded-slowdown")
        + wording("figures.mean-over", title="", interval_units="11 months")
    )
    assert [curve.name for curve in found[0].curves] == list(by_label())
    assert {spec.shape_of(curve) for spec in found for curve in spec.curves} == {"bar"}
    assert found[0].curves[0].y.tolist() == [20.0]
