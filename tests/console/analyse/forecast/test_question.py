"""What is asked of a captured cluster, and what is said of the answer."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fsconsole.app.forecast.cluster import Cluster, Known, read_capture
from fsconsole.app.forecast.cluster_figures import figures_of, time_axis
from fsconsole.app.forecast.entry import days, length_text
from fsconsole.app.forecast.jobs import Job
from fsconsole.app.forecast.question import Question, Superseded, answer, user_effects
from fsconsole.app.forecast.sentences import effect_words, order_words, sentences
from fsconsole.console.analyse.forecast.changes_page import COLUMNS
from fsconsole.console.kit.tables import RowModel
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.decay import SlurmDecay
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.fairshare import SharesChange, with_shares
from fsconsole.slurm.forecast import Crossing
from fsconsole.slurm.staged_changes import Changes
from tests.texts import Expected, naming, refuses, refuses_naming, says, wording

CAPTURES = Path(__file__).parents[3] / "slurm" / "captures"


def captured(name: str = "drained") -> Cluster:
    return read_capture(CAPTURES / f"{name}.psv")


def asking(cluster: Cluster, user: str | None = "fs_finn", *rivals: str) -> Question:
    return Question(
        cluster=cluster,
        row=None if user is None else cluster.user_row(user),
        rivals=tuple(cluster.user_row(name) for name in rivals),
        jobs=(),
        others_rate=None,
        wished=None,
        decay=SlurmDecay(3600.0, 60.0),
        damping=1.0,
        until_s=None,
    )


def test_users_are_found_by_name_where_that_says_which() -> None:
    cluster = captured()
    assert cluster.names[cluster.user_row("fs_finn")] == "genomics/fs_finn"
    answer = cluster.names[cluster.user_row(" hep/fs_anna ")]
    assert answer == "hep/fs_anna"
    with refuses(ValueError, "app.forecast.is-in-several-accounts-choose", more="astro/fs_anna, hep/fs_anna"):
        cluster.user_row("fs_anna")
    with refuses(ValueError, "app.forecast.has-no", name="drained.psv", what="user", text="", near="'fs_x'"):
        cluster.user_row("fs_x")
    with refuses(ValueError, "app.forecast.has-no", name="drained.psv", what="user", text="'hep'"):
        cluster.user_row("hep")
    assert cluster.names[cluster.row("hep")] == "hep"
    with refuses(ValueError, "app.forecast.is-root-account-which-has", text="root"):
        cluster.row("root")


def test_a_user_who_is_twice_in_an_account_has_two_names() -> None:
    tree = Associations(
        ("root", "a", "a", "a"),
        ("", "", "u", "u"),
        np.array([-1, 0, 1, 1]),
        np.array([0, 1, 1, 1]),
        np.ones(4),
    )
    assert Cluster.of("c", tree, is_fair_tree=False, known=Known(partition=("", "", "", "gpu"))).users == [
        "a/u",
        "a/u (gpu)",
    ]
    assert Cluster.of("c", tree, is_fair_tree=False).users == ["a/u", "a/u (2)"]


def test_captures_that_cannot_be_forecast_from_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.psv"
    path.write_text("Account|User|RawShares\nroot||\n root|root|1\n")
    with pytest.raises(ScenarioError) as caught:
        read_capture(path)
    assert caught.value.name == "cut.psv"
    assert says(caught.value.problems[0].text, "slurm.parsers.no-column-normusage-or-rawusage")


def test_usage_alone_decays_by_a_half_each_half_life_and_fairshare_is_that_of_now_at_first() -> None:
    cluster = captured()
    question = replace(asking(cluster, "fs_finn", "fs_ben"), others_rate=0.0, until_s=2 * 3600.0)
    found = answer(question)
    assert found.forecast is not None
    now = classic_fairshare(cluster.tree)
    np.testing.assert_allclose(found.forecast.fairshare[:, 0], now.fairshare[list(found.forecast.rows)])
    usage = found.forecast.usage_s[0]
    assert usage[-1] / usage[0] == pytest.approx(0.25, rel=2e-3)
    usage_figure, fairshare_figure = figures_of(found)
    assert [curve.name for curve in fairshare_figure.curves] == ["fs_finn", "fs_ben"]
    assert usage_figure.curves[0].path == "genomics/fs_finn"


def test_by_itself_it_looks_three_half_lives_beyond_the_last_job() -> None:
    found = answer(replace(asking(captured()), jobs=(Job(4, 0, 7200.0),)))
    assert found.until_s == 7200.0 + 3 * 3600.0
    _, fairshare = figures_of(found)
    texts = [
        (x, words)
        for x, words in zip(fairshare.curves[0].x, fairshare.curves[0].labels, strict=True)
        if words
    ]
    assert [x for x, _ in texts] == [7200.0]


def test_a_user_with_the_same_name_in_two_accounts_is_named_with_both() -> None:
    _, figure = figures_of(answer(asking(captured(), "hep/fs_anna", "astro/fs_anna")))
    assert [curve.name for curve in figure.curves] == ["hep/fs_anna", "astro/fs_anna"]


@pytest.mark.parametrize(
    ("capture", "rule"),
    [
        ("drained", naming("classic fairshare")),
        ("fairtree", naming("Fair Tree")),
    ],
)
def test_new_shares_are_reported_for_all_users_by_the_clusters_own_rule(capture: str, rule: Expected) -> None:
    cluster = captured(capture)
    change = SharesChange(cluster.row("hep"), 80)
    found = answer(replace(asking(cluster, None), changes=Changes((change,))))
    assert found.effect is not None
    assert found.forecast is None
    work_out = fair_tree if capture == "fairtree" else classic_fairshare
    after = work_out(with_shares(cluster.tree, [change])).fairshare
    np.testing.assert_array_equal(found.effect.after, after[found.effect.rows])
    assert says(effect_words(found), "app.forecast.of-users", changed=len(found.effect.changed), users="15")
    assert says(effect_words(found), rule)


def test_those_who_change_most_come_first_with_all_digits_when_copied() -> None:
    cluster = captured()
    found = answer(
        replace(
            asking(cluster, None),
            changes=Changes((SharesChange(cluster.row("hep"), 80),)),
        )
    )
    model = RowModel(COLUMNS)
    model.set_rows(user_effects(found))
    changes = [abs(float(model.index(row, 3).data(0x100 + 72))) for row in range(model.rowCount())]
    assert changes == sorted(changes, reverse=True)
    assert model.rowCount() == 15
    assert found.effect is not None
    first = int(np.argmax(np.abs(found.effect.after - found.effect.before)))
    assert model.index(0, 0).data() == cluster.names[found.effect.rows[first]]
    assert float(model.index(0, 1).data(0x100 + 72)) == pytest.approx(found.effect.before[first], rel=1e-14)


def test_what_is_no_longer_wanted_ends_soon() -> None:
    with pytest.raises(Superseded):
        answer(asking(captured()), lambda: True)


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([(0, True)], "Ahead of dana all the time."),
        ([(0, False)], "Never ahead of dana."),
        ([(0, False), (2.3, True)], "Overtakes dana after 2 d 7 h."),
        ([(0, True), (2.5, False), (9, True)], "Falls behind dana after 2 d 12 h. Overtakes dana after 9 d."),
    ],
)
def test_crossings_in_words(turns: list[tuple[float, bool]], message: str) -> None:
    assert order_words([Crossing(day * 86400.0, is_ahead) for day, is_ahead in turns], "dana") == message


def test_sentences_say_the_wish_the_rivals_and_what_is_assumed() -> None:
    # A day of 40 cores, then rest while the others use 2 cores together: he falls behind and recovers.
    question = replace(
        asking(captured(), "fs_finn", "fs_ben"), jobs=(Job(40, 0, 86400.0),), others_rate=2.0, wished=0.3
    )
    found = answer(question)
    shown = list(sentences(found))
    assert says(shown[1], "app.forecast.reaches-in-and-stays-there", wished="0.3", shown="")
    assert "fs_ben" in shown[2]
    assert says(shown[3], "app.forecast.assumes-that-uses-nothing", name="fs_finn")
    rate = "2 billing units a second"
    assert shown[-1] == wording("app.forecast.assumes-that-others-use-cores", rate=rate, rest="")
    assert found.reached_s is not None
    assert 86400.0 < found.reached_s < math.inf
    never = list(sentences(answer(replace(question, wished=1.0))))
    assert says(never, "app.forecast.never-reaches-for-good", wished="1")
    tree = list(sentences(answer(asking(captured("fairtree"), "fs_finn"))))
    assert tree[-1] == (wording("app.forecast.cluster-ranks-by-fair-tree"))


@pytest.mark.parametrize(("days", "unit"), [(1, "hours"), (10, "days"), (30, "weeks")])
def test_the_time_axis_has_the_unit_of_its_length(days: float, unit: str) -> None:
    assert time_axis(days * 86400.0).unit == unit


def test_new_shares_leave_the_curve_without_them_in_sight() -> None:
    """Both begin at the next calculation: without the change, and with it."""
    cluster = captured()
    question = asking(cluster, "hep/fs_anna", "fs_finn")
    plain, changed = (
        answer(question),
        answer(
            replace(question, changes=Changes((SharesChange(cluster.row("hep"), 80),))),
        ),
    )
    _, before = figures_of(plain)
    _, after = figures_of(changed)
    assert [curve.name for curve in before.curves] == ["hep/fs_anna", "fs_finn"]
    assert [curve.name for curve in after.curves] == [
        "hep/fs_anna",
        "fs_finn",
        "hep/fs_anna, unchanged",
        "fs_finn, unchanged",
    ]
    np.testing.assert_array_equal(after.curves[2].y, before.curves[0].y)
    assert after.curves[2].dash != after.curves[0].dash
    now = classic_fairshare(cluster.tree).fairshare[question.row or 0]
    then = classic_fairshare(with_shares(cluster.tree, [SharesChange(cluster.row("hep"), 80)]))
    expected = f"{now:.3f} unchanged, {then.fairshare[question.row or 0]:.3f} with the changes"
    assert next(sentences(plain)).startswith(
        wording("app.forecast.fairshare-at-next-calculation", first=f"{now:.3f}") + ", "
    )
    assert next(sentences(changed)).startswith(
        wording("cli.fairshare-at-next-calculation") + ": " + f"{expected}, " + "then "
    )


def test_the_time_when_a_wish_holds_is_in_sight() -> None:
    cluster = captured()
    question = replace(asking(cluster), jobs=(Job(40, 0, 86400.0),), others_rate=2.0)
    short = answer(question).until_s
    wish = next(
        one
        for one in (found / 100 for found in range(99, 1, -1))
        if short < (answer(replace(question, wished=one)).reached_s or 0) < math.inf
    )
    found = answer(replace(question, wished=wish))
    assert found.reached_s is not None
    assert short < found.reached_s < found.until_s
    near = answer(replace(question, wished=wish, until_s=short))
    assert near.until_s == short
    assert says(list(sentences(near))[1], "app.forecast.after-end-of-plots")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1800, "30 min"), (43200, "12 h"), (604800, "7 d"), (5400, "1.5 h"), (86460, "1441 min"), (100, None)],
)
def test_a_half_life_is_written_as_short_as_it_is_read(seconds: float, text: str | None) -> None:
    assert text is None or length_text(seconds) == text
    assert days(length_text(seconds)) * 86400 == pytest.approx(seconds, rel=1e-9)
    assert days("7") == days("168 h") == 7.0


@pytest.mark.parametrize("text", ["0 h", "20000", "many d", ""])
def test_a_wrong_length_is_quoted_with_its_unit(text: str) -> None:
    with refuses_naming(ValueError, f"'{text}'", "1 min", "10\N{NARROW NO-BREAK SPACE}000 d", "7 d"):
        days(text)
