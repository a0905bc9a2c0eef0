"""The known words that are nearest to an unknown one."""

from __future__ import annotations

from collections.abc import Collection

_MOST = 500


def nearest(word: str, known: Collection[str]) -> list[str]:
    """Return at most two known words that are nearest to a word.

    Of very many words, only those that look alike at a glance are compared.
    """
    from difflib import get_close_matches

    pool = known
    if len(known) > _MOST:
        pool = [item for item in known if item[:1] == word[:1] and abs(len(item) - len(word)) <= 2][:_MOST]
    return get_close_matches(word, pool, 2, 0.6)


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return `. Did you mean a or b?`, or an empty text if no known word is near."""
    near = nearest(word, known)
    return f". Did you mean {' or '.join(near)}?" if near else ""


def nearest_or_all(word: str, known: Collection[str]) -> str:
    """Return `. Did you mean a or b?`, or all of the few known words if none is near."""
    return did_you_mean(word, known) or f". Choose one of {', '.join(known)}"
