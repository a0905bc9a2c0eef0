"""Batch jobs, queues and the memory scheduler at the shell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import Shell
from fsconsole.shares.scenario.job_spec import JobSpec, UrmSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from tests.machine.jobs.nights import batch_of, job_of, night
from tests.machine.shell.shells import done, next_delta, refused, shell_on
from tests.texts import Expected, naming, says, worded, wording

JOBS = (job_of("ccm", "nd", 57600.0, tasks=8, memory_mw=27.3, sds_mw=210), job_of("klim", "nd"), job_of("x"))


def shell(*jobs: JobSpec, who: str = "mel", **more: float) -> Shell:
    return Shell(Machine(night(jobs or JOBS, **more)), who)  # type: ignore[arg-type]


def test_qstat_shows_queues_with_their_jobs() -> None:
    lines = done(shell(), "qstat").split("\n")
    assert lines[0].split() == ["request", "user", "name", "#", "state", "CPU", "of", "MW", "SDS"]
    assert [line for line in lines if ":" in line[:8]] == [
        wording("machine.shell.of-run-wait", state="batch: started", running="1", run_limit="2", order="0"),
        wording("machine.shell.of-run-wait", state="nd: stopped", running="0", run_limit="1", order="2"),
        wording("machine.shell.of-run-wait", state="own: started", running="0", run_limit="50", order="0"),
    ]
    assert lines[4].split() == ["41870", "sbert", "ccm", "1", "waiting", "0:00", "16:00:00", "27.3", "210"]
    assert done(shell(), "qstat nd").split("\n")[1:] == lines[3:6]
    assert refused(shell(), "qstat dn") == (
        "qstat: "
        + wording("machine.shell.no-queue", queue="", queue_2="'dn'")
        + wording("neardedicated.choose-one-of", known="batch, ")
        + "nd, own"
    )


@pytest.mark.parametrize(("length", "kept"), [(24, 24), (25, 21), (80, 21)])
def test_qstat_cuts_names_of_queues_to_24_letters(length: int, kept: int) -> None:
    """So that the counts of a queue, of up to nine digits each, stand beside it on 80 columns."""
    name = "q" * length
    scenario = night((job_of("x", name),))
    scenario = replace(scenario, queues=tuple(replace(scenario.queues[0], name=one) for one in ("nd", name)))
    (line,) = [line for line in done(Shell(Machine(scenario)), "qstat").split("\n") if line.startswith("qq")]
    shown = line.partition(":")[0]
    assert (len(shown.rstrip(".")), len(shown)) == (kept, 24)


def test_qstat_shows_limits_rank_and_what_has_ended() -> None:
    jobs = [job_of("first"), job_of("next"), job_of("last", memory_mw=5.0)]
    own = shell(*jobs, run_limit=1, most_cpu_s=28800.0)
    assert done(own, "qstat -q").split("\n")[1].split() == ["batch", "started", "1", "1", "2", "30", "8", "h"]
    own.session.machine.advance_to(5)
    rows = [line.split() for line in done(own, "qstat -r").split("\n")]
    assert rows[1] == ["41871", "sbert", "next", "batch", "1.000", "1.000", "0.000", "0.000", "0.000"]
    own.session.machine.advance_to(11)
    assert "first" not in done(own, "qstat")
    expected = "  41870  sbert  first     ended"
    assert expected in done(own, "qstat -a")
    own.session.machine.advance_to(40)
    assert done(own, "qstat -r") == wording("machine.shell.no-jobs-wait-in-started")


def test_qstat_says_why_jobs_wait() -> None:
    jobs = [job_of("a", memory_mw=5.0), job_of("b"), job_of("c"), job_of("d", "nd")]
    jobs += [job_of("e", "own", person="ana"), job_of("f", "own", person="ana", memory_mw=3.0)]
    own = shell(*jobs, run_limit=2, user_limit=1, urm=UrmSpec(memory_mw=7))  # type: ignore[arg-type]
    done(own, "qmgr hold 41872")
    own.session.machine.advance_to(1)
    rows = [line.split(None, 4) for line in done(own, "qstat -w").split("\n")[1:]]
    assert [(row[2], row[4]) for row in rows] == [
        ("b", wording("machine.jobs.runs-as-many-jobs-as", value="its user")),
        ("c", "held"),
        ("d", wording("machine.jobs.its-queue-is-stopped")),
        ("f", wording("machine.jobs.urm-memory-mw-leaves-only", memory_mw="2")),
    ]
    answer = done(shell(*jobs, run_limit=1), "qstat -w batch")
    assert says(answer, "machine.jobs.runs-as-many-jobs-as", value="its queue")
    limited = shell(*jobs, urm=UrmSpec(run_limit=1))  # type: ignore[arg-type]
    answer = done(limited, "qstat -w own")
    assert says(answer, "machine.jobs.urm-run-limit-is-reached", run_limit="1")


def test_qsub_knows_who_submits_and_takes_percentages() -> None:
    own = shell()
    for name in ('""', "nobody"):
        answer = refused(own, f"qsub -q nd -u {name} -lT 60 x")
        assert answer.startswith("qsub: ")
    assert says(answer, "shares.scenario.node-not-found-in-tree", reference="nobody")
    answer = refused(own, "qsub -q nd -lT 60 --shown x% y")
    assert says(answer, "machine.shell.must-be-percentage-such-as", name="--shown")
    answer = done(own, "qsub -q nd -u ana -lT 60 --shown 90% --tasks 9 x")
    assert says(answer, "machine.shell.its-tasks-take-turns-because", tasks="9", cpus="8 CPUs")
    spec = batch_of(own.session.machine).jobs[41873].spec
    assert (spec.person, spec.shown_efficiency) == ("ana", 0.9)


def test_qsub_asks_and_says_what_the_job_does() -> None:
    own = shell()
    line = (
        "qsub -q nd -u ana -lT 16h -lM 27.3MW -lQ 210MW --tasks 8 --tmc --serial 0.11 --setup 412 ccm-0219a"
    )
    assert done(own, line) == wording(
        "machine.jobs.is-in-queue", request="41873", label="ana ccm-0219a", queue="nd", place="place 3"
    )
    spec = batch_of(own.session.machine).jobs[41873].spec
    assert spec == JobSpec(
        "ccm-0219a",
        "nd",
        57600.0,
        "ana",
        tasks=8,
        memory_mw=27.3,
        sds_mw=210.0,
        setup_s=412.0,
        serial_fraction=0.11,
        take_chances=True,
    )
    done(own, "qsub -q nd -lT 60 -lM 512kW --io 2 --device disk mine")
    mine = batch_of(own.session.machine).jobs[41874].spec
    assert (mine.device, mine.io_s) == ("disk", 2)
    assert (mine.person, mine.memory_mw) == ("mel", 0.5)


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("qsub x", 2, worded("machine.shell.q-queue-and-lt-time")),
        ("qsub -q nd -lT 60", 2, worded("machine.shell.is-missing", missing="NAME")),
        ("qsub -q nd -lT soon x", 1, naming("-lT: 'soon' is not a time")),
        ("qsub -q nd -lT 60 -lM 3GB x", 1, worded("machine.shell.must-be-size-such-as", field="-lM")),
        (
            "qsub -q nd -lT 60 --tasks 0 x",
            1,
            worded("machine.shell.must-be-whole-number-from", field="--tasks", lowest="1", highest="4096"),
        ),
        ("qsub -q nd -lT 60 --serial 2 x", 1, naming("serial_fraction needs a number from 0 to 1")),
        (
            "qdel 5",
            1,
            worded(
                "machine.jobs.job-not-found",
                request="5",
                known=wording("machine.jobs.jobs-are-numbered-to", jobs="41870", jobs_2="41872"),
            ),
        ),
        ("qdel x", 1, worded("machine.shell.must-be-whole-number-from", field="REQUEST")),
        (
            "qdel 41870 41872",
            1,
            worded(
                "machine.shell.is-use-qdel-k-to",
                request="41872",
                label="sbert x",
                state="running",
                request_2="41872",
            ),
        ),
        ("qmgr halt nd", 2, worded("machine.shell.unknown-word", what_2="'halt'")),
        ("qmgr move 41870", 2, worded("machine.shell.only-move-takes-place-and")),
        ("qmgr hold 41870 2", 2, worded("machine.shell.only-move-takes-place-and")),
        ("qmgr stop nd", 1, worded("machine.jobs.queue-is-already", queue="nd", words="stopped")),
        ("ja 1", 1, worded("cli.not-found", what="job", name="1")),
        ("nschedv -p much", 1, worded("machine.shell.must-be-number-not", field="-p")),
        ("nschedv -T 1,2,3", 1, worded("machine.shell.t-must-be-one-number")),
        ("nschedv pfactor=1", 1, naming("unknown setting 'memory.pfactor'. Did you mean")),
        ("nschedv urm.run_limit=1", 1, worded("machine.shell.is-not-setting-of-memory")),
        (
            "nschedv size_mw=3",
            1,
            worded("machine.shell.cannot-change-while-machine-runs", fixed="memory.size_mw"),
        ),
    ],
)
def test_what_cannot_be_is_reported(line: str, status: int, message: Expected) -> None:
    assert says(refused(shell(), line, status), message)


def test_qdel_takes_out_and_kills() -> None:
    own = shell()
    removed = wording("machine.jobs.removed-from-queue-2", queue="nd").split()
    assert done(own, "qdel 41870").split() == ["41870", "sbert", "ccm", *removed]
    answer = done(own, "qdel -k 41872 --reason 'runs poorly'")
    assert answer.split() == ["41872", "sbert", "x", "killed"]
    row = own.session.machine.audit[-1]
    assert (row.who, row.why, row.action) == ("mel", "runs poorly", "kill job")
    answer = refused(own, "qdel -k 41871 41872")
    assert answer.startswith(
        "qdel: "
        + wording(
            "machine.jobs.has-ended-at",
            request="41872",
            label="sbert x",
            machine="14:00:00",
            how="",
            status="killed",
        )
    )
    assert done(own, "qdel 41871").split() == ["41871", "sbert", "klim", *removed]


def test_qmgr_acts_on_queues_and_jobs() -> None:
    own = shell()
    answer = done(own, "qmgr move 41871 1")
    assert answer == wording(
        "machine.jobs.is-at-place-of-queue", request="41871", label="sbert klim", place="1", name="nd"
    )
    answer = done(own, "qmgr hold 41870")
    assert answer == wording("machine.jobs.is-held", request="41870", label="sbert ccm")
    answer = done(own, "qmgr start nd --reason test")
    assert answer == wording("machine.jobs.queue-is-now", queue="nd", words="started")
    own.session.machine.advance_to(1)
    klim = {"request": "41871", "label": "sbert klim"}
    answer = done(own, "qmgr checkpoint 41871")
    assert says(answer, "machine.jobs.is-being-checkpointed-it-takes", **klim)
    assert "ckpt" in done(own, "qstat nd")
    own.session.machine.advance_to(2)
    answer = done(own, "qmgr restart 41871")
    assert says(answer, "machine.jobs.is-being-restarted-it-takes", **klim)
    answer = done(own, "qmgr release 41870")
    assert answer == wording("machine.jobs.is-released", request="41870", label="sbert ccm")


def test_ja_says_where_the_time_went() -> None:
    own = shell(job_of("ccm", cpu_s=40, tasks=4, system_fraction=0.1, mflops=100.0, setup_s=5))
    expected = "Efficiency -                     it has not started"
    assert expected in done(shell(), "ja 41870")
    own.session.machine.advance_to(4)
    expected = "Efficiency -                     while it prepares"
    assert expected in done(own, "ja 41870")
    own.session.machine.advance_to(20)
    lines = done(own, "ja 41870").split("\n")
    assert lines[0].split() == ["Job", "41870", "sbert", "ccm", "queue", "batch,", "ended", "at", "14:00:15"]
    assert lines[1].split() == ["CPU", "time", "0:40", "user", "0:36,", "system", "0:04"]
    assert lines[3].split() == ["Efficiency", "100.0", "%", "of", "4", "CPUs"]
    assert lines[4].split() == ["Mflop", "3600"]


def test_nschedv_shows_and_sets() -> None:
    own = Shell(Machine(night(memory=MemorySpec(size_mw=60))))
    expected = " pfactor_in 1000   pfactor_out 1000   tfactor_in 0"
    assert expected in done(own, "nschedv")
    own.session.machine.advance_to(1)
    answer = done(own, "nschedv -p 2000 -P 500 -T 0.5,3 -c 1.5 -o 10min lckswp=off")
    expected = " memory.tfactor_in_hs  1 -> 3"
    assert expected in answer
    next_delta(own)
    memory = own.session.machine.spec.memory
    assert memory == replace(
        MemorySpec(size_mw=60),
        pfactor_in=2000.0,
        pfactor_out=500.0,
        tfactor_in=0.5,
        tfactor_in_hs=3.0,
        cpu_factor=1.5,
        max_outage_s=600.0,
        lckswp=False,
    )
    assert says(done(shell(), "nschedv"), "machine.shell.memory-is-not-simulated-here")


def test_nschedv_takes_settings_by_the_names_that_it_shows() -> None:
    own = Shell(Machine(night(memory=MemorySpec(size_mw=60))))
    for word in ("pass 1 s", "min_residence 10 s", "swap_mw_per_s 2.5", "lckswp on"):
        assert f" {word} " in " ".join(done(own, "nschedv").split())
    expected = "memory.pass_s  1 s -> 5 s"
    assert expected in done(own, "nschedv pass=5s")
    expected = "memory.min_residence_s  10 s -> 20 s"
    answer = done(own, "nschedv min_residence='20 s'")
    assert expected in answer
    expected = "memory.sds_poll_s  10 s -> 60 s"
    assert expected in done(own, "nschedv sds_poll_s=60")


def test_machines_without_queues_say_so() -> None:
    for line in ("qstat", "qsub -q a -lT 5 x", "qdel 1", "qmgr stop a", "ja 1"):
        assert says(refused(shell_on(), line), "machine.shell.this-machine-does-not-have")


def test_what_is_shown_fits_80_columns() -> None:
    long = "x" * 200
    jobs = [job_of(long, "nd", 900000.0, person=long, memory_mw=10000.5, sds_mw=100000), job_of(long)]
    own = shell(*jobs, urm=UrmSpec(run_limit=1))  # type: ignore[arg-type]
    done(own, "qmgr checkpoint 41871")
    for line in ("qstat -a", "qstat -q", "qstat -r", "nschedv"):
        assert max(map(len, done(own, line).split("\n"))) <= 80
