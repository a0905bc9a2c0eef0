"""A quantity has one value wherever it is shown: in each capture of the tests, and in trees that are made.

Values agree if they can be roundings of one number. While jobs run, what sshare printed and what the next
calculation gives are two quantities, and have two names.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fsconsole.app.doctor.site import Levels
from fsconsole.app.forecast.cluster import read_capture
from fsconsole.app.jobs.columns import columns_of
from fsconsole.app.slurm_why.account import why_account
from fsconsole.app.slurm_why.answer import Answer, NoAnswer
from fsconsole.app.slurm_why.associations import why_user
from fsconsole.app.slurm_why.facts import facts_of_state
from fsconsole.cli.main import run
from fsconsole.resources import resource
from fsconsole.shares.parent_shares import counted_ours
from fsconsole.slurm.forecast import Curves
from fsconsole.slurm.job_labels import job_count
from fsconsole.slurm.job_priority import is_eligible, moved, row_of_each, turn_of
from fsconsole.slurm.jobs import Sort
from fsconsole.slurm.near_dedicated_of import dedicated_view
from fsconsole.slurm.outlook import Outlook
from fsconsole.slurm.parsers.sprio import FORMAT, read_sprio
from fsconsole.slurm.predicted import predicted_by
from fsconsole.slurm.priority_outlook import mix_of_waiting
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.targets.slurm.summary import digest_of
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.capture_state import state_of
from tests.slurm.made_captures import made_capture, made_tree

DATA = Path(__file__).parents[1] / "data" / "slurm"
CAPTURES = sorted(path.parent.name for path in DATA.glob("*/capture.json"))
MADE: dict[str, dict[str, Any]] = {
    "made, classic": {"damping": 2},
    "made, Fair Tree": {"by_rank": True},
    "made, while jobs run": {"has_moved_on": True},
}
_WORD = re.compile(r"([0-9.,]+)\s?%")
Key = tuple[str, str]


class Told(NamedTuple):
    """A value as a surface shows it: what and whose it is, where, and how far rounding may have moved it."""

    name: str
    of: Key
    surface: str
    value: float
    half: float


@pytest.fixture(params=["example", *CAPTURES, *MADE])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A capture folder."""
    name = request.param
    if name in MADE:
        return made_capture(tmp_path / "capture", made_tree([*MADE].index(name) + 1), **MADE[name])
    return resource("slurm-capture") if name == "example" else DATA / name


def test_what_has_one_name_has_one_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = state_of(folder)
    by: dict[tuple[str, Key], list[Told]] = defaultdict(list)
    for told in _told(folder, state, capsys):
        if not math.isnan(told.value):
            by[told.name, told.of].append(told)
    assert {name for name, _ in by} >= {"NormShares", "NormUsage", "RawUsage", "FairShare", "next FairShare"}
    for values in by.values():
        first = values[0]
        for other in values[1:]:
            is_same = math.isinf(first.value) and first.value == other.value
            assert is_same or abs(first.value - other.value) <= first.half + other.half + 1e-12, (
                first,
                other,
            )


