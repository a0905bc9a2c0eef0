"""The actions on the open study: run, pause, stop, copy, close."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action, acting_on, asking

if TYPE_CHECKING:
    from fsconsole.console.analyse.study.controller import StudyController


def study_actions(find: Callable[[], StudyController | None]) -> list[Action]:
    """Run, pause, stop, copy, close; `find` gives all about studies, None where no study was open yet."""
    menu, group = "Simulation", "study"
    words = "batch sweep policies parallel jobs"

    does, is_so = acting_on(find), asking(find)
    is_open, is_running = is_so(lambda one: one.study is not None), is_so(lambda one: one.is_running)
    is_complete = is_so(lambda one: one.is_complete)

    def why_not() -> str:
        if not is_open():
            return "Open a study first"
        return "The study is running" if is_running() else "All cells of the study are done"

    return [
        Action(
            "study.run", "Run study", does(lambda one: one.run()), icon="run", menu=menu, group=group,
            enabled=lambda: is_open() and not is_running() and not is_complete(), why_not=why_not,
            tip="Compute the cells that the open study still needs", words=words,
        ),
        Action(
            "study.pause", "Pause study", does(lambda one: one.toggle_pause()), icon="pause", menu=menu,
            group=group, enabled=is_running, checked=is_so(lambda one: one.is_held), words=words,
            why_not=lambda: "No study is running",
            tip="Start no new cells. Running cells finish, and results are kept",
        ),
        Action(
            "study.stop", "Stop study…", does(lambda one: one.ask_stop()), icon="stop-window", menu=menu,
            group=group, enabled=is_running, why_not=lambda: "No study is running", words=words,
        ),
        Action(
            "study.fair_starts", "Compute fair start times", does(lambda one: one.compute_fair_starts()),
            menu=menu, group=group, enabled=is_so(lambda one: one.can_compute_fair_starts),
            why_not=lambda: "The study is running" if is_running() else "Open a study with results first",
            tip="Simulate each pending job again as if no later job came, for the tables",
            words=f"{words} fairness unfair sabin sadayappan",
        ),
        Action(
            "study.workers", "Study workers…", does(lambda one: one.ask_workers()), menu=menu, group=group,
            enabled=lambda: find() is not None, why_not=lambda: "Open a study first",
            tip=(
                "Choose the number of processes or the Dask "
                "cluster that computes a study"
            ), words=f"{words} cluster dask",
        ),
        Action(
            "study.copy", "Copy study table", does(lambda one: one.exports.copy_table()), menu="Edit",
            group="figure",
            enabled=is_so(lambda one: one.selection.cell is not None), why_not=lambda: "Run a study first",
            tip="Copy the study's table to the clipboard as tab-separated lines", words=words,
        ),
        Action(
            "study.close", "Close study", does(lambda one: one.close()), menu="File", group="studies",
            enabled=lambda: is_open() and not is_running(), words=words,
            why_not=lambda: "Stop the study first" if is_running() else "No study is open",
        ),
    ]  # fmt: skip
