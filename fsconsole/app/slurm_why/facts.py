"""Data for an answer: settings, output of sshare, jobs; read once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.parsers.sshare import Sshare
from fsconsole.slurm.usage_reset import reset_words
from fsconsole.targets.slurm.gaps import gap_words, old_words
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.words import count_words, listed

if TYPE_CHECKING:  # A command that must respond within a second does not load the package of recorded runs.
    from fsconsole.targets.slurm.diary_instant import DiaryInstant
    from fsconsole.targets.slurm.state import ClusterState

_NAMED = 6
_HIDES = ("usage", "users", "accounts", "jobs")
_SAME_READING_S = 10.0


@dataclass(frozen=True, eq=False, slots=True)
class LimitFacts:
    """Limits of associations and QOS, as far as they were read.

    Attributes:
        stored: associations with their limits; None where they were not read.
        qos: as far as they were read.
        problem: why something of both is not there, in a sentence; empty where nothing is wrong.
    """

    stored: StoredAssociations | None = None
    qos: tuple[Qos, ...] = ()
    problem: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence on what is not there; nothing where nothing is wrong."""
        return (f"Some limits have not been read: {self.problem}",) if self.problem else ()


@dataclass(frozen=True, eq=False, slots=True)
class Facts:
    """A cluster as one user may see it.

    Attributes:
        cluster: its name.
        settings: None where they could not be read.
        shares: what sshare printed; None where it was not asked or did not respond.
        jobs, partitions: as far as they were read.
        priorities: asks for the priorities of waiting jobs by number; none where the cluster does not say.
        problems: why a part could not be read, by the part's name.
        notes: what of a part was left out, by the part's name.
        old: sentences on parts that could not be read again.
        as_of_s: seconds since 1970; None where it is not known.
        tres: reads what each job has or asks for, by number, where one waits for a limit of more than CPUs.
        tasks: reads the pending tasks of an array one by one, where one row has them all though they wait for
            different reasons; none where that is not possible.
        limits: reads limits where a job waits for one: associations take sacctmgr long on large clusters.
    """

    cluster: str
    settings: SlurmConfig | None
    shares: Sshare | None = None
    jobs: tuple[Job, ...] = ()
    partitions: tuple[Partition, ...] = ()
    priorities: Callable[[Sequence[Job]], Mapping[int, JobPriority]] = lambda _jobs: {}
    problems: Mapping[str, str] = field(default_factory=dict)
    as_of_s: float | None = None
    limits: Callable[[], LimitFacts] = LimitFacts
    tres: Callable[[], Mapping[int, str]] = dict
    notes: Mapping[str, str] = field(default_factory=dict)
    old: tuple[str, ...] = ()
    tasks: Callable[[Job], Sequence[Job]] = lambda _job: ()

    def gaps(self, *parts: PartName) -> tuple[str, ...]:
        """Return a sentence on each of these parts that is not known, or only in part."""
        known = ((self.problems, False), (self.notes, True))
        return tuple(
            gap_words(part, said[part], in_part=in_part)
            for part in parts
            for said, in_part in known
            if part in said
        )

    def about(self, what: str) -> str:
        """Return the title of an answer: its subject, place and time."""
        if self.as_of_s is None:
            return f"{what}, cluster {self.cluster}"
        at = datetime.fromtimestamp(self.as_of_s, UTC).astimezone()
        return f"{what}, cluster {self.cluster}, {at:%Y-%m-%d %H:%M}"

    @property
    def half_life_s(self) -> float | None:
        """In which usage decays to a half, infinite where it does not; None if that is not known."""
        return None if self.settings is None else self.settings.half_life_s

    @property
    def now_s(self) -> float:
        """Time of the data, seconds since 1970; the present one where it is not known."""
        return time.time() if self.as_of_s is None else self.as_of_s

    def resets(self) -> tuple[str, ...]:
        """Return a sentence on the next reset of usage, if the cluster has such."""
        return reset_words(self.settings, self.now_s)

    def remarks(self) -> tuple[str, ...]:
        """Return sentences on what is old, or hidden by the cluster from users without admin rights."""
        return (*self.old, *self._hidden())

    def _hidden(self) -> tuple[str, ...]:
        private = "" if self.settings is None else self.settings.values.get("privatedata", "")
        if self.shares is not None and self.shares.hidden is not None:
            shown = count_words(int(np.sum(~self.shares.hidden)), "row")
            setting = f"PrivateData={private}" if private else "PrivateData"
            return (f"{setting}: sshare showed only {shown} to the user who asked.",)
        kinds = [kind for kind in _HIDES if self.settings is not None and kind in self.settings.private]
        if not kinds:
            return ()
        hides = f"Slurm may hide {listed(kinds)} of others from the user who asked"
        return (f"PrivateData={private}: {hides}. Ranks count only the associations shown.",)


def unknown_cluster(place: str) -> str:
    """Return the name in titles of a cluster whose name cannot be read."""
    return f"unknown ({place})"


def facts_of_state(
    state: ClusterState,
    priorities: Callable[[Sequence[Job]], Mapping[int, JobPriority]] = lambda _jobs: {},
    tres: Callable[[], Mapping[int, str]] = dict,
) -> Facts:
    """Return the facts of a cluster as it was read last; `priorities` and `tres` are asked when needed."""
    from fsconsole.targets.slurm.kept_places import is_settled

    tree, standing, settings = state.tree, state.standing, state.settings
    shares = state.shown
    if tree is not None and standing is not None and len(standing.norm_usage) == len(tree.nodes):
        shares = standing.as_sshare(tree.stored, is_fair_tree=settings is not None and settings.is_fair_tree)
    moments = [part.as_of_s for part in state.parts.values() if part.as_of_s is not None]
    return Facts(
        state.name if is_settled(state.place) else unknown_cluster(state.name),
        settings,
        shares,
        state.jobs,
        state.partitions,
        priorities,
        {str(name): part.problem for name, part in state.parts.items() if part.problem and not part.as_of_s},
        max(moments, default=None),
        lambda: LimitFacts(
            tree.stored if tree is not None and tree.is_complete else None, _qos(state), _limit_problem(state)
        ),
        tres,
        {str(name): part.notes[0] for name, part in state.parts.items() if part.notes},
        tuple(old_words(state).values()),
    )


def _limit_problem(state: ClusterState) -> str:
    """Return the reason for which some limits are unknown; empty if all are known."""
    parts = [state.parts[name] for name in (PartName.TREE, PartName.QOS) if name in state.parts]
    return next((why for part in parts for why in (part.problem, *part.notes) if why), "")


def _qos(state: ClusterState) -> tuple[Qos, ...]:
    """Return the QOS, with the use of limits only if it is not older than the jobs."""
    read_s = {name: part.as_of_s for name, part in state.parts.items()}
    qos_s, jobs_s = (read_s.get(name) for name in (PartName.QOS, PartName.JOBS))
    if qos_s is not None and jobs_s is not None and qos_s + _SAME_READING_S >= jobs_s:
        return state.qos
    return tuple(
        replace(one, in_force=one.in_force.without_use()) if one.in_force is not None else one
        for one in state.qos
    )


def facts_of_diary(instant: DiaryInstant) -> Facts:
    """Return the facts of a cluster at a time of its diary."""
    problems = {} if instant.shares is not None else {"usage": "The diary has no usage at this time."}
    return Facts(
        instant.cluster, instant.settings, instant.shares, instant.jobs, problems=problems,
        as_of_s=instant.at_s,
    )  # fmt: skip
