"""Tests of calls in threads: who gets their results, and who no longer does."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from concurrent.futures import CancelledError, Future
from functools import partial
from pathlib import Path
from threading import Event, Thread, current_thread, get_ident, main_thread

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from fsconsole import console
from fsconsole.console.kit.tasks import Task, Tasks, run_and_wait
from tests.texts import refuses_naming


@pytest.fixture
def owner(qapp: QCoreApplication) -> QObject:
    return QObject()


@pytest.fixture
def tasks(owner: QObject) -> Tasks:
    return Tasks(owner)


def deliver(task: Task) -> None:
    """Wait for the thread of a task, and have all made that it has left to do."""
    task.wait(60)
    QCoreApplication.sendPostedEvents()


def nobody(what: object) -> None:
    pytest.fail(f"nobody waits for {what!r}")


def fail(error: Exception) -> None:
    raise error


def named(name: str, gate: Event) -> str:
    gate.wait(60)
    return name


# -- results and errors -------------------------------------------------------------------------------------


def test_a_call_is_made_in_a_thread_and_its_result_taken_in_the_windows(qtbot: QtBot, tasks: Tasks) -> None:
    found: list[tuple[int, int]] = []
    tasks.run(get_ident, lambda ident: found.append((ident, get_ident())))
    assert tasks.is_busy()
    qtbot.waitUntil(lambda: bool(found))
    assert found[0][0] != main_thread().ident
    assert found[0][1] == main_thread().ident
    assert not tasks.is_busy()


def test_a_task_is_over_when_its_result_is_taken(tasks: Tasks) -> None:
    busy: list[bool] = []
    deliver(tasks.run(int, lambda _: busy.append(tasks.is_busy())))
    assert busy == [False]


def test_an_error_is_handed_to_who_takes_errors(tasks: Tasks) -> None:
    errors: list[Exception] = []
    wrong = ValueError("not a number")
    deliver(tasks.run(lambda: fail(wrong), nobody, errors.append))
    assert errors == [wrong]
    assert not tasks.is_busy()


@pytest.mark.parametrize(("error", "has_trace"), [(OSError("no file"), False), (KeyError("x"), True)])
def test_the_log_keeps_where_the_program_is_at_fault(
    tasks: Tasks, caplog: pytest.LogCaptureFixture, error: Exception, has_trace: bool
) -> None:
    deliver(tasks.run(lambda: fail(error), nobody, lambda _: None))
    assert [bool(record.exc_info) for record in caplog.records] == [has_trace]


def test_an_error_that_nobody_takes_is_a_fault(qtbot: QtBot, tasks: Tasks) -> None:
    with qtbot.captureExceptions() as faults:
        deliver(tasks.run(lambda: fail(KeyError("x")), nobody))
    assert [kind for kind, _, _ in faults] == [KeyError]


def test_progress_comes_in_order_and_before_the_result(tasks: Tasks) -> None:
    calls: list[object] = []

    def work(task: Task) -> str:
        for part in range(3):
            task.report(part)
        return "done"

    deliver(tasks.run_task(work, calls.append, on_progress=calls.append))
    assert calls == [0, 1, 2, "done"]


# -- futures ------------------------------------------------------------------------------------------------


def test_a_future_of_another_thread_is_watched(tasks: Tasks) -> None:
    found: list[int] = []
    future: Future[int] = Future()
    tasks.watch(future, found.append)
    thread = Thread(target=future.set_result, args=(3,))
    thread.start()
    thread.join()
    assert found == []  # not in that thread
    QCoreApplication.sendPostedEvents()
    assert found == [3]


def test_a_future_that_is_done_is_taken_in_its_turn(tasks: Tasks) -> None:
    found: list[int] = []
    for number in range(3):
        future: Future[int] = Future()
        future.set_result(number)
        tasks.watch(future, found.append)
    assert found == []
    QCoreApplication.sendPostedEvents()
    assert found == [0, 1, 2]


def test_a_future_that_is_cancelled_is_no_fault_but_an_error_for_who_takes_errors(tasks: Tasks) -> None:
    errors: list[Exception] = []
    for on_error in (errors.append, None):
        future: Future[int] = Future()
        tasks.watch(future, nobody, on_error)
        future.cancel()
        QCoreApplication.sendPostedEvents()
        assert not tasks.is_busy()
    assert [type(error) for error in errors] == [CancelledError]


# -- cancelling ---------------------------------------------------------------------------------------------


def test_a_result_on_its_way_is_dropped_once_it_is_cancelled(tasks: Tasks) -> None:
    task = tasks.run_task(lambda task: task.report(1), nobody, on_progress=nobody)
    task.wait(60)
    task.cancel()
    assert not tasks.is_busy()
    QCoreApplication.sendPostedEvents()


def test_a_call_may_look_whether_it_is_cancelled(tasks: Tasks) -> None:
    ended = Event()

    def work(task: Task) -> None:
        while not task.is_cancelled():
            time.sleep(0.001)
        ended.set()

    tasks.run_task(work, nobody)
    tasks.cancel()
    assert ended.wait(60)


def test_the_latest_of_a_key_is_taken_and_others_are_left_alone(tasks: Tasks) -> None:
    gate, found = Event(), list[str]()
    first = tasks.run(partial(named, "first", gate), found.append, latest="page")
    other = tasks.run(partial(named, "other", gate), found.append, latest="log")
    second = tasks.run(partial(named, "second", gate), found.append, latest="page")
    assert first.is_cancelled()
    assert tasks.is_busy("page")
    gate.set()
    for task in (first, other, second):
        deliver(task)
    assert sorted(found) == ["other", "second"]


def test_a_task_that_waits_a_moment_is_never_begun_once_it_is_cancelled(qtbot: QtBot, tasks: Tasks) -> None:
    begun, found = list[int](), list[object]()
    tasks.run(lambda: begun.append(1), found.append, latest="check", after_ms=1)
    assert tasks.is_busy("check")
    tasks.run(lambda: begun.append(2), found.append, latest="check", after_ms=1)
    qtbot.waitUntil(lambda: bool(found))
    assert begun == [2]


# -- owners and programs that go ----------------------------------------------------------------------------


def test_a_task_is_cancelled_with_its_owner() -> None:
    owner, gate = QObject(), Event()
    task = Tasks(owner).run(lambda: gate.wait(60), nobody, nobody)
    delete(owner)
    assert task.is_cancelled()
    gate.set()
    deliver(task)


def chat(task: Task) -> None:
    while not task.is_cancelled():
        task.report(1)
        task.report(1)
        time.sleep(0.0002)  # the window's thread has other things to do as well


def test_owners_may_go_while_their_tasks_report(qtbot: QtBot) -> None:
    """Each of these tasks reports without end; with signals emitted in their threads this crashed."""
    calls: list[int] = []
    for _ in range(80):
        owner, count = QObject(), len(calls)
        tasks = Tasks(owner)
        begun = [tasks.run_task(chat, nobody, on_progress=calls.append) for _ in range(3)]
        qtbot.waitUntil(lambda before=count: len(calls) > before)  # type: ignore[misc]
        owner.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        for task in begun:
            task.wait(60)
    assert all(value == 1 for value in calls)


_ENDS_EARLY = """
import time
from PySide6.QtCore import QCoreApplication, QObject
from fsconsole.console.kit.tasks import Tasks

