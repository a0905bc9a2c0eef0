"""What the tools of each release print is read whole: captures of 22.05.8, 24.11.5 and 26.05.5."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fsconsole.app.cluster.limit_facts import limit_facts, weight_facts
from fsconsole.cli.main import run
from fsconsole.slurm.association_status import standing_of
from fsconsole.slurm.cluster_tree import Numbering
from fsconsole.slurm.parsers.billing import tres_weights
from fsconsole.targets.slurm.finished_jobs import read_finished
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Answer, Tools
from tests.slurm.captured import captured
from tests.slurm.lab.releases import RELEASES
from tests.texts import says, wording

DATA = Path(__file__).parents[1] / "data" / "slurm"
NEWEST = RELEASES[-1].series


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.series)
def release(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def parts(release: Any) -> Mapping[PartName, Any]:
    reader = Reader(Tools(capture_place(DATA / release.series)), cluster="testlab")
    found = {part: reader.read(part) for part in PartName}
    assert {part: read.notes for part, read in found.items() if read.notes} == {}
    return {part: read.value for part, read in found.items()}


def test_settings(release: Any, parts: Mapping[PartName, Any]) -> None:
    settings = parts[PartName.SETTINGS]
    assert (settings.cluster, settings.version) == ("testlab", release.version)
    assert not settings.is_fair_tree
    assert settings.half_life_s == 3600
    assert settings.weights == {
        "age": 1000,
        "assoc": 0,
        "fairshare": 100_000,
        "jobsize": 1000,
        "partition": 1000,
        "qos": 1000,
    }
    assert tres_weights(settings.values["priorityweighttres"]) == {"cpu": (1000.0, ""), "mem": (2000.0, "")}


def test_cpu_time_that_is_not_measured_is_reported(parts: Mapping[PartName, Any]) -> None:
    """22.05 prints jobacct_gather/none, later ones (null); sacct prints 0 for such jobs."""
    settings, now_s = parts[PartName.SETTINGS], 1_795_658_500.0
    asked = list[Sequence[str]]()

    def run(command: Sequence[str], **_: object) -> Answer:
        asked.append(command)
        name = "sacct-X" if "-X" in command else "sacct"
        return Answer(tuple(command), 0, captured(f"finished/{name}.psv"))

    kept = read_finished(run, 1e9, now_s, settings)
    (note,) = kept.notes
    assert says(note, "targets.slurm.cpu-time-is-not-measured")
    assert {one.used_s for one in kept.jobs} == {None}
    # Steps have nothing but the CPU time, and take slurmdbd several times as long.
    values = {**settings.values, "jobacctgathertype": "jobacct_gather/cgroup"}
    with_steps = read_finished(run, 1e9, now_s, replace(settings, values=values))
    assert ["-X" in argv for argv in asked] == [True, False]
    assert tuple(replace(one, used_s=None) for one in with_steps.jobs) == kept.jobs
    assert all(one.used_s is not None for one in with_steps.jobs)


def test_partitions_and_what_they_bill(parts: Mapping[PartName, Any]) -> None:
    bills = {one.name: tres_weights(one.billing_weights) for one in parts[PartName.PARTITIONS]}
    assert bills == {"batch": {}, "dedicated": {"cpu": (2.0, "")}, "scavenge": {"cpu": (0.5, "")}}
    assert {node.name for node in parts[PartName.NODES]} == {"n1", "n2", "n3", "n4"}
    (reservation,) = parts[PartName.RESERVATIONS]
    assert (reservation.name, reservation.nodes, reservation.users) == ("later", "n4", ("games",))


def test_qos(parts: Mapping[PartName, Any]) -> None:
    normal, high = parts[PartName.QOS]
    assert (normal.name, normal.priority, normal.usage_factor, normal.limits) == ("normal", 0, 1.0, {})
    assert (high.name, high.priority, high.usage_factor) == ("high", 10, 2.0)
    assert high.flags == ("DenyOnLimit",)
    assert high.limits == {"grptres": "cpu=16", "maxwall": "02:00:00", "maxjobspu": "4"}


def test_associations_with_their_limits(parts: Mapping[PartName, Any]) -> None:
    stored = parts[PartName.TREE]
    rows = {key: row for row, key in enumerate(zip(stored.tree.account, stored.tree.user, strict=True))}
    assert len(rows) == 23
    assert stored.limits[rows["science", ""]] == {
        "maxjobs": "10",
        "maxwall": "1-00:00:00",
        "grpjobs": "7",
        "grptres": "cpu=20,mem=4G",
        "grptresmins": "cpu=100000",
    }
    assert stored.limits[rows["ocean", "games"]] == {"maxjobs": "3", "maxwall": "1-00:00:00"}
    assert set(stored.qos[rows["ocean", "mail"]]) == {"high", "normal"}


def test_limits_and_weights_in_words(parts: Mapping[PartName, Any]) -> None:
    stored = parts[PartName.TREE]
    row = list(zip(stored.tree.account, stored.tree.user, strict=True)).index(("ocean", "games"))
    facts = dict(limit_facts(stored, row, parts[PartName.QOS]))
    in_force = facts[wording("app.cluster.limits-in-force")]
    assert in_force.split(", ") == ["MaxJobs 3", "MaxWall 1-00:00:00"]
    priority, usage, *rest = facts["QOS high"].split(", ")
    assert (priority, usage.split()) == ("priority 10", ["usage", "counts", "2", "times"])
    assert rest == ["GrpTRES cpu=16", "MaxWall 02:00:00", "MaxJobsPU 4", "DenyOnLimit"]
    assert "QOS normal" not in facts
    weights = dict(weight_facts(parts[PartName.SETTINGS], parts[PartName.PARTITIONS]))
    assert weights["PriorityWeightTRES"] == "cpu=1000,mem=2000"
    assert {bill.casefold() for bill in weights["TRESBillingWeights"].split("; ")} == {
        "dedicated cpu=2.0",
        "scavenge cpu=0.5",
    }


def test_jobs(parts: Mapping[PartName, Any]) -> None:
    states = {job.job_id: job.state for job in parts[PartName.JOBS]}
    assert states == {**dict.fromkeys((1, 2, 3, 4, 5), "RUNNING"), 6: "PENDING", 7: "SUSPENDED"}
    by_id = {job.job_id: job for job in parts[PartName.JOBS]}
    assert (by_id[1].user, by_id[1].account, by_id[1].cpus, by_id[1].billing) == ("games", "ocean", 4, 4)
    assert (by_id[5].qos, by_id[6].reason) == ("high", "JobHeldUser")


def test_fairshare_is_what_sshare_prints(release: Any, parts: Mapping[PartName, Any]) -> None:
    """26.05 prints none for accounts in classic fairshare: those are computed alone."""
    tree = Numbering().tree(parts[PartName.TREE])
    standing = standing_of(tree, parts[PartName.USAGE], parts[PartName.SETTINGS])
    assert np.allclose(standing.computed.norm_shares, standing.printed.norm_shares, atol=1e-6, equal_nan=True)
    is_user = tree.stored.tree.is_user
    printed = standing.printed.fairshare
    assert np.isfinite(printed[is_user]).all()
    assert np.isnan(printed[~is_user]).all() == (release.series == NEWEST)
    assert np.isfinite(standing.computed.fairshare).all()


def test_the_command_line_reads_them(release: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(DATA / release.series)
    assert run(["slurm", "fairshare", folder, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["user"] for row in rows} >= {"games", "mail", "proxy"}
    assert run(["slurm", "forecast", folder, "--user", "ocean/games", "--half-life", "1h", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["users"][0]["account"] == "ocean"
