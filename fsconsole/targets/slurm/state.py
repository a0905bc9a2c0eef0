"""State of a cluster at one time; immutable, replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # A command that reads one part does not load the others.
    from fsconsole.recording.audit import AuditRow
    from fsconsole.slurm.association_status import AssociationStatus
    from fsconsole.slurm.cluster_tree import ClusterTree
    from fsconsole.slurm.jobs import Job
    from fsconsole.slurm.parsers.qos import Qos
    from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
    from fsconsole.slurm.parsers.scontrol_node import ClusterNode
    from fsconsole.slurm.parsers.scontrol_partition import Partition
    from fsconsole.slurm.parsers.scontrol_reservation import Reservation
    from fsconsole.slurm.parsers.sshare import Sshare
    from fsconsole.targets.external_changes import OutsideChange
    from fsconsole.targets.slurm.ssh_faults import LinkFault
    from fsconsole.targets.slurm.tools import Connection


class PartName(StrEnum):
    """Part of the state that one command reads."""

    SETTINGS = "settings"  # The command is `scontrol show config`.
    TREE = "tree"  # The command is `sacctmgr show assoc`.
    USAGE = "usage"  # The command is `sshare`.
    JOBS = "jobs"  # The command is `squeue`.
    PARTITIONS = "partitions"  # The command is `scontrol show partition`.
    NODES = "nodes"  # The command is `scontrol show node`.
    RESERVATIONS = "reservations"  # The command is `scontrol show reservation`.
    QOS = "qos"  # The command is `sacctmgr show qos`.


@dataclass(frozen=True, slots=True)
class Part:
    """State of reading one part.

    Attributes:
        as_of_s: when it was read well for the last time, seconds since 1970; None while never.
        took_s: how long that took.
        problem: why the last reading failed, in a sentence; empty where it did not.
        notes: lines of the output that were left out, in words.
        next_s: when it will be read again, seconds since 1970.
        is_reading: whether it is being read now; since when, seconds since 1970, is `began_s`.
    """

    as_of_s: float | None = None
    took_s: float = 0.0
    problem: str = ""
    notes: tuple[str, ...] = ()
    next_s: float = 0.0
    is_reading: bool = False
    began_s: float = 0.0


class Link(StrEnum):
    """State of the link to a cluster as a whole."""

    CONNECTING = "connecting"  # Nothing has been read yet.
    ANSWERS = "answers"
    SLOW = "slow"  # A reading takes longer than usual.
    PARTLY = "partly"  # Some parts fail.
    NO_ANSWER = "no answer"  # All parts fail.


@dataclass(frozen=True, eq=False, slots=True)
class ClusterState:
    """A cluster as it was read.

    Attributes:
        serial: grows with each state.
        name: the cluster's name; that of the place until it is known.
        place: what tells it from others of its name (`kept_places.place_key`); empty where nothing does.
        claimed: what became of what an earlier version kept of it, in a sentence; empty where nothing did.
        parts: how the reading of each part goes.
        tree, standing, jobs ...: what was read last; None or empty while never. They stay when one fails.
        shown: the rows that sshare showed where PrivateData hides others; None where it showed all.
        outside: what others changed in the tree since the target was made, in order, edits of its nodes.
        audit: what was done from here and what came of it, the newest last; `tick` counts seconds since 1970.
        audit_problem: why it could not be written into the audit log; empty where it could.
        doing: what is being done to the cluster now, in words; empty where nothing is.
        fault: of the link to the cluster, so that no part can be read; None where it is open.
        connection: how commands reach the tools; None until one has.
        checked: rows of the log that decide unknown results of earlier rows, made since the target was made.
        captured_s: when the capture was made that answers here, seconds since 1970; None for a cluster. The
            times of its parts are that time: the clock of a capture stands still.
    """

    serial: int
    name: str
    link: Link = Link.CONNECTING
    parts: Mapping[PartName, Part] = field(default_factory=dict)
    settings: SlurmConfig | None = None
    tree: ClusterTree | None = None
    standing: AssociationStatus | None = None
    shown: Sshare | None = None
    jobs: tuple[Job, ...] = ()
    partitions: tuple[Partition, ...] = ()
    nodes: tuple[ClusterNode, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    qos: tuple[Qos, ...] = ()
    outside: tuple[OutsideChange, ...] = ()
    audit: tuple[AuditRow, ...] = ()
    audit_problem: str = ""
    doing: str = ""
    captured_s: float | None = None
    fault: LinkFault | None = None
    connection: Connection | None = None
    checked: tuple[AuditRow, ...] = ()
    place: str = ""
    claimed: str = ""

    def was_read(self, *parts: PartName) -> bool:
        """Return True if all these parts have been read at least once."""
        return all(part in self.parts and self.parts[part].as_of_s is not None for part in parts)
