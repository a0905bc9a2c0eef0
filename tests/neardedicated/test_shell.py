"""`nd` in the machine's shell: what it shows, what it does, and what it refuses."""

from __future__ import annotations

import json

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
from tests.texts import says

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
        "watchdog kills at 23:20",
        "Required: 88.0 %",
        "3 jobs",
        "Alerts      none",
    ):
        assert words in answer
    assert done(shell_at(RUNNING_S), "nd status") == answer
    assert says(done(shell_at(0), "nd"), "neardedicated.closed-next-is-in", start_s="2 min")
    result = json.loads(shell_at(RUNNING_S).run("nd status --json").text)["job"]["request"]
    assert result == ALPHA


def test_stop_is_tried_before_it_is_done() -> None:
    shell = shell_at(RUNNING_S)
    before = save(shell.session.machine)
    assert f"{ALPHA} hale alpha would continue until its watchdog kills it at 23:20 at the latest" in done(
        shell, "nd stop --dry-run"
    ).replace("\n", " ")
    assert f"{ALPHA} hale alpha would be killed" in done(shell, "nd stop --kill --dry-run").replace("\n", " ")
    assert "already closed" in done(shell_at(0), "nd stop --dry-run")
    assert save(shell.session.machine) == before


def test_a_time_of_another_day_says_which() -> None:
    shell = shell_at(0)  # 22:58
    assert says(
        done(shell, "nd start --until 22:40"), "neardedicated.window-is-open-to", end_s="tomorrow 22:40"
    )
    assert "open 22:58 to tomorrow 22:40, set by hand, 23 h 42 min left" in done(shell, "nd")
    later(shell, 60.0)
    assert says(
        done(shell, "nd extend 48h --dry-run"), "neardedicated.watchdog-kills-at", start="1996-02-21 23:1"
    )
    assert "extended to 1996-02-21 23:1" in done(shell, "nd extend 48h")
    assert says(
        " ".join(done(shell, "nd").split()), "neardedicated.watchdog-kills-at-2", start="1996-02-21 23:1"
    )
    assert says(
        done(shell_at(0), "nd start --until +24h"),
        "neardedicated.window-is-open-to",
        end_s="1996-02-20 22:58",
    )


def test_the_queue_says_what_fits_and_why() -> None:
    lines = done(shell_at(RUNNING_S), "nd queue").split("\n")
    assert [line.split()[1] for line in lines[1:]] == [str(BETA), str(GAMMA), str(OTAS_BETA)]
    assert "Fits" in lines[1]
    assert says(lines[2], "neardedicated.does-not-fit")
    assert says(lines[3], "neardedicated.is-below", shown="70.0\xa0%", required="88\xa0%")


def test_kill_needs_the_job_spelled() -> None:
    shell = shell_at(RUNNING_S)
    assert f"{ALPHA} hale alpha runs" in refused(shell, "nd kill", 2)
    assert "of work would be lost" in done(shell, f"nd kill {ALPHA} --dry-run")
    assert later(shell, 0.0).job is not None
    assert done(shell, f"nd kill {ALPHA} --reason '12 % only'") == f"{ALPHA} hale alpha killed"
    assert "has ended at 23:01:00: killed by operator" in refused(shell, f"nd kill {ALPHA}")
    assert "has ended" in refused(shell, "nd kill alpha")
    night = later(shell)
    assert night.job is not None
    assert night.job.request == BETA
    row = next(row for row in shell.session.machine.audit if row.action == "kill job")
    assert (row.who, row.why, row.on) == ("hale", "12 % only", "hale alpha")
    assert shell.session.machine.journal[-1].who == "hale"


def test_a_job_is_named_by_number_or_name() -> None:
    shell = shell_at(RUNNING_S)
    assert says(refused(shell, "nd kill beta"), "neardedicated.several-jobs-have-name-use", word="beta")
    assert "41872 hale, 41874 ota" in refused(shell, "nd kill beta")
    assert says(refused(shell, "nd kill gama"), "figures.did-you-mean", near="gamma")
    assert says(refused(shell, "nd kill 1"), "neardedicated.choose-one-of")
    assert says(
        refused(shell, "nd kill 41870"), "neardedicated.no-near-dedicated-job", word="", word_2="41870"
    )  # a batch job: qdel ends it
    assert refused(shell, "nd kill 99999999999999999999")
    assert refused(shell, "nd kill ٤١٨٧١")
    done(shell, "nd queue hold gamma")


def test_extend() -> None:
    shell = shell_at(RUNNING_S)
    assert says(done(shell, "nd extend 30 min --dry-run"), "neardedicated.watchdog-kills-at", start="23:50")
    answer = done(shell, "nd extend 30min --reason 'nearly done'")
    assert "extended to 23:50; the window ends 00:00" in answer
    assert "1 queued job no longer fits: hale beta" in " ".join(answer.split())
    night = later(shell)
    assert night.job is not None
    assert night.job.watchdog_s == 120 + 600 * 2 + 1800
    assert "cut to 23:40" in done(shell, f"nd extend {ALPHA} -10min")
    assert "extended to 00:40" in done(shell, "nd extend alpha +1 h")
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
    assert says(refused(shell_at(0), "nd extend 30min"), "neardedicated.no-near-dedicated-job-runs")


