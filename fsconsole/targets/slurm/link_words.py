"""State of the link to a cluster as words, an icon and a colour token. No Qt here."""

from __future__ import annotations

import time
from dataclasses import dataclass

from fsconsole.targets.slurm.link_trouble import link_trouble
from fsconsole.targets.slurm.state import ClusterState, Link, PartName
from fsconsole.text import moments

PART_TITLES = {
    PartName.SETTINGS: "Settings",
    PartName.TREE: "Associations",
    PartName.USAGE: "Usage",
    PartName.JOBS: "Jobs",
    PartName.PARTITIONS: "Partitions",
    PartName.NODES: "Nodes",
    PartName.RESERVATIONS: "Reservations",
    PartName.QOS: "QOS",
}


@dataclass(frozen=True, slots=True)
class LinkWords:
    """Texts of the target box and the status bar.

    Attributes:
        remark: what is wrong, beside the name; empty where all answers.
        icon, token: of the target box.
        status: for the status bar.
        tip: all of it, in lines.
    """

    remark: str
    icon: str
    token: str
    status: str
    tip: str


def link_words(state: ClusterState, now_s: float, captured_s: float | None = None) -> LinkWords:
    """Return the texts at `now_s`, the cluster's clock; `captured_s` is when a capture was made."""
    remark, icon, token = _remark(state, now_s)
    version = f"Slurm {state.settings.version}" if state.settings is not None else "Slurm"
    situation = remark or (f"capture of {moments.whole(captured_s)}" if captured_s is not None else "answers")
    status = f"Target: {state.name}, {version}, {situation}"
    doing = f"\n{state.doing}" if state.doing else ""
    lines = [line for name in PartName if (line := _line(state, name))]
    return LinkWords(
        remark, icon, token, status, "\n".join((f"{state.name}, {version}: {situation}{doing}", *lines))
    )


def at(time_s: float | None) -> str:
    """Return a time of day here; with the date where it is another day's."""
    return moments.second(time_s, time.time())


def stale_words(state: ClusterState) -> str:
    """Return sentences on an old tree or old usage, with the reasons; empty where both are new."""
    sentences = []
    for name, what in ((PartName.TREE, "Associations"), (PartName.USAGE, "Usage and FairShare")):
        part = state.parts.get(name)
        if part is not None and part.problem:
            as_of = f"as of {at(part.as_of_s)}" if part.as_of_s is not None else "have not been read"
            sentences.append(f"{what} {as_of}: {part.problem.rstrip('.')}.")
    return " ".join(sentences)


def newest_s(state: ClusterState) -> float | None:
    """Return the time of the last good reading of any part."""
    return max((part.as_of_s for part in state.parts.values() if part.as_of_s is not None), default=None)


def _remark(state: ClusterState, now_s: float) -> tuple[str, str, str]:
    match state.link:
        case Link.CONNECTING:
            return "connecting", "slurm", "muted"
        case Link.NO_ANSWER:
            since = newest_s(state)
            return (
                (f"no response since {at(since)}" if since is not None else "no answer"),
                "warning",
                "muted",
            )
        case Link.PARTLY:
            trouble = link_trouble(state, at)
            return trouble.short if trouble is not None else "answers partly", "warning", "warn"
        case Link.SLOW:
            # A length would be old at once: the words are renewed with another state alone.
            began = [part.began_s for part in state.parts.values() if part.is_reading and part.began_s]
            has_waited = bool(began) and now_s - min(began) >= 1
            return f"slow since {at(min(began))}" if has_waited else "slow", "warning", "warn"
    return "", "slurm", "ok"


def _line(state: ClusterState, name: PartName) -> str:
    part = state.parts.get(name)
    if part is None:
        return ""
    title = PART_TITLES[name]
    if part.problem:
        return f"{title} as of {at(part.as_of_s)}: {part.problem}"
    return f"{title} as of {at(part.as_of_s)}" if part.as_of_s is not None else f"{title}: not read yet"
