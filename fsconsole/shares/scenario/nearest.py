"""The nearest of what is known to a word that is not."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_MOST = 500


def did_you_mean(word: str, known: Collection[str]) -> str:
    """`; did you mean a or b?` or nothing; of very many words only those much alike at sight are compared."""
    pool = known
    if len(known) > _MOST:
        pool = [item for item in known if item[:1] == word[:1] and abs(len(item) - len(word)) <= 2][:_MOST]
    near = get_close_matches(word, pool, 2, 0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""
