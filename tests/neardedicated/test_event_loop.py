"""The controller's event loop, branch by branch (Brady et al. section 3.2, Figure 2)."""

from __future__ import annotations

import pytest

from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import Refused
from fsconsole.neardedicated.shell_text import status_lines
from fsconsole.neardedicated.view import Fit, JobRow, Phase
from fsconsole.shares.scenario.actions import (
    Acknowledge,
    ChangeTree,
    CheckpointJob,
    CloseWindow,
    HoldJob,
    KillJob,
    MoveJob,
    Restart,
    RestartJob,
    RunJob,
    SetSetting,
    SubmitJob,
)
from fsconsole.shares.scenario.memory_spec import MemorySpec
from tests.machine.memory.worlds import memory_of
from tests.neardedicated.nights import FIRST, HOUR_S, OPENS_S, control_of, job, machine_of, night
from tests.texts import says, span, wording

END_S = OPENS_S + 8.5 * HOUR_S
AN_HOUR = 4 * 3600.0 / 2  # CPU time whose estimate on 4 processors is an hour


def rows(machine: Machine) -> list[tuple[str, str]]:
    report = night(machine).night
    assert report is not None
    return [(row.name, row.how) for row in report.jobs]


def last_row(machine: Machine) -> JobRow:
    report = night(machine).night
    assert report is not None
    return report.jobs[-1]


def done(machine: Machine, action: str) -> list[str]:
    return [row.on for row in machine.audit if row.action == action and row.who == "control" and row.done]


def test_a_window_opens_runs_what_fits_and_closes() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S - 1)
    before = night(machine)
    assert (before.phase, before.window.start_s, before.window.is_open) == (Phase.IDLE, OPENS_S, False)
    machine.advance_to(OPENS_S + 60)
    assert night(machine).phase is Phase.RUNNING
    assert night(machine).edge == (Phase.PREEMPTING, Phase.RUNNING)
    machine.advance_to(END_S)
    assert night(machine).phase is Phase.IDLE
    assert rows(machine) == [("a", "ended"), ("b", "ended")]
    assert night(machine).window.start_s == OPENS_S + 24 * HOUR_S
    assert done(machine, "run job") == ["sbert a", "sbert b"]


def test_preemption_is_on_while_a_job_runs_and_only_then() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S)
    assert machine.policy_spec.nosched
    machine.advance_to(OPENS_S + 8)
    on = (machine.policy_spec.nosched, machine.spec.memory.share_aware, machine.spec.memory.sds_daemon)
    assert on == (False, True, True)
    assert night(machine).preempting
    while night(machine).phase is not Phase.SCANNING:
        machine.advance_to(machine.now_s + 60)
    off = (machine.policy_spec.nosched, machine.spec.memory.share_aware, machine.spec.memory.sds_daemon)
    assert off == (True, False, False)


def test_the_audit_log_has_a_line_for_each_step_of_a_job() -> None:
    machine = machine_of(job("a", AN_HOUR, setup_s=60.0), job("bad", AN_HOUR, aborts_at_s=100.0))
    machine.advance_to(OPENS_S + 2 * HOUR_S)
    steps = [
        (row.action, row.on, row.before, row.after)
        for row in machine.audit
        if row.who == "control" and row.action in ("start job", "job ended")
    ]
    assert steps == [
        ("start job", "sbert a", "preempting", "running"),
        ("job ended", "sbert a", "running", "ended"),
        ("start job", "sbert bad", "preempting", "running"),
        ("job ended", "sbert bad", "running", "aborted"),
    ]
    switched = [(row.before, row.after) for row in machine.audit if row.action == "preemption"]
    assert switched == [("off", "on"), ("on", "off")] * 2


def test_settings_go_back_to_what_they_were_not_to_the_scenario() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.act(SetSetting("memory.share_aware", value=True))
    machine.advance_to(END_S)
    assert machine.spec.memory.share_aware
    assert not machine.spec.memory.sds_daemon
    assert done(machine, "preemption") == ["nosched, sds_daemon"] * 2  # on, off
    assert not done(machine, "set setting")


