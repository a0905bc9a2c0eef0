"""Rules on the queue of a Slurm cluster, its partitions and nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fsconsole.app.doctor.rule import Grade, Hit, rule
from fsconsole.app.doctor.site import Site
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.values import length_s
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed

_SQUEUE = "squeue(1), job reason codes"
_CONF = "slurm.conf(5)"
_NEVER = ("PartitionTimeLimit", "PartitionNodeLimit", "BadConstraints")
_GONE = ("InvalidAccount", "InvalidQOS")
_UNABLE = ("down", "drain", "drng", "fail", "error", "inval", "boot_fail")
_CLOSED = ("DOWN", "DRAIN", "INACTIVE")
_FEW_USERS = 5
_NO_PREEMPTION = ("", "preempt/none")


def _jobs(jobs: list[Job]) -> str:
    return listed([f"{job.label} of {job.user}" for job in jobs], 3)


@rule("dependency-never", Grade.BROKEN, "Jobs wait for something impossible", _SQUEUE)
def _dependency_never(site: Site) -> Iterator[Hit]:
    found = [job for job in site.pending if job.reason == "DependencyNeverSatisfied"]
    if found:
        yield Hit(
            f"job {found[0].label}", f"{count_words(len(found), 'job')}: {_jobs(found)}.",
            "scancel them, or set DependencyParameters=kill_invalid_depend.",
            "Their users can submit that many more jobs.",
        )  # fmt: skip


@rule("job-beyond-partition", Grade.BROKEN, "Jobs request more than their partition allows", _SQUEUE)
def _job_beyond_partition(site: Site) -> Iterator[Hit]:
    found = [job for job in site.pending if job.reason in _NEVER]
    if found:
        yield Hit(
            f"job {found[0].label}", f"{count_words(len(found), 'job')}, {found[0].reason}: {_jobs(found)}.",
            "Lower their request, or set EnforcePartLimits=ALL, which refuses such jobs at submission.",
            "They start, or their users see the refusal at submission.",
        )  # fmt: skip


@rule("job-without-association", Grade.BROKEN, "Jobs of deleted accounts or QOS", _SQUEUE)
def _job_without_association(site: Site) -> Iterator[Hit]:
    found = [job for job in site.pending if job.reason in _GONE]
    if found:
        yield Hit(
            f"job {found[0].label}", f"{count_words(len(found), 'job')}, {found[0].reason}: {_jobs(found)}.",
            f"scontrol update jobid={found[0].job_id} account=NAME qos=NAME, or scancel.",
            "They can start, charged to an existing association.",
        )  # fmt: skip


@rule(
    "partition-closed", Grade.BROKEN, "Jobs wait in a partition that is not up", f"{_CONF}, partition State"
)
def _partition_closed(site: Site) -> Iterator[Hit]:
    waiting = Counter(name for job in site.pending for name in job.partition.split(","))
    for partition in site.partitions:
        if partition.state in _CLOSED and waiting[partition.name]:
            yield Hit(
                f"partition {partition.name}",
                f"{partition.name} is {partition.state}, with "
                    f"{count_words(waiting[partition.name], 'pending job')}.",
                f"scontrol update partitionname={partition.name} state=up, or move the jobs.",
                f"The {count_words(waiting[partition.name], 'job')} can start.",
            )  # fmt: skip


@rule(
    "partition-without-nodes",
    Grade.BROKEN,
    "All nodes of a partition are unavailable",
    "sinfo(1), node states",
)
def _partition_without_nodes(site: Site) -> Iterator[Hit]:
    waiting = Counter(name for job in site.pending for name in job.partition.split(","))
    for name, count in waiting.items():
        nodes = [node for node in site.nodes if name in node.partitions]
        if nodes and all(node.state.startswith(_UNABLE) for node in nodes):
            reasons = (
                listed([*dict.fromkeys(node.reason for node in nodes if node.reason)], 2) or "no reason given"
            )
            yield Hit(
                f"partition {name}",
                f"The only node of {name} is {nodes[0].state} ({reasons})." if len(nodes) == 1
                else f"All {thousands(len(nodes))} nodes of {name} are {nodes[0].state} ({reasons}).",
                f"scontrol update nodename={nodes[0].name} state=resume, once they are repaired.",
                f"The pending job of {name} can start." if count == 1
                else f"The {thousands(count)} pending jobs of {name} can start.",
            )  # fmt: skip


@rule("tier-beats-fairshare", Grade.UNUSUAL, "A partition tier outranks fairshare", f"{_CONF}, PriorityTier")
def _tier_beats_fairshare(site: Site) -> Iterator[Hit]:
    busy = {name for job in site.pending for name in job.partition.split(",")}
    partitions = [one for one in site.partitions if one.name in busy]
    for nodes in dict.fromkeys(one.nodes for one in partitions):
        same = sorted((one for one in partitions if one.nodes == nodes), key=lambda one: -one.priority_tier)
        if (
            len(same) > 1
            and same[0].priority_tier > same[-1].priority_tier
            and site.setting("PreemptType") in _NO_PREEMPTION
        ):
            yield Hit(
                f"partition {same[0].name}",
                f"{same[0].name} has PriorityTier {same[0].priority_tier}, {same[-1].name} "
                    f"{same[-1].priority_tier}, on the same nodes {nodes}. Both have pending jobs.",
                "Give them the same PriorityTier and different PriorityJobFactor, unless that "
                    "order is intended.",
                f"Jobs of {same[-1].name} with a higher fairshare start before those of {same[0].name}.",
            )  # fmt: skip


@rule("age-full", Grade.UNUSUAL, "Jobs are too old for the age factor", f"{_CONF}, PriorityMaxAge")
def _age_full(site: Site) -> Iterator[Hit]:
    if site.settings is None or not site.settings.weights.get("age") or not site.now_s:
        return
    try:
        longest = length_s(site.setting("PriorityMaxAge") or "", bare_unit_s=60.0)
    except DamagedError:
        return
    since = [site.now_s - (job.eligible_s or job.submit_s or site.now_s) for job in site.pending]
    full = sum(age > (longest or float("inf")) for age in since)
    if longest and full >= 10 and full > len(since) / 2:
        yield Hit(
            "PriorityMaxAge", f"{thousands(full)} of {thousands(len(since))} pending jobs wait longer than "
                f"PriorityMaxAge, {length_words(longest)}.",
            f"Raise PriorityMaxAge above the longest wait, {length_words(max(since))}.",
            "Among jobs with the same fairshare the oldest goes first again.",
        )  # fmt: skip


@rule("nice-beats-fairshare", Grade.UNUSUAL, "Nice outweighs fairshare", "sbatch(1), --nice")
def _nice_beats_fairshare(site: Site) -> Iterator[Hit]:
    weight = 0 if site.settings is None else site.settings.weights.get("fairshare", 0)
    found = [row for row in site.priorities if weight and abs(row.parts.get("nice", 0.0)) > weight]
    if found:
        row = found[0]
        yield Hit(
            f"job {row.job_id}",
            f"Job {row.job_id} of {row.user} has nice {thousands(row.parts['nice'])}. Fairshare gives at "
                f"most {thousands(weight)} points.",
            f"scontrol update jobid={row.job_id} nice=0, unless it is meant to wait for all others.",
            f"Fairshare orders job {row.job_id} again.",
        )  # fmt: skip


@rule("one-fairshare-for-all", Grade.UNUSUAL, "All pending jobs have the same fairshare", "sprio(1)")
def _one_fairshare_for_all(site: Site) -> Iterator[Hit]:
    points = {row.user: row.parts["fairshare"] for row in site.priorities if "fairshare" in row.parts}
    if len(points) >= _FEW_USERS and len(set(points.values())) == 1:
        yield Hit(
            "",
            f"All {len(points)} users with pending jobs have {thousands(next(iter(points.values())))} "
                "fairshare points.",
            "Check that usage is recorded (sshare), and that shares differ where they must.",
            "Usage then orders the queue.",
        )  # fmt: skip


RULES = (
    _dependency_never, _job_beyond_partition, _job_without_association, _partition_closed,
    _partition_without_nodes, _tier_beats_fairshare, _age_full, _nice_beats_fairshare, _one_fairshare_for_all,
)  # fmt: skip
