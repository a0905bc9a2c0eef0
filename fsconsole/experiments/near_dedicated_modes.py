"""Brady, Ciuffini, Hardy, Figure 5: a sequence of jobs in dedicated time, and near-dedicated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import PAPER, accounts_of, bar_figure, mean_of, night_of
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import as_fitted
from fsconsole.figures.spec import Axis, FigureSpec

LENGTH_S = 3.5 * 3600.0
SAMPLE_S = 60.0
JOBS = 6
WALL_S, NEAR_WALL_S = 24 * 60.0, 60.0
SAME = 0.01
MEMORY_S, SDS_S = 22.0, 47.0
NEAR_S = 4.0
RUN_WAIT_PERCENT, NEAR_PERCENT = 1.17, 0.3
LONG_START_S = 300.0
RUN_WAIT_WHY = (
    "The details that the paper leaves open give 1.0 to 1.5 %. A job without serial time loses 1.5 %, "
    "one with cycles of 1 min loses 1.0 %."
)
_MEMORY = Origin.fitted("section 4", "Bandwidth and sizes of memory are set to give that.")
_SDS = Origin.fitted(
    "section 4", "The size of SDS and the amount that one process holds are set to give that."
)
_PROCESSORS = Origin.fitted(
    "section 4", "Shares, serial time and the number of other processes are set to give that."
)
KINDS = ("startup", "user", "system", "I/O", "memory", "SDS", "run-wait", "jobs", "total")
LABELS = {"dedicated": "dedicated", "near-dedicated": "near-dedicated"}
FITTED = "checkpoints, bandwidth, SDS and CPU time, to section 4"
NOTES = (
    Note(
        "paper",
        "User, system and I/O wait times are almost identical, memory and SDS waits increase a "
        "little, and the startup of dedicated time is quite long. Near-dedicated took less time in "
        "all. The bars of Figure 5 have no numbers; 24 minutes is the mean wall time of a job.",
    ),
    Note(
        "ours",
        "All bars except startup and total are sums over the six jobs. User and system are fractions "
        "of the undisturbed wall time of the phases. Run-wait is the remaining wall time, as in the "
        "paper. The two minutes before each job, for tapes and files, count as I/O.",
    ),
    Note(
        "ours",
        "Fitted: checkpoints of 0.25 MW/s, so that startup takes ten minutes; the paper has up to an "
        "hour. Near-dedicated waits for memory and SDS occur once per job. With ten times as many "
        "short jobs it would lose.",
    ),
    Note(
        "ours",
        "Dedicated time waits for memory too: 27.3 MW take 11 s to read in.",
    ),
)


@dataclass(frozen=True, slots=True)
class Components:
    """Wall times of a sequence in s: sums over its jobs, except startup and total."""

    startup_s: float
    user_s: float
    system_s: float
    io_s: float
    memory_s: float
    sds_s: float
    run_wait_s: float
    jobs_s: float
    total_s: float

    @property
    def values(self) -> tuple[float, ...]:
        """Values in the order of KINDS."""
        return (
            self.startup_s,
            self.user_s,
            self.system_s,
            self.io_s,
            self.memory_s,
            self.sds_s,
            self.run_wait_s,
            self.jobs_s,
            self.total_s,
        )


def _modes(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("near-dedicated-sequence")
    near = measure(example, LENGTH_S, steps.next(0.6), sample_s=SAMPLE_S)
    dedicated = measure(_dedicated(example), LENGTH_S, steps.next(0.4), sample_s=SAMPLE_S)
    runs = {"dedicated": dedicated, "near-dedicated": near}
    found = {mode: _components(run) for mode, run in runs.items()}
    claims = (*_claims_of_sums(found["dedicated"], found["near-dedicated"]), *_claims_of_waits(runs))
    return Result(
        "near-dedicated-dedicated-vs-nd",
        claims,
        tuple(as_fitted(figure, FITTED) for figure in _figures(near, found)),
        NOTES,
    )


def _dedicated(example: Example) -> Example:
    section = example.scenario.near_dedicated
    assert section is not None  # noqa: S101 (the example is a near-dedicated one)
    return example.changed("dedicated mode", near_dedicated=replace(section, mode="dedicated"))


def _components(run: Measured) -> Components:
    """Return sums over the jobs of a run's window; LookupError without a window."""
    night, accounts = night_of(run), accounts_of(run)
    first, last = night.jobs[0], night.jobs[-1]

    def total(name: str) -> float:
        return sum(float(getattr(account, name)) for account in accounts)

    system_s = sum(account.computing_s * account.system_s / account.cpu_s for account in accounts)
    return Components(
        startup_s=first.start_s - night.start_s,
        user_s=total("computing_s") - system_s,
        system_s=system_s,
        io_s=total("io_s") + total("setup_s"),
        memory_s=total("swap_s"),
        sds_s=total("sds_wait_s"),
        run_wait_s=total("run_wait_s"),
        jobs_s=total("wall_s"),
        total_s=last.start_s + last.wall_s - night.start_s,
    )


