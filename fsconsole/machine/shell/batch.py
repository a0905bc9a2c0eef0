"""`qstat`, `qsub`, `qdel`, `qmgr`, `ja` and `nschedv`: batch jobs, queues and the memory scheduler."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.jobs.job import Job
from fsconsole.machine.jobs.job_messages import clock, ended_text, job_of
from fsconsole.machine.shell import text
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.options import Options, Parser, number, time_s, whole
from fsconsole.machine.shell.parameters import change_settings
from fsconsole.machine.shell.reply import Misused, Refused
from fsconsole.machine.shell.session import Session
from fsconsole.machine.shell.submit import OURS, QSUB, batch_of
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    HoldJob,
    KillJob,
    MoveJob,
    ReleaseJob,
    RestartJob,
    RunJob,
    SetQueue,
)
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.settings import parse_setting
from fsconsole.shares.scenario.spec import PARTS
from fsconsole.text.durations import short_duration as span
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words

_ENDED_ROWS = 20
_JOB_HEADER = ("request", "user", "name", "#", "state", "CPU", "of", "MW", "SDS")
_SHORT = {
    "setup": "setup",
    "io": "I/O",
    "checkpointing": "ckpt out",
    "checkpointed": "ckpt",
    "restarting": "ckpt in",
}


def _request(word: str) -> int:
    return whole("REQUEST", word, 1, 10**9)


# -- qstat ----------------------------------------------------------------------------------------------


def qstat(session: Session, options: Options) -> str:
    """Show running and waiting jobs queue by queue, or the queues, or URM's ranking."""
    batch = batch_of(session)
    if options.queue is not None and options.queue not in batch.queues:
        msg = f"no queue {options.queue!r}{nearest_or_all(options.queue, batch.queues)}"
        raise Refused(msg)
    if options.queues:
        return "\n".join(_queue_lines(batch))
    if options.ranking:
        return "\n".join(_ranking_lines(batch))
    if options.why:
        return "\n".join(_why_lines(batch, options.queue))
    over = [*batch.finished][-_ENDED_ROWS:] if options.all else []
    names = [name for name in batch.queues if options.queue in (None, name)]
    jobs = [_jobs_of(batch, name, over) for name in names]
    rows = [_job_row(batch, job) for own in jobs for job in own]
    lines = text.table(_JOB_HEADER, rows, "user name state")
    shown, below = [lines[0]], iter(lines[1:])
    for name, own in zip(names, jobs, strict=True):
        shown += [f"{text.clipped(name, 24)}: {_of_queue(batch, name)}", *(next(below) for _ in own)]
    return "\n".join(shown)


def _jobs_of(batch: Batch, name: str, over: list[Job]) -> list[Job]:
    own = [job for job in (*batch.running(), *over) if job.spec.queue == name]
    own.sort(key=lambda job: job.state == "ended")
    return [*own, *batch.waiting(name)]


def _of_queue(batch: Batch, name: str) -> str:
    queue = batch.queues[name]
    running = sum(job.spec.queue == name for job in batch.running())
    state = "started" if queue.started else "stopped"
    return f"{state}, {running} of {queue.spec.run_limit} run, {len(queue.order)} wait"


def _job_row(batch: Batch, job: Job) -> list[str]:
    order = batch.queues[job.spec.queue].order
    state = job.how.split()[0] if job.how else _SHORT.get(job.state, job.state)
    if job.state == "running":
        state = _SHORT.get(job.phase, "running")
    return [
        str(job.request),
        text.clipped(job.spec.person, 8),
        text.clipped(job.spec.name, 10),
        str(order.index(job.request) + 1) if job.waits else "",
        state,
        span(batch.ja(job.request).cpu_s),
        span(job.spec.requested_cpu_s),
        *(f"{size:.4g}" for size in (job.spec.memory_mw, job.spec.sds_mw)),
    ]


