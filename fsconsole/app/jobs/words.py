"""Jobs of a Slurm cluster in words: their states and reasons.

States and reasons are those of squeue(1) of Slurm 22.05; the words are ours.
"""

from __future__ import annotations

from functools import lru_cache

from fsconsole.app.jobs.dependencies import dependency_words
from fsconsole.slurm.jobs import FINISHED, Job, Sort
from fsconsole.text.numbers import thousands

# Slurm calls held jobs pending too; here, pending jobs are those that are not held.
TITLES = {sort: sort.value.capitalize() for sort in Sort} | {Sort.WAITING: "Pending"}
NAMES = {sort: sort.value for sort in Sort} | {Sort.WAITING: "pending"}
MAY_HIDE_JOBS = "PrivateData=jobs: Slurm shows jobs of other users only to operators and coordinators."
ICONS = {
    Sort.RUNNING: "run",
    Sort.WAITING: "waiting",
    Sort.SUSPENDED: "pause",
    Sort.HELD: "locked",
    Sort.FINISHED: "ok",
}
_FAULTS = {"BOOT_FAIL", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT", "DEADLINE"}
_STATES = {
    "PENDING": "Pending",
    "BOOT_FAIL": "Boot failed",
    "NODE_FAIL": "Node failed",
    "OUT_OF_MEMORY": "Out of memory",
    "TIMEOUT": "Time limit reached",
    "DEADLINE": "Deadline passed",
    "SIGNALING": "Signalled",
    "SPECIAL_EXIT": "Special exit",
    "STAGE_OUT": "Staging out",
    "REQUEUE_HOLD": "Requeued, held",
    "REQUEUED": "Requeued",
}
# Source: squeue(1), JOB STATE CODES.
CODES = {
    "BOOT_FAIL": "BF", "CANCELLED": "CA", "COMPLETED": "CD", "CONFIGURING": "CF", "COMPLETING": "CG",
    "DEADLINE": "DL", "FAILED": "F", "NODE_FAIL": "NF", "OUT_OF_MEMORY": "OOM", "PENDING": "PD",
    "PREEMPTED": "PR", "RUNNING": "R", "RESV_DEL_HOLD": "RD", "REQUEUE_FED": "RF", "REQUEUE_HOLD": "RH",
    "REQUEUED": "RQ", "RESIZING": "RS", "REVOKED": "RV", "SIGNALING": "SI", "SPECIAL_EXIT": "SE",
    "STAGE_OUT": "SO", "STOPPED": "ST", "SUSPENDED": "S", "TIMEOUT": "TO",
}  # fmt: skip
_REASONS = {
    "Resources": "waits for free CPUs or nodes",
    "Priority": "jobs of higher priority go first",
    "Dependency": "waits for another job to end",
    "DependencyNeverSatisfied": "waits for a job that did not end as required",
    "BeginTime": "its start time is in the future",
    "JobHeldUser": "held by its user",
    "JobHeldAdmin": "held by an operator",
    "JobArrayTaskLimit": "its array has reached its limit of running tasks",
    "Cleaning": "is cleaned up before it runs again",
    "Licenses": "waits for a licence",
    "Reservation": "its reservation has not started",
    "ReservationDeleted": "its reservation was deleted",
    "PartitionDown": "its partition is down",
    "PartitionInactive": "its partition is inactive",
    "PartitionNodeLimit": "requests more nodes than its partition allows",
    "PartitionTimeLimit": "requests more time than its partition allows",
    "BadConstraints": "no node meets its request",
    "InvalidAccount": "its account was deleted",
    "InvalidQOS": "its QOS was deleted",
    "NodeDown": "a requested node is down",
    "launch_failed_requeued_held": "could not start; requeued and held",
    "None": "",
}
_DEPENDS = ("Dependency", "DependencyNeverSatisfied")
_NODES_TAKEN = "Nodes required for job are DOWN"
_NODES_AWAY = "ReqNodeNotAvail"
_LIMITS = (("Assoc", "its account's or user's limit"), ("QOS", "its QOS's limit"), ("Max", "a limit"))
# Slurm's words serve for these.
_WAITS = frozenset((
    "AccountingPolicy", "AccountNotAllowed", "BurstBufferResources", "BurstBufferStageIn", "FedJobLock",
    "FrontEndDown", "Prolog", "QOSNotAllowed",
))  # fmt: skip
_ENDS = frozenset(("BadConstraints", "DependencyNeverSatisfied", "InvalidAccount", "InvalidQOS", "NodeDown"))


def state_words(job: Job) -> str:
    """Return `Running`, `Held`, `Pending, some held`, `Completing, cancelled`."""
    return _state_words(job.states, job.is_held, job.has_held)


@lru_cache(maxsize=256)
def _state_words(states: tuple[str, ...], is_held: bool, has_held: bool) -> str:
    if is_held and states[0] == "PENDING":
        return "Held"
    if has_held and not is_held:
        return "Pending, some held"
    texts = [_state_word(state) for state in states]
    if "COMPLETING" in states and states[0] in FINISHED:
        return f"Completing, {texts[0].lower()}"
    return ", ".join([texts[0], *(word.lower() for word in texts[1:])])


def _state_word(state: str) -> str:
    return _STATES.get(state) or state.replace("_", " ").capitalize()


def held_words(least: int, most: int) -> str:
    """Return the number of held jobs among pending ones: ` (1 to 3 of them held)`; empty for none."""
    if not most:
        return ""
    if least == most:
        return f" ({thousands(most)} of them held)"
    return f" ({thousands(least)} to {thousands(most)} of them held)"


def icon_of(job: Job) -> tuple[str, str]:
    """Return the icon and the token that it is drawn in."""
    sort = job.sort
    if sort is Sort.FINISHED and job.state != "COMPLETED":
        is_fault = job.state in _FAULTS
        return ("warning", "danger") if is_fault else ("kill", "muted")
    tokens = {Sort.RUNNING: "ok", Sort.SUSPENDED: "warn"}
    return ICONS[sort], tokens.get(sort, "muted")


@lru_cache(maxsize=1024)
def state_search(states: tuple[str, ...], words: str) -> str:
    """Return the words by which a filter finds a state: our words, then Slurm's own and their short
    codes, a line each.
    """
    codes = [CODES[state] for state in states if state in CODES]
    parts = words.split(", some ") if ", some " in words else ()
    return "\n".join(dict.fromkeys((words, *parts, *states, *codes))).casefold()


def reason_of(job: Job) -> str:
    """Return Slurm's reason why a job is pending or ended.

    squeue keeps the last reason of a pending job that is cancelled, which is not why it ended: it is empty.
    """
    return "" if job.state in FINISHED and all(map(_is_of_pending, job.reasons)) else job.reason


def reason_key(job: Job) -> tuple[str, str]:
    """Return the reason and dependency, which make the words."""
    return reason_of(job), job.dependency


def reason_search(job: Job) -> str:
    """Return the searchable text of a reason: our words, then Slurm's."""
    reason = reason_of(job)
    parts = reasons_of(job)
    texts = (reason_words(job), *map(_reason_words, parts), *parts, reason)
    return "\n".join(dict.fromkeys(texts)).casefold()


def reasons_of(job: Job) -> tuple[str, ...]:
    """Return each of Slurm's reasons, as `reason_of`; several for tasks that wait for different ones."""
    return job.reasons if job.is_mixed else (reason_of(job),)


def reason_words(job: Job) -> str:
    """Return the reason why a job is pending or ended, in words; Slurm's own words if we have none.

    Several reasons are those of different tasks.
    """
    if job.is_mixed:
        return "; ".join(_reason_words(one) or "no reason yet" for one in job.reasons)
    reason = reason_of(job)
    if reason in _DEPENDS and (text := dependency_words(job.dependency)):
        return text
    return _reason_words(reason)


@lru_cache(maxsize=1024)
def _is_of_pending(reason: str) -> bool:
    """Return True for a reason that pending jobs alone have."""
    if reason in _ENDS:
        return False
    is_limit = "Limit" in reason and reason.startswith(tuple(start for start, _ in _LIMITS))
    is_of_nodes = reason.startswith(_NODES_AWAY) or reason.replace("_", " ").startswith(_NODES_TAKEN)
    return is_limit or is_of_nodes or reason in _REASONS or reason in _WAITS


@lru_cache(maxsize=1024)
def _reason_words(reason: str) -> str:
    known = _REASONS.get(reason)
    if known is not None:
        return known
    if reason.startswith(_NODES_AWAY):
        return "requested nodes are not available" + reason.removeprefix(_NODES_AWAY).replace("_", " ")
    if reason.replace("_", " ").startswith(_NODES_TAKEN):
        return "its nodes are down, drained, or reserved for partitions of higher priority"
    for start, words in _LIMITS:
        if reason.startswith(start) and "Limit" in reason:
            return f"{words} is reached ({reason})"
    return reason.replace("_", " ").strip("()")


def name_of(job: Job) -> str:
    """Return the name of the job in a sentence: `7 of fs_finn`."""
    return f"{job.label} of {job.user}"
