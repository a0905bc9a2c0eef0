"""`nd` in the machine's shell: what it shows, what it does, and what it refuses."""

from __future__ import annotations

import json
import re

import pytest

from fsconsole.machine.checkpoint import load, save
from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import Shell, complete, help_text
from fsconsole.machine.shell.text import WIDTH
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.shell import COMMANDS
from fsconsole.neardedicated.view import NightView
from fsconsole.neardedicated.view_of import night_view
from fsconsole.shares.scenario.read import parse_scenario
from tests.machine.worlds import scenario_of
from tests.neardedicated.operators_night import ALPHA, BETA, GAMMA, NIGHT, OTAS_BETA
from tests.texts import says, span, wording

SCENARIO = parse_scenario(NIGHT, "night")
RUNNING_S = 180.0  # a minute into the window


def shell_at(time_s: float, who: str = "hale") -> Shell:
    machine = Machine(SCENARIO, makers_of(SCENARIO))
    machine.advance_to(time_s)
    return Shell(machine, who, more=COMMANDS)


def done(shell: Shell, line: str) -> str:
    reply = shell.run(line)
    assert reply.status == 0, reply.text
    assert max(map(len, reply.text.split("\n"))) <= WIDTH
    return reply.text


def refused(shell: Shell, line: str, status: int = 1) -> str:
    machine = shell.session.machine
    before = save(machine)
    reply = shell.run(line)
    assert reply.status == status, reply.text
    assert save(machine) == before  # the journal too
    return reply.text


def later(shell: Shell, seconds: float = 5.0) -> NightView:
    machine = shell.session.machine
    machine.advance_to(machine.now_s + seconds)
    night = night_view(machine)
    assert night is not None
    return night


def test_status_tells_all() -> None:
    answer = done(shell_at(RUNNING_S), "nd")
    for words in (
        "23:01:00, Monday 19 February 1996",
        "open 23:00 to 00:00, 59 min left",
        "Running since 23:00",
        f"{ALPHA} hale alpha, running; 2 CPUs, queue nd, l-node PRI_ND",
        "20:00 estimated;",
        "watchdog kills at 23:20",
        "Required: 88.0 %",
        "3 jobs",
        "Alerts      none",
    ):
        assert " ".join(words.split()) in " ".join(answer.split())
    assert done(shell_at(RUNNING_S), "nd status") == answer
    assert says(done(shell_at(0), "nd"), "neardedicated.closed-next-is-in", start_s="2 min")
    result = json.loads(shell_at(RUNNING_S).run("nd status --json").text)["job"]["request"]
    assert result == ALPHA


def test_stop_is_tried_before_it_is_done() -> None:
    shell = shell_at(RUNNING_S)
    before = save(shell.session.machine)
    who = f"{ALPHA} hale alpha"
    answer = " ".join(done(shell, "nd stop --dry-run").split())
    assert says(answer, "neardedicated.no-more-jobs-would-start", who=who, at="23:20")
    answer = " ".join(done(shell, "nd stop --kill --dry-run").split())
    assert says(answer, "neardedicated.window-would-close-and-would", who=who)
    answer = done(shell_at(0), "nd stop --dry-run")
    assert says(answer, "neardedicated.window-is-already-closed-2")
    assert save(shell.session.machine) == before


def test_a_time_of_another_day_says_which() -> None:
    shell = shell_at(0)  # 22:58
    answer = done(shell, "nd start --until 22:40")
    assert says(answer, "neardedicated.window-is-open-to", end_s="tomorrow 22:40")
    when = wording("neardedicated.to-5", start="22:58", start_2="tomorrow 22:40")
    hand = wording("neardedicated.set-by-hand")
    left = f"{span(h=23, min=42)} left"
    assert wording("neardedicated.open", when=when, hand=hand, left=left) in done(shell, "nd")
    later(shell, 60.0)
    answer = done(shell, "nd extend 48h --dry-run")
    assert says(answer, "neardedicated.watchdog-kills-at", start="1996-02-21 23:1")
    answer = done(shell, "nd extend 48h")
    assert says(answer, "neardedicated.to-4", value="extended", after_s="1996-02-21 23:1")
    assert says(
        " ".join(done(shell, "nd").split()), "neardedicated.watchdog-kills-at-2", start="1996-02-21 23:1"
    )
    answer = done(shell_at(0), "nd start --until +24h")
    assert says(answer, "neardedicated.window-is-open-to", end_s="1996-02-20 22:58")


