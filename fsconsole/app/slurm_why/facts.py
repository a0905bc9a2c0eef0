"""What an answer is computed from: settings, what sshare printed, jobs; read once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from fsconsole.app.slurm_why.answer import NoAnswer
from fsconsole.slurm.associations import Floats, Ints
from fsconsole.slurm.insight import Measured, name_of
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE, SlurmConfig
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.parsers.sshare import Sshare
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.text.durations import length_words
from fsconsole.text.words import listed

_NAMED = 6
_HIDES = ("usage", "users", "accounts", "jobs")


@dataclass(frozen=True, eq=False, slots=True)
class LimitFacts:
    """Who may use how much.

    Attributes:
        stored: associations with their limits; None where they were not read.
        qos: as far as they were read.
        problem: why something of both is not there, in a sentence; empty where nothing is wrong.
    """

    stored: StoredAssociations | None = None
    qos: tuple[Qos, ...] = ()
    problem: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Facts:
    """A cluster as one user may see it.

    Attributes:
        cluster: its name.
        settings: None where they could not be read.
        shares: what sshare printed; None where it was not asked or did not answer.
        jobs, partitions: as far as they were read.
        priorities: asks for the priorities of waiting jobs by number; none where the cluster does not say.
        problems: why a part could not be read, by the part's name.
        as_of_s: seconds since 1970; None where it is not known.
        limits: reads limits where a job waits for one: associations take sacctmgr long on large clusters.
    """

    cluster: str
    settings: SlurmConfig | None
    shares: Sshare | None = None
    jobs: tuple[Job, ...] = ()
    partitions: tuple[Partition, ...] = ()
    priorities: Callable[[Sequence[Job]], Mapping[int, JobPriority]] = lambda _jobs: {}
    problems: Mapping[str, str] = field(default_factory=dict)
    as_of_s: float | None = None
    limits: Callable[[], LimitFacts] = LimitFacts

    def about(self, what: str) -> str:
        """Title of an answer: what it is about, where and when."""
        if self.as_of_s is None:
            return f"{what}, cluster {self.cluster}"
        at = datetime.fromtimestamp(self.as_of_s, UTC).astimezone()
        return f"{what}, cluster {self.cluster}, {at:%Y-%m-%d %H:%M}"

    @property
    def half_life_s(self) -> float:
        """In which usage decays to a half; infinite where it does not, or that is not known."""
        return math.inf if self.settings is None else self.settings.half_life_s

    def hidden(self) -> tuple[str, ...]:
        """What the cluster does not show to users without admin rights, in a sentence."""
        private = "" if self.settings is None else self.settings.values.get("privatedata", "")
        kinds = [kind for kind in _HIDES if self.settings is not None and kind in self.settings.private]
        if not kinds:
            return ()
        hides = f"Slurm may hide {listed(kinds)} of others from the user who asked"
        return (f"PrivateData={private}: {hides}. Ranks and places count what is shown.",)


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """The associations that sshare printed, with what follows from them.

    Attributes:
        measured: as `insight.why` takes them.
        users: rows of users.
        cluster_shares: part of the cluster that the shares of each row come to, float64 [rows].
        below: number of users at or below each row, int64 [rows].
    """

    measured: Measured
    users: Ints
    cluster_shares: Floats
    below: Ints

    @classmethod
    def of(cls, facts: Facts) -> Standing:
        """Put sshare's rows in order; NoAnswer where there are none, or their rule is not known."""
        settings, shares = facts.settings, facts.shares
        if shares is None:
            raise NoAnswer(facts.problems.get("usage") or "sshare was not read.")
        if settings is not None and settings.is_depth_oblivious:
            raise NoAnswer(f"Who goes before whom cannot be said: {UNKNOWN_RULE}.")
        tree = shares.tree
        above = tree.shares_parent()
        level_shares = tree.level_shares(above)
        is_fair_tree = shares.is_fair_tree if settings is None else settings.is_fair_tree
        measured = Measured(tree, above, level_shares, tree.usage, shares.printed, is_fair_tree)
        part = np.divide(
            np.where(tree.takes_parents, 0, tree.shares), level_shares,
            out=np.zeros(len(tree)), where=level_shares > 0,
        )  # fmt: skip
        part[0] = 1.0
        whole, parents = part.tolist(), tree.parent.tolist()
        takes, near = tree.takes_parents.tolist(), above.tolist()
        below = tree.is_user.astype(np.int64)
        for row in range(1, len(whole)):
            whole[row] = whole[near[row]] if takes[row] else whole[row] * whole[near[row]]
        counts = below.tolist()
        for row in range(len(counts) - 1, 0, -1):
            counts[parents[row]] += counts[row]
        users = np.flatnonzero(tree.is_user)
        return cls(measured, users, np.array(whole), np.array(counts, np.int64))

    def rank(self, row: int) -> tuple[int, int]:
        """Place of a user by fairshare, 1 for the highest, and how many users are shown."""
        factors = self.measured.fairshare.fairshare[self.users]
        mine = self.measured.fairshare.fairshare[row]
        return int(np.sum(factors > mine)) + 1, len(self.users)

    def siblings(self, row: int) -> Ints:
        """Rows on the level of a row, itself among them."""
        return np.flatnonzero(self.measured.above == self.measured.above[row])

    def user(self, name: str, shares: Sshare) -> tuple[int, tuple[str, ...]]:
        """Row of a user, written `anna`, `anna@ocean` or `anna@ocean/gpu` for one in a partition.

        Of several associations it is the one with most usage, and a remark names the others. NoAnswer
        where there is none.
        """
        tree = self.measured.tree
        user, _, rest = name.partition("@")
        account, _, partition = rest.partition("/")
        found = [
            row
            for row, (one, where) in enumerate(zip(tree.user, tree.account, strict=True))
            if one == user
            and account in ("", where)
            and partition in ("", shares.partition[row] if shares.partition else "")
        ]
        if not found:
            where = f" in account {account}" if account else ""
            raise NoAnswer(f"sshare shows no user {user!r}{where}.{self._near(user, tree.user)}")
        row = max(found, key=lambda one: float(np.nan_to_num(tree.usage[one])))
        if len(found) == 1:
            return row, ()
        partitions = shares.partition or ("",) * len(tree)
        places = {one: f"{user}@{_place(tree.account[one], partitions[one])}" for one in found}
        others = listed([places[one] for one in found if one != row], _NAMED)
        has_usage = float(np.nan_to_num(tree.usage[row])) > 0
        why = "has most usage" if has_usage else "is shown, as none has usage"
        return row, (f"{user} has {len(found)} associations; {places[row]} {why}. Others: {others}.",)

    def account(self, name: str) -> int:
        """Row of an account; NoAnswer where there is none."""
        tree = self.measured.tree
        for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
            if account == name and not user:
                return row
        accounts = [one for one, user in zip(tree.account, tree.user, strict=True) if not user]
        raise NoAnswer(f"sshare shows no account {name!r}.{self._near(name, accounts)}")

    @staticmethod
    def _near(name: str, known: Sequence[str]) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, sorted(set(known) - {""})[:20_000], 1, 0.7)
        return f" Did you mean {near[0]!r}?" if near else ""


