"""What differs between two runs: how they were made, what was done to them, and what came of it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fsconsole.app.edit_words import lines
from fsconsole.app.runs.samples_diff import Difference, SamplesDiff, samples_diff
from fsconsole.policies.words import words_of
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader
from fsconsole.shares.diff import diff as edits_between
from fsconsole.shares.scenario.settings import setting_text
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.run_scenario import journal_of, scenario_of
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words

_MADE_WITH = ("seed", "sample_s", "rate_window_s")


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was done to one of the runs alone."""

    time_s: float
    text: str


@dataclass(frozen=True, slots=True)
class RunsDiff:
    """How two runs differ.

    Attributes:
        settings: key, value in the first run, value in the second one, as text; empty where it has none.
        edits: what leads from the tree of the first run to that of the second one, in words.
        done_a, done_b: what was done to one of them alone, up to the last instant that both have.
        samples: what came of it.
        only_a, only_b: quantities that one of them has.
        gaps: what is missing in one of them, in sentences; nothing is compared there.
    """

    settings: tuple[tuple[str, str, str], ...]
    edits: tuple[str, ...]
    done_a: tuple[Deed, ...]
    done_b: tuple[Deed, ...]
    samples: SamplesDiff
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    gaps: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether they are alike wherever both have data, which is somewhere."""
        listed = self.settings or self.edits or self.done_a or self.done_b or self.only_a or self.only_b
        return not listed and self.samples.instants > 0 and self.samples.is_same

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        samples = self.samples
        return {
            "same": self.is_same,
            "from_s": samples.since_s,
            "until_s": samples.until_s,
            "instants": samples.instants,
            "instants_in_one": {"a": samples.only_a, "b": samples.only_b},
            "gaps": list(self.gaps),
            "first_s": samples.first_s,
            "first": [_plain(one) for one in samples.first],
            "largest": [_plain(one) for one in largest_first(samples)],
            "settings": [{"key": key, "a": a, "b": b} for key, a, b in self.settings],
            "tree": list(self.edits),
            "nodes_in_one": {"a": samples.nodes_a, "b": samples.nodes_b},
            "quantities_in_one": {"a": list(self.only_a), "b": list(self.only_b)},
            "done_in_one": {
                name: [{"time_s": deed.time_s, "text": deed.text} for deed in deeds]
                for name, deeds in (("a", self.done_a), ("b", self.done_b))
            },
        }


def runs_diff(a: RunReader, b: RunReader) -> RunsDiff:
    """Compare two runs; nodes are matched by their paths. RunError for a damaged one."""
    of_a, of_b = scenario_of(a), scenario_of(b)
    has_a, has_b = a.quantities(), b.quantities()
    samples = samples_diff(a, b, [name for name in has_a if name in has_b])
    end_s = math.inf if samples.until_s is None else samples.until_s
    done_a, done_b = _done_in_one(_deeds(a, of_a, end_s), _deeds(b, of_b, end_s))
    edits = lines(of_a.tree, edits_between(of_a.tree, of_b.tree, by_path=True))
    return RunsDiff(
        tuple(_settings(a.manifest, b.manifest)),
        tuple(text for _, text in edits),
        done_a,
        done_b,
        samples,
        tuple(name for name in has_a if name not in has_b),
        tuple(name for name in has_b if name not in has_a),
        (*_gaps("A", a), *_gaps("B", b)),
    )


def largest_first(samples: SamplesDiff) -> list[Difference]:
    """Give the largest difference of each node, quantity by quantity, the largest of each first."""
    return sorted(samples.largest.values(), key=lambda one: (one.quantity, -one.amount, one.path))


def value_words(value: float) -> str:
    """Write a value or difference with six digits that count."""
    return f"{value:,.6g}"


def sentences(diff: RunsDiff) -> Iterator[str]:
    """Say what differs beside the numbers, one thing a sentence."""
    samples = diff.samples
    if samples.since_s is None or samples.until_s is None:
        yield "The runs have no instant in common."
    else:
        span = f"{length_words(samples.since_s)} to {length_words(samples.until_s)}"
        yield f"Compared: {count_words(samples.instants, 'instant')}, {span}."
    yield from diff.gaps
    for key, before, after in diff.settings:
        yield f"{key}: {before or 'none'} -> {after or 'none'}"
    yield from diff.edits
    for name, quantities in (("A", diff.only_a), ("B", diff.only_b)):
        if quantities:
            yield f"Only {name} has {', '.join(quantities)}."
    for name, deeds in (("A", diff.done_a), ("B", diff.done_b)):
        for deed in deeds:
            yield f"Only in {name}, at {length_words(deed.time_s)}: {deed.text}"
    for name, nodes in (("A", samples.nodes_a), ("B", samples.nodes_b)):
        for path, time_s in nodes.items():
            yield f"Only in {name}, from {length_words(time_s)} on: {path}"
    if samples.first_s is not None:
        yield f"First difference at {length_words(samples.first_s)}{_first_words(samples)}."
    elif samples.instants:
        yield "The runs are alike." if diff.is_same else "Their samples are alike."


def _gaps(name: str, run: RunReader) -> Iterator[str]:
    for gap in run.gaps:
        span = f"{length_words(gap.start_s)} to {length_words(gap.end_s)}"
        yield f"{name} has no samples from {span}: {gap.why}."


def _first_words(samples: SamplesDiff) -> str:
    if not samples.first or samples.first[0].time_s != samples.first_s:
        return ""
    one = samples.first[0]
    return f", {one.quantity} of {one.path}: {value_words(one.a)} and {value_words(one.b)}"


def _settings(a: dict[str, Any], b: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key in _MADE_WITH:
        if a.get(key) != b.get(key):
            yield key, str(a.get(key, "")), str(b.get(key, ""))
    ours, theirs = a.get("settings", {}), b.get("settings", {})
    for key in dict.fromkeys([*ours, *theirs]):
        if ours.get(key) != theirs.get(key):
            texts = (setting_text(key, one[key]) if key in one else "" for one in (ours, theirs))
            yield key, *texts


def _deeds(run: RunReader, scenario: Scenario, end_s: float) -> list[tuple[str, Deed]]:
    """What was done up to a time, each with what makes it the same in another run."""
    hz = scenario.machine.hz
    entries = [entry for entry in journal_of(run) if entry.tick / hz <= end_s]
    return [(_identity(entry, hz), _deed(entry, scenario, hz)) for entry in entries]


def _identity(entry: JournalEntry, hz: int) -> str:
    """Who did it does not matter."""
    return json.dumps([entry.tick / hz, JournalEntry(0, entry.action).to_json()], sort_keys=True)


def _deed(entry: JournalEntry, scenario: Scenario, hz: int) -> Deed:
    return Deed(entry.tick / hz, words_of(entry.action, scenario.tree) or "job submitted")


def _done_in_one(
    a: list[tuple[str, Deed]], b: list[tuple[str, Deed]]
) -> tuple[tuple[Deed, ...], tuple[Deed, ...]]:
    in_a, in_b = Counter(key for key, _ in a), Counter(key for key, _ in b)
    return tuple(_beyond(a, in_b)), tuple(_beyond(b, in_a))


def _beyond(deeds: list[tuple[str, Deed]], known: Counter[str]) -> Iterator[Deed]:
    left = Counter(known)
    for key, deed in deeds:
        if left[key] > 0:
            left[key] -= 1
        else:
            yield deed


def _plain(one: Difference) -> dict[str, Any]:
    def number(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "quantity": one.quantity,
        "path": one.path,
        "time_s": one.time_s,
        "difference": number(one.amount),
        "a": number(one.a),
        "b": number(one.b),
    }
