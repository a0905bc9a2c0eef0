"""Jobs that wait for limits of relative QOS, or of the QOS of their partition, from captures of clusters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsconsole.app.slurm_why.facts import facts_of_state
from fsconsole.cli.main import run
from fsconsole.slurm.parsers.assoc_mgr import Amount
from fsconsole.slurm.relative_qos import share_of
from fsconsole.targets.slurm.state import ClusterState, Part, PartName
from tests.app.doctor.faults import CAPTURES, copy_of, site_of, text
from tests.texts import says

Why = Callable[[Path, int], Any]
_PERCENT = " %"
# Job, its limit, percent, the whole, what is in use, what it asks for: as slurmctld had them.
_WAITING = [
    (25, "rel GrpTRES=node", 37, 4, 1, 1),
    (30, "reluser MaxTRESPU=cpu", 25, 80, 18, 9),
    (31, "reluser MaxTRES=cpu", 33, 80, 0, 27),
    (36, "relmins MaxTRESMins=cpu", 10, 80, 0, 20),
    (34, "relpart GrpTRES=cpu", 50, 32, 14, 7),
]


@pytest.fixture
def why(capsys: pytest.CaptureFixture[str]) -> Why:
    def answer(folder: Path, job: int) -> Any:
        assert run(["slurm", "why", "job", str(job), "--capture", str(folder), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return answer


@pytest.mark.parametrize(("job", "limit", "percent", "whole", "used", "asked"), _WAITING)
def test_percent_whole_and_amount_are_given_and_the_cure_is_the_least_that_admits_it(
    job: int, limit: str, percent: int, whole: int, used: int, asked: int, why: Why
) -> None:
    data = why(CAPTURES / "relative", job)
    first, gives = data["sentences"][0], share_of(percent, whole)
    assert re.search(rf"\({percent}{_PERCENT} of {whole} .* = {gives} ", first)
    qos, _, name = limit.partition(" ")
    (cure,) = re.findall(rf"fsconsole slurm limit qos:{qos} {name}=(\d+)", data["change"])
    assert share_of(int(cure), whole) >= used + asked > share_of(int(cure) - 1, whole)
    assert data["remarks"] == []


def test_memory_is_percent_too_and_not_mb(why: Why) -> None:
    data = why(CAPTURES / "relative-memory", 46)
    assert f"30{_PERCENT} of 320,000 MB = 96,000 MB" in data["sentences"][0].replace("\u202f", ",")
    # Of 96,000 MB 50,000 are in use, and it asks for as many: 31.25 % of all.
    assert "fsconsole slurm limit qos:reluser MaxTRESPU=mem=32 " in data["change"]


def test_a_percentage_that_cannot_admit_it_is_not_a_cure(tmp_path: Path, why: Why) -> None:
    folder = copy_of("relative", tmp_path / "c")
    text("jobs", (r"re:^(31\|.*\|)27(\|5:00\|)", r"\g<1>90\g<2>"))(folder)
    data = why(folder, 31)
    assert "fsconsole slurm limit" not in data["change"]
    change = data["change"].replace(" %", "\N{NO-BREAK SPACE}%")
    assert says(change, "app.slurm_why.no-percentage-admits-it", needs="90 CPUs", most="80 CPUs")


def test_what_is_in_force_is_told_from_what_is_stored(tmp_path: Path, why: Why) -> None:
    folder = copy_of("relative", tmp_path / "c")
    text("assoc_mgr", ("MaxTRESPJ=cpu=26", "MaxTRESPJ=cpu=12"))(folder)
    text("qos", ("cpu=33", "cpu=40"))(folder)
    data = why(folder, 31)
    assert says(data["sentences"][0], "app.slurm_why.but-slurmctld-has-in-force", words_in_force="12 CPUs")
    assert "fsconsole slurm limit" not in data["change"]  # 40 % are enough once they are in force
    assert "scontrol reconfigure" in data["change"]


def test_without_assoc_mgr_the_number_is_computed_and_said_to_be(tmp_path: Path, why: Why) -> None:
    folder = copy_of("relative", tmp_path / "c")
    (folder / "assoc_mgr.txt").unlink()
    (folder / "cluster_tres.txt").unlink()
    for job, _, percent, whole, _, _ in _WAITING:
        data = why(folder, job)
        assert f"{percent}{_PERCENT} of {whole} " in data["sentences"][0]
        assert says(data["remarks"], "app.slurm_why.limit-in-force-was-not")
    assert {"Set by": "QOS relpart", "GrpTRES": "cpu=50", "In use": "cpu=14"} in why(folder, 34)["table"]


def test_a_partition_qos_counts_all_jobs_of_its_partition(tmp_path: Path, why: Why) -> None:
    folder = copy_of("partition-qos", tmp_path / "c")
    for _ in range(2):
        data = why(folder, 721)
        assert {"Set by": "QOS pgrp", "GrpTRES": "cpu=16", "In use": "cpu=14"} in data["table"]
        assert "qos:pgrp GrpTRES=cpu=21." in data["change"]
        (folder / "assoc_mgr.txt").unlink(missing_ok=True)  # then the jobs are counted


@pytest.mark.parametrize(("jobs_s", "used"), [(1005.0, 1.0), (1500.0, None)])
def test_what_was_in_use_long_before_the_jobs_were_read_is_not(jobs_s: float, used: float | None) -> None:
    qos = site_of(CAPTURES / "relative").qos
    parts = {PartName.QOS: Part(as_of_s=1000.0), PartName.JOBS: Part(as_of_s=jobs_s)}
    known = facts_of_state(ClusterState(1, "lab24", parts=parts, qos=qos)).limits().qos
    (rel,) = [one.in_force for one in known if one.name == "rel"]
    assert rel is not None
    assert rel.amount("GrpTRES", "node") == Amount(1, used)


@pytest.mark.parametrize("state", ["SPECIAL_EXIT|JobHeldUser", "REQUEUE_HOLD|job requeued in held state"])
def test_a_job_that_was_requeued_and_held_is_released(state: str, tmp_path: Path, why: Why) -> None:
    folder = copy_of("relative", tmp_path / "c")
    text("jobs", (r"re:^(25\|.*)\|PENDING\|QOSGrpNodeLimit\|(.*?\|\d+:\d+\|(?:[^|]*\|){4}[^|]*\|)[^|]*",
                  rf"\g<1>|{state}|\g<2>0"))(folder)  # fmt: skip
    assert "scontrol release 25" in why(folder, 25)["change"]