def test_an_empty_queue_waits_for_a_job() -> None:
    machine = machine_of()
    machine.advance_to(OPENS_S + 1000)
    assert night(machine).phase is Phase.SCANNING
    assert machine.act(SubmitJob(job("late", AN_HOUR))).done
    machine.advance(machine.tick + 1)
    assert night(machine).job is not None  # the queue has changed: no need to wait for a scan


def test_what_does_not_fit_is_passed_over() -> None:
    machine = machine_of(job("long", 9 * AN_HOUR), job("short", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    view = night(machine)
    assert view.job is not None
    assert view.job.name == "short"
    assert [row.fit for row in view.queue] == [Fit.TOO_LONG]


def test_nothing_fits_any_more_towards_the_end() -> None:
    machine = machine_of(job("a", 5 * AN_HOUR), job("b", 6.1 * AN_HOUR))
    machine.advance_to(END_S)
    assert rows(machine) == [("a", "ended")]
    assert [row.name for row in night(machine).queue] == ["b"]


def test_nothing_is_started_that_showed_too_little() -> None:
    machine = machine_of(
        job("poor", AN_HOUR, shown_efficiency=0.7), job("unknown", 1.0, shown_efficiency=None)
    )
    machine.advance_to(END_S)
    assert rows(machine) == []
    assert [row.why for row in night(machine).queue] == [
        wording("neardedicated.is-below", shown="70.0\xa0%", required="88\xa0%"),
        wording("neardedicated.ja-has-not-shown-efficiency"),
    ]


def test_what_has_ended_shows_the_next_one_of_its_name() -> None:
    other = job("model", 600.0, shown_efficiency=None, queue_name="batch")
    machine = machine_of(other, job("model", AN_HOUR, shown_efficiency=None), loads=0)
    machine.advance_to(OPENS_S + 60)
    view = night(machine)
    assert view.job is not None
    assert view.job.name == "model"


def test_a_job_that_needs_too_long_is_killed_at_its_estimate() -> None:
    slow = job("slow", AN_HOUR, tasks=1)  # one task alone takes two hours
    machine = machine_of(slow)
    machine.advance_to(OPENS_S + HOUR_S - 1)
    assert [alert.key for alert in night(machine).alerts] == [f"watchdog:{FIRST}"]
    machine.advance_to(OPENS_S + HOUR_S)
    assert rows(machine) == [("slow", wording("neardedicated.killed-by-watchdog"))]
    assert last_row(machine).wall_s == HOUR_S
    assert [alert.key for alert in night(machine).alerts] == [f"killed:{FIRST}"]
    machine.advance_to(END_S)
    assert machine.policy_spec.nosched


def test_a_job_that_takes_chances_is_killed_at_the_windows_end() -> None:
    machine = machine_of(job("chance", 20 * AN_HOUR, take_chances=True))
    machine.advance_to(END_S - 1)
    assert night(machine).phase is Phase.RUNNING
    machine.advance_to(END_S)
    assert rows(machine) == [("chance", wording("neardedicated.killed-at-window-s-end"))]
    machine.advance_to(END_S + 10)
    assert night(machine).phase is Phase.IDLE


def test_who_takes_chances_waits_for_its_turn() -> None:
    machine = machine_of(job("long", 20 * AN_HOUR), job("chance", 20 * AN_HOUR, take_chances=True))
    machine.advance_to(END_S)
    assert rows(machine) == []


def test_a_job_that_aborts_is_reported_and_the_next_one_runs() -> None:
    machine = machine_of(job("bad", AN_HOUR, aborts_at_s=100.0), job("good", AN_HOUR))
    machine.advance_to(OPENS_S + 300)
    assert rows(machine) == [("bad", "aborted")]
    assert last_row(machine).exit_status == 1
    assert [alert.key for alert in night(machine).alerts] == [f"lost:{FIRST}"]
    machine.advance_to(END_S)
    assert rows(machine)[1:] == [("good", "ended")]


def test_a_job_that_an_operator_kills() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 300)
    assert machine.act(KillJob(FIRST), "hale", "user asked").done
    machine.advance_to(OPENS_S + 310)
    assert rows(machine) == [("a", wording("neardedicated.killed-by-operator"))]
    view = night(machine)
    assert view.alerts == ()
    assert view.job is not None
    assert view.job.name == "b"


def test_sds_that_is_never_freed_is_reported_and_the_watchdog_still_kills() -> None:
    big = job("big", AN_HOUR, memory_mw=2.0, sds_mw=20.0)
    memory = MemorySpec(size_mw=10.0, sds_mw=10.0 + 15.0)
    holder = job("holder", 1e6, queue_name="batch", sds_mw=20.0, memory_mw=1.0)
    machine = machine_of(holder, big, memory=memory)
    # Nobody may suspend the holder: root's own daemon is switched off again at each delta.
    machine.advance_to(OPENS_S + 5)
    machine.act(SetSetting("memory.sds_daemon", value=False))
    machine.advance_to(OPENS_S + 600)
    view = night(machine)
    assert view.phase is Phase.PREEMPTING
    assert view.job is not None
    assert view.job.waiting_for == "SDS"
    assert f"sds:{FIRST + 1}" in [alert.key for alert in view.alerts]
    machine.advance_to(OPENS_S + HOUR_S)
    assert rows(machine) == [("big", wording("neardedicated.killed-by-watchdog"))]


def test_memory_and_sds_are_waited_for_before_it_runs() -> None:
    memory = MemorySpec(size_mw=60.0, sds_mw=256.0, swap_mw_per_s=2.5)
    big = job("big", AN_HOUR, memory_mw=40.0, sds_mw=210.0, setup_s=60.0, setup_mw=0.4)
    machine = machine_of(big, memory=memory)
    machine.advance_to(OPENS_S + 61)
    view = night(machine)
    assert (view.phase, view.memory_mw, view.sds_mw) == (Phase.PREEMPTING, 60.0, 256.0)
    machine.advance_to(OPENS_S + 300)
    view = night(machine)
    assert view.phase is Phase.RUNNING
    assert [(held.who, round(held.mw)) for held in view.memory] == [("ND job", 40)]
    assert [(held.who, round(held.mw)) for held in view.sds] == [("ND job", 210)]
    assert view.job is not None
    assert (view.job.swaps, view.job.swap_s > 15.9) == (1, True)
    assert view.since_s == pytest.approx(OPENS_S + 60 + 16, abs=3)  # 40 MW come in at 2.5 MW/s


def test_a_machine_that_is_started_again_puts_the_job_back() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S + 300)
    assert machine.act(Restart()).done
    machine.advance_to(OPENS_S + 302)
    assert [alert.key for alert in night(machine).alerts] == [f"lost:{FIRST}"]
    machine.advance_to(END_S)
    assert rows(machine) == [("a", "ended")]


