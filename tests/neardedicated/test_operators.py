"""What operators do to a window, its job and its queue."""

from __future__ import annotations

import pytest

from fsconsole.machine.checkpoint import save
from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import Refused
from fsconsole.neardedicated.plan import extend_effect
from fsconsole.neardedicated.view import Phase
from fsconsole.recording.journal import Outcome
from fsconsole.shares.scenario.actions import (
    Acknowledge,
    Action,
    CloseWindow,
    ExtendJob,
    KillJob,
    MoveJob,
    MoveWindow,
    OpenWindow,
    OrderQueue,
    Restart,
    WriteNote,
)
from tests.neardedicated.nights import FIRST, HOUR_S, OPENS_S, control_of, job, machine_of, night
from tests.texts import says, wording

END_S = OPENS_S + 8.5 * HOUR_S
AN_HOUR = 4 * 3600.0 / 2


def by_hale(machine: Machine, action: Action, why: str = "") -> Outcome:
    return machine.act(action, "hale", why)


def refusal(machine: Machine, action: Action) -> str:
    before = save(machine)
    outcome = by_hale(machine, action)
    assert not outcome.done
    assert save(machine) == before
    return outcome.text


def order_of(machine: Machine) -> list[str]:
    return [row.name for row in night(machine).queue]


# -- the window -----------------------------------------------------------------------------------------


def test_a_window_opened_by_hand_up_to_the_scheduled_end() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(60)
    outcome = by_hale(machine, OpenWindow())
    assert (outcome.before, outcome.after) == ("closed", wording("neardedicated.open-to", end_s="07:30"))
    machine.advance_to(120)
    view = night(machine)
    assert (view.window.start_s, view.window.end_s, view.window.by_hand) == (60.0, END_S, True)
    assert view.job is not None
    machine.advance_to(END_S + 60)
    assert night(machine).window.start_s == OPENS_S + 24 * HOUR_S  # the scheduled one is not opened twice


def test_a_window_opened_by_hand_for_a_while_leaves_the_scheduled_one() -> None:
    machine = machine_of()
    by_hale(machine, OpenWindow(300.0))
    machine.advance_to(301)
    assert night(machine).phase is Phase.IDLE
    machine.advance_to(OPENS_S)
    assert night(machine).window.is_open


def test_without_a_schedule_the_end_must_be_reported() -> None:
    machine = machine_of(windows=())
    assert says(refusal(machine, OpenWindow()), "neardedicated.no-window-is-scheduled-name")
    assert says(refusal(machine, MoveWindow(end_s=600.0)), "neardedicated.no-window-is-open-or")
    assert "before now" in refusal(machine, OpenWindow(-5.0))
    assert night(machine).leaves_by == wording(
        "neardedicated.leaves-by", value="Idle", control=wording("neardedicated.start-by-hand")
    )
    assert by_hale(machine, OpenWindow(600.0)).done
    machine.advance(machine.tick + 1)
    assert "already open" in refusal(machine, OpenWindow(900.0))


def test_closing_and_opening_again_while_the_job_runs() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    text = by_hale(machine, CloseWindow()).text
    assert text == wording("neardedicated.no-more-jobs-start-continues", label="sbert a") + "00:00"
    assert "already closed" in refusal(machine, CloseWindow())
    assert by_hale(machine, OpenWindow()).before == "closing"
    machine.advance_to(END_S)
    report = night(machine).night
    assert report is not None
    assert [row.name for row in report.jobs] == ["a", "b"]


def test_closing_with_a_kill() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    assert by_hale(machine, CloseWindow(kill_running=True)).done
    machine.advance_to(OPENS_S + 70)
    view = night(machine)
    assert view.phase is Phase.IDLE
    assert view.night is not None
    assert [row.how for row in view.night.jobs] == [wording("neardedicated.killed-by-operator")]
    assert says(refusal(machine, CloseWindow()), "neardedicated.no-window-is-open")


