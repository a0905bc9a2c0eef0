"""The way back from records of the audit log, by a cluster in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsconsole.app.cluster.records import history_of, identities
from fsconsole.app.cluster.roll_back import Present, WayBack, Ways, way_back
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.shares.tree import Kind, ShareTree, TreeError
from fsconsole.slurm.change_set import ChangeSet, Entry, Verb, change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.job_change import JobVerb
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limits import limit_or_fault, with_limit
from fsconsole.slurm.node_change import NodeVerb
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.rollback import tree_after
from fsconsole.targets.slurm import apply_rows
from fsconsole.targets.slurm.audit_keeper import row_of
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.reports import ApplyReport
from tests.app.audited_log import Log
from tests.laws import tries
from tests.slurm.clusters import cluster_of, small_cluster, stored_of
from tests.texts import naming, says

AT = 1_795_000_000


def _set(log: Log, path: str, shares: int, who: str = "hale") -> ApplyReport:
    tree = log.tree
    wanted = tree.shares.copy()
    SetShares(((wanted.find(f"root/{path}").id, shares),)).apply(wanted)
    return log.apply(change_set(tree, wanted), who)


@pytest.fixture
def log() -> Log:
    return Log(small_cluster())


def test_shares_go_back_in_a_later_session(log: Log) -> None:
    _set(log, "bio", 31)
    way = log.way()
    assert (way.count, way.left, way.is_possible) == (1, (), True)
    (back,) = way.changes.changes
    assert (back.before, back.after) == ("31 shares", "30 shares")
    log.roll_back()
    assert log.database.entries["bio", "", ""].shares == 30


def test_a_value_of_somebody_else_stays(log: Log) -> None:
    _set(log, "bio", 31)
    log.database.entries["bio", "", ""] = Entry("root", 50)
    assert not log.way().is_possible
    assert "50" in log.way().why_not
    # Nor is it replaced where somebody sets it between the reading and the command.
    log.database.entries["bio", "", ""] = Entry("root", 31)
    way = log.way()
    log.database.entries["bio", "", ""] = Entry("root", 50)
    report = log.apply(way.changes, undoes=way.record.id)
    assert [row.result for row in report.rows] == [Result.NOT_SENT]
    assert log.database.entries["bio", "", ""].shares == 50


def test_one_of_two_goes_back(log: Log) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    for path, shares in (("bio", 31), ("physics", 41)):
        SetShares(((wanted.find(f"root/{path}").id, shares),)).apply(wanted)
    log.apply(change_set(tree, wanted))
    log.database.entries["physics", "", ""] = Entry("root", 50)
    way = log.way()
    assert [one.on for one in way.changes.changes] == ["bio"]
    assert [step.row.on for step, _ in way.left] == ["physics"]


def test_a_roll_back_is_a_record_and_can_be_rolled_back(log: Log) -> None:
    _set(log, "bio", 31)
    (first,) = log.history.records
    log.roll_back()
    assert not log.way(log.history.record(first.id)).is_possible
    _, back = log.history.records
    assert back.row.undoes == first.id
    log.roll_back()
    assert log.database.entries["bio", "", ""].shares == 31
    # The first one stands again.
    assert log.way(log.history.record(first.id)).is_possible


@pytest.mark.parametrize("bad", [Result.REFUSED, Result.NOT_SENT, Result.UNKNOWN])
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_the_result_of_a_record_counts_what_was_done(log: Log, bad: Result, count: int) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    for path in ("bio", "physics", "physics/hep"):
        SetShares(((wanted.find(f"root/{path}").id, 31),)).apply(wanted)
    log.apply(change_set(tree, wanted))
    results = iter([Result.DONE] * count + [bad] * (3 - count))
    verb = "set shares"
    rows = [replace(row, result=next(results)) if row.action == verb else row for row in log.rows]
    (record,) = history_of(rows).records
    assert record.done == (count, 3)
    assert str(record.result) in record.result_words
    assert record.result_words.startswith(f"{count} of 3 done") is (0 < count < 3)
    # What has no row was not done.
    left = [row for row in rows if not (row.action.endswith(verb) and row.result is bad)]
    assert history_of(left).records[0].done == (count, 3)


def test_a_record_left_to_several_names_what_is_left_to_whom(log: Log) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    for path in ("bio", "physics"):
        SetShares(((wanted.find(f"root/{path}").id, 31),)).apply(wanted)
    log.apply(change_set(tree, wanted))
    first = log.history.records[0]
    log.database.entries["bio", "", ""] = Entry("root", 50)
    log.roll_back(first)
    why = log.way(log.history.record(first.id)).why_not
    assert says(why, naming("physics (", "hale", "), bio (", "50"))
    # One reason for all stands once.
    log.database.entries["bio", "", ""] = Entry("root", 31)
    log.roll_back(log.history.record(first.id))
    assert not says(log.way(log.history.record(first.id)).why_not, naming("bio"))


def test_what_was_set_later_goes_back_first(log: Log) -> None:
    _set(log, "bio", 31)
    _set(log, "bio", 50, "olsen")
    _set(log, "bio", 31, "olsen")
    first, *_, last = log.history.records
    assert not log.way(first).is_possible
    assert "olsen" in log.way(first).why_not
    log.roll_back(last)
    log.roll_back(log.history.records[1])
    assert log.database.entries["bio", "", ""].shares == 31
    log.roll_back(log.history.record(first.id))
    assert log.database.entries["bio", "", ""].shares == 30


def test_a_killed_apply_goes_back_without_its_results(log: Log) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    SetShares(((wanted.find("root/bio").id, 31),)).apply(wanted)
    log.apply(change_set(tree, wanted), ends=False)
    (record,) = log.history.records
    assert record.is_open
    assert record.result is Result.UNKNOWN
    assert log.way().is_possible
    log.roll_back()
    assert log.database.entries["bio", "", ""].shares == 30


def test_an_apply_of_which_nothing_was_sent_is_not_done(log: Log) -> None:
    author = Author("hale")
    rows = [apply_rows.begun(ChangeSet(), "lab", author)]
    rows.append(author.row(apply_rows.END, "lab", "", "", Result.NOT_SENT, ""))
    (record,) = history_of(rows).records
    assert record.is_apply
    assert record.result is Result.NOT_SENT


def test_an_account_that_others_use_is_not_removed(log: Log) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    wanted.add(0, "chem", 7, Kind.GROUP)
    log.apply(change_set(tree, wanted))
    assert log.way().is_possible
    log.database.entries["chem", "zoe", ""] = Entry("chem", 1)
    assert not log.way().is_possible
    assert "zoe" in log.way().why_not


_PARTED = stored_of("a 1\n  u* 2\n  u* 3\n  b 4\n    c 5\n      v* 6\n    d 7\nw* 8", partition={3: "p"})
_KINDS = ("set", "move", "remove", "group", "user", "count", "amounts")
_Edit = tuple[str, int, int]


def _edited(before: ShareTree, edits: Sequence[_Edit]) -> ShareTree:
    """A copy of a tree with edits, each of the nodes that its numbers name; impossible ones are left out."""
    tree = before.copy()
    for number, (kind, which, where) in enumerate(edits):
        nodes = [node.id for node in tree.walk() if node.parent is not None]
        groups = [node.id for node in tree.walk() if node.is_group]
        node, group = nodes[which % len(nodes)] if nodes else 0, groups[where % len(groups)]
        with suppress(TreeError):
            if kind in ("group", "user"):
                tree.add(group, f"new{number}", which, Kind.GROUP if kind == "group" else Kind.USER)
            elif kind == "set" and node:
                SetShares(((node, number * 700),)).apply(tree)
            elif kind == "remove" and node:
                Remove(node).apply(tree)
            elif kind == "move" and node:
                Move(node, group, 0).apply(tree)
            elif node:
                name, value = ("MaxJobs", str(which)) if kind == "count" else ("GrpTRES", f"cpu={which}")
                made = tree.writable(node)
                made.foreign = with_limit(made.foreign, limit_or_fault(name), value)
    return tree


@tries(300)
@given(
    st.sampled_from([small_cluster(), cluster_of(_PARTED)]),
    st.lists(
        st.tuples(st.sampled_from(_KINDS), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=6
    ),
    st.booleans(),
    st.booleans(),
)
def test_any_apply_goes_back_by_its_words_in_the_log(
    cluster: ClusterTree, edits: list[_Edit], ends: bool, is_whole: bool
) -> None:
    """From the log alone, whether or not the program lived to log the results, as a whole or one by one."""
    log = Log(cluster)
    tree = log.tree
    changes = change_set(tree, _edited(tree.shares, edits))
    assume(changes.changes and not changes.refusals)
    first, count = log.stored(), len(log.database.entries)
    report = log.apply(changes, ends=ends, is_whole=is_whole)
    assert {row.result for row in report.rows} == {Result.DONE}
    second = log.stored()
    way = log.way()
    assert way.left == ()
    assert way.count == len(changes.changes)
    after = {node.id for node in tree_after(log.tree, way.changes.changes).walk()}
    assert len(after) == count
    for stored in (first, second, first):
        # The roll back is a record of its own, and goes back as well.
        assert log.way().left == ()
        report = log.roll_back(is_whole=is_whole)
        assert [(row.change.on, row.text) for row in report.rows if row.result is not Result.DONE] == []
        assert log.stored() == stored


_NEW: dict[str, Callable[[ShareTree], object]] = {
    "account": lambda tree: None,
    "account inside": lambda tree: tree.add(tree.find("root/chem").id, "polymers", 2, Kind.GROUP),
    "user": lambda tree: tree.add(tree.find("root/chem").id, "zoe", 3),
    "count": lambda tree: _limit(tree, "GrpJobs", "5"),
    "time": lambda tree: _limit(tree, "MaxWallDurationPerJob", "90"),
    "amounts": lambda tree: _limit(tree, "GrpTRES", "cpu=8,mem=2G"),
    "shares": lambda tree: SetShares(((tree.find("root/chem").id, 17),)).apply(tree),
    "moved account": lambda tree: Move(_at(tree, "hep"), tree.find("root/chem").id, 0).apply(tree),
    "moved user": lambda tree: Move(_at(tree, "finn"), tree.find("root/chem").id, 0).apply(tree),
    "moved into another": lambda tree: Move(tree.find("root/chem").id, _at(tree, "bio"), 0).apply(tree),
    "removed account": lambda tree: Remove(_at(tree, "neuro")).apply(tree),
}  # fmt: skip


def _at(tree: ShareTree, name: str) -> int:
    return next(node.id for node in tree.walk() if node.name == name)


def _limit(tree: ShareTree, name: str, value: str) -> None:
    made = tree.writable(_at(tree, "chem"))
    made.foreign = with_limit(made.foreign, limit_or_fault(name), value)


@pytest.mark.parametrize("is_whole", [False, True], ids=["one by one", "as a whole"])
@pytest.mark.parametrize("kinds", [*combinations(_NEW, 2)], ids=" and ".join)
def test_each_edit_of_a_new_account_goes_with_each_other(
    log: Log, kinds: tuple[str, str], is_whole: bool
) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    wanted.add(0, "chem", 7, Kind.GROUP)
    for kind in sorted(kinds, key="moved into another".__eq__):  # It is not at the top any more then.
        _NEW[kind](wanted)
    before = log.stored()
    report = log.apply(change_set(tree, wanted), is_whole=is_whole)
    assert [(row.change.on, row.text) for row in report.rows if row.result is not Result.DONE] == []
    after = log.stored()
    for stored in (before, after, before):
        report = log.roll_back(is_whole=is_whole)
        assert [(row.change.on, row.text) for row in report.rows if row.result is not Result.DONE] == []
        assert log.stored() == stored


def test_what_was_added_stays_with_a_limit_of_somebody_else_who_alone_is_blamed(log: Log) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    wanted.add(0, "chem", 7, Kind.GROUP)
    _limit(wanted, "GrpJobs", "5")
    log.apply(change_set(tree, wanted))
    log.database.entries["chem", "", ""] = Entry("root", 7, {"GrpJobs": "9"})
    way = log.way()
    assert not way.is_possible
    assert {step.verb for step, _ in way.left} == {Verb.LIMIT, Verb.ADD}
    assert all("GrpJobs" in why and "hale" not in why for _, why in way.left)


def test_a_plan_is_not_made_in_part_where_somebody_has_changed_what_it_changes(log: Log) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    wanted.add(0, "chem", 7, Kind.GROUP)
    _limit(wanted, "GrpJobs", "5")
    SetShares(((wanted.find("root/bio").id, 31),)).apply(wanted)
    changes = change_set(tree, wanted)
    log.database.entries["bio", "", ""] = Entry("root", 50)
    report = log.apply(changes, is_whole=True)
    assert {row.result for row in report.rows} == {Result.NOT_SENT}
    assert ("chem", "", "") not in log.database.entries


@tries(100)
@given(st.lists(st.tuples(st.sampled_from(["bio", "physics"]), st.integers(1, 4), st.booleans()), max_size=8))
def test_a_way_back_never_replaces_what_a_record_did_not_set(steps: list[tuple[str, int, bool]]) -> None:
    """Some changes are logged, others are of somebody else; the present value is always the record's."""
    log = Log(small_cluster())
    for name, shares, is_logged in steps:
        if is_logged and log.database.entries[name, "", ""].shares != shares:
            _set(log, name, shares)
        else:
            log.database.entries[name, "", ""] = Entry("root", shares)
    ways = Ways(log.history, Present("lab", log.tree))
    for record in log.history.records:
        way = ways.back(record)
        for one in way.changes.changes:
            assert one.was == log.database.entries[one.key]
            assert record.steps[0].row.after == one.before
            assert record.steps[0].row.before == one.after