def test_the_queue_says_what_fits_and_why() -> None:
    lines = done(shell_at(RUNNING_S), "nd queue").split("\n")
    assert [line.split()[1] for line in lines[1:]] == [str(BETA), str(GAMMA), str(OTAS_BETA)]
    assert "Fits" in lines[1]
    assert says(lines[2], "neardedicated.does-not-fit")
    assert says(lines[3], "neardedicated.is-below", shown="70.0\xa0%", required="88\xa0%")


def test_kill_needs_the_job_spelled() -> None:
    shell = shell_at(RUNNING_S)
    alpha = {"request": ALPHA, "person": "hale", "name": "alpha"}
    runs = wording("neardedicated.runs", **alpha)
    assert says(refused(shell, "nd kill", 2), "neardedicated.name-job-to-kill-by", runs=runs)
    answer = done(shell, f"nd kill {ALPHA} --dry-run")
    assert says(" ".join(answer.split()), "neardedicated.would-be-killed-of-work", **alpha)
    assert later(shell, 0.0).job is not None
    reason = "12 % only"
    answer = done(shell, f"nd kill {ALPHA} --reason '{reason}'")
    assert answer.split() == [str(ALPHA), "hale", "alpha", "killed"]
    ended = {"ended_s": "23:01:00", "how": wording("neardedicated.killed-by-operator")}
    answer = refused(shell, f"nd kill {ALPHA}")
    assert says(answer, "neardedicated.has-ended-at", **ended)
    answer = refused(shell, "nd kill alpha")
    assert says(answer, "neardedicated.has-ended-at", **ended)
    night = later(shell)
    assert night.job is not None
    assert night.job.request == BETA
    row = next(row for row in shell.session.machine.audit if row.action == "kill job")
    assert (row.who, row.why, row.on) == ("hale", reason, "hale alpha")
    assert shell.session.machine.journal[-1].who == "hale"


def test_a_job_is_named_by_number_or_name() -> None:
    shell = shell_at(RUNNING_S)
    answers = {word: refused(shell, f"nd kill {word}") for word in ("beta", "gama", "1", "41870")}
    assert says(answers["beta"], "neardedicated.several-jobs-have-name-use", word="beta")
    assert {"41872 hale", "41874 ota"} <= set(re.findall(r"\d+ \w+", answers["beta"]))
    assert says(answers["gama"], "figures.did-you-mean", near="gamma")
    assert says(answers["1"], "neardedicated.choose-one-of")
    # A batch job: qdel ends it.
    assert says(answers["41870"], "neardedicated.no-near-dedicated-job", word="", word_2="41870")
    for word in ("99999999999999999999", "٤١٨٧١"):
        answer = refused(shell, f"nd kill {word}")
        assert answer
    done(shell, "nd queue hold gamma")


def test_extend() -> None:
    shell = shell_at(RUNNING_S)
    answer = done(shell, "nd extend 30 min --dry-run")
    assert says(answer, "neardedicated.watchdog-kills-at", start="23:50")
    answer = " ".join(done(shell, "nd extend 30min --reason 'nearly done'").split())
    assert says(answer, "neardedicated.to-4", value="extended", after_s="23:50")
    assert wording("neardedicated.window-ends", end_s="00:00") in answer
    assert wording("neardedicated.queued-job-no-longer-fits") + ": hale beta" in answer
    night = later(shell)
    assert night.job is not None
    assert night.job.watchdog_s == 120 + 600 * 2 + 1800
    answer = done(shell, f"nd extend {ALPHA} -10min")
    assert says(answer, "neardedicated.to-4", value="cut", after_s="23:40")
    answer = done(shell, "nd extend alpha +1 h")
    assert says(answer, "neardedicated.to-4", value="extended", after_s="00:40")
    for line, text in (
        ("nd extend 30", "BY is missing"),
        (f"nd extend {ALPHA}", "BY is missing"),
        ("nd extend", "BY is missing"),
    ):
        assert text in refused(shell, line, 2)
    for line, text in (
        (f"nd extend {GAMMA} 30min", "gamma"),
        (f"nd extend {ALPHA} soon", "not a length of time|is not a time"),
        ("nd extend -9h", "past"),
        ("nd extend 1e99h", "too long"),
        ("nd extend nobody 30min", "no near-dedicated job nobody"),
    ):
        assert any(part in refused(shell, line) for part in text.split("|"))
    answer = refused(shell_at(0), "nd extend 30min")
    assert says(answer, "neardedicated.no-near-dedicated-job-runs")


