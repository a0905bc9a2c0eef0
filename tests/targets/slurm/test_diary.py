"""The diary of a cluster: what was read is there again, over restarts, kills, full disks and weeks."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep, tzset
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.kinds import Kind, kind_of
from fsconsole.recording import diary_writer
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.targets.recorded.target import RecordedTarget
from fsconsole.targets.slurm.diary import Diary, DiaryJobs, parts_of, thin
from fsconsole.targets.slurm.diary_instant import instant_of
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.summary import ClusterSummary, digest_of
from fsconsole.text import moments
from tests.slurm import clusters
from tests.slurm.captured import captured
from tests.slurm.clusters import small_cluster, standing_of
from tests.texts import refuses, says, wording

NOON_S = 1_795_604_400.0  # 25 November 2026, a Wednesday, far from the edges of its week
TREE = small_cluster()
JOB = Job(job_id=7, user="anna", partition="batch", states=("RUNNING",), account="hep", cpus=4, start_s=5,
          time_limit_s=float("inf"), priority=11)  # fmt: skip


def _state(at_s: float, used: float = 1000.0, jobs: tuple[Job, ...] = (JOB,), **more: Any) -> ClusterSummary:
    parts = {PartName.USAGE: Part(as_of_s=at_s), PartName.JOBS: Part(as_of_s=at_s)}
    standing = standing_of(TREE, {4: used, 5: 500.0, 8: 70.0})
    fields = {"link": Link.ANSWERS, "tree": TREE, "standing": standing, "jobs": jobs, "parts": parts, **more}
    return digest_of(ClusterState(serial=1, name="lab", **fields))


def _wait(diary: Diary, what: Callable[[], bool]) -> None:
    until = monotonic() + 60
    while not what() or diary._is_busy:
        assert monotonic() < until
        sleep(0.002)


def _take(diary: Diary, *states: ClusterSummary, fails: bool = False) -> None:
    for state in states:
        part = state.state.parts[PartName.USAGE]
        diary.take(state, part.as_of_s or 0.0)
        _wait(diary, lambda: bool(diary.problem) is fails)


def _target(folder: Path) -> RecordedTarget:
    return RecordedTarget(parts_of(folder)[-1])


def test_readings_are_a_run(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    states = [_state(NOON_S + 300 * at, 1000.0 + 100 * at) for at in range(5)]
    _take(diary, *states, states[-1])
    diary.close()
    run = _target(tmp_path)
    assert run.state_words == "complete"
    assert run.run.path.name == "2026-W48.run"
    tree = run.tree()
    anna = next(node.id for node in tree.walk() if node.name == "anna" and node.parent != 0)
    base_s = run.clock.epoch_s
    assert base_s is not None
    times, values = run.curves("norm_usage", (anna,), 0.0, 1e9, 1000)
    assert (times + base_s).tolist() == [NOON_S + 300 * at for at in range(5)]
    standings = [state.state.standing for state in states]
    expected = [standing.norm_usage[4] for standing in standings if standing is not None]
    assert np.allclose(values[0], expected, atol=1e-6)
    assert run.quantities[0] == "fairshare"
    then = run.at(NOON_S + 700 - base_s)
    assert then is not None
    assert then.values("running", (anna,)).tolist() == [1.0]
    assert run.run.samples(["time_s", "path", "raw_usage"]).height == 5 * len(TREE.nodes)


def test_raw_shares_are_those_of_the_last_reading(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    later = small_cluster(clusters.TREE.replace("bio 30", "bio 7").replace("    dirk* 1\n", ""))
    standing = standing_of(later, {4: 2000.0, 5: 500.0})
    _take(diary, _state(NOON_S), _state(NOON_S + 300, tree=later, standing=standing))
    diary.close()
    tree = _target(tmp_path).tree()
    shares = {tree.path(node.id): node.shares for node in tree.walk()}
    assert (shares["root/physics"], shares["root/bio"], shares["root/physics/hep/anna"]) == (40, 7, 10)
    assert shares["root/physics/astro/dirk"] == 0  # gone
    hugo = next(node for node in tree.walk() if node.name == "hugo")
    assert takes_parents_shares(hugo)
    assert _target(tmp_path).problems() == []


def test_an_instant_is_what_the_tools_printed(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    states = [_state(NOON_S + 300 * at, 1000.0 + 100 * at, settings=settings) for at in range(3)]
    _take(diary, *states)
    diary.close()
    part = parts_of(tmp_path)[0]
    assert kind_of(part) is Kind.DIARY
    found = instant_of(part)
    standing = states[-1].state.standing
    assert standing is not None
    assert found.shares is not None
    assert found.shares.tree.account == TREE.stored.tree.account
    assert found.shares.tree.user == TREE.stored.tree.user
    assert found.shares.tree.shares.tolist() == TREE.stored.tree.shares.tolist()
    assert np.allclose(found.shares.tree.usage, standing.norm_usage, atol=1e-6)
    assert np.array_equal(found.shares.raw_usage, standing.raw_usage)
    assert (found.cluster, found.at_s) == ("lab", NOON_S + 600)
    assert found.jobs == (replace(JOB, priority=None),)
    assert found.settings is not None
    assert (found.settings.dampening, found.settings.rule) == (settings.dampening, settings.rule)
    base_s = _target(tmp_path).clock.epoch_s or 0.0
    earlier = instant_of(part, NOON_S + 10 - base_s).shares
    assert earlier is not None
    first = states[0].state.standing
    assert first is not None
    assert np.array_equal(earlier.raw_usage, first.raw_usage)
    assert instant_of(part, 0.0).shares is None


def test_usage_that_a_diary_did_not_keep_is_raw_usage_over_the_roots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, *(_state(NOON_S + 300 * at, 1000.0 + 100 * at) for at in range(3)))
    diary.close()
    part = parts_of(tmp_path)[0]
    whole = instant_of(part).shares
    kept = {name: about for name, about in RunReader(part).recorded.items() if name != "norm_usage"}
    monkeypatch.setattr(RunReader, "recorded", kept)
    found = instant_of(part).shares
    assert whole is not None
    assert found is not None
    assert np.allclose(found.tree.usage, whole.raw_usage / whole.raw_usage[0])
    assert np.allclose(found.tree.usage, whole.tree.usage, atol=1e-3)


def test_a_diary_of_an_earlier_version_has_no_shares(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S))
    diary.close()
    nodes = parts_of(tmp_path)[0] / "nodes.json"
    nodes.write_text(re.sub(r',"shares":[^}]*', "", nodes.read_text("utf-8")), "utf-8")
    target = _target(tmp_path)
    assert {node.shares for node in target.tree().walk()} == {0}
    assert target.problems() == [wording("targets.recorded.this-diary-has-no-raw")]
    with refuses(RunError, "targets.slurm.has-no-raw-shares-earlier"):
        instant_of(target.run.path)


def test_jobs_are_as_they_were(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    held = Job(job_id=9, user="ben", partition="batch", states=("PENDING",), priority=0, time_limit_s=60.0)
    done = replace(JOB, states=("COMPLETED",), end_s=99)
    _take(diary, _state(NOON_S), _state(NOON_S + 300, jobs=(JOB, held)), _state(NOON_S + 600, jobs=(done,)))
    diary.close()
    part = parts_of(tmp_path)[0]
    jobs, base_s = DiaryJobs(part), float(RunReader(part).manifest["clock"]["epoch_s"])
    known = replace(JOB, priority=None)
    assert jobs.at(NOON_S - base_s - 1) is None
    assert jobs.at(NOON_S - base_s) == (known,)
    assert jobs.at(NOON_S - base_s + 900) == (replace(known, states=("COMPLETED",), end_s=99),)
    assert jobs.at(NOON_S - base_s + 300) == (known, held)


def test_a_restart_goes_on_after_a_gap_with_the_same_nodes(tmp_path: Path) -> None:
    for begin_s in (NOON_S, NOON_S + 7200):
        diary = Diary(folder=tmp_path)
        _take(diary, _state(begin_s), _state(begin_s + 300))
        diary.close()
    run = _target(tmp_path)
    assert len(parts_of(tmp_path)) == 1
    assert len(run.run.nodes()) == len(TREE.nodes)
    base_s = run.clock.epoch_s or 0.0
    (gap,) = run.run.gaps
    assert (gap.why, gap.start_s + base_s, gap.end_s + base_s) == (
        wording("recording.fsconsole-was-not-running"), NOON_S + 600, NOON_S + 7200,
    )  # fmt: skip
    assert any(says(problem, "recording.fsconsole-was-not-running") for problem in run.problems())
    _, values = run.curves("norm_usage", (0,), 0.0, 1e9, 100)
    assert np.isnan(values[0]).tolist() == [False, False, True, False, False]


def test_a_controller_that_is_gone_is_a_gap_and_an_event(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S))
    gone = _state(NOON_S, link=Link.NO_ANSWER)
    diary.take(gone, NOON_S + 400)
    _wait(diary, lambda: True)
    _take(diary, _state(NOON_S + 3000))
    diary.close()
    run = _target(tmp_path)
    assert [gap.why for gap in run.run.gaps] == [wording("targets.slurm.cluster-did-not-respond")]
    words = [text for event in run.events() for text in event.texts]
    gap, begun, ended = (
        wording(f"targets.slurm.cluster-{verb}")
        for verb in ("did-not-respond", "does-not-respond", "responds-again")
    )
    assert words == [wording("targets.recorded.no-values", why=gap), begun, ended]


def test_what_was_done_before_it_began_is_not_written_again(tmp_path: Path) -> None:
    def row(at_s: float, on: str) -> AuditRow:
        return AuditRow(int(at_s), "ben", "set shares", on, "1", "2", result=Result.DONE, text="", why="")

    earlier = (row(NOON_S - 900, "old"), row(NOON_S - 800, "older"))
    new, newer = row(NOON_S + 5, "new"), row(NOON_S + 305, "newer")
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S), _state(NOON_S + 300, audit=(*earlier, new)))
    _take(
        diary,
        _state(NOON_S + 600, audit=(*earlier, new, newer)),
        _state(NOON_S + 900, audit=(*earlier, new, newer)),
    )
    diary.close()
    words = [text for event in _target(tmp_path).events() for text in event.texts]
    assert [text.split() for text in words] == [
        ["set", "shares", "new,", "by", "ben"],
        ["set", "shares", "newer,", "by", "ben"],
    ]


def test_a_full_disk_stops_the_diary_until_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S))

    def full(path: Path, _block: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(diary_writer, "append_block", full)
        _take(diary, _state(NOON_S + 300), _state(NOON_S + 600), fails=True)
        assert says(diary.problem, "targets.slurm.diary-has-not-been-written")
        assert os.strerror(errno.ENOSPC) in diary.problem
    _take(diary, _state(NOON_S + 2400))
    diary.close()
    run = _target(tmp_path)
    assert [gap.why for gap in run.run.gaps] == [wording("targets.slurm.diary-could-not-be-written")]
    assert len(run.times(0.0, 1e9)) == 2


def test_a_clock_that_is_set_back_is_reported_until_it_has_caught_up(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S), _state(NOON_S + 3600))
    _take(diary, _state(NOON_S + 300), _state(NOON_S + 600), fails=True)
    assert says(diary.problem, "targets.slurm.clock-was-set-back-diary")
    diary.close()
    again = Diary(folder=tmp_path)
    _take(again, _state(NOON_S + 900), fails=True)
    _take(again, _state(NOON_S + 3900))
    again.close()
    run = _target(tmp_path)
    base_s = run.clock.epoch_s or 0.0
    assert [time_s + base_s for time_s in run.times(0.0, 1e9)] == [NOON_S, NOON_S + 3600, NOON_S + 3900]


_ZONES = ("UTC", "Asia/Tokyo", "America/New_York", "Europe/Berlin", "Pacific/Kiritimati", "Asia/Kathmandu")
# A Wednesday; the hours before summer time ends in Europe and in America, which begin and end weeks.
_BEGINS = (NOON_S, 1_792_884_600.0, 1_793_509_200.0, 1_795_996_799.5)
_STEPS_S = st.sampled_from((0.5, 1.0, 300.0, 3600.0, 40_000.0, 400_000.0, -0.5, -300.0, -3600.0, -50_000.0))


@given(
    begin_s=st.sampled_from(_BEGINS),
    readings=st.lists(st.tuples(st.sampled_from(_ZONES), _STEPS_S, st.booleans()), min_size=1, max_size=8),
)
def test_zones_and_clocks_set_back_move_no_reading_and_lose_none_silently(
    begin_s: float, readings: list[tuple[str, float, bool]]
) -> None:
    """A service under UTC beside a console in local time, a laptop that travels, a clock that is set."""
    kept: dict[str, list[float]] = {}
    left_out: set[float] = set()
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder, at_s, diary = Path(name), begin_s, Diary(folder=Path(name))
        for zone, step_s, is_restart in readings:
            at_s += step_s
            patch.setenv("TZ", zone)
            tzset()
            if is_restart:
                diary.close()
                diary = Diary(folder=folder)
            diary.take(_state(at_s), at_s)
            _wait(diary, lambda: True)
            there = kept.setdefault("{}-W{:02}.run".format(*moments.local(at_s).isocalendar()), [])
            if not there or at_s > there[-1]:
                there.append(at_s)
                assert diary.problem == ""
            elif at_s < there[-1]:
                left_out.add(at_s)
                assert bool(diary.problem) is (at_s < there[-1] - 1.0)
        diary.close()
        runs = {part.name: RunReader(part) for part in parts_of(folder)}
        found = {
            week: (run.open_series().sample_times(-1e9, 1e9) + run.manifest["clock"]["epoch_s"]).tolist()
            for week, run in runs.items()
        }
        assert found == kept
        texts = [text for run in runs.values() for _, text in run.happened()[0]]
        assert any(says(text, "targets.slurm.readings-from-on-are-left") for text in texts) is bool(left_out)
    tzset()


def test_what_a_kill_left_of_a_write_is_removed(tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S))
    diary.close()
    left_over = parts_of(tmp_path)[0] / ".manifest.json.x.tmp"
    left_over.write_text("{")
    again = Diary(folder=tmp_path)
    _take(again, _state(NOON_S + 300))
    again.close()
    assert not left_over.exists()


def test_two_consoles_do_not_write_one_diary(tmp_path: Path) -> None:
    first, second = Diary(folder=tmp_path), Diary(folder=tmp_path)
    _take(first, _state(NOON_S))
    _take(second, _state(NOON_S), fails=True)
    assert says(second.problem, "targets.slurm.another-program-of-yours-writes")
    first.close()
    _take(second, _state(NOON_S + 300))
    second.close()


def test_weeks_are_kept_as_long_as_wanted(tmp_path: Path) -> None:
    week_s = 7 * 86400.0
    diary = Diary(weeks=2, folder=tmp_path)
    for week in range(4):
        _take(diary, _state(NOON_S + week * week_s))
    diary.close()
    assert [part.name for part in parts_of(tmp_path)] == ["2026-W50.run", "2026-W51.run"]
    (tmp_path / "2026-W01.run").mkdir()  # of somebody else
    assert thin(tmp_path, 1) == [tmp_path / "2026-W50.run"]
    assert [part.name for part in parts_of(tmp_path)] == ["2026-W01.run", "2026-W51.run"]
    assert thin(tmp_path, 0) == []


_WRITES = """
import sys
from pathlib import Path
from tests.targets.slurm.test_diary import NOON_S, Diary, _state, _take
diary, at = Diary(folder=Path(sys.argv[1])), 0
while True:
    _take(diary, _state(NOON_S + 300 * at, 1000.0 + at))
    at += 1
    print(at, flush=True)
"""


def test_a_kill_leaves_a_diary_that_can_be_read(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WRITES, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        message = 0
        while message < 120:  # more than one file
            message = int(program.stdout.readline())
        os.kill(program.pid, signal.SIGKILL)
        message = max([message, *(int(line) for line in program.stdout.read().split())])
    run = _target(tmp_path)
    assert run.is_cut_short
    assert message <= len(run.times(0.0, 1e9)) <= message + 1
    assert run.run.gaps == ()
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S + 1e5))
    diary.close()
    assert _target(tmp_path).state_words.split(", ") == ["complete", "1 gap"]
    assert [gap.why for gap in _target(tmp_path).run.gaps] == [wording("recording.fsconsole-was-not-running")]
