"""Images on their way out of memory and back."""

from __future__ import annotations

import numpy as np

from fsconsole.machine.blocking import MARKED, SWAPPED
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.store import Store
from fsconsole.machine.memory.swap_device import Transfer
from fsconsole.machine.tick_kernel import HELD, RUNNABLE, SLEEPING


def wants_to_run(store: Store, image: Image) -> bool:
    """Return True if a process of an image would run if it were in memory."""
    table, tick = store.table, store.tick
    rows = store.rows_of(image)
    held = table.held[rows] & ~(SWAPPED | MARKED) == 0
    state = np.where(table.state[rows] == HELD, table.kept[rows], table.state[rows])
    awake = (state == RUNNABLE) | ((state == SLEEPING) & (table.wake[rows] <= tick))
    return bool((held & awake).any())


def send_out(store: Store, image: Image) -> None:
    """Hold an image's processes, none of which is at a device, and write the image to the swap device."""
    if image.wants_since is None and wants_to_run(store, image):
        image.wants_since = store.tick
    store.hold(image, SWAPPED)
    store.let_go(image, MARKED)
    image.marked = False
    image.where, image.since_tick, image.left_tick = "going out", store.tick, store.tick
    image.swaps += 1
    store.device.add(Transfer("out", image.pid, image.clicks))


def bring_in(store: Store, image: Image) -> None:
    """Request that an image be read back; it takes up memory when that begins."""
    store.device.add(Transfer("in", image.pid, image.clicks))
    store.touched = True


def is_out(store: Store, image: Image) -> None:
    """Free the memory of an image that has been written."""
    image.where, image.since_tick = "out", store.tick
    store.touched = True
    if image.grow_to is not None:
        resize(store, image, image.grow_to)
        image.grow_to = None


def is_in(store: Store, image: Image) -> None:
    """Release the processes of an image that has been read."""
    tick = store.tick
    image.where, image.since_tick, image.in_since = "in", tick, tick
    if image.wants_since is not None:
        image.count_waits(tick)
    if image.growing:
        image.settled_tick = tick
    image.wants_since, image.growing = None, False
    image.most_clicks = max(image.most_clicks, image.clicks)
    store.let_go(image, SWAPPED)
    leave_to_grow(store, image)


def resize(store: Store, image: Image, clicks: int) -> None:
    """Change the size of an image in its present place."""
    image.clicks = clicks
    rows = store.rows_of(image)
    store.table.clicks[rows] = 0
    store.table.clicks[rows[0]] = clicks
    store.touched = True
    if image.where == "in":
        image.most_clicks = max(image.most_clicks, clicks)


def grow(store: Store, image: Image, clicks: int) -> None:
    """Grow an image by a swap out and back in; a smaller size takes effect in place."""
    if clicks <= image.clicks or store.size_clicks == 0:
        image.grow_to = None
        if image.where == "out":
            store.device.forget(image.pid, ("in",))
        resize(store, image, clicks)
        return
    if image.wants_since is None:
        image.wants_since = store.tick
    if image.where == "out":
        store.device.forget(image.pid, ("in",))
        image.growing = True
        resize(store, image, clicks)
        return
    image.grow_to = clicks
    leave_to_grow(store, image)


def leave_to_grow(store: Store, image: Image) -> None:
    """Send out an image that waits to grow, once none of its processes is at a device."""
    if image.grow_to is None or image.where not in ("in", "going out"):
        return
    image.growing = True
    if image.where == "in":
        store.hold(image, SWAPPED)
        if not image.holding:
            send_out(store, image)
