"""What a scenario says of memory, the swap device and the secondary data segment (SDS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.shares.scenario.ranges import Range, outside

# 1 click is 512 words and 1 MW is 2^20 words: 430080 clicks of the paper's report are 210.0 MW.
CLICKS_PER_MW = 2048
_SIZE, _SPEED = Range(0, 2.0**20, unit="MW"), Range(1e-3, 2.0**20, unit="MW/s")
_OFTEN, _LONG, _FACTOR = Range(0.1, 86400, unit="s"), Range(0, 31536000, unit="s"), Range(0, 1e9)
_RANGES = {
    "size_mw": _SIZE,
    "sds_mw": _SIZE,
    "swap_mw_per_s": _SPEED,
    "checkpoint_mw_per_s": _SPEED,
    "pass_s": _OFTEN,
    "sds_poll_s": _OFTEN,
    "min_residence_s": _LONG,
    "max_outage_s": _LONG,
    "pfactor_in": _FACTOR,
    "pfactor_out": _FACTOR,
    "tfactor_in": _FACTOR,
    "tfactor_out": _FACTOR,
    "tfactor_in_hs": _FACTOR,
    "cpu_factor": _FACTOR,
}


@dataclass(frozen=True, slots=True)
class MemorySpec:
    """Memory, the swap device and SDS, and how they are scheduled (Brady et al. sections 3.1.3, 3.1.4).

    Attributes:
        size_mw: memory for users, in MW; 0 leaves memory out: everything is always resident.
        swap_mw_per_s: bandwidth of the swap device, which does one transfer at a time.
        pass_s: time between two passes of the memory scheduler while it has something to do.
        min_residence_s: what has been swapped in stays at least so long.
        share_aware: swap priorities look at shares (pfactor_in, pfactor_out); else at times alone.
        pfactor_in: weight of the share priority of what is in memory.
        pfactor_out: weight of the share priority of what is swapped out.
        tfactor_in: what the priority to stay loses for each second in memory; with 0, images of one share
            priority do not make room for each other.
        tfactor_out: what the priority to stay out loses for each second out of memory.
        hard_sleep: hard sleepers leave `first`, whatever their priority (the fault), or by `priority`.
        tfactor_in_hs: with `priority`, what the priority to stay loses for each second of hard sleep.
        lckswp: who is chosen and does locked I/O is marked (LCKSWP), may start no more I/O and leaves when
            it is done; else he is passed over (the fault).
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

    size_mw: float = 0.0
    swap_mw_per_s: float = 2.5
    pass_s: float = 1.0
    min_residence_s: float = 10.0
    share_aware: bool = False
    pfactor_in: float = 1000.0
    pfactor_out: float = 1000.0
    tfactor_in: float = 0.0
    tfactor_out: float = 1.0
    hard_sleep: Literal["first", "priority"] = "priority"
    tfactor_in_hs: float = 1.0
    lckswp: bool = True
    persistence: bool = True
    cpu_factor: float = 0.0
    max_outage_s: float = 0.0
    sds_mw: float = 0.0
    sds_daemon: bool = False
    sds_poll_s: float = 10.0
    checkpoint_mw_per_s: float = 0.25

    def problems(self) -> list[tuple[str, str]]:
        """(setting, what is wrong) for values that cannot stand together."""
        return outside(self, _RANGES)