def _ranking_lines(batch: Batch) -> list[str]:
    rows = []
    for item in batch.ranked():
        job = batch.jobs[item.request]
        names = [text.clipped(word, 12) for word in (job.spec.person, job.spec.name, job.spec.queue)]
        terms = (item.score, item.age, item.usage, item.service, item.size)
        rows.append([str(item.request), *names, *(f"{term:.3f}" for term in terms)])
    header = ("request", "user", "name", "queue", "score", "age", "usage", "service", "size")
    return text.table(header, rows, "user name queue") if rows else ["no jobs wait in a started queue"]


def _why_lines(batch: Batch, only: str | None) -> list[str]:
    jobs = [job for name in batch.queues if only in (None, name) for job in batch.waiting(name)]
    rows = [
        [
            str(job.request),
            *(text.clipped(word, 10) for word in (job.spec.person, job.spec.name, job.spec.queue)),
            text.clipped(batch.why_waits(job), 38),
        ]
        for job in jobs
    ]
    header = ("request", "user", "name", "queue", "reason")
    return text.table(header, rows, "user name queue why it waits") if rows else ["no job waits"]


def _queue_lines(batch: Batch) -> list[str]:
    rows = []
    for name, queue in batch.queues.items():
        spec = queue.spec
        running = sum(job.spec.queue == name for job in batch.running())
        most = (spec.most_memory_mw, spec.most_sds_mw)
        rows.append(
            [
                text.clipped(name, 16),
                "started" if queue.started else "stopped",
                str(running),
                str(spec.run_limit),
                "" if spec.user_limit is None else str(spec.user_limit),
                str(len(queue.order)),
                str(spec.priority),
                "" if spec.most_cpu_s is None else text.length(spec.most_cpu_s),
                *("" if size is None else f"{size:g}" for size in most),
            ]
        )
    header = ("queue", "state", "run", "limit", "user", "wait", "priority", "CPU", "memory", "SDS")
    return text.table(header, rows, "queue state")


# -- qdel, qmgr -----------------------------------------------------------------------------------------


def qdel(session: Session, options: Options) -> str:
    """Remove a job from its queue, or kill it."""
    batch = batch_of(session)
    requests = [_request(word) for word in options.request]
    for request in requests:
        job = job_of(batch.jobs, request)
        if job.state == "ended":
            raise Refused(ended_text(session.machine, job))
        if not options.kill and not job.waits:
            msg = f"{request} {job.label} is {job.state}. Use qdel -k {request} to kill it"
            raise Refused(msg)
    actions = [KillJob(request, options.hold_others) for request in dict.fromkeys(requests)]
    return "\n".join(session.act(action).text for action in actions)


_ON_JOBS: dict[str, Callable[[int], Any]] = {
    "hold": HoldJob,
    "release": ReleaseJob,
    "run": RunJob,
    "checkpoint": CheckpointJob,
    "restart": RestartJob,
}


def qmgr(session: Session, options: Options) -> str:
    """Start and stop queues; hold, release, move, run, checkpoint and restart jobs."""
    batch_of(session)
    what, on, place = options.what, options.on, options.place
    if (place is None) == (what == "move"):
        raise Misused("only move takes a place, and it needs one: qmgr move REQUEST PLACE")
    if what in ("start", "stop"):
        return session.act(SetQueue(on, what == "start")).text
    if what == "move":
        return session.act(MoveJob(_request(on), whole("PLACE", place, 1, 10**6))).text
    if what not in _ON_JOBS:
        msg = f"unknown word {what!r}{nearest_or_all(what, ('start', 'stop', 'move', *_ON_JOBS))}"
        raise Misused(msg)
    return session.act(_ON_JOBS[what](_request(on))).text


# -- ja, nschedv ----------------------------------------------------------------------------------------


