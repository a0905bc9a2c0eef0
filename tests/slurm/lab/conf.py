"""How a test cluster is set up: its options, and the files that its daemons read.

Facts about Slurm 22.05: with NoInAddrAny every daemon binds to the machine's own name, so the keeper calls
its machine `localhost`; towards slurmdbd the munge socket is named by AccountingStoragePass, not by AuthInfo;
a period of calculation is at least a minute.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class LabOptions:
    """What a test cluster is like.

    Attributes:
        cluster: its name.
        nodes, cpus: how many nodes, and how many CPUs each of them pretends to have.
        dampening: FairShareDampeningFactor.
        half_life: PriorityDecayHalfLife in Slurm's words, whole minutes.
        calc_period_min: PriorityCalcPeriod.
        is_fair_tree: fairshare by Fair Tree; else classic.
        flags: further PriorityFlags.
        more: lines of slurm.conf, added or in place of the usual ones.
    """

    cluster: str = "testlab"
    nodes: int = 4
    cpus: int = 8
    dampening: int = 1
    half_life: str = "0-1"
    calc_period_min: int = 1
    is_fair_tree: bool = False
    flags: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the daemons listen, all on 127.0.0.1: a block of ports, of which the first is only held."""

    base: int

    @property
    def database(self) -> int:
        return self.base + 1

    @property
    def slurmdbd(self) -> int:
        return self.base + 2

    @property
    def slurmctld(self) -> int:
        return self.base + 3

    def node(self, number: int) -> int:
        """The port of the slurmd of a node; nodes count from 1."""
        return self.base + 9 + number

    def all_of(self, nodes: int) -> tuple[int, ...]:
        return (
            self.database,
            self.slurmdbd,
            self.slurmctld,
            *(self.node(one) for one in range(1, nodes + 1)),
        )


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the files of one cluster are."""

    top: Path

    @property
    def slurm_conf(self) -> Path:
        return self.top / "etc" / "slurm.conf"

    @property
    def munge_key(self) -> Path:
        return self.top / "etc" / "munge.key"

    @property
    def munge_socket(self) -> Path:
        return self.top / "run" / "munge.sock"

    @property
    def database(self) -> Path:
        return self.top / "database"

    @property
    def database_socket(self) -> Path:
        return self.top / "run" / "database.sock"

    def log(self, daemon: str) -> Path:
        return self.top / "log" / f"{daemon}.log"

    def make(self, nodes: int) -> None:
        """Make them; ordinary users may go in, as far as the socket and slurm.conf."""
        for name in (
            "etc",
            "run",
            "log",
            "state",
            "database",
            *(f"spool/n{one}" for one in range(1, nodes + 1)),
        ):
            (self.top / name).mkdir(parents=True)
        for path in (self.top, *self.top.iterdir()):
            path.chmod(0o755)


def write_conf(folders: Folders, options: LabOptions, ports: Ports) -> None:
    """Write everything that the daemons read."""
    write_slurm_conf(folders, options, ports)
    etc = folders.slurm_conf.parent
    (etc / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # said, else slurmd looks for cgroups
    _write_secret(etc / "slurmdbd.conf", _lines(_slurmdbd(folders, ports)).encode())
    _write_secret(folders.munge_key, os.urandom(1024))


def write_slurm_conf(folders: Folders, options: LabOptions, ports: Ports) -> None:
    """Write slurm.conf, again where the options have changed."""
    settings = {**_places(folders, ports), **_ways(options), **_accounting(folders, ports), **options.more}
    made = folders.slurm_conf.with_suffix(".tmp")
    made.write_text(_lines(settings) + _machines(options, ports))
    made.replace(folders.slurm_conf)


def _places(folders: Folders, ports: Ports) -> dict[str, str]:
    top = folders.top
    return {
        "SlurmctldHost": "localhost(127.0.0.1)",
        "SlurmctldPort": str(ports.slurmctld),
        "CommunicationParameters": "NoInAddrAny,NoCtldInAddrAny",
        "SlurmUser": "root",
        "SlurmdUser": "root",
        "AuthType": "auth/munge",
        "CredType": "cred/munge",
        "AuthInfo": f"socket={folders.munge_socket}",
        "StateSaveLocation": f"{top}/state",
        "SlurmdSpoolDir": f"{top}/spool/%n",
        "SlurmctldPidFile": f"{top}/run/slurmctld.pid",
        "SlurmdPidFile": f"{top}/run/slurmd.%n.pid",
        "SlurmctldLogFile": str(folders.log("slurmctld")),
        "SlurmdLogFile": f"{top}/log/%n.log",
    }


def _ways(options: LabOptions) -> dict[str, str]:
    flags = (*(() if options.is_fair_tree else ("NO_FAIR_TREE",)), *options.flags)
    return {
        "ClusterName": options.cluster,
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "JobAcctGatherType": "jobacct_gather/none",
        "MpiDefault": "none",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_CPU",
        "SlurmdParameters": "config_overrides",
        "ReturnToService": "2",
        "SchedulerType": "sched/backfill",
        "SchedulerParameters": "bf_interval=3,bf_window=1440,sched_interval=3",
        "PreemptType": "preempt/partition_prio",
        "PreemptMode": "SUSPEND,GANG",
        "SchedulerTimeSlice": "5",
        "KillWait": "3",
        "MinJobAge": "3600",
        "CompleteWait": "0",
        "SlurmctldTimeout": "30",
        "SlurmdTimeout": "300",
        "MessageTimeout": "10",
        "PriorityType": "priority/multifactor",
        **({"PriorityFlags": ",".join(flags)} if flags else {}),
        "PriorityCalcPeriod": str(options.calc_period_min),
        "PriorityDecayHalfLife": options.half_life,
        "FairShareDampeningFactor": str(options.dampening),
        "PriorityWeightFairshare": "100000",
        "PriorityWeightAge": "1000",
        "PriorityWeightJobSize": "1000",
        "PriorityWeightPartition": "1000",
        "PriorityWeightQOS": "1000",
        "PriorityMaxAge": "1-0",
    }


def _accounting(folders: Folders, ports: Ports) -> dict[str, str]:
    return {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": "127.0.0.1",
        "AccountingStoragePort": str(ports.slurmdbd),
        "AccountingStoragePass": str(folders.munge_socket),
        "AccountingStorageEnforce": "associations,limits,qos",
    }


def _machines(options: LabOptions, ports: Ports) -> str:
    """Nodes and partitions: `dedicated` suspends `batch` and costs double, `scavenge` gives way, at half."""
    nodes = [
        f"NodeName=n{one} NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports.node(one)} "
        f"CPUs={options.cpus} RealMemory=1000 State=UNKNOWN"
        for one in range(1, options.nodes + 1)
    ]
    partitions = [
        "DEFAULT Nodes=ALL MaxTime=7-0 DefaultTime=60 OverSubscribe=FORCE:1 State=UP",
        "batch Default=YES PriorityTier=10 PriorityJobFactor=10",
        "dedicated PriorityTier=20 PriorityJobFactor=20 PreemptMode=OFF TRESBillingWeights=CPU=2.0",
        "scavenge PriorityTier=1 PriorityJobFactor=1 PreemptMode=REQUEUE TRESBillingWeights=CPU=0.5",
    ]
    return "\n".join((*nodes, *(f"PartitionName={one}" for one in partitions), ""))


def _slurmdbd(folders: Folders, ports: Ports) -> dict[str, str]:
    return {
        "DbdHost": "localhost",
        "DbdAddr": "127.0.0.1",
        "DbdPort": str(ports.slurmdbd),
        "CommunicationParameters": "NoInAddrAny",
        "SlurmUser": "root",
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={folders.munge_socket}",
        "PidFile": f"{folders.top}/run/slurmdbd.pid",
        "LogFile": str(folders.log("slurmdbd")),
        "DebugLevel": "info",
        "StorageType": "accounting_storage/mysql",
        "StorageHost": "127.0.0.1",
        "StoragePort": str(ports.database),
        "StorageUser": "slurm",
        "StoragePass": "slurm",
        "StorageLoc": "slurm_acct_db",
    }


def _lines(settings: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def _write_secret(path: Path, data: bytes) -> None:
    """Only its owner may read it: munged and slurmdbd refuse to start otherwise."""
    path.touch(mode=0o600)
    path.write_bytes(data)