# -- jobs and nodes -----------------------------------------------------------------------------------------


def _job(**fields: object) -> Job:
    known: dict[str, object] = {
        "job_id": 7, "name": "x", "user": "anna", "account": "hep", "partition": "batch", "qos": "normal",
        "states": ("RUNNING",), "time_limit_s": 7200.0, "submit_s": AT - 900, "start_s": AT - 600,
        "node_count": 1, "cpus": 4, "billing": 4.0, "priority": 20000, "nodes": "n1",
    }  # fmt: skip
    return Job(**(known | fields))  # type: ignore[arg-type]


def _row(action: str, before: str, after: str, *, on: str = "7", why: str = "", **more: object) -> AuditRow:
    row = AuditRow(AT, "hale", action, on, before, after, Result.DONE, "", why)
    return replace(row, **more)  # type: ignore[arg-type]


def _way(row: AuditRow, jobs: Sequence[Job] = (), nodes: Sequence[ClusterNode] = ()) -> WayBack:
    history = history_of([row])
    now = Present("lab", None, tuple(jobs), tuple(nodes), AT + 60)
    return way_back(history, history.records[0], now)


_HELD: dict[str, object] = {
    "states": ("PENDING",),
    "priority": 0,
    "reason": "JobHeldAdmin",
    "start_s": None,
    "nodes": "",
}
_SUSPENDED: dict[str, object] = {"states": ("SUSPENDED",), "priority": 0}
_WAITS: dict[str, object] = {"states": ("PENDING",), "start_s": None, "nodes": ""}