def ja(session: Session, options: Options) -> str:
    """Show the use of a job and its waits."""
    batch, request = batch_of(session), _request(options.request)
    account, job = batch.ja(request), batch.jobs[request]
    efficiency, of_tasks = text.UNKNOWN, "it has not started" if job.waits else "while it prepares"
    if account.efficiency is not None:
        efficiency = text.percent(account.efficiency, unit=True)
        of_tasks = (
            f"of {count_words(job.processors or job.spec.processors(session.machine.spec.cpus), 'CPU')}"
        )
    rows = [
        ("Job", f"{request} {job.label}", f"queue {job.spec.queue}, {_state(session, job)}"),
        (
            "CPU time",
            span(account.cpu_s),
            f"user {span(account.user_s)}, system {span(account.system_s)}",
        ),
        ("Wall time", span(account.wall_s), f"setup {span(account.setup_s)}"),
        ("Efficiency", efficiency, of_tasks),
        ("Mflop", f"{account.mflop:.0f}", ""),
        ("Memory", f"{account.memory_mw:.1f} MW", f"at most {account.most_memory_mw:.1f} MW"),
        ("SDS", f"{account.sds_mw:.1f} MW", f"at most {account.most_sds_mw:.1f} MW"),
        (
            "Swaps",
            str(account.swaps),
            f"waited {span(account.swap_s)}, for SDS {span(account.sds_wait_s)}",
        ),
        ("Computing", span(account.computing_s), "wall time of its phases, undisturbed"),
        (
            "I/O",
            span(account.io_s),
            f"suspended for checkpoints {span(account.stopped_s)}",
        ),
        ("Run-wait", span(account.run_wait_s), "remaining wall time"),
    ]
    return "\n".join(f"{name:<11}{value:<22}{more}".rstrip() for name, value, more in rows)


def _state(session: Session, job: Job) -> str:
    if job.ended_tick is not None:
        return f"{job.how} at {clock(session.machine, job.ended_tick)}"
    return f"held: {job.why_held}" if job.why_held else job.state


def nschedv(session: Session, options: Options) -> str:
    """Set parameters of the memory scheduler, or show them."""
    letters = {"pfactor_in": "-p", "pfactor_out": "-P", "cpu_factor": "-c"}
    wanted: dict[str, Any] = {}
    for name, letter in letters.items():
        if getattr(options, name) is not None:
            wanted[f"memory.{name}"] = number(letter, getattr(options, name))
    if options.max_outage is not None:
        wanted["memory.max_outage_s"] = time_s("-o", options.max_outage)
    if options.tfactor_in is not None:
        wanted |= _tfactors(options.tfactor_in)
    for word in options.setting:
        key, value = parse_setting(_of_memory(word))
        if not key.startswith("memory."):
            msg = f"{key} is not a setting of the memory scheduler; shradm sets it"
            raise Refused(msg)
        wanted[key] = value
    if wanted:
        return change_settings(session, wanted)
    memory = session.machine.spec.memory
    there = [] if memory.size_mw else [" memory is not simulated here (memory.size_mw 0)"]
    names = PARTS["memory"].__dataclass_fields__
    words = [
        f"{name.removesuffix('_s') if is_time(name) else name} {_shown(name, getattr(memory, name))}"
        for name in names
    ]
    return "\n".join(there + text.paragraph(words))


def _of_memory(word: str) -> str:
    """Return the key of a memory setting; `pass`, as shown, means pass_s."""
    name, equals, value = word.partition("=")
    if "." in name:
        return word
    times = {
        field.removesuffix("_s"): field for field in PARTS["memory"].__dataclass_fields__ if is_time(field)
    }
    return f"memory.{times.get(name.strip(), name)}{equals}{value}"


