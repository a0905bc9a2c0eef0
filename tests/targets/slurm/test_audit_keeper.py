"""The audit log of a cluster on a disk that fails: what is reported, and what is written later."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

import pytest

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.audit_log import AuditLog, lines_of
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm import audit_keeper
from fsconsole.targets.slurm.audit_keeper import AuditKeeper

ROW = AuditRow(1, "root", "hold", "job 7", "", "", Result.DONE, "", "")
_FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
_ERRORS = [(_FULL, os.strerror(errno.ENOSPC)), (OSError("gone"), "gone")]


class Reports:
    """What a keeper reports: rows and the problem."""

    def __init__(self) -> None:
        self.all: list[tuple[tuple[AuditRow, ...], str]] = []

    def __call__(self, rows: tuple[AuditRow, ...], problem: str) -> None:
        self.all.append((rows, problem))


@pytest.mark.parametrize(("error", "reason"), _ERRORS, ids=["full", "without a number"])
def test_a_disk_that_fails_is_reported_by_its_reason_and_the_row_is_written_later(
    monkeypatch: pytest.MonkeyPatch, error: OSError, reason: str
) -> None:
    reports, write = Reports(), AuditLog.write
    keeper = AuditKeeper(reports)
    keeper.open("lab")

    def fail(_log: AuditLog, _rows: Iterable[AuditRow]) -> None:
        raise error

    monkeypatch.setattr(AuditLog, "write", fail)
    path = audit_path("slurm-lab")
    problem = keeper.add_now(ROW)
    assert problem.endswith(f"{path}: {reason}")
    rows, reported = reports.all[-1]
    assert (len(rows), reported) == (1, problem)
    monkeypatch.setattr(AuditLog, "write", write)
    assert keeper.add_now(ROW) == ""
    keeper.close()
    assert [line["on"] for line in lines_of(path)] == ["job 7", "job 7"]
    rows, reported = reports.all[-1]
    assert (len(rows), reported) == (2, "")


@pytest.mark.parametrize(("error", "reason"), _ERRORS, ids=["full", "without a number"])
def test_earlier_rows_that_cannot_be_read_are_reported_by_their_reason(
    monkeypatch: pytest.MonkeyPatch, error: OSError, reason: str
) -> None:
    def fail(_path: object) -> list[dict[str, object]]:
        raise error

    monkeypatch.setattr(audit_keeper, "lines_of", fail)
    reports = Reports()
    keeper = AuditKeeper(reports)
    keeper.open("lab")
    keeper.close()
    ((rows, problem),) = reports.all
    assert (rows, problem.rpartition(": ")[2]) == ((), reason)


def test_without_a_row_nothing_is_written_and_without_a_name_no_row() -> None:
    reports = Reports()
    keeper = AuditKeeper(reports)
    assert keeper.add_now(ROW)
    assert reports.all == [((ROW,), "")]
    assert not audit_path("slurm-lab").exists()
    keeper.open("lab")
    keeper.close()
    assert [line["on"] for line in lines_of(audit_path("slurm-lab"))] == ["job 7"]
    other = Reports()
    again = AuditKeeper(other)
    again.open("lab-2")
    again.close()
    assert other.all == [((), "")]
    assert not audit_path("slurm-lab-2").exists()
