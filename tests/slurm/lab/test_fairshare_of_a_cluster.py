"""What a real cluster prints of fairshare, against our arithmetic.

What is compared starts from NormUsage as printed: RawUsage is cut to whole seconds. While jobs run, columns
of accounts lag those of users by a calculation; that holds row by row all the same.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from fsconsole.cli.main import cli
from fsconsole.policies.multifactor import fairshare_factor
from fsconsole.slurm.associations import Associations, Floats
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.decay import SlurmDecay
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.parsers.sshare import Sshare, read_sshare
from tests.slurm.lab.lab import Lab

_DAMPENING = 3
_USAGE_FACTOR = 1000  # seconds of tests count as those of hours
# No two siblings use the same by their shares: ranks of Fair Tree would hang on the last digit of a sum.
_JOBS = (
    ("games", "ocean", 4, "batch"),
    ("games", "climate", 2, "batch"),
    ("mail", "ocean", 3, "batch"),
    ("uucp", "science", 2, "batch"),
    ("proxy", "imaging", 5, "batch"),
    ("backup", "imaging", 1, "scavenge"),
    ("list", "trials", 2, "dedicated"),
    ("daemon", "teaching", 1, "batch"),
    ("bin", "teaching", 1, "batch"),
)


@pytest.fixture(scope="module")
def busy(slurm_lab: Lab) -> Iterator[Lab]:
    """The cluster with jobs that have run for some seconds, and go on."""
    slurm_lab.run("sacctmgr", "-i", "modify", "qos", "normal", "set", f"usagefactor={_USAGE_FACTOR}")
    jobs = [
        slurm_lab.submit(user, acct, f"--partition={part}", cpus=cpus) for user, acct, cpus, part in _JOBS
    ]
    slurm_lab.wait_until(lambda: set(slurm_lab.job_states().values()) == {"RUNNING"}, "all jobs run")
    slurm_lab.wait_until(lambda: _least_s(slurm_lab, len(jobs)) >= 2, "all have run for 2 s")
    yield slurm_lab
    slurm_lab.cancel_all()


@pytest.fixture(scope="module")
def drained(busy: Lab) -> Lab:
    """The same after its jobs and two calculations, so that all columns speak of one time; dampened."""
    busy.cancel_all()
    busy.calculate()
    busy.change(dampening=_DAMPENING)
    return busy


def test_while_jobs_run(busy: Lab) -> None:
    busy.calculate()
    shown = _sshare(busy)
    assert np.nanmax(shown.raw_usage) > 1000
    _is_classic(shown)


def test_drained(drained: Lab) -> None:
    _set(drained, is_fair_tree=False)
    shown = _sshare(drained)
    _is_classic(shown, _DAMPENING)
    _is_classic(
        shown, _DAMPENING, usage=shown.raw_usage, cut=1 / np.nanmin(shown.raw_usage[shown.raw_usage > 0])
    )


def test_the_command_line_works_out_what_sshare_printed(drained: Lab, tmp_path: Path) -> None:
    _set(drained, is_fair_tree=False)
    capture = tmp_path / "sshare.psv"
    capture.write_text(drained.run("sshare", "-l", "-a", "-P").stdout)
    done = CliRunner().invoke(cli, ["slurm", "fairshare", str(capture), "--damp", str(_DAMPENING), "--json"])
    assert done.exit_code == 0
    found = [row["fairshare"] for row in json.loads(done.stdout)]
    _is_as_printed(np.array(found), read_sshare(capture.read_text()), 2e-4)


def test_new_shares_show_at_once_and_effective_usage_after_the_next_calculation(drained: Lab) -> None:
    _set(drained, is_fair_tree=False)
    before = _sshare(drained)
    _set_shares_of_games(drained, 3)
    shown = _sshare(drained)
    tree = shown.tree
    games = [tree.shares[row] for row in range(len(tree)) if tree.user[row] == "games"]
    assert games == [3, 3]  # in climate as before, in ocean 3 of 10
    found = classic_fairshare(tree, _DAMPENING)
    np.testing.assert_allclose(found.norm_shares, shown.printed.norm_shares, rtol=0, atol=6e-7)
    np.testing.assert_array_equal(shown.printed.effective_usage, before.printed.effective_usage)
    at_once = fairshare_factor(before.printed.effective_usage, found.norm_shares, _DAMPENING)
    # 26.05 prints fairshares of the last calculation, beside the new NormShares.
    expected = before.printed.fairshare if drained.version >= (26, 5) else at_once
    _is_as_printed(expected, shown, 1e-4)
    drained.calculate()
    _is_classic(_sshare(drained), _DAMPENING)
    _set_shares_of_games(drained, 10)


def test_fair_tree(drained: Lab) -> None:
    _set(drained, is_fair_tree=True)
    shown = _sshare(drained)
    assert shown.is_fair_tree
    found = fair_tree(shown.tree)
    users = shown.tree.is_user
    np.testing.assert_allclose(found.norm_shares, shown.printed.norm_shares, rtol=0, atol=6e-7)
    np.testing.assert_allclose(found.effective_usage, shown.printed.effective_usage, rtol=0, atol=1e-5)
    ranks = np.round(shown.printed.fairshare[users] * users.sum())
    np.testing.assert_array_equal(np.round(found.fairshare[users] * users.sum()), ranks)
    assert len(set(ranks.tolist())) >= len(_JOBS)


def test_usage_decays_by_the_half_life(drained: Lab) -> None:
    """Slurm takes 1 - 0.693/half-life a second; when it worked usage out is known to a second or two."""
    decay = SlurmDecay(half_life_s=60.0, period_s=60.0)
    began_s = time.time()
    drained.change(half_life="1")
    before, between_s = _sshare(drained).raw_usage[0], time.time()
    drained.wait_until(lambda: time.time() - between_s > 3, "some seconds have gone by")
    restarted_s = time.time()
    drained.calculate()
    after, ended_s = _sshare(drained).raw_usage[0], time.time()
    most, least = decay.left(restarted_s - between_s - 1), decay.left(ended_s - began_s + 1)
    assert least <= after / before <= most < 0.98


def _set_shares_of_games(lab: Lab, shares: int) -> None:
    where = ("where", "name=games", "account=ocean", "set", f"fairshare={shares}")
    lab.run("sacctmgr", "-i", "modify", "user", *where)


def _set(lab: Lab, **options: Any) -> None:
    """Restart the controller only where it is set to something else."""
    if any(getattr(lab.options, name) != value for name, value in options.items()):
        lab.change(**options)


def _sshare(lab: Lab) -> Sshare:
    return read_sshare(lab.run("sshare", "-l", "-a", "-P").stdout)


def _is_classic(shown: Sshare, dampening: float = 1.0, usage: Floats | None = None, cut: float = 0.0) -> None:
    """Hold our columns against the printed ones; what usage is rounded by counts by ln 2 F/(d S) in F."""
    tree = shown.tree
    if usage is not None:
        tree = Associations(tree.account, tree.user, tree.parent, tree.shares, np.nan_to_num(usage))
    found = classic_fairshare(tree, dampening)
    np.testing.assert_allclose(found.norm_shares, shown.printed.norm_shares, rtol=0, atol=6e-7)
    np.testing.assert_allclose(found.effective_usage, shown.printed.effective_usage, rtol=0, atol=2e-6 + cut)
    is_printed = ~np.isnan(shown.printed.fairshare)  # 26.05 prints none for accounts
    assert is_printed[tree.is_user].all()
    has_shares = (found.norm_shares > 0) & is_printed
    steepness = math.log(2) * found.fairshare[has_shares] / (dampening * found.norm_shares[has_shares])
    off = np.abs(found.fairshare - shown.printed.fairshare)
    assert (off[has_shares] <= 1e-6 + (2e-6 + cut) * steepness).all()
    assert (off[is_printed & ~has_shares] == 0).all()


def _is_as_printed(fairshare: Floats, shown: Sshare, atol: float) -> None:
    """Hold fairshares against those that are printed: of users always, of accounts before 26.05."""
    printed = shown.printed.fairshare
    where = ~np.isnan(printed)
    assert where[shown.tree.is_user].all()
    np.testing.assert_allclose(fairshare[where], printed[where], rtol=0, atol=atol)


def _least_s(lab: Lab, jobs: int) -> int:
    lines = lab.run("squeue", "-h", "-t", "R", "-o", "%M").stdout.split()
    return min(int(line.split(":")[-1]) for line in lines) if len(lines) == jobs else 0
