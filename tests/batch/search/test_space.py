from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.multifactor import Multifactor
from fsconsole.batch.policy import DAY_S
from fsconsole.batch.search.evolve import children, sample
from fsconsole.batch.search.folder import is_meant
from fsconsole.batch.search.search_file import parse_search
from fsconsole.batch.search.space import space_of
from fsconsole.batch.study.spec import StudyError
from tests.batch.search.small_search import TEXT
from tests.texts import refuses

USERS = ("1", "2", "3", "4", "5")
_SPEC = parse_search(TEXT, Path(), check_files=False)
_SPACE = space_of(_SPEC, USERS)
_GENE = st.floats(0, 1, exclude_max=True)


@given(st.tuples(_GENE, _GENE, _GENE))
def test_every_setting_lies_in_its_ranges(genes: tuple[float, float, float]) -> None:
    setting = _SPACE.setting(genes)
    assert 4 * 3600 <= setting.policy.window_s <= 7 * DAY_S
    ((_, shares),) = setting.shares
    assert 1 <= shares <= 100
    part = _SPACE.user_shares(setting.shares)
    # Two users of A have its shares, three others as many shares as there are of them.
    assert part == pytest.approx([shares / (shares + 3) / 2] * 2 + [3 / (shares + 3) / 3] * 3)


def test_without_other_shares_all_users_are_equal() -> None:
    assert _SPACE.user_shares(()) == pytest.approx([0.2] * 5)


def test_a_log_scale_has_as_many_settings_below_its_middle_as_above() -> None:
    genes = sample(1000, 3, np.random.default_rng(1))
    shares = [_SPACE.setting(row).shares[0][1] for row in genes.tolist()]
    assert np.median(shares) == 10  # of 1 to 100


def test_a_half_life_is_a_decay_per_window() -> None:
    text = TEXT.replace("  window: {from: 4h, to: 7d, scale: log}", "  window: 12h\n  half_life: [1d, 2d]")
    space = space_of(parse_search(text, Path(), check_files=False), USERS)
    decays = [space.setting([0.0, 0.0, gene, 0.0]).policy.decay for gene in (0.0, 0.9)]
    assert decays == [round(0.5**0.5, 4), round(0.5**0.25, 4)]


def test_a_half_life_far_beyond_the_window_is_a_decay_below_1() -> None:
    text = TEXT.replace("  window: {from: 4h, to: 7d, scale: log}", "  window: 4h\n  half_life: 100000d")
    space = space_of(parse_search(text, Path(), check_files=False), USERS)
    assert space.setting([0.0, 0.0, 0.0, 0.0]).policy.decay == 0.9999


def test_settings_that_come_to_the_same_have_one_identity() -> None:
    text = TEXT.replace("    A: {from: 1, to: 100, scale: log}", "    A: [2, 4]\n    others: [3, 6]")
    space = space_of(parse_search(text, Path(), check_files=False), USERS)
    one, other = space.setting([0, 0.5, 0.0, 0.0]), space.setting([0, 0.5, 0.9, 0.9])
    third = space.setting([0, 0.5, 0.0, 0.9])
    assert space.identity(one) == space.identity(other) != space.identity(third)


def test_a_latin_hypercube_has_one_row_in_each_part_of_each_axis() -> None:
    found = sample(50, 4, np.random.default_rng(2))
    for column in found.T:
        assert sorted((column * 50).astype(int).tolist()) == list(range(50))


@given(st.integers(0, 2**32), st.integers(2, 12))
def test_children_stay_within_bounds_and_depend_on_the_seed_alone(seed: int, parents: int) -> None:
    genes = sample(parents, 3, np.random.default_rng(seed))
    values, excess = genes[:, :2] ** 2, np.zeros(parents)
    made = [
        children(genes, values, excess, 20, [True, False, False], np.random.default_rng(seed))
        for _ in range(2)
    ]
    assert ((made[0] >= 0) & (made[0] < 1)).all()
    assert (made[0] == made[1]).all()


def test_users_and_groups_that_are_not_there_are_reported() -> None:
    with refuses(StudyError, "batch.search.trace-has-no-user", unknown="", unknown_2="'2'"):
        space_of(_SPEC, ("1", "3"))
    text = TEXT.replace("  others: rest\n", "")
    with refuses(StudyError, "batch.search.users-of-trace-are-in", rest="3", rest_2="3"):
        space_of(parse_search(text, Path(), check_files=False), USERS)


def test_weights_of_slurms_priority_and_its_half_life_are_set() -> None:
    parts = "multifactor: {age: {from: 0, to: 4000}, fairshare: [1000, 10000], max_age: 7d}"
    more = f"  policy: [slurm-multifactor, relshare]\n  half_life: 3d\n  {parts}\n  expected"
    text = TEXT.replace("  expected", more)
    space = space_of(parse_search(text, Path(), check_files=False), USERS)
    names = [axis.name for axis in space.axes]
    genes = dict.fromkeys(names, 0.99)
    slurm = space.setting([*({**genes, "policy": 0.0}).values()])
    found = slurm.policy.multifactor
    assert (found.age, found.fairshare, found.max_age_s) == (3960, 10_000, 7 * DAY_S)
    assert found.half_life_s == 3 * DAY_S
    assert slurm.shares
    assert is_meant("multifactor.age", slurm)
    assert is_meant("half_life", slurm)
    fair = space.setting([*genes.values()])
    assert fair.policy == replace(fair.policy, multifactor=Multifactor())
    assert not is_meant("multifactor.age", fair)
    assert is_meant("half_life", fair)