def test_closing_kills_no_other_job_than_the_one_that_was_meant() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    assert by_hale(machine, KillJob(FIRST)).done
    machine.advance_to(OPENS_S + 70)
    meant = CloseWindow(kill_running=True, request=FIRST)
    assert says(refusal(machine, meant), "neardedicated.job-no-longer-runs-runs", request=FIRST)
    assert night(machine).window.is_open
    assert by_hale(machine, CloseWindow(kill_running=True, request=FIRST + 1)).done


def test_closing_with_a_kill_of_a_job_that_has_just_been_killed() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    assert by_hale(machine, KillJob(FIRST)).done
    assert "has ended" in refusal(machine, ExtendJob(FIRST, 600.0))
    assert by_hale(machine, CloseWindow(kill_running=True)).text == wording("neardedicated.window-is-closed")
    assert refusal(machine, CloseWindow(kill_running=True)) == wording(
        "neardedicated.window-is-already-closed-2"
    )
    machine.advance_to(OPENS_S + 70)
    assert night(machine).phase is Phase.IDLE


def test_closing_with_a_kill_leaves_a_job_that_is_back_in_its_queue() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    assert by_hale(machine, Restart()).done
    assert by_hale(machine, CloseWindow(kill_running=True)).done
    assert order_of(machine) == ["a"]


def test_a_kill_that_cannot_be_leaves_the_window_open() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S + 60)

    def refuse(_: KillJob) -> object:
        msg = "not now"
        raise Refused(msg)

    machine.operations._handlers[KillJob] = refuse  # type: ignore[assignment]
    assert "not now" in refusal(machine, CloseWindow(kill_running=True))


def test_what_fits_once_the_end_is_moved_is_started_at_once() -> None:
    machine = machine_of(job("a", AN_HOUR), windows=("daily 23:00-23:30",))
    machine.advance_to(OPENS_S + 1)
    assert night(machine).job is None
    assert by_hale(machine, MoveWindow(end_s=OPENS_S + 2 * HOUR_S)).done
    machine.advance_to(OPENS_S + 2)
    assert night(machine).job is not None


@pytest.mark.parametrize("far_s", [1e11, 1e12])
def test_times_that_no_run_reaches_are_refused(far_s: float) -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(10)
    for action in (OpenWindow(far_s), MoveWindow(far_s, 2 * far_s), MoveWindow(end_s=far_s)):
        assert says(refusal(machine, action), "neardedicated.s-is-too-far-away")
    assert by_hale(machine, MoveWindow(end_s=9e9)).done
    assert night(machine).window.end_s == 9e9
    machine.advance_to(OPENS_S + 60)
    assert says(refusal(machine, ExtendJob(FIRST, far_s)), "neardedicated.s-is-too-far-away")
    assert says(refusal(machine, MoveWindow(end_s=far_s)), "neardedicated.s-is-too-far-away")
    night(machine)


def test_a_job_killed_on_a_machine_that_stands_still_is_shown_as_killed() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    assert by_hale(machine, KillJob(FIRST)).done
    card = night(machine).job
    assert card is not None
    assert (card.state, card.waiting_for) == (wording("neardedicated.killed-ends-when-clock-advances"), "")
    assert card.is_over


def test_the_plan_does_not_wait_for_a_job_that_was_killed() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    before = night(machine)
    assert by_hale(machine, KillJob(FIRST)).done
    view = night(machine)
    assert before.plan_by_estimate[0].start_s > before.time_s
    assert [bar.start_s for bar in (view.plan_by_estimate[0], view.plan_by_pace[0])] == [view.time_s] * 2
    assert view.phase_text[Phase.RUNNING if view.phase is Phase.RUNNING else view.phase]
    assert "Kill" not in view.leaves_by
    assert "watchdog" not in view.leaves_by


def test_closing_an_empty_window() -> None:
    machine = machine_of()
    machine.advance_to(OPENS_S + 60)
    assert by_hale(machine, CloseWindow()).after == "closed"
    machine.advance_to(OPENS_S + 61)
    assert night(machine).phase is Phase.IDLE
    machine.advance_to(OPENS_S + 600)
    assert not night(machine).window.is_open


