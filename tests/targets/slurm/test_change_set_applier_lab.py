"""Changes of the share tree on a real cluster: what is done, what is predicted, and the way back."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fsconsole.cli.main import run
from fsconsole.recording.audit import Result
from fsconsole.shares.edits import Insert, Move, Remove, SetShares
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm.association_status import AssociationStatus, standing_of
from fsconsole.slurm.change_set import ChangeSet, change_set
from fsconsole.slurm.cluster_tree import ClusterTree, Key, Numbering
from fsconsole.slurm.desired_state import wanted_of
from fsconsole.slurm.parsers.assoc import COLUMNS, read_assoc
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.slurm.predicted import predicted
from fsconsole.targets.slurm.change_set_applier import apply
from fsconsole.targets.slurm.reading import USAGE_COMMAND
from fsconsole.targets.slurm.reports import ApplyReport
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.clusters import add_group
from tests.slurm.insisting import insisting
from tests.slurm.lab.lab import Lab
from tests.texts import says

_USAGE_FACTOR = 1000  # seconds of tests count as those of hours
_JOBS = (
    *(("games", "ocean", 4), ("games", "climate", 2), ("mail", "ocean", 3), ("uucp", "science", 2)),
    *(("proxy", "imaging", 5), ("backup", "imaging", 1), ("list", "trials", 2), ("daemon", "teaching", 1)),
)


class Cluster:
    """The lab as the program sees it; node ids stay."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.tools = lab, Tools(lab.place, lab.environment)
        self.name = lab.options.cluster
        self._numbering = Numbering()

    def tree(self, staged: ShareTree | None = None) -> ClusterTree:
        asked = ("sacctmgr", "-nP", "show", "assoc", f"cluster={self.name}", f"format={','.join(COLUMNS)}")
        return self._numbering.tree(read_assoc(self.tools.read(asked).stdout, self.name, COLUMNS), staged)

    def standing(self, tree: ClusterTree) -> AssociationStatus:
        return standing_of(tree, read_sshare(self.tools.read(USAGE_COMMAND).stdout), None)

    def fairshares(self) -> dict[Key, tuple[float, float]]:
        """NormShares and FairShare as sshare prints them."""
        found = read_sshare(self.tools.read(USAGE_COMMAND).stdout)
        keys = zip(found.tree.account, found.tree.user, strict=True)
        numbers = zip(found.printed.norm_shares.tolist(), found.printed.fairshare.tolist(), strict=True)
        return {(*key, ""): number for key, number in zip(keys, numbers, strict=True)}

    def apply(self, changes: ChangeSet) -> ApplyReport:
        return apply(self.tools.run, self.name, changes)

    def insist(self, changes: ChangeSet) -> ApplyReport:
        """Apply changes despite what is foreseen now."""
        return self.apply(insisting(self.tools.run, self.name, changes))


@pytest.fixture
def cluster(slurm_lab: Lab) -> Iterator[Cluster]:
    """The cluster, which is afterwards what it was before, whatever a test has done to it."""
    found = Cluster(slurm_lab)
    before = found.tree()
    yield found
    back = change_set(found.tree(), before.shares.copy())
    assert {row.result for row in found.apply(back).rows} <= {Result.DONE}


@pytest.fixture(scope="module")
def used(slurm_lab: Lab) -> Lab:
    """Usage that no job changes any more: all columns speak of the same time."""
    lab = slurm_lab
    lab.run("sacctmgr", "-i", "modify", "qos", "normal", "set", f"usagefactor={_USAGE_FACTOR}")
    lab.await_nodes()
    for user, account, cpus in _JOBS:
        lab.submit(user, account, cpus=cpus)
    lab.wait_until(lambda: set(lab.job_states().values()) == {"RUNNING"}, "all jobs run")
    began_s = _raw(lab)
    lab.wait_until(lambda: len(lab.job_states()) == len(_JOBS) and _age_s(lab) >= 2, "they have run for 2 s")
    lab.cancel_all()
    for _ in range(2):
        lab.calculate()  # the first leaves columns of accounts a calculation behind
    assert _raw(lab) > began_s
    return lab


