"""A cluster that is left while it is being changed."""

from __future__ import annotations

import time
from collections.abc import Callable

from fsconsole.recording.audit import Result
from fsconsole.recording.audit_log import lines_of
from fsconsole.shares.edits import SetShares
from fsconsole.slurm.change_set import change_set
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.target import SlurmTarget
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import wording

WAIT_S = 60.0


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_is_under_way_when_it_is_closed_is_logged(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("sacctmgr", "modify", delay_s=0.5)
    target = SlurmTarget(Location())
    _until(lambda: target.state().tree is not None)
    tree = target.state().tree
    assert tree is not None
    staged = tree.shares.copy()
    for node in list(staged.walk())[1:]:
        SetShares.of(node.id, 9).apply(staged)
    changes = change_set(tree, staged)
    asked = target.apply(changes, "me")
    _until(lambda: any("modify" in call.argv for call in fake_slurm.calls))
    target.close(wait=True)
    done = [call for call in fake_slurm.calls if "modify" in call.argv]
    assert 0 < len(done) < len(changes.changes)
    begun, *rows, ended = lines_of(audit_path("slurm-lab"))
    assert ended["action"] == wording("targets.slurm.end-of-apply")
    tried = [row for row in rows if not row["action"].startswith("send ")]
    assert len(rows) == 2 * len(tried)
    assert begun["after"] == f"{len(changes.changes)} changes"
    assert len(tried) == len(done)
    results = [row.result for row in asked.result(WAIT_S).rows]
    assert results.count(Result.NOT_SENT) == len(changes.changes) - len(done)
    assert Result.UNKNOWN not in results  # it was read back