def test_jobs_are_counted_by_one_rule(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = state_of(folder)
    digest, columns = digest_of(state), columns_of(state)
    counts = np.bincount(columns.sorts, columns.tasks, minlength=len(Sort)).astype(int)
    by_sort = dict(zip(Sort, counts.tolist(), strict=True))
    assert {sort: digest.counts[sort] for sort in Sort} == by_sort
    listed = _json(capsys, "slurm", "jobs", "--capture", str(folder))
    assert sum(row["tasks"] for row in listed) == sum(by_sort.values()) - by_sort[Sort.FINISHED]
    status = _json(capsys, "slurm", "status", "--capture", str(folder))
    assert status["parts"]["jobs"]["count"] == sum(by_sort.values())
    near = dedicated_view(state.settings, state.partitions, state.nodes, state.jobs, state.reservations, 0.0)
    classes = {one.name: one.counts for one in near.classes if one.tier is not None}
    for use in digest.partitions:
        if use.name in classes:
            assert (use.running, use.waiting) == tuple(
                classes[use.name][sort] for sort in (Sort.RUNNING, Sort.WAITING)
            )
    eligible = [job for job in state.jobs if is_eligible(job)]
    assert moved(state.jobs, lambda _job: 0.0) == (0, job_count(eligible))
    for job in eligible:
        turn = turn_of(job, state.jobs)
        assert turn is not None
        rivals = [one for one in eligible if {*one.partition.split(",")} & {*job.partition.split(",")}]
        assert turn.count == job_count(rivals)


def test_a_priority_now_is_that_of_sprio_and_squeue() -> None:
    folder = resource("slurm-capture")
    state = state_of(folder)
    assert state.settings is not None
    printed = read_sprio(Tools(capture_place(folder)).run(("sprio", "-o", FORMAT)).stdout).items
    rows = row_of_each(printed, state.jobs)
    waiting = {job.job_id: job for job in state.jobs if job.job_id in rows}
    assert waiting
    for number, job in waiting.items():
        assert mix_of_waiting(rows[number], state.settings).printed == job.priority


def _told(folder: Path, state: ClusterState, capsys: pytest.CaptureFixture[str]) -> Iterator[Told]:
    yield from _of_show(_json(capsys, "slurm", "show", "--capture", str(folder)))
    yield from _of_recalculated(_json(capsys, "slurm", "fairshare", str(folder)))
    yield from _of_tree_show(_json(capsys, "tree", "show", str(folder)), state)
    yield from _of_why(state)
    yield from _of_forecast(folder, state)
    yield from _of_doctor(state)


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def _of_show(rows: list[dict[str, Any]]) -> Iterator[Told]:
    names = {
        "norm_shares": "NormShares",
        "norm_usage": "NormUsage",
        "fairshare": "FairShare",
        "level_fs": "LevelFS",
    }
    for row in rows:
        of = row["account"], row["user"]
        yield Told("RawUsage", of, "show", _plain(row["raw_usage"]), 0.5)
        for key, name in names.items():
            yield Told(name, of, "show", _plain(row[key]), 0.5e-6)


def _of_recalculated(rows: list[dict[str, Any]]) -> Iterator[Told]:
    """Yield NormShares alone: usage has six digits, and what follows from it has fewer."""
    for row in rows:
        yield Told("NormShares", (row["account"], row["user"]), "fairshare", _plain(row["norm_shares"]), 1e-9)


def _of_tree_show(rows: list[dict[str, Any]], state: ClusterState) -> Iterator[Told]:
    """Yield shares of nodes that are not counted our way, which are NormShares: of the level by Fair Tree."""
    assert state.tree is not None
    assert state.settings is not None
    shares, ours = state.tree.shares, counted_ours(state.tree.shares)
    path_of = {path: node for node, path in shares.paths().items()}
    key = "part_of_parent" if state.settings.is_fair_tree else "machine_share"
    for row in rows:
        node = path_of[row["path"]]
        is_of_account = state.settings.is_fair_tree and _takes_parent_above(state, node)
        if node not in ours and not is_of_account and shares.node(node).parent is not None:
            yield Told("NormShares", state.tree.keys[node][:2], "tree show", float(row[key]), 1e-9)


def _takes_parent_above(state: ClusterState, node: int) -> bool:
    """Return True below or beside an account with the share `parent`, where Fair Tree's level is another."""
    assert state.tree is not None
    tree = state.tree.stored.tree
    row = state.tree.nodes.index(node)
    beside = np.flatnonzero(tree.parent == tree.parent[row])
    return bool(np.any(tree.takes_parents[[*beside, tree.parent[row]]]))


def _of_why(state: ClusterState) -> Iterator[Told]:
    """Yield the numbers of the texts for a ticket, as they are printed."""
    assert state.tree is not None
    facts = facts_of_state(state)
    tree = state.tree.stored.tree
    for account, user in zip(tree.account, tree.user, strict=True):
        try:
            answer = why_user(facts, f"{user}@{account}") if user else why_account(facts, account)
        except NoAnswer:
            continue
        yield from _of_user(answer, account, user) if user else _of_account(answer, account)


def _of_user(answer: Answer, account: str, user: str) -> Iterator[Told]:
    found = re.search(r"has fairshare ([0-9.]+)", answer.sentences[0])
    assert found is not None
    yield _printed("FairShare", (account, user), "why, sentence", found[1])
    last = dict(zip(answer.columns, answer.rows[-1], strict=True))
    for name in ("NormShares", "NormUsage", "EffectvUsage", "FairShare", "LevelFS"):
        if last.get(name):
            yield _printed(name, (account, user), "why, table", last[name])
    for row in answer.rows[:-1]:
        above = dict(zip(answer.columns, row, strict=True))
        yield _printed("NormUsage", (above["Level"].strip(), ""), f"why {user}, table", above["NormUsage"])


def _of_account(answer: Answer, account: str) -> Iterator[Told]:
    percents = _WORD.findall(answer.sentences[0])
    yield _printed("NormUsage", (account, ""), "why, sentence", percents[-1], 100.0)
    for row in answer.rows:
        below = dict(zip(answer.columns, row, strict=True))
        if below["FairShare"] and not below["Below it"].endswith(" more"):
            of = (account, below["Below it"])
            yield _printed("FairShare", of, "why account", below["FairShare"])


def _of_forecast(folder: Path, state: ClusterState) -> Iterator[Told]:
    """Yield a forecast at time 0, and what is predicted of no change: both are of the next calculation."""
    assert state.tree is not None
    assert state.standing is not None
    assert state.settings is not None
    cluster = read_capture(folder)
    start = Outlook(cluster.tree, damping=cluster.damping, by_rank=cluster.is_fair_tree)
    rows = range(1, len(cluster.tree))
    found = Curves(start, rows, has_members=True).at(np.zeros(1))
    for place, row in enumerate(rows):
        of = cluster.tree.account[row], cluster.tree.user[row]
        yield Told("RawUsage", of, "forecast", float(found.usage_s[place, 0]), 1.5)
        if of[1] or not cluster.is_fair_tree:
            yield Told("next FairShare", of, "forecast", float(found.fairshare[place, 0]), 1e-9)
    changed = predicted_by(state.settings, state.tree, state.standing, state.tree.shares)
    assert not changed.changed
    for node, value in zip(changed.nodes.tolist(), changed.before.tolist(), strict=True):
        if state.tree.shares.node(node).parent is not None:
            yield Told("next FairShare", state.tree.keys[node][:2], "expected", value, 1e-9)


def _of_doctor(state: ClusterState) -> Iterator[Told]:
    """Yield the shares that the doctor compares, by the classic rule those of sshare."""
    assert state.tree is not None
    assert state.settings is not None
    if state.settings.is_fair_tree:
        return
    stored = state.tree.stored.tree
    for row, part in enumerate(Levels.of_associations(stored).parts()):
        yield Told("NormShares", (stored.account[row], stored.user[row]), "doctor", part, 1e-9)


def _plain(value: float | str | None) -> float:
    return math.nan if value is None else float(value)


def _printed(name: str, of: Key, surface: str, text: str, scale: float = 1.0) -> Told:
    """Return a number with half of its last digit as what rounding may have moved it."""
    digits = text.replace(",", "")
    return Told(
        name, of, surface, float(digits) / scale, 0.5 * 10.0 ** -len(digits.partition(".")[2]) / scale
    )
