"""Jobs of a run in words. No Qt."""

from __future__ import annotations

from fsconsole.console.analyse.study.gantt_scene import Scene
from fsconsole.text.durations import duration
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_label


def job_words(scene: Scene, row: int) -> str:
    """`Job 812, user #84: 16 nodes; submitted …, waited …, started …, ended …, ran …`."""
    schedule, say = scene.schedule, scene.time.words
    jobs = schedule.jobs
    start, submit, runtime = (int(c[row]) for c in (schedule.start_s, jobs.submit_s, jobs.runtime_s))
    name = f"Job {jobs.job_id[row]}, user #{jobs.users[int(jobs.user[row])]}: {nodes_words(scene, row)}"
    if start < 0:
        return f"{name}; submitted {say(submit)}, never started"
    counted = "" if scene.measured[row] else "; outside of the period that counts"
    return (
        f"{name}; submitted {say(submit)}, waited {duration(start - submit)}, started {say(start)}, "
        f"ended {say(start + runtime)}, ran {duration(runtime)}{counted}"
    )


def job_lines(scene: Scene, row: int) -> str:
    """The same in lines, for a tooltip."""
    head, _, rest = job_words(scene, row).partition(": ")
    return "\n".join([head, *(part.strip() for line in rest.split("; ") for part in line.split(", "))])


def nodes_words(scene: Scene, row: int) -> str:
    """`1 node`, `16 nodes`."""
    nodes = int(scene.schedule.jobs.nodes[row])
    return count_label(nodes, "node")


def held_words(scene: Scene, held: tuple[tuple[int, int], ...]) -> str:
    """Who holds reservations: `Reserved for job 7 of user #3 from 4 Oct 10:00`."""
    jobs = scene.schedule.jobs
    parts = (
        f"job {jobs.job_id[row]} of user #{jobs.users[int(jobs.user[row])]} from {scene.time.words(start)}"
        for row, start in held
    )
    return f"Reserved for {', '.join(parts)}" if held else "No reservation"


def moment_words(scene: Scene, second: int, held: tuple[tuple[int, int], ...] | None) -> str:
    """What runs and waits at a second; who holds reservations where that is known."""
    from fsconsole.batch.insight.schedule_snapshot import moment

    found = moment(scene.schedule, second)
    words = [
        scene.time.words(second),
        f"{thousands(len(found.running))} running",
        f"{thousands(found.free_nodes)} nodes free",
        f"{thousands(len(found.waiting))} waiting for {thousands(found.waiting_nodes)} nodes",
    ]
    if held is not None:
        words.append(held_words(scene, held))
    return "; ".join(words)
