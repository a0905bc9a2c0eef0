"""What a person can do with the open study: rows of the action table."""

from __future__ import annotations

from fsconsole.console.actions import Action
from fsconsole.console.analyse.study.studying import Studying


def study_actions(studying: Studying) -> list[Action]:
    """Run, pause, stop, copy, close."""
    menu, group = "Simulation", "study"
    words = "batch sweep policies parallel jobs"

    def may_run() -> bool:
        return studying.study is not None and not studying.is_running and not studying.is_complete

    def why_not() -> str:
        if studying.study is None:
            return "Open a study first"
        return "The study is running" if studying.is_running else "All of the study is done"

    return [
        Action(
            "study.run", "Run study", studying.run, icon="run", menu=menu, group=group, enabled=may_run,
            why_not=why_not, tip="Work out what is not done yet of the open study", words=words,
        ),
        Action(
            "study.pause", "Pause study", studying.toggle_pause, icon="pause", menu=menu, group=group,
            enabled=lambda: studying.is_running, checked=lambda: studying.is_held,
            why_not=lambda: "No study is running", words=words,
            tip="Begin no further run; what is begun goes on to its end, results stay",
        ),
        Action(
            "study.stop", "Stop study…", studying.ask_stop, icon="stop-window", menu=menu, group=group,
            enabled=lambda: studying.is_running, why_not=lambda: "No study is running", words=words,
        ),
        Action(
            "study.copy", "Copy study table", studying.copy_table, menu="Edit", group="figure",
            enabled=lambda: studying.desk.cell is not None, why_not=lambda: "Run a study first",
            tip="Put the study's table on the clipboard, as tab-separated lines", words=words,
        ),
        Action(
            "study.close", "Close study", studying.close, menu="File", group="studies",
            enabled=lambda: studying.study is not None and not studying.is_running,
            why_not=lambda: "Stop the study first" if studying.is_running else "No study is open",
            words=words,
        ),
    ]  # fmt: skip
