"""Why one association goes before another: what was read, explained, with what else is to be known of it."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.slurm.insight import Level, Measured, why
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE, SlurmConfig
from fsconsole.targets.slurm.summary import ClusterSummary
from fsconsole.text import numbers


@dataclass(frozen=True, slots=True)
class ClusterExplanation:
    """Why one association goes before another; see `targets.base.Explained`."""

    rule: str
    rule_title: str
    levels: tuple[Level, ...]
    leaf: int
    verdict: str
    standing: str


def explain(digest: ClusterSummary | None, node: int, other: int | None, stale: str) -> ClusterExplanation:
    """Explain two associations; `stale` says as of when their usage is, where it is old.

    LookupError says why it cannot be said.
    """
    measured = None if digest is None else _measured(digest)
    if digest is None or measured is None or digest.index is None:
        raise LookupError("the usage has not been read yet")
    settings = digest.state.settings
    if settings is not None and settings.is_depth_oblivious:
        raise LookupError(f"who goes before whom cannot be said: {UNKNOWN_RULE}")
    rows = [None if one is None else digest.index.row_of.get(one) for one in (node, other)]
    if rows[0] is None or rows[1] is None or rows[0] == rows[1]:
        raise LookupError("select two associations of the cluster")
    reason = why(measured, rows[0], rows[1])
    return ClusterExplanation(
        "fair_tree" if measured.is_fair_tree else "classic",
        "Fair Tree" if measured.is_fair_tree else "Classic fairshare",
        reason.levels,
        node,
        f"{reason.verdict} {reason.because}".strip(),
        " ".join(filter(None, _remarks(digest, reason.levels, stale))),
    )


def weight_words(settings: SlurmConfig) -> str:
    """How much fairshare counts in a job's priority; empty where the cluster does not say."""
    total = sum(settings.weights.values())
    fairshare = settings.weights.get("fairshare", 0)
    if not total:
        return ""
    if not fairshare:
        return "Fairshare has no weight in the priority of jobs here."
    others = [name for name, weight in settings.weights.items() if weight and name != "fairshare"]
    count = "counts" if len(others) == 1 else "count"
    rest = f"; {', '.join(others)} {count} too" if others else ""
    most = f"{numbers.thousands(fairshare)} of {numbers.thousands(total)}"
    return f"In a job's priority fairshare counts for up to {most}{rest}."


def _remarks(digest: ClusterSummary, levels: tuple[Level, ...], stale: str) -> list[str]:
    """How old it is, what lags, that fairshare is not all."""
    standing, settings = digest.state.standing, digest.state.settings
    said = [f"{stale[0].upper()}{stale[1:]}."] if stale else []
    if standing is not None and {level.node for level in levels} & standing.lagging.keys():
        said.append("Some of these numbers lag behind: see the marks in the associations.")
    return [*said, "" if settings is None else weight_words(settings)]


def _measured(digest: ClusterSummary) -> Measured | None:
    """What is compared: as sshare prints it."""
    standing, index, settings = digest.state.standing, digest.index, digest.state.settings
    if standing is None or index is None or len(standing.norm_usage) != len(index.tree.nodes):
        return None
    return Measured(
        index.tree.stored.tree,
        index.above,
        index.level_shares,
        standing.norm_usage,
        standing.printed,
        settings is not None and settings.is_fair_tree,
        index.tree.nodes,
    )
