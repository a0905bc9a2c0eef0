"""Brady, Ciuffini, Hardy, sections 1 to 3.1, 4: reasons for fixed priorities, no staging, and longer jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import PAPER, accounts_of, night_of
from fsconsole.experiments.near_dedicated_utilisation import Parts, Usage
from fsconsole.experiments.origins import Origin
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.job_spec import JobSpec

HOUR_S, SAMPLE_S = 3600.0, 20.0
TASKS, OTHERS = 8, 20
BEST_NICE, NORMAL_NICE, WORST_NICE = 0, 20, 39
SHORT_S = 600.0  # The run with nice is this long.
TIMES = 4
HOLDER = "holder"  # The sequence's batch job with most SDS.
NAMES = ("PRI_ND", "PRI_BATCH")
# The window's first job copies data from the file server for this long, from 1 min after its start.
SETUP_S, SETUP_FROM_S = 600.0, 60.0
TOO_LONG_CPU_S = 21 * HOUR_S  # Its estimate is 5 h 15 min, the window has 5 h.
SLOW_MW_PER_S = 0.25 / 6  # The example's checkpoints, which take 10 min, are six times as fast.
NOTES = (
    Note(
        "paper",
        "The paper finds that nice has limited effect and that real time is too absolute, wants no staging "
        "of data, and says that waits matter less to longer jobs. It gives no numbers for any of these.",
    ),
    Note("ours", "UNICOS real time is not simulated: no claim is made on it."),
    Note(
        "ours",
        "Staging: the first job fetches data from the file server for ten minutes. In dedicated time "
        "all other jobs are checkpointed, so its processors are idle.",
    ),
)


def _design(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("near-dedicated-sequence")
    claims = (
        *_claims_of_priorities(Example.named("near-dedicated-preemption"), steps),
        *_claims_of_staging(example, steps),
        *_claims_of_length(example, steps),
        _claim_of_queues(example, steps),
        _claim_of_killed_jobs(example, steps),
        _claim_of_watchdog(example, steps),
        _claim_of_least_work(example, steps),
        _claim_of_chances(example, steps),
    )
    steps.at(1.0)
    return Result("near-dedicated-design", claims, (), NOTES)


# -- nice and fixed priorities ----------------------------------------------------------------------------


def _claims_of_priorities(example: Example, steps: Steps) -> tuple[Claim, ...]:
    nice = _beside(example, "process-fair", (BEST_NICE, WORST_NICE), steps)
    fixed = _beside(example, "fixed", (NORMAL_NICE, NORMAL_NICE), steps)
    paper = Origin.words("section 3.1", "The paper gives no numbers.")
    return (
        Claim(
            f"{TASKS} processes at nice {BEST_NICE} beside {OTHERS} at nice {WORST_NICE}, the widest "
            "range: the others take over three times as much CPU as beside fixed priorities of 300 to "
            "1",
            expected=True,
            measured=nice[1] > 3 * fixed[1],
            origin=paper,
        ),
        Claim(
            "CPU of the others beside fixed priorities of 300 to 1",
            0.0,
            fixed[1],
            2.0,
            "%",
            origin=Origin.law("priorities far apart", "The paper gives no numbers."),
        ),
        Claim(
            "It is not absolute: the others still get CPU",
            expected=True,
            measured=fixed[1] > 0,
            origin=paper,
        ),
    )


def _beside(example: Example, policy: str, nice: tuple[int, int], steps: Steps) -> tuple[float, ...]:
    """Return CPU in % of the near-dedicated node and of the others, without memory or jobs."""
    loads = tuple(
        StartProcess(example.scenario.tree.find(name).id, Work(), count=count, nice=value)
        for name, count, value in zip(NAMES, (TASKS, OTHERS), nice, strict=True)
    )
    changed = example.changed(
        f"processes alone, nice {nice}", workloads=loads, jobs=(), near_dedicated=None, queues=()
    )
    settings = {"memory.size_mw": 0.0, "memory.sds_mw": 0.0, "policy.name": policy, "policy.nosched": False}
    run = measure(changed, SHORT_S, steps.next(0.1), settings=settings)
    return run.cpu_percent(NAMES, SHORT_S / 2, SHORT_S)


# -- staging and checkpoints ------------------------------------------------------------------------------


def _first_job(example: Example, words: str, **values: object) -> Example:
    """Return the sequence with only its first near-dedicated job, and that one changed."""
    jobs = example.scenario.jobs
    first = next(job for job in jobs if job.queue == "nd")
    others = tuple(job for job in jobs if job.queue != "nd")
    return example.changed(words, jobs=(*others, replace(first, **values)))  # type: ignore[arg-type]


def _dedicated(example: Example) -> Example:
    section = example.scenario.near_dedicated
    assert section is not None  # noqa: S101 (the example is a near-dedicated one)
    mode = replace(section, mode="dedicated", least_work_s=0.0)
    return example.changed("dedicated mode", near_dedicated=mode)


def _in_setup(example: Example, steps: Steps) -> tuple[Measured, Parts]:
    """Return a run, and the use of the processors while its first job copied data."""
    usage = Usage()
    run = measure(example, 1.5 * HOUR_S, steps.next(0.2), sample_s=SAMPLE_S, beside=usage)
    start_s = night_of(run).jobs[0].start_s
    return run, usage.parts(start_s + SETUP_FROM_S, start_s + SETUP_S, run.machine.spec.cpus)


def _claims_of_staging(example: Example, steps: Steps) -> tuple[Claim, ...]:
    job = _first_job(example, "one job, ten minutes of setup", setup_s=SETUP_S)
    _, near = _in_setup(job, steps)
    _, alone = _in_setup(_dedicated(job), steps)
    settings = {"memory.checkpoint_mw_per_s": SLOW_MW_PER_S}
    slow = measure(_dedicated(job), 1.9 * HOUR_S, steps.next(0.1), settings=settings, sample_s=60.0)
    night = night_of(slow)
    return (
        Claim(
            "Near-dedicated, while the job fetches data from the file server: under a tenth of the "
            "processors is idle",
            expected=True,
            measured=near.idle < 0.1,
            origin=Origin.words("section 2", "So staging is not needed."),
        ),
        Claim(
            "In dedicated time over 90 % is idle, which is why data were staged before",
            expected=True,
            measured=alone.idle > 0.9,
            origin=Origin.words("sections 1 and 2", "The paper gives no numbers."),
        ),
        Claim(
            "Checkpoints at a sixth of the example's speed: until the first job starts",
            HOUR_S,
            night.jobs[0].start_s - night.start_s,
            300.0,
            "s",
            origin=Origin.fitted("section 1", "The speed of checkpoints is set to give that: up to an hour."),
        ),
    )


# -- longer jobs ------------------------------------------------------------------------------------------


def _claims_of_length(example: Example, steps: Steps) -> tuple[Claim, ...]:
    parts = []
    for times in (1, TIMES):
        first = next(job for job in example.scenario.jobs if job.queue == "nd")
        cpu_s = times * first.needed_cpu_s
        job = _first_job(example, f"one job, {times} times as long", cpu_s=cpu_s, requested_cpu_s=2 * cpu_s)
        run = measure(job, (0.5 + 0.5 * times) * HOUR_S, steps.next(0.05 * times), sample_s=60.0)
        (account,) = accounts_of(run)
        parts.append(100 * (account.swap_s + account.sds_wait_s) / account.wall_s)
    short, long = parts
    return (
        Claim(
            f"Waits for memory and SDS in % of wall time: those of a job {TIMES} times as long, "
            "divided by those of the job",
            1 / TIMES,
            long / short,
            0.05,
            origin=Origin.law("the same waits for a job that long", "The paper has no numbers."),
        ),
        Claim(
            "The longer the job, the less these waits matter",
            expected=True,
            measured=long < short,
            origin=Origin.words("section 4"),
        ),
    )


def _claim_of_queues(example: Example, steps: Steps) -> Claim:
    """Return the claim that a job runs alike in either queue if nothing else differs."""
    from fsconsole.machine.jobs.batch import Batch
    from fsconsole.machine.parts import part_of

    near = _first_job(example, "one short job", cpu_s=600.0)
    alone = near.changed("no other jobs", jobs=near.scenario.jobs[-1:])
    moved = tuple(replace(job, queue="batch") for job in alone.scenario.jobs)
    ended = []
    for made in (alone, alone.changed("in the batch queue", jobs=moved)):
        run = measure(made, HOUR_S, steps.next(0.05), sample_s=60.0)
        batch = part_of(run.machine, Batch)
        name = made.scenario.jobs[-1].name
        ended.append(
            float(
                batch is not None
                and any(one.spec.name == name and one.how == "ended" for one in batch.finished)
            )
        )
    return Claim(
        "The same job ends in either queue; only the name of the queue is changed",
        (1.0, 1.0),
        tuple(ended),
        0.0,
        "jobs",
        ("nd", "batch"),
        origin=Origin.law("section 2: users only name another queue"),
    )


# -- jobs that are killed ---------------------------------------------------------------------------------


def _claim_of_killed_jobs(example: Example, steps: Steps) -> Claim:
    """Return the claim that dedicated time kills the job without checkpoints and writes out the others."""
    from fsconsole.machine.jobs.batch import Batch
    from fsconsole.machine.parts import part_of

    made = _dedicated(example)
    jobs = tuple(
        replace(job, can_checkpoint=False) if job.name == HOLDER else job for job in made.scenario.jobs
    )
    run = measure(
        made.changed(f"{HOLDER} cannot be checkpointed", jobs=jobs), HOUR_S, steps.next(0.03), sample_s=60.0
    )
    batch = part_of(run.machine, Batch)
    others = [] if batch is None else [job for job in batch.jobs.values() if job.spec.queue == "batch"]
    killed = [job.spec.name for job in others if job.how == "killed for dedicated time"]
    return Claim(
        "In dedicated time the job that cannot be checkpointed is killed, and all others are checkpointed",
        (1.0, float(len(others) - 1)),
        (float(killed.count(HOLDER)), float(sum(job.state == "checkpointed" for job in others))),
        0.0,
        "jobs",
        ("killed", "checkpointed"),
        origin=Origin.law("section 1: killed without checkpoint", "It gives no numbers."),
    )


def _claim_of_watchdog(example: Example, steps: Steps) -> Claim:
    """Return the claim that a job is killed when its estimate has passed, and not later."""
    first = next(job for job in example.scenario.jobs if job.queue == "nd")
    job = _first_job(example, "one job, nine tenths of it serial", serial_fraction=0.9)
    run = measure(job, 1.5 * HOUR_S, steps.next(0.03), sample_s=60.0)
    (row,) = night_of(run).jobs
    return Claim(
        "A job with nine tenths of its work on one processor takes longer than its estimate: wall time until "
        "the watchdog kills it",
        2 * first.requested_cpu_s / run.machine.spec.cpus,
        row.wall_s if row.how == "killed by watchdog" else 0.0,
        0.5,
        "s",
        origin=Origin.paper("section 3.2: requested CPU time x 2 / CPUs"),
    )


def _claim_of_least_work(example: Example, steps: Steps) -> Claim:
    """Return the claim that time is dedicated if two hours of work wait, and not if one does."""
    section = example.scenario.near_dedicated
    assert section is not None  # noqa: S101 (the example is a near-dedicated one)
    made = example.changed("dedicated mode", near_dedicated=replace(section, mode="dedicated"))
    mine = [job for job in made.scenario.jobs if job.queue == "nd"]
    running = [_started(made, f"{waiting} h of work", mine[:waiting], steps) for waiting in (1, 2)]
    return Claim(
        "Time is dedicated if two hours of estimated work wait, and not if one hour waits",
        (0.0, 1.0),
        tuple(running),
        0.0,
        "jobs",
        ("one hour", "two hours"),
        origin=Origin.paper("section 1"),
    )


def _claim_of_chances(example: Example, steps: Steps) -> Claim:
    """Return the claim that a job with ND_TMC that is too long starts only if it is next in line."""
    first = next(job for job in example.scenario.jobs if job.queue == "nd")
    job = replace(first, requested_cpu_s=TOO_LONG_CPU_S, take_chances=True)
    before = replace(job, name="before", take_chances=False)
    running = [
        _started(example, f"{len(jobs)} jobs that are too long", jobs, steps)
        for jobs in ([job], [before, job])
    ]
    return Claim(
        "ND_TMC: a job whose estimate is longer than the window starts if it is next in line, and not "
        "behind another one",
        (1.0, 0.0),
        tuple(running),
        0.0,
        "jobs",
        ("next in line", "behind another"),
        origin=Origin.law("section 3.2: scheduled though too long if it is next in line"),
    )


def _started(example: Example, words: str, jobs: Sequence[JobSpec], steps: Steps) -> float:
    """Return the number of these near-dedicated jobs that run after half an hour."""
    from fsconsole.machine.jobs.batch import Batch
    from fsconsole.machine.parts import part_of

    others = (job for job in example.scenario.jobs if job.queue != "nd")
    made = example.changed(words, jobs=(*others, *jobs))
    run = measure(made, HOUR_S / 2, steps.next(0.01), sample_s=60.0)
    batch = part_of(run.machine, Batch)
    states = [] if batch is None else [job.state for job in batch.jobs.values() if job.spec.queue == "nd"]
    return float(states.count("running"))


def near_dedicated_design() -> Experiment:
    """Return the experiment on the aims of the design."""
    return Experiment(
        "near-dedicated-design",
        "Near-dedicated: aims of the design",
        PAPER,
        "Nice against fixed priorities, processors during data transfers, checkpoints, longer jobs, kills.",
        _design,
    )
