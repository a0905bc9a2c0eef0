"""A cluster as a target of the console: data read from it, computed in a thread and kept over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from fsconsole.shares.flat import Floats
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.parent_shares import how_counted
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import (
    EXPLAINER,
    HOLD,
    REFRESH,
    About,
    Capability,
    Choice,
    Clock,
    Moment,
    Note,
    Offers,
    PastMoment,
    Status,
)
from fsconsole.targets.events import Event
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.diary import Diary
from fsconsole.targets.slurm.explain import ClusterExplanation, explain
from fsconsole.targets.slurm.gaps import stale_since
from fsconsole.targets.slurm.history import ClusterHistory
from fsconsole.targets.slurm.link_words import link_words
from fsconsole.targets.slurm.location import clock_of
from fsconsole.targets.slurm.state import ClusterState, Part, PartName
from fsconsole.targets.slurm.summary import ClusterSummary, digest_of
from fsconsole.text import moments

T = TypeVar("T")
_PRINTED = frozenset(("norm_shares", "effective_usage", "fairshare", "level_fs"))
LAGS = "~"
_LOOK_MS, _WORKING_MS = 250, 20
_MOST_EVENTS = 200
_FIRST_CURVES = 5
_SILENT = frozenset(("arm", "disarm"))
QUANTITIES = ("fairshare", "effective_usage", "norm_usage", "level_fs", "cpus", "running", "waiting")
# Values of these columns are as old as the reading of their part.
PART_OF = {
    "raw_shares": PartName.TREE,
    "norm_shares": PartName.USAGE,
    "norm_usage": PartName.USAGE,
    "effective_usage": PartName.USAGE,
    "fairshare": PartName.USAGE,
    "level_fs": PartName.USAGE,
    "raw_usage": PartName.USAGE,
    "cpu_count": PartName.JOBS,
    "waiting": PartName.JOBS,
}


def _usage(name: str) -> Callable[[ClusterSummary], Floats | None]:
    def column(digest: ClusterSummary) -> Floats | None:
        standing = digest.state.standing
        if standing is None:
            return None
        found: Floats = getattr(standing.printed if name in _PRINTED else standing, name)
        return found

    return column


def _raw_shares(digest: ClusterSummary) -> Floats | None:
    """Return raw shares as stored; NaN for the root, which has none."""
    if digest.index is None:
        return None
    shares = digest.index.tree.stored.tree.shares.astype(np.float64)
    shares[:1] = math.nan
    return shares


_COLUMNS: Mapping[str, Callable[[ClusterSummary], Floats | None]] = {
    "raw_shares": _raw_shares,
    **{name: _usage(name) for name, part in PART_OF.items() if part is PartName.USAGE},
    "cpu_count": lambda digest: digest.cpus,
    "waiting": lambda digest: digest.waiting,
}


class ClusterMoment:
    """A cluster as it was read last.

    Attributes:
        digest: what was read, and what it comes to.
    """

    def __init__(
        self, time_s: float, digest: ClusterSummary, history: ClusterHistory, troubles: Mapping[PartName, str]
    ) -> None:
        self.time_s, self.digest = time_s, digest
        self._history, self._troubles = history, troubles

    def values(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return the values at this time, [nodes]; NaN while they could not be read."""
        return self._history.readings(quantity).values_at(quantity, nodes, self.time_s)

    def last_known(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return the last values, however old they are, [nodes]; NaN for none."""
        values = np.full(len(nodes), np.nan)
        column, index = _COLUMNS[quantity](self.digest), self.digest.index
        if column is not None and index is not None:
            rows = np.array([index.row_of.get(node, len(column)) for node in nodes], np.int64)
            known = rows < len(column)
            values[known] = column[rows[known]]
        return values

    def remark(self, node: int) -> str:
        """Return a remark if the cluster does not have a node; else empty."""
        index = self.digest.index
        return "" if index is None or node in index.row_of else "staged, not on the cluster"

    def note(self, quantity: str, node: int) -> Note:
        """Describe shares of the parent, parts counted otherwise in Design, and fairshare that lags."""
        if quantity == "raw_shares":
            is_parents = self.last_known(quantity, (node,))[0] == PARENT_SHARES
            return Note(text="parent" if is_parents else "")
        if quantity == "norm_shares" and self.digest.index is not None:
            tree = self.digest.index.tree.shares
            return Note(tip=how_counted(tree, node) if node in tree else "")
        if PART_OF.get(quantity) is not PartName.USAGE or self.digest.state.standing is None:
            return Note()
        lag = self.digest.state.standing.lagging.get(node, "")
        if not lag or quantity != "fairshare":
            return Note(tip=lag)
        return Note(mark=LAGS, tip=f"{LAGS} is the value from sshare, which lags behind. {lag}")

    def trouble(self, quantity: str) -> str:
        """Describe the age of values that could not be read since."""
        part = PART_OF.get(quantity)
        return "" if part is None else self._troubles.get(part, "")


class ClusterSource:
    """Follows a cluster, one state at a time; a state that another one overtakes is left out.

    Implements `targets.base.Target`. Times are seconds since midnight, as `ClusterHistory` counts them.

    Attributes:
        cluster: what reads and acts.
        history: what was read since the cluster was connected; it goes on while what is shown is held.
        shown: what views show, which can be held; None until the first state is computed.
        newest: that of the newest state, whatever is held; None until there is one.
        now: the cluster's time in seconds since 1970; that of a capture stands still.
        diary: writes down what is read; None where that is not wanted.
    """

    quantities = QUANTITIES
    columns = tuple(PART_OF)
    fault = fault_report = ""
    rescaled: frozenset[str] = frozenset()
    has_factors = False
    node_title, root_title = "Association", ""
    is_moving = True

    def __init__(self, cluster: ClusterTarget, now: Callable[[], float] | None = None) -> None:
        self.cluster = cluster
        self.now = now or clock_of(cluster.place.prefix)
        self.history = ClusterHistory(self.now())
        self.shown: ClusterSummary | None = None
        self.newest: ClusterSummary | None = None
        self.diary: Diary | None = None
        self._diary_problem = ""
        self._is_held = False
        self._serial = 0
        self._taken: ClusterState | None = None
        self._working: Future[ClusterSummary] | None = None
        self._worker = ThreadPoolExecutor(1, "digest")
        self._events: tuple[object, tuple[Event, ...]] = (None, ())
        self._offers = Offers()
        self._offers.add(HOLD, self)
        self._offers.add(REFRESH, self)
        self._offers.add(EXPLAINER, self)
        self.look()

    def keep_diary(self, diary: Diary) -> None:
        """Write each reading into the diary, from the newest state on."""
        self.diary, self._taken = diary, None

    @property
    def name(self) -> str:
        """Name of the cluster."""
        return self.cluster.state().name

    @property
    def clock(self) -> Clock:
        """Clock times, since the cluster was connected."""
        return Clock(self.history.began_s, None, self.history.base_s)

    @property
    def now_s(self) -> float:
        """The cluster's time; while the display is frozen, the time of the data on it."""
        return self.now() - self.history.base_s

    @property
    def look_ms(self) -> int:
        """Four times a second, and more often while a state is being computed."""
        return _LOOK_MS if self._working is None else _WORKING_MS

    def look(self) -> int:
        """Adopt the newest state."""
        if self._working is not None and self._working.done():
            done, self._working = self._working, None
            self.newest = done.result()
            self._serial += 1
            if not self._is_held:
                self.shown = self.newest
        state = self.cluster.state()
        if self._working is None and state is not self._taken:
            self._taken = state
            self._working = self._worker.submit(self._work, state, self.newest)
            self._serial += 1
        if self.diary is not None and self.diary.problem != self._diary_problem:  # from its thread
            self._diary_problem = self.diary.problem
            self._serial += 1
        return self._serial

    def _work(self, state: ClusterState, before: ClusterSummary | None) -> ClusterSummary:
        """Compute the summary of a state, in the thread."""
        digest = digest_of(state, before)
        now_s = self.now()
        self.history.take(digest, now_s)
        if (diary := self.diary) is not None:
            diary.take(digest, now_s)
        return digest

    def status(self) -> Status:
        """Return the state of the link to the cluster."""
        state = self.cluster.state()
        words = link_words(state, self.now(), state.captured_s)
        return Status(words.status, words.tip)

    def tree(self) -> ShareTree | None:
        """Return the tree as the cluster has it."""
        tree = self.cluster.state().tree
        return None if tree is None else tree.shares

    def at(self, time_s: float | None = None) -> ClusterMoment | PastMoment | None:
        """Return the present state, or the last reading before a time."""
        if time_s is not None:
            return PastMoment(time_s, self._value_at)
        if self.shown is None:
            return None
        state = self.cluster.state()
        troubles = {part: words for part in PartName if (words := stale_since(state, part))}
        return ClusterMoment(self.now_s, self.shown, self.history, troubles)

    def _value_at(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        return self.history.readings(quantity).values_at(quantity, nodes, time_s)

    def times(self, start_s: float, end_s: float, _points: int | None = None) -> Floats:
        """Return the times at which usage or jobs were read, s on the target's clock, [k]."""
        both = (self.history.usage, self.history.work)
        return np.unique(np.concatenate([readings.sample_times(start_s, end_s) for readings in both]))

    def span_at(self, time_s: float) -> tuple[float, float]:
        """Return one time, as readings are never merged."""
        return time_s, time_s

    def keep(self, _times: Iterable[float]) -> None:
        """Keep readings as they were read."""

    def revision(self, quantity: str) -> int:
        """Return a number that grows with each reading."""
        return self.history.readings(quantity).revision

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Return times in s on the target's clock, [k], and values that were read, [nodes, k]."""
        return self.history.readings(quantity).curves(quantity, nodes, start_s, end_s, points)

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s on the target's clock, smallest and largest of what was read over nodes, [k]
        each.
        """
        return self.history.readings(quantity).band(quantity, nodes, start_s, end_s, points)

    def watch(self, _nodes: Iterable[int]) -> None:
        """Do nothing, as all associations are kept."""

    def events(self) -> Sequence[Event]:
        """Return the changes made from here since the cluster was connected.

        What was refused changed nothing, and who is armed changes nothing in the cluster.
        """
        rows = () if self.shown is None else self.shown.state.audit
        if rows is not self._events[0]:
            base_s, since_s = self.history.base_s, self.history.began_s
            done = [row for row in rows if row.done and row.action not in _SILENT]
            events = [
                Event(row.tick - base_s, (f"{row.action} {row.on}".strip(),))
                for row in done
                if row.tick - base_s >= since_s
            ]
            self._events = (rows, tuple(events[-_MOST_EVENTS:]))
        return self._events[1]

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        """Return the quantities to show first; LevelFS applies under Fair Tree alone."""
        left_out = (self.unused() or {"norm_usage"}) | ({"norm_usage"} if is_low else set())
        return tuple(name for name in QUANTITIES if name not in left_out)

    def unused(self) -> frozenset[str]:
        """Return LevelFS without Fair Tree."""
        settings = self.cluster.state().settings
        is_fair_tree = settings is not None and settings.is_fair_tree
        return frozenset() if is_fair_tree else frozenset(("level_fs",))

    def choices(self) -> tuple[Choice, ...]:
        """Return the users with most usage, those with most work, and accounts."""
        return (
            Choice(f"{_FIRST_CURVES} users with most usage", self._largest, "No user has usage."),
            Choice(f"{_FIRST_CURVES} users with most work", self._busiest),
            Choice("Accounts", _accounts),
        )

    def _largest(self, tree: ShareTree) -> tuple[int, ...]:
        """Return users with most usage; those with most work if no usage is known."""
        if self.shown is None:
            return ()
        state = self.shown.state
        standing, usage = state.standing, state.parts.get(PartName.USAGE, Part())
        if standing is None and not usage.problem:
            return ()  # The part is still being read.
        used = () if standing is None else self._users_by(np.nan_to_num(standing.norm_usage))
        return used or self._busiest(tree)

    def _busiest(self, _tree: ShareTree) -> tuple[int, ...]:
        """Return users with most CPUs, then with most jobs that wait."""
        shown = self.shown
        if shown is None:
            return ()
        return self._users_by(shown.cpus + shown.waiting / (1 + shown.waiting.max(initial=0)))

    def _users_by(self, weight: Floats) -> tuple[int, ...]:
        index = None if self.shown is None else self.shown.index
        if index is None or len(weight) != len(index.tree.nodes):
            return ()
        users = np.flatnonzero(index.tree.stored.tree.is_user & (weight > 0))
        most = users[np.argsort(-weight[users], kind="stable")[:_FIRST_CURVES]]
        return tuple(index.tree.nodes[row] for row in np.sort(most).tolist())

    def about(self) -> About:
        """Return the readings in words, with the time of the first."""
        state = self.cluster.state()
        began = moments.whole(self.history.base_s + self.history.began_s)
        settings = {} if state.settings is None else {"slurm_version": state.settings.version}
        origin = f"read from the cluster since {began}, values to 7 digits"
        return About(state.name, f"Slurm cluster {state.name}", settings, origin)

    def offer(self, capability: Capability[T]) -> T | None:
        """Offer to freeze the display, and to read again."""
        return self._offers.get(capability)

    def close(self, *, wait: bool = False) -> None:
        """End the thread; the cluster is closed by whoever opened it."""
        self._worker.shutdown(wait=wait, cancel_futures=True)
        if (diary := self.diary) is not None:
            diary.close()

    # -- what only a cluster offers -----------------------------------------------------------------------

    @property
    def is_held(self) -> bool:
        """True while the display is frozen, though reading continues."""
        return self._is_held

    def hold(self, *, is_held: bool) -> None:
        """Show no other values from now on, or the newest ones again."""
        if is_held != self._is_held:
            self._is_held = is_held
            self.shown = self.shown if is_held else self.newest
            self._serial += 1

    def refresh(self) -> None:
        """Read all parts that may be read now."""
        self.cluster.refresh()

    def _digest_at(self, at: Moment | None) -> ClusterSummary | None:
        if at is None:
            return self.newest
        if isinstance(at, ClusterMoment):
            return at.digest
        raise LookupError("of a past time, for which only values were recorded")

    def why(
        self,
        node: int,
        other: int | None = None,
        pid: int | None = None,
        *,
        at: Moment | None = None,
    ) -> Future[ClusterExplanation]:
        """Explain it with the data read by then; that takes no time worth a thread."""
        asked: Future[ClusterExplanation] = Future()
        stale = stale_since(self.cluster.state(), PartName.USAGE)
        try:
            asked.set_result(explain(self._digest_at(at), node, other, stale))
        except LookupError as error:
            asked.set_exception(error)
        return asked


def _accounts(tree: ShareTree) -> tuple[int, ...]:
    """Return all accounts but the root; of very many only some have a curve."""
    return tuple(node.id for node in tree.walk() if node.is_group and node.parent is not None)
