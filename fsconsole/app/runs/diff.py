"""Differences between two runs: their origin, their actions and their results."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fsconsole.app.edit_words import lines
from fsconsole.app.runs.samples_diff import Difference, SamplesDiff, samples_diff
from fsconsole.policies.words import setting_label, setting_value, words_of
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader, cluster_settings
from fsconsole.recording.run_format import SIMULATION, WITHOUT_SYSTEM, RunError
from fsconsole.recording.run_tree import tree_of
from fsconsole.shares.diff import diff as edits_between
from fsconsole.shares.edits import apply_all
from fsconsole.shares.scenario.actions import ChangeTree, SetSetting
from fsconsole.shares.scenario.settings import setting_text
from fsconsole.shares.scenario.spec import Scenario, settings_of
from fsconsole.shares.tree import ShareTree, TreeError
from fsconsole.targets.run_scenario import journal_of, scenario_of
from fsconsole.text.durations import clock

_MADE_WITH = ("seed", "sample_s", "rate_window_s")


@dataclass(frozen=True, slots=True)
class Deed:
    """A change that was made to only one of the runs."""

    time_s: float
    text: str


@dataclass(frozen=True, slots=True)
class RunsDiff:
    """Differences between two runs.

    Attributes:
        settings: key, value in the first run, value in the second one, as text; empty where it has none.
            Those in force at the last instant that both have, with what was changed up to then.
        edits: what leads from the tree of the first run to that of the second one, in words.
        done_a, done_b: what was done to one of them alone, up to the last instant that both have.
        samples: what came of it.
        only_a, only_b: quantities that one of them has.
        gaps: what is missing in one of them, in sentences; nothing is compared there.
        period_s: period of readings that are compared at equal times of the week; 0 where instants are exact.
    """

    settings: tuple[tuple[str, str, str], ...]
    edits: tuple[str, ...]
    done_a: tuple[Deed, ...]
    done_b: tuple[Deed, ...]
    samples: SamplesDiff
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    gaps: tuple[str, ...] = ()
    period_s: float = 0.0

    @property
    def is_same(self) -> bool:
        """True if both runs have data in common and do not differ in them."""
        listed = self.settings or self.edits or self.done_a or self.done_b or self.only_a or self.only_b
        return not listed and self.samples.instants > 0 and self.samples.is_same

    def to_json(self) -> dict[str, Any]:
        """Return the differences as plain data."""
        samples = self.samples
        return {
            "same": self.is_same,
            "period_s": self.period_s,
            "from_s": samples.since_s,
            "until_s": samples.until_s,
            "instants": samples.instants,
            "instants_in_one": {"a": samples.only_a, "b": samples.only_b},
            "gaps": list(self.gaps),
            "first_s": samples.first_s,
            "first": [_plain(one, samples) for one in samples.by_weight(samples.first)],
            "largest": [_plain(one, samples) for one in largest_first(samples)],
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
    """Compare two runs of one kind; nodes are matched by their paths.

    Weeks of diaries are compared at equal times of the week, to the period of their readings.

    Raises:
        RunError: one is damaged, or they are of two kinds.
    """
    if a.kind != b.kind:
        simulated, other = (a, b) if a.kind == SIMULATION else (b, a)
        msg = (
            f"{simulated.path} is a run of a simulated machine, and {other.path} is a week of a cluster's "
            "diary. They have no quantity in common. Compare two runs, or two weeks"
        )
        raise RunError(msg)
    of_a, of_b = _scenario_of(a), _scenario_of(b)
    has_a, has_b = a.quantities(), b.quantities()
    period_s = 0.0 if a.kind == SIMULATION else max(_period_s(a), _period_s(b))
    samples = samples_diff(a, b, _columns(a, b, of_a), period_s)
    end_s = math.inf if samples.until_s is None else samples.until_s
    (deeds_a, set_a), (deeds_b, set_b) = _deeds(a, of_a, end_s), _deeds(b, of_b, end_s)
    done_a, done_b = _done_in_one(deeds_a, deeds_b)
    edits = lines(of_a.tree, edits_between(of_a.tree, of_b.tree, by_path=True))
    return RunsDiff(
        tuple(_settings(a.manifest, set_a, b.manifest, set_b)),
        tuple(text for _, text in edits),
        done_a,
        done_b,
        samples,
        tuple(name for name in has_a if name not in has_b),
        tuple(name for name in has_b if name not in has_a),
        (*_gaps("A", a), *_gaps("B", b)),
        period_s,
    )


def _scenario_of(run: RunReader) -> Scenario:
    """Return the scenario of a simulated machine; that of a diary has its tree of the last reading alone."""
    return scenario_of(run) if run.kind == SIMULATION else Scenario(tree_of(run))


def _period_s(run: RunReader) -> float:
    return float(run.manifest.get("sample_s", 0.0))


def _columns(a: RunReader, b: RunReader, scenario: Scenario) -> list[str]:
    """Return the quantities of both runs, without system groups where the scenario's plots omit them."""
    leaves_out = scenario.plot.leave_out_system and any(node.system for node in scenario.tree.walk())
    found = []
    for name in a.quantities():
        rescaled = f"{name}{WITHOUT_SYSTEM}"
        is_rescaled = leaves_out and all(rescaled in run.recorded for run in (a, b))
        if name in b.recorded:
            found.append(rescaled if is_rescaled else name)
    return found


