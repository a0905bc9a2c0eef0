"""`qsub`: submission of a job from a command line."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.parts import part_of
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.options import Options, Parser, number, time_s, whole
from fsconsole.machine.shell.reply import Misused, Refused
from fsconsole.machine.shell.session import Session
from fsconsole.shares.scenario.actions import SubmitJob
from fsconsole.shares.scenario.fractions import fraction
from fsconsole.shares.scenario.job_spec import MAX_TASKS, JobSpec
from fsconsole.text.words import count_words

OURS = "our reconstruction: no manual page was found"
_WORDS = {"w": 2.0**-20, "kw": 2.0**-10, "mw": 1.0, "gw": 2.0**10}
_SIZE = re.compile(r"([0-9]+\.?[0-9]*) *([kmg]?w)?", re.IGNORECASE)


def batch_of(session: Session) -> Batch:
    """Return the queues of the session's machine.

    Raises:
        Refused: it has none.
    """
    batch = part_of(session.machine, Batch)
    if batch is None:
        raise Refused("this machine does not have batch queues: its scenario has no section queues")
    return batch


def _size_mw(field: str, typed: str) -> float:
    """Return MW of `27.3MW`, `27.3` or `512kw`."""
    match = _SIZE.fullmatch(typed)
    if match is None:
        msg = f"{field} must be a size such as 27.3MW, 512kW or 27.3 (MW), not {typed!r}"
        raise Refused(msg)
    return float(match[1]) * _WORDS[(match[2] or "mw").lower()]


_TIMES = {
    "cpu_s": "--cpu",
    "setup_s": "--setup",
    "cycle_s": "--cycle",
    "io_s": "--io",
    "aborts_at_s": "--abort",
}
_PARTS = {"serial_fraction": "--serial", "system_fraction": "--system", "shown_efficiency": "--shown"}


def qsub(session: Session, options: Options) -> str:
    """Submit a job to an NQS queue."""
    batch_of(session)
    if options.queue is None or options.limit is None:
        raise Misused("-q QUEUE and -lT TIME, the queue and the requested CPU time, are missing")
    spec = JobSpec(
        options.name,
        options.queue,
        time_s("-lT", options.limit),
        _person(session, options.user),
        tasks=whole("--tasks", options.tasks, 1, MAX_TASKS),
        take_chances=options.tmc,
    )
    more: dict[str, Any] = {"device": options.device}
    for field, name in _TIMES.items():
        if getattr(options, field) is not None:
            more[field] = time_s(name, getattr(options, field))
    for field, name in _PARTS.items():
        if getattr(options, field) is not None:
            more[field] = _part(name, getattr(options, field))
    for field, name in (("memory_mw", "-lM"), ("sds_mw", "-lQ")):
        if getattr(options, field) is not None:
            more[field] = _size_mw(name, getattr(options, field))
    done, cpus = session.act(SubmitJob(replace(spec, **more))).text, session.machine.spec.cpus
    if spec.tasks > cpus:
        done += f"\nIts {spec.tasks} tasks take turns, because the machine has {count_words(cpus, 'CPU')}."
    return done


def _person(session: Session, typed: str | None) -> str:
    """Return the submitter: the shell's own user, or a named person or user of the tree."""
    if typed is not None:
        return session.user_name(session.find_user(typed))
    return session.user_name(session.user) if session.user is not None else session.who


def _part(name: str, typed: str) -> float:
    """Return a fraction from a fraction or a percentage, as in files."""
    if not typed.rstrip().endswith("%"):
        return number(name, typed)
    try:
        return fraction(typed)
    except ValueError:
        msg = f"{name} must be a percentage such as 88% or a number from 0 to 1, not {typed!r}"
        raise Refused(msg) from None


def _qsub_options(parser: Parser) -> None:
    add = parser.add_argument
    add("-q", dest="queue", metavar="QUEUE", help="where it goes")
    add("-lT", dest="limit", metavar="TIME", help="requested CPU time over all tasks: 57600, 16h")
    add("-lM", dest="memory_mw", metavar="SIZE", help="memory: 27.3MW, 512kW")
    add("-lQ", dest="sds_mw", metavar="SIZE", help="SDS: 210MW")
    add("-u", dest="user", metavar="USER", help="who submits it")
    add("--tasks", metavar="N", default="1", help="processors used in parallel")
    add("--tmc", action="store_true", help="ND_TMC: take my chances")
    add("--cpu", dest="cpu_s", metavar="TIME", help="CPU time that it really needs")
    add("--setup", dest="setup_s", metavar="TIME", help="wall time before it computes")
    add(
        "--serial",
        dest="serial_fraction",
        metavar="PART",
        help="fraction of a cycle that one task runs alone",
    )
    add("--cycle", dest="cycle_s", metavar="TIME", help="wall time of a cycle")
    add("--io", dest="io_s", metavar="TIME", help="input and output per cycle")
    add("--device", metavar="NAME", help="device that serves its input and output")
    add("--system", dest="system_fraction", metavar="PART", help="system time as a fraction of its CPU time")
    add("--shown", dest="shown_efficiency", metavar="PART", help="efficiency from an earlier ja report")
    add("--abort", dest="aborts_at_s", metavar="TIME", help="CPU time at which it fails")
    add("name", metavar="NAME", help="name of the job")


QSUB = Command(
    "qsub",
    "-q QUEUE -lT TIME [-lM SIZE] [OPTION]... NAME",
    "Submit a job to a queue.",
    f"-q, -lT and -lM are NQS's; -lQ for SDS is {OURS}. Options with two dashes set the behaviour of a "
    "simulated job; they are ours.",
    qsub,
    _qsub_options,
    acts=True,
)