def chat(task):
    while not task.is_cancelled():
        task.report(1)

app, owner = QCoreApplication([]), QObject()
tasks = Tasks(owner)
begun = [tasks.run_task(chat, print, on_progress=lambda _: None) for _ in range(3)]
end = time.monotonic() + 0.05
while time.monotonic() < end:
    app.processEvents()
"""


def test_the_program_may_end_while_threads_report() -> None:
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-c", _ENDS_EARLY], check=False, capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr


# -- waiting ------------------------------------------------------------------------------------------------


def test_the_window_lives_while_it_waits_for_a_call(owner: QObject) -> None:
    painted = Event()
    Tasks(owner).run(int, lambda _: painted.set())
    assert run_and_wait(lambda: (painted.wait(60), current_thread() is main_thread()), owner) == (True, False)


def test_an_error_of_a_call_that_is_waited_for_is_raised(owner: QObject) -> None:
    with refuses_naming(OSError, "no room"):
        run_and_wait(lambda: fail(OSError("no room")), owner)


# -- the rest of the console --------------------------------------------------------------------------------


def test_no_other_module_of_the_console_starts_threads_or_polls_futures() -> None:
    room = Path(console.__file__).parent
    own = re.compile(r"\bQ?Thread\(|PoolExecutor\(|\.done\(\)")
    found = {path.name for path in room.rglob("*.py") if own.search(path.read_text("utf-8"))}
    assert found == {"tasks.py"}
