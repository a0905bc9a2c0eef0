"""Findings about a cluster that is being connected, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath

from fsconsole.slurm.job_labels import job_count
from fsconsole.targets.slurm.state import ClusterState, Part, PartName
from fsconsole.targets.slurm.tools import Connection, shown_command
from fsconsole.text import numbers
from fsconsole.text.words import capitalised, count_words, shortened

_NOISE = 60


class Verdict(StrEnum):
    """Result of the check: the cluster can be opened, in part or not at all."""

    READING = "reading"
    READY = "ready"
    WITHOUT_TREE = "without tree"  # Some parts respond, but neither slurmdbd nor sshare returns the tree.
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the check: the question, the icon and colour token of the result, and its text."""

    what: str
    icon: str
    token: str
    text: str


_ASKED = (
    (PartName.SETTINGS, "Settings", "slurmctld"),
    (PartName.TREE, "Associations", "slurmdbd"),
    (PartName.USAGE, "Usage", "slurmctld"),
    (PartName.JOBS, "Jobs", "slurmctld"),
)


def connection_sentence(connection: Connection) -> str:
    """Describe the connection to Slurm's tools in a sentence; empty without a prefix."""
    facts = connection.facts
    if facts is None:
        return ""
    where = connection.host or facts.host
    shell = f", login shell {PurePosixPath(facts.shell).name}" if connection.host and facts.shell else ""
    shared = "one login for all commands" if connection.is_shared else ""
    lack = f"each command logs in, because {connection.lack}" if connection.lack else ""
    user = f"As {facts.user} on" if facts.user else "On"
    ways = ", ".join(filter(None, (f"{user} {where}{shell}", shared, lack)))
    first = facts.noise.strip().partition("\n")[0].strip()
    noise = f' Start files there print "{shortened(first, _NOISE)}", which is left out.' if first else ""
    return f"{ways}.{noise}"


def verdict(state: ClusterState) -> Verdict:
    """Return the verdict: still reading, enough read to show the cluster, or too much failed for that."""
    parts = state.parts
    settings_tried = state.settings is not None or _is_tried(parts.get(PartName.SETTINGS))
    if state.tree is not None and settings_tried:
        return Verdict.READY
    asked = [parts.get(name) for name, _, _ in _ASKED]
    if state.tree is not None or not all(_is_tried(part) for part in asked):
        return Verdict.READING
    answered = any(part is not None and not part.problem for part in asked)
    return Verdict.WITHOUT_TREE if answered else Verdict.FAILED


def findings(state: ClusterState | None, now_s: float) -> list[Finding]:
    """Return a line for each part; `now_s` is the wall clock, seconds since 1970."""
    found = [_finding(state, name, title, who, now_s) for name, title, who in _ASKED]
    if state is not None and state.fault is not None:
        return [Finding("Login", "warning", "danger", sentence(state.fault.sentence))]
    if state is not None and state.connection is not None and state.connection.host:
        found.insert(0, Finding("Login", "ok", "ok", connection_sentence(state.connection)))
    seen: set[str] = set()
    for at, one in enumerate(found):
        if one.token == "danger" and one.text in seen:
            found[at] = replace(one, text="likewise")
        seen.add(one.text)
    return found


def advice(prefix: tuple[str, ...]) -> str:
    """Return steps to try if the cluster does not respond, though its host does."""
    command = shown_command(prefix, ("scontrol", "show", "config"))
    return f"Run this in a terminal to see the error: {command}"


def sentence(text: str) -> str:
    """Return words of a tool as a sentence."""
    text = text.strip()
    ended = text if not text or text[-1] in ".!?" else f"{text}."
    return capitalised(ended)


def failure(state: ClusterState) -> str:
    """Return the first fault that keeps a cluster from being shown whole, in a sentence."""
    problems = [part.problem for name, _, _ in _ASKED if (part := state.parts.get(name)) and part.problem]
    return sentence(problems[0]) if problems else ""


def _is_tried(part: Part | None) -> bool:
    return part is not None and (part.as_of_s is not None or bool(part.problem))


def _finding(state: ClusterState | None, name: PartName, title: str, who: str, now_s: float) -> Finding:
    part = state.parts.get(name) if state is not None else None
    if state is None or part is None:
        return Finding(title, "", "muted", "waiting")
    if part.problem:
        return Finding(title, "warning", "danger", sentence(part.problem))
    if part.as_of_s is not None:
        took = f"{part.took_s:.2f}{numbers.NARROW_SPACE}s"
        return Finding(title, "ok", "ok", f"{_read_words(state, name)}, from {who} in {took}")
    if part.is_reading and part.began_s:
        return Finding(title, "", "muted", f"querying {who}, {max(0, round(now_s - part.began_s))} s")
    return Finding(title, "", "muted", "waiting")


def _read_words(state: ClusterState, name: PartName) -> str:
    match name:
        case PartName.SETTINGS:
            version = state.settings.version if state.settings is not None else ""
            return ", ".join(filter(None, (f"cluster {state.name}", f"Slurm {version}" if version else "")))
        case PartName.TREE:
            count = len(state.tree.keys) if state.tree is not None else 0
            source = "" if state.tree is None or state.tree.is_complete else " from sshare, read-only"
            return f"{count_words(count, 'association')}{source}"
        case PartName.USAGE:
            return "usage and fairshare"
    return count_words(job_count(state.jobs), "job")