def _raw(lab: Lab) -> float:
    return float(np.nan_to_num(read_sshare(lab.run(*USAGE_COMMAND).stdout).raw_usage[0]))


def _age_s(lab: Lab) -> int:
    return min(int(line.split(":")[-1]) for line in lab.run("squeue", "-h", "-o", "%M").stdout.split())


def _id(tree: ShareTree, path: str) -> int:
    return tree.find(f"root/{path}").id


def _rework(tree: ShareTree) -> None:
    """Something of everything."""
    SetShares(((_id(tree, "teaching"), 17), (_id(tree, "science/ocean/mail"), 9))).apply(tree)
    Move(_id(tree, "medicine/imaging"), _id(tree, "science"), 0).apply(tree)
    Remove(_id(tree, "science/ocean/games")).apply(tree)
    Remove(_id(tree, "medicine/trials")).apply(tree)
    Move(_id(tree, "science/uucp"), _id(tree, "medicine"), 0).apply(tree)
    chem = add_group(tree, 0, "chem = new lab", 12)
    tree.add(chem.id, "nobody", 3)


def test_what_was_predicted_is_done_and_taken_back(used: Lab, cluster: Cluster) -> None:
    default = "ocean"
    if used.version >= (24, 11):  # which do not let users leave their default account
        default = "climate"
        used.run(
            "sacctmgr", "-i", "modify", "user", "where", "name=games", "set", f"defaultaccount={default}"
        )
    tree = cluster.tree()
    wanted = tree.shares.copy()
    _rework(wanted)
    before, after = _predicted(cluster, tree, wanted)
    _is_as_printed(before, cluster.fairshares())
    report = cluster.insist(change_set(tree, wanted))
    assert {(row.change.on, row.result) for row in report.rows if row.result is not Result.DONE} == set()
    assert report.lag == ""
    assert change_set(cluster.tree(wanted), wanted) == ChangeSet()
    used.calculate()
    _is_as_printed(after, cluster.fairshares())
    back = cluster.apply(report.rollback)
    assert {row.result for row in back.rows} == {Result.DONE}
    assert change_set(cluster.tree(), tree.shares) == ChangeSet()
    defaults = cluster.lab.run("sacctmgr", "-nP", "show", "user", "format=user,defaultaccount").stdout.split()
    assert {f"games|{default}", "uucp|science", "list|trials"} <= set(defaults)


def test_ranks_become_what_was_predicted(used: Lab, cluster: Cluster) -> None:
    used.change(is_fair_tree=True)
    tree = cluster.tree()
    wanted = tree.shares.copy()
    SetShares(((_id(wanted, "teaching"), 17), (_id(wanted, "science/ocean/mail"), 90))).apply(wanted)
    Move(_id(wanted, "medicine/imaging"), _id(wanted, "science"), 0).apply(wanted)
    before, after = _predicted(cluster, tree, wanted, by_rank=True)
    _is_as_printed(before, cluster.fairshares(), by_rank=True)
    cluster.apply(change_set(tree, wanted))
    used.calculate()
    shown = cluster.fairshares()
    _is_as_printed(after, shown, by_rank=True)
    assert before != after
    used.change(is_fair_tree=False)


def _predicted(
    cluster: Cluster, tree: ClusterTree, wanted: ShareTree, *, by_rank: bool = False
) -> tuple[dict[Key, float], dict[Key, float]]:
    """FairShare before, of what stays in its account, and after, of all."""
    shown = predicted(tree, cluster.standing(tree), wanted, by_rank=by_rank)
    key_of = wanted_of(tree, wanted).key_of
    before, after = {}, {}
    for node, was, will in zip(shown.nodes.tolist(), shown.before, shown.after, strict=True):
        if node in key_of:
            after[key_of[node]] = float(will)
        if tree.keys.get(node) == key_of.get(node, ("", "", "")):
            before[tree.keys[node]] = float(was)
    return before, after