def test_moving_the_end_of_an_open_window() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", 2 * AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    outcome = by_hale(machine, MoveWindow(end_s=OPENS_S + 1800.0))
    assert says(outcome.text, "neardedicated.may-continue-until-watchdog-kills", deadline_s="00:00")
    assert (outcome.before, outcome.after) == (
        wording("neardedicated.open-to", end_s="07:30"),
        wording("neardedicated.open-to", end_s="23:30"),
    )
    assert says(
        refusal(machine, MoveWindow(start_s=0.0)), "neardedicated.window-opened-at-only-its", start_s="23:00"
    )
    assert "before now" in refusal(machine, MoveWindow(end_s=0.0))
    assert says(refusal(machine, MoveWindow()), "neardedicated.name-new-start-or-new")
    machine.advance_to(OPENS_S + HOUR_S)
    view = night(machine)
    assert view.phase is Phase.IDLE
    assert [row.name for row in view.queue] == ["b"]
    assert view.window.start_s == OPENS_S + 24 * HOUR_S


def test_moving_the_end_moves_the_watchdog_of_who_takes_chances() -> None:
    machine = machine_of(job("chance", 20 * AN_HOUR, take_chances=True))
    machine.advance_to(OPENS_S + 60)
    by_hale(machine, MoveWindow(end_s=OPENS_S + 1800.0))
    machine.advance_to(OPENS_S + 1800)
    report = night(machine).night
    assert report is not None
    assert [row.how for row in report.jobs] == [wording("neardedicated.killed-at-window-s-end")]


def test_moving_the_next_window() -> None:
    machine = machine_of()
    assert by_hale(machine, MoveWindow(start_s=300.0, end_s=900.0)).after == wording(
        "neardedicated.to-3", start_s="22:55", end_s="23:05"
    )
    window = night(machine).window
    assert (window.start_s, window.end_s, window.by_hand) == (300.0, 900.0, True)
    assert says(refusal(machine, MoveWindow(end_s=200.0)), "neardedicated.window-cannot-end-before-its")
    assert says(refusal(machine, MoveWindow(start_s=-10.0)), "neardedicated.window-cannot-start-before-now")
    machine.advance_to(300)
    assert night(machine).window.is_open
    machine.advance_to(900)
    assert night(machine).window.start_s == OPENS_S + 24 * HOUR_S


# -- the running job --------------------------------------------------------------------------------------


def test_extending_lets_the_watchdog_kill_later_and_can_be_taken_back() -> None:
    machine = machine_of(job("slow", AN_HOUR, tasks=1))
    machine.advance_to(OPENS_S + 60)
    outcome = by_hale(machine, ExtendJob(FIRST, 1800.0))
    assert (outcome.on, outcome.before, outcome.after) == ("sbert slow", "watchdog 00:00", "watchdog 00:30")
    extended = wording("neardedicated.to-4", label="sbert slow", value="extended", after_s="00:30")
    assert outcome.text == extended + wording("neardedicated.window-ends", end_s="07:30")
    assert by_hale(machine, ExtendJob(FIRST, -1800.0)).after == "watchdog 00:00"
    by_hale(machine, ExtendJob(FIRST, 1800.0))
    machine.advance_to(OPENS_S + 5400 - 1)
    assert night(machine).phase is Phase.RUNNING
    assert says(refusal(machine, ExtendJob(FIRST, -1800.0)), "neardedicated.watchdog-cannot-kill-at-which")
    machine.advance_to(OPENS_S + 5400)
    assert night(machine).job is None


