"""The night of the design's picture: 19 February 1996, 23:45:10, 22:50:00 being 0 s."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from fsconsole.app.nights.times import Times
from fsconsole.neardedicated.view import (
    Alert,
    Efficiency,
    Fit,
    Held,
    JobCard,
    JobRow,
    NightView,
    Phase,
    PlanBar,
    QueueRow,
    ReportView,
    UseRow,
    Window,
)
from fsconsole.recording.audit import AuditRow, Result

HZ = 60
TIMES = Times(datetime(1996, 2, 19, 22, 50, tzinfo=UTC).replace(tzinfo=None))
NOW, START, END = 3310.0, 600.0, 31200.0
WATCHDOG, EXPECTED = 15000.0, 8580.0
H = 3600.0

_HISTORY = ((1200, 0.536), (1500, 0.902), (1800, 0.898), (2100, 0.897), (2400, 0.908), (2700, 0.907))
_USER = (0.92, 0.83, 0.96, 0.96, 0.97, 0.96, 0.97, 0.96, 0.96)


def job() -> JobCard:
    history = (*_HISTORY, (3000, 0.883), (3300, 0.897))
    return JobCard(
        request=41877, person="sbert", name="ccm-0219a", queue="nd_8", node="PRI_ND", tasks=8,
        started_s=START, elapsed_s=2710.0, setup_s=412.0, estimate_s=4 * H, watchdog_s=WATCHDOG,
        expected_end_s=EXPECTED, efficiency=0.897, mean_efficiency=0.899, below_since_s=None,
        cpu_s=16491.0, requested_cpu_s=16 * H, memory_mw=27.3, sds_mw=210.0, wanted_memory_mw=27.3,
        wanted_sds_mw=210.0, swaps=1, swap_s=29.0, sds_wait_s=47.0, mflops=1255.0,
        history=tuple(Efficiency(float(at), value) for at, value in history),
    )  # fmt: skip


def queue() -> tuple[QueueRow, ...]:
    rows = (
        ("sbert", "ccm-0219b", 16.0, 4.0, 0.899, Fit.FITS, "30 min to spare", 0.5),
        ("sbert", "ccm-0219c", 16.0, 4.0, 0.899, Fit.FITS, "if job 1 ends early", 0.5),
        ("ramos", "coupled-lr", 25.0, 6.25, 0.914, Fit.TOO_LONG, "1 h 45 min too long", -1.75),
        ("klim", "gyre-08", 6.0, 1.5, 0.886, Fit.FITS, "3 h to spare", 3.0),
        ("ota", "reanal-2", 21.0 + 1 / 3, 5.0 + 1 / 3, 0.902, Fit.TAKES_CHANCES, "killed at 07:30", -0.8),
        ("dunn", "spec-t42", 4.0, 1.0, 0.713, Fit.HELD, "71.3 % is below 88 %", 3.5),
    )
    return tuple(
        QueueRow(place, 41877 + place, person, name, cpu * H, lasts * H, shown, fit, why, left * H)
        for place, (person, name, cpu, lasts, shown, fit, why, left) in enumerate(rows, 1)
    )


def bar(place: int, start_s: float, end_s: float, *, fits: bool = True) -> PlanBar:
    row = queue()[place - 1]
    return PlanBar(row.request, place, f"{row.person} {row.name}", start_s, end_s, fits)


def use() -> tuple[UseRow, ...]:
    rows = []
    for number, user in enumerate(_USER):
        system = 0.04 if user > 0.9 else 0.05
        idle = round(1 - user - system, 3) if user < 0.95 else 0.0
        rows.append(
            UseRow(START + 300.0 * (number + 1), user, 1 - user - idle, idle, 1115.0, "sbert", 0.9, 27.3)
        )
    return tuple(rows)


def report(start_s: float = START, end_s: float | None = None) -> ReportView:
    ended = JobRow(
        41870, "klim", "gyre-07", start_s - 1e4, 5000.0, 300.0, 0.91, 0, 1, 29.0, 12.0, 20.0, 80.0,
        36000.0, 0, "ended",
    )  # fmt: skip
    return ReportView(start_s, end_s, (ended,), use(), 0.943, 0.039, 0.018, 1115.0)


def night() -> NightView:
    return NightView(
        time_s=NOW, cpus=8, required_efficiency=0.88, phase=Phase.RUNNING, since_s=1012.0,
        window=Window(START, END, is_open=True),
        phase_text={
            Phase.IDLE: "window closed", Phase.SCANNING: "first that fits", Phase.PREEMPTING: "22 s + 47 s",
            Phase.RUNNING: "38 min 18 s", Phase.DRAINING: "normal priorities",
        },
        edge=(Phase.PREEMPTING, Phase.RUNNING),
        leaves_by="Leaves Running by: job ends, watchdog at 03:00, Kill.",
        preempting=True, job=job(), queue=queue(),
        plan_by_estimate=(bar(1, WATCHDOG, WATCHDOG + 4 * H),),
        plan_by_pace=(bar(1, EXPECTED, 16680.0), bar(2, 16680.0, 24840.0), bar(4, 24840.0, 30240.0)),
        too_long=(bar(3, WATCHDOG, WATCHDOG + 6.25 * H, fits=False),),
        order="arrival", by_hand_until_s=3600.0, next_reorder_s=3600.0,
        night=report(), last_night=report(START - 86400.0, END - 86400.0),
        memory=(Held("ND job", 27.3), Held("Batch", 24.6), Held("Interactive", 3.9), Held("System", 2.1)),
        sds=(Held("ND job", 210.0), Held("Batch", 38.4)), memory_mw=60.0, sds_mw=256.0,
        suspended=2, suspended_mw=64.0, swapped_out=3,
        kill_effect="Preemption ends. The control scans the queue and starts ccm-0219b (sbert).",
    )  # fmt: skip


def empty_night() -> NightView:
    """The window is open and nothing runs or waits."""
    return replace(
        night(), job=None, queue=(), plan_by_estimate=(), plan_by_pace=(), too_long=(), memory=(), sds=(),
        phase=Phase.SCANNING, kill_effect="", night=None, last_night=None, by_hand_until_s=None,
    )  # fmt: skip


def alerts() -> tuple[Alert, ...]:
    return (
        Alert("efficiency:41877", "warn", "ccm-0219a has been below 88 % for 15 min", 2400.0),
        Alert("watchdog:41877", "danger", "The watchdog kills ccm-0219a at 03:00", 3000.0),
    )


def audit() -> tuple[AuditRow, ...]:
    def row(at_s: float, *text: str) -> AuditRow:
        who, action, on, before, after, why = text
        return AuditRow(round(at_s * HZ), who, action, on, before, after, Result.DONE, "", why)

    return (
        row(600, "control", "start window", "nd 19 Feb", "closed", "open to 07:30", "scheduled"),
        row(604, "control", "set NOSCHED off, FIXEDPRI on", "machine", "off", "on", ""),
        row(1012, "control", "start job", "sbert ccm-0219a", "preempting", "running", ""),
        row(2500, "hale", "move in queue", "klim gyre-08", "place 5", "place 4", "short job"),
        AuditRow(
            3000 * HZ, "hale", "kill job", "klim gyre-07", "", "", Result.REFUSED, "It ended at 23:30.", ""
        ),
    )