def _is_as_printed(
    message: dict[Key, float], shown: dict[Key, tuple[float, float]], *, by_rank: bool = False
) -> None:
    """Ranks exactly; else to what is known of usage, six digits, which count by ln 2 F/S in F."""
    assert len(message) > 12
    for key, found in message.items():
        norm_shares, printed = shown[key]
        if math.isnan(printed):
            assert not key[1]  # of accounts Fair Tree prints none, nor does 26.05 at all
        else:
            steepness = math.log(2) * printed / norm_shares if norm_shares else 0.0
            off = 1e-6 if by_rank else 2e-6 + 2e-6 * steepness
            assert found == pytest.approx(printed, abs=off), key


def _odd(tree: ShareTree, parent: int, name: str, kind: Kind) -> int:
    """A new node of a name in Slurm that need not be a node's."""
    node = Node(tree.new_id(), name.replace("/", "|"), 3, kind)
    node.foreign = {"slurm.name": f"'{name}'", "slurm.label": node.name}
    Insert(parent, 0, (node,)).apply(tree)
    return node.id


def test_names_that_are_taken_come_back_as_they_were_given(cluster: Cluster) -> None:
    tree = cluster.tree()
    wanted = tree.shares.copy()
    nodes = []
    for name in ("a b = c+=ümlaut/%:.@", "x" * 255):
        node = _odd(wanted, 0, name, Kind.GROUP)
        nodes += [node, _odd(wanted, node, f"u {name}"[:255], Kind.USER)]
    report = cluster.apply(change_set(tree, wanted))
    assert {(row.change.on, row.text) for row in report.rows if row.result is not Result.DONE} == set()
    tree = cluster.tree(wanted)
    assert change_set(tree, wanted) == ChangeSet()
    SetShares(tuple((node, 8) for node in nodes[:2])).apply(wanted)
    report = cluster.apply(change_set(tree, wanted))
    assert [(row.result, row.text) for row in report.rows] == [(Result.DONE, "")] * 2


def test_what_runs_is_not_removed(cluster: Cluster) -> None:
    lab = cluster.lab
    lab.await_nodes()
    lab.submit("daemon", "teaching")
    # Of a job that has only just begun slurmdbd does not know, and lets its user be removed.
    lab.wait_until(lambda: "RUNNING" in lab.run("sacct", "-a", "-n", "-u", "daemon").stdout, "it is known")
    tree = cluster.tree()
    wanted = tree.shares.copy()
    Remove(_id(wanted, "teaching")).apply(wanted)
    fields = {row.change.on: (row.result, row.text) for row in cluster.insist(change_set(tree, wanted)).rows}
    lab.cancel_all()
    assert fields["daemon in teaching"][0] is Result.REFUSED
    assert "Job(s) active, cancel job(s) before remove" in fields["daemon in teaching"][1]
    assert fields["bin in teaching"][0] is Result.DONE
    assert fields["teaching"] == (
        Result.NOT_SENT,
        "daemon in teaching is still in it, and would be removed with it",
    )


def _default_account(lab: Lab, user: str) -> str:
    asked = ("sacctmgr", "-nP", "show", "user", "where", f"name={user}", "format=defaultaccount")
    return lab.run(*asked).stdout.strip()


