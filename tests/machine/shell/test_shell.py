"""Lines, help and completion; whatever is typed, the shell answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import command_names, complete, help_text, run
from tests.laws import tries
from tests.machine.shell.shells import TREE, done, refused, series, shell_on
from tests.machine.worlds import scenario_of
from tests.texts import says, wording

_NAMES = [
    "a1",
    "b1",
    "A",
    "/A/a1",
    "root",
    "/",
    "nobody",
    "ana",
    "disk",
    "-u",
    "-x",
    "-l",
    "-n",
    "--raw",
    "--",
]
_WORDS = [
    *_NAMES,
    "shares=5",
    "usage+=7",
    "group=B",
    "flags=group",
    "-K",
    "600s",
    "1e400",
    "-1",
    "5",
    "x",
    "|",
]
_WORDS += [
    "sharecf",
    "'",
    '"',
    "#",
    "%d",
    "%{usage}",
    "shares",
    "ADJGROUPS=on",
    "policy.nu=2",
    "--help",
    "",
    "٣",
]


@pytest.mark.parametrize("name", command_names())
def test_every_command_has_help_that_fits(name: str) -> None:
    text = done(shell_on(), f"help {name}" if name != "help" else "help")
    assert max(map(len, text.split("\n"))) <= 80
    if name != "help":
        assert text.startswith("usage: ")
        assert text == done(shell_on(), f"{name} --help") == done(shell_on(), f"{name} -h")


def test_help_names_all_and_fits() -> None:
    assert all(
        any(line.startswith(name) for line in help_text().split("\n")) for name in ("pl", "shradm", "help")
    )
    assert max(map(len, help_text().split("\n"))) <= 80


@pytest.mark.parametrize("name", ["sharecf", "shradm", "shrview", "slxqt", "newacct", "sharesh"])
def test_what_is_reconstructed_says_so(name: str) -> None:
    assert "our reconstruction" in " ".join(done(shell_on(), f"{name} --help").split())


def test_what_makes_no_sense_is_reported_with_what_would() -> None:
    shell = shell_on()
    answer = "rate: unknown command. Did you mean rates or date? Enter help to list all commands"
    assert refused(shell, "rate", 2) == answer
    near = wording("text.did-you-mean", near="u23 or u22")
    unknown = wording("shares.scenario.node-not-found-in-tree", reference="u2l", reference_2=near)
    assert refused(series(1, 0), "pl u2l") == f"pl: {unknown}"
    assert refused(shell, "pl 'a1", 1) == ("pl: " + wording("shares.is-not-closed-close-it", line="'"))
    assert refused(shell, "rates -q", 2) == (
        "rates: "
        + wording("machine.shell.is-not-argument-of-this", unknown="-q")
        + wording("machine.shell.see-help", message="", prog="rates")
    )
    assert refused(shell, "remshent", 2).startswith(
        wording("machine.shell.is-missing", missing="remshent: USER")
    )
    assert refused(shell, "charge -K", 2).startswith(wording("machine.shell.needs-value", lone="charge: -K"))
    assert refused(shell, "help nothing", 2).startswith(
        "help: " + wording("machine.shell.no-command", unknown="", unknown_2="'nothing'")
    )
    comment = done(shell, "  # nothing")
    assert done(shell, "") == comment == ""


_LINES = st.text() | st.builds(
    lambda name, words: " ".join([name, *words]),
    st.sampled_from(command_names()),
    st.lists(st.sampled_from(_WORDS) | st.text(max_size=5), max_size=5),
)


@tries(200)
@given(st.lists(_LINES, min_size=1, max_size=6), st.booleans())
def test_any_lines_are_answered(lines: list[str], runs_on: bool) -> None:
    shell = shell_on("a1", people={"ana": ("a1", "b1")})
    for line in lines:
        reply = shell.run(line)
        assert reply.status in (0, 1, 2)
        assert "np." not in reply.text
        complete(shell.session.machine, line)
        if runs_on:
            shell.session.machine.advance(shell.session.machine.tick + 130)


def test_what_is_shown_fits_80_columns() -> None:
    shell = series(6, 20)
    for line in (
        "pl -a",
        "rates -u --system -a",
        "charges -v",
        "shradm",
        "shrview",
        "shrview -c",
        "ps",
        "who",
        "date",
    ):
        assert max(map(len, done(shell, line).split("\n"))) <= 80


def test_last_words_are_completed() -> None:
    machine = shell_on(people={"ana": ("a1", "b1")}).session.machine
    assert complete(machine, "sh") == ("sharecf", "sharesh", "shradm", "shrview")
    assert complete(machine, "pl a") == ("a1", "a2", "ana")
    assert complete(machine, "pl /A/") == ("/A/a1", "/A/a2")
    answer = complete(machine, "lim a1 sh")
    assert answer == ("shares=",)
    assert complete(machine, "rates -") == ("--help", "--raw", "--system", "-a", "-u", "-x")
    assert complete(machine, "shradm FIX") == ("FIXEDPRI",)
    assert complete(machine, "help pw") == ("pwintf",)


def test_a_line_needs_no_shell_of_its_own() -> None:
    machine = Machine(scenario_of(TREE, loops=("a1",)))
    answer = run(machine, "lim a1 shares=7").status
    assert answer == 0
    assert says(
        run(machine, "pl", who="a1").text,
        "machine.shell.shares-of-in-machine",
        shares="7",
        siblings="8",
        later="A",
    )
    assert run(machine, "pl").status == 1


def test_lines_below_a_command_are_refused_where_nobody_reads_them() -> None:
    machine = Machine(scenario_of(TREE))
    name = next(node.name for node in machine.tree.walk() if not node.is_group)
    before = machine.tree.find(name).shares
    reply = run(machine, f"lim {name} shares=77\nlim {name} shares=78")
    assert (reply.status, reply.text) == (
        2,
        ("lim: " + wording("machine.shell.only-sharecf-takes-lines-below")),
    )
    assert machine.tree.find(name).shares == before
