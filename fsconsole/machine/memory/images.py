"""The contents of memory: images, each of one process or of all processes of a multitasked job."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Where = Literal["in", "out", "going out", "coming in"]
Sds = Literal["none", "waiting", "held", "reading", "writing", "released"]


@dataclass(slots=True)
class Image:
    """A unit of swapping, and its account. Times are ticks of the machine, sizes clicks of 512 words.

    Attributes:
        pid: pid of its first process.
        clicks: memory that it has, or needs while it is out.
        where: in memory, on the swap device, or on its way.
        since_tick: since when it is there; in_since: since when it is, or last was, in memory.
        left_tick: since when its processes have been held for memory; wants_since: since when it has wanted
            back in, None while it does not.
        grow_to: size with which it comes back in after leaving; growing: whether it is on its way to that
            size.
        marked: whether it is chosen to leave (LCKSWP) and may start no more I/O; locked_until: end of present
            I/O.
        holding: reasons for which its processes are held as soon as a device has served them.
        swaps: number of swap-outs; swap_wait_ticks: time that it has wanted to be in and was not.
        sds_clicks: SDS that it has or needs; sds: state of the SDS; sds_since: start of that state.
        sds_lost: whether its SDS is on the swap device and has to be read back.
        sds_wait_ticks: time waited for SDS.
        settled_tick: when it last finished growing, or got SDS that it had not had before.
        suspended: who suspended it; suspended_for: pid that the daemon makes room for.
        suspended_ticks: time suspended. counted_tick: up to when waits are counted.
        most_clicks, most_sds_clicks: maxima so far.
    """

    pid: int
    clicks: int
    where: Where
    since_tick: int
    in_since: int
    left_tick: int = 0
    wants_since: int | None = None
    grow_to: int | None = None
    growing: bool = False
    marked: bool = False
    locked_until: int = 0
    holding: int = 0
    swaps: int = 0
    swap_wait_ticks: int = 0
    sds_clicks: int = 0
    sds: Sds = "none"
    sds_since: int = 0
    sds_lost: bool = False
    sds_wait_ticks: int = 0
    settled_tick: int = 0
    suspended: Literal["", "daemon", "hand"] = ""
    suspended_for: int = 0
    suspended_ticks: int = 0
    counted_tick: int = 0
    most_clicks: int = 0
    most_sds_clicks: int = 0

    @property
    def in_memory(self) -> bool:
        """True while the image takes up memory, also on its way."""
        return self.where != "out"

    @property
    def has_sds(self) -> bool:
        """True while the image takes up SDS, also while that is written or read."""
        return self.sds in ("held", "reading", "writing")

    def waits_ticks(self, now: int) -> tuple[int, int, int]:
        """Return ticks waited for memory, waited for SDS, and suspended; each tick counts once."""
        swap, sds, begin = self.swap_wait_ticks, self.sds_wait_ticks, self.counted_tick
        if self.suspended:
            return swap, sds, self.suspended_ticks + now - begin
        until = now if self.wants_since is None else max(self.wants_since, begin)
        if self.sds in ("waiting", "reading", "writing"):
            sds += max(0, until - max(self.sds_since, begin))
        return swap + now - until, sds, self.suspended_ticks

    def count_waits(self, now: int) -> None:
        """Count its waits up to now, before it waits for something else."""
        self.swap_wait_ticks, self.sds_wait_ticks, self.suspended_ticks = self.waits_ticks(now)
        self.counted_tick = now

    def to_json(self) -> dict[str, Any]:
        """Return the image as plain data."""
        return asdict(self)
