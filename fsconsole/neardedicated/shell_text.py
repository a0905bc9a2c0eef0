"""The texts of the night in the machine's shell, at most 80 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from datetime import datetime

from fsconsole.machine.shell import text
from fsconsole.neardedicated.job_view import end_words
from fsconsole.neardedicated.times import clock, moment
from fsconsole.neardedicated.view import Alert, ExtendEffect, Held, JobCard, NightView, QueueRow, Window
from fsconsole.text.durations import duration, hours_minutes, length_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed, plural

_LABEL = 12
_MOST_NAMED = 4
_LONGEST_NOTE = 4000


def status_lines(night: NightView, start: datetime) -> list[str]:
    """Return the whole status, one paragraph for each subject."""
    subjects: list[tuple[str, Sequence[str]]] = [
        ("Time", [f"{moment(start, night.time_s):%H:%M:%S, %A %d %B %Y}"]),
        ("Window", [window_words(night.window, night.time_s, start)]),
        ("State", _state(night, start)),
        ("Job", ["none runs"] if night.job is None else _job(night, night.job, start)),
        ("Queue", [_queue_words(night, start)]),
        ("Memory", [_held(night.memory, night.memory_mw)]),
        ("SDS", [_held(night.sds, night.sds_mw), *_apart(night)]),
        ("Alerts", [alert_words(alert, start, night.time_s) for alert in night.alerts] or ["none"]),
        ("Note", note_lines(night, start) or ["none"]),
    ]
    return [line for name, lines in subjects for line in _paragraph(name, lines)]


def window_words(window: Window, now_s: float, start: datetime) -> str:
    """Return the hours of the window, and its remaining time."""
    if window.start_s is None or window.end_s is None:
        return "closed, and none is scheduled"
    when = f"{clock(start, window.start_s, now_s)} to {clock(start, window.end_s, now_s)}"
    hand = ", set by hand" if window.by_hand else ""
    if not window.is_open:
        return f"closed. The next is {when}{hand}, in {length_words(window.start_s - now_s)}"
    if window.closing:
        return f"stopped. It was {when}, and its last job still runs"
    left_s = window.end_s - now_s
    left = f"{length_words(left_s)} left" if left_s >= 0 else "past its end, but its last job still runs"
    return f"open {when}{hand}, {left}"


def queue_table(rows: Iterable[QueueRow]) -> list[str]:
    """Return the waiting jobs in their order as a table."""
    header = ("#", "req", "user", "job", "CPU", "est", "eff %", "fit", "why")
    cells = [
        (
            str(row.place),
            str(row.request),
            text.clipped(row.person, 8),
            text.clipped(row.name, 12),
            hours_minutes(row.requested_cpu_s),
            hours_minutes(row.estimate_s),
            text.percent(row.shown_efficiency),
            row.fit.value,
            row.why,
        )
        for row in rows
    ]
    return text.table(header, cells, "user job fit why") if cells else ["the queue is empty"]


def alert_words(alert: Alert, start: datetime, now_s: float) -> str:
    """Return an alert's subject, start, acknowledgement and key."""
    seen = f"seen by {alert.acknowledged_by}" if alert.acknowledged_by else "not acknowledged"
    return f"{alert.text} (since {clock(start, alert.since_s, now_s)}; {seen}; {alert.key})"


def note_lines(night: NightView, start: datetime) -> list[str]:
    """Return author, time and text of the last operator's note; empty without one."""
    if not night.note:
        return []
    when = "" if night.note_s is None else f" at {clock(start, night.note_s, night.time_s)}"
    lines = (text.clipped(line, _LONGEST_NOTE) for line in night.note.split("\n"))
    return [f"{night.note_by or 'somebody'}{when}:", *lines]


def extend_words(effect: ExtendEffect, start: datetime, now_s: float) -> str:
    """Return the effect of an extension in words."""
    if effect.problem:
        return effect.problem
    words = f"the watchdog kills at {clock(start, effect.watchdog_s, now_s)}"
    if effect.needs_until_s is not None:
        words += f", not enough: it needs until about {clock(start, effect.needs_until_s, now_s)}"
    if effect.window_end_s is not None:
        words += f"; the window ends {clock(start, effect.window_end_s, now_s)}"
        words += f", {length_words(effect.past_end_s)} before that" if effect.past_end_s else ""
    lost = lost_names(effect)
    return f"{words}. No longer fit: {lost}" if lost else words


def stop_words(night: NightView, start: datetime, *, kill: bool) -> str:
    """Return the effect of closing the window in words."""
    if not night.window.is_open:
        return "the window is already closed"
    if night.job is None:
        return "the window would close. No job runs"
    who = f"{night.job.request} {night.job.person} {night.job.name}"
    if kill:
        worked = count_words(round(night.job.cpu_s / 60), "CPU minute")
        return f"the window would close and {who} would be killed. {worked} of work would be lost"
    at = clock(start, night.job.watchdog_s, night.time_s)
    return f"no more jobs would start. {who} would continue until its watchdog kills it at {at} at the latest"