def test_half_of_a_move_is_rolled_back_with_the_default_account(cluster: Cluster) -> None:
    lab = cluster.lab
    lab.await_nodes()
    assert _default_account(lab, "daemon") == "teaching"
    lab.submit("daemon", "teaching")
    lab.wait_until(lambda: "RUNNING" in lab.run("sacct", "-a", "-n", "-u", "daemon").stdout, "it is known")
    tree = cluster.tree()
    wanted = tree.shares.copy()
    Move(_id(wanted, "teaching/daemon"), _id(wanted, "science/ocean"), 0).apply(wanted)
    changes = change_set(tree, wanted)
    held = cluster.apply(changes)
    assert [row.result for row in held.rows] == [Result.NOT_SENT] * 2
    report = cluster.insist(changes)
    assert [row.result for row in report.rows] == [Result.DONE, Result.REFUSED]
    assert _default_account(lab, "daemon") == "ocean"
    back = cluster.apply(report.rollback)
    lab.cancel_all()
    assert [row.result for row in back.rows] == [Result.DONE] * len(back.rows)
    assert back.warnings == ()
    assert _default_account(lab, "daemon") == "teaching"
    assert cluster.tree().keys == tree.keys
    plain = ("sbatch", "--uid=daemon", "--gid=daemon", "-D", "/tmp", "-o", "/dev/null", "--wrap", "true")
    submitted = [line.split()[:3] for line in lab.run(*plain).stdout.splitlines()]
    assert ["Submitted", "batch", "job"] in submitted
    lab.cancel_all()


def test_a_default_account_that_changes_behind_the_question_stays(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, file = cluster.lab, tmp_path / "tree.cfg"
    lab.run("sacctmgr", "-i", "dump", cluster.name, f"file={file}")
    lines, above = [], ""
    for line in file.read_text().splitlines(keepends=True):
        above = line if line.startswith("Parent") else above
        lines += [line] * ("climate" not in above or not line.startswith("User - 'games'"))
    file.write_text("".join(lines))
    first, asked = _default_account(lab, "games"), list[str]()

    def set_default(account: str) -> None:
        where = ("where", "name=games", f"cluster={cluster.name}")
        lab.run("sacctmgr", "-i", "modify", "user", *where, "set", f"defaultaccount={account}")

    def prompt(text: str) -> str:
        asked.append(text)
        set_default("climate")
        return "y"

    set_default("ocean")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", prompt)
    try:
        assert run(["slurm", "apply", str(file), "--remove", "--via", lab.via]) == 1
        assert len(asked) == 1
        assert _default_account(lab, "games") == "climate"
    finally:
        set_default(first)
    out = capsys.readouterr().out
    assert says(out, "slurm.is-default-account-of-so", account="climate", user="games")
    assert ("climate", "games", "") in cluster.tree().keys.values()


def test_without_slurmdbd_nothing_is_tried(cluster: Cluster) -> None:
    tree = cluster.tree()
    wanted = tree.shares.copy()
    SetShares(((_id(wanted, "teaching"), 17),)).apply(wanted)
    cluster.lab.stop("slurmdbd")
    report = cluster.apply(change_set(tree, wanted))
    cluster.lab.start("slurmdbd")
    assert [row.result for row in report.rows] == [Result.NOT_SENT]
    assert says(report.rows[0].text, "targets.slurm.slurmdbd-does-not-respond", where="", why="")


def test_the_command_line_applies_a_dump(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    via = ("--via", cluster.lab.via)
    file = tmp_path / "tree.cfg"
    cluster.lab.run("sacctmgr", "-i", "dump", cluster.name, f"file={file}")
    assert run(["slurm", "diff", str(file), *via]) == 0
    text = file.read_text()
    assert text.count("Fairshare=30") == 1
    file.write_text(text.replace("Fairshare=30", "Fairshare=33"))
    assert run(["slurm", "diff", str(file), *via]) == 1
    assert run(["slurm", "apply", str(file), "--dry-run", *via]) == 0
    capsys.readouterr()
    assert run(["slurm", "apply", str(file), "--yes", "--json", *via]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [(row["on"], row["result"]) for row in data["rows"]] == [("medicine", "done")]
    assert data["back"][0].endswith("set fairshare=30")
    assert run(["slurm", "show", "--json", *via]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert next(row["shares"] for row in rows if (row["account"], row["user"]) == ("medicine", "")) == 33
