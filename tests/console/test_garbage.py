from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from threading import Thread, get_ident

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.app import SWITCH_S, prepare_process
from fsconsole.console.garbage import EVERY_MS, collect_here
from fsconsole.console.garbage import collector as installed
from fsconsole.console.session import ConsoleSession

# Documents whose commands the collector meets before their stack. glibc fills what is freed, so that a second
# deletion is sure to show.
_CHILD = """
import gc
from PySide6.QtGui import QUndoCommand
from fsconsole.console.document import Document
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario

gc.disable()
scenario = read_scenario(examples() / "convex-series-1.yaml")
for _ in range(20):
    older = [QUndoCommand() for _ in range(3)]
    document = Document(scenario)
    document.me = document
    for command in older:
        document.stack.push(command)
    del older, document, command
    gc.collect()
print("lived")
"""


class Knot(QObject):
    """Holds itself, so that only the collector frees it."""

    def __init__(self) -> None:
        super().__init__()
        self.me = self


def gone_in(deleted_in: list[int]) -> None:
    weakref.finalize(Knot(), lambda: deleted_in.append(get_ident()))


def many_objects() -> list[list[int]]:
    return [[] for _ in range(20 * gc.get_threshold()[0])]


@pytest.fixture
def collected() -> Iterator[list[int]]:
    """The generations that have been collected, one after the other."""
    found: list[int] = []

    def note(phase: str, what: dict[str, int]) -> None:
        if phase == "stop":
            found.append(what["generation"])

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


@pytest.fixture
def by_itself(qapp: QApplication) -> Iterator[None]:
    """The collector collects in the middle of the test too, as in the console."""
    timer = collect_here(qapp).timer
    timer.start(EVERY_MS)
    yield
    timer.stop()


@pytest.mark.usefixtures("by_itself")
def test_a_thread_deletes_none_of_the_windows_objects(qtbot: QtBot, session: ConsoleSession) -> None:
    deleted_in: list[int] = []
    gone_in(deleted_in)
    thread = Thread(target=many_objects)
    thread.start()
    thread.join()
    assert deleted_in == []
    kept = many_objects()
    assert deleted_in == []  # not in the middle of something either
    qtbot.waitUntil(lambda: bool(kept) and bool(deleted_in))
    assert deleted_in == [get_ident()]


def test_a_document_with_changes_is_collected_whole() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        capture_output=True,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "MALLOC_PERTURB_": "165"},
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "lived\n"), done.stderr


def test_the_console_sees_to_it_and_to_threads_that_give_way_soon(qapp: QApplication) -> None:
    before = sys.getswitchinterval()
    gc.enable()
    sys.setswitchinterval(0.005)
    prepare_process(qapp)
    assert not gc.isenabled()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
    sys.setswitchinterval(before)


def test_a_session_leaves_the_process_as_it_is(qapp: QApplication) -> None:
    before = gc.isenabled(), sys.getswitchinterval()
    gc.enable()
    sys.setswitchinterval(0.004)
    session = ConsoleSession()
    assert gc.isenabled()
    assert sys.getswitchinterval() == pytest.approx(0.004)
    session.close()
    sys.setswitchinterval(before[1])
    gc.disable()


def test_there_is_one_collector(qapp: QApplication) -> None:
    assert collect_here(qapp) is collect_here(qapp)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python collects in increments from here on")
def test_generations_take_turns_and_the_oldest_waits_until_it_has_grown(
    qapp: QApplication, collected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "get_threshold", lambda: (10, 10, 10))
    collector = collect_here(qapp)
    monkeypatch.setattr(collector, "_oldest", 0)  # tests before this one may have had more
    kept: list[list[int]] = [[] for _ in range(100_000)]  # beside which those of a look are no growth
    gc.collect()

    def looked(times: int) -> list[int]:
        collected.clear()
        for _ in range(times):
            kept.extend([] for _ in range(20))
            collector.look()
        return list(collected)

    assert looked(12) == [0] * 11 + [1]
    looked(200)  # once over all generations
    kept.extend([] for _ in range(len(gc.get_objects()) // 2))
    assert 2 in looked(200)
    assert 2 not in looked(200)


def test_what_is_left_out_is_not_looked_at_until_it_is_asked_for(qapp: QApplication) -> None:
    collector = collect_here(qapp)
    assert installed() is collector
    kept: list[list[int]] = [[] for _ in range(1000)]
    before = len(gc.get_objects())
    collector.leave_out()
    assert len(gc.get_objects()) < before - 1000
    gone: list[int] = []
    weakref.finalize(Thread(), gone.append, 1)
    # Without references it goes as ever.
    assert gone == [1]
    collector.look_at_all()
    assert len(gc.get_objects()) > len(kept)
