"""The share database: `sharesh` read by `sharecf` is the same, and what `lim` and the others change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import Shell
from fsconsole.shares.formats import sharecf
from fsconsole.shares.quoting import quoted
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, ShareTree
from fsconsole.text.words import listed
from tests.laws import tries
from tests.machine.shell.shells import done, empty, next_delta, raw, refused, series, shell_on
from tests.shares.trees import trees
from tests.texts import Expected, naming, says, span, worded, wording


def database(shell: Shell) -> str:
    """The lines of `sharesh`, without the comment that says when."""
    return done(shell, "sharesh").partition("\n")[2]


def copied_by_lim(shell: Shell) -> Shell:
    other = empty()
    for line in done(shell, "sharesh -l").split("\n"):
        reply = other.run(line)
        assert reply.status == 0, (line, reply.text)
    return other


@pytest.mark.parametrize("number", [1, 2, 4, 6])
@pytest.mark.parametrize("at_s", [0, 5, 200.5])
def test_what_sharesh_prints_changes_nothing_here_and_makes_the_same_elsewhere(
    number: int, at_s: float
) -> None:
    shell = series(number, at_s)
    answer = done(shell, "sharesh | sharecf")
    assert answer == wording("machine.shell.nothing-changes-database-already-has")
    assert not shell.session.machine.journal
    for at_delta in (True, False):
        other = empty()
        if not at_delta:
            other.session.machine.advance_to(1)
        done(other, f"sharecf\n{done(shell, 'sharesh')}")
        assert database(other) == database(shell)
        if not at_delta:
            next_delta(other)
            assert database(other) == database(shell)
            answer = done(other, "sharesh | sharecf")
            assert answer.startswith("Nothing changes")
    assert database(copied_by_lim(shell)) == database(shell)


@tries(60)
@given(trees(), trees())
def test_any_database_is_the_same_on_another_machine(tree: ShareTree, before: ShareTree) -> None:
    for node in (*tree.walk(), *before.walk()):
        node.usage, node.charge = min(node.usage, 1e12), min(node.charge, 1e12)
    shell, other = Shell(Machine(Scenario(tree))), empty()
    done(shell, "sharesh | sharecf")
    done(other, f"sharecf\n{done(shell, 'sharesh')}")
    assert database(other) == database(shell) == database(copied_by_lim(shell))
    used = Shell(Machine(Scenario(before)))
    used.run(f"sharecf\n{done(shell, 'sharesh')}")


def test_the_database_is_a_file_that_design_reads() -> None:
    shell = series(6, 100)
    tree = sharecf.read(done(shell, "sharesh"))
    values = raw(shell, "pl u11")["u11"]
    assert tree.find("u11").usage == pytest.approx(values["usage"], rel=1e-11)
    again = Machine(replace(shell.session.machine.scenario, tree=tree, workloads=(), logins=(), events=()))
    assert database(Shell(again)) == database(shell)


def test_part_of_a_database() -> None:
    shell = shell_on()
    lines = done(shell, "sharesh /A/a2").split("\n")[1:]
    expected = ["/A shares=2 flags=group", "/A/a2 shares=1 flags=user usage=0 charge=0"]
    assert lines == expected
    other = empty()
    done(other, "sharecf\n" + "\n".join(lines))
    assert other.session.machine.tree.find("A/a2").shares == 1


def test_only_differences_are_applied_and_nobody_is_removed() -> None:
    shell = shell_on(at_s=1)
    text = (
        "sharecf\n/A/a1 shares=7 usage=0\n/A shares=2\n/B/a2 shares=9\n/B/b2 shares=4 usage=5000 charge=2\n"
    )
    force = wording("machine.shell.in-force-at-next-delta", self=span(s=3))
    answer = done(shell, text).split("; ")
    assert answer == ["new: b2", "changed: " + listed(["a1", "a2"]), force]
    next_delta(shell)
    machine = shell.session.machine
    assert {machine.tree.path(node.id): node.shares for node in machine.tree.walk()} == {
        "root": 1, "root/A": 2, "root/A/a1": 7, "root/B": 1, "root/B/b1": 1, "root/B/a2": 9, "root/B/b2": 4
    }  # fmt: skip
    expected = "/B/b2 shares=4 flags=user usage=5000 charge=2"
    assert expected in database(shell)
    assert [type(entry.action).__name__ for entry in machine.journal] == ["ChangeTree", "SetBooks"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "/A/a1 shares=x",
            worded("machine.shell.must-be-whole-number-from", lowest="0", highest="2147483647"),
        ),
        (
            "/C/c1 shares=1",
            naming("line 1: no group /C. Its line must precede"),
        ),
        ("/A/a1 shares=2\n/b1/c shares=1", worded("shares.is-but-only-group-can", kind="user")),
        ("/A usage=5", worded("machine.shell.applies-only-to-users-and", name_2="A")),
        ("/A/a1 usage=1e300", worded("machine.shell.must-be-number-from-0", most="1e+18")),
        ("/A flags=user", worded("shares.contains-nodes-so-it-stays")),
        ("# nothing", worded("machine.shell.it-has-no-entries")),
    ],
)
def test_a_database_that_cannot_be_changes_nothing(text: str, message: Expected) -> None:
    assert says(refused(shell_on(at_s=1), f"sharecf\n{text}".replace("/b1/c", "/B/b1/c")), message)


def test_files_are_read_by_a_hook_alone() -> None:
    shell = shell_on()
    answer = refused(shell, "sharecf < a.sharecf")
    assert answer == "sharecf: " + wording("machine.shell.this-shell-does-not-read")
    assert refused(shell, "sharecf", 2).startswith(
        wording("machine.shell.is-missing", missing="sharecf: FILE")
    )
    files = {"a.sharecf": "/A/a1 shares=8\n"}

    def read(name: str) -> str:
        if name not in files:
            raise FileNotFoundError(2, "away", name)
        return files[name]

    reading = Shell(shell.session.machine, read_file=read)
    answer = refused(reading, "sharecf < b")
    assert answer == "sharecf: " + wording("machine.shell.cannot-be-read", names="b", why="away")
    answer = done(reading, "sharecf < a.sharecf")
    assert answer == ("changed: " + "a1; " + wording("machine.shell.in-force-now"))
    answer = refused(reading, "sharecf a.sharecf\n/A shares=1", 2)
    assert answer == ("sharecf: " + wording("machine.shell.give-either-file-or-lines"))


@pytest.mark.parametrize(
    ("line", "path", "shares"),
    [
        ("lim a1 shares=50", "A/a1", 50),
        ("lim shares=50 a1", "A/a1", 50),
        ("lim a1 shares+=4", "A/a1", 7),
        ("lim a1 shares-=3", "A/a1", 0),
        ("lim 'shares=9;sgroup=B' a1", "B/a1", 9),
        ("lim a1 group=/", "a1", 3),
        ("lim -n B/b9 shares=4", "B/b9", 4),
        ("lim -n b9 group=B shares=4", "B/b9", 4),
        ("lim -n /C flags=group shares=6", "C", 6),
        ("lim a1 name=ada", "A/ada", 3),
        ("lim root shares=1000", "root", 1000),
    ],
)
def test_lim_changes_entries_at_the_next_delta(line: str, path: str, shares: int) -> None:
    shell = shell_on(at_s=1)
    assert done(shell, line).endswith(wording("machine.shell.in-force-at-next-delta", self="3 s"))
    next_delta(shell)
    machine = shell.session.machine
    node = machine.tree.find(path)
    assert (node.shares, machine.flat.shares[machine.flat.row_of[node.id]]) == (shares, shares)


def test_lim_writes_usage_and_charge() -> None:
    shell = shell_on(at_s=1)
    done(shell, "lim a1 a2 usage=3e6 charge=100")
    done(shell, "lim a1 usage-=1e6")
    expected = "/A/a1 shares=3 flags=user usage=2000000 charge=100"
    assert expected in database(shell)
    assert raw(shell, "pl a1")["a1"]["usage"] == 0
    next_delta(shell)
    shell.session.machine.advance_to(4)
    answer = raw(shell, "pl a1 a2")["a2"]["charge"]
    assert answer == pytest.approx(100, abs=1)
    answer = raw(shell, "pl a1 a2")["a2"]["usage"]
    assert answer <= 3e6
    assert raw(shell, "pl a1")["a1"]["usage"] > 1.9e6


@pytest.mark.parametrize(
    ("line", "message", "status"),
    [
        (
            "lim a1 shares=x",
            worded(
                "machine.shell.must-be-whole-number-from",
                field="lim: shares",
                lowest="0",
                highest="2147483647",
                text="'x'",
            ),
            1,
        ),
        ("lim a1 shares-=4", worded("shares.formats.shares-must-be-whole-number"), 1),
        ("lim a1 usage=-1", worded("shares.formats.must-be-number-of-0", name="usage", text="'-1'"), 1),
        ("lim a1 charge=1e13", worded("machine.shell.must-be-number-from-0", name="charge", most="1e+12"), 1),
        ("lim A usage=1", worded("machine.shell.applies-only-to-users-and", name="usage", name_2="A"), 1),
        ("lim a1 group=a2", worded("shares.is-but-only-group-can", name="a2", kind="user"), 1),
        ("lim A group=A", worded("shares.cannot-move-into-itself", name="A"), 1),
        ("lim a1 flags+=system", worded("machine.shell.cannot-be-changed-by-amount", key="flags"), 1),
        ("lim a1 name=a2", worded("shares.already-has-child", name="A", name_2="a2"), 1),
        ("lim a1 share=5", naming("no key 'share'. Did you mean shares"), 1),
        ("lim a8 shares=5", worded("shares.scenario.node-not-found-in-tree", reference="a8"), 1),
        ("lim '' shares=5", worded("shares.scenario.name-is-empty"), 1),
        ("lim -n a1/x shares=5", worded("shares.is-but-only-group-can", name="a1", kind="user"), 1),
        ("lim shares=5", worded("machine.shell.is-missing", missing="USER"), 2),
        ("lim a1", worded("machine.shell.name-change-key-value-with"), 2),
    ],
)
def test_lim_refuses_what_cannot_be_and_names_the_field(line: str, message: Expected, status: int) -> None:
    assert says(refused(shell_on(at_s=1), line, status), message)


def test_nobody_is_removed_who_is_charged_or_there() -> None:
    shell = shell_on(at_s=1)
    assert refused(shell, "remshent a1") == wording(
        "machine.shell.end-them-first-kill-u",
        charged="remshent: " + wording("machine.shell.charged-to", processes="1 process", name="a1"),
        name="a1",
    )
    done(shell, "kill -u a1")
    done(shell, "login a1")
    assert refused(shell, "remshent a1") == wording(
        "machine.shell.is-logged-in-log-out", name="remshent: a1", name_2="a1"
    )
    done(shell, "logout a1")
    done(shell, "shradm DEFERTOESGRP=a2")
    assert done(shell, "remshent a1") == (
        wording("machine.shell.is-removed-2", path="a1")
        + "; "
        + wording("machine.shell.in-force-at-next-delta", self="3 s")
    )
    holds = wording("machine.shell.holds", name="remshent: B", children="1 entry")
    assert refused(shell, "remshent B") == holds + wording("machine.shell.remove-or-move-them-first")
    assert refused(shell, "remshent /") == ("remshent: " + wording("machine.shell.root-cannot-be-removed"))
    next_delta(shell)
    charged = wording("machine.shell.interactive-processes-are-charged-to", name="a2")
    assert refused(shell, "remshent a2") == "remshent: " + charged
    assert "a1" not in database(shell)


def test_pwintf_prints_as_printf_does() -> None:
    shell = shell_on()
    answer = done(shell, r"pwintf '%s\t%d of %s\n' lname shares sgroupname")
    rows = [line.split() for line in answer.split("\n")]
    assert rows == [["a1", "3", "of", "A"], ["a2", "1", "of", "A"], ["b1", "1", "of", "B"]]
    assert answer.count("\t") == 3
    expected = "a1  |  0.50|%"
    answer = done(shell, "pwintf '%-4s|%6.2f|%%' lname mshare a1")
    assert answer == expected
    answer = done(shell, "pwintf '%{path} %.1{ashare} %{flags} %{activelnode}' a1 a2")
    rows = [line.split(" ") for line in answer.split("\n")]
    assert rows == [["root/A/a1", "0.7", "user", "1"], ["root/A/a2", "0.0", "user", "0"]]
    answer = done(shell, "pwintf '%-5s %5d\\n' lname shares A")
    assert answer == "A" + " " * 9 + "2"
    answer = refused(shell, "pwintf '%d' lname")
    assert answer == wording("machine.shell.is-word-print-it-with", name="pwintf: lname", letter="d")
    answer = refused(shell, "pwintf '%s' share")
    near = wording("text.did-you-mean", near="shares or mshare")
    assert answer == "pwintf: " + wording("machine.shell.no-field", name="'share'", name_2=near)
    answer = refused(shell, "pwintf '%s %s' lname", 2)
    assert says(answer, "machine.shell.format-needs-not", plain="2 fields", fields="1")
    answer = refused(shell, "pwintf '%q' lname", 2)
    assert says(answer, "machine.shell.in-format-is-not-conversion")
    assert says(refused(shell, "pwintf 'x%'", 2), "machine.shell.in-format-is-not-conversion")
    answer = refused(shell, "pwintf '%999999999s' lname")
    assert says(answer, "machine.shell.width-and-digits-must-be", widest="200")


@given(st.text(max_size=20), st.lists(st.sampled_from(["lname", "usage", "a1"]), max_size=3))
@tries(200)
def test_any_format_is_printed_or_refused(form: str, words: list[str]) -> None:
    reply = _ONE.run(f"pwintf {quoted(form)} {' '.join(words)}")
    assert reply.status in (0, 1, 2)


_ONE = shell_on()


def test_users_of_one_name_are_told_apart_by_paths() -> None:
    tree = ShareTree()
    for group in ("A", "B"):
        tree.add(tree.add(0, group, 1, Kind.GROUP).id, "same")
    shell = Shell(Machine(Scenario(tree)))
    answer = refused(shell, "lim same shares=3")
    assert says(answer, "shares.is-name-of-nodes-write")
    done(shell, "lim /A/same shares=3")
    assert [node.shares for node in shell.session.machine.tree.walk() if node.name == "same"] == [3, 1]


@pytest.mark.parametrize(
    "line", ["pwintf 'shares>3' '%s' lname", "pwintf 'usage>1' lname", "pwintf all '%s' lname"]
)
def test_pwintf_chooses_nobody_by_an_expression(line: str) -> None:
    assert says(refused(shell_on(), line), "machine.shell.format-comes-first-as-in")
