"""Processes and people: who is charged for what."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime

import numpy as np
import pytest

from fsconsole.machine import blocking
from fsconsole.machine.checkpoint import save
from fsconsole.machine.shell import Shell
from tests.machine.shell.shells import done, next_delta, raw, refused, series, shell_on
from tests.machine.worlds import split
from tests.texts import Expected, naming, says, span, worded, wording

ANA = {"ana": ("a1", "b1")}


def rows(shell: Shell, line: str = "ps") -> list[list[str]]:
    """Rows of `ps --raw`: pid, charged to, started by, command and so on."""
    return [row.split("\t") for row in done(shell, f"{line} --raw").split("\n")[1:]]


def test_a_process_shows_who_is_charged() -> None:
    """The wish of Junglas section 8, with slxqt's jobs under Daemon's account of section 7."""
    shell = series(1, 10)
    assert rows(shell)[0][:4] == ["1", "root, exempt", "root, exempt", "init"]
    answer = done(shell, "slxqt -u daemon nfsd -v 3")
    assert answer == wording("machine.started-charged-to", what="process 8", ids="daemon")
    (result,) = rows(shell, "ps -u daemon")
    assert result[:3] == ["8", "daemon", "operator"]
    assert shlex.split(result[3]) == ["nfsd", "-v", "3"]
    assert result[4:] == ["20", "0", "runnable", "0"]
    shell.session.machine.advance_to(11)
    assert float(rows(shell, "ps 8")[0][-1]) > 0
    processes = raw(shell, "pl daemon --system")["daemon"]["processes"]
    assert processes == 1
    header = done(shell, "ps").split("\n")[0].split()
    assert header == [
        "PID",
        "charged",
        "to",
        "started",
        "by",
        "command",
        "nice",
        "priority",
        "state",
        "CPU",
        "s",
    ]


def test_what_is_held_back_says_why_as_in_the_process_table() -> None:
    shell = series(1, 10)
    machine = shell.session.machine
    blocking.hold(machine, np.array([0]), blocking.SWAPPED)
    blocking.hold(machine, np.array([1]), blocking.NO_SDS)
    assert [row[6] for row in rows(shell)[:2]] == ["swapped out", wording("machine.waits-for-sds")]


def test_jobs_under_root_are_exempt() -> None:
    shell = shell_on("a1", at_s=4)
    done(shell, "slxqt -u root backup")
    done(shell, "ps -u root")
    shell.session.machine.advance_to(10)
    machine = shell.session.machine
    assert int(machine.ran[0]) == pytest.approx(6 * 60, abs=3)


def test_sl_makes_the_shell_anothers() -> None:
    shell = shell_on()
    nobody = wording("machine.shell.this-shell-belongs-to-who", who="operator")
    assert refused(shell, "run cc") == "run: " + nobody
    assert done(shell, "sl a2") == wording("machine.shell.this-shell-belongs-to-its", user="a2", session="a2")
    answer = done(shell, "run -c 2 cc")
    assert answer == wording(
        "machine.started-charged-to", what=wording("machine.processes-to", pids="3", pids_2="4"), ids="a2"
    )
    name, state = done(shell, "pl").split("\n")[0].split("  ")
    assert (name, state) == ("a2", wording("machine.shell.not-logged-in-has-processes"))
    answer = done(shell, "slxqt -u b1 cc")
    assert says(answer, "machine.started-charged-to", ids="b1")
    assert [row[1:3] for row in rows(shell)[2:]] == [["a2", "a2"], ["a2", "a2"], ["b1", "a2"]]
    assert done(shell, "sl") == wording("machine.shell.this-shell-belongs-to-again", who="operator")
    own = Shell(shell.session.machine, "a1")
    assert done(own, "pl").startswith("a1")
    done(own, "sl a2")
    assert done(own, "sl") == wording("machine.shell.this-shell-belongs-to-again", who="a1")
    assert done(own, "pl").startswith("a1")
    assert refused(own, "sl A") == "sl: " + wording("machine.shell.is-group-name-user-below", id="A")


def test_a_person_with_two_accounts_is_charged_where_he_works() -> None:
    """Share by Account: from newacct on the other account pays, what runs stays where it is."""
    shell = shell_on("a2", people=ANA)
    assert done(shell, "login ana") == wording("machine.logged-in-on", person="ana", name="a1")
    done(shell, "sl ana")
    done(shell, "run early")
    assert done(shell, "newacct") == wording(
        "machine.shell.works-on-newacct-l-lists", name="ana", current="a1"
    )
    assert done(shell, "newacct b1") == wording("machine.now-works-on", person="ana", node="b1")
    assert [line.split() for line in done(shell, "newacct -l").split("\n")[1:]] == [
        ["a1"],
        ["b1", "in", "use"],
    ]
    done(shell, "run late")
    assert [row[1:4] for row in rows(shell)[1:]] == [["a1", "ana", "early"], ["b1", "ana", "late"]]
    assert done(shell, "who").split("\n")[1].split()[:2] == ["ana", "b1"]
    shares = split(shell.session.machine, 600)
    assert shares == pytest.approx({"a1": 50, "a2": 100 / 6, "b1": 100 / 3}, abs=1)
    logged_out = wording("machine.logged-out", name="ana")
    assert done(shell, "logout") == wording("machine.shell.ended", text=logged_out, ended="1 process")
    assert refused(shell, "newacct a2") == wording(
        "machine.may-not-charge-allowed", person="newacct: ana", node="a2", known="a1, b1"
    )
    assert refused(shell_on(), "newacct b1") == (
        "newacct: " + wording("machine.shell.no-user-here-has-several")
    )
    assert says(refused(shell_on(people=ANA), "newacct b1"), "machine.shell.name-user-with-u-user")
    answer = done(shell_on(people=ANA), "newacct -u ana b1")
    assert answer == wording("machine.now-works-on", person="ana", node="b1")


def test_interactive_processes_go_where_they_are_deferred_to() -> None:
    shell = shell_on()
    done(shell, "shradm DEFERTOESGRP=b1")
    done(shell, "run -u a1 -i vi")
    done(shell, "run -u a1 cc")
    assert [row[1] for row in rows(shell)[2:]] == ["b1", "a1"]


def test_what_a_process_does_is_reported_by_options() -> None:
    shell = shell_on()
    done(shell, "run -u a2 -n 30 --burst 0.5 --sleep 2s --cpu 1min cc")
    done(shell, "run -u a2 --burst 100ms --device disk --io 20ms dd")
    table = shell.session.machine.processes
    assert table.nice.tolist() == [20, 20, 30, 20]
    assert (table.burst_mean[2:].tolist(), table.sleep_mean[2], table.cpu_left[2]) == ([30, 6], 120, 3600)
    assert (table.device.tolist(), table.io_mean[3]) == ([-1, -1, -1, 0], pytest.approx(1.2))


@pytest.mark.parametrize(
    ("line", "message", "status"),
    [
        ("run -u a1", worded("machine.shell.command-name-of-process-is"), 2),
        ("run -u A cc", worded("machine.shell.is-group-name-user-below", id="A"), 1),
        (
            "run -u a1 -n 40 cc",
            worded(
                "machine.shell.must-be-whole-number-from", field="-n", lowest="0", highest="39", text="'40'"
            ),
            1,
        ),
        (
            "run -u a1 -c 0 cc",
            worded("machine.shell.must-be-whole-number-from", field="-c", lowest="1", highest="100000"),
            1,
        ),
        ("run -u a1 --sleep 1 cc", worded("machine.shell.sleep-needs-burst-cpu-time"), 2),
        ("run -u a1 --burst soon cc", naming("--burst: 'soon' is not a time"), 1),
        ("run -u a1 --burst 1 --device tape cc", naming("no device 'tape'; there are disk"), 1),
        ("slxqt cc", worded("machine.shell.u-user-charged-user-is"), 2),
        ("kill", worded("machine.shell.is-missing", missing="PID"), 2),
        ("kill x", worded("machine.shell.must-be-whole-number-from", field="PID"), 1),
        ("kill 1 99", worded("machine.no-process-it-may-have", pid="99"), 1),
        ("kill -u a2", worded("machine.does-not-have-such-process", node="a2"), 1),
        (
            "renice 50 1",
            worded("machine.shell.must-be-whole-number-from", field="NICE", lowest="0", highest="39"),
            1,
        ),
        ("renice 5", worded("machine.shell.is-missing", missing="PID"), 2),
        ("login A", worded("machine.shell.is-group-name-user-below", id="A"), 1),
        ("logout a1", worded("machine.is-not-logged-in", name="a1"), 1),
        ("login u99", worded("cli.not-found", what="node", name="u99"), 1),
    ],
)
def test_what_cannot_be_is_refused(line: str, message: Expected, status: int) -> None:
    assert says(refused(shell_on(), line, status), message)


def test_processes_end_and_get_other_nice_values() -> None:
    shell = shell_on("a1", "a1", "b1")
    answer = done(shell, "renice 30 1 3")
    assert answer == wording("machine.shell.now-with-nice", pids="2 processes", nice="30")
    answer = done(shell, "nice 25 -u a1")
    assert answer == wording("machine.now-has-nice", person="a1", nice="25")
    assert [row[4] for row in rows(shell)] == ["25", "25", "30"]
    answer = done(shell, "kill 1 3 3")
    assert answer.split() == ["ended", "2", "processes"]
    answer = done(shell, "kill -u a1 loop")
    assert answer == wording("machine.ended-of", pids="1", node="a1")
    assert done(shell, "ps") == "no process"


def test_logins_count_and_a_reboot_keeps_the_database() -> None:
    shell = shell_on(at_s=100)
    done(shell, "login a2")
    assert raw(shell, "rates -u")["a2"]["allocated"] == pytest.approx(1 / 6)
    answer = done(shell, "logout -k a2")
    assert answer == wording("machine.logged-out", name="a2")
    next_delta(shell)
    before = raw(shell, "pl a1")["a1"]["charge"]
    assert done(shell, "reboot").split()[-3:] == ["2", "processes", "ended"]
    assert raw(shell, "pl a1")["a1"]["charge"] == pytest.approx(before)
    assert (done(shell, "ps"), done(shell, "w")) == ("no process", "nobody")


def test_the_date_is_the_machines() -> None:
    now = f"{datetime(1991, 3, 4, 14, 16, 10, tzinfo=UTC):%a %d %b %Y %H:%M:%S}"
    line = wording("machine.shell.since-start-tick", now=now, now_s=span(s=970), tick="58200")
    answer = done(series(6, 970), "date")
    assert answer == wording("machine.shell.next-delta-in", line=line, session=span(s=2))


def test_many_processes_are_shown_in_part() -> None:
    shell = shell_on()
    done(shell, "run -u a2 -c 300 cc")
    assert done(shell, "ps").split("\n")[-1] == wording("machine.shell.and-more-ps-u-user", rows="102")
    assert len(done(shell, "ps --all").split("\n")) == 303


def test_who_counts_what_is_a_persons_own() -> None:
    """ana and ben share a1; ben is not logged in, and b1 only has a process."""
    shell = shell_on("a1", "b1", people={"ana": ("a1", "b1"), "ben": ("a1", "a2")}, at_s=4)
    done(shell, "login ana")
    done(shell, "run -u ana -c 2 cc")
    done(shell, "run -u ben cc")
    lines = [line.split(maxsplit=4) for line in done(shell, "who").split("\n")[1:]]
    own = {(name, account): (count, *rest) for name, account, count, _, *rest in lines}
    assert own["ana", "a1"] == ("2",)
    assert own["ben", "a1"] == ("1", wording("machine.shell.not-logged-in"))
    assert own["a1", "a1"][0] == own["b1", "b1"][0] == "1"
    assert sum(float(line[3]) for line in lines) == pytest.approx(4, abs=0.1)


def test_what_is_unknown_is_reported_with_what_is_known() -> None:
    shell = shell_on(people=ANA)
    done(shell, "sl ana")
    assert says(refused(shell, "newacct b2"), "machine.shell.accounts-of", name="ana", own="a1, b1")
    assert refused(shell, "kill 99") == ("kill: " + wording("machine.no-process-it-may-have", pid="99"))


@pytest.mark.parametrize(
    "line",
    ["kill -u u11", "renice 39 2", "lim u11 shares=9", "logout u11", "reboot", "shradm policy.k_mu=1.5",
     "charge 50", "run -u u11 loop"],
)  # fmt: skip
def test_a_dry_run_answers_as_the_command_and_changes_nothing(line: str) -> None:
    shell = series(1, 10)
    machine = shell.session.machine
    command, _, rest = line.partition(" ")
    before = save(machine)
    answer = done(shell, f"{command} --dry-run {rest}")
    assert save(machine) == before
    would = done(shell, f"{command} --reason why {rest}")
    assert answer == wording("machine.shell.dry-run-nothing-was-done", answer=would)
    assert {row.why for row in machine.audit} == {"why"}
