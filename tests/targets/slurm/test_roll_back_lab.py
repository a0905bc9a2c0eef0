"""Roll back on a real Slurm: each kind of change, from the words of the log alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import pytest

from fsconsole.app.cluster.records import history_of
from fsconsole.app.cluster.roll_back import Present, WayBack, users_of, way_back
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.shares.tree import Kind, ShareTree
from fsconsole.slurm.change_set import Change, ChangeSet, Verb, change_set
from fsconsole.slurm.cluster_tree import ClusterTree, Numbering
from fsconsole.slurm.limits import limit_or_fault, with_limit
from fsconsole.slurm.rollback import add_coordinator, set_default
from fsconsole.targets.slurm import apply_rows
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.change_set_applier import ApplyCallbacks, apply
from fsconsole.targets.slurm.readback import read_defaults
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.reports import ApplyReport
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.insisting import insisting
from tests.slurm.lab.lab import Lab

_ASSOC = "account,user,partition,share,parentname,grpjobs,grptres,maxjobs,maxwall,qos,defaultqos"
_SHOWN = (
    ("assoc", "WOPLimits", "WithRawQOSLevel", f"format={_ASSOC}"),
    ("account", "withcoord", "format=account,description,organization,coordinators"),
    ("user", "withcoord", "format=user,defaultaccount,adminlevel,coordinators"),
    ("qos", "format=name,maxjobspu,priority"),
)


class Cluster:
    """The lab, and an audit log of what is applied to it."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.tools, self.name = lab, Tools(lab.place, lab.environment), lab.options.cluster
        self.rows: list[AuditRow] = []
        self._numbering = Numbering()

    def do(self, *words: str) -> None:
        self.lab.run("sacctmgr", "-i", *words)

    def stored(self) -> list[str]:
        """All that sacctmgr shows, line by line, without accounts that are in no cluster: they stay."""
        assoc, accounts, *rest = (
            self.lab.run("sacctmgr", "-nP", "show", *words).stdout.splitlines() for words in _SHOWN
        )
        there = {line.partition("|")[0] for line in assoc}
        return [*assoc, *(line for line in accounts if line.partition("|")[0] in there), *chain(*rest)]

    def tree(self) -> ClusterTree:
        reader = Reader(self.tools, cluster=self.name)
        stored, qos = reader.read(PartName.TREE).value, reader.read(PartName.QOS).value
        return self._numbering.tree(stored, qos=qos)

    def apply(self, changes: ChangeSet, undoes: str = "", *, is_whole: bool = False) -> ApplyReport:
        author = Author("hale", undoes=undoes)
        changes = insisting(self.tools.run, self.name, changes)
        self.rows.append(apply_rows.begun(changes, self.name, author))

        def begin(change: Change) -> str:
            self.rows.append(apply_rows.sent(change, author))
            return ""

        def record(report: object) -> None:
            self.rows.append(apply_rows.audited(report, author))  # type: ignore[arg-type]

        callbacks = ApplyCallbacks(record=record, begin=begin)
        report = apply(self.tools.run, self.name, changes, callbacks, is_whole=is_whole)
        self.rows.append(apply_rows.ended(report, self.name, author))
        return report

    def way(self) -> WayBack:
        history = history_of([replace(row) for row in self.rows])
        record = [one for one in history.records if one.is_apply][-1]
        defaults = read_defaults(self.tools.run, self.name, users_of(self.rows), limit_s=60)
        return way_back(history, record, Present(self.name, self.tree(), defaults=defaults))


@pytest.fixture(scope="module")
def furnished(slurm_lab: Lab) -> Lab:
    """Limits, QOS lists, coordinators and an operator, so that there is something to lose."""
    cluster = Cluster(slurm_lab)
    for name in ("high", "low"):
        cluster.do("add", "qos", name)
    teaching = ("where", "name=teaching", "set")
    cluster.do(
        "modify",
        "account",
        *teaching,
        "GrpJobs=8",
        "GrpTRES=cpu=4",
        "MaxWall=90",
        "qos+=high",
        "defaultqos=high",
    )
    daemon = ("where", "name=daemon", "account=teaching", "set")
    cluster.do("modify", "user", *daemon, "qos=normal,low", "MaxJobs=3", "defaultqos=low")
    cluster.do("modify", "account", "where", "name=medicine", "set", "qos-=low")
    cluster.do("add", "coordinator", "account=medicine", "names=bin,games")
    cluster.do("add", "coordinator", "account=teaching", "names=daemon")
    cluster.do("modify", "user", "where", "name=daemon", "set", "adminlevel=Operator")
    return slurm_lab


@pytest.fixture
def cluster(furnished: Lab) -> Cluster:
    return Cluster(furnished)


