"""Daemons of a cluster that do not respond, and the age of the shown values, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsconsole.targets.slurm.state import ClusterState, Link, PartName
from fsconsole.text.words import capitalised, listed, plural

CONTROLLER, DATABASE = "slurmctld", "slurmdbd"
MOST_IMPORTANT_FIRST = (
    PartName.JOBS,
    PartName.USAGE,
    PartName.TREE,
    PartName.NODES,
    PartName.PARTITIONS,
    PartName.RESERVATIONS,
    PartName.QOS,
    PartName.SETTINGS,
)
_CALLED = {PartName.TREE: "associations", PartName.QOS: "QOS"}
_LATE = re.compile(r"^\w+ did not respond within [0-9.]+ s")
_REASONS = (
    (re.compile("timed out|did not respond within", re.IGNORECASE), "timed out"),
    (re.compile("connection refused|connect failure", re.IGNORECASE), "connection refused"),
    (re.compile("no route to host", re.IGNORECASE), "no route to host"),
)


@dataclass(frozen=True, slots=True)
class LinkTrouble:
    """Fault of the link to a cluster.

    Attributes:
        short: beside the cluster's name: `slurmctld does not respond`.
        sentence: who does not respond and why, and who does.
        as_of: of when the values are that are shown, most important first, in a sentence; empty where all of
            them are new.
    """

    short: str
    sentence: str
    as_of: str

    @property
    def text(self) -> str:
        """All of it, in sentences."""
        return " ".join(filter(None, (self.sentence, self.as_of)))


def daemon_of(part: PartName) -> str:
    """Return the daemon that answers the query of a part."""
    return DATABASE if part in (PartName.TREE, PartName.QOS) else CONTROLLER


def link_trouble(state: ClusterState, clock: Callable[[float], str]) -> LinkTrouble | None:
    """Return the fault of the link; None where no reading fails. `clock` writes seconds since 1970."""
    failing = [name for name in MOST_IMPORTANT_FIRST if name in state.parts and state.parts[name].problem]
    if not failing:
        return None
    if state.fault is not None:
        return LinkTrouble(
            "cannot be reached", f"{capitalised(state.fault.sentence)}.", _as_of(state, failing, clock)
        )
    silent = list(dict.fromkeys(daemon_of(name) for name in failing if _is_silence(state, name)))
    as_of = _as_of(state, failing, clock)
    if not silent or any(not _is_silence(state, name) for name in failing):
        return LinkTrouble(*_of_parts(state, failing), as_of)
    others = [daemon for daemon in (CONTROLLER, DATABASE) if daemon not in silent and _answers(state, daemon)]
    who = listed(silent)
    short = plural(len(silent), f"{who} does not respond", f"{who} do not respond")
    does = f"; {others[0]} does" if others else ""
    why = next((word for name in failing if (word := _reason(state.parts[name].problem))), "")
    whose = f"{who} of {state.name}"
    named = plural(len(silent), f"{whose} does not respond", f"{whose} do not respond")
    return LinkTrouble(short, f"{named}{f' ({why})' if why else ''}{does}.", as_of)


def _is_silence(state: ClusterState, name: PartName) -> bool:
    """Return True if a reading failed because the daemon did not respond."""
    problem = state.parts[name].problem
    return problem.startswith(f"{daemon_of(name)} does not respond") or _LATE.match(problem) is not None


def _answers(state: ClusterState, daemon: str) -> bool:
    parts = [part for name, part in state.parts.items() if daemon_of(name) == daemon]
    return any(part.as_of_s is not None and not part.problem for part in parts)


def _of_parts(state: ClusterState, failing: Sequence[PartName]) -> tuple[str, str]:
    """Return short words and the sentence for trouble other than the daemon's silence."""
    problem = state.parts[failing[0]].problem.rstrip(".")
    if state.link is Link.NO_ANSWER:
        return "does not respond", f"{state.name} does not respond: {problem}."
    names = listed([_CALLED.get(name, str(name)) for name in failing])
    return f"cannot read {names}", f"Cannot read {names} of {state.name}: {problem}."


def _reason(problem: str) -> str:
    return next((word for pattern, word in _REASONS if pattern.search(problem)), "")


def _as_of(state: ClusterState, failing: Sequence[PartName], clock: Callable[[float], str]) -> str:
    """Describe the ages: `Last read: jobs and nodes at 03:38:27, usage at 03:37:41.`"""
    names = {name for name in failing if state.parts[name].as_of_s is not None}
    if PartName.USAGE in state.parts and any(daemon_of(name) == CONTROLLER for name in failing):
        names |= {PartName.USAGE} if state.parts[PartName.USAGE].as_of_s is not None else set()
    when: dict[str, list[str]] = {}
    for name in MOST_IMPORTANT_FIRST:
        as_of_s = state.parts[name].as_of_s if name in names else None
        if as_of_s is not None:
            when.setdefault(clock(as_of_s), []).append(_CALLED.get(name, str(name)))
    read = ", ".join(f"{listed(names)} at {moment}" for moment, names in when.items())
    return f"Last read: {read}." if read else ""
