"""Limits of associations and QOS: their values, and the change sets that lead from one to another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.edits import SetField
from fsconsole.shares.tree import ShareTree, twin
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import ChangeSet, change_set
from fsconsole.slurm.cluster_tree import ClusterTree, share_tree
from fsconsole.slurm.desired_state import wanted_by
from fsconsole.slurm.own_limits import in_force, with_own
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.slurm.rollback import rollback_of
from fsconsole.text.words import listed
from tests.slurm.clusters import add_group, small_cluster
from tests.texts import refuses, refuses_naming, says, wording

_QOS = "Name|Priority|Flags|UsageFactor|GrpTRES|MaxWall\nnormal|0||1.0||\nhigh|10||2.0|cpu=16|02:00:00\n"
_TREE = """\
science 50
  ocean 3
    games* 10
medicine 30
"""
_OWN = {
    ("science", "", ""): {"MaxJobs": "10", "MaxTRESPerJob": "cpu=20,mem=4G"},
    ("ocean", "", ""): {"GrpTRES": "cpu=5,mem=2G", "MaxTRESPerJob": "cpu=8,node=2"},
}
_TRES = frozenset(("cpu", "mem", "node"))


def _cluster() -> ClusterTree:
    plain = small_cluster(_TREE)
    stored, qos = with_own(plain.stored, _OWN, ()), read_qos(_QOS).items
    return replace(plain, stored=stored, shares=share_tree(stored, qos=qos), qos=qos)


def _staged(**values: str) -> ChangeSet:
    """What it takes to have limits of ocean, or with a dot in the name, of a QOS."""
    cluster = _cluster()
    wanted = cluster.shares.copy()
    for name, value in values.items():
        qos, _, word = name.rpartition("_of_")
        limit = limits.limit_or_fault(word or name, of_qos=bool(qos))
        node = wanted.root if qos else wanted.find("root/science/ocean")
        SetField(node.id, "foreign", limits.with_limit(node.foreign, limit, value, qos)).apply(wanted)
    return change_set(cluster, wanted, _TRES)


def _sets(changes: ChangeSet) -> list[str]:
    return [" ".join(one.command[one.command.index("set") + 1 :]) for one in changes.changes]


# What sacctmgr of Slurm 22.05.8 was seen to make another value of, or not to take.
@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("MaxJobs", text) for text in ("2.5", "-5", "10k", "5000000000", "4294967290", "abc", "1,2")),
        *(("MaxWall", text) for text in ("1:30", "0:0:30", "1.5", "-5", "abc", "3-1:02:03")),
        *(("GrpTRES", text) for text in ("cpu=2.5", "cpu=-7", "mem=1.5g", "foo=3", "cpu", "cpu=1k", "-2")),
        *(("GrpTRES", text) for text in ("cpu=4,cpu=6", "1=11", "mem=1025K", "cpu=4,")),
    ],
)
def test_what_slurm_would_alter_is_refused(name: str, text: str) -> None:
    keys = {
        "MaxJobs": ["is-not-whole-number-from"],
        "MaxWall": ["is-not-minutes-or-days", "slurm-stores-whole-minutes-and"],
        "GrpTRES": [
            "is-not-list-of-amounts",
            "must-be-of-0-or",
            "slurm-stores-in-whole-mb",
            "this-cluster-has-no-tres",
            "is-given-twice-remove-one",
        ],
    }
    with refuses_naming(ValueError) as found:
        limits.typed(limits.limit_or_fault(name), text, _TRES)
    assert any(says(str(found.value), f"slurm.{key}") for key in keys[name])


@pytest.mark.parametrize("name", ["MaxJobs", "MaxWall", "GrpTRES"])
def test_a_long_value_does_not_hide_the_rest_of_its_message(name: str) -> None:
    keys = ("is-not-whole-number-from", "is-not-minutes-or-days", "is-not-list-of-amounts")
    with refuses_naming(ValueError) as found:
        limits.typed(limits.limit_or_fault(name), "x" * 100_000, _TRES)
    assert any(says(str(found.value), f"slurm.{key}") for key in keys)
    assert len(str(found.value)) < 300


@pytest.mark.parametrize(
    ("text", "key"),
    [
        *((text, "is-not-number-of-0") for text in ("-2", "nan", "inf", "abc")),
        ("0.1234567", "slurm-keeps-digits-and-would"),
    ],
)
def test_factors_that_slurm_would_alter_are_refused(text: str, key: str) -> None:
    with refuses(ValueError, f"slurm.{key}"):
        limits.typed(limits.limit_or_fault("usagefactor", of_qos=True), text)


@pytest.mark.parametrize(
    ("name", "text", "kept", "shown"),
    [
        ("maxjobs", "008", "8", "8"),
        ("MaxWall", "90", "90", "01:30:00"),
        ("MaxWallDurationPerJob", "1-0", "1440", "1-00:00:00"),
        ("maxwall", "1-12:30", "2190", "1-12:30:00"),
        ("MaxWall", "UNLIMITED", "", ""),
        ("GrpTRES", "mem=2048,CPU=4", "cpu=4,mem=2G", "cpu=4,mem=2G"),
        ("GrpTRES", "mem=2050M", "mem=2050M", "mem=2050M"),
        ("GrpTRES", "mem=1048576K", "mem=1G", "mem=1G"),
        ("GrpTRES", "cpu=0", "cpu=0", "cpu=0"),
        ("MaxTRES", "-1", "", ""),
    ],
)
def test_values_are_kept_as_slurm_prints_them(name: str, text: str, kept: str, shown: str) -> None:
    limit = limits.limit_or_fault(name)
    assert limits.typed(limit, text, _TRES) == kept
    assert limits.shown(limit, kept) == shown
    assert limits.typed(limit, shown, _TRES) == kept


@given(st.integers(0, limits.MOST // 60))
def test_every_wall_is_read_as_it_is_shown(minutes: int) -> None:
    limit = limits.limit_or_fault("MaxWall")
    assert limits.typed(limit, limits.shown(limit, str(minutes))) == str(minutes)


def test_tres_that_are_no_longer_named_are_cleared() -> None:
    assert _sets(_staged(GrpTRES="cpu=6")) == ["GrpTRES=cpu=6,mem=-1"]
    assert _sets(_staged(GrpTRES="")) == ["GrpTRES=cpu=-1,mem=-1"]
    assert _sets(_staged(GrpTRES="cpu=5,mem=2048")) == []


def test_limits_of_a_qos_are_set_and_cleared() -> None:
    found = _staged(high_of_UsageFactor="0.5", high_of_GrpTRES="", high_of_Priority="")
    assert _sets(found) == ["Priority=0", "UsageFactor=0.5", "GrpTRES=cpu=-1"]
    assert {one.command[:5] for one in found.changes} == {
        ("sacctmgr", "-i", "modify", "qos", "where"),
    }
    assert {one.on for one in found.changes} == {"QOS high"}
    assert (found.changes[1].before, found.changes[1].after) == ("UsageFactor 2", "UsageFactor 0.5")
    assert says(found.changes[0].notes[0], "slurm.qos-is-same-on-all")


def test_an_unknown_qos_is_refused() -> None:
    (refusal,) = _staged(hihg_of_UsageFactor="2").refusals
    assert (refusal.on, refusal.why) == (
        "QOS hihg",
        wording(
            "slurm.qos-not-found", name="hihg", name_2=wording("shares.scenario.did-you-mean-2", meant="high")
        ),
    )


def test_one_bad_value_is_refused_in_a_sentence() -> None:
    (refusal,) = _staged(GrpTRES="gres/gpu=2").refusals
    known = {"name": "'gres/gpu'", "known": listed(["cpu", "mem", "node"])}
    assert refusal.why == "GrpTRES: " + wording("slurm.this-cluster-has-no-tres", **known)


def test_what_comes_down_is_told_from_what_is_its_own() -> None:
    cluster = _cluster()
    row = {key[0] + key[1]: row for row, key in enumerate(cluster.keys.values())}
    tres, jobs, group = (limits.limit_or_fault(name) for name in ("MaxTRES", "MaxJobs", "GrpTRES"))
    assert in_force(cluster.stored, row["ocean"], tres) == ("cpu=8,mem=4G,node=2", "science")
    assert in_force(cluster.stored, row["oceangames"], tres) == ("cpu=8,mem=4G,node=2", "ocean")
    assert in_force(cluster.stored, row["oceangames"], jobs) == ("10", "science")
    assert in_force(cluster.stored, row["science"], jobs) == ("10", "")
    assert in_force(cluster.stored, row["oceangames"], group) == ("", "")


def test_a_file_sets_what_it_names_and_leaves_the_rest() -> None:
    cluster = _cluster()
    nodes = [twin(node) for node in cluster.shares.walk()]
    for node in nodes:
        node.foreign = {}
    tree = ShareTree.from_nodes(nodes, len(nodes))
    tree.find("root/science/ocean").foreign = {"MaxWallDurationPerJob": "1440", "GrpTRES": "-1"}
    assert _sets(change_set(cluster, wanted_by(cluster, tree))) == [
        "MaxWallDurationPerJob=1440",
        "GrpTRES=cpu=-1,mem=-1",
    ]


def test_a_new_account_gets_the_limits_that_are_said_of_it() -> None:
    cluster = _cluster()
    wanted = cluster.shares.copy()
    node = add_group(wanted, wanted.find("root/medicine").id, "chem")
    node.foreign = {"MaxJobs": "5"}
    found = change_set(cluster, wanted)
    assert [one.verb for one in found.changes] == ["Add", "Set limit"]
    assert found.changes[1].node == node.id
    assert _sets(ChangeSet(found.changes[1:])) == ["MaxJobs=5"]


def test_limits_go_back_to_what_they_were() -> None:
    applied = _staged(GrpTRES="cpu=6", MaxJobs="3").changes
    back = rollback_of("lab", [(one, one.will) for one in applied], {}, {})
    assert _sets(back) == ["GrpTRES=cpu=5,mem=2G", "MaxJobs=-1"]