def test_the_window_by_hand() -> None:
    shell = shell_at(0)
    assert says(refused(shell, "nd stop"), "neardedicated.no-window-is-open")
    answer = refused(shell, "nd start --until 0")
    assert says(answer, "neardedicated.counts-from-machine-s-0")
    answer = refused(shell, "nd start --until 25:00")
    assert says(answer, "neardedicated.is-not-time-of-day")
    answer = refused(shell, "nd start --until", 2)
    assert says(answer, "machine.shell.needs-value")
    answer = done(shell, "nd start --until +1 h --reason 'machine is empty'")
    assert says(answer, "neardedicated.window-is-open-to", end_s="23:58")
    night = later(shell)
    assert night.window.is_open
    assert night.window.end_s == 3600
    assert "already open" in refused(shell, "nd start")
    assert "alpha continues" in done(shell, "nd stop")
    assert says(done(shell, "nd"), "neardedicated.stopped-it-was-and-its")
    answer = done(shell, "nd stop --kill")
    assert says(answer, "neardedicated.window-is-closed-and-was")
    assert "alpha was" in answer
    assert later(shell, 20).job is None


def test_the_queue_is_put_in_order() -> None:
    shell = shell_at(60)
    answer = done(shell, "nd queue move gamma 1 --reason 'he asked'")
    assert "place 1" in answer
    assert later(shell, 1).queue[0].request == GAMMA
    for place in ("0", "x", "-3", "1.5"):
        reply = shell.run(f"nd queue move gamma {place}")
        assert reply.status
        assert reply.text
    done(shell, "nd queue hold gamma")
    assert later(shell, 1).queue[0].fit == "Held"
    done(shell, "nd queue release gamma")
    done(shell, "nd queue order shortest")
    answer = refused(shell, "nd queue order shortst")
    assert says(answer, "text.did-you-mean", near="shortest or shares")
    answer = refused(shell, "nd queue xyz", 2)
    assert {"move,", "hold,", "release,"} <= set(answer.split())


def test_notes_and_alerts() -> None:
    shell = shell_at(0)
    assert done(shell, "nd note") == "no note"
    done(shell, 'nd note "beta may be killed\\nafter 3"')
    head, first, second = done(shell, "nd note").split("\n")
    assert head.split() == ["hale", "at", "22:58:"]
    assert (first.split(), second) == (["beta", "may", "be", "killed"], "after 3")
    expected = "Note        hale at 22:58:"
    assert expected in done(shell, "nd")
    answer = refused(shell, "nd note --clear text", 2)
    assert says(answer, "neardedicated.clear-does-not-take-text")
    done(shell, "nd note --clear")
    assert done(shell, "nd note") == "no note"
    assert done(shell, "nd alerts") == "no alert"
    answer = refused(shell, "nd ack efficiency:1")
    assert says(answer, "neardedicated.unknown-or-past-alert-current")
    assert says(refused(shell, "nd ack", 2), "machine.shell.is-missing", missing="KEY")


def test_an_alert_is_seen_by_who_says_so() -> None:
    shell = shell_at(RUNNING_S)
    night = later(shell, 330)  # 23:06:30; the watchdog kills at 23:20, and 15 min before that it is said
    keys = [alert.key for alert in night.alerts]
    assert keys
    assert keys[0] in done(shell, "nd alerts")
    assert "not acknowledged" in " ".join(done(shell, "nd alerts").split())
    completed = complete(shell.session.machine, "nd ack ", COMMANDS)
    assert keys[0] in completed
    done(shell, f"nd ack {keys[0]}")
    assert says(" ".join(done(shell, "nd alerts").split()), "neardedicated.seen-by", acknowledged_by="hale")


