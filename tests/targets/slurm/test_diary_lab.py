"""The diary of a real cluster: what sshare prints is what the diary has."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from fsconsole.targets.recorded.target import RecordedTarget
from fsconsole.targets.slurm.diary import Diary, DiaryJobs, parts_of
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.polling import PaceOptions
from fsconsole.targets.slurm.source import ClusterSource
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.target import SlurmTarget
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.lab.demo_tree import SYSTEM_PEOPLE
from tests.slurm.lab.lab import Lab

WAIT_S = 60.0
QUICK = PaceOptions(settings_s=5, tree_s=1, usage_s=1, jobs_s=0.5, hardware_s=1)


def test_what_sshare_prints_is_written_down(slurm_lab: Lab, tmp_path: Path) -> None:
    number = slurm_lab.submit(SYSTEM_PEOPLE[0], "ocean", cpus=2)
    place = Location((*slurm_lab.place.prefix, "env", "LANG=C"), "the lab")
    target = SlurmTarget(place, pace=QUICK, tools=Tools(place, slurm_lab.environment))
    source, diary = ClusterSource(target), Diary(folder=tmp_path)
    source.keep_diary(diary)
    deadline = time.monotonic() + WAIT_S
    times = np.empty(0)

    def is_read() -> bool:
        newest = source.newest
        return newest is not None and newest.index is not None and newest.state.standing is not None

    try:
        while not (len(times) and is_read()) and time.monotonic() < deadline:
            source.look()
            time.sleep(0.05)
            if any(tmp_path.glob("*/manifest.json")):  # written a moment after its folder
                times = RecordedTarget(parts_of(tmp_path)[0]).times(0.0, 1e9)
    finally:
        slurm_lab.cancel_all()
        source.close(wait=True)
        target.close(wait=True)
    assert diary.problem == ""
    assert len(times) >= 1
    shown = source.newest
    assert shown is not None
    assert shown.index is not None
    assert shown.state.standing is not None
    run = RecordedTarget(parts_of(tmp_path)[0])
    ids = {node["path"]: node["id"] for node in run.run.nodes()}
    paths = shown.index.tree.shares.paths()
    nodes = [ids[paths[node]] for node in shown.index.tree.nodes]
    as_of_s = shown.state.parts[PartName.USAGE].as_of_s
    assert as_of_s is not None
    then = run.at(as_of_s - (run.clock.epoch_s or 0.0))
    assert then is not None
    standing = shown.state.standing
    for name, printed in (
        ("fairshare", standing.printed.fairshare),
        ("effective_usage", standing.printed.effective_usage),
        ("norm_usage", standing.norm_usage),
        ("raw_usage", standing.raw_usage),
    ):
        assert np.allclose(then.values(name, nodes), printed, rtol=1e-6, atol=1e-6, equal_nan=True), name
    jobs = DiaryJobs(parts_of(tmp_path)[0]).at(float(times[-1]))
    assert jobs is not None
    assert int(number) in {job.job_id for job in jobs}