def lost_names(effect: ExtendEffect) -> str:
    """Return the names of the jobs that will no longer fit; empty if all do."""
    lost = [f"{text.clipped(row.person, 20)} {text.clipped(row.name, 30)}" for row in effect.no_longer_fit]
    return listed(lost, _MOST_NAMED)


def wrapped(words: str) -> str:
    """Return a text in lines of the shell's width."""
    return "\n".join(textwrap.fill(line, text.WIDTH) for line in words.split("\n"))


def _state(night: NightView, start: datetime) -> list[str]:
    preempting = "on" if night.preempting else "off"
    since = f"{night.phase.value} since {clock(start, night.since_s, night.time_s)}"
    since += f", preemptive scheduling {preempting}"
    return [since, night.leaves_by] if night.leaves_by else [since]


def _job(night: NightView, job: JobCard, start: datetime) -> list[str]:
    who = f"{job.request} {text.clipped(job.person, 20)} {text.clipped(job.name, 30)}"
    place = f"{job.tasks} CPUs, queue {job.queue}, l-node {job.node}"
    worked = f"CPU {duration(job.cpu_s)} of {duration(job.requested_cpu_s)}"
    lines = [
        f"{who}, {job.state.lower()}; {place}",
        _job_times(job, start, night.time_s),
        _job_efficiency(night, job, start),
        f"{worked}, {thousands(job.mflops)} Mflop/s, setup {duration(job.setup_s)}",
        _job_memory(job),
    ]
    return [*lines, f"waits for {job.waiting_for}"] if job.waiting_for else lines


def _job_times(job: JobCard, start: datetime, now_s: float) -> str:
    so_far = f"started {clock(start, job.started_s, now_s)}, {duration(job.elapsed_s)} of "
    so_far += f"{duration(job.estimate_s)} estimated"
    ends = end_words(job, lambda time_s: clock(start, time_s, now_s))
    kills = "" if job.short_s or job.is_stuck else f"watchdog kills at {clock(start, job.watchdog_s, now_s)}"
    return f"{so_far}; {', '.join(filter(None, (kills, ends)))}"


def _job_efficiency(night: NightView, job: JobCard, start: datetime) -> str:
    below = (
        "" if job.below_since_s is None else f", BELOW since {clock(start, job.below_since_s, night.time_s)}"
    )
    fractions = (job.efficiency, job.mean_efficiency, night.required_efficiency)
    lately, mean, required = (text.percent(one, unit=True) for one in fractions)
    return f"efficiency {lately} lately, {mean} so far. Required: {required}{below}"


def _job_memory(job: JobCard) -> str:
    memory = f"memory {job.memory_mw:.1f} of {job.wanted_memory_mw:.1f} MW"
    swaps = f"{count_words(job.swaps, 'swap')} ({job.swap_s:.0f} s)"
    sds = f"SDS {job.sds_mw:.1f} of {job.wanted_sds_mw:.1f} MW (waited {job.sds_wait_s:.0f} s)"
    return f"{memory}, {swaps}; {sds}"


def _queue_words(night: NightView, start: datetime) -> str:
    order = f"order {night.order}"
    if night.by_hand_until_s is not None:
        order = f"by hand until {clock(start, night.by_hand_until_s, night.time_s)}, then by {night.order}"
    elif night.next_reorder_s is not None:
        order += f", next sorted at {clock(start, night.next_reorder_s, night.time_s)}"
    return f"{count_words(len(night.queue), 'job')}; {order}"


def _held(parts: Iterable[Held], size_mw: float) -> str:
    if not size_mw:
        return "not limited"
    parts = list(parts)
    who = ", ".join(f"{part.who} {part.mw:.1f}" for part in parts)
    total = f"{sum(part.mw for part in parts):.1f} of {size_mw:.1f} MW"
    return f"{total}: {who}" if who else total


def _apart(night: NightView) -> list[str]:
    if not night.suspended and not night.swapped_out:
        return []
    suspended = plural(
        night.suspended, "1 process is suspended because SDS was taken away",
        f"{thousands(night.suspended)} processes are suspended because SDS was taken away",
    )  # fmt: skip
    suspended += f" ({night.suspended_mw:.1f} MW)" if night.suspended else ""
    return [f"{suspended}, {count_words(night.swapped_out, 'image')} swapped out"]


def _paragraph(name: str, texts: Sequence[str]) -> list[str]:
    lines = [
        part for line in texts for part in textwrap.wrap(line, text.WIDTH - _LABEL, break_on_hyphens=False)
    ]
    return [f"{name if not at else '':<{_LABEL}}{line}".rstrip() for at, line in enumerate(lines)]
