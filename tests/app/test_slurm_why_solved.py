"""Each time and each number of shares in an answer is held against a simulation that shares no code with it.

The simulation adds up a tree of Python objects: usage of the idle branch decays second by second as slurmctld
decays it, other users keep theirs, and fairshare follows by the rule of the cluster.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.slurm_why.account import why_account
from fsconsole.app.slurm_why.answer import NoAnswer
from fsconsole.app.slurm_why.associations import why_user, why_users
from fsconsole.app.slurm_why.facts import Facts
from fsconsole.app.slurm_why.remedies import rest_s, start_on_level
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.fairshare import fairshare_of, present_usage
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig, read_scontrol_config
from fsconsole.slurm.parsers.sshare import Sshare, read_sshare
from fsconsole.targets.slurm.location import example_capture
from tests.laws import tries
from tests.slurm.captured import captured
from tests.texts import says, slots_in

_ROOM = "app.slurm_why"
_CLOSE = 1e-9  # Where two values are this near, rounding decides.
_FOLDERS = sorted(Path(__file__).parents[1].glob("data/slurm/*/usage.txt"))


@dataclass(eq=False)
class Node:
    """An association: shares are None for `parent`."""

    account: str
    user: str
    shares: int | None
    usage: float
    over: Node | None
    kids: list[Node] = field(default_factory=list)

    @property
    def above(self) -> Node:
        """The nearest account above with shares of its own."""
        assert self.over is not None
        above = self.over
        while above.over is not None and above.shares is None:
            above = above.over
        return above

    def inside(self) -> list[Node]:
        """Itself and all below it."""
        return [self, *(one for kid in self.kids for one in kid.inside())]


class Simulation:
    """A cluster at a time while one branch is idle, and with other shares of one association."""

    def __init__(self, shares: Sshare, config: SlurmConfig) -> None:
        self.config, self.rows = config, list[Node]()
        tree, used = shares.tree, present_usage(shares.raw_usage, shares.tree.usage)
        for row in range(len(tree)):
            over = self.rows[tree.parent[row]] if row else None
            of_row = None if tree.shares[row] == PARENT_SHARES else int(tree.shares[row])
            one = Node(tree.account[row], tree.user[row], of_row, float(used[row]), over)
            self.rows.append(one)
            if over is not None:
                over.kids.append(one)

    def find(self, account: str, user: str = "") -> Node:
        return next(one for one in self.rows if (one.account, one.user) == (account, user))

    def usage(self, idle: Node | None, time_s: float) -> dict[Node, float]:
        """Usage after a time; what accounts had from users that are gone decays."""
        period_s = self.config.calc_period_s
        kept = (1 - 0.693 / self.config.half_life_s) ** (round(time_s / period_s) * period_s)
        rests = set(idle.inside()) if idle is not None else set()
        found: dict[Node, float] = {}
        for one in reversed(self.rows):
            own = one.usage - sum(kid.usage for kid in one.kids)
            decays = not one.user or one in rests
            found[one] = (kept if decays else 1.0) * own + sum(found[kid] for kid in one.kids)
        return found

    def part(self, one: Node, other: dict[Node, int]) -> float | None:
        """Its part of the shares of its level; None for a level without shares."""
        shares = {
            each: other.get(each, each.shares)
            for each in self.rows[1:]
            if each.shares is not None and each.above is one.above
        }
        total = sum(shares.values())
        return shares[one] / total if total else None

    def level_fs(self, one: Node, usage: dict[Node, float], other: dict[Node, int]) -> float:
        part, level = self.part(one, other) or 0.0, usage[one.above]
        used = usage[one] / level if level else 0.0
        return 0.0 if not part else part / used if used else math.inf

    def classic(self, one: Node, usage: dict[Node, float], other: dict[Node, int]) -> float:
        total = usage[self.rows[0]]

        def effective(one: Node) -> float:
            used = min(usage[one] / total, 1.0) if total else 0.0
            if one.over is None:
                return 1.0
            if one.above is self.rows[0]:
                return used
            part = None if one.shares is None else self.part(one, other)
            over = effective(one.above)
            return over if part is None else used + (over - used) * part

        def norm(one: Node) -> float:
            if one.over is None:
                return 1.0
            part = 1.0 if one.shares is None else self.part(one, other) or 0.0
            return part * norm(one.above)

        share = norm(one)
        return 2 ** (-effective(one) / share / self.config.dampening) if share else 0.0


Lead = Callable[[dict[Node, float], dict[Node, int]], float]
"""By how much something holds, 0 or more, for usage and other shares."""


def _seconds(words: str) -> float:
    units = {"d": 86400, "h": 3600, "min": 60, "s": 1}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"(\d+) (d|h|min|s)\b", words))


def _whole(words: str) -> int:
    return int(re.sub(r"\D", "", words))


def _check_time(at: Simulation, idle: Node, words: str, lead: Lead) -> None:
    """It holds for good from that time on, and not before, within 5 % or one calculation."""
    printed_s, period_s = _seconds(words), at.config.calc_period_s
    off_s = max(0.05 * printed_s, period_s)
    for after in (printed_s + off_s, 2 * printed_s + off_s, 9 * printed_s + off_s):
        assert lead(at.usage(idle, after), {}) >= -_CLOSE
    if printed_s > off_s:
        assert lead(at.usage(idle, printed_s - off_s), {}) <= _CLOSE


def _check_never(at: Simulation, idle: Node, lead: Lead) -> None:
    assert lead(at.usage(idle, 40 * at.config.half_life_s), {}) <= 1e-6


def _check_shares(at: Simulation, one: Node, shares: int, lead: Lead) -> None:
    """They are the least that are enough."""
    usage = at.usage(None, 0)
    assert lead(usage, {one: shares}) >= -_CLOSE
    assert shares == 1 or lead(usage, {one: shares - 1}) <= _CLOSE


def _ahead_by(at: Simulation, first: Node, second: Node) -> Lead:
    """How far one user is ahead of another: by fairshare, or by LevelFS where their branches part."""
    if not at.config.is_fair_tree:
        return lambda usage, other: at.classic(first, usage, other) - at.classic(second, usage, other)
    ways = [[first], [second]]
    for way in ways:
        while way[-1].over is not None:
            way.append(way[-1].above)
    pairs = zip(ways[0][::-1], ways[1][::-1], strict=False)
    one, two = next((one, two) for one, two in pairs if one is not two)

    def lead(usage: dict[Node, float], other: dict[Node, int]) -> float:
        found = [math.inf if each.shares is None else at.level_fs(each, usage, other) for each in (one, two)]
        return 0.0 if found[0] == found[1] else found[0] - found[1]

    return lead


def check_user(facts: Facts, at: Simulation, one: Node) -> None:
    try:
        change = why_user(facts, f"{one.user}@{one.account}").change
    except NoAnswer:
        return
    if at.config.is_fair_tree:
        _check_passing(at, one, change)
        return
    top = one
    while top.over is not None and top.over.over is not None:
        top = top.over

    def lead(usage: dict[Node, float], other: dict[Node, int]) -> float:
        return at.classic(one, usage, other) - 0.5

    if says(change, f"{_ROOM}.that-takes-about-if-and"):
        _check_time(at, top, slots_in(change, f"{_ROOM}.that-takes-about-if-and")["time_s"], lead)
    elif says(change, f"{_ROOM}.time-alone-does-not-bring"):
        _check_never(at, top, lead)
    elif says(change, f"{_ROOM}.rawusage-already-gives-that-fairshare"):
        assert lead(at.usage(None, 0), {}) >= -_CLOSE


def _check_passing(at: Simulation, one: Node, change: str) -> None:
    if not says(change, f"{_ROOM}.passes-levelfs"):
        return
    names = slots_in(change, f"{_ROOM}.passes-levelfs")
    way = [one]
    while way[-1].over is not None:
        way.append(way[-1].over)
    worst = next(each for each in way if (each.user or each.account) == names["name"])
    following = next(
        each for each in at.rows[1:]
        if each is not worst and each.above is worst.above
        and (each.user or each.account) == names["standing"] and not (each.shares is None and not each.user)
    )  # fmt: skip

    def lead(usage: dict[Node, float], other: dict[Node, int]) -> float:
        return at.level_fs(worst, usage, other) - at.level_fs(following, usage, other)

    if says(change, f"{_ROOM}.with-instead-of"):
        _check_shares(at, worst, _whole(slots_in(change, f"{_ROOM}.with-instead-of")["needed"]), lead)
    if says(change, f"{_ROOM}.in-about-if-it-runs"):
        _check_time(at, worst, slots_in(change, f"{_ROOM}.in-about-if-it-runs")["time_s"], lead)


def check_account(facts: Facts, at: Simulation, one: Node) -> None:
    answer = why_account(facts, one.account)
    change = answer.change
    parts = [float(row[2].removesuffix("\xa0%")) for row in answer.rows if row[2]]
    assert not any(parts) or sum(parts) == pytest.approx(100, abs=0.06 * len(parts))

    def lead(usage: dict[Node, float], other: dict[Node, int]) -> float:
        return at.level_fs(one, usage, other) - 1

    if says(change, f"{_ROOM}.nothing-on-level-below-used"):
        assert lead(at.usage(None, 0), {}) >= -_CLOSE
    if says(change, f"{_ROOM}.with-instead-of-its-share"):
        found = slots_in(change, f"{_ROOM}.with-instead-of-its-share")
        assert _whole(found["shares"]) == one.shares
        needed = _whole(found["needed"])
        _check_shares(at, one, needed, lead)
        part = at.part(one, {one: needed})
        assert part is not None
        assert float(found["then"].removesuffix("\xa0%")) == pytest.approx(100 * part, rel=5e-3, abs=5e-4)
    if says(change, f"{_ROOM}.its-usage-falls-to-its"):
        _check_time(at, one, slots_in(change, f"{_ROOM}.its-usage-falls-to-its")["time_s"], lead)


def check_pair(facts: Facts, at: Simulation, first: Node, second: Node) -> None:
    try:
        answer = why_users(facts, *(f"{one.user}@{one.account}" for one in (first, second)))
    except NoAnswer:
        return
    if not says(answer.change, f"{_ROOM}.goes-first-with-of-instead"):
        return
    found = slots_in(answer.change, f"{_ROOM}.goes-first-with-of-instead")
    behind, ahead = (first, second) if found["name"] == first.user else (second, first)
    branch = next(one for one in _way(behind)[::-1] if one not in _way(ahead) and one.shares is not None)
    assert (branch.user or branch.account, branch.shares) == (found["who"], _whole(found["now"]))
    _check_shares(at, branch, _whole(found["wanted"]), _ahead_by(at, behind, ahead))


def _way(one: Node) -> list[Node]:
    return [one] if one.over is None else [one, *_way(one.over)]


def check_all(facts: Facts, most_pairs: int) -> None:
    assert facts.shares is not None
    assert facts.settings is not None
    at = Simulation(facts.shares, facts.settings)
    users = [one for one in at.rows if one.user]
    for one in users:
        check_user(facts, at, one)
    for one in at.rows[1:]:
        if not one.user:
            check_account(facts, at, one)
    pairs = [(one, two) for one, two in combinations(users, 2) if one.user != two.user]
    for first, second in pairs[:: max(1, len(pairs) // most_pairs)]:
        check_pair(facts, at, first, second)


def _lab(is_fair_tree: bool) -> SlurmConfig:
    return SlurmConfig(
        cluster="lab", version="", half_life_s=3600.0, calc_period_s=60.0, dampening=1,
        flags=frozenset() if is_fair_tree else frozenset(("NO_FAIR_TREE",)), weights={}, preempt_type="",
        preempt_mode="", values={},
    )  # fmt: skip


@pytest.mark.parametrize(
    "folder", [example_capture(), *(path.parent for path in _FOLDERS)], ids=lambda path: path.name
)
def test_all_numbers_of_a_capture_folder(folder: Path) -> None:
    config = read_scontrol_config((folder / "settings.txt").read_text())
    check_all(Facts("lab", config, read_sshare((folder / "usage.txt").read_text())), 60)


@pytest.mark.parametrize("name", ["classic-worked", "drained", "fairtree", "parent_tie", "running"])
def test_all_numbers_of_real_output(name: str) -> None:
    shares = read_sshare(captured(f"{name}.psv"))
    check_all(Facts("lab", _lab(shares.is_fair_tree), shares), 60)


@st.composite
def clusters(draw: st.DrawFn) -> Facts:
    """A tree of up to three levels, its usage, and what sshare printed one calculation before."""
    account, user, parent, shares = ["root"], [""], [-1], [0]
    own_shares = st.one_of(st.integers(0, 12), st.just(PARENT_SHARES))
    accounts = [0]

    def add(name: str, whose: str, over: int) -> None:
        account.append(name)
        user.append(whose)
        parent.append(over)
        shares.append(draw(own_shares))

    for number in range(draw(st.integers(1, 5))):
        accounts.append(len(account))
        add(f"a{number}", "", draw(st.sampled_from(accounts[:-1])))
    for number in range(draw(st.integers(2, 7))):
        over = draw(st.sampled_from(accounts))
        add(account[over], f"u{number}", over)
    rows = len(account)
    order = _depth_first(parent)
    place = {row: at for at, row in enumerate(order)}
    tree = Associations(
        tuple(account[row] for row in order), tuple(user[row] for row in order),
        np.array([place.get(parent[row], -1) for row in order]), np.array([shares[row] for row in order]),
        np.zeros(rows),
    )  # fmt: skip
    used = st.one_of(st.just(0.0), st.floats(1, 1e6))
    raw = np.array([round(draw(used)) if name else 0.0 for name in tree.user])
    before = raw * np.array([draw(st.floats(0.9, 1.1)) for _ in range(rows)])
    for column in (raw, before):
        for row in range(rows - 1, 0, -1):
            column[tree.parent[row]] += column[row]
    norm = np.round(before / before[0], 6) if before[0] else np.zeros(rows)
    config = replace(
        _lab(draw(st.booleans())), dampening=draw(st.integers(1, 3)),
        half_life_s=draw(st.sampled_from([600.0, 86400.0, 7 * 86400.0])),
        calc_period_s=draw(st.sampled_from([60.0, 300.0])),
    )  # fmt: skip
    then = replace(tree, usage=norm)
    printed = fairshare_of(then, float(config.dampening), by_rank=config.is_fair_tree)
    return Facts("lab", config, Sshare(then, raw, printed, config.is_fair_tree, ("",) * rows))


def _depth_first(parent: list[int], row: int = 0) -> list[int]:
    kids = [each for each, over in enumerate(parent) if over == row]
    return [row, *(one for kid in kids for one in _depth_first(parent, kid))]


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_time_within_an_account_whose_others_are_hidden(share: float, used: float) -> None:
    facts = Facts("lab", _lab(is_fair_tree=True), None)
    found_s = rest_s(facts, start_on_level(facts, share, used), 1, (1,), lambda now: now.level_fs[0] >= 1)
    assert found_s is not None
    calculation, own = 0, used
    while own / (own + 1 - used) > share + 1e-6:
        calculation, own = calculation + 1, own * (1 - 0.693 / 3600) ** 60
    assert found_s == pytest.approx(60 * calculation, abs=60)


_FORMULAS = re.compile(r"\b(?:log|log2|log1p|exp|exp2|expm1|kept_after|decay_rate|least_number)\(")
_OWN_FORMULAS = {
    "app/forecast/one_user.py": "the paper's equations for one user",
    "app/parameter_effects.py": "parameters of a simulated machine",
    "app/doctor/priority_rules.py": "what is left of a job's first usage; no wait",
    "app/slurm_why/remedies.py": "asks the forecast",
    "console/crash.py": "writes a log",
    "console/live/plots/plot.py": "steps of zoom",
    "console/live/plots/time_axis.py": "steps of zoom",
}


def test_no_other_module_that_makes_sentences_computes_a_decay_or_searches_for_shares() -> None:
    source = Path(__file__).parents[2] / "fsconsole"
    found = {
        path.relative_to(source).as_posix()
        for room in ("app", "cli", "console")
        for path in (source / room).rglob("*.py")
        if _FORMULAS.search(path.read_text("utf-8"))
    }
    assert found == set(_OWN_FORMULAS)


@tries(500)
@given(clusters())
def test_all_numbers_of_any_tree(facts: Facts) -> None:
    check_all(facts, 12)