def test_a_job_that_cannot_be_started_is_reported_and_tried_again_at_the_next_scan() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    real = machine.operations._handlers[RunJob]  # the machine has no room for one job

    def refuse(action: RunJob) -> object:
        if action.request == FIRST:
            msg = "no room"
            raise Refused(msg)
        return real(action)

    machine.operations._handlers[RunJob] = refuse  # type: ignore[assignment]
    machine.advance_to(OPENS_S + 30)
    view = night(machine)
    assert view.job is not None
    assert view.job.name == "b"
    assert view.queue[0].why == wording("neardedicated.failed-to-start", text="no room")
    assert [alert.key for alert in view.alerts] == [f"start:{FIRST}"]
    machine.operations._handlers[RunJob] = real
    machine.advance_to(OPENS_S + 2 * HOUR_S)
    assert rows(machine) == [("b", "ended"), ("a", "ended")]


def test_a_watchdog_that_cannot_kill_tries_again_at_each_scan() -> None:
    machine = machine_of(job("a", AN_HOUR, cpu_s=None, serial_fraction=0.9))  # far slower than its estimate
    real, tried_s = machine.operations._handlers[KillJob], list[float]()

    def refuse(_: KillJob) -> object:
        tried_s.append(machine.now_s)
        msg = "held by the operator"
        raise Refused(msg)

    machine.operations._handlers[KillJob] = refuse  # type: ignore[assignment]
    machine.advance_to(OPENS_S + 60)
    view, scan_s = night(machine), control_of(machine).spec.scan_s
    assert view.job is not None
    deadline_s = view.job.watchdog_s
    machine.advance_to(deadline_s + 3.5 * scan_s)
    assert tried_s == pytest.approx([deadline_s + scan_s * times for times in range(4)], abs=0.2)
    assert f"killed:{FIRST}" in [alert.key for alert in night(machine).alerts]
    machine.operations._handlers[KillJob] = real
    machine.advance_to(deadline_s + 5 * scan_s)
    assert rows(machine) == [("a", wording("neardedicated.killed-by-watchdog"))]


