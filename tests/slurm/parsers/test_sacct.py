"""What sacct printed of jobs that have ended in every way."""

from __future__ import annotations

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.parsers.sacct import FinishedJob, read_sacct
from tests.slurm.captured import captured
from tests.texts import refuses

TEXT = captured("finished/sacct.psv")


def _jobs() -> dict[str, FinishedJob]:
    listing = read_sacct(TEXT)
    assert not listing.problems
    return {one.job.label: one for one in listing.items}


def test_jobs_are_read_and_their_steps_left_out() -> None:
    jobs = _jobs()
    assert [*jobs] == ["1", "2", "3", "4", "5", "6", "7", "10+0", "10+1", "9_0", "9_1", "9_2"]
    busy = jobs["1"]
    assert (busy.job.user, busy.job.account, busy.job.state, busy.job.cpus) == (
        "games",
        "ocean",
        "COMPLETED",
        2,
    )
    assert (busy.job.start_s, busy.job.end_s, busy.job.elapsed_s) == (1795658339, 1795658348, 9)
    assert busy.job.time_limit_s == 3600
    assert (busy.allocated_s, busy.used_s) == (18, 4.737)


def test_how_jobs_ended() -> None:
    jobs = _jobs()
    assert (jobs["3"].job.exit_code, jobs["5"].job.exit_code) == ((3, 0), (0, 9))
    assert jobs["2"].step_exit_code == (2, 0)
    assert (jobs["6"].job.state, jobs["6"].cancelled_by) == ("CANCELLED", 0)
    assert jobs["7"].job.state == "TIMEOUT"


def test_a_name_may_hold_what_parts_fields() -> None:
    assert _jobs()["3"].job.name == "three|bars"


def test_numbers_of_tasks_and_parts() -> None:
    jobs = _jobs()
    assert (jobs["9_2"].job.job_id, jobs["9_2"].job.array_job_id) == (9, 9)
    assert (jobs["9_0"].job.job_id, jobs["10+1"].job.job_id) == (12, 11)


def test_with_x_sacct_does_not_add_up_what_steps_used() -> None:
    """Why it is not asked so."""
    items = {one.job.label: one for one in read_sacct(captured("finished/sacct-X.psv")).items}
    assert items["1"].used_s == 0


def test_damage_is_reported_and_the_rest_read() -> None:
    lines = TEXT.splitlines()
    damaged = read_sacct("\n".join([lines[0], "7|7|x", lines[1], lines[1].replace("1|1|", "x|1|", 1)]))
    assert [one.job.label for one in damaged.items] == ["1"]
    assert [problem.line for problem in damaged.problems] == [2, 4]
    with refuses(ScenarioError, "slurm.parsers.no-column-this-is-not", command="sacct -P"):
        read_sacct("JobID|State\n1|COMPLETED\n")