def _place(account: str, partition: str) -> str:
    return f"{account}/{partition}" if partition else account


def until_decayed(facts: Facts, factor: float) -> str:
    """How long usage takes to fall to a part of what it is, in words; empty where it does not decay."""
    half_life_s = facts.half_life_s
    if not 0 < factor < 1 or not math.isfinite(half_life_s):
        return ""
    time_s = -math.log2(factor) * half_life_s
    step_s = next((unit for unit in (3600.0, 60.0) if time_s >= 10 * unit), 1.0)  # it is a rough figure
    return length_words(round(time_s / step_s) * step_s)


def way_to(standing: Standing, row: int) -> list[int]:
    """Rows from the level below the root down to a row."""
    way = [row]
    while standing.measured.tree.parent[way[-1]] > 0:
        way.append(int(standing.measured.tree.parent[way[-1]]))
    return [one for one in reversed(way) if one]


def named(standing: Standing, row: int) -> str:
    """The user's or the account's name."""
    return name_of(standing.measured.tree, row)


def facts_of_state(
    state: ClusterState,
    priorities: Callable[[Sequence[Job]], Mapping[int, JobPriority]] = lambda _jobs: {},
) -> Facts:
    """Return the facts of a cluster as it was read last."""
    tree, standing, settings = state.tree, state.standing, state.settings
    shares = None
    if tree is not None and standing is not None and len(standing.norm_usage) == len(tree.nodes):
        stored = tree.stored
        shares = Sshare(
            replace(stored.tree, usage=np.nan_to_num(standing.norm_usage)),
            standing.raw_usage,
            standing.printed,
            settings is not None and settings.is_fair_tree,
            stored.partition,
        )
    moments = [part.as_of_s for part in state.parts.values() if part.as_of_s is not None]
    return Facts(
        state.name,
        settings,
        shares,
        state.jobs,
        state.partitions,
        priorities,
        {str(name): part.problem for name, part in state.parts.items() if part.problem},
        max(moments, default=None),
        lambda: LimitFacts(tree.stored if tree is not None and tree.is_complete else None, state.qos),
    )