def test_the_report_of_a_night() -> None:
    assert says(refused(shell_at(0), "nd report"), "neardedicated.there-has-been-no-window")
    shell = shell_at(4100)
    assert says(done(shell, "nd report"), "neardedicated.near-dedicated-performance-report", when="")
    jobs, use, refusal = (
        shell.run(f"nd report {words}") for words in ("--csv", "--csv --table use", "--table use")
    )
    assert jobs.text.startswith("request,user,name,start,")
    assert use.text.startswith("end,cpu_user_fraction,")
    assert refusal.status
    answer = done(shell, "nd report --last")
    assert answer == done(shell, "nd report")  # the window is over
    answer = refused(shell_at(300), "nd report --last")
    assert says(answer, "neardedicated.no-window-has-ended-yet")


def test_help_and_completion() -> None:
    shell = shell_at(0)
    assert "\nnd " in help_text(COMMANDS)
    assert "\nnd " not in help_text()
    answer = done(shell, "nd --help")
    for name in ("status", "start", "stop", "kill", "extend", "queue", "report", "alerts", "ack", "note"):
        expected = f"  nd {name} "
        assert expected in answer
        for line in (f"nd {name} --help", f"help nd {name}"):
            assert done(shell, line).split()[:3] == ["usage:", "nd", name]
    usage = done(shell, "nd queue move --help")
    assert usage.split()[:6] == ["usage:", "nd", "queue", "move", "REQ", "PLACE"]
    for line in ("nd kil 3", "help nd kil"):
        assert says(refused(shell, line, 2), "figures.did-you-mean", near="kill")
    machine = shell.session.machine
    assert complete(machine, "n", COMMANDS)[0] == "nd"
    assert complete(machine, "nd k", COMMANDS) == ("kill",)
    result = set(complete(machine, "nd queue ", COMMANDS))
    assert result == {"move", "hold", "release", "order"}
    completed = complete(machine, "nd queue move ", COMMANDS)
    assert str(GAMMA) in completed
    completed = complete(machine, "nd queue order sh", COMMANDS)
    assert completed == ("shares", "shortest")
    options = complete(machine, "nd kill --", COMMANDS)
    assert "--reason" in options
    options = complete(machine, "nd xyz --", COMMANDS)
    assert options == ("--help",)


def test_a_machine_without_a_window_says_so() -> None:
    shell = Shell(Machine(scenario_of({"a": 1})), more=COMMANDS)
    for line in ("nd", "nd start", "nd kill 3", "nd extend 3min", "nd queue", "nd report", "nd note x"):
        assert says(refused(shell, line), "neardedicated.this-machine-does-not-have")
    completed = complete(shell.session.machine, "nd kill ", COMMANDS)
    assert list(completed) == []


@pytest.mark.parametrize(
    "line",
    [
        "nd kill ''",
        "nd kill -1",
        "nd queue move 1",
        "nd queue move",
        "nd start --until ''",
        "nd extend ''",
        "nd extend - -",
        "nd ack ''",
        "nd report --cvs",
        "nd status more",
        "nd " + "x" * 5000,
        "nd kill " + "9" * 5000,
        "nd extend " + "9" * 5000 + "min",
        "nd kill \x00",
        "nd note " + "y" * 10_000,
    ],
)
def test_what_makes_no_sense_is_refused_in_words(line: str) -> None:
    shell = shell_at(RUNNING_S)
    reply = shell.run(line)
    assert reply.status in (1, 2)
    assert reply.text
    assert "Traceback" not in reply.text
    assert len(reply.text) < 3000
    assert not shell.session.machine.journal


def test_what_was_typed_is_the_same_run_again() -> None:
    """Law: a checkpoint and the journal after it are the same run."""
    shell = shell_at(100)
    machine = shell.session.machine
    kept = save(machine)
    for seconds, line in ((10, "nd start --until +40min"), (60, "nd extend 5min"), (200, "nd kill alpha")):
        machine.advance_to(machine.now_s + seconds)
        done(shell, line)
    machine.advance_to(3000)
    again = load(kept, SCENARIO, makers_of(SCENARIO))
    again.replay(machine.journal)
    again.advance_to(3000)
    assert save(again) == save(machine)
