"""Reasons that name limits: which limit each is, and who holds a job by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limit_reasons import Holders, holders, limit_of_reason
from fsconsole.slurm.own_limits import with_own
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from tests.slurm.clusters import stored_of
from tests.texts import wording

# Of the libraries of 22.05.8, 24.11.5 and 26.05.5, with the limit that sacctmgr(1) and resource_limits have.
REASONS = {
    "AssocGrpJobsLimit": ("GrpJobs", ""),
    "AssocGrpSubmitJobsLimit": ("GrpSubmitJobs", ""),
    "AssocGrpWallLimit": ("GrpWall", ""),
    "AssocGrpCpuLimit": ("GrpTRES", "cpu"),
    "AssocGrpCPUMinutesLimit": ("GrpTRESMins", "cpu"),
    "AssocGrpCPURunMinutesLimit": ("GrpTRESRunMins", "cpu"),
    "AssocGrpMemLimit": ("GrpTRES", "mem"),
    "AssocGrpGRES": ("GrpTRES", "gres/"),
    "AssocGrpLicense": ("GrpTRES", "license/"),
    "AssocGrpBBRunMinutes": ("GrpTRESRunMins", "bb/"),
    "AssocMaxJobsLimit": ("MaxJobs", ""),
    "AssocMaxSubmitJobLimit": ("MaxSubmitJobs", ""),
    "AssocMaxWallDurationPerJobLimit": ("MaxWallDurationPerJob", ""),
    "AssocMaxCpuPerJobLimit": ("MaxTRESPerJob", "cpu"),
    "AssocMaxCpuPerNode": ("MaxTRESPerNode", "cpu"),
    "AssocMaxCpuMinutesPerJobLimit": ("MaxTRESMinsPerJob", "cpu"),
    "AssocMaxNodePerJobLimit": ("MaxTRESPerJob", "node"),
    "QOSGrpJobsLimit": ("GrpJobs", ""),
    "QOSGrpMemoryMinutes": ("GrpTRESMins", "mem"),
    "QOSMaxJobsPerUserLimit": ("MaxJobsPerUser", ""),
    "QOSMaxSubmitJobPerUserLimit": ("MaxSubmitJobsPerUser", ""),
    "QOSMaxCpuPerUserLimit": ("MaxTRESPerUser", "cpu"),
    "QOSMaxGRESPerUser": ("MaxTRESPerUser", "gres/"),
    "QOSMaxWallDurationPerJobLimit": ("MaxWallDurationPerJob", ""),
    "QOSMaxBillingPerJob": ("MaxTRESPerJob", "billing"),
    "QOSMinCpuNotSatisfied": ("MinTRESPerJob", "cpu"),
    "QOSMinMemory": ("MinTRESPerJob", "mem"),
    "MaxJobsPerAccount": ("MaxJobsPerAccount", ""),
    "MaxSubmitJobsPerAccount": ("MaxSubmitJobsPerAccount", ""),
    "MaxCpuPerAccount": ("MaxTRESPerAccount", "cpu"),
}
_QOS = (
    "Name|Priority|Flags|UsageFactor|GrpTRES|MaxTRES|MinTRES\nnormal|0||1||cpu=8|\nnight|0||1|cpu=16||cpu=4\n"
)
_PARTITIONS = read_scontrol_partition(
    "PartitionName=batch State=UP Nodes=n[1-4] TotalNodes=4 TotalCPUs=32 PriorityTier=1 "
    "PriorityJobFactor=1 QoS=night"
).items
_TREE = """\
science 50
  ocean 3
    anna* 10
    ben* 5
  climate 1
    carl* 1