@pytest.mark.parametrize(
    ("row", "job", "verb", "by_s"),
    [
        (_row("extend job", "1:00:00", "2:00:00"), {}, JobVerb.EXTEND, -3600),
        (_row("hold job", "PENDING", "PENDING (held)"), _HELD, JobVerb.RELEASE, 0),
        (_row("release job", "PENDING (held)", "PENDING"), _WAITS, JobVerb.HOLD, 0),
        (_row("suspend job", "RUNNING", "SUSPENDED"), {"states": ("SUSPENDED",), "priority": 0},
         JobVerb.RESUME, 0),
        (_row("resume job", "SUSPENDED", "RUNNING"), {}, JobVerb.SUSPEND, 0),
    ],
)  # fmt: skip
def test_actions_on_jobs_have_their_reverse(
    row: AuditRow, job: dict[str, object], verb: JobVerb, by_s: float
) -> None:
    from fsconsole.slurm.job_change import JobChange, status_words

    shown = status_words(JobChange(JobVerb.EXTEND, ("7",)), _job(**job))
    row = replace(row, after=shown) if row.action == "extend job" else row
    way = _way(row, [_job(**job)])
    assert way.job is not None, way.why_not
    assert (way.job.verb, way.job.jobs, way.job.by_s) == (verb, ("7",), by_s)


