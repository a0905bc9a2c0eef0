"""What a trace has and a schedule here leaves out: jobs are rectangles of nodes and time in one pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fsconsole.batch.job_table import Bools, Ints, Labels
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words

_BEGIN = "Not modelled here: "


def not_modelled(left_out: Mapping[str, Bools], pools: Mapping[str, Labels | None], rows: Ints) -> str:
    """Return a sentence on what is left out, in jobs; empty if nothing is.

    Args:
        left_out: which jobs have each property that a schedule does not know, bool [jobs], by its name.
        pools: labels of all jobs, by the word for one of them; jobs of several share all nodes here.
        rows: the jobs that are scheduled, [scheduled].
    """
    counts = {name: int(has[rows].sum()) for name, has in left_out.items()}
    parts = [(name, count) for name, count in counts.items() if count]
    words = [
        f"{name} of {thousands(count) if place else count_words(count, 'job')}"
        for place, (name, count) in enumerate(parts)
    ]
    for what, labels in pools.items():
        kinds = 0
        if labels is not None:
            kinds = sum(bool(labels.names[one]) for one in np.unique(labels.number[rows]).tolist())
        words += [f"{count_words(kinds, what)} as one pool"] if kinds > 1 else []
    return f"{_BEGIN}{', '.join(words)}" if words else ""


def not_modelled_in(report: Sequence[str]) -> str:
    """Return the sentence among the lines of a report on a trace; empty if it has none."""
    return next((line for line in report if line.startswith(_BEGIN)), "")