def test_extending_past_the_windows_end_says_so_and_what_no_longer_fits() -> None:
    machine = machine_of(job("a", 3 * AN_HOUR), job("b", 5 * AN_HOUR), job("c", 5 * AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    view = night(machine)
    effect = extend_effect(view, 6 * HOUR_S)
    assert effect is not None
    assert (effect.past_end_s, len(effect.no_longer_fit)) == (0.5 * HOUR_S, 2)
    outcome = by_hale(machine, ExtendJob(FIRST, 6 * HOUR_S))
    extended = wording("neardedicated.to-4", label="sbert a", value="extended", after_s="08:00")
    ends = wording("neardedicated.window-ends", end_s="07:30")
    lost = wording("neardedicated.queued-jobs-no-longer-fit")
    assert outcome.text == f"{extended}{ends}; 2 {lost}"
    machine.advance_to(OPENS_S + 1.6 * HOUR_S)
    assert night(machine).job is not None  # the first one has ended early, so that the next one fits


def test_a_job_that_is_extended_past_the_end_runs_on_and_then_the_window_closes() -> None:
    machine = machine_of(job("slow", 8 * AN_HOUR, tasks=1), job("b", AN_HOUR))
    machine.advance_to(OPENS_S + 60)
    by_hale(machine, ExtendJob(FIRST, 2 * HOUR_S))
    machine.advance_to(END_S + 60)
    assert night(machine).phase is Phase.RUNNING
    machine.advance_to(OPENS_S + 10 * HOUR_S + 10)
    view = night(machine)
    assert view.phase is Phase.IDLE
    assert [row.name for row in view.queue] == ["b"]


def test_extending_a_job_that_does_not_run_says_why() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR))
    assert "is waiting" in refusal(machine, ExtendJob(FIRST, 60.0))
    assert says(refusal(machine, ExtendJob(7, 60.0)), "neardedicated.job-not-found-no-near", request="7")
    machine.advance_to(OPENS_S + 60)
    assert says(
        refusal(machine, ExtendJob(7, 60.0)), "neardedicated.job-not-found-runs", request="7", run="sbert a"
    )
    assert says(
        refusal(machine, ExtendJob(FIRST, float("nan"))), "neardedicated.cannot-extend-by-s-give", by_s="nan"
    )
    machine.advance_to(OPENS_S + HOUR_S)
    late = refusal(machine, ExtendJob(FIRST, 60.0))
    assert says(late, "neardedicated.has-ended-at", job="sbert a")
    assert " 23:3" in late


def test_killing_a_job_that_has_just_ended_says_so() -> None:
    machine = machine_of(job("a", AN_HOUR))
    machine.advance_to(OPENS_S + HOUR_S)
    assert says(refusal(machine, KillJob(FIRST)), "neardedicated.has-ended-at")


# -- the queue --------------------------------------------------------------------------------------------


def test_an_order_by_hand_stays_until_the_next_round() -> None:
    machine = machine_of(job("a", AN_HOUR), job("b", AN_HOUR), job("c", AN_HOUR))
    machine.advance_to(60)
    assert night(machine).by_hand_until_s is None
    by_hale(machine, MoveJob(FIRST + 2, 1))
    assert order_of(machine) == ["c", "a", "b"]
    assert night(machine).by_hand_until_s == 600.0
    machine.advance_to(599)
    assert order_of(machine) == ["c", "a", "b"]
    machine.advance_to(601)
    view = night(machine)
    assert view.by_hand_until_s is None
    assert view.job is not None
    assert view.job.name == "a"  # the round came first


def test_orders_of_the_site() -> None:
    jobs = (
        job("long", 3 * AN_HOUR, shown_efficiency=0.95),
        job("short", AN_HOUR),
        job("mid", 2 * AN_HOUR, shown_efficiency=0.99),
    )
    machine = machine_of(*jobs, windows=())
    for order, names in (
        ("shortest", ["short", "mid", "long"]),
        ("efficiency", ["mid", "long", "short"]),
        ("arrival", ["long", "short", "mid"]),
    ):
        outcome = by_hale(machine, OrderQueue(order))  # type: ignore[arg-type]
        assert (outcome.done, outcome.after, order_of(machine)) == (True, order, names)
    by_hale(machine, OrderQueue("by-hand"))
    by_hale(machine, MoveJob(FIRST + 2, 1))
    machine.advance_to(3000)
    assert order_of(machine) == ["mid", "long", "short"]
    assert night(machine).next_reorder_s is None
    assert says(refusal(machine, OrderQueue("best")), "neardedicated.unknown-order-use")  # type: ignore[arg-type]


