"""The differences of two runs in sentences and rows, the same in the window and on the command line."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fsconsole.app.runs.diff import RunsDiff, largest_first
from fsconsole.app.runs.samples_diff import Difference, SamplesDiff
from fsconsole.figures.quantities import recorded_quantity
from fsconsole.policies.words import policy_title, setting_label
from fsconsole.recording.run_format import WITHOUT_SYSTEM
from fsconsole.text.durations import clock, in_words
from fsconsole.text.numbers import percent, si, significant, thousands
from fsconsole.text.words import count_words

HEADERS = ("Quantity", "Node", "Time", "Largest\ndifference", "Share of the\nrange", "A", "B")
_LABELS = {"seed": "Seed", "sample_s": "Time between samples", "rate_window_s": "Rate window"}
_MOST_NAMED = 3


def sentences(diff: RunsDiff) -> Iterator[str]:
    """Describe all differences besides the numbers, one in a sentence."""
    samples = diff.samples
    if samples.since_s is None or samples.until_s is None:
        yield "The runs have no instant in common."
    else:
        span = f"{clock(samples.since_s)} to {clock(samples.until_s)}"
        yield f"Compared: {count_words(samples.instants, 'instant')}, {span}."
        if diff.period_s:
            yield f"Times are those of the week, to {in_words(diff.period_s)}."
    yield from diff.gaps
    for key, before, after in diff.settings:
        values = " \N{RIGHTWARDS ARROW} ".join(_setting_words(key, text) for text in (before, after))
        yield f"{_LABELS.get(key) or setting_label(key)}: {values}"
    yield from diff.edits
    for name, quantities in (("A", diff.only_a), ("B", diff.only_b)):
        if quantities:
            yield f"Only {name} has {', '.join(map(title_words, quantities))}."
    for name, deeds in (("A", diff.done_a), ("B", diff.done_b)):
        for deed in deeds:
            yield f"Only in {name}, at {clock(deed.time_s)}: {deed.text}"
    for name, nodes in (("A", samples.nodes_a), ("B", samples.nodes_b)):
        for path, time_s in nodes.items():
            yield f"Only in {name}, from {clock(time_s)} on: {path}"
    if samples.first_s is not None:
        yield f"First difference at {clock(samples.first_s)}{_first_words(samples)}."
    elif samples.instants:
        yield "The runs are alike." if diff.is_same else "Their samples are alike."


def short_sentences(diff: RunsDiff, most: int) -> Iterator[str]:
    """Describe the differences in a limited number of sentences, then the place of the largest."""
    found = list(sentences(diff))
    yield from found if len(found) <= most else [*found[: most - 1], found[-1]]
    named: list[Difference] = []
    for one in largest_first(diff.samples):
        if all(one.quantity != other.quantity for other in named):
            named.append(one)
    for one in named[:_MOST_NAMED]:
        what = f"{title_words(one.quantity)} of {one.path} at {clock(one.time_s)}"
        weight = f"{weight_words(diff.samples, one)} of the range"
        yield f"Largest difference of {what}: {_pair_words(one)}, {weight}."


def brief_value(quantity: str, value: float) -> str:
    """Write a value or difference for a cell of the window: four digits that count, percent or SI letters."""
    if not math.isfinite(value):
        return "none"
    return percent(value, 2) if _unit(quantity) == "%" else si(value)


def rows(samples: SamplesDiff) -> list[tuple[str, ...]]:
    """Return the row below `HEADERS` of each largest difference, those of the greatest weight first."""
    return [
        (
            _heading(one.quantity),
            one.path,
            clock(one.time_s),
            _number(one.quantity, one.amount),
            weight_words(samples, one),
            _number(one.quantity, one.a),
            _number(one.quantity, one.b),
        )
        for one in largest_first(samples)
    ]


def title_words(quantity: str) -> str:
    """Return the title of a quantity, or its name if it is unknown."""
    name = _base(quantity)
    title = recorded_quantity(name).title
    return title if name == quantity else f"{title} without system groups"


def value_words(quantity: str, value: float) -> str:
    """Write a value or difference with six digits that count and its unit."""
    unit = _unit(quantity)
    text = _number(quantity, value)
    return f"{text}\N{NO-BREAK SPACE}{unit}" if unit and math.isfinite(value) else text


def _number(quantity: str, value: float) -> str:
    if not math.isfinite(value):
        return "none"
    scale = recorded_quantity(_base(quantity)).axis.scale
    text = significant(value * scale, 6)
    return thousands(float(f"{value * scale:.6g}")) if "e+" in text else text


def _unit(quantity: str) -> str:
    return recorded_quantity(_base(quantity)).axis.unit


def _base(quantity: str) -> str:
    return quantity.removesuffix(WITHOUT_SYSTEM)


def _heading(quantity: str) -> str:
    unit = _unit(quantity)
    return f"{title_words(quantity)} ({unit})" if unit else title_words(quantity)


def _setting_words(key: str, text: str) -> str:
    if key == "policy.name":
        return policy_title(text)
    if text and key in _LABELS and key.endswith("_s"):
        return in_words(float(text))
    return text or "none"


def _first_words(samples: SamplesDiff) -> str:
    found = samples.by_weight(one for one in samples.first if one.time_s == samples.first_s)
    return f", {title_words(found[0].quantity)} of {found[0].path}: {_pair_words(found[0])}" if found else ""


def _pair_words(one: Difference) -> str:
    return f"{value_words(one.quantity, one.a)} and {value_words(one.quantity, one.b)}"


def weight_words(samples: SamplesDiff, one: Difference) -> str:
    """Write which part of the range of its quantity a difference is."""
    return percent(samples.weight(one), 1)
