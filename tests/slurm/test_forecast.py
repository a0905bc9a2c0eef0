"""Forecasts agree with classic fairshare at every time, and with the paper's equations where those hold."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.associations import Associations, Floats
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.damping import controlled_fairshare
from fsconsole.slurm.decay import WEEK_S, SlurmDecay, Spell
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.fairshare import SharesChange, effect_of, with_shares
from fsconsole.slurm.forecast import Curves, crossings, forecast, recovery_s
from fsconsole.slurm.outlook import Outlook, Planned
from fsconsole.slurm.padding import padding_s
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.texts import refuses, refuses_naming

CAPTURES = Path(__file__).parent / "captures"
LAB = SlurmDecay(half_life_s=600, period_s=60)
HOUR_S = 3600.0


def _captured(name: str = "drained") -> Associations:
    read = read_sshare((CAPTURES / f"{name}.psv").read_text("utf-8"))
    return replace(read.tree, usage=np.nan_to_num(read.raw_usage))


def _row(tree: Associations, account: str, user: str) -> int:
    return list(zip(tree.account, tree.user, strict=True)).index((account, user))


def _equals(*usage: float) -> Associations:
    """Users with one share each under the root."""
    return Associations(
        ("root",) * (len(usage) + 1),
        ("", *(f"u{number}" for number in range(len(usage)))),
        np.array([-1] + [0] * len(usage)),
        np.array([0] + [1] * len(usage)),
        np.array([sum(usage), *usage]),
    )


def _whole_usage(outlook: Outlook, number: float) -> Floats:
    """Usage of all rows at a calculation, added up user by user, with all others idle."""
    tree, at = outlook.tree, np.array([number])
    found: Floats = tree.usage * outlook.decay.decayed(1.0, at)[0]
    for one in outlook.planned:
        row = one.row
        while row >= 0:
            found[row] += outlook.decay.of_spell(one.spell, at)[0]
            row = int(tree.parent[row])
    return found


def test_it_begins_where_classic_fairshare_is_now() -> None:
    tree = _captured()
    users = np.flatnonzero(tree.is_user).tolist()
    found = forecast(Outlook(tree, decay=LAB), users, HOUR_S)
    now = classic_fairshare(tree)
    np.testing.assert_allclose(found.fairshare[:, 0], now.fairshare[users], rtol=1e-12)
    np.testing.assert_allclose(found.effective_usage[:, 0], now.effective_usage[users], rtol=1e-12)


@given(
    st.sampled_from([("hep", "fs_ben"), ("neuro", "fs_jan"), ("genomics", "fs_hugo"), ("ops", "fs_lars")]),
    st.floats(0, 64),
    st.integers(0, 3000),
    st.integers(1, 3000),
    st.floats(0.5, 4),
)
def test_every_time_is_classic_fairshare_of_the_usage_then(
    who: tuple[str, str], rate: float, start: int, length: int, damping: float
) -> None:
    tree = _captured()
    row, other = _row(tree, *who), _row(tree, "physics", "fs_mia")
    planned = (Planned(row, Spell(rate, start, start + length)), Planned(other, Spell(2.0)))
    outlook = Outlook(tree, planned, others_rate=0.0, decay=LAB, damping=damping)
    found = forecast(outlook, (row, other), 2 * HOUR_S, points=10)
    for place in (0, len(found.times_s) // 2, len(found.times_s) - 1):
        then = replace(tree, usage=_whole_usage(outlook, found.times_s[place] / LAB.period_s))
        expected = classic_fairshare(then, damping)
        np.testing.assert_allclose(found.usage_s[:, place], then.usage[[row, other]], rtol=1e-9)
        np.testing.assert_allclose(
            found.fairshare[:, place], expected.fairshare[[row, other]], rtol=1e-7, atol=1e-12
        )


def test_with_nobody_at_work_all_stays_as_it_is() -> None:
    """What was measured: with no job running, decay keeps all ratios."""
    tree = _captured()
    users = np.flatnonzero(tree.is_user).tolist()
    found = forecast(Outlook(tree, others_rate=0.0, decay=LAB), users, HOUR_S)
    np.testing.assert_allclose(found.fairshare, found.fairshare[:, :1].repeat(len(found.times_s), 1))
    np.testing.assert_allclose(found.total_s[-1], tree.usage[0] * LAB.left(HOUR_S))


def test_usage_that_has_decayed_to_almost_nothing_is_like_none() -> None:
    outlook = Outlook(_equals(1.0, 1e12), quiet=frozenset({1}), decay=LAB)
    found = Curves(outlook, (1,)).at(np.arange(9000.0, 12_000.0, 7))
    assert found.usage_s[0].min() < 1e-300
    assert np.isinf(found.level_fs[0]).any()
    assert (found.level_fs[0] > 1e300).any()


def test_steady_others_and_a_quiet_user() -> None:
    tree = _equals(1000.0, 1000.0, 2000.0)
    found = forecast(Outlook(tree, quiet=frozenset({1}), decay=LAB), (1, 2), 4 * HOUR_S)
    np.testing.assert_allclose(found.usage_s[1], 1000.0, rtol=1e-9)
    assert (np.diff(found.fairshare[0]) > 0).all()
    assert (np.diff(found.fairshare[1]) < 0).all()
    assert found.fairshare[0, -1] == pytest.approx(1.0, abs=1e-4)
    assert found.fairshare[1, -1] == pytest.approx(2 ** -(1000 / 3000 * 3), abs=1e-4)


def test_others_share_a_rate_by_what_they_have_used() -> None:
    tree = _equals(0.0, 1000.0, 3000.0)
    outlook = Outlook(tree, quiet=frozenset({1}), others_rate=8.0, decay=LAB)
    found = forecast(outlook, (1, 2, 3), 10 * HOUR_S)
    assert not found.usage_s[0].any()
    np.testing.assert_allclose(found.usage_s[2], 3 * found.usage_s[1])
    settled = 8.0 / LAB.steady_rate(1.0)
    assert found.total_s[-1] == pytest.approx(settled, rel=1e-6)
    nobody = Outlook(_equals(0.0, 0.0, 0.0), quiet=frozenset({1}), others_rate=8.0, decay=LAB)
    np.testing.assert_allclose(*forecast(nobody, (2, 3), HOUR_S).usage_s)


def test_a_padded_cluster_is_the_papers_model() -> None:
    """Section 3: where padding holds the mean, fairshare follows 2^(-u/u*) of the usage."""
    users, target_h = 2501, 10_000.0
    tree = _equals(padding_s(target_h, users), *([0.0] * (users - 1)))
    jobs = tuple(
        Planned(2, Spell(rate, start * WEEK_S, end * WEEK_S))
        for rate, start, end in ((28, 0, 2), (56, 2.5, 4), (84, 4, 5), (28, 5, 6.5))
    )
    found = forecast(Outlook(tree, jobs), (2,), 8 * WEEK_S)
    usage_h = found.usage_s[0] / HOUR_S
    # 15 000 h of the user's own in 25 million of padding
    np.testing.assert_allclose(found.fairshare[0], controlled_fairshare(usage_h, target_h), atol=5e-4)
    for week, expected in ((2, 0.703), (2.5, 0.779), (4, 0.498), (5, 0.349), (6.5, 0.508)):
        place = int(np.flatnonzero(found.times_s == week * WEEK_S)[0])
        assert found.fairshare[0, place] == pytest.approx(expected, abs=1.5e-3)


def test_recovery_is_when_usage_has_halved_often_enough() -> None:
    tree = _equals(padding_s(1.0, 2501), 4 * HOUR_S, *([0.0] * 2499))
    outlook = Outlook(tree, quiet=frozenset({2}), decay=LAB)
    now = forecast(outlook, (2,), HOUR_S).fairshare[0, 0]
    assert now == pytest.approx(2.0**-4, abs=1e-3)
    # From four halvings to one: two half-lives, at the first calculation after.
    assert recovery_s(outlook, 2, 0.5) == pytest.approx(1200, abs=60)
    assert recovery_s(outlook, 2, now / 2) == 0.0


def test_recovery_waits_for_planned_jobs_to_be_forgotten() -> None:
    tree = _equals(padding_s(1.0, 2501), 0.0, *([0.0] * 2499))
    later = Outlook(tree, (Planned(2, Spell(8.0, 3600.0, 7200.0)),), decay=LAB)
    found = recovery_s(later, 2, 0.9)
    seen = forecast(later, (2,), found + HOUR_S, points=10_000)
    at = int(np.flatnonzero(seen.times_s == found)[0])
    assert found > 7200
    assert (seen.fairshare[0, at:] >= 0.9).all()
    assert seen.fairshare[0, at - 1] < 0.9


def test_a_fairshare_that_never_comes_is_said_to_be_infinitely_far() -> None:
    tree = _captured()
    lars = _row(tree, "ops", "fs_lars")  # without shares
    assert recovery_s(Outlook(tree, decay=LAB), lars, 0.1) == math.inf
    endless = Outlook(_equals(0.0, 1.0), (Planned(1, Spell(5.0)),), decay=LAB)
    assert recovery_s(endless, 1, 0.5) == math.inf


def test_recovery_is_found_for_long_half_lives_and_short_periods() -> None:
    year = SlurmDecay(365 * 86400, 60)
    tree = _equals(padding_s(1.0, 2501), 2 * HOUR_S, *([0.0] * 2499))
    found = recovery_s(Outlook(tree, quiet=frozenset({2}), decay=year), 2, 0.5)
    assert found == pytest.approx(year.half_life_s, rel=1e-2)
    assert found % 60 == 0


def test_competitors_change_places() -> None:
    tree = _equals(0.0, 500.0, 5000.0)
    planned = (Planned(1, Spell(16.0, 600.0, 6000.0)),)
    found = forecast(Outlook(tree, planned, others_rate=0.0, decay=LAB), (1, 2), 24 * HOUR_S)
    turns = crossings(found, 0, 1)
    assert [turn.is_ahead for turn in turns] == [True, False]
    assert 600 < turns[1].time_s < 3000
    assert [turn.is_ahead for turn in crossings(found, 1, 0)] == [False, True]


def test_new_shares_say_who_gains_and_who_loses() -> None:
    tree = _captured()
    physics = tree.account.index("physics")
    found = effect_of(tree, [SharesChange(physics, 80)])
    names = [tree.account[row] for row in found.rows]
    gains = {name for name, place in zip(names, found.after > found.before, strict=True) if place}
    assert gains == {"physics", "astro", "hep"}
    np.testing.assert_allclose(found.before, classic_fairshare(tree).fairshare[found.rows])
    after = classic_fairshare(with_shares(tree, [SharesChange(physics, 80)]))
    np.testing.assert_allclose(found.after, after.fairshare[found.rows])
    assert len(effect_of(tree, [SharesChange(physics, 40)]).changed) == 0
    ranks = effect_of(tree, [SharesChange(physics, 80)], by_rank=True)
    np.testing.assert_array_equal(ranks.before, fair_tree(tree).fairshare[found.rows])


def test_what_cannot_be_is_refused() -> None:
    tree = _captured()
    with refuses(ValueError, "slurm.row-is-not-user-or"):
        Outlook(tree, quiet=frozenset({0}))
    with refuses_naming(ValueError, "others"):
        Outlook(tree, others_rate=-1.0)
    with refuses_naming(ValueError, "dampening"):
        Outlook(tree, damping=0.0)
    with refuses(ValueError, "slurm.forecast-needs-one-or-more"):
        forecast(Outlook(tree), (), 60)
    with refuses(ValueError, "slurm.forecast-until-s-end-must"):
        forecast(Outlook(tree), (1,), 0)
    with refuses(ValueError, "slurm.goal-for-fairshare-is-it"):
        recovery_s(Outlook(tree), 1, 1.5)
    for change in (SharesChange(0, 5), SharesChange(1, -1), SharesChange(10_000, 5)):
        with refuses(ValueError, "slurm.shares-of-for-row-not"):
            with_shares(tree, [change])
