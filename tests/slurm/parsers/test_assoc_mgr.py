"""`scontrol -o show assoc_mgr flags=qos`: limits in force and their use, of real clusters."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.slurm.parsers.assoc_mgr import Amount, read_assoc_mgr

DATA = Path(__file__).parents[2] / "data" / "slurm"


def _text(capture: str) -> str:
    return (DATA / capture / "assoc_mgr.txt").read_text()


def test_limits_and_their_use_are_read_of_all_users_and_accounts() -> None:
    found = read_assoc_mgr(_text("relative"))
    assert len(found) == 16
    assert found["rel"].amount("GrpTRES", "node") == Amount(1, 1)
    assert found["rel"].amount("GrpTRES", "gres/gpu:a100") == Amount(2, 0)
    assert found["rel"].amount("GrpJobs", "") == Amount(None, 1)
    assert found["reluser"].amount("MaxTRESPerJob", "cpu") == Amount(26, None)
    assert found["reluser"].amount("MaxTRESPerUser", "mem", user="fs_emma") == Amount(96000, 1000)
    assert found["reluser"].amount("MaxJobsPerUser", "", user="fs_emma") == Amount(7, 2)
    assert found["reluser"].amount("MaxTRESPerAccount", "cpu", account="bio") == Amount(36, 18)
    assert found["reluser"].amount("MaxTRESPerUser", "mem", user="fs_anna") is None
    assert found["relmins"].amount("MinTRESPerJob", "cpu") == Amount(1, None)


def test_of_an_older_release_too_which_prints_uids() -> None:
    (found,) = read_assoc_mgr(_text("partition-qos")).values()
    assert found.amount("GrpTRES", "cpu") == Amount(16, 14)
    assert found.amount("MaxTRESPerUser", "cpu", user="1001") == Amount(None, 7)
    assert found.amount("MaxTRESPerUser", "cpu", user="fs_ben") is None


def test_without_use_the_limits_are_left() -> None:
    found = read_assoc_mgr(_text("relative"))["reluser"].without_use()
    assert found.amount("MaxTRESPerUser", "mem", user="fs_emma") == Amount(96000, None)


@pytest.mark.parametrize("forged", ["\nQOS=rel(9) GrpTRES=node=99(0) ", " {", "={GrpTRES=node=9(0)}", "|"])
def test_the_name_of_an_account_forges_no_limit(forged: str) -> None:
    text = _text("relative").replace(" phys={", f" x{forged}y={{MaxJobsPA=N(1)}} phys={{")
    found = read_assoc_mgr(text).get("rel")
    assert found is None or found.amount("GrpTRES", "node") == Amount(1, 1)


@pytest.mark.parametrize("text", ["", "slurmctld is down", "QOS=", "QOS=a(1) GrpTRES=cpu=", "QOS=a(1) x"])
def test_other_text_has_no_limits(text: str) -> None:
    assert not any(one.amounts.get("GrpTRES") for one in read_assoc_mgr(text).values())