def _id(tree: ShareTree, path: str) -> int:
    return tree.find(f"root/{path}").id


def _limit(tree: ShareTree, path: str, name: str, value: str) -> None:
    node = tree.writable(_id(tree, path))
    node.foreign = with_limit(node.foreign, limit_or_fault(name), value)


def _limit_of_qos(tree: ShareTree) -> None:
    root = tree.writable(0)
    root.foreign = with_limit(root.foreign, limit_or_fault("MaxJobsPU", of_qos=True), "7", "high")


def _new_place(tree: ShareTree) -> None:
    chem = tree.add(0, "chem", 12, kind=Kind.GROUP)
    tree.add(chem.id, "nobody", 3)


def _new_place_with_limits(tree: ShareTree) -> None:
    _new_place(tree)
    for name, value in (("GrpJobs", "5"), ("GrpTRES", "cpu=3"), ("MaxWallDurationPerJob", "60")):
        _limit(tree, "chem", name, value)
    _limit(tree, "chem/nobody", "MaxJobs", "2")
    Move(_id(tree, "medicine/imaging"), _id(tree, "chem"), 0).apply(tree)
    Move(_id(tree, "science/uucp"), _id(tree, "chem"), 0).apply(tree)


_EDITS: dict[str, Callable[[ShareTree], object]] = {
    "shares": lambda tree: SetShares(((_id(tree, "teaching"), 17), (_id(tree, "medicine"), 9))).apply(tree),
    "limit": lambda tree: _limit(tree, "teaching", "GrpJobs", "5"),
    "limit of a QOS": _limit_of_qos,
    "added account and user": _new_place,
    "added with limits, and moved there": _new_place_with_limits,
    "moved account": lambda tree: Move(_id(tree, "medicine/imaging"), _id(tree, "science"), 0).apply(tree),
    "moved user": lambda tree: Move(_id(tree, "science/uucp"), _id(tree, "medicine"), 0).apply(tree),
    "removed user": lambda tree: Remove(_id(tree, "teaching/bin")).apply(tree),
    "removed from the default account": lambda tree: Remove(_id(tree, "science/ocean/games")).apply(tree),
    "removed account": lambda tree: Remove(_id(tree, "teaching")).apply(tree),
}  # fmt: skip


def _failed(report: ApplyReport) -> set[tuple[str, str]]:
    return {(row.change.on, row.text) for row in report.rows if row.result is not Result.DONE}


@pytest.mark.parametrize("kind", _EDITS)
def test_each_edit_goes_back_to_all_that_was(cluster: Cluster, kind: str) -> None:
    before, tree = cluster.stored(), cluster.tree()
    wanted = tree.shares.copy()
    _EDITS[kind](wanted)
    report = cluster.apply(change_set(tree, wanted), is_whole=True)
    if kind == "removed from the default account" and (refused := _failed(report)):
        # Slurm 24.11 does not remove a user from the default account.
        assert all("default account" in text for _on, text in refused)
        assert cluster.stored() == before
        return
    assert _failed(report) == set()
    assert cluster.stored() != before
    way = cluster.way()
    assert way.left == ()
    assert way.count == len(report.rows)
    back = cluster.apply(way.changes, way.record.id, is_whole=True)
    assert _failed(back) == set()
    assert cluster.stored() == before


def test_a_default_account_goes_back_while_it_is_ours(cluster: Cluster) -> None:
    before, tree = cluster.stored(), cluster.tree()
    node = _id(tree.shares, "science/ocean/games")
    report = cluster.apply(ChangeSet((set_default(cluster.name, node, "games", "ocean", "climate"),)))
    assert [row.result for row in report.rows] == [Result.DONE]
    of_games = ("modify", "user", "where", "name=games", f"cluster={cluster.name}", "set")
    cluster.do(*of_games, "defaultaccount=ocean")
    assert not cluster.way().is_possible
    assert "ocean" in cluster.way().why_not
    cluster.do(*of_games, "defaultaccount=climate")
    way = cluster.way()
    back = cluster.apply(way.changes, way.record.id)
    assert [row.result for row in back.rows] == [Result.DONE]
    assert cluster.stored() == before


def test_each_kind_of_change_is_made_here() -> None:
    """What Apply can send: a new kind needs an edit above, or a reason."""
    assert set(Verb) == {
        Verb.SET, Verb.LIMIT, Verb.ADD, Verb.MOVE, Verb.REMOVE, Verb.DEFAULT, Verb.COORDINATE,
    }  # fmt: skip
    assert add_coordinator(0, "medicine", "bin").verb is Verb.COORDINATE  # By `removed user`.
