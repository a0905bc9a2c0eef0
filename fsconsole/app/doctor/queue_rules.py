"""Rules on the queue of a Slurm cluster, its partitions and nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fsconsole.app.doctor.rule import Hit, rule
from fsconsole.app.doctor.site import Site
from fsconsole.slurm.job_labels import counts_by_partition, job_count
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.values import length_s
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import capitalised, listed

_NEVER = ("PartitionTimeLimit", "PartitionNodeLimit", "BadConstraints")
_GONE = ("InvalidAccount", "InvalidQOS")
_UNABLE = ("down", "drain", "drng", "fail", "error", "inval", "boot_fail")
_CLOSED = ("DOWN", "DRAIN", "INACTIVE")
_FEW_USERS = 5
_NO_PREEMPTION = ("", "preempt/none")


def _waiting(site: Site) -> Counter[str]:
    """Return the number of pending jobs of each partition that has some."""
    counts = counts_by_partition(site.jobs)
    return Counter({name: count for name in counts if (count := counts[name][Sort.WAITING])})


def _stuck(site: Site, reasons: tuple[str, ...]) -> tuple[Job | None, str]:
    """Return the first of the jobs that wait for one of the reasons, and how many and which wait for each."""
    found = [job for job in site.pending if job.reason in reasons]
    texts = []
    for reason in dict.fromkeys(job.reason for job in found):
        jobs = [job for job in found if job.reason == reason]
        why = f", {reason}" if len(reasons) > 1 else ""
        names = listed([f"{job.label} of {job.user}" for job in jobs], 3)
        texts.append(f"{capitalised(site.jobs_counted(job_count(jobs)))}{why}: {names}.")
    return next(iter(found), None), " ".join(texts)


@rule("dependency-never")
def _dependency_never(site: Site) -> Iterator[Hit]:
    job, jobs = _stuck(site, ("DependencyNeverSatisfied",))
    if job is not None:
        yield Hit(
            f"job {job.label}", jobs,
            "scancel them, or set DependencyParameters=kill_invalid_depend.",
            "Their users can submit that many more jobs.",
        )  # fmt: skip


@rule("job-beyond-partition")
def _job_beyond_partition(site: Site) -> Iterator[Hit]:
    job, jobs = _stuck(site, _NEVER)
    if job is not None:
        yield Hit(
            f"job {job.label}", jobs,
            "Lower their request, or set EnforcePartLimits=ALL, which refuses such jobs at submission.",
            "They start, or their users see the refusal at submission.",
        )  # fmt: skip


@rule("job-without-association")
def _job_without_association(site: Site) -> Iterator[Hit]:
    job, jobs = _stuck(site, _GONE)
    if job is not None:
        yield Hit(
            f"job {job.label}", jobs,
            f"scontrol update jobid={job.job_id} account=NAME qos=NAME, or scancel.",
            "They can start, charged to an existing association.",
        )  # fmt: skip


@rule("partition-closed")
def _partition_closed(site: Site) -> Iterator[Hit]:
    waiting = _waiting(site)
    for partition in site.partitions:
        if partition.state in _CLOSED and waiting[partition.name]:
            yield Hit(
                f"partition {partition.name}",
                f"{partition.name} is {partition.state}, with "
                    f"{site.jobs_counted(waiting[partition.name], 'pending job')}.",
                f"scontrol update partitionname={partition.name} state=up, or move the jobs.",
                f"Pending jobs of {partition.name} can start.",
            )  # fmt: skip


@rule("partition-without-nodes", PartName.NODES)
def _partition_without_nodes(site: Site) -> Iterator[Hit]:
    for name in _waiting(site):
        nodes = [node for node in site.nodes if name in node.partitions]
        if nodes and all(node.state.startswith(_UNABLE) for node in nodes):
            states = [
                f"{thousands(count)} {state}"
                for state, count in Counter(node.state for node in nodes).items()
            ]
            reasons = (
                listed([*dict.fromkeys(node.reason for node in nodes if node.reason)], 2) or "no reason given"
            )
            yield Hit(
                f"partition {name}",
                f"Nodes of {name}: {listed(states)} ({reasons}).",
                f"scontrol update nodename={nodes[0].name} state=resume, once they are repaired.",
                f"Pending jobs of {name} can start.",
            )  # fmt: skip


@rule("tier-beats-fairshare")
def _tier_beats_fairshare(site: Site) -> Iterator[Hit]:
    busy = _waiting(site)
    partitions = [one for one in site.partitions if one.name in busy and one.nodes]
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


@rule("age-full", PartName.JOBS)
def _age_full(site: Site) -> Iterator[Hit]:
    if not site.weight("age") or not site.now_s:
        return
    try:
        longest = length_s(site.setting("PriorityMaxAge") or "", bare_unit_s=60.0)
    except DamagedError:
        return
    waiting = [(job, job.eligible_s or job.submit_s) for job in site.jobs if job.sort is Sort.WAITING]
    ages = [(job, site.now_s - at_s) for job, at_s in waiting if at_s is not None]
    if not longest or len(ages) < len(waiting):
        return
    full, count = job_count(job for job, age in ages if age > longest), job_count(job for job, _ in ages)
    if full >= 10 and full > count / 2:
        yield Hit(
            "PriorityMaxAge", f"{thousands(full)} of {thousands(count)} pending jobs wait longer than "
                f"PriorityMaxAge, {length_words(longest)}.",
            f"Raise PriorityMaxAge above the longest wait, {length_words(max(age for _, age in ages))}.",
            "Among jobs with the same fairshare the oldest goes first again.",
        )  # fmt: skip


@rule("nice-beats-fairshare")
def _nice_beats_fairshare(site: Site) -> Iterator[Hit]:
    weight = site.weight("fairshare")
    found = [row for row in site.priorities if weight and abs(row.parts.get("nice", 0.0)) > weight]
    if found:
        row = found[0]
        nice = row.parts["nice"]
        job = f"Job {row.job_id} of {row.user}" if row.user else f"Job {row.job_id}"
        meant = "wait for all others" if nice > 0 else "go ahead of all others"
        yield Hit(
            f"job {row.job_id}",
            f"{job} has nice {thousands(nice)}. Fairshare gives at most {thousands(weight)} points.",
            f"scontrol update jobid={row.job_id} nice=0, unless it is meant to {meant}.",
            f"Fairshare orders job {row.job_id} again.",
        )  # fmt: skip


@rule("one-fairshare-for-all")
def _one_fairshare_for_all(site: Site) -> Iterator[Hit]:
    points = {row.user: row.parts["fairshare"] for row in site.priorities if "fairshare" in row.parts}
    if len(points) >= _FEW_USERS and len(set(points.values())) == 1:
        yield Hit(
            "",
            f"All {thousands(len(points))} users with pending jobs have "
                f"{thousands(next(iter(points.values())))} fairshare points.",
            "Check that usage is recorded (sshare), and that shares differ where they must.",
            "Usage then orders the queue.",
        )  # fmt: skip
