"""Eviction from memory: which images leave for which, and when that changes by itself.

Of the paper (Brady et al. 3.1.3): the share parts of both priorities, tfactor_in and tfactor_in_hs. Everitt
et al. 3.2.1 name size and nice as what swapping looks at; that both lower a claim in proportion is ours. Ours
is the comparison of the two, which the paper calls rather complex: a candidate compares its own fresh claim
to stay with the claims of images in memory. Against equal or higher claims a sleep counts only beyond
`min_residence_s`, so that equals do not swap each other for sleeps shorter than a swap. Without shares, size
and nice, images take turns: one that has been in for `min_residence_s` leaves for one that has been out as
long.
"""

from __future__ import annotations

import numpy as np

from fsconsole.machine.memory.image_ranking import Bools, Floats, ImageRanking, Ints
from fsconsole.machine.tick_kernel import NEVER
from fsconsole.shares.scenario.memory_spec import MemorySpec

# A candidate's claim, its time of leaving and whether it is late decide which images leave.
Key = tuple[float, int, bool]


class Contest:
    """The competition of images at one tick; values that candidates share are computed once."""

    def __init__(self, standing: ImageRanking, spec: MemorySpec, hz: int, size_clicks: int) -> None:
        """Take the images of a machine with so much memory."""
        self.standing = standing
        self._spec, self._hz, self._size_clicks = spec, hz, size_clicks
        self._rest = spec.min_residence_s * hz
        self._per_asleep_s = spec.tfactor_in_hs if spec.hard_sleep == "priority" else 0.0
        self._movable = standing.movable.copy()
        self._leavers: dict[Key, tuple[Bools, int]] = {}
        self._late = np.zeros(len(standing.out), np.bool_)
        if spec.max_outage_s > 0:
            self._late = standing.out & (standing.tick - standing.since >= spec.max_outage_s * hz)
        self._keys = self._keys_of(self._find_candidates())
        # Each kind of candidate has its smallest size here.
        self._least: dict[Key, int] = {}
        for size, key in zip(standing.clicks[list(self._keys)].tolist(), self._keys.values(), strict=True):
            self._least[key] = min(size, self._least.get(key, size))

    def candidates(self) -> list[int]:
        """Return the images that want in: those out for max_outage_s, then by priority to stay out.

        The lowest priority comes first.
        """
        return list(self._keys)

    def _find_candidates(self) -> list[int]:
        it, spec = self.standing, self._spec
        fits = np.flatnonzero(it.wants & (it.clicks <= self._size_clicks))
        priority = it.stay_out[fits] - spec.tfactor_out * (it.tick - it.since[fits]) / self._hz
        order = np.lexsort((it.since[fits], priority, ~self._late[fits]))
        chosen: list[int] = fits[order].tolist()
        return chosen

    def chosen(self, wanting: int, needed: int) -> list[int] | None:
        """Return the images that leave for a candidate to free the needed clicks; None if too few can."""
        may, size = self._who_may(self._keys[wanting])
        return enough(self.standing.clicks, self._in_order(may), needed) if size >= needed else None

    def some_fit(self, room: int) -> bool:
        """Return True if a candidate would have room without locked I/O."""
        return any(size <= room + self._who_may(key)[1] for key, size in self._least.items())

    def has_left(self, place: int) -> None:
        """Note that an image is being swapped out."""
        self._movable[place] = False
        self._leavers.clear()

    def quiet_until(self) -> int:
        """Return the earliest tick at which a candidate may evict an image that it cannot evict now.

        It is a safe bound: claims fall linearly between events, so that their crossings are known; an awake
        image first uses up its burst, which puts its crossing a whole sleep later. The bound is never too
        late, and a pass that comes too early changes nothing.
        """
        it, spec = self.standing, self._spec
        result = int(it.wake.min(initial=NEVER))
        for key in self._least:
            others = self._movable & ~self._who_may(key)[0]
            if others.any():
                result = min(result, int(self._crossings(key)[others].min()))
        if spec.max_outage_s > 0:
            late_at = it.since[self.candidates()] + np.int64(np.ceil(spec.max_outage_s * self._hz))
            result = min(result, int(late_at[late_at > it.tick].min(initial=NEVER)))
        return max(result, it.tick + 1)

    # -- inside -------------------------------------------------------------------------------------------

    def _keys_of(self, places: list[int]) -> dict[int, Key]:
        it = self.standing
        since = [0] * len(places) if self._spec.ranks_images else it.since[places].tolist()
        keys = zip(it.stay[places].tolist(), since, self._late[places].tolist(), strict=True)
        return dict(zip(places, keys, strict=True))

    def _who_may(self, key: Key) -> tuple[Bools, int]:
        """Return (images that may be evicted by candidates of a kind, their memory)."""
        if key not in self._leavers:
            may = self._must_leave(*key) & self._movable
            self._leavers[key] = may, int(self.standing.clicks[may].sum())
        return self._leavers[key]

    def _must_leave(self, own: float, since: int, is_late: bool) -> Bools:
        it = self.standing
        may: Bools = it.tick - it.in_since >= self._rest
        if self._spec.ranks_images or own == np.inf:
            worse, at_once = self._claims(self._rest) < own, it.stay < own
            if is_late:
                worse |= it.stay <= own
            if not self._spec.share_aware and own != np.inf:  # Size and nice preempt no image.
                at_once = at_once & may
            may = at_once | (may & worse)
        elif it.tick - since < self._rest:
            may = np.zeros(len(may), np.bool_)
        return may | it.asleep if self._spec.hard_sleep == "first" else may

    def _claims(self, grace: float = 0.0) -> Floats:
        """Return claims to stay, in points: by share, size and nice, minus times in memory and asleep.

        A sleep counts beyond `grace`, in ticks.
        """
        it, hz = self.standing, self._hz
        result = it.stay
        if self._spec.tfactor_in:
            result = result - self._spec.tfactor_in / hz * (it.tick - it.in_since)
        if self._per_asleep_s:
            asleep = np.maximum(it.tick - it.asleep_since - grace, 0.0)
            result = result - self._per_asleep_s / hz * asleep
        return result

    def _in_order(self, may: Bools) -> list[int]:
        """Return images in the order of leaving: marked ones, with `first` hard sleepers, lowest claim."""
        it, places = self.standing, np.flatnonzero(may)
        unmarked = np.array([not it.images[place].marked for place in places], np.bool_)
        awake = ~it.asleep[places] if self._spec.hard_sleep == "first" else np.zeros(len(places))
        order = np.lexsort((it.in_since[places], self._claims()[places], awake, unmarked))
        result: list[int] = places[order].tolist()
        return result

    def _crossings(self, key: Key) -> Floats:
        """Return ticks from which each image may have to leave for a candidate, as time passes."""
        it, spec, rest = self.standing, self._spec, self._rest
        rested_at = it.in_since + rest
        own, since, is_late = key
        if not spec.ranks_images and own != np.inf:
            by_turns: Floats = np.maximum(rested_at, since + rest)
            return by_turns
        gap = (it.stay - own) * self._hz
        crossing = self._crossing(gap, np.where(it.asleep, it.asleep_since, it.may_sleep))
        # An image that wakes before has to fall asleep again.
        again = it.asleep & (it.may_sleep < crossing)
        crossing = np.where(again, self._crossing(gap, it.may_sleep), crossing)
        if is_late:
            crossing = np.where(it.stay <= own, it.tick, crossing)
        # It is a tick early, so that rounding misses no crossing.
        earliest = np.maximum(np.floor(crossing) - 1, np.floor(rested_at))
        result: Floats = np.clip(earliest, it.tick, float(NEVER))
        return result

    def _crossing(self, gap: Floats, asleep_since: Ints) -> Floats:
        """Return ticks at which claims have fallen by a gap (points times hz), for sleeps that begin then."""
        it, by_time_s, by_sleep_s = self.standing, self._spec.tfactor_in, self._per_asleep_s
        begins = asleep_since + self._rest
        with np.errstate(divide="ignore", invalid="ignore"):
            by_time = it.in_since + gap / by_time_s
            both = (gap + by_time_s * it.in_since + by_sleep_s * begins) / (by_time_s + by_sleep_s)
        if not by_sleep_s:
            both = by_time
        crossing: Floats = np.fmin(by_time, np.maximum(both, begins))
        return np.where(np.isnan(crossing), it.tick, crossing)


def enough(clicks: Ints, order: list[int], needed: int) -> list[int] | None:
    """Return the first images that together have the needed clicks, without superfluous ones, or None.

    Args:
        clicks: size of each image, [images].
        order: indices into `clicks` in order of preference.
        needed: clicks.
    """
    chosen, got = [], 0
    for place in order:
        if got >= needed:
            break
        chosen.append(place)
        got += int(clicks[place])
    if got < needed:
        return None
    for place in reversed(chosen[:-1]):
        size = int(clicks[place])
        if got - size >= needed:
            chosen.remove(place)
            got -= size
    return chosen
