"""One of each kind of run, capture and document, as small as they come."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fsconsole.app.study.files import PLAN
from fsconsole.batch.study import executors
from fsconsole.cli.main import run
from fsconsole.resources import examples
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.targets.slurm.diary import Diary, parts_of
from fsconsole.targets.slurm.location import example_capture
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.summary import digest_of
from tests.batch.search.small_search import TEXT, write_search
from tests.batch.study.small import HereWorkers, swf_text, write_small
from tests.slurm.captured import captured
from tests.slurm.clusters import small_cluster, standing_of

NOON_S = 1_795_604_400.0  # 25 November 2026, a Wednesday, far from the edges of its week
SACCT = """\
JobID|User|Account|Submit|Start|End|ElapsedRaw|AllocCPUS|State|Timelimit|Partition|QOS|ReqTRES
1|anna|hep|2026-11-25T10:00:00|2026-11-25T10:00:00|2026-11-25T11:00:00|3600|8|COMPLETED|02:00:00|cpu|normal|cpu=8
2|ben|hep|2026-11-25T10:10:00|2026-11-25T10:30:00|2026-11-25T11:00:00|1800|8|TIMEOUT|00:30:00|gpu|high|cpu=8,gres/gpu=8
3|anna|hep|2026-11-25T10:20:00|2026-11-25T11:00:00|2026-11-25T11:05:00|300|4|CANCELLED|1-00:00:00|gpu|high|gres/gpu:a100=4
"""
RUNS = ("machine", "branch", "killed", "interrupted", "night")
DIARIES = ("diary", "diary_killed")


def write_diary(folder: Path, *, weeks: int = 1, readings: int = 4) -> list[Path]:
    """Write weeks of a diary, readings a minute apart; the oldest first."""
    diary, tree = Diary(folder=folder), small_cluster()
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    for week in range(weeks):
        for number in range(readings):
            at_s = NOON_S + 7 * 86400 * week + 60 * number + 7 * week
            standing = standing_of(tree, {4: 1000.0 + 100 * number + week, 5: 500.0, 8: 70.0})
            parts = {PartName.USAGE: Part(as_of_s=at_s), PartName.JOBS: Part(as_of_s=at_s)}
            state = ClusterState(
                serial=1, name="lab", link=Link.ANSWERS, tree=tree, standing=standing, parts=parts,
                settings=settings,
            )  # fmt: skip
            diary.take(digest_of(state), at_s)
            diary._executor.submit(lambda: None).result()
    diary.close()
    assert not diary.problem
    return parts_of(folder)


def with_state(run_folder: Path, to: Path, state: str) -> Path:
    """Copy a run as a kill or an interrupt leaves it."""
    shutil.copytree(run_folder, to)
    (to / "summary.json").unlink(missing_ok=True)
    manifest = json.loads((to / "manifest.json").read_text())
    (to / "manifest.json").write_text(json.dumps({**manifest, "state": state}))
    return to


@contextmanager
def without_workers() -> Iterator[None]:
    """Let this process compute the cells of studies and searches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executors, "LocalExecutor", HereWorkers)
        yield


def ok(*words: object) -> None:
    """Run a command that must succeed."""
    assert run([str(word) for word in words]) == 0


def make_kinds(folder: Path) -> dict[str, Path]:
    """Make one of each kind in a folder; return the paths by name."""
    found: dict[str, Any] = {name: folder / f"{name}.run" for name in RUNS}
    scenario, night = examples() / "convex-series-6.yaml", examples() / "near-dedicated-utilisation.yaml"
    ok("simulate", scenario, "--until", "20s", "--out", found["machine"])
    ok("run", "branch", found["machine"], "--at", "10s", "--out", found["branch"])
    with_state(found["machine"], found["killed"], "running")
    with_state(found["machine"], found["interrupted"], "interrupted")
    ok("simulate", night, "--until", "20s", "--out", found["night"])
    (found["diary"],) = write_diary(folder / "diary")
    found["diary_killed"] = with_state(found["diary"], folder / "killed" / found["diary"].name, "running")
    found["capture"] = shutil.copytree(example_capture(), folder / "capture")
    found |= {"scenario": scenario, "night_scenario": night}
    for name, to in (("sharecf", "tree.sharecf"), ("dump", "tree.dump"), ("csv", "tree.csv")):
        found[name] = folder / to
        ok("tree", "convert", scenario, found[name])
    found["sshare"] = shutil.copy(found["capture"] / "usage.txt", folder / "sshare.txt")
    found["swf"], found["sacct"] = folder / "trace.swf", folder / "sacct.txt"
    found["swf"].write_text(swf_text(12))
    found["sacct"].write_text(SACCT)
    found["schedule"] = folder / "jobs.csv"
    ok("batch", "simulate", found["swf"], "--policy", "fcfs-backfill", "--out", found["schedule"])
    (folder / "study").mkdir()
    found["study"] = write_small(folder / "study")
    (folder / "search").mkdir()
    text = TEXT.replace("budget: 60", "budget: 16")
    found["search"] = write_search(folder / "search", text)
    with without_workers():
        for name in ("study", "search"):
            found[f"{name}_folder"] = folder / f"{name}-results"
            verb = "run" if name == "study" else name
            ok("study", verb, found[name], "--out", found[f"{name}_folder"], "--workers", 1)
    found["plan"] = found["study_folder"] / PLAN
    found["folder"] = folder / "empty"
    found["folder"].mkdir()
    return {name: Path(path) for name, path in found.items()}
