"""sshare asked for in parts says what it says when it is asked at once."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.slurm.parsers.assoc import COLUMNS, StoredAssociations, read_assoc
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Tools
from fsconsole.targets.slurm.usage_in_parts import MANY, has_all, joined, parts_of
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.fake.large import large_cluster
from tests.slurm.fake.large_tools import printed_of, with_partitions
from tests.texts import refuses

LARGE = large_cluster(users=5000, accounts=60, groups=5)
STORED = read_assoc(LARGE.assoc(), columns=COLUMNS)
ALL = with_partitions(LARGE.sshare().splitlines())


def _printed(accounts: tuple[str, ...]) -> str:
    return "\n".join((*printed_of(ALL, accounts), ""))


def test_parts_hold_every_account_once() -> None:
    parts = list(parts_of(STORED.tree.account))
    accounts = [account for part in parts for account in part]
    assert len(parts) > 1
    assert sorted(accounts) == sorted(set(STORED.tree.account))


def test_parts_make_the_whole() -> None:
    parts = list(parts_of(STORED.tree.account))
    text = joined([_printed(part) for part in parts], STORED)
    assert text.splitlines() == ALL
    sshare = read_sshare(text)
    assert np.array_equal(sshare.tree.parent, STORED.tree.parent)


def test_what_was_not_printed_is_left_out() -> None:
    lines = _printed(tuple(STORED.tree.account)).splitlines()
    lost = lines.pop(20)
    found = joined(["\n".join(lines)], STORED).splitlines()
    expected = [f"  {lost}"]
    assert [line for line in ALL if line not in found] == expected


def test_other_columns_are_refused() -> None:
    with refuses(ValueError, "targets.slurm.columns-are-but-first-must", key="Account|User|Partition"):
        joined(["Account|User|RawShares\n"], STORED)


@pytest.mark.parametrize("takes_a", [True, False], ids=["by account", "all at once"])
def test_a_large_cluster_is_asked_in_parts(fake_slurm: FakeSlurm, takes_a: bool) -> None:
    assert len(STORED.tree) > MANY
    fake_slurm.answer("sshare", stdout="\n".join(ALL) + "\n")
    for part in parts_of(STORED.tree.account) if takes_a else ():
        fake_slurm.answer("sshare", "-A", ",".join(part), stdout=_printed(part))
    reader = Reader(Tools(Location()), stored=STORED)
    sshare = reader.read(PartName.USAGE).value
    assert np.array_equal(sshare.tree.shares, LARGE.tree.shares)
    assert len(fake_slurm.calls) == (len(list(parts_of(STORED.tree.account))) if takes_a else 1)
    assert all("-A" in call.argv for call in fake_slurm.calls)


def test_a_whole_table_is_known_by_accounts_that_nobody_asked_for() -> None:
    stored: StoredAssociations = STORED
    part = next(parts_of(stored.tree.account))
    assert has_all("\n".join(ALL), part)
    assert not has_all(_printed(part), part)