_ARRAY: dict[str, object] = {"array_job_id": 7, "array_tasks": "1-3"}


@pytest.mark.parametrize(
    ("row", "rest", "verb"),
    [
        (_row("hold job", "PENDING", "PENDING (held), RUNNING"), _HELD, JobVerb.RELEASE),
        (_row("release job", "PENDING (held)", "PENDING, RUNNING"), _WAITS, JobVerb.HOLD),
        (_row("suspend job", "RUNNING", "SUSPENDED, PENDING"), {"states": ("SUSPENDED",), "priority": 0},
         JobVerb.RESUME),
        (_row("resume job", "SUSPENDED", "RUNNING, PENDING"), {}, JobVerb.SUSPEND),
    ],
)  # fmt: skip
def test_tasks_that_an_action_cannot_change_are_not_asked(
    row: AuditRow, rest: dict[str, object], verb: JobVerb
) -> None:
    """Of an array some tasks had begun and some not, and some have ended or begun since."""
    of_pending = verb in (JobVerb.RELEASE, JobVerb.HOLD)
    untouched = _job(**({} if of_pending else _WAITS), array_job_id=7, array_tasks="4")
    since = _job(array_job_id=7, array_tasks="5", start_s=AT + 60)
    ended = _job(array_job_id=7, array_tasks="6", states=("COMPLETED",))
    changed = _job(**(rest | _ARRAY))
    way = _way(row, [untouched, since, ended, changed])
    assert way.job is not None, way.why_not
    assert (way.job.verb, way.job.jobs) == (verb, ("7",))
    # Without the change on one that it did change, it is the value of somebody else.
    other: dict[str, dict[str, object]] = {
        "hold job": _WAITS,
        "release job": _HELD,
        "suspend job": {},
        "resume job": _SUSPENDED,
    }
    undone = _job(**(other[row.action] | {"array_job_id": 7, "array_tasks": "3"}))
    assert not _way(row, [untouched, changed, undone]).is_possible


