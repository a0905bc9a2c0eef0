"""What the command search finds besides commands: nodes, docks, parameters, files, experiments, help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from heapq import nsmallest
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.help.glossary import TERMS
from fsconsole.console.help.pages import pages
from fsconsole.console.kit.docks import show_dock
from fsconsole.console.style.plain_words import menu_words
from fsconsole.shares.scenario.parameters import PARAMETERS
from fsconsole.shares.tree import ShareTree

if TYPE_CHECKING:
    from fsconsole.console.session import ConsoleSession
    from fsconsole.console.widgets.dock import Dock

_MOST_ROWS = 20  # Limit for nodes and for jobs.
_MORE_WORDS = {"design_problems": "doctor check findings", "design_what_if": "demand before after"}


class SearchSources:
    """Makes the entries; each is an action that goes to what was found."""

    def __init__(
        self,
        session: ConsoleSession,
        *,
        recent: Callable[[], list[Action]],
        show_node: Callable[[int], object],
        show_parameter: Callable[[str], object],
        show_term: Callable[[str], object],
        show_help: Callable[[str], object],
        show_experiment: Callable[[str], object] | None = None,
        show_job: Callable[[int], object] | None = None,
        docks: Callable[[], Sequence[Dock]] = tuple,
        why_locked: Callable[[], str] = lambda: "",
    ) -> None:
        self._session = session
        self._recent = recent
        self._show_node, self._show_parameter = show_node, show_parameter
        self._show_term, self._show_help = show_term, show_help
        self._docks, self._why_locked = docks, why_locked
        self._show_experiment, self._show_job = show_experiment, show_job

    def entries(self, typed: str) -> list[Action]:
        """Return entries that can match the typed text; without a text, recent files only."""
        words = typed.casefold().split()
        if not words:
            return self._recent()
        return [
            *self._recent(),
            *self._nodes(words),
            *self._jobs(words),
            *self._parameters(),
            *(
                _entry(
                    "Dock",
                    dock.objectName(),
                    dock.title,
                    partial(show_dock, dock),
                    _MORE_WORDS.get(dock.objectName(), ""),
                )
                for dock in self._docks()
            ),
            *self._experiments(),
            *(
                _entry("Term", one.name, one.name, partial(self._show_term, one.name), typed)
                for one in TERMS
                if one.holds(typed)
            ),
            *(
                _entry("Help", page.path, page.title, partial(self._show_help, page.path), typed)
                for page in pages()
                if page.holds(typed)
            ),
        ]

    def _nodes(self, words: list[str]) -> Iterator[Action]:
        """Yield nodes of the open tree whose name and group contain all words, shorter ones first."""
        tree = ShareTree() if self._session.document is None else self._session.document.tree
        names = {node.id: node.name for node in tree.walk()}
        found: list[tuple[bool, int, int, int, str]] = []
        for node in tree.walk():
            above = "" if node.parent is None else names[node.parent]
            shown = f"{node.name} in {above}" if above else node.name
            text = f"node {shown}".casefold()
            if all(word in text for word in words):
                is_above = not any(word in node.name.casefold() for word in words)
                found.append((is_above, len(node.name), len(found), node.id, shown))
        for *_, node_id, shown in nsmallest(_MOST_ROWS, found):
            yield _entry("Node", str(node_id), shown, partial(self._show_node, node_id))

    def _jobs(self, words: list[str]) -> Iterator[Action]:
        """Yield jobs of the cluster whose number begins with the last word, as in "7" or "job 7"."""
        cluster, number = self._session.offer(CLUSTER), words[-1]
        if cluster is None or self._show_job is None or not number[0].isdigit():
            return
        jobs = [job for job in cluster.state.jobs if job.label.startswith(number)]
        for job in nsmallest(_MOST_ROWS, jobs, key=lambda one: (len(one.label), one.job_id)):
            shown = f"{job.label} of {job.user}, {job.name}".rstrip(", ")
            yield _entry("Job", job.label, shown, partial(self._show_job, job.job_id))

    def _experiments(self) -> Iterator[Action]:
        if self._show_experiment is None:
            return
        for name, title, paper in _experiments():
            yield _entry("Experiment", name, title, partial(self._show_experiment, name), f"{name} {paper}")

    def _parameters(self) -> list[Action]:
        document = self._session.document
        if document is None or not document.is_of_file or self._why_locked():
            return []
        return [
            _entry("Parameter", one.key, one.label, partial(self._show_parameter, one.key), one.key)
            for one in PARAMETERS
        ]


@cache
def _experiments() -> tuple[tuple[str, str, str], ...]:
    """Return name, title and paper of each experiment; they are imported when they are first searched."""
    from fsconsole.experiments.registry import experiments

    return tuple((one.name, one.title, one.paper) for one in experiments())


def _entry(kind: str, key: str, text: str, run: Callable[[], object], words: str = "") -> Action:
    return Action(f"{kind} {key}", menu_words(text), run, menu=f"Search/{kind}", words=words)