def test_the_window_by_hand() -> None:
    shell = shell_at(0)
    assert "no window is open" in refused(shell, "nd stop")
    assert "is past" in refused(shell, "nd start --until 0")
    assert "not a time of day" in refused(shell, "nd start --until 25:00")
    assert "needs a value" in refused(shell, "nd start --until", 2)
    assert "open to 23:58" in done(shell, "nd start --until +1 h --reason 'machine is empty'")
    night = later(shell)
    assert night.window.is_open
    assert night.window.end_s == 3600
    assert "already open" in refused(shell, "nd start")
    assert "alpha continues" in done(shell, "nd stop")
    assert "its last job still runs" in done(shell, "nd")
    assert "alpha was killed" in done(shell, "nd stop --kill")
    assert later(shell, 20).job is None


def test_the_queue_is_put_in_order() -> None:
    shell = shell_at(60)
    assert "place 1" in done(shell, "nd queue move gamma 1 --reason 'he asked'")
    assert later(shell, 1).queue[0].request == GAMMA
    for place in ("0", "x", "-3", "1.5"):
        assert refused(
            shell, f"nd queue move gamma {place}", shell.run(f"nd queue move gamma {place}").status
        )
    assert done(shell, "nd queue hold gamma")
    assert later(shell, 1).queue[0].fit == "Held"
    assert done(shell, "nd queue release gamma")
    assert done(shell, "nd queue order shortest")
    assert "Did you mean shortest" in refused(shell, "nd queue order shortst")
    assert "Choose one of move, hold, release, order" in refused(shell, "nd queue xyz", 2)


def test_notes_and_alerts() -> None:
    shell = shell_at(0)
    assert done(shell, "nd note") == "no note"
    done(shell, 'nd note "beta may be killed\\nafter 3"')
    assert done(shell, "nd note") == "hale at 22:58:\nbeta may be killed\nafter 3"
    expected = "Note        hale at 22:58:"
    assert expected in done(shell, "nd")
    assert refused(shell, "nd note --clear text", 2)
    done(shell, "nd note --clear")
    assert done(shell, "nd note") == "no note"
    assert done(shell, "nd alerts") == "no alert"
    assert says(refused(shell, "nd ack efficiency:1"), "neardedicated.unknown-or-past-alert-current")
    assert says(refused(shell, "nd ack", 2), "machine.shell.is-missing", missing="KEY")


def test_an_alert_is_seen_by_who_says_so() -> None:
    shell = shell_at(RUNNING_S)
    night = later(shell, 330)  # 23:06:30; the watchdog kills at 23:20, and 15 min before that it is said
    keys = [alert.key for alert in night.alerts]
    assert keys
    assert keys[0] in done(shell, "nd alerts")
    assert "not acknowledged" in " ".join(done(shell, "nd alerts").split())
    assert keys[0] in complete(shell.session.machine, "nd ack ", COMMANDS)
    done(shell, f"nd ack {keys[0]}")
    assert says(" ".join(done(shell, "nd alerts").split()), "neardedicated.seen-by", acknowledged_by="hale")


def test_the_report_of_a_night() -> None:
    assert says(refused(shell_at(0), "nd report"), "neardedicated.there-has-been-no-window")
    shell = shell_at(4100)
    assert says(done(shell, "nd report"), "neardedicated.near-dedicated-performance-report", when="")
    assert shell.run("nd report --csv").text.startswith("request,user,name,start,")
    assert shell.run("nd report --csv --table use").text.startswith("end,cpu_user_fraction,")
    assert shell.run("nd report --table use").status
    answer = done(shell, "nd report --last")
    assert answer == done(shell, "nd report")  # the window is over
    assert says(refused(shell_at(300), "nd report --last"), "neardedicated.no-window-has-ended-yet")


def test_help_and_completion() -> None:
    shell = shell_at(0)
    assert "\nnd " in help_text(COMMANDS)
    assert "\nnd " not in help_text()
    answer = done(shell, "nd --help")
    for name in ("status", "start", "stop", "kill", "extend", "queue", "report", "alerts", "ack", "note"):
        expected = f"  nd {name} "
        assert expected in answer
        assert done(shell, f"nd {name} --help").startswith(f"usage: nd {name}")
        assert done(shell, f"help nd {name}").startswith(f"usage: nd {name}")
    assert done(shell, "nd queue move --help").startswith("usage: nd queue move REQ PLACE")
    assert says(refused(shell, "nd kil 3", 2), "figures.did-you-mean", near="kill")
    assert says(refused(shell, "help nd kil", 2), "figures.did-you-mean", near="kill")
    machine = shell.session.machine
    assert complete(machine, "n", COMMANDS)[0] == "nd"
    assert complete(machine, "nd k", COMMANDS) == ("kill",)
    result = set(complete(machine, "nd queue ", COMMANDS))
    assert result == {"move", "hold", "release", "order"}
    assert str(GAMMA) in complete(machine, "nd queue move ", COMMANDS)
    completed = complete(machine, "nd queue order sh", COMMANDS)
    assert completed == ("shares", "shortest")
    assert "--reason" in complete(machine, "nd kill --", COMMANDS)
    options = complete(machine, "nd xyz --", COMMANDS)
    assert options == ("--help",)


def test_a_machine_without_a_window_says_so() -> None:
    shell = Shell(Machine(scenario_of({"a": 1})), more=COMMANDS)
    for line in ("nd", "nd start", "nd kill 3", "nd extend 3min", "nd queue", "nd report", "nd note x"):
        assert "has no section near_dedicated" in refused(shell, line)
    assert list(complete(shell.session.machine, "nd kill ", COMMANDS)) == []


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