@pytest.mark.parametrize(("on", "is_possible"), [("7_2", True), ("7", False)])
def test_a_held_task_goes_back_though_squeue_shows_it_with_others(on: str, is_possible: bool) -> None:
    row = _row("hold job", "PENDING", "PENDING (held)", on=on)
    together = _job(**(_HELD | _ARRAY | {"reason": "JobHeldUser,Priority"}))
    assert _way(row, [together]).is_possible is is_possible


@pytest.mark.parametrize(
    ("row", "jobs"),
    [
        (_row("kill job", "RUNNING", ""), []),
        (_row("requeue job", "RUNNING", "PENDING"), [_job(**_WAITS)]),
        (_row("hold job", "PENDING", "PENDING (held)"), [_job(**_WAITS)]),
        (_row("hold job", "PENDING", "PENDING (held)"), []),
        (_row("hold job", "PENDING", "PENDING (held)"), [_job(**_HELD, submit_s=AT + 7200)]),
        (_row("hold job", "PENDING", "PENDING (held)", result=Result.REFUSED), [_job(**_HELD)]),
        (_row("release job", "PENDING (held)", "PENDING"), [_job()]),
        (_row("extend job", "1:00:00", "2:00:00"), [_job(time_limit_s=9000.0)]),
        (_row("extend job", "0:10:00", "2:00:00"), [_job(start_s=AT - 6000)]),
        (_row("suspend job", "RUNNING", "SUSPENDED"), [_job(states=("COMPLETED",))]),
        (_row("arm", "read-only", "armed"), [_job()]),
    ],
)
def test_others_have_no_way_back(row: AuditRow, jobs: list[Job]) -> None:
    way = _way(row, jobs)
    assert not way.is_possible
    assert bool(way.why_not) is (row.action != "arm")


def _node(state: str, reason: str = "") -> ClusterNode:
    from tests.console.cluster.play import nodes

    return replace(next(node for node in nodes() if node.name == "n1"), state=state, reason=reason)