def largest_first(samples: SamplesDiff) -> list[Difference]:
    """Return the largest difference of each node and quantity, by their weight in the quantity's range."""
    return samples.by_weight(samples.largest.values())


def _gaps(name: str, run: RunReader) -> Iterator[str]:
    for gap in run.gaps:
        span = f"{clock(gap.start_s)} to {clock(gap.end_s)}"
        yield f"{name} has no samples from {span}: {gap.why}."


def _settings(
    a: dict[str, Any], set_a: dict[str, Any], b: dict[str, Any], set_b: dict[str, Any]
) -> Iterator[tuple[str, str, str]]:
    for key in _MADE_WITH:
        if a.get(key) != b.get(key):
            yield key, str(a.get(key, "")), str(b.get(key, ""))
    for key in dict.fromkeys([*set_a, *set_b]):
        if set_a.get(key) != set_b.get(key):
            before, after = (_setting_text(key, one.get(key, "")) for one in (set_a, set_b))
            yield key, before, after


def _setting_text(key: str, value: Any) -> str:
    return value if isinstance(value, str) else setting_text(key, value)


def _deeds(run: RunReader, scenario: Scenario, end_s: float) -> tuple[list[tuple[str, Deed]], dict[str, Any]]:
    """Return the changes up to a time, each with a key that is equal in another run, and the settings
    then.
    """
    if run.kind != SIMULATION:
        return [], cluster_settings(run)
    hz, tree = scenario.machine.hz, scenario.tree.copy()
    # Settings that are newer than the run are included.
    known = settings_of(scenario.machine, scenario.policy)
    settings = {key: _plain_value(value) for key, value in known.items()}
    found = []
    for entry in journal_of(run):
        if entry.tick / hz > end_s:
            break
        found.append((_identity(entry, hz), _deed(entry, tree, hz, settings)))
        if isinstance(entry.action, SetSetting):
            settings[entry.action.key] = _plain_value(entry.action.value)
    return found, settings


def _plain_value(value: Any) -> Any:
    """Return a value as it is in a manifest and in an action alike."""
    if isinstance(value, datetime):
        return value.isoformat()
    return tuple(value) if isinstance(value, list) else value


def _identity(entry: JournalEntry, hz: int) -> str:
    """Identify an event without the person who caused it."""
    return json.dumps([entry.tick / hz, JournalEntry(0, entry.action).to_json()], sort_keys=True)


def _deed(entry: JournalEntry, tree: ShareTree, hz: int, settings: dict[str, Any]) -> Deed:
    """Return a change as a deed; edits of the tree are applied to `tree` too."""
    action = entry.action
    if isinstance(action, SetSetting) and action.key in settings:
        before, after = (setting_value(action.key, value) for value in (settings[action.key], action.value))
        text = f"{setting_label(action.key)}: {before} \N{RIGHTWARDS ARROW} {after}"
    elif isinstance(action, ChangeTree):
        text = _edits_words(action, tree)
    else:
        text = words_of(action, tree) or "job submitted"
    return Deed(entry.tick / hz, text)


def _edits_words(action: ChangeTree, tree: ShareTree) -> str:
    """Describe edits, with the values before."""
    try:
        text = "; ".join(line for _, line in lines(tree, action.edits))
        apply_all(tree, action.edits)
    except TreeError:  # The machine refused the edit.
        return words_of(action, tree) or "tree changed"
    return text


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


def _plain(one: Difference, samples: SamplesDiff) -> dict[str, Any]:
    def number(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "quantity": one.quantity,
        "path": one.path,
        "time_s": one.time_s,
        "difference": number(one.amount),
        "weight": samples.weight(one),
        "a": number(one.a),
        "b": number(one.b),
    }
