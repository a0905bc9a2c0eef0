"""The state of all images at a tick as columns: whether they are awake or want in, and their claims."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.blocking import MARKED, SWAPPED
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.store import Store
from fsconsole.machine.tick_kernel import HELD, NEVER, QUEUED, RUNNABLE, SERVED, SLEEPING
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class ImageRanking:
    """One value per image that has a process; times in ticks.

    Attributes:
        images: in order of pid.
        tick: tick of the state.
        clicks, in_since, since: sizes and times of the images.
        stay: the claim to stay in memory without its times, points; the root's is infinite.
        stay_out: the priority to stay out of memory without its times; the root's is minus infinite.
        movable: whether in memory and allowed to leave it. out: whether out of memory.
        asleep: whether no process can run and none waits for a device (hard sleep).
        asleep_since: start of the sleep, or now.
        may_sleep: earliest time at which an awake image can fall asleep; for others, time of waking.
        wants: whether it is out of memory and would run or grow.
        wake: when an image that is out will want in by itself; NEVER if no sleep of it ends.
    """

    images: list[Image]
    tick: int
    clicks: Ints
    in_since: Ints
    since: Ints
    stay: Floats
    stay_out: Floats
    movable: Bools
    out: Bools
    asleep: Bools
    asleep_since: Ints
    may_sleep: Ints
    wants: Bools
    wake: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Columns:
    """Columns that change only with events of images: sizes, places, and the image of each process.

    Attributes:
        index: place of the image of each process; first: row of the first process of each image.
    """

    images: list[Image]
    clicks: Ints
    in_since: Ints
    since: Ints
    inside: Bools
    out: Bools
    growing: Bools
    index: Ints
    first: Ints


def columns_of(store: Store) -> Columns:
    """Return the present columns."""
    images = [store.images[pid] for pid in sorted(store.images)]
    index = np.searchsorted([image.pid for image in images], store.table.image)
    first = np.zeros(len(images), np.int64)
    first[index[::-1]] = np.arange(len(index))[::-1]
    return Columns(
        images,
        np.array([image.clicks for image in images], np.int64),
        np.array([image.in_since for image in images], np.int64),
        np.array([image.since_tick for image in images], np.int64),
        np.array([image.where == "in" for image in images], np.bool_),
        np.array([image.where == "out" for image in images], np.bool_),
        np.array([image.growing for image in images], np.bool_),
        index,
        first,
    )


def standing_of(store: Store, columns: Columns) -> ImageRanking:
    """Return the present state of all images."""
    it, tick = columns, store.tick
    awake, ready, wake, last_run, burst = _by_image(store, it.index, len(it.images))
    asleep = it.inside & ~awake
    owner = store.table.owner[it.first]
    is_root = owner == 0
    priority = store.share_priorities(owner)
    shared = (it.clicks > 0) & ~is_root
    stay, stay_out = _share_parts(store, priority, shared)
    loss = _loss(store, it)
    return ImageRanking(
        it.images,
        tick,
        it.clicks,
        it.in_since,
        it.since,
        stay - loss,
        stay_out + loss,
        movable=it.inside & shared & ~it.growing,
        out=it.out,
        asleep=asleep,
        asleep_since=np.where(asleep, np.maximum(last_run, it.in_since), tick),
        may_sleep=np.where(asleep, wake, tick + burst),
        wants=it.out & (ready | it.growing),
        wake=np.where(it.out & ~it.growing, wake, NEVER),
    )


def _by_image(store: Store, index: Ints, count: int) -> tuple[Bools, Bools, Ints, Ints, Ints]:
    """Return by image (one awake, one would run, first waking, last run, CPU ticks until all may sleep)."""
    table, tick = store.table, store.tick
    is_free = table.held & ~(SWAPPED | MARKED) == 0
    state = np.where(table.state == HELD, table.kept, table.state)
    is_sleeping = state == SLEEPING
    sleeps = is_sleeping & (table.wake > tick)
    ready = is_free & ((state == RUNNABLE) | (is_sleeping & ~sleeps))
    awake = ready | (state == QUEUED) | (state == SERVED)
    wake = np.full(count, NEVER)
    np.minimum.at(wake, index, np.where(is_free & sleeps, table.wake, NEVER))
    last_run = np.full(count, -1)
    np.maximum.at(last_run, index, table.last_run)
    burst = np.zeros(count, np.int64)
    np.maximum.at(burst, index, np.where(table.state == RUNNABLE, table.burst_left, 0))
    return _any(index, awake, count), _any(index, ready, count), wake, last_run, burst


def _any(index: Ints, what: Bools, count: int) -> Bools:
    return np.bincount(index[what], minlength=count) > 0


def _loss(store: Store, columns: Columns) -> Floats:
    """Return the points that size and nice take from the claims to stay (Everitt et al. 3.2.1;
    formula ours).
    """
    spec = store.spec
    loss: Floats = columns.clicks.astype(np.float64) * (spec.size_factor / CLICKS_PER_MW)
    if spec.nice_factor:
        loss += spec.nice_factor * store.table.nice[columns.first]
    return loss


def _share_parts(store: Store, priority: Floats, counted: Bools) -> tuple[Floats, Floats]:
    """Return the parts of both swap priorities that come from shares (Brady et al. 3.1.3.1).

    pri_in = share_pri / max_share_pri * pfactor_in, pri_out = min_share_pri / share_pri * pfactor_out.
    """
    spec, is_root, points = store.spec, np.isinf(priority), priority[counted]
    stay, stay_out = np.zeros(len(priority)), np.zeros(len(priority))
    if spec.share_aware and len(points):
        stay = priority * (spec.pfactor_in / points.max())
        stay_out = points.min() * spec.pfactor_out / priority
    stay[is_root], stay_out[is_root] = np.inf, -np.inf
    return stay, stay_out