@pytest.mark.parametrize("who", ["watchdog", "operator"])
def test_the_end_of_a_killed_job_is_logged_once(who: str) -> None:
    machine = machine_of(job("a", AN_HOUR, cpu_s=None, serial_fraction=0.9))
    machine.advance_to(OPENS_S + 600)
    if who == "operator":
        assert machine.act(KillJob(FIRST), "hale").done
    machine.advance_to(OPENS_S + 3 * HOUR_S)
    assert rows(machine) == [("a", wording("app.jobs.killed-by", by=who))]
    ends = [row.action for row in machine.audit if row.on == "sbert a" and row.before.startswith("running")]
    assert ends == ["kill job"]


def test_a_job_that_still_cannot_be_started_is_reported_once() -> None:
    machine = machine_of(job("a", AN_HOUR))

    def refuse(_: RunJob) -> object:
        msg = "no room"
        raise Refused(msg)

    machine.operations._handlers[RunJob] = refuse  # type: ignore[assignment]
    machine.advance_to(OPENS_S + 300)
    machine.act(Acknowledge(f"start:{FIRST}"), "hale")
    machine.advance_to(OPENS_S + 900)
    (alert,) = night(machine).alerts
    assert (alert.since_s, alert.acknowledged_by) == (OPENS_S, "hale")
    assert not (done(machine, "set setting") + done(machine, "preemption"))
    assert night(machine).queue[0].why == wording("neardedicated.failed-to-start", text="no room")


def test_what_ja_has_shown_stays_when_the_job_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsconsole.machine.jobs.nqs.KEPT", 2)
    machine = machine_of(job("a", 400.0), loads=0)
    machine.advance_to(1000)
    shown = job("a", 400.0, shown_efficiency=None)
    assert machine.act(SubmitJob(shown)).done
    machine.act(HoldJob(FIRST + 1))
    before = control_of(machine).waiting()[0].shown
    assert before is not None
    for at in range(4):
        machine.act(SubmitJob(job(f"x{at}", 2.0, queue_name="batch", tasks=1)))
    machine.advance_to(1100)
    assert FIRST not in control_of(machine).batch.jobs
    assert control_of(machine).waiting()[0].shown == before


def test_starving_counts_from_the_wait_that_lasts() -> None:
    memory = MemorySpec(size_mw=60, sds_mw=100, checkpoint_mw_per_s=5.0)
    holder = job("h", 9e4, queue_name="batch", memory_mw=5.0, sds_mw=90.0, tasks=1)
    machine = machine_of(holder, job("a", 20000.0, memory_mw=20.0, sds_mw=50.0), memory=memory, loads=0)
    machine.advance_to(OPENS_S + 3)
    machine.act(SetSetting("memory.sds_daemon", value=False))
    machine.advance_to(1000)
    machine.act(CheckpointJob(FIRST + 1))
    machine.advance_to(1100)
    machine.act(RestartJob(FIRST + 1))
    machine.advance_to(1160)
    assert night(machine).job is not None
    assert not [alert for alert in night(machine).alerts if alert.key.startswith("sds")]
    machine.advance_to(1400)
    (alert,) = [alert for alert in night(machine).alerts if alert.key.startswith("sds")]
    assert 1100 < alert.since_s < 1130