@pytest.mark.parametrize(
    ("row", "node", "verb"),
    [
        (_row("drain node", "idle", "draining (fan)", on="n1", why="fan"), _node("drained", "fan"),
         NodeVerb.RESUME),
        (_row("resume node", "drained (fan)", "idle", on="n1"), _node("idle"), NodeVerb.DRAIN),
        (_row("drain node", "idle", "draining (fan)", on="n1", why="fan"), _node("drained", "disk"), None),
        (_row("drain node", "down (x)", "drained (fan)", on="n1", why="fan"), _node("drained", "fan"), None),
        (_row("drain node", "idle", "drained (fan)", on="n1", why="fan"), _node("idle"), None),
        (_row("resume node", "down (x)", "idle", on="n1"), _node("idle"), None),
        (_row("drain node", "idle", "drained (fan)", on="n9", why="fan"), _node("drained", "fan"), None),
    ],
)  # fmt: skip
def test_nodes_go_back_while_they_are_as_they_were_left(
    row: AuditRow, node: ClusterNode, verb: NodeVerb | None
) -> None:
    way = _way(row, nodes=[node])
    assert (way.node.verb if way.node is not None else None) is verb
    assert way.is_possible is (verb is not None)
    if verb is NodeVerb.DRAIN and way.node is not None:
        assert way.node.reason == "fan"


@pytest.mark.parametrize("verb", [*Verb, *JobVerb, *NodeVerb])
def test_each_kind_of_change_has_a_way_back_or_a_reason(verb: str) -> None:
    """A kind that is added to one of these and forgotten here fails, or says nothing."""
    kind = " job" if isinstance(verb, JobVerb) else " node" if isinstance(verb, NodeVerb) else ""
    row = _row(f"{verb.lower()}{kind}", "1", "2")
    assert len(history_of([row]).records[0].steps) == 1
    assert _way(row).why_not
    log = Log(small_cluster())
    log.rows.append(row)
    history = log.history
    assert way_back(history, history.records[0], Present("lab", log.tree, (), (), AT, {})).why_not


def test_older_records_come_back_without_what_they_do_not_hold(log: Log) -> None:
    tree = log.tree
    wanted = tree.shares.copy()
    Remove(wanted.find("root/bio").id).apply(wanted)
    log.apply(change_set(tree, wanted))
    first = log.way().changes.changes
    log.rows = [replace(row, held="") for row in log.rows]
    older = log.way().changes.changes
    assert {one.on for one in older} == {one.on for one in first if one.verb is not Verb.COORDINATE}
    for one in older:
        assert any(says(note, "slurm.it-starts-without-usage-and-2") for note in one.notes), one.notes
        assert not any("qos=" in word or "Grp" in word for word in one.command)
    assert any("GrpTRES=cpu=4,mem=2G" in one.command or "GrpJobs=8" in one.command for one in first)


@pytest.mark.parametrize(
    ("now", "members", "is_possible"),
    [("hep", "astro", True), ("bio", "astro", False), ("hep", "", False), (None, "astro", False)],
)
def test_default_accounts_go_back_while_they_are_ours(
    log: Log, now: str | None, members: str, is_possible: bool
) -> None:
    log.rows.append(_row("set default account", "astro", "hep", on="anna"))
    if now is None:
        del log.database.defaults["anna"]
    else:
        log.database.defaults["anna"] = now
    if not members:
        del log.database.entries["astro", "anna", ""]
    history = log.history
    present = {user: account for user, account in log.database.defaults.items() if user == "anna"}
    way = way_back(history, history.records[0], Present("lab", log.tree, defaults=present))
    assert way.is_possible is is_possible
    assert bool(way.why_not) is not is_possible
    assert [one.after for one in way.changes.changes] == (["astro"] if is_possible else [])
    unread = way_back(history, history.records[0], Present("lab", log.tree))
    assert unread.why_not


def test_identities_are_those_of_the_file(log: Log) -> None:
    _set(log, "bio", 31)
    _set(log, "physics", 41)
    again = [row for row in (row_of(json.loads(json.dumps(row.to_json()))) for row in log.rows) if row]
    assert identities(again) == identities(log.rows)
    assert len(set(identities(log.rows))) == len(log.rows)
