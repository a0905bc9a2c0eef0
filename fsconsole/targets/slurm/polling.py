"""Schedule for reading the parts of a cluster: often enough to be of use, seldom enough to be no burden.

Every reading is answered by a daemon that schedules the site's jobs. So none takes more than a tenth of the
time, what fails is tried less and less often, and sshare waits for the site's own period, whoever asks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fsconsole.targets.slurm.ssh_faults import LinkFault
from fsconsole.targets.slurm.state import PartName

MOST_BUSY = 0.1  # Reading one part may take no larger fraction of the time.
FIRST_S, BACK_OFF_S = 15.0, 300.0  # The pause after a failure doubles each time.
FRESH_S = 10.0
# A closed link is tried each 10 s for five minutes, then each 30 s: a refused connection costs nothing.
_LINK_S, _LINK_LATER_S, _LINK_SHORT_TRIES = 10.0, 30.0, 30
_SCOUT = PartName.SETTINGS
ORDER = (
    PartName.SETTINGS,
    PartName.JOBS,
    PartName.TREE,
    PartName.USAGE,
    PartName.PARTITIONS,
    PartName.NODES,
    PartName.RESERVATIONS,
    PartName.QOS,
)
# A part is read after the one that it needs.
_NEEDS = {PartName.TREE: PartName.SETTINGS, PartName.USAGE: PartName.TREE}


@dataclass(frozen=True, slots=True)
class PaceOptions:
    """Seconds between two readings of each part, from beginning to beginning.

    Attributes:
        usage_s: at least so long, and never below the site's PriorityCalcPeriod.
    """

    settings_s: float = 600.0
    tree_s: float = 60.0
    usage_s: float = 60.0
    jobs_s: float = 5.0
    hardware_s: float = 30.0

    def of(self, part: PartName) -> float:
        """Return the polling interval of one part."""
        match part:
            case PartName.SETTINGS | PartName.QOS:
                return self.settings_s
            case PartName.TREE:
                return self.tree_s
            case PartName.USAGE:
                return self.usage_s
            case PartName.JOBS:
                return self.jobs_s
        return self.hardware_s


# A capture does not change, so what was read well is not read again.
ONCE = PaceOptions(*[math.inf] * 5)


@dataclass(slots=True)
class _Clock:
    """Of one part: when it began last and is due next, how often it failed in a row."""

    due_s: float = 0.0
    began_s: float | None = None
    well_s: float | None = None  # The last reading that went well began then.
    failures: int = 0
    is_reading: bool = False
    is_wanted: bool = False  # It was requested while it was being read.
    was_tried: bool = False


@dataclass(slots=True)
class Polling:
    """Keeps the times; all are seconds of one clock that never jumps.

    Attributes:
        options: how often.
        calc_period_s: of the site, once it is known.
    """

    options: PaceOptions = field(default_factory=PaceOptions)
    calc_period_s: float = 60.0
    _link_due_s: float | None = None
    _link_failures: int = 0
    _clocks: Mapping[PartName, _Clock] = field(default_factory=lambda: {part: _Clock() for part in PartName})

    def due(self, now_s: float) -> list[PartName]:
        """Return the parts to read now, in the order in which they are to begin.

        While the link to the cluster is closed this is one part at a time, to see whether it is open again.
        """
        if self._link_due_s is not None:
            is_idle = not any(one.is_reading for one in self._clocks.values())
            return [_SCOUT] if is_idle and now_s >= self._link_due_s else []
        return [part for part in ORDER if self._is_due(part, now_s)]

    def next_s(self, part: PartName) -> float:
        """Return the time at which a part is due."""
        if self._link_due_s is not None:
            return self._link_due_s
        return self._clocks[part].due_s

    def soonest_s(self) -> float:
        """Return the time at which the first of those that are not being read is due."""
        if self._link_due_s is not None:
            return self._link_due_s
        return min((one.due_s for one in self._clocks.values() if not one.is_reading), default=float("inf"))

    def began(self, part: PartName, now_s: float) -> None:
        """Note that a reading begins."""
        clock = self._clocks[part]
        clock.is_reading, clock.began_s, clock.is_wanted = True, now_s, False

    def tried(self, part: PartName) -> None:
        """Note that readings that need a part may begin: it has been read, though not yet put in its
        place.
        """
        self._clocks[part].was_tried = True

    def ended(
        self,
        part: PartName,
        now_s: float,
        *,
        failed: bool,
        busy_s: float | None = None,
        fault: LinkFault | None = None,
    ) -> None:
        """Note that a reading has ended.

        Args:
            part: what was read.
            now_s: the time.
            failed: whether it could not be read.
            busy_s: time that the cluster took for it; by default all of it.
            fault: of the link to the cluster, which all parts share.
        """
        clock = self._clocks[part]
        began_s = now_s if clock.began_s is None else clock.began_s
        busy_s = now_s - began_s if busy_s is None else busy_s
        clock.is_reading, clock.was_tried = False, True
        if fault is not None:
            self._close_link(now_s, fault)
            return
        if self._link_due_s is not None:
            self._open_link(now_s)
        if failed:
            if not clock.failures:
                self._doubt_all(now_s)
            clock.failures += 1
            first_s = min(self.options.of(part), FIRST_S)
            clock.due_s = now_s + min(first_s * 2.0 ** min(clock.failures - 1, 30), BACK_OFF_S)
        else:
            if clock.failures:
                self._try_all(now_s)
            clock.failures, clock.well_s = 0, began_s
            clock.due_s = max(now_s, began_s + max(self._usual_s(part), busy_s / MOST_BUSY))
        if clock.is_wanted:
            self.want((part,), now_s)

    def want(self, parts: Iterable[PartName], now_s: float) -> None:
        """Read parts at once, but usage not before Slurm has recalculated it."""
        for part in parts:
            clock = self._clocks[part]
            clock.is_wanted = clock.is_reading
            clock.due_s = min(clock.due_s, max(now_s, self._not_before_s(part)))

    def retry(self, now_s: float) -> None:
        """Try a closed link at once, as a person asks."""
        if self._link_due_s is not None:
            self._link_due_s = now_s

    def _close_link(self, now_s: float, fault: LinkFault) -> None:
        pause_s = _LINK_S if self._link_failures < _LINK_SHORT_TRIES else _LINK_LATER_S
        self._link_failures += 1
        for part, clock in self._clocks.items():
            if part is not PartName.USAGE or clock.well_s is None:
                clock.failures = max(clock.failures, 1)
        self._link_due_s = math.inf if fault.waits_for_person else now_s + pause_s

    def _open_link(self, now_s: float) -> None:
        """Read all parts that were due since the link was closed."""
        self._link_due_s, self._link_failures = None, 0
        self._try_all(now_s)

    def _try_all(self, now_s: float) -> None:
        """Try all that failed before again, now that another part does so again."""
        for clock in self._clocks.values():
            if clock.failures and not clock.is_reading:
                clock.due_s = min(clock.due_s, now_s)

    def _doubt_all(self, now_s: float) -> None:
        """Make parts that were read well before due now, to see whether the whole cluster is away."""
        for part, clock in self._clocks.items():
            is_fresh = clock.began_s is None or now_s - clock.began_s < FRESH_S
            if not (clock.failures or is_fresh or part is PartName.USAGE):
                clock.due_s = min(clock.due_s, now_s)

    def _is_due(self, part: PartName, now_s: float) -> bool:
        clock = self._clocks[part]
        if part in _NEEDS and not self._clocks[_NEEDS[part]].was_tried:
            return False
        return not clock.is_reading and now_s >= clock.due_s

    def _usual_s(self, part: PartName) -> float:
        usual_s = self.options.of(part)
        return max(usual_s, self.calc_period_s) if part is PartName.USAGE else usual_s

    def _not_before_s(self, part: PartName) -> float:
        well_s = self._clocks[part].well_s
        if part is not PartName.USAGE or well_s is None:
            return 0.0
        return well_s + self.calc_period_s
