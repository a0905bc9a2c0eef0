"""What must change: solving, then forecasting, gives what was wished; what is out of reach is said so."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.associations import Associations
from fsconsole.slurm.decay import SlurmDecay, Spell
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.fairshare import SharesChange, fairshare_of
from fsconsole.slurm.forecast import Curves, forecast, recovery_s
from fsconsole.slurm.outlook import Outlook, Planned, users_in
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.slurm.solver import MOST_RATE, MOST_SHARES, Goal, Means, Quantity, Way, rate_now, solve
from fsconsole.slurm.staged_changes import Changes, RateChange, without_usage
from tests.laws import tries
from tests.texts import Expected, naming, refuses, worded

CAPTURES = Path(__file__).parent / "captures"
LAB = SlurmDecay(half_life_s=600, period_s=60)
HOUR_S = 3600.0


def _captured(name: str = "drained") -> Associations:
    read = read_sshare((CAPTURES / f"{name}.psv").read_text("utf-8"))
    return replace(read.tree, usage=np.nan_to_num(read.raw_usage))


def _row(tree: Associations, account: str, user: str = "") -> int:
    return list(zip(tree.account, tree.user, strict=True)).index((account, user))


def _value(outlook: Outlook, goal: Goal) -> float:
    """Forecast afresh, of the whole tree."""
    return goal.of(Curves(outlook, (goal.row,)).at_time(goal.time_s))


def _seen(outlook: Outlook, goal: Goal) -> float:
    """Forecast by the curves that a person sees."""
    period = outlook.decay.period_s
    found = forecast(outlook, (goal.row,), (math.ceil(goal.time_s / period) + 1) * period, points=10**6)
    at = int(np.searchsorted(found.times_s, goal.time_s))
    values = found.fairshare if goal.quantity is Quantity.FAIRSHARE else found.level_fs
    return float(values[0, at])


def _way(outlook: Outlook, goal: Goal, means: Means, row: int) -> Way:
    return next(way for way in solve(outlook, goal).ways if way.means is means and way.row == row)


NODES = [("hep", "fs_ben"), ("hep", ""), ("neuro", "fs_jan"), ("genomics", "fs_finn"), ("physics", "")]


@tries(12)
@given(st.sampled_from(NODES), st.floats(0.02, 0.98), st.integers(1, 3600), st.booleans(), st.booleans())
def test_what_is_solved_is_what_the_forecast_then_shows(
    who: tuple[str, str], wished: float, by_s: int, by_rank: bool, goes_on: bool
) -> None:
    tree = _captured()
    row = _row(tree, *who)
    quiet = frozenset() if goes_on else frozenset({row})
    outlook, goal = Outlook(tree, decay=LAB, by_rank=by_rank, quiet=quiet), Goal(row, wished, by_s)
    found = solve(outlook, goal)
    assert found.reached == pytest.approx(_seen(outlook, goal), rel=1e-12)
    for way in found.ways:
        value = _value(way.changes.applied(outlook), goal)
        assert value == pytest.approx(way.reached, rel=1e-9)
        assert way.is_enough == (way.reached >= wished)
        if way.means in (Means.SHARES, Means.DAMPING) and way.is_enough and way.value > 1:
            less = Changes((SharesChange(way.row, int(way.value) - 1),))
            if way.means is Means.DAMPING:
                less = Changes(damping=way.value - 1)
            # One less is not enough.
            assert _value(less.applied(outlook), goal) < wished
        if way.means is Means.WORK and way.is_enough and not by_rank and 0 < way.value < MOST_RATE:
            assert value == pytest.approx(wished, abs=1e-6)


def test_own_shares_alone_never_lift_a_user_above_the_account() -> None:
    tree = _captured()
    ben, hep = _row(tree, "hep", "fs_ben"), _row(tree, "hep")
    outlook = Outlook(tree, decay=LAB)
    goal = Goal(ben, 0.3, 1800.0)
    own = _way(outlook, goal, Means.SHARES, ben)
    assert not own.is_enough
    ceiling = _value(outlook, Goal(hep, 0.3, 1800.0))
    assert own.reached < ceiling < 0.3
    assert own.reached == pytest.approx(ceiling, abs=1e-3)
    # The nearest is the least that comes as near as three digits show.
    assert own.value < MOST_SHARES / 1000
    above = _way(outlook, goal, Means.SHARES, _row(tree, "physics"))
    assert above.is_enough
    assert (above.now, above.value) == (40, 297)


def test_a_wish_out_of_reach_by_rest_alone_is_reported_with_the_nearest() -> None:
    tree = _captured()
    ben = _row(tree, "hep", "fs_ben")
    work = _way(Outlook(tree, decay=LAB), Goal(ben, 0.9, 60.0), Means.WORK, ben)
    assert (work.value, work.is_enough) == (0.0, False)
    rested = replace(Outlook(tree, decay=LAB), quiet=frozenset({ben}))
    assert work.reached == pytest.approx(_value(rested, Goal(ben, 0.9, 60.0)))


def test_level_fairshare_can_be_wished_for_where_the_cluster_has_it() -> None:
    tree = _captured("fairtree")
    ben = _row(tree, "hep", "fs_ben")
    goal = Goal(ben, 2.0, 600.0, Quantity.LEVEL_FS)
    outlook = Outlook(tree, decay=LAB, by_rank=True)
    way = _way(outlook, goal, Means.SHARES, ben)
    assert way.is_enough
    assert _value(way.changes.applied(outlook), goal) >= 2.0
    with refuses(ValueError, "slurm.levelfs-belongs-to-fair-tree"):
        solve(replace(outlook, by_rank=False), goal)


@pytest.mark.parametrize("by_rank", [False, True])
def test_no_changes_overlay_exactly(by_rank: bool) -> None:
    tree = _captured()
    rows = (_row(tree, "hep"), _row(tree, "hep", "fs_ben"))
    outlook = Outlook(tree, (Planned(rows[1], Spell(4.0, 0.0, 900.0)),), decay=LAB, by_rank=by_rank)
    assert not Changes()
    before, after = (forecast(one, rows, HOUR_S) for one in (outlook, Changes().applied(outlook)))
    for name in ("times_s", "usage_s", "total_s", "fairshare", "lowest", "highest", "level_fs"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


@pytest.mark.parametrize("name", ["drained", "fairtree", "running"])
def test_accounts_begin_at_what_sshare_printed(name: str) -> None:
    read = read_sshare((CAPTURES / f"{name}.psv").read_text("utf-8"))
    by_rank = read.is_fair_tree
    tree = replace(read.tree, usage=np.nan_to_num(read.raw_usage))
    accounts = [row for row in range(1, len(tree)) if not tree.user[row]]
    found = forecast(Outlook(tree, decay=LAB, by_rank=by_rank), accounts, HOUR_S)
    now = fairshare_of(tree, by_rank=by_rank)
    shown = found.level_fs[:, 0] if by_rank else found.fairshare[:, 0]
    np.testing.assert_allclose(shown, (now.level_fs if by_rank else now.fairshare)[accounts])
    if name != "running":  # where columns lag one another while jobs run
        printed = (read.printed.level_fs if by_rank else read.printed.fairshare)[accounts]
        np.testing.assert_allclose(shown, printed, atol=2e-3, rtol=2e-2)
    np.testing.assert_array_equal(found.usage_s[:, 0], tree.usage[accounts])
    for place, row in enumerate(accounts):
        users = now.fairshare[users_in(tree, (row,))]
        if len(users):
            assert (found.lowest[place, 0], found.highest[place, 0]) == pytest.approx(
                (users.min(), users.max())
            )


def test_ranks_over_time_are_fair_tree_of_the_usage_then() -> None:
    tree = _captured()
    users = np.flatnonzero(tree.is_user).tolist()
    ben = _row(tree, "hep", "fs_ben")
    outlook = Outlook(tree, (Planned(ben, Spell(8.0)),), decay=LAB, by_rank=True)
    found = forecast(outlook, [*users, _row(tree, "hep")], HOUR_S, points=6)
    usage = Curves(outlook, users).at(found.times_s / 60).usage_s
    for at in range(len(found.times_s)):
        whole = np.zeros(len(tree))
        whole[users] = usage[:, at]
        for row in range(len(tree) - 1, 0, -1):
            whole[tree.parent[row]] += whole[row]
        ranks = fair_tree(replace(tree, usage=whole)).fairshare
        np.testing.assert_array_equal(found.fairshare[:-1, at], ranks[users])
        assert found.fairshare[-1, at] == pytest.approx(ranks[users_in(tree, (_row(tree, "hep"),))].mean())


def test_what_an_account_runs_is_spread_over_its_users() -> None:
    tree = _captured()
    hep = _row(tree, "hep")
    members = np.flatnonzero(users_in(tree, (hep,))).tolist()
    outlook = Outlook(tree, (Planned(hep, Spell(6.0)),), decay=LAB)
    found = forecast(outlook, (hep, *members), 10 * HOUR_S)
    np.testing.assert_allclose(found.usage_s[0, -1], found.usage_s[1:, -1].sum(), rtol=1e-6)
    assert found.usage_s[0, -1] == pytest.approx(6.0 / LAB.steady_rate(1.0), rel=1e-6)
    assert rate_now(outlook, hep) == pytest.approx(6.0)
    on_top = replace(outlook, planned=(Planned(hep, Spell(6.0), is_on_top=True),))
    assert rate_now(on_top, hep) == pytest.approx(6.0 + tree.usage[members].sum() * LAB.steady_rate(1.0))


def test_several_changes_hold_together_from_the_same_now() -> None:
    tree = _captured()
    ben, hep, physics = _row(tree, "hep", "fs_ben"), _row(tree, "hep"), _row(tree, "physics")
    changes = Changes(
        (SharesChange(hep, 6), SharesChange(physics, 60)), (RateChange(ben, 0.0),), (), 1200.0, 2.0
    )
    outlook = Outlook(tree, decay=LAB)
    changed = changes.applied(outlook)
    found = forecast(changed, (ben,), HOUR_S)
    now = fairshare_of(replace(tree, shares=changed.tree.shares), 2.0)
    assert found.fairshare[0, 0] == pytest.approx(now.fairshare[ben])
    left = changed.decay.left(HOUR_S)
    assert found.usage_s[0, -1] == pytest.approx(tree.usage[ben] * left, rel=1e-9)
    assert changed.decay.half_life_s == 1200.0
    others = forecast(changed, (_row(tree, "genomics", "fs_finn"),), 50 * HOUR_S).usage_s[0]
    slower = LAB.steady_rate(1.0) / changed.decay.steady_rate(1.0)
    # Forgotten half as fast, but for the slices of a minute.
    assert 2 < slower < 2.1
    assert others[-1] == pytest.approx(others[0] * slower, rel=1e-4)
    with refuses(ValueError, "slurm.its-is-changed-twice-keep", what="shares"):
        Changes((SharesChange(hep, 1), SharesChange(hep, 2))).applied(outlook)
    with refuses(ValueError, "slurm.work-of-and-that-of", who="hep/fs_ben", where="hep"):
        Changes(rates=(RateChange(hep, 1.0), RateChange(ben, 2.0))).applied(outlook)
    both = Changes((SharesChange(hep, 1),)).also(Changes((SharesChange(hep, 7),), damping=3.0))
    assert (both.shares, both.damping) == ((SharesChange(hep, 7),), 3.0)


def test_usage_set_to_nothing_goes_from_all_above_too() -> None:
    tree = _captured()
    hep = _row(tree, "hep")
    found = without_usage(tree, (hep,))
    assert not found.usage[users_in(tree, (hep,))].any()
    assert found.usage[hep] == 0
    for account in ("physics", "root"):
        row = tree.account.index(account)
        assert found.usage[row] == pytest.approx(tree.usage[row] - tree.usage[hep])
    with refuses(ValueError, "slurm.root-s-usage-is-that"):
        without_usage(tree, (0,))


def test_recovery_of_an_account_by_rank_holds_from_then_on() -> None:
    tree = _captured()
    hep = _row(tree, "hep")
    outlook = Outlook(tree, quiet=frozenset({hep}), decay=LAB, by_rank=True)
    start = float(forecast(outlook, (hep,), HOUR_S).fairshare[0, 0])
    wished = min(start + 0.1, 1.0)
    found = recovery_s(outlook, hep, wished)
    if math.isfinite(found):
        curves = Curves(outlook, (hep,))
        assert curves.at_time(found).fairshare[0, 0] >= wished
        assert found == 0 or curves.at_time(found - 60).fairshare[0, 0] < wished
    else:
        assert forecast(outlook, (hep,), 30 * HOUR_S).fairshare[0, -1] < wished


@pytest.mark.parametrize(
    ("value", "time_s", "words"),
    [
        (0.0, 60.0, naming("above 0")),
        (1.2, 60.0, worded("slurm.and-at-most-1")),
        (0.5, 0.0, worded("slurm.goal-is-for-s-from")),
    ],
)
def test_wishes_that_cannot_be_are_refused(value: float, time_s: float, words: Expected) -> None:
    with refuses(ValueError, words):
        Goal(1, value, time_s)


def test_work_that_only_rest_allows_is_none_and_is_found() -> None:
    """Nobody else uses anything: any work is all of the cluster's, however little it is."""
    tree = _captured()
    idle = Outlook(replace(tree, usage=np.zeros(len(tree))), others_rate=0.0)
    way = _way(idle, Goal(_row(tree, "hep", "fs_ben"), 0.9, 3600.0), Means.WORK, _row(tree, "hep", "fs_ben"))
    assert (way.value, way.is_enough) == (0.0, True)
