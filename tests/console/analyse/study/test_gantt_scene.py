"""What is drawn of a run: who is where, how many wait, who has which colour."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.batch.insight.schedule_snapshot import moment
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.analyse.study.gantt_scene import (
    CHOSEN,
    OTHERS,
    Scene,
    Steps,
    job_words,
    moment_words,
    scene_of,
)
from tests.texts import says


@pytest.fixture(scope="module")
def scene(kth_folder: StudyFolder) -> Scene:
    cell = next(cell for cell in kth_folder.cells() if cell.policy.is_by_user)
    return scene_of(kth_folder.month_run(cell))


def test_every_job_is_found_in_the_middle_of_its_boxes_and_nowhere_else(scene: Scene) -> None:
    schedule = scene.schedule
    for row in range(len(schedule.jobs)):
        middle = int(schedule.start_s[row] + schedule.end_s[row]) // 2
        for first, wide in scene.lanes.of_job(row):
            assert scene.job_at(middle, first + wide / 2) == row
    in_use = moment(schedule, 500_000)
    lanes = [scene.job_at(500_000, lane + 0.5) for lane in range(100)]
    assert sorted({row for row in lanes if row is not None}) == sorted(in_use.running.tolist())
    assert lanes.count(None) == in_use.free_nodes


def test_as_many_wait_as_at_the_moment(scene: Scene) -> None:
    for second in range(scene.first_s, scene.last_s, 20_011):
        assert scene.waiting.at(second) == len(moment(scene.schedule, second).waiting)
    assert scene.waiting.count[-1] == 0


def test_a_stretch_shows_the_most_that_wait_in_it(scene: Scene) -> None:
    edges = np.linspace(scene.first_s - 1000, scene.last_s + 1000, 60)
    found = scene.waiting.most(edges)
    seconds = np.unique(np.concatenate([scene.waiting.at_s, edges]))
    for begin, end, most in zip(edges[:-1], edges[1:], found, strict=True):
        inside = seconds[(seconds >= begin) & (seconds < end)]
        assert most == max(scene.waiting.at(second) for second in inside)


def test_nobody_waits_where_nothing_happens() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert Steps(nothing, nothing).most(np.array([0.0, 1.0, 2.0])).tolist() == [0, 0]
    one = Steps(np.array([10, 20]), np.array([3, 0]))
    assert one.most(np.array([0.0, 5.0, 12.0, 18.0, 25.0, 30.0])).tolist() == [0, 3, 3, 3, 0]


def test_those_with_the_most_node_hours_have_colours(scene: Scene) -> None:
    jobs = scene.schedule.jobs
    used = dict.fromkeys(jobs.users, 0)
    for user, size in zip(jobs.user.tolist(), jobs.node_seconds.tolist(), strict=True):
        used[jobs.users[user]] += size
    heaviest = sorted(used, key=lambda name: -used[name])[:OTHERS]
    assert [name for name, _ in scene.heaviest] == heaviest
    assert len({token for _, token in scene.heaviest}) == OTHERS


def test_a_chosen_user_alone_stands_out(scene: Scene) -> None:
    user = scene.user_of(scene.heaviest[0][0])
    assert user is not None
    tints = scene.tints(user, are_coloured=True)
    own = scene.schedule.jobs.user[scene.lanes.job] == user
    assert (tints[own] == CHOSEN).all()
    assert (tints[~own] > CHOSEN).all()
    assert scene.user_of("nobody") is None


def test_events_are_found_one_after_another(scene: Scene) -> None:
    schedule = scene.schedule
    times = np.unique(np.concatenate([schedule.jobs.submit_s, schedule.start_s, schedule.end_s]))
    assert scene.next_event(times[7], 1) == times[8]
    assert scene.next_event(times[7], -1) == times[6]
    assert scene.next_event(times[-1], 1) is None
    assert scene.next_event(times[0], -1) is None


def test_a_job_and_a_moment_in_words(scene: Scene) -> None:
    row = int(np.argmax(scene.schedule.wait_s))
    job = int(scene.schedule.jobs.job_id[row])
    assert job_words(scene, row).split(", ")[0] == f"Job {job}"
    assert "waited" in job_words(scene, row)
    found = moment(scene.schedule, 500_000)
    words = moment_words(scene, 500_000, ())
    assert f"{len(found.running)} running;" in words
    assert says(words, "console.analyse.study.nodes-free", free_nodes=found.free_nodes)
    assert words.endswith("No reservation")
    assert "eserv" not in moment_words(scene, 500_000, None)
