"""The way back from records of the audit log, by a cluster in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsconsole.app.cluster.records import History, Record, history_of, identities
from fsconsole.app.cluster.roll_back import Present, WayBack, Ways, users_of, way_back
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.shares.tree import Kind, ShareTree, TreeError
from fsconsole.slurm.change_set import Change, ChangeSet, Entry, Verb, change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.job_change import JobVerb
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.node_change import NodeVerb
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.rollback import tree_after
from fsconsole.targets.slurm import apply_rows
from fsconsole.targets.slurm.audit_keeper import row_of
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.change_set_applier import ApplyCallbacks, apply
from fsconsole.targets.slurm.reports import ApplyReport
from tests.laws import tries
from tests.slurm.clusters import cluster_of, small_cluster, stored_of
from tests.slurm.pretend import Database
from tests.texts import says

AT = 1_795_000_000


# What associations have besides, in turn.
_HELD_BY: tuple[dict[str, str], ...] = (
    {},
    {"GrpJobs": "8", "MaxWallDurationPerJob": "90", "qos": "+normal", "defaultqos": "normal"},
    {"GrpTRES": "cpu=4,mem=2G"},
    {"MaxJobs": "3", "qos": "high,normal"},
)


class Log:
    """An audit log in memory, and a database that changes are applied to."""

    def __init__(self, cluster: ClusterTree) -> None:
        self.database = database = Database(cluster)
        for at, key in enumerate(database.entries):
            held = dict(_HELD_BY[at % len(_HELD_BY)])
            database.entries[key] = replace(database.entries[key], limits=held)
        users = sorted({user for _, user, _ in database.entries} - {""})
        database.admins = {users[0]: "Operator"}
        database.coordinators = {users[0]: {"root"}, users[-1]: {"root"}} if users else {}
        self.rows: list[AuditRow] = []

    def apply(
        self, changes: ChangeSet, who: str = "hale", undoes: str = "", *, ends: bool = True
    ) -> ApplyReport:
        author = Author(who, undoes=undoes)
        self.rows.append(apply_rows.begun(changes, "lab", author))

        def begin(change: Change) -> str:
            self.rows.append(apply_rows.sent(change, author))
            return ""

        callbacks = ApplyCallbacks(
            record=lambda row: self.rows.append(apply_rows.audited(row, author)) if ends else None,
            begin=begin,
            wait=lambda _: None,
        )
        report = apply(self.database, "lab", changes, callbacks)
        if ends:
            self.rows.append(apply_rows.ended(report, "lab", author))
        return report

    @property
    def history(self) -> History:
        """What a later session reads."""
        lines = [json.loads(json.dumps(row.to_json())) for row in self.rows]
        return history_of([row for row in map(row_of, lines) if row is not None])

    @property
    def tree(self) -> ClusterTree:
        """The cluster as it is read now."""
        return tree_of(self.database)

    def stored(self) -> object:
        """All that is stored, to compare."""
        of = self.database
        entries = {key: (one.parent, one.shares, dict(one.limits)) for key, one in of.entries.items()}
        defaults = {user: account for user, account in of.defaults.items() if account}
        return (
            entries,
            defaults,
            dict(of.admins),
            {user: set(accounts) for user, accounts in of.coordinators.items()},
        )

    def way(self, record: Record | None = None) -> WayBack:
        """The way back from a record, by default the last apply."""
        history = self.history
        found = record or [one for one in history.records if one.is_apply][-1]
        present = {user: self.database.defaults.get(user, "") for user in users_of(self.rows)}
        return way_back(history, found, Present("lab", self.tree, defaults=present))

    def roll_back(self, record: Record | None = None) -> ApplyReport:
        way = self.way(record)
        return self.apply(way.changes, undoes=way.record.id)


def tree_of(database: Database) -> ClusterTree:
    """The tree of what is stored: text again, parents before children."""
    lines: list[str] = []
    partition: dict[int, str] = {}

    def add(account: str, depth: int) -> None:
        for key, entry in database.entries.items():
            if key[0] == account and key[1]:
                partition[len(lines) + 1] = key[2]
                lines.append(f"{'  ' * depth}{key[1]}* {_shares(entry)}")
        for key, entry in database.entries.items():
            if not key[1] and entry.parent == account and key[0] != account:
                lines.append(f"{'  ' * depth}{key[0]} {_shares(entry)}")
                add(key[0], depth + 1)

    add("root", 0)
    return cluster_of(stored_of("\n".join(lines), partition=partition))


def _shares(entry: Entry) -> str:
    return "parent" if entry.shares == 2**31 - 1 else str(entry.shares)


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


@st.composite
def _edits(draw: st.DrawFn) -> tuple[ClusterTree, list[ShareTree]]:
    cluster = draw(st.sampled_from([small_cluster(), cluster_of(
        stored_of("a 1\n  u* 2\n  u* 3\n  b 4\n    c 5\n      v* 6\n    d 7\nw* 8", partition={3: "p"})
    )]))  # fmt: skip
    tree = cluster.shares.copy()
    for number in range(draw(st.integers(1, 6))):
        nodes = [node.id for node in tree.walk() if node.parent is not None]
        groups = [node.id for node in tree.walk() if node.is_group]
        kind = draw(st.sampled_from(["set", "move", "remove", "group", "user"]))
        try:
            if kind in ("group", "user"):
                tree.add(draw(st.sampled_from(groups)), f"new{number}", draw(st.integers(0, 99)),
                         Kind.GROUP if kind == "group" else Kind.USER)  # fmt: skip
            elif nodes:
                node = draw(st.sampled_from(nodes))
                if kind == "set":
                    SetShares(((node, number * 700),)).apply(tree)
                elif kind == "remove":
                    Remove(node).apply(tree)
                else:
                    Move(node, draw(st.sampled_from(groups)), 0).apply(tree)
        except TreeError:
            pass
    return cluster, [tree]


@tries(200)
@given(_edits(), st.booleans())
def test_any_apply_goes_back_by_its_words_in_the_log(
    case: tuple[ClusterTree, list[ShareTree]], ends: bool
) -> None:
    """From the log alone, whether or not the program lived to log the results."""
    cluster, (tree,) = case
    changes = change_set(cluster, tree)
    assume(changes.changes and not changes.refusals)
    log = Log(cluster)
    first, count = log.stored(), len(log.database.entries)
    log.apply(changes, ends=ends)
    way = log.way()
    assert way.left == ()
    assert way.count == len(changes.changes)
    after = {node.id for node in tree_after(log.tree, way.changes.changes).walk()}
    assert len(after) == count
    report = log.roll_back()
    assert {row.result for row in report.rows} <= {Result.DONE}
    assert log.stored() == first
    # The roll back is a record of its own, and goes back as well.
    back = log.way()
    assert back.left == ()


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


_HELD = {"states": ("PENDING",), "priority": 0, "reason": "JobHeldAdmin", "start_s": None, "nodes": ""}
_WAITS = {"states": ("PENDING",), "start_s": None, "nodes": ""}


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
