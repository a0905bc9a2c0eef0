"""What can be done about a search, as actions of the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action, acting_on, asking

if TYPE_CHECKING:
    from fsconsole.console.analyse.search.controller import SearchController


def search_actions(find: Callable[[], SearchController | None]) -> list[Action]:
    """Run, stop, open a point, copy, close; `find` gives all about searches, None where none was open yet."""
    menu, group = "Simulation", "search"
    words = "pareto front goals optimise settings shares half-life batch"

    does, is_so = acting_on(find), asking(find)
    is_open, is_running = is_so(lambda one: one.is_open), is_so(lambda one: one.is_running)

    def why_not() -> str:
        if not is_open():
            return "Open a search first"
        return "The search is running" if is_running() else "All settings are done"

    return [
        Action(
            "search.run", "Run search", does(lambda one: one.run()), icon="run", menu=menu, group=group,
            enabled=is_so(lambda one: one.can_run), why_not=why_not, words=words,
            tip="Try the remaining settings, then test the front on held-out months",
        ),
        Action(
            "search.stop", "Stop search", does(lambda one: one.stop()), icon="stop-window", menu=menu,
            group=group, enabled=is_running, why_not=lambda: "No search is running", words=words,
            tip="Stop the search and keep the results so far",
        ),
        Action(
            "search.point", "Open point as study", does(lambda one: one.open_point()), menu=menu, group=group,
            enabled=is_so(lambda one: one.has_point), why_not=lambda: "Select a point of the front first",
            tip="Run the selected setting on all months to see every job and user", words=words,
        ),
        Action(
            "search.copy", "Copy points of the search", does(lambda one: one.page.copy_all()), menu="Edit",
            group="figure", enabled=is_so(lambda one: one.has_result), words=words,
            why_not=lambda: "Run a search first",
        ),
        Action(
            "search.close", "Close search", does(lambda one: one.close()), menu="File", group="studies",
            enabled=lambda: is_open() and not is_running(), words=words,
            why_not=lambda: "Stop the search first" if is_running() else "No search is open",
        ),
    ]  # fmt: skip
