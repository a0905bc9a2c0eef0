"""Foreseen obstacles to changes: active jobs, and default accounts that would disappear.

Source: Slurm 22.05.8 refuses to remove an association with running or pending jobs ("Job(s) active, cancel
job(s) before remove"), and removes a default account without a message. An account that moves keeps its jobs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from fsconsole.slurm import sacctmgr
from fsconsole.slurm.change_set import Change, ChangeSet, Verb
from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.job_labels import job_count
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.names import in_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import listed, plural

_MOST_NAMED = 6
_Obstacle = tuple[str, frozenset[str]]  # Its words and the identities of its causes.
_NONE: _Obstacle = ("", frozenset())


def with_obstacles(
    cluster: str,
    changes: ChangeSet,
    jobs: Iterable[Job],
    defaults: Mapping[str, str] | None = None,
    stored: Collection[Key] = (),
) -> ChangeSet:
    """Return the changes with the foreseen obstacles of each, except those that are insisted on.

    It is asked before the operator decides, and again before each command is sent.

    Args:
        cluster: name of the cluster.
        changes: staged changes.
        jobs: all jobs of the cluster.
        defaults: known default accounts by user.
        stored: stored associations, as far as `defaults` are known.
    """
    if not any(one.verb is Verb.REMOVE for one in changes.changes):
        return changes
    found = _Obstacles(cluster, changes.changes, jobs, defaults or {}, stored).found()

    def known(one: Change) -> Change:
        words, causes = found.get(one.key, _NONE) if one.verb in (Verb.ADD, Verb.REMOVE) else _NONE
        return replace(one, obstacle="" if causes <= one.insisted else words, causes=causes)

    return replace(changes, changes=tuple(map(known, changes.changes)))


def insisted(changes: ChangeSet) -> ChangeSet:
    """Return the changes, to be sent despite their present obstacles, but not despite later ones."""
    return replace(
        changes,
        changes=tuple(
            replace(one, obstacle="", insisted=one.insisted | one.causes) for one in changes.changes
        ),
    )


class _Obstacles:
    """Looks for them."""

    def __init__(
        self,
        cluster: str,
        changes: Sequence[Change],
        jobs: Iterable[Job],
        defaults: Mapping[str, str],
        stored: Collection[Key],
    ) -> None:
        self._cluster, self._defaults, self._stored = cluster, defaults, stored
        self._removed = [one for one in changes if one.verb is Verb.REMOVE]
        self._added = [one for one in changes if one.verb is Verb.ADD and one.key[1]]
        gone = {one.key[0] for one in self._removed}
        self._set = {
            one.key[1]: one.will.parent
            for one in changes
            if one.verb is Verb.DEFAULT and one.will is not None
        }
        self._jobs = [job for job in jobs if job.account in gone and not job.is_finished]

    def found(self) -> dict[Key, _Obstacle]:
        """Return the obstacle of each association that cannot be changed as asked; nothing for the others.

        What follows from obstacles of others has their causes.
        """
        found: dict[Key, _Obstacle] = {}
        stays: dict[str, list[Key]] = {}
        of_user: dict[str, list[Key]] = {}
        for one in self._removed:  # Users come first, then accounts from the leaves up.
            inside = [] if one.key[1] else stays.get(one.key[0], [])
            words, causes = self._of_user(one) if one.key[1] else self._of_account(one, inside)
            causes = causes.union(*(found[key][1] for key in inside))
            if words:
                found[one.key] = words, causes
                stays.setdefault(one.was.parent if one.was is not None else one.key[0], []).append(one.key)
                of_user.setdefault(one.key[1], []).append(one.key)
        for one in self._added:
            halves = of_user.get(one.key[1], [])
            if halves:
                words = f"It is half of a move, and {in_words(halves[0])} cannot be removed."
                found[one.key] = words, frozenset().union(*(found[key][1] for key in halves))
        return found

    def _of_user(self, one: Change) -> _Obstacle:
        account, user, partition = one.key
        jobs = [
            job
            for job in self._jobs
            if (job.account, job.user) == (account, user) and partition in ("", job.partition)
        ]
        return _jobs_words(one, jobs) if jobs else self._default_words(one)

    def _of_account(self, one: Change, inside: Sequence[Key]) -> _Obstacle:
        jobs = [job for job in self._jobs if job.account == one.key[0]]
        words, causes = _jobs_words(one, jobs) if jobs else _NONE
        if inside:
            words = f"{in_words(inside[-1])} would be removed with it, but cannot be removed."
        return words, causes

    def _default_words(self, one: Change) -> _Obstacle:
        """Describe a user who stays in other accounts but loses the default account."""
        account, user, _ = one.key
        gone = {other.key for other in self._removed}
        there = (*self._stored, *(other.key for other in self._added))
        left = sorted({key[0] for key in there if key[1] == user and key not in gone})
        is_named = (
            any("defaultaccount" in " ".join(other.command) for other in self._added if other.key[1] == user)
            or self._set.get(user) in left
        )
        if self._defaults.get(user) != account or not left or account in left or is_named:
            return _NONE
        command = " ".join(sacctmgr.set_default(self._cluster, user, left[0]))
        return (
            f"{account} is the default account of {user}, so jobs without an account would fail. "
            f"Set another default first: {command}"
        ), frozenset((f"default account {account} of {user}",))


def _jobs_words(one: Change, jobs: Sequence[Job]) -> _Obstacle:
    count = job_count(jobs)
    named = listed([f"{job.label} {job.state.lower()}" for job in jobs], _MOST_NAMED)
    ids = " ".join(str(job.job_id) for job in jobs[:_MOST_NAMED])
    scancel, where = f"scancel {ids}{' …' if len(jobs) > _MOST_NAMED else ''}", in_words(one.key)
    words = plural(
        count,
        f"1 job is active in {where} ({named}), and Slurm does not remove the account before it "
        f"ends. Wait, or kill it ({scancel}).",
        f"{thousands(count)} jobs are active in {where} ({named}), and Slurm does not remove the account "
        f"before they end. Wait, or kill them ({scancel}).",
    )
    return words, frozenset(f"job {job.array_job_id or job.job_id}" for job in jobs)
