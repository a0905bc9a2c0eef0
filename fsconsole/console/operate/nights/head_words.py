"""What the headers of the docks say. No Qt."""

from __future__ import annotations

from fsconsole.console.operate.nights.words import Times, counted, length
from fsconsole.figures.style import numbers
from fsconsole.neardedicated.view import NightView, Phase

EMPTY = (
    "Operate is for near-dedicated nights: one big job at a time gets the machine, the others fill the rest. "
    "This scenario has no near-dedicated section."
)


def window_words(night: NightView | None, times: Times, *, is_armed: bool) -> str:
    """The window: when, how long, how long yet."""
    if night is None:
        return ""
    window = night.window
    if window.start_s is None or window.end_s is None:
        return "none is planned"
    said = [times.date(window.start_s), f"{length(window.end_s - window.start_s)} long"]
    if window.is_open:
        said.append(f"{length(max(window.end_s - night.time_s, 0.0))} left")
    elif window.start_s > night.time_s:
        said.append(f"starts in {length(window.start_s - night.time_s)}")
    said += ["closing"] if window.closing else []
    said += ["moved by hand"] if window.by_hand else []
    hint = "      Drag the end mark, or press arrow keys, to change it"
    return ", ".join(said) + (hint if is_armed and not window.closing else "")


def control_words(night: NightView | None, times: Times) -> str:
    """Since when it has been so, and how long the watchdog waits yet."""
    if night is None:
        return ""
    since = f"since {times.short(night.since_s)}"
    if night.job is not None and night.phase is not Phase.IDLE:
        if night.job.is_over:
            return f"{since}, job killed"
        left_s = max(night.job.watchdog_s - night.time_s, 0.0)
        return f"{since}, watchdog in {numbers.duration(left_s)}"
    return f"{since}, {counted(len(night.queue), 'job waits', 'jobs wait')}"


def use_title(interval_s: float | None) -> str:
    """`System use per 5 min`."""
    if interval_s is None or interval_s < 1:
        return "System use"
    minutes = interval_s / 60
    return f"System use per {minutes:g} min" if minutes >= 1 else f"System use per {interval_s:g} s"
