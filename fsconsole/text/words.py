"""Counts, plurals and lists in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from fsconsole.text.numbers import thousands

_NAMED = 3
T = TypeVar("T")


def plural(count: int, one: str, many: str = "") -> str:
    """Return the word for a count: `one` for 1, otherwise `many`, by default `one` in the plural.

    Where a verb or a pronoun depends on the count too, `one` and `many` are whole sentences, so that a
    translation can put the words in another order.
    """
    if count == 1 or many:
        return one if count == 1 else many
    if one.endswith("y") and one[-2:-1] not in "aeiou":
        return f"{one[:-1]}ies"
    return f"{one}{'es' if one.endswith('s') else 's'}"


def capitalised(text: str) -> str:
    """Return a text with a capital first letter; the other letters, such as those of names, stay."""
    return text[:1].upper() + text[1:]


def shortened(text: str, most: int = 80) -> str:
    """Return a text of at most `most` characters; a longer one keeps its two ends.

    The default is for values in messages: a longer one would hide the rest of the message.
    """
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"


def count_words(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 node`, `2 000 nodes`."""
    return f"{thousands(count)} {plural(count, one, many)}"


def times_words(count: int) -> str:
    """Return a count as `once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def ordinal(number: int) -> str:
    """Return a number as `1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def listed(names: Sequence[object], most: int | None = None) -> str:
    """Return `a`, `a and b`, `a, b and c`; where more than one is beyond `most`, `a, b and 30 more`."""
    texts = [str(name) for name in names]
    if most is not None and len(texts) > most + 1:
        return f"{', '.join(texts[:most])} and {thousands(len(texts) - most)} more"
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def first_of(things: Sequence[T], most: int, text: Callable[[T], str] = str) -> list[str]:
    """Return the text of each; of more than `most`, of the first ones and how many more: `and 30 more`."""
    return [*map(text, things[:most]), *more_label(len(things) - most)]


def more_label(count: int) -> list[str]:
    """Return the line after the first entries of a list, `and 2 000 more`; an empty list without more."""
    return [f"and {thousands(count)} more"] if count > 0 else []


def jobs_title(labels: Sequence[object]) -> str:
    """Return job labels as a title: `Job 7`, `Jobs 7, 9 and 12`."""
    return capitalised(jobs_words(labels))


def jobs_words(labels: Sequence[object], most: int = _NAMED) -> str:
    """Return job labels as words: `job 7`, `jobs 7, 9 and 12`; many as `jobs 7, 9, 12 and 30 more`."""
    return f"{plural(len(labels), 'job')} {listed(labels, most)}"
