"""Applying changes, against a database in memory that does what sacctmgr was seen to do."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsconsole.recording.audit import Result
from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.shares.tree import Kind, ShareTree, TreeError
from fsconsole.slurm.change_set import Change, ChangeSet, Entry, Verb, change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.rollback import set_default
from fsconsole.targets.slurm import change_set_applier
from fsconsole.targets.slurm.change_set_applier import AT_ONCE, ApplyCallbacks, apply
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
from fsconsole.targets.slurm.tools import Answer
from tests.laws import tries
from tests.slurm.clusters import add_group, cluster_of, small_cluster, stored_of
from tests.slurm.insisting import insisting
from tests.slurm.pretend import Database
from tests.texts import says, wording

_DOWN = "slurmdbd does not respond at host:127.0.0.1:6819: Connection refused"


class Log:
    """Reports during an apply."""

    def __init__(self) -> None:
        self.reports: list[ChangeReport] = []
        self.recorded: list[ChangeReport] = []
        self.stop_after = 10**6

    @property
    def callbacks(self) -> ApplyCallbacks:
        return ApplyCallbacks(
            self.reports.append,
            self.recorded.append,
            lambda: len(self.reports) >= self.stop_after,
            lambda _: None,
        )


@pytest.fixture
def cluster() -> ClusterTree:
    return small_cluster()


@pytest.fixture
def wanted(cluster: ClusterTree) -> ShareTree:
    return cluster.shares.copy()


def _id(tree: ShareTree, path: str) -> int:
    return tree.find(f"root/{path}").id


def _set(tree: ShareTree, path: str, shares: int) -> None:
    SetShares(((_id(tree, path), shares),)).apply(tree)


def _results(report: ApplyReport) -> dict[str, tuple[str, str]]:
    return {row.change.on: (row.result.value, row.text) for row in report.rows}


def _run(database: Database, cluster: ClusterTree, wanted: ShareTree, log: Log | None = None) -> ApplyReport:
    return apply(database, "lab", change_set(cluster, wanted), (log or Log()).callbacks)


def test_what_is_sent_is_known_before_it_is_read_back(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    _set(wanted, "physics", 32)
    seen: list[str] = []

    def begin(_change: Change) -> str:
        seen.append("begin")
        return ""

    callbacks = replace(
        Log().callbacks,
        begin=begin,
        sent=lambda _change: seen.append("sent"),
        progress=lambda _row: seen.append("known"),
    )
    apply(Database(cluster), "lab", change_set(cluster, wanted), callbacks)
    assert seen == ["begin", "begin", "sent", "sent", "known", "known"]


def test_what_is_asked_for_is_done_and_told(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    Remove(_id(wanted, "physics/astro")).apply(wanted)
    database, log = Database(cluster), Log()
    report = _run(database, cluster, wanted, log)
    assert {row.result for row in report.rows} == {Result.DONE}
    assert report.lag == ""
    assert database.entries[("bio", "", "")].shares == 31
    assert ("astro", "", "") not in database.entries
    assert len(log.recorded) == len(report.rows)
    again = apply(database, "lab", report.rollback, Log().callbacks)
    assert {row.result for row in again.rows} == {Result.DONE}
    assert database.entries == Database(cluster).entries


def test_a_dry_run_runs_nothing(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    database = Database(cluster)
    report = apply(database, "lab", change_set(cluster, wanted), dry_run=True)
    assert database.calls == []
    assert [row.result for row in report.rows] == [Result.DRY_RUN]
    assert report.rollback == ChangeSet()


def test_with_a_refusal_nothing_is_done(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    add_group(wanted, 0, "Chem")
    database = Database(cluster)
    report = _run(database, cluster, wanted)
    assert database.calls == []
    assert {row.result for row in report.rows} == {Result.NOT_SENT}


def test_exit_status_0_proves_nothing(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    _set(wanted, "physics", 41)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if "name=bio" in command:
            return Answer(command, 0, "Modified account associations...")
        if "name=physics" in command:
            database.entries[("physics", "", "")] = Entry("root", 1)
            return Answer(command, 0, "Modified account associations...")
        return None

    database = Database(cluster)
    database.meddle = meddle
    report = _run(database, cluster, wanted)
    assert _results(report) == {
        "bio": ("refused", wording("targets.slurm.sacctmgr-reports-success-but-nothing")),
        "physics": (
            "different",
            wording(
                "targets.slurm.which-was-not-requested",
                now=wording("targets.slurm.it-is-in-with-now", parent="root", shares="1 share"),
                answer="",
            ),
        ),
    }
    # It has not the value that was applied, so somebody else has set it.
    assert report.rollback == ChangeSet()
    assert "physics" in " ".join(report.warnings)


def test_what_sacctmgr_refuses_is_reported_in_its_words(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    database = Database(cluster)
    refusal = "Your user doesn't have privilege to perform this action"
    database.meddle = lambda _, command: (
        Answer(
            command, 1, stderr=f"{refusal}\n",
            problem="sacctmgr failed with exit status 1: Your user doesn't have privilege",
        ) if command[1] == "-i" else None
    )  # fmt: skip
    report = _run(database, cluster, wanted)
    assert _results(report)["bio"] == ("refused", refusal)
    assert report.rollback == ChangeSet()


def test_nobodys_edit_is_overwritten_unseen(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    _set(wanted, "physics", 41)
    _set(wanted, "physics/hep", 9)
    Remove(_id(wanted, "bio/neuro/ida")).apply(wanted)
    database, log = Database(cluster), Log()
    database.entries[("bio", "", "")] = Entry("root", 5)
    database.entries[("physics", "", "")] = Entry("root", 41)
    database.entries[("neuro", "ida", "")] = Entry("neuro", 8)
    report = _run(database, cluster, wanted, log)
    assert _results(report) == {
        "bio": (
            "not sent",
            wording(
                "targets.slurm.by-other-users-check-it",
                text=wording("targets.slurm.changed-since-from-to", before="30 shares", change="5 shares"),
            ),
        ),
        "physics": ("done", wording("targets.slurm.already-as-requested-nothing-was")),
        "hep": ("done", ""),
        wording("slurm.in-2", user="ida", account="neuro"): (
            "not sent",
            wording(
                "targets.slurm.by-other-users-check-it",
                text=wording("targets.slurm.changed-since-from-to", before="3 shares", change="8 shares"),
            ),
        ),
    }
    assert len(database.changing) == 1
    assert [change.on for change in report.rollback.changes] == ["hep"]
    assert {row.change.on for row in log.recorded} == {
        "bio",
        "hep",
        wording("slurm.in-2", user="ida", account="neuro"),
    }


def test_what_was_changed_again_after_us_is_different(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    database = Database(cluster)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if command[1] == "-nP" and database.changing:
            database.entries[("bio", "", "")] = Entry("root", 77)
        return None

    database.meddle = meddle
    report = _run(database, cluster, wanted)
    result, text = _results(report)["bio"]
    assert result == "different"
    assert "77 shares" in text
    assert report.rollback == ChangeSet()


def test_what_others_change_after_it_was_read_back_as_done_is_reported(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    """Before an account is removed all is read back; what changes after that is found at the end."""
    _set(wanted, "bio", 31)
    Remove(_id(wanted, "physics/astro")).apply(wanted)
    log = Log()

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if command[1:4] == ("-i", "delete", "account"):
            database.entries[("bio", "", "")] = Entry("root", 77)
        return None

    database = Database(cluster)
    database.meddle = meddle
    report = _run(database, cluster, wanted, log)
    texts = [row.result for row in log.reports if row.change.on == "bio"]
    assert texts == [Result.DONE, Result.DIFFERENT]
    result, text = _results(report)["bio"]
    assert result == "different"
    assert "bio" not in [one.on for one in report.rollback.changes]
    assert says(text, "targets.slurm.it-was-done-but-other")
    assert "77 shares" in text


def test_what_is_in_an_account_that_was_not_made_is_not_tried(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    chem = add_group(wanted, 0, "chem")
    wanted.add(add_group(wanted, chem.id, "organic").id, "zoe")
    _set(wanted, "bio", 31)
    database, answer = Database(cluster), "Nothing new added."
    database.meddle = lambda _, command: (
        Answer(command, 1, answer, problem="sacctmgr failed with exit status 1: Nothing")
        if "name=chem" in command
        else None
    )
    shown = _results(_run(database, cluster, wanted))
    assert shown["chem"] == ("refused", answer)
    assert shown["organic"] == ("not sent", wording("targets.slurm.account-not-found", goes_to="chem"))
    assert shown[wording("slurm.in-2", user="zoe", account="organic")] == (
        "not sent",
        wording("targets.slurm.account-not-found", goes_to="organic"),
    )
    assert shown["bio"][0] == "done"


def test_nobody_is_removed_who_has_no_other_place_yet(cluster: ClusterTree, wanted: ShareTree) -> None:
    Move(_id(wanted, "physics/mia"), _id(wanted, "bio"), 0).apply(wanted)
    database = Database(cluster)
    database.meddle = lambda _, command: (
        Answer(command, 1, problem="sacctmgr failed with exit status 1: no") if "add" in command else None
    )
    shown = _results(_run(database, cluster, wanted))
    of_physics, of_bio = (wording("slurm.in-2", user="mia", account=name) for name in ("physics", "bio"))
    assert shown[of_physics] == ("not sent", wording("targets.slurm.not-found-2", missing=of_bio))
    assert ("physics", "mia", "") in database.entries


def test_an_account_is_not_removed_with_what_others_put_into_it(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    Remove(_id(wanted, "physics/astro")).apply(wanted)
    database = Database(cluster)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if "name=dirk" in command:
            database.entries[("astro", "newcomer", "")] = Entry("astro", 1)
        return None

    database.meddle = meddle
    result, text = _results(_run(database, cluster, wanted))["astro"]
    newcomer = wording("slurm.in-2", user="newcomer", account="astro")
    assert result == "not sent"
    assert says(text, "targets.slurm.is-still-in-it-and", inside=newcomer)
    assert ("astro", "newcomer", "") in database.entries


def test_slurmdbd_goes_away_between(cluster: ClusterTree, wanted: ShareTree) -> None:
    for name in ("physics/mia", "physics/hep/ben", "physics/astro/dirk"):
        Remove(_id(wanted, name)).apply(wanted)
    database = Database(cluster)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if len(database.changing) >= 2:
            return Answer(command, 1, problem=_DOWN)
        return None

    database.meddle = meddle
    report = _run(database, cluster, wanted)
    results = [row.result for row in report.rows]
    assert results == [Result.UNKNOWN, Result.UNKNOWN, Result.NOT_SENT]
    assert says(
        report.rows[0].text,
        "targets.slurm.cannot-read-stored-associations",
        what=wording("targets.slurm.sacctmgr-reports-success"),
    )
    assert _DOWN in report.rows[2].text
    assert report.rollback == ChangeSet()


def test_slurmdbd_is_away_from_the_first(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    database = Database(cluster)
    database.meddle = lambda _, command: Answer(command, 1, problem=_DOWN)
    report = _run(database, cluster, wanted)
    assert database.changing == []
    assert _results(report)["bio"][0] == "not sent"


@pytest.mark.parametrize("is_done", [False, True])
def test_after_a_time_out_what_is_stored_decides(
    cluster: ClusterTree, wanted: ShareTree, is_done: bool
) -> None:
    _set(wanted, "physics", 41)
    Remove(_id(wanted, "physics/mia")).apply(wanted)
    database = Database(cluster)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if "name=physics" not in command:
            return None
        if is_done:
            database.entries[("physics", "", "")] = Entry("root", 41)
        return Answer(command, -9, timed_out=True, problem="sacctmgr did not respond within 60 s")

    database.meddle = meddle
    shown = _results(_run(database, cluster, wanted))
    assert shown["physics"][0] == (wording("recording.done-despite-error") if is_done else "unknown")
    assert shown[wording("slurm.in-2", user="mia", account="physics")][0] == "not sent"


def test_what_is_known_to_be_done_has_a_way_back_also_after_a_cut(
    cluster: ClusterTree, wanted: ShareTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_set_applier, "_LOOK_S", -1.0)
    monkeypatch.setattr(change_set_applier, "_LOOK_COST", -1)
    names = [path.removeprefix("root/") for path in wanted.paths().values()][1 : AT_ONCE + 2]
    for number, name in enumerate(names, 100):
        _set(wanted, name, number)
    database = Database(cluster)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        is_cut = len(database.changing) > AT_ONCE and command[1] != "-i"
        return Answer(command, 1, problem=_DOWN) if is_cut else None

    database.meddle = meddle
    report = _run(database, cluster, wanted)
    results = [row.result for row in report.rows]
    assert results == [Result.DONE] * AT_ONCE + [Result.UNKNOWN]
    assert {one.on for one in report.rollback.changes} == {row.change.on for row in report.rows[:AT_ONCE]}


def test_shares_are_set_some_at_a_time(cluster: ClusterTree, wanted: ShareTree) -> None:
    names = [path.removeprefix("root/") for path in wanted.paths().values()][1:]
    for number, name in enumerate(names, 100):
        _set(wanted, name, number)
    database = Database(cluster)
    at_once = Barrier(AT_ONCE)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if command[1] == "-i" and len(database.changing) <= AT_ONCE:
            at_once.wait(60)  # nobody goes on before all have begun
        return None

    database.meddle = meddle
    report = _run(database, cluster, wanted)
    assert [row.result for row in report.rows] == [Result.DONE] * len(names)
    assert len(database.changing) == len(names)


def test_what_is_not_begun_can_be_left(cluster: ClusterTree, wanted: ShareTree) -> None:
    for name in ("bio", "physics", "physics/hep"):
        _set(wanted, name, 50)
    database, log = Database(cluster), Log()
    log.stop_after = 0
    report = _run(database, cluster, wanted, log)
    assert {row.text for row in report.rows} == {wording("targets.slurm.it-was-stopped-before")}
    assert database.changing == []


@pytest.mark.parametrize("garbage", ["", "\x00\x07 not a table\n", "a|b\n", "root|||1|\nbio||x|y|root\n"])
def test_garbage_is_not_taken_for_what_is_stored(
    cluster: ClusterTree, wanted: ShareTree, garbage: str
) -> None:
    _set(wanted, "bio", 31)
    database = Database(cluster)
    database.meddle = lambda _, command: Answer(command, 0, garbage) if "assoc" in command else None
    report = _run(database, cluster, wanted)
    assert _results(report)["bio"][0] == "not sent"
    assert database.changing == []


def test_that_sshare_shows_something_else_is_reported(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    database = Database(cluster)
    database.behind = {("bio", "", ""): 30}
    report = _run(database, cluster, wanted)
    assert _results(report)["bio"][0] == "done"
    behind = wording("targets.slurm.of-are-stored", shown="30 shares", key="bio", shares="31")
    assert says(report.lag, "targets.slurm.sshare-still-shows", behind=behind, more="")


def test_slurmctld_is_waited_for_while_it_takes_in_changes(cluster: ClusterTree, wanted: ShareTree) -> None:
    names = ["bio", "physics", "physics/hep", "physics/astro"]
    database = Database(cluster)
    for name in names:
        key = (name.rpartition("/")[2], "", "")
        database.behind[key] = database.entries[key].shares
        _set(wanted, name, 77)
    left = list(database.behind.items())

    def meddle(_: Database, command: tuple[str, ...]) -> None:
        if command[0] == "sshare":
            database.behind = dict(left)
            left[:1] = []

    database.meddle = meddle
    assert _run(database, cluster, wanted).lag == ""
    assert left == []


def test_whoever_stops_does_not_wait_for_slurmctld(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    database, log = Database(cluster), Log()
    database.behind = {("bio", "", ""): 30}
    log.stop_after = 1
    report = _run(database, cluster, wanted, log)
    assert report.lag.endswith(wording("targets.slurm.slurmctld-applies-one-change-after"))
    assert [call[0] for call in database.calls].count("sshare") == 1


def test_sshare_is_asked_for_what_was_changed_alone(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    Remove(_id(wanted, "physics/astro")).apply(wanted)
    database = Database(cluster)
    _run(database, cluster, wanted)
    (asked,) = [call for call in database.calls if call[0] == "sshare"]
    assert set(asked[asked.index("-A") + 1].split(",")) == {"bio", "astro"}


def test_an_account_that_is_gone_and_still_shown_is_reported(cluster: ClusterTree, wanted: ShareTree) -> None:
    Remove(_id(wanted, "physics/astro")).apply(wanted)
    database = Database(cluster)
    database.behind = {("astro", "", ""): 3}
    behind = wording("targets.slurm.which-is-removed", key="astro")
    lag = _run(database, cluster, wanted).lag
    assert says(lag, "targets.slurm.sshare-still-shows", behind=behind, more="")


def test_a_default_account_that_was_removed_is_reported_and_comes_back(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    Remove(_id(wanted, "physics/hep/anna")).apply(wanted)
    database = Database(cluster)
    report = apply(database, "lab", insisting(database, "lab", change_set(cluster, wanted)))
    assert says(
        " ".join(report.warnings), "targets.slurm.has-no-default-account-now", user="anna", before="hep"
    )
    back = apply(database, "lab", report.rollback, Log().callbacks)
    assert back.warnings == ()
    assert database.defaults["anna"] == "hep"


def test_a_default_account_comes_back_where_half_of_a_move_was_refused(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    Move(_id(wanted, "bio/neuro/ida"), _id(wanted, "physics/hep"), 0).apply(wanted)
    database = Database(cluster)
    database.meddle = lambda _, command: (
        Answer(command, 1, problem="sacctmgr failed with exit status 1: Job(s) active")
        if command[1:3] == ("-i", "delete") and "name=ida" in command and "account=neuro" in command
        else None
    )
    report = _run(database, cluster, wanted)
    assert [row.result for row in report.rows] == [Result.DONE, Result.REFUSED]
    assert database.defaults["ida"] == "hep"
    back = apply(database, "lab", report.rollback, Log().callbacks)
    assert [(row.change.verb, row.result) for row in back.rows] == [
        (Verb.DEFAULT, Result.DONE),
        (Verb.REMOVE, Result.DONE),
    ]
    assert back.warnings == ()
    assert database.defaults["ida"] == "neuro"
    assert database.entries == Database(cluster).entries


def test_a_default_account_that_others_changed_is_not_overwritten(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    Remove(_id(wanted, "physics/hep/anna")).apply(wanted)
    database = Database(cluster)
    change = set_default("lab", 0, "anna", "hep", "astro")
    database.defaults["anna"] = "bio"
    (row,) = apply(database, "lab", ChangeSet((change,)), Log().callbacks).rows
    assert row.result is Result.NOT_SENT
    assert "bio" in row.text
    assert database.defaults["anna"] == "bio"


def test_a_default_account_that_others_set_meanwhile_stays(cluster: ClusterTree, wanted: ShareTree) -> None:
    Remove(_id(wanted, "physics/hep/anna")).apply(wanted)
    database = Database(cluster)

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if command[1:4] == ("-nP", "show", "user") and database.changing:
            database.defaults["anna"] = "astro"
        return None

    database.meddle = meddle
    report = apply(database, "lab", insisting(database, "lab", change_set(cluster, wanted)))
    assert [one.verb for one in report.rollback.changes] == [Verb.ADD]


def test_a_whole_plan_is_left_where_one_object_was_edited(cluster: ClusterTree, wanted: ShareTree) -> None:
    _set(wanted, "bio", 31)
    _set(wanted, "physics", 41)
    database = Database(cluster)
    database.entries[("bio", "", "")] = Entry("root", 5)
    report = apply(database, "lab", change_set(cluster, wanted), Log().callbacks, is_whole=True)
    assert {row.result for row in report.rows} == {Result.NOT_SENT}
    assert database.changing == []


def test_a_default_account_that_does_not_come_back_is_refused(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    change = set_default("lab", 0, "anna", "hep", "astro")
    database = Database(cluster)
    database.meddle = lambda _, command: Answer(command, 0, "Modified users...") if "set" in command else None
    (row,) = apply(database, "lab", ChangeSet((change,)), Log().callbacks).rows
    assert (row.result, row.text) == (
        Result.REFUSED,
        wording("targets.slurm.sacctmgr-reports-success-but-nothing"),
    )


def test_a_user_who_was_already_without_is_no_news(cluster: ClusterTree, wanted: ShareTree) -> None:
    Remove(_id(wanted, "physics/hep/anna")).apply(wanted)
    database = Database(cluster)
    database.defaults["anna"] = ""
    assert _run(database, cluster, wanted).warnings == ()


def test_default_accounts_that_cannot_be_read_are_reported(cluster: ClusterTree, wanted: ShareTree) -> None:
    Remove(_id(wanted, "physics/hep/anna")).apply(wanted)
    database = Database(cluster)
    database.meddle = lambda _, command: (
        Answer(command, 1, problem=_DOWN) if command[2:4] == ("show", "user") else None
    )
    (warning,) = _run(database, cluster, wanted).warnings
    assert says(warning, "targets.slurm.default-accounts-could-not-be")


# -- laws ---------------------------------------------------------------------------------------------------

_TREES = [
    small_cluster(),
    cluster_of(
        stored_of("a 1\n  u* 2\n  u* 3\n  b 4\n    c 5\n      v* 6\n    d 7\nw* 8", partition={3: "p"})
    ),
]


@st.composite
def _edited(draw: st.DrawFn) -> tuple[ClusterTree, ShareTree]:
    """A cluster and what somebody makes of its tree: anything that a tree allows and Slurm has words for."""
    cluster = draw(st.sampled_from(_TREES))
    tree = cluster.shares.copy()
    for number in range(draw(st.integers(1, 12))):
        nodes = [node.id for node in tree.walk() if node.parent is not None]
        groups = [node.id for node in tree.walk() if node.is_group]
        kind = draw(st.sampled_from(["set", "set", "move", "move", "remove", "group", "user"]))
        if kind in ("group", "user"):
            tree.add(draw(st.sampled_from(groups)), f"new{number}", draw(st.integers(0, 99)),
                     Kind.GROUP if kind == "group" else Kind.USER)  # fmt: skip
        elif nodes:
            _edit(tree, kind, draw(st.sampled_from(nodes)), draw(st.sampled_from(groups)), number)
    return cluster, tree


def _edit(tree: ShareTree, kind: str, node: int, group: int, number: int) -> None:
    try:
        if kind == "set":
            SetShares(((node, number * 7),)).apply(tree)
        elif kind == "remove":
            Remove(node).apply(tree)
        else:
            Move(node, group, 0).apply(tree)
    except TreeError:
        pass  # such as a move into itself


def _as_entries(tree: ShareTree) -> dict[tuple[str, str, str], Entry]:
    """What a database holds that has stored a tree, worked out by names alone."""
    found = {("root", "", ""): Entry("", 1)}
    for node in tree.walk():
        if node.parent is None:
            continue
        above = tree.node(node.parent).name
        name, _, mark = node.name.partition(" (")
        is_user = node.kind is Kind.USER
        shares = 2**31 - 1 if node.foreign.get("Fairshare") == "parent" and not node.shares else node.shares
        key = (above, name, mark.rstrip(")")) if is_user else (name, "", "")
        found[key] = Entry(above, shares)
    return found


@tries(300)
@given(_edited())
def test_the_commands_make_the_wanted_tree_and_the_way_back_makes_the_first(
    case: tuple[ClusterTree, ShareTree],
) -> None:
    cluster, tree = case
    changes = change_set(cluster, tree)
    assume(not changes.refusals)
    database = Database(cluster)
    first, defaults = dict(database.entries), dict(database.defaults)
    report = apply(database, "lab", insisting(database, "lab", changes), Log().callbacks)
    assert {row.result for row in report.rows} <= {Result.DONE}
    assert database.entries == _as_entries(tree)
    back = apply(database, "lab", report.rollback, Log().callbacks)
    assert {row.result for row in back.rows} <= {Result.DONE}
    assert database.entries == first
    assert {user: database.defaults[user] for user in defaults} == defaults
