"""The watch around each test of the console, and the exceptions that stand beside tests."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

from tests.console.watch import KINDS, Kind, Watch

ISSUES = ("calm",)
_WATCH = pytest.StashKey[Watch]()
STALE = "FSCONSOLE_WATCH_STALE"  # Set it, and exceptions that no test needs fail.


def watched(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test under the watch; it fails with what is found and not allowed."""
    allowed = allowed_kinds(item)
    watch = watch_of(item)
    watch.begin()
    try:
        result = yield
    except BaseException:
        watch.end()
        if text := watch.report():
            item.add_report_section("call", "watch", text)
        raise
    watch.end()
    if text := watch.report(tuple(kind for kind in KINDS if kind not in allowed)):
        pytest.fail(text, pytrace=False)
    stale = allowed - {one.kind for one in watch.findings}
    if stale and os.environ.get(STALE):
        pytest.fail(f"watch_allows({', '.join(sorted(stale))}) is not needed", pytrace=False)
    return result


def watch_of(item: pytest.Item) -> Watch:
    """Return the watch of a test."""
    name = item.nodeid.removeprefix("tests/").removeprefix("console/")
    return item.stash.setdefault(_WATCH, Watch(name))


def allowed_kinds(item: pytest.Item) -> set[Kind]:
    """Return the kinds of findings that a test is allowed, each with a reason and the issue that ends it."""
    return {allowance(*marker.args, **marker.kwargs) for marker in item.iter_markers("watch_allows")}


def allowance(kind: Kind, *, reason: str, issue: str) -> Kind:
    """Return the kind of an exception; ValueError if it lacks what it needs."""
    if kind not in KINDS or not reason.strip() or issue not in ISSUES:
        raise ValueError(f"watch_allows({kind!r}, reason={reason!r}, issue={issue!r})")
    return kind
