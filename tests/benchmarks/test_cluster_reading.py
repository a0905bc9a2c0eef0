"""A large Slurm cluster, from its tools' output to what views show: 50,000 associations, 20,000 jobs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fsconsole.app.slurm_why.associations import why_users
from fsconsole.app.slurm_why.facts import Facts
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.squeue_text import FORMAT, read_squeue_text
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.targets.slurm.model import ClusterModel
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS, Found
from fsconsole.targets.slurm.state import PartName
from tests.benchmarks.measure import Benchmark
from tests.slurm.captured import captured
from tests.slurm.fake.as_text import squeue_lines
from tests.slurm.fake.large import LargeCluster, large_cluster
from tests.slurm.fake.large_tools import MORE

USERS, JOBS = 50_000, 20_000
NOW_S = 1_795_167_491.0


@pytest.fixture(scope="module")
def cluster() -> LargeCluster:
    return large_cluster(USERS)


def _take(model: ClusterModel, part: PartName, value: object) -> dict[str, Any]:
    return model.take(part, Found(value, (), NOW_S, 0.0), "lab")


def _all(assoc: str, sshare: str) -> tuple[ClusterModel, dict[str, Any]]:
    """A first reading: parsed, put into a tree, held against each other."""
    model = ClusterModel()
    _take(model, PartName.SETTINGS, read_scontrol_config(captured("plain/scontrol-show-config.txt")))
    _take(model, PartName.TREE, read_assoc(assoc, "lab", ASSOC_COLUMNS))
    return model, _take(model, PartName.USAGE, read_sshare(sshare))


def test_reading_50_000_associations(bench: Benchmark, cluster: LargeCluster) -> None:
    assoc, sshare = cluster.assoc(MORE), cluster.sshare()
    _, fields = bench(_all, assoc, sshare, rounds=3)
    standing = fields["standing"]
    assert np.allclose(standing.computed.norm_shares, standing.printed.norm_shares, atol=1e-6)


def test_reading_them_again_with_a_change(bench: Benchmark, cluster: LargeCluster) -> None:
    model, _ = _all(cluster.assoc(MORE), cluster.sshare())
    shares = cluster.tree.shares.copy()
    readings = []
    for shift in range(4):
        shares[100] += 1 + shift
        readings.append(LargeCluster(replace(cluster.tree, shares=shares.copy())).assoc(MORE))
    texts = iter(readings)
    made = bench(lambda: _take(model, PartName.TREE, read_assoc(next(texts), "lab", ASSOC_COLUMNS)), rounds=3)
    assert len(made["outside"][-1].edits) == 1


def test_why_one_of_two_users_goes_first(bench: Benchmark, cluster: LargeCluster) -> None:
    """The dearest of these answers: shares are tried until the order turns."""
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    facts = Facts("lab", settings, read_sshare(cluster.sshare()))
    assert facts.shares is not None
    tree = facts.shares.tree
    users = [f"{user}@{account}" for user, account in zip(tree.user, tree.account, strict=True) if user]
    answer = bench(why_users, facts, users[100], users[40_000])
    assert answer.change


def test_reading_20_000_jobs(bench: Benchmark, cluster: LargeCluster, tmp_path: Path) -> None:
    message = cluster.squeue(JOBS, tmp_path / "squeue.json").read_text(encoding="utf-8")
    text = "".join(squeue_lines(message, FORMAT))
    listing = bench(read_squeue_text, text, NOW_S)
    assert len(listing.items) == JOBS
    assert {job.job_id for job in read_squeue(message).items} == {job.job_id for job in listing.items}
