"""Memory section of a scenario: memory, the swap device and the secondary data segment (SDS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.shares.scenario.ranges import NEAR_DEDICATED, OURS, Range, outside, setting

# 1 click is 512 words and 1 MW is 2^20 words: 430080 clicks of the paper's report are 210.0 MW.
CLICKS_PER_MW = 2048
_SIZE, _SPEED = Range(0, 2.0**20, unit="MW"), Range(1e-3, 2.0**20, unit="MW/s")
_OFTEN, _LONG, _FACTOR = Range(0.1, 86400, unit="s"), Range(0, 31536000, unit="s"), Range(0, 1e9)


@dataclass(frozen=True, slots=True)
class MemorySpec:
    """Memory, the swap device and SDS, and how they are scheduled (Brady et al. sections 3.1.3, 3.1.4).

    Attributes:
        size_mw: memory for users, in MW; 0 leaves memory out: everything is always resident.
        swap_mw_per_s: bandwidth of the swap device, which does one transfer at a time.
        pass_s: time between two passes of the memory scheduler while it has something to do.
        min_residence_s: what has been swapped in stays at least so long.
        share_aware: swap priorities look at shares (pfactor_in, pfactor_out).
        pfactor_in: weight of the share priority of what is in memory.
        pfactor_out: weight of the share priority of what is swapped out.
        tfactor_in: what the priority to stay loses for each second in memory; with 0, images of one share
            priority do not make room for each other.
        tfactor_out: what the priority to stay out loses for each second out of memory.
        size_factor: what the priority to stay loses, and the priority to stay out gains, for each MW.
        nice_factor: what the priority to stay loses, and the priority to stay out gains, for each step of the
            first process's nice value above 0.
        hard_sleep: hard sleepers leave `first`, whatever their priority (the fault), or by `priority`.
        tfactor_in_hs: with `priority`, what the priority to stay loses for each second of hard sleep.
        lckswp: who is chosen and does locked I/O is marked (LCKSWP), may start no more I/O and leaves when
            it is done; else the image is passed over (the fault).
        persistence: the scheduler keeps at the image it makes room for, counting swap-outs and marks up and
            passes down; else it gives up as soon as one cannot leave at once (the fault, swap thrashing).
        cpu_factor: images besides the best one are brought in only while those in memory have fewer runnable
            processes than this times the processors; 0 for no such limit.
        max_outage_s: who has been out for longer comes before all others; 0 for never.
        sds_mw: size of the SDS; 0 for none.
        sds_daemon: the daemon suspends lower-priority holders for a waiting request.
        sds_poll_s: time between two looks of the daemon.
        checkpoint_mw_per_s: bandwidth at which jobs are checkpointed and restarted, for dedicated time.
    """

    size_mw: float = setting(0.0, "Memory for users", OURS, "MW", _SIZE)
    swap_mw_per_s: float = setting(2.5, "Swap device", OURS, "MW/s", _SPEED)
    pass_s: float = setting(1.0, "Passes of the memory scheduler", OURS, range=_OFTEN)
    min_residence_s: float = setting(10.0, "Least time in memory", OURS, range=_LONG)
    share_aware: bool = setting(False, "Swapping looks at shares", NEAR_DEDICATED)
    pfactor_in: float = setting(1000.0, "Weight of shares in memory, -p", OURS, range=_FACTOR)
    pfactor_out: float = setting(1000.0, "Weight of shares out of it, -P", OURS, range=_FACTOR)
    tfactor_in: float = setting(0.0, "Loss by time in memory, -T", OURS, "per second", _FACTOR)
    tfactor_out: float = setting(1.0, "Loss by time out of it", OURS, "per second", _FACTOR)
    size_factor: float = setting(0.0, "Loss by size", OURS, "per MW", _FACTOR)
    nice_factor: float = setting(0.0, "Loss by nice", OURS, "per step", _FACTOR)
    hard_sleep: Literal["first", "priority"] = setting("priority", "Hard sleepers leave", NEAR_DEDICATED)
    tfactor_in_hs: float = setting(1.0, "Loss by hard sleep, -T", OURS, "per second", _FACTOR)
    lckswp: bool = setting(True, "Mark locked I/O, LCKSWP", NEAR_DEDICATED)
    persistence: bool = setting(True, "Keep at one image, persistence", NEAR_DEDICATED)
    cpu_factor: float = setting(0.0, "Runnable per processor", OURS, range=_FACTOR)
    max_outage_s: float = setting(0.0, "Longest outage", OURS, range=_LONG)
    sds_mw: float = setting(0.0, "Secondary data segment, SDS", OURS, "MW", _SIZE)
    sds_daemon: bool = setting(False, "SDS daemon", NEAR_DEDICATED)
    sds_poll_s: float = setting(10.0, "SDS daemon looks every", OURS, range=_OFTEN)
    checkpoint_mw_per_s: float = setting(0.25, "Checkpoint and restart", OURS, "MW/s", _SPEED)

    @property
    def ranks_images(self) -> bool:
        """True if images have swap priorities; without any, they take turns by time."""
        return self.share_aware or self.size_factor > 0 or self.nice_factor > 0

    def problems(self) -> list[tuple[str, str]]:
        """Return (setting, what is wrong) for values that cannot stand together."""
        return outside(self)


# Dialogs group the fields like this, in this order.
MEMORY_SECTIONS: dict[str, tuple[str, ...]] = {
    "Memory": (
        "size_mw", "swap_mw_per_s", "share_aware", "pfactor_in", "pfactor_out", "tfactor_in",
        "tfactor_out", "size_factor", "nice_factor", "hard_sleep", "tfactor_in_hs", "lckswp",
        "persistence", "cpu_factor", "max_outage_s", "min_residence_s", "pass_s", "sds_mw",
        "sds_daemon", "sds_poll_s", "checkpoint_mw_per_s",
    ),
}  # fmt: skip