def _claims_of_sums(dedicated: Components, near: Components) -> tuple[Claim, ...]:
    alike = [
        (near.user_s, dedicated.user_s),
        (near.system_s, dedicated.system_s),
        (near.io_s, dedicated.io_s),
    ]
    return (
        Claim(
            "User, system and I/O wait, near-dedicated as a fraction of dedicated",
            (1.0, 1.0, 1.0),
            tuple(mine / its for mine, its in alike),
            SAME,
            names=("user", "system", "I/O"),
            origin=Origin.paper(
                "section 4, Figure 5", "The same phases of the same jobs, compared with themselves."
            ),
            kind="input",
        ),
        Claim(
            "Startup of dedicated time takes over 5 min; near-dedicated starts at once",
            expected=True,
            measured=dedicated.startup_s > LONG_START_S and near.startup_s <= SAMPLE_S,
            origin=Origin.words("section 4, Figure 5", "The paper says quite long; 5 minutes are ours."),
        ),
        Claim(
            "Near-dedicated takes less time in all",
            expected=True,
            measured=near.total_s < dedicated.total_s,
            origin=Origin.words("section 4, Figure 5"),
        ),
        Claim(
            "Memory and SDS waits are small: under a tenth of the jobs' wall time",
            expected=True,
            measured=near.memory_s + near.sds_s < near.jobs_s / 10,
            origin=Origin.words("section 4, Figure 5", "The paper says small increases; a tenth is ours."),
        ),
    )


def _claims_of_waits(runs: dict[str, Measured]) -> tuple[Claim, ...]:
    near = accounts_of(runs["near-dedicated"])
    # As in Figure 5, the wait for processors is compared with the time without it.
    waited = sum(account.run_wait_s for account in near) / sum(account.computing_s for account in near)
    return (
        Claim(
            "Jobs that have ended in each mode",
            (float(JOBS), float(JOBS)),
            tuple(float(len(accounts_of(run))) for run in runs.values()),
            0.0,
            names=tuple(runs),
            origin=Origin.ours("jobs of the example"),
            kind="input",
        ),
        Claim(
            "Wall time of a job, mean",
            WALL_S,
            mean_of(near, "wall_s"),
            NEAR_WALL_S,
            "s",
            origin=Origin.fitted("section 4", "The CPU time of the jobs is set to give 24 min."),
            kind="input",
        ),
        Claim(
            "Wait for memory, mean of the jobs",
            MEMORY_S,
            mean_of(near, "swap_s"),
            NEAR_S,
            "s",
            origin=_MEMORY,
        ),
        Claim("Wait for SDS, mean of the jobs", SDS_S, mean_of(near, "sds_wait_s"), NEAR_S, "s", origin=_SDS),
        Claim(
            "Run-wait in % of computing",
            RUN_WAIT_PERCENT,
            100 * waited,
            NEAR_PERCENT,
            "%",
            origin=_PROCESSORS,
            why_tolerance=RUN_WAIT_WHY,
        ),
    )


def _figures(near: Measured, found: dict[str, Components]) -> tuple[FigureSpec, ...]:
    axis = Axis("wall time", "min", 1 / 60, "s")
    small = ("startup", "memory", "SDS", "run-wait")
    caption = "Six jobs one after the other. jobs: the sum of their wall times. total: from start to end."
    chosen = {
        LABELS[mode]: [parts.values[KINDS.index(kind)] for kind in small] for mode, parts in found.items()
    }
    return (
        bar_figure(
            "components",
            "Figure 5: execution times, dedicated and near-dedicated",
            caption,
            KINDS,
            {LABELS[mode]: parts.values for mode, parts in found.items()},
            axis,
            near.provenance,
        ),
        bar_figure(
            "waits",
            "Figure 5: its small bars",
            "Squares: the paper's means of 22 s and 47 s for six jobs.",
            small,
            chosen,
            axis,
            near.provenance,
            {"near-dedicated": {"memory": JOBS * MEMORY_S, "SDS": JOBS * SDS_S}},
        ),
    )


def near_dedicated_modes() -> Experiment:
    """Return the experiment of Figure 5: dedicated against near-dedicated scheduling."""
    return Experiment(
        "near-dedicated-dedicated-vs-nd",
        "Near-dedicated against dedicated",
        PAPER,
        "The same sequence of jobs in dedicated and near-dedicated time, and the parts of its wall time.",
        _modes,
    )