def test_what_people_set_while_a_job_runs_stays() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    assert machine.act(SetSetting("policy.nosched", value=False), "hale").done
    machine.advance_to(OPENS_S + 8 * HOUR_S)
    assert not machine.policy_spec.nosched
    assert not machine.spec.memory.share_aware


def test_a_job_that_somebody_else_has_started_is_waited_for() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(100)
    assert machine.act(RunJob(FIRST)).done
    machine.advance_to(OPENS_S + 60)
    assert night(machine).phase is Phase.SCANNING
    machine.advance_to(END_S)
    assert rows(machine) == [("b", "ended")]


def test_a_watchdog_that_cannot_kill_tries_again() -> None:
    machine = machine_of(job("slow", AN_HOUR, tasks=1))
    real = machine.operations._handlers[KillJob]

    def refuse(_: KillJob) -> object:
        msg = "not now"
        raise Refused(msg)

    machine.operations._handlers[KillJob] = refuse  # type: ignore[assignment]
    machine.advance_to(OPENS_S + HOUR_S + 30)
    assert night(machine).phase is Phase.RUNNING
    assert f"killed:{FIRST}" in [alert.key for alert in night(machine).alerts]
    machine.operations._handlers[KillJob] = real
    machine.advance_to(OPENS_S + HOUR_S + 60)
    assert rows(machine) == [("slow", wording("neardedicated.killed-by-watchdog"))]


def test_who_waits_for_sds_that_was_taken_from_him_is_counted() -> None:
    memory = MemorySpec(size_mw=60, sds_mw=100)
    holder = job("h", 9e4, queue_name="batch", memory_mw=5.0, sds_mw=90.0, tasks=2)
    machine = machine_of(holder, job("a", 20000.0, memory_mw=20.0, sds_mw=50.0), memory=memory, loads=0)
    machine.advance_to(OPENS_S - 1)
    assert (night(machine).suspended, night(machine).suspended_mw) == (0, 0.0)
    machine.advance_to(OPENS_S + 300)  # the daemon has let it go on, and there is no room
    view = night(machine)
    assert view.phase is Phase.RUNNING
    assert not any(image.suspended for image in memory_of(machine).images.values())
    assert view.suspended == 2
    assert view.suspended_mw == pytest.approx(90.0, abs=0.01)
    message = " ".join(status_lines(view, machine.spec.start))
    assert (
        wording("neardedicated.processes-are-suspended-because-sds", suspended="2") + " (" + "90.0 MW)"
        in message
    )
    machine.advance_to(OPENS_S + 2 * HOUR_S)
    assert (night(machine).suspended, night(machine).suspended_mw) == (0, 0.0)


def test_low_efficiency_is_reported_until_it_is_better() -> None:
    machine = machine_of(job("poor", 5 * AN_HOUR, serial_fraction=0.6, cycle_s=20.0), alert_after_s=600.0)
    machine.advance_to(OPENS_S + 900)
    view = night(machine)
    assert view.job is not None
    assert view.job.efficiency == pytest.approx((0.6 + 0.4 * 4) / 4, abs=0.01)
    assert view.job.below_since_s == OPENS_S  # it computes from the first interval on
    assert [alert.key for alert in view.alerts] == [f"efficiency:{FIRST}"]


def test_an_interval_with_setup_in_it_is_no_low_efficiency() -> None:
    machine = machine_of(job("poor", 5 * AN_HOUR, serial_fraction=0.6, cycle_s=20.0, setup_s=550.0))
    machine.advance_to(OPENS_S + 600)
    view = night(machine)
    assert view.phase_text[Phase.RUNNING] == "50 s"
    assert view.job is not None
    assert [(one.efficiency is None, one.partly_setup) for one in view.job.history] == [
        (True, False),
        (False, True),
    ]
    assert (view.job.efficiency or 1.0) < 0.2
    assert view.job.below_since_s is None
    machine.advance_to(OPENS_S + 900)
    job_card, report = night(machine).job, night(machine).night
    assert job_card is not None
    assert report is not None
    assert job_card.below_since_s == OPENS_S + 600
    assert [row.partly_setup for row in report.use] == [False, True, False]


