"""What a job went through with its reservations, in a sentence."""

from __future__ import annotations

from fsconsole.batch.insight.difficult_jobs import times_words
from fsconsole.batch.insight.losses import Cause, JobReservations
from fsconsole.batch.schedule import Schedule
from fsconsole.text.durations import length_words

_CAUSES: dict[Cause, str] = {
    "own easy jobs": "to its owner's own smaller or shorter jobs",
    "arrival": "to jobs that had just come",
    "new window": "as a new window began",
    "order": "to jobs that went past it",
}


def reservation_words(schedule: Schedule, found: JobReservations) -> str:
    """`Job 812 of user 8 held a reservation 15 times, for 2 d in all, and lost it 14 times: 9 times to …`."""
    jobs = schedule.jobs
    job = f"Job {found.job_id} of user {jobs.users[int(jobs.user[found.row])]}"
    if not found.spans:
        return f"{job} never held a reservation."
    held = f"{job} held a reservation {times_words(len(found.spans))}, for {length_words(found.held_s)}"
    held += " in all" if len(found.spans) > 1 else ""
    if not found.losses:
        return f"{held}, and started from it."
    causes = [
        f"{times_words(len(lost))} {words}"
        for cause, words in _CAUSES.items()
        if (lost := found.lost_to(cause))
    ]
    return f"{held}, and lost it {times_words(len(found.losses))}: {', '.join(causes)}."
