"""How associations stand: sshare's rows in those of the tree, what follows from them, and what lags."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.association_status import standing_of, stored_of
from fsconsole.slurm.cluster_tree import ClusterTree, Key, Numbering
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig, read_scontrol_config
from fsconsole.slurm.parsers.sshare import Sshare, read_sshare
from tests.slurm.captured import ASSOC_COLUMNS, captured
from tests.texts import says, span, wording

CONFIG = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
RUNNING = read_sshare(captured("running.psv"))
STORED = read_assoc(captured("plain/assoc-ids.psv"), columns=ASSOC_COLUMNS)


def _tree() -> ClusterTree:
    return Numbering().tree(STORED)


def _node(tree: ClusterTree, key: Key) -> int:
    return next(node for node, its in tree.keys.items() if its == key)


def _with_shares(sshare: Sshare, row: int, shares: int) -> Sshare:
    changed = sshare.tree.shares.copy()
    changed[row] = shares
    return replace(sshare, tree=replace(sshare.tree, shares=changed))


def test_users_follow_from_the_printed_rows_while_jobs_run() -> None:
    tree = _tree()
    standing = standing_of(tree, RUNNING, CONFIG)
    assert np.allclose(standing.computed.norm_shares, standing.printed.norm_shares, atol=1e-6)
    assert np.allclose(standing.computed.effective_usage[1:], standing.printed.effective_usage[1:], atol=1e-6)
    assert np.allclose(standing.computed.fairshare, standing.printed.fairshare, atol=1e-5)
    assert np.array_equal(standing.raw_usage, RUNNING.raw_usage)


def test_what_lags_while_jobs_run_is_usage_alone() -> None:
    tree = _tree()
    standing = standing_of(tree, RUNNING, CONFIG)
    raw = standing.raw_usage / standing.raw_usage[0]
    apart = {tree.nodes[row] for row in np.flatnonzero(np.abs(raw - standing.norm_usage) > 0.006)}
    assert apart
    assert apart <= standing.lagging.keys()
    for text in standing.lagging.values():
        assert says(text, "slurm.normusage-is-printed-as-but")
        assert text.endswith(f"{span(min=1)}).")


def test_nothing_lags_once_nothing_runs() -> None:
    sshare = read_sshare(captured("drained.psv"))
    tree = Numbering().tree(stored_of(sshare, "lab"))
    standing = standing_of(tree, sshare, CONFIG)
    assert standing.lagging == {}
    assert np.allclose(standing.computed.fairshare, standing.printed.fairshare, atol=1e-5)


def test_fair_tree_ranks_agree() -> None:
    sshare = read_sshare(captured("fairtree.psv"))
    assert sshare.is_fair_tree
    tree = Numbering().tree(stored_of(sshare, "lab"))
    standing = standing_of(tree, sshare, replace(CONFIG, flags=frozenset()))
    users = sshare.tree.is_user
    assert np.array_equal(np.round(standing.computed.fairshare[users], 6), standing.printed.fairshare[users])
    assert not [text for text in standing.lagging.values() if "NormUsage" not in text]


def test_an_edit_of_which_slurmctld_has_not_heard() -> None:
    tree = _tree()
    hep = _node(tree, ("hep", "", ""))
    row = tree.nodes.index(hep)
    standing = standing_of(tree, _with_shares(RUNNING, row, 5), CONFIG)
    assert standing.lagging[hep] == (
        wording("slurm.sshare-shows-but-are-stored", shown="5 shares", stored="3 shares")
    )
    older = standing_of(tree, _with_shares(RUNNING, row, PARENT_SHARES), CONFIG, is_older=True)
    assert older.lagging[hep] == (
        wording("slurm.it-had-when-sshare-was", shown=wording("slurm.share-parent"), stored="3 shares")
    )


def test_shares_of_others_change_what_a_row_is_due() -> None:
    stored = STORED.tree.shares.copy()
    tree = _tree()
    hep, anna = _node(tree, ("hep", "", "")), _node(tree, ("hep", "fs_anna", ""))
    stored[tree.nodes.index(hep)] = 30
    changed = Numbering().tree(replace(STORED, tree=replace(STORED.tree, shares=stored)))
    standing = standing_of(changed, RUNNING, CONFIG)
    shown = {"shown": "3 shares", "stored": "30 shares"}
    assert says(standing.lagging[hep], "slurm.sshare-shows-but-are-stored", **shown)
    assert says(standing.lagging[anna], "slurm.normshares-is-printed-as-but", printed="0.154321")


def test_an_association_that_slurmctld_does_not_know() -> None:
    tree = _tree()
    lines = captured("running.psv").splitlines()
    gone = next(place for place, line in enumerate(lines) if "|fs_cora|" in line)
    standing = standing_of(tree, read_sshare("\n".join(lines[:gone] + lines[gone + 1 :])), CONFIG)
    cora = _node(tree, ("hep", "fs_cora", ""))
    row = tree.nodes.index(cora)
    assert standing.lagging[cora].startswith(wording("slurm.slurmctld-does-not-have-it"))
    assert np.isnan(standing.raw_usage[row])
    assert np.isnan(standing.printed.fairshare[row])
    assert np.isfinite(standing.computed.fairshare[row])


@pytest.mark.parametrize(
    "settings", [None, replace(CONFIG, flags=frozenset(("DEPTH_OBLIVIOUS",)))], ids=["unknown", "oblivious"]
)
def test_what_nobody_knows_how_to_reckon_is_not_reckoned(settings: SlurmConfig | None) -> None:
    standing = standing_of(_tree(), RUNNING, settings)
    assert np.isnan(standing.computed.fairshare).all()
    assert all(text.startswith("NormUsage") for text in standing.lagging.values())


def test_rows_are_found_in_any_order() -> None:
    turned = captured("plain/assoc-ids.psv").splitlines()[::-1]
    tree = Numbering().tree(read_assoc("\n".join(turned), columns=ASSOC_COLUMNS))
    standing = standing_of(tree, RUNNING, CONFIG)
    place = {key: row for row, key in enumerate(zip(RUNNING.tree.account, RUNNING.tree.user, strict=True))}
    for row, node in enumerate(tree.nodes):
        account, user, _ = tree.keys[node]
        assert standing.raw_usage[row] == RUNNING.raw_usage[place[account, user]]


def test_partitions_tell_rows_apart() -> None:
    text = (
        "Account|User|Partition|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare\n"
        "root||||1.000000|30||1.000000|0.500000\n"
        " hep|||1|1.000000|30|1.000000|1.000000|0.500000\n"
        "  hep|ann|batch|1|0.333333|10|0.333333|0.555556|0.314980\n"
        "  hep|ann||2|0.666667|20|0.666667|0.888889|0.396850\n"
    )
    sshare = read_sshare(text)
    assert sshare.partition == ("", "", "batch", "")
    tree = Numbering().tree(stored_of(sshare, "lab"), is_complete=False)
    assert not tree.is_complete
    assert set(tree.keys.values()) >= {("hep", "ann", "batch"), ("hep", "ann", "")}
    standing = standing_of(tree, sshare, CONFIG)
    row = tree.nodes.index(_node(tree, ("hep", "ann", "batch")))
    assert standing.raw_usage[row] == 10


def test_a_row_that_was_left_out_is_unknown_and_not_one_that_slurmctld_lacks() -> None:
    lines = captured("running.psv").splitlines()
    (at,) = [place for place, line in enumerate(lines) if line.startswith("   hep|fs_ben|")]
    torn = "".join(f"{line[:20] if place == at else line}\n" for place, line in enumerate(lines))
    tree = _tree()
    standing = standing_of(tree, read_sshare(torn), CONFIG)
    ben = _node(tree, ("hep", "fs_ben", ""))
    assert standing.lagging[ben] == wording("slurm.rows-of-sshare-were-left")
    row = tree.nodes.index(ben)
    assert np.isnan(standing.counted(standing.raw_usage)[row])
    assert np.isnan(standing.computed.norm_shares).all()
    assert standing.as_sshare(STORED, is_fair_tree=False).problems == standing.problems != ()