"""


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_names_a_limit(reason: str) -> None:
    found = limit_of_reason(reason)
    assert found is not None
    assert (found.limit.name, found.tres) == REASONS[reason]
    assert found.of_qos is not reason.startswith("Assoc")


_OTHERS = (
    "Priority", "Resources", "MaxMemPerLimit", "QOSNotAllowed", "QOSJobLimit", "AssocGrpUnknown",
    "JobArrayTaskLimit", "PartitionTimeLimit", "",
)  # fmt: skip


@pytest.mark.parametrize("reason", _OTHERS)
def test_other_reasons_name_none(reason: str) -> None:
    assert limit_of_reason(reason) is None


def _stored(**own: dict[str, str]) -> StoredAssociations:
    keys = {name: (name, "", "") for name in ("root", "science", "ocean", "climate")}
    keys["anna"] = ("ocean", "anna", "")
    return with_own(stored_of(_TREE), {keys[name]: text for name, text in own.items()}, ())


def _job(number: int, user: str, account: str, cpus: int, *, reason: str = "", qos: str = "normal") -> Job:
    states = ("PENDING",) if reason else ("RUNNING",)
    return Job(job_id=number, user=user, partition="batch", states=states, account=account, cpus=cpus,
               node_count=1, qos=qos, reason=reason, time_limit_s=7200.0, priority=5)  # fmt: skip


_RUNNING = (_job(1, "anna", "ocean", 4), _job(2, "ben", "ocean", 6), _job(3, "carl", "climate", 8))


def _held(reason: str, stored: StoredAssociations | None, cpus: int = 4, **more: str) -> Holders:
    found, job = limit_of_reason(reason), _job(9, "anna", "ocean", cpus, reason=reason, **more)
    assert found is not None
    return holders(found, job, (*_RUNNING, job), stored, read_qos(_QOS).items, _PARTITIONS)


def test_of_several_accounts_the_one_that_is_full_holds() -> None:
    stored = _stored(ocean={"GrpTRES": "cpu=20,mem=1G"}, science={"GrpTRES": "cpu=20"})
    held = _held("AssocGrpCpuLimit", stored)
    assert [(one.where, one.value, one.used) for one in held.places] == [
        (wording("slurm.in-2", user="anna", account="ocean"), "", 4),
        ("account ocean", "cpu=20", 10),
        ("account science", "cpu=20", 18),
        ("account root", "", 18),
    ]
    assert [one.where for one in held.holding] == ["account science"]
    assert [one.where for one in _held("AssocGrpCpuLimit", stored, cpus=12).holding] == ["account ocean"]


def test_where_the_use_is_not_known_all_that_set_it_are_named() -> None:
    stored = _stored(ocean={"GrpTRES": "mem=1G"}, science={"GrpTRES": "cpu=1"}, root={"GrpTRES": "mem=9G"})
    held = _held("AssocGrpMemLimit", stored)
    assert [(one.where, one.value) for one in held.holding] == [
        ("account ocean", "mem=1G"), ("account root", "mem=9G"),
    ]  # fmt: skip


def test_what_each_user_may_have_comes_from_the_nearest() -> None:
    stored = _stored(root={"MaxJobs": "9"}, science={"MaxJobs": "1"})
    (holding,) = _held("AssocMaxJobsLimit", stored).holding
    assert (holding.where, holding.target) == ("account science", "science")
    assert (holding.bound, holding.used) == (1, 1)
    stored = _stored(science={"MaxWallDurationPerJob": "60"}, anna={"MaxJobs": "1"})
    (holding,) = _held("AssocMaxJobsLimit", stored).holding
    assert holding.where == wording("slurm.in-2", user="anna", account="ocean")
    assert holding.target == "anna@ocean"
    held = _held("AssocMaxWallDurationPerJobLimit", stored)
    assert (held.holding[0].value, held.holding[0].bound, held.asked) == ("01:00:00", 60, 120)


def test_limits_of_the_partitions_qos_hold_too_and_may_exist_there_only() -> None:
    held = _held("QOSGrpCpuLimit", _stored(), cpus=17)
    assert [(one.where, one.value) for one in held.holding] == [("QOS night", "cpu=16")]
    assert held.is_by_qos_only
    assert not _held("QOSGrpCpuLimit", _stored(root={"GrpTRES": "cpu=99"}), cpus=17).is_by_qos_only
    assert not _held("QOSGrpCpuLimit", None, cpus=17).is_by_qos_only  # not known
    held = _held("QOSMaxCpuPerJobLimit", _stored(), cpus=9)
    assert [one.target for one in held.holding] == ["qos:normal"]
    held = _held("QOSMinCpuNotSatisfied", _stored(), cpus=2)
    assert [one.where for one in held.holding] == ["QOS night"]


def test_without_own_limits_those_in_force_are_named() -> None:
    plain = stored_of(_TREE)
    stored = replace(plain, limits=tuple({"maxjobs": "3"} for _ in plain.limits))
    held = _held("AssocMaxJobsLimit", stored)
    (place,) = held.places
    assert (place.where, place.value) == (wording("slurm.in-2", user="anna", account="ocean"), "3")
    assert not held.is_own_known
