"""The secondary data segment (SDS): its holders, waiting images, and suspended images that give it up."""

from __future__ import annotations

from typing import Literal

from fsconsole.machine.blocking import NO_SDS, SUSPENDED
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.store import Store
from fsconsole.machine.memory.swap_device import Transfer


def waiting(store: Store) -> list[Image]:
    """Return images waiting for SDS in the order of grants: share priority, then time, then pid."""
    images = [image for image in store.images.values() if image.sds == "waiting" and not image.suspended]
    return sorted(images, key=lambda image: (-store.priority_of(image), image.sds_since, image.pid))


def ask(store: Store, image: Image, clicks: int) -> None:
    """Queue an image for SDS until there is room; it gives back its former SDS."""
    give_back(store, image)
    set_clicks(store, image, clicks)
    if clicks:
        image.sds, image.sds_since = "waiting", store.tick
        store.hold(image, NO_SDS)
    grant(store)


def give_back(store: Store, image: Image) -> None:
    """Free an image's SDS, or withdraw its request."""
    store.device.forget(image.pid, ("sds out", "sds in"))
    _account(store, image)
    image.sds, image.sds_lost = "none", False
    store.let_go(image, NO_SDS)
    set_clicks(store, image, 0)


def set_clicks(store: Store, image: Image, clicks: int) -> None:
    """Set the SDS that an image has or needs."""
    image.sds_clicks = clicks
    store.touched = True
    rows = store.rows_of(image)
    store.table.sds_clicks[rows] = 0
    store.table.sds_clicks[rows[:1]] = clicks


def grant(store: Store) -> None:
    """Grant SDS to waiting images in their order; none is passed over."""
    for image in waiting(store):
        if image.sds_clicks > store.sds_free_clicks:
            return
        if image.sds_lost:
            image.sds = "reading"
            store.device.add(Transfer("sds in", image.pid, image.sds_clicks))
        else:
            has_it(store, image)


def has_it(store: Store, image: Image) -> None:
    """Note that an image has its SDS with its former contents."""
    _account(store, image)
    if not image.sds_lost:
        image.settled_tick = store.tick
    image.sds, image.sds_since, image.sds_lost = "held", store.tick, False
    image.most_sds_clicks = max(image.most_sds_clicks, image.sds_clicks)
    store.let_go(image, NO_SDS)
    if image.suspended:
        write_out(store, image)


def _account(store: Store, image: Image) -> None:
    if image.sds in ("waiting", "reading", "writing"):
        image.count_waits(store.tick)


def suspend(store: Store, image: Image, who: Literal["daemon", "hand"], for_pid: int = 0) -> None:
    """Suspend an image as soon as none of its processes is at a device; its SDS is written out then."""
    image.count_waits(store.tick)
    image.suspended, image.suspended_for = who, for_pid
    store.hold(image, SUSPENDED)
    write_out(store, image)


def write_out(store: Store, image: Image) -> None:
    """Write the SDS of a suspended image to the swap device, if all its processes are held."""
    if image.suspended and image.sds == "held" and not image.holding:
        image.sds, image.sds_since = "writing", store.tick
        store.device.add(Transfer("sds out", image.pid, image.sds_clicks))


def is_written(store: Store, image: Image) -> None:
    """Free the SDS of an image that has been written to the swap device."""
    _account(store, image)
    image.sds, image.sds_lost = "released", True
    if not image.suspended:
        _wait_again(store, image)


def _wait_again(store: Store, image: Image) -> None:
    image.count_waits(store.tick)
    image.sds, image.sds_since = "waiting", store.tick


def resume(store: Store, image: Image) -> None:
    """Resume a suspended image; without its SDS it sleeps until it has that back (section 3.1.4)."""
    image.count_waits(store.tick)
    image.suspended, image.suspended_for = "", 0
    if image.sds in ("released", "writing"):
        store.hold(image, NO_SDS)
    if image.sds == "released":
        _wait_again(store, image)
    store.let_go(image, SUSPENDED)
    grant(store)
