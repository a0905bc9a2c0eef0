"""`nd`: operators' actions on near-dedicated scheduling, as commands of the machine's shell.

The paper names the actions (section 3.2.2: start and stop by hand, kill, extend, watch); the syntax is ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell.command import Command, no_options, no_words
from fsconsole.machine.shell.options import Options, Parser, whole
from fsconsole.machine.shell.reply import Misused, Refused
from fsconsole.machine.shell.session import Session
from fsconsole.neardedicated import shell_text
from fsconsole.neardedicated.plan import extend_effect
from fsconsole.neardedicated.report import TABLES, report_csv, report_text
from fsconsole.neardedicated.shell_arguments import is_job, is_unit, length_s, moment_s, request_of, there
from fsconsole.neardedicated.view import ExtendEffect, NightView
from fsconsole.neardedicated.view_of import night_view
from fsconsole.shares.scenario.actions import (
    Acknowledge,
    Action,
    CloseWindow,
    ExtendJob,
    HoldJob,
    KillJob,
    MoveJob,
    OpenWindow,
    OrderQueue,
    ReleaseJob,
    WriteNote,
)
from fsconsole.shares.scenario.nd_spec import ORDERS
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words

_MOST_PLACES = 10**6


def _night(session: Session) -> NightView:
    night = night_view(session.machine)
    if night is None:
        msg = "this machine does not have a near-dedicated window: its scenario has no section near_dedicated"
        raise Refused(msg)
    return night


def _act(session: Session, action: Action) -> str:
    return shell_text.wrapped(session.act(action).text)


# -- looking ------------------------------------------------------------------------------------------------


def status(session: Session, options: Options) -> str:
    """Return the whole status of the night as text or JSON."""
    if getattr(options, "json", False):
        return json.dumps(asdict(_night(session)), indent=1)
    return "\n".join(shell_text.status_lines(_night(session), session.machine.spec.start))


def report(session: Session, options: Options) -> str:
    """Return the performance report."""
    night, start = _night(session), session.machine.spec.start
    view = night.last_night if options.last else night.night
    if view is None:
        so_far = "no window has ended yet" if options.last else "there has been no window yet"
        msg = f"{so_far}, so there is no report"
        raise Refused(msg)
    if options.table and not options.csv:
        msg = "--table needs --csv"
        raise Refused(msg)
    text = report_csv(view, start, options.table or "jobs") if options.csv else report_text(view, start)
    return text.rstrip("\n")


def alerts(session: Session, _: Options) -> str:
    """Return the current alerts, one a line."""
    night, start = _night(session), session.machine.spec.start
    found = night.alerts
    lines = [f"{alert.level}: {shell_text.alert_words(alert, start, night.time_s)}" for alert in found]
    return shell_text.wrapped("\n".join(lines)) if lines else "no alert"


def queue(session: Session, _: Options) -> str:
    """Return the waiting jobs as a table."""
    return "\n".join(shell_text.queue_table(_night(session).queue))


# -- the window ---------------------------------------------------------------------------------------------


def start(session: Session, options: Options) -> str:
    """Open the near-dedicated window."""
    night = _night(session)
    if options.until is None:
        return _act(session, OpenWindow())
    until_s = moment_s(" ".join(options.until), night.time_s, session.machine.spec.start)
    return _act(session, OpenWindow(until_s))


def stop(session: Session, options: Options) -> str:
    """Close the near-dedicated window."""
    _night(session)
    return _act(session, CloseWindow(options.kill))


def stop_effect(session: Session, options: Options) -> str:
    """Return the effect of closing the window."""
    return shell_text.wrapped(shell_text.stop_words(_night(session), _clock_zero(session), kill=options.kill))


# -- the running job ----------------------------------------------------------------------------------------


def kill(session: Session, options: Options) -> str:
    """Kill a job; its request must be given."""
    return _act(session, KillJob(_to_kill(_night(session), options.job), options.hold_others))


def kill_effect(session: Session, options: Options) -> str:
    """Return the effect of killing the job."""
    night = _night(session)
    request = _to_kill(night, options.job)
    if night.job is None or night.job.request != request:
        return f"{request} does not run: it would leave the queue"
    job = night.job
    worked = count_words(round(job.cpu_s / 60), "CPU minute")
    return shell_text.wrapped(
        f"{request} {job.person} {job.name} would be killed; {worked} of work would be lost. "
        f"{night.kill_effect}"
    )


def _to_kill(night: NightView, job: str | None) -> int:
    if job is not None:
        return request_of(night, job)
    runs = "" if night.job is None else f"; {night.job.request} {night.job.person} {night.job.name} runs"
    msg = f"name the job to kill by its request number or name{runs}"
    raise Misused(msg)


def extend(session: Session, options: Options) -> str:
    """Move the deadline of the running job."""
    night = _night(session)
    request, by_s = _to_extend(night, options.words)
    effect = _effect_of(night, request, by_s)
    done = session.act(ExtendJob(request, by_s)).text
    lost = "" if effect is None else shell_text.lost_names(effect)
    return shell_text.wrapped(f"{done}: {lost}" if lost else done)


def extension_effect(session: Session, options: Options) -> str:
    """Return the effect of another deadline."""
    night = _night(session)
    request, by_s = _to_extend(night, options.words)
    effect = _effect_of(night, request, by_s)
    text = "it does not run"
    if effect is not None:
        text = shell_text.extend_words(effect, _clock_zero(session), night.time_s)
    return shell_text.wrapped(f"{request}: {text}")


def _effect_of(night: NightView, request: int, by_s: float) -> ExtendEffect | None:
    """Return the effect of an extension; None if the job does not run."""
    return extend_effect(night, by_s) if night.job is not None and night.job.request == request else None


def _to_extend(night: NightView, words: list[str]) -> tuple[int, float]:
    """Return (request, seconds) of `[REQ] BY`; by default of the running job."""
    if len(words) == 1 and is_job(night, words[0]):
        job = night.job
        is_it = job is not None and words[0] in (str(job.request), job.name)
        by_min = round(job.extension_s / 60) if job is not None and is_it else 0
        msg = f"BY is missing: write how much later, such as nd extend {words[0]} {by_min or 30}min"
        raise Misused(msg)
    if len(words) > 1 and not is_unit(words[1]):
        return request_of(night, words[0]), length_s(" ".join(words[1:]))
    by_s = length_s(" ".join(words))
    if night.job is None:
        raise Refused("no near-dedicated job runs")
    return night.job.request, by_s


# -- the queue ----------------------------------------------------------------------------------------------


def move(session: Session, options: Options) -> str:
    """Move a waiting job to another place."""
    request = request_of(_night(session), options.job)
    return _act(session, MoveJob(request, whole("PLACE", options.place, 1, _MOST_PLACES)))


def hold(session: Session, options: Options) -> str:
    """Hold a waiting job, so that it is not started."""
    return _act(session, HoldJob(request_of(_night(session), options.job)))


def release(session: Session, options: Options) -> str:
    """Release a held job, so that it can be started."""
    return _act(session, ReleaseJob(request_of(_night(session), options.job)))


def order(session: Session, options: Options) -> str:
    """Sort the queue by another site policy."""
    _night(session)
    if options.order not in ORDERS:
        msg = f"no order {options.order!r}{nearest_or_all(options.order, ORDERS)}"
        raise Refused(msg)
    return _act(session, OrderQueue(options.order))


# -- people -------------------------------------------------------------------------------------------------


def ack(session: Session, options: Options) -> str:
    """Acknowledge an alert of the night."""
    known = [alert.key for alert in _night(session).alerts]
    if options.key not in known and known:
        msg = f"no alert {options.key!r}{nearest_or_all(options.key, known)}"
        raise Refused(msg)
    return _act(session, Acknowledge(options.key))


def note(session: Session, options: Options) -> str:
    """Show, write or clear the note for the next operator."""
    night = _night(session)
    if options.clear and options.text:
        raise Misused("--clear does not take TEXT")
    if options.clear or options.text:
        return _act(session, WriteNote(" ".join(options.text)))
    return shell_text.wrapped("\n".join(shell_text.note_lines(night, _clock_zero(session)))) or "no note"


def _clock_zero(session: Session) -> datetime:
    return session.machine.spec.start


def _requests(machine: Machine) -> Iterable[str]:
    night = night_view(machine)
    return [] if night is None else [str(request) for request in there(night)]


def _keys(machine: Machine) -> Iterable[str]:
    night = night_view(machine)
    return [] if night is None else [alert.key for alert in night.alerts]


def _orders(_: Machine) -> Iterable[str]:
    return ORDERS


# -- options ------------------------------------------------------------------------------------------------


def _status_options(parser: Parser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="one JSON object, times in s since the machine's 0"
    )


def _start_options(parser: Parser) -> None:
    parser.add_argument(
        "--until", nargs="+", metavar="TIME", help="such as 07:30 or +2h. Default: the scheduled end"
    )


def _stop_options(parser: Parser) -> None:
    parser.add_argument("--kill", action="store_true", help="kill the running job as well")


def _kill_options(parser: Parser) -> None:
    parser.add_argument("job", nargs="?", metavar="REQ", help="request number or name of the job")
    parser.add_argument("--hold-others", action="store_true", help="also hold the other jobs of the user")


def _extend_options(parser: Parser) -> None:
    parser.take_negative()
    parser.add_argument("words", nargs="+", metavar="BY", help="such as 30min, 2h or -10min")


def _report_options(parser: Parser) -> None:
    parser.add_argument("--csv", action="store_true", help="one table as CSV")
    parser.add_argument("--table", choices=TABLES, help="with --csv: ended jobs (default) or system use")
    parser.add_argument("--last", action="store_true", help="of the last finished night")


def _job_options(parser: Parser) -> None:
    parser.add_argument("job", metavar="REQ", help="request number or name of the job")


def _move_options(parser: Parser) -> None:
    parser.add_argument("job", metavar="REQ", help="request number or name of the job")
    parser.add_argument("place", metavar="PLACE", help="counted from 1")


def _order_options(parser: Parser) -> None:
    parser.add_argument("order", metavar="NAME", help=", ".join(ORDERS))


def _ack_options(parser: Parser) -> None:
    parser.add_argument("key", metavar="KEY", help="key from nd alerts, such as efficiency:41877")


def _note_options(parser: Parser) -> None:
    parser.add_argument("text", nargs="*", metavar="TEXT", help="replaces the last note")
    parser.add_argument("--clear", action="store_true", help="leave no note")


_PAPER = "Described in Brady, Ciuffini, Hardy, Near-Dedicated Scheduling, section 3.2.2; the syntax is ours."
_OURS = "Ours."
_TIMES = "TIME is a time of day such as 07:30 (the next one), +2h from now, or counted from the machine's 0."


def _one(
    name: str,
    usage: str,
    about: str,
    do: Callable[[Session, Options], str],
    options: Callable[[Parser], None] = no_options,
    source: str = _PAPER,
    words: Callable[[Machine], Iterable[str]] = no_words,
    effect: Callable[[Session, Options], str] | None = None,
) -> Command:
    acts = do not in _LOOKS
    return Command(f"nd {name}", usage, about, source, do, options, words=words, acts=acts, effect=effect)


_LOOKS = (status, report, alerts)


_QUEUE = Command(
    "nd queue",
    "[move | hold | release | order] ...",
    "Show waiting jobs and whether they fit; change their order.",
    _OURS,
    queue,
    below=(
        _one("queue move", "REQ PLACE", "Move a job.", move, _move_options, _OURS, _requests),
        _one("queue hold", "REQ", "Hold a job, so that it does not start.", hold, _job_options, _OURS,
             _requests),
        _one("queue release", "REQ", "Release a held job.", release, _job_options, _OURS, _requests),
        _one("queue order", "NAME", "Choose the site policy.", order, _order_options, _OURS, _orders),
    ),
)  # fmt: skip

COMMANDS = (
    Command(
        "nd",
        "[COMMAND] ...",
        "Near-dedicated scheduling: show it, or act on window, job and queue. Default: nd status.",
        _PAPER,
        status,
        below=(
            _one("status", "[--json]", "Show window, control, job, queue, memory, alerts, note.", status,
                 _status_options),
            _one("start", "[--until TIME]", "Open the window.", start, _start_options,
                 f"{_PAPER}\n{_TIMES}"),
            _one("stop", "[--kill]", "Close the window; the running job continues.", stop,
                 _stop_options, effect=stop_effect),
            _one("kill", "REQ [--hold-others]", "Kill a job, which must be named.", kill,
                 _kill_options, words=_requests, effect=kill_effect),
            _one("extend", "[REQ] BY", "Move the watchdog's kill time of the job later or earlier.",
                 extend, _extend_options, words=_requests, effect=extension_effect),
            _QUEUE,
            _one("report", "[--csv [--table NAME]] [--last]", "Print the performance report of the night.",
                 report, _report_options),
            _one("alerts", "", "Show what needs an operator's attention.", alerts, source=_OURS),
            _one("ack", "KEY", "Acknowledge an alert.", ack, _ack_options, _OURS, _keys),
            _one("note", "[TEXT... | --clear]", "Show or write the note for the next operator.", note,
                 _note_options, _OURS),
        ),
    ),
)  # fmt: skip