def test_while_a_job_prepares_its_setup_is_reported() -> None:
    machine = machine_of(job("a", AN_HOUR, setup_s=5000.0))
    machine.advance_to(OPENS_S + 190)
    assert night(machine).phase_text[Phase.PREEMPTING] == wording(
        "neardedicated.setup-so-far", preparation_s=span(min=3, s=10)
    )
    machine.advance_to(OPENS_S + 3610)
    assert night(machine).job is None  # the watchdog has killed it


def test_an_operator_is_reported_what_could_take_its_chances() -> None:
    machine = machine_of(job("long", 9 * AN_HOUR), job("chance", 9 * AN_HOUR, take_chances=True))
    machine.advance_to(OPENS_S + 60)
    shown = night(machine).leaves_by
    takes = wording("neardedicated.takes-its-chances-if-moved", label="sbert chance")
    assert says(shown, "neardedicated.leaves-by", value="Scanning")
    assert says(shown, "neardedicated.job-that-fits-stop", control=takes)
    machine.act(MoveJob(FIRST + 1, 1))
    machine.advance_to(OPENS_S + 200)
    card = night(machine).job
    assert card is not None
    assert card.name == "chance"


def test_two_nights_and_the_last_one_is_kept() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", 5 * AN_HOUR), job("c", 6 * AN_HOUR))
    machine.advance_to(OPENS_S + 30 * HOUR_S)
    view = night(machine)
    assert view.night is not None
    assert view.last_night is not None
    assert [row.name for row in view.last_night.jobs] == ["a", "b"]
    assert [row.name for row in view.night.jobs] == ["c"]
    assert (view.last_night.start_s, view.last_night.end_s) == (OPENS_S, END_S)


def test_the_last_night_is_the_one_that_is_over() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S + HOUR_S)
    assert night(machine).last_night is None
    machine.advance_to(END_S + 60)
    view = night(machine)
    assert view.last_night is not None
    assert view.last_night == view.night
    assert view.last_night.end_s == END_S
    assert view.phase_text[Phase.IDLE] == "next 23:00"
    machine.advance_to(END_S + 16 * HOUR_S)
    view = night(machine)
    assert view.night is not None
    assert (view.night.end_s, view.last_night is not None) == (None, True)


def test_the_report_has_a_line_every_five_minutes_and_adds_up() -> None:
    machine = machine_of(job("a", AN_HOUR, setup_s=400.0, mflops=160.0))
    machine.advance_to(OPENS_S + HOUR_S)
    report = night(machine).night
    assert report is not None
    assert [row.time_s for row in report.use] == [OPENS_S + 300.0 * k for k in range(1, 13)]
    assert report.use[0].efficiency is None
    assert all(row.user + row.system + row.idle == pytest.approx(1.0) for row in report.use)
    mean = sum(row.user for row in report.use) / len(report.use)
    assert report.user == pytest.approx(mean)


def test_the_tree_may_lose_the_queues_node() -> None:
    from fsconsole.shares.edits import Remove

    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    node = machine.tree.find("PRI_ND").id
    machine.act(ChangeTree((Remove(node),)))
    machine.advance_to(OPENS_S + 120)
    assert night(machine).job is None
    machine.advance_to(END_S + 10)
    assert night(machine).phase is Phase.IDLE


def test_a_window_that_is_closed_while_a_job_runs_waits_for_its_end() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    assert machine.act(CloseWindow()).done
    machine.advance_to(OPENS_S + 120)
    view = night(machine)
    assert (view.phase, view.window.closing) == (Phase.RUNNING, True)
    assert says(view.kill_effect, "neardedicated.window-is-over-and-no")
    machine.advance_to(OPENS_S + HOUR_S)
    assert rows(machine) == [("a", "ended")]
    assert night(machine).phase is Phase.IDLE
    assert night(machine).window.start_s == OPENS_S + 24 * HOUR_S
