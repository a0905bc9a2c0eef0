"""What one format of share trees declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text.words import count_words


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    Attributes:
        name: what the command line calls it.
        title: what a file dialog calls it.
        suffixes: endings of its files, with the dot.
        read: text to scenario, ScenarioError with all that is wrong.
        write: scenario to text, ScenarioError for what would come back as something else.
        is_of: whether a text is of this kind, where the file's suffix does not say.
        about: where its files come from, for the menu; `File > Import` has none without it.
        lost: what of a scenario the format has no place for, in words.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[str], Scenario]
    write: Callable[[Scenario], str]
    is_of: Callable[[str], bool] = lambda _: False
    lost: Callable[[Scenario], list[str]] = lambda _: []
    about: str = ""


def without_work(scenario: Scenario, **counts: int) -> list[str]:
    """What a format loses that holds the tree alone, in words: these counts, then who works and when."""
    work = {"login": scenario.logins, "workload": scenario.workloads, "event": scenario.events}
    named = {word.replace("_", " "): count for word, count in counts.items()}
    all_counts = named | {word: len(items) for word, items in work.items()}
    return [count_words(count, word) for word, count in all_counts.items() if count]