def _shown(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if is_time(name):
        return text.length(value)
    return value if isinstance(value, str) else f"{value:g}"


def _tfactors(typed: str) -> dict[str, float]:
    """Return the settings of `IN` or `IN,HS`; HS is for hard sleepers (Brady et al. 3.1.3)."""
    parts = typed.split(",")
    if len(parts) > 2:
        msg = f"-T must be one number or two (IN,HS), such as 0,1, not {typed!r}"
        raise Refused(msg)
    names = ("memory.tfactor_in", "memory.tfactor_in_hs")
    return {name: number("-T", part) for name, part in zip(names, parts, strict=False)}


# -- options --------------------------------------------------------------------------------------------


def _qstat_options(parser: Parser) -> None:
    parser.add_argument("queue", metavar="QUEUE", nargs="?", help="jobs of one queue")
    parser.add_argument("-a", dest="all", action="store_true", help="also the last ended jobs")
    parser.add_argument("-r", dest="ranking", action="store_true", help="URM's ranking and its terms")
    parser.add_argument("-w", dest="why", action="store_true", help="why jobs wait")
    parser.add_argument("-q", dest="queues", action="store_true", help="the queues and their limits")


def _qdel_options(parser: Parser) -> None:
    parser.add_argument("request", metavar="REQUEST", nargs="+", help="numbers from qstat")
    parser.add_argument("-k", dest="kill", action="store_true", help="kill it if it runs")
    parser.add_argument(
        "--hold-others", action="store_true", help="also hold the other jobs of the user in the queue"
    )


def _qmgr_options(parser: Parser) -> None:
    parser.add_argument("what", metavar="WORD", help="start, stop, hold, release, move, run, ...")
    parser.add_argument("on", metavar="QUEUE|REQUEST", help="on what")
    parser.add_argument("place", metavar="PLACE", nargs="?", help="for move, counted from 1")


def _ja_options(parser: Parser) -> None:
    parser.add_argument("request", metavar="REQUEST", help="the number from qstat")


def _nschedv_options(parser: Parser) -> None:
    add = parser.add_argument
    add("-p", dest="pfactor_in", metavar="N", help="pfactor_in: weight of shares for images in memory")
    add("-P", dest="pfactor_out", metavar="N", help="pfactor_out: weight of shares for images outside memory")
    add("-T", dest="tfactor_in", metavar="IN[,HS]", help="tfactor_in, and tfactor_in_hs for hard sleepers")
    add("-c", dest="cpu_factor", metavar="N", help="cpu_factor")
    add("-o", dest="max_outage", metavar="TIME", help="max_outage")
    add(
        "setting",
        metavar="KEY=VALUE",
        nargs=argparse.ZERO_OR_MORE,
        help="another setting, such as lckswp=off",
    )


COMMANDS = (
    Command(
        "qstat",
        "[-a] [-q | -r | -w] [QUEUE]",
        "Show jobs and why they wait, the queues, or URM's ranking.",
        f"Named in NQS; its options and the layout are {OURS}. # is the place in the queue. CPU time "
        "is the time used and requested. Sizes are in MW.",
        qstat,
        _qstat_options,
    ),
    QSUB,
    Command(
        "qdel",
        "[-k] [--hold-others] REQUEST...",
        "Remove jobs from their queue; with -k kill running jobs.",
        "As in NQS; --hold-others, --dry-run and --reason are ours.",
        qdel,
        _qdel_options,
        acts=True,
    ),
    Command(
        "qmgr",
        "WORD QUEUE|REQUEST [PLACE]",
        "Start or stop a queue; hold, move, run or checkpoint a job.",
        f"Words: start, stop QUEUE; move REQUEST PLACE; hold, release, run, checkpoint, restart REQUEST. "
        f"Named in NQS; its words in this form are {OURS}.\n"
        "  qmgr stop batch; qmgr hold 41871; qmgr move 41873 1",
        qmgr,
        _qmgr_options,
        acts=True,
    ),
    Command(
        "ja",
        "REQUEST",
        "Show the resources that a job has used and its waits.",
        f"Named in Brady et al. section 3.2. The command for requests and its layout are {OURS}.",
        ja,
        _ja_options,
    ),
    Command(
        "nschedv",
        "[-p N] [-P N] [-T IN[,HS]] [-c N] [-o TIME] [KEY=VALUE]...",
        "Set or show the memory scheduler's parameters.",
        "-p, -P and -T with its second value are from Brady et al. section 3.1.3; -c, -o and "
        f"KEY=VALUE are {OURS}.",
        nschedv,
        _nschedv_options,
        acts=True,
    ),
)
