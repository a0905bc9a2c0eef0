"""Limits on a real cluster: set, cleared, read back, refused where others changed them, and the way back."""

from __future__ import annotations

import json
import random

import pytest

from fsconsole.cli.main import run
from fsconsole.recording.audit import Result
from fsconsole.shares.edits import SetField
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import ChangeSet, change_set
from fsconsole.slurm.cluster_tree import ClusterTree, Numbering
from fsconsole.slurm.own_limits import in_force
from fsconsole.targets.slurm.change_set_applier import apply
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.lab.lab import Lab
from tests.texts import says

Out = pytest.CaptureFixture[str]


def _tools(lab: Lab) -> Tools:
    return Tools(lab.place, lab.environment)


def _tree(lab: Lab) -> ClusterTree:
    reader = Reader(_tools(lab), cluster=lab.options.cluster)
    stored = reader.read(PartName.TREE).value
    return Numbering().tree(stored, qos=reader.read(PartName.QOS).value)


def _wanted(tree: ClusterTree, path: str, qos: str = "", **values: str) -> ChangeSet:
    wanted = tree.shares.copy()
    for name, value in values.items():
        node = wanted.find(path)
        limit = limits.limit_or_fault(name, of_qos=bool(qos))
        SetField(node.id, "foreign", limits.with_limit(node.foreign, limit, value, qos)).apply(wanted)
    return change_set(tree, wanted)


def _own(lab: Lab, account: str, column: str, user: str = "") -> str:
    asked = ("sacctmgr", "-nP", "show", "assoc", "WOPLimits", "where", f"account={account}", f"user={user}")
    return lab.run(*asked, f"format={column}").stdout.splitlines()[0]


def _set(lab: Lab, account: str, *words: str) -> None:
    lab.run("sacctmgr", "-i", "modify", "account", "where", f"name={account}", "set", *words)


_SOME = ("MaxJobs", "MaxWall", "GrpTRES", "MaxTRESMins", "Priority")  # each takes sacctmgr 0.3 s, both ways
_SOME_OF_QOS = ("Priority", "UsageFactor", "MaxTRESPerUser", "MaxJobsPU", "GrpWall")


def test_limits_of_each_kind_are_set_and_cleared(slurm_lab: Lab) -> None:
    values = {limits.Kind.COUNT: "7", limits.Kind.WALL: "90", limits.Kind.TRES: "cpu=4,mem=2G"}
    for qos, names in (("", _SOME), ("normal", _SOME_OF_QOS)):
        path = "root" if qos else "root/science/ocean"
        known = [limits.limit_or_fault(name, of_qos=bool(qos)) for name in names]
        words = {one.name: values.get(one.kind, "0.5") for one in known}
        before = _tree(slurm_lab)
        report = apply(_tools(slurm_lab).run, before.stored.cluster, _wanted(before, path, qos, **words))
        assert {row.result for row in report.rows} == {Result.DONE}, report.rows
        assert len(report.rows) == len(known)
        back = apply(_tools(slurm_lab).run, before.stored.cluster, report.rollback)
        assert {row.result for row in back.rows} == {Result.DONE}, back.rows
        after = _tree(slurm_lab)
        assert after.shares.root.foreign == before.shares.root.foreign
        assert after.stored.own == before.stored.own


def test_what_comes_down_is_what_slurm_has_in_force(slurm_lab: Lab) -> None:
    chance = random.Random(7)
    texts = ("cpu=8,node=2", "cpu=20,mem=4G", "mem=1G")
    for account in ("root", "science", "ocean", "medicine", "imaging"):
        numbers = (chance.randrange(1, 99) for _ in range(3))
        words = [
            f"{name}={value}" for name, value in zip(("MaxJobs", "MaxWall", "Priority"), numbers, strict=True)
        ]
        _set(slurm_lab, account, *chance.sample(words, 2), f"MaxTRESPerJob={chance.choice(texts)}")
    _set(slurm_lab, "ocean", "GrpTRES=cpu=30", "MaxTRESPerNode=cpu=2")
    try:
        stored = _tree(slurm_lab).stored
        asked = ("sacctmgr", "-nP", "show", "assoc", f"cluster={stored.cluster}")
        for limit in limits.ASSOCIATION:
            result = slurm_lab.run(*asked, f"format=account,user,{limit.column}").stdout.splitlines()
            shown = {tuple(line.split("|")[:2]): line.split("|")[2] for line in result}
            for row, whose in enumerate(zip(stored.tree.account, stored.tree.user, strict=True)):
                kept = limits.printed(limit, shown[whose])
                assert in_force(stored, row, limit)[0] == kept, (limit.name, whose)
    finally:
        tree = _tree(slurm_lab)
        for node, key in tree.keys.items():
            own = limits.of_foreign(tree.shares.node(node).foreign)
            known = [one for one in limits.ASSOCIATION if one.name in own]
            if known and not key[1]:
                _set(slurm_lab, key[0], *(limits.set_word(one, own[one.name], "") for one in known))


def test_what_others_have_changed_since_is_not_overwritten(slurm_lab: Lab) -> None:
    tree = _tree(slurm_lab)
    staged = _wanted(tree, "root/science/ocean", GrpJobs="9", MaxJobs="4")
    _set(slurm_lab, "ocean", "GrpJobs=5")
    try:
        report = apply(_tools(slurm_lab).run, tree.stored.cluster, staged)
        results = {row.change.limit: (row.result, row.text) for row in report.rows}
        assert results["MaxJobs"] == (Result.DONE, "")
        message = "changed since from no GrpJobs to GrpJobs 5, by other users. Check it again"
        assert results["GrpJobs"] == (Result.NOT_SENT, message)
        assert _own(slurm_lab, "ocean", "grpjobs") == "5"
    finally:
        _set(slurm_lab, "ocean", "GrpJobs=-1", "MaxJobs=-1")


@pytest.mark.dear("starts the program for each command")
def test_limits_by_the_command_line(slurm_lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    via = ("--via", slurm_lab.via)
    asked = ("slurm", "limit", "games@ocean")
    assert run([*asked, "MaxJobs=3", "GrpTRES=cpu=4,mem=2g", "--dry-run", *via]) == 0
    assert says(capsys.readouterr().out, "cli.no-command-was-run-2")
    assert _own(slurm_lab, "ocean", "maxjobs", "games") == ""
    assert run([*asked, "MaxJobs=3", "GrpTRES=cpu=4,mem=2g", "--yes", *via]) == 0
    assert _own(slurm_lab, "ocean", "maxjobs,grptres", "games") == "3|cpu=4,mem=2G"
    capsys.readouterr()
    assert (
        run(["slurm", "limit", "games@ocean", "MaxJobs=-1", "GrpTRES=mem=-1", "--yes", "--json", *via]) == 0
    )
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["result"], row["after"]) for row in rows] == [
        ("done", "no MaxJobs"),
        ("done", "GrpTRES cpu=4"),
    ]
    assert run([*asked, "GrpTRES=-1", "--yes", *via]) == 0
    assert _own(slurm_lab, "ocean", "maxjobs,grptres", "games") == "|"
    assert run(["slurm", "limit", "qos:normal", "UsageFactor=-2", *via]) == 2
    assert run(["slurm", "limit", "qos:nosuch", "UsageFactor=2", *via]) == 2
    assert says(capsys.readouterr().err, "slurm.qos-not-found", name="nosuch", name_2="")