def test_the_order_by_shares_favours_whom_the_policy_favours() -> None:
    machine = machine_of(
        job("a", AN_HOUR, person="PRI_BATCH"), job("b", AN_HOUR, person="PRI_ND"), windows=()
    )
    machine.advance_to(30)
    by_hale(machine, OrderQueue("shares"))
    rank = machine.state.rank
    rows = {name: machine.flat.row_of[machine.tree.find(name).id] for name in ("PRI_BATCH", "PRI_ND")}
    favoured = "b" if rank[rows["PRI_ND"]] < rank[rows["PRI_BATCH"]] else "a"
    assert order_of(machine)[0] == favoured


# -- alerts and the note ----------------------------------------------------------------------------------


def test_alerts_are_acknowledged_by_whoever_saw_them() -> None:
    machine = machine_of(job("slow", AN_HOUR, tasks=1))
    machine.advance_to(OPENS_S + HOUR_S + 10)
    assert says(
        refusal(machine, Acknowledge("watchdog:1")),
        "neardedicated.unknown-or-past-alert-current",
        keys="killed:41870",
    )
    assert by_hale(machine, Acknowledge(f"killed:{FIRST}")).done
    assert machine.audit[-1].on.split() == ["kill", "of", str(FIRST)]
    assert [alert.acknowledged_by for alert in night(machine).alerts] == ["hale"]
    machine.advance_to(OPENS_S + 2 * HOUR_S)
    assert [alert.acknowledged_by for alert in night(machine).alerts] == ["hale"]


def test_the_note_says_who_wrote_it() -> None:
    machine = machine_of()
    assert (night(machine).note, night(machine).note_by, night(machine).note_s) == ("", "", None)
    machine.advance_to(30)
    text = "disk 3 is noisy"
    by_hale(machine, WriteNote(text))
    machine.advance_to(60)
    view = night(machine)
    assert (view.note, view.note_by, view.note_s) == (text, "hale", 30.0)
    assert "at most" in refusal(machine, WriteNote("x" * 5000))


def test_a_note_of_the_timeline_is_the_scenarios() -> None:
    machine = machine_of(events=((5.0, WriteNote("hello")),))
    machine.advance_to(10)
    assert night(machine).note_by == "scenario"


def test_what_the_night_looks_like_matches_what_is_done() -> None:
    machine = machine_of(job("a", 2 * AN_HOUR), job("b", AN_HOUR), job("long", 20 * AN_HOUR))
    machine.advance_to(OPENS_S + 300)
    view = night(machine)
    assert view.job is not None
    assert view.job.node == "PRI_ND"
    assert view.job.watchdog_s == OPENS_S + 2 * HOUR_S
    assert view.job.efficiency is not None  # all of its CPU time is used at one pace
    assert view.job.expected_end_s == pytest.approx(OPENS_S + HOUR_S / view.job.efficiency, abs=1)
    assert [bar.start_s for bar in view.plan_by_estimate] == [view.job.watchdog_s]
    assert [bar.start_s for bar in view.plan_by_pace] == [view.job.expected_end_s]
    assert [bar.label for bar in view.too_long] == ["sbert long"]
    assert view.kill_effect == wording(
        "neardedicated.control-scans-queue-and-starts", ends="Preemption ends", name="b", person="sbert"
    )
    kill = wording("neardedicated.watchdog-at-kill", deadline_s="01:00")
    assert view.leaves_by == wording("neardedicated.leaves-by", value="Running", control=f"job ends, {kill}")
    assert control_of(machine).state.run is not None
