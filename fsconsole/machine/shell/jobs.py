"""`ps`, `run`, `slxqt`, `kill` and `renice`: processes and their accounts."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from fsconsole.machine.blocking import states
from fsconsole.machine.shell import text
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.options import Options, Parser, time_s, whole
from fsconsole.machine.shell.reply import Misused
from fsconsole.machine.shell.session import Session, User
from fsconsole.shares.scenario.actions import (
    CURRENT_ACCOUNT,
    MAX_PROCESSES,
    NICE_LEVELS,
    EndProcess,
    EndProcesses,
    Renice,
    ReniceUser,
    StartProcess,
    Work,
)
from fsconsole.shares.tree import ROOT_ID
from fsconsole.text.words import count_words

_ROWS, _STATE = 200, 16  # The list has at most this number of rows, and characters of a process's activity.
_HEADER = ("PID", "charged to", "started by", "command", "nice", "priority", "state", "CPU s")


def ps(session: Session, options: Options) -> str:
    """List processes and the account that is charged for each."""
    machine, table = session.machine, session.machine.processes
    shown = np.ones(len(table), np.bool_)
    if options.user is not None:
        shown &= table.owner == machine.flat.row_of.get(_charged_node(session, options.user), -1)
    if options.pid:
        pids = [whole("PID", pid, 1, 10**15) for pid in options.pid]
        shown &= np.isin(table.pid, pids)
    rows = np.flatnonzero(shown).tolist()
    most = len(rows) if options.all or options.raw else _ROWS
    doing = states(machine).tolist()
    cells = [_row(session, row, doing[row], raw=options.raw) for row in rows[:most]]
    if options.raw:
        return "\n".join(text.tabbed(_HEADER, cells))
    lines = text.table(_HEADER, cells, "charged to started by command state")
    if len(rows) > most:
        lines.append(f"and {len(rows) - most} more: ps -u USER, or ps --all")
    return "\n".join(lines) if cells else "no process"


def _charged_node(session: Session, reference: str) -> int:
    if reference in session.persons():
        return session.persons()[reference].current
    node = session.find(reference)
    return node.id if node.id == ROOT_ID else session.find_leaf(reference).id


def _row(session: Session, row: int, doing: str, *, raw: bool) -> list[str]:
    machine, table = session.machine, session.machine.processes
    node = int(machine.flat.ids[table.owner[row]])
    charged, command = session.name(node), machine.commands[int(table.command[row])]
    started = machine.persons[int(table.person[row])] or charged
    cpu_s, priority = float(table.cpu_ticks[row]) / machine.spec.hz, int(table.priority[row])
    words = [charged, started, command]
    return [
        str(int(table.pid[row])),
        *(words if raw else (text.clipped(word, 13) for word in words)),
        str(int(table.nice[row])),
        str(priority) if raw else text.si(priority),
        doing if raw else text.clipped(doing, _STATE),
        text.full(cpu_s) if raw else text.si(cpu_s),
    ]


def run(session: Session, options: Options) -> str:
    """Start a command as the shell's own user or another one."""
    user = session.self_user() if options.user is None else session.find_user(options.user)
    return _start(session, options, user, user.person)


def slxqt(session: Session, options: Options) -> str:
    """Start a command that is charged to another user."""
    if options.user is None:
        raise Misused("-u USER, the charged user, is missing. See slxqt --help")
    if options.user in ("/", session.machine.tree.root.name):
        user = User(ROOT_ID)
    else:
        user = session.find_user(options.user)
    return _start(session, options, user, session.user_name(session.user) if session.user else session.who)


def _start(session: Session, options: Options, user: User, started_by: str) -> str:
    words = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not words:
        raise Misused("COMMAND, the name of the process, is missing. Example: loop")
    own = started_by == user.person
    action = StartProcess(
        CURRENT_ACCOUNT if user.person and own else user.node,
        _work(options),
        " ".join(words),
        whole("-c", options.count, 1, MAX_PROCESSES),
        None if options.nice is None else _nice(options.nice, "-n"),
        "" if started_by == session.name(user.node) else started_by,
        options.interactive,
    )
    outcome = session.act(action)
    return outcome.text


def _work(options: Options) -> Work:
    """Return the workload of a process; by default it computes without end."""
    known: dict[str, Any] = {}
    for name, typed in (("burst_s", options.burst), ("sleep_s", options.sleep), ("cpu_s", options.cpu)):
        if typed is not None:
            known[name] = time_s(f"--{name[:-2]}", typed)
    if options.sleep is not None and options.burst is None:
        raise Misused("--sleep needs --burst, the CPU time between two sleeps")
    if options.device is not None:
        known |= {"device": options.device, "io_s": time_s("--io", options.io)}
    return Work(**known)


def kill(session: Session, options: Options) -> str:
    """End processes by number, or all of a user."""
    if options.user is not None:
        node = _charged_node(session, options.user)
        command = " ".join(options.what) or None
        return session.act(EndProcesses(node, command)).text
    if not options.what:
        raise Misused("PID is missing. Use kill PID..., or kill -u USER")
    pids = [whole("PID", word, 1, 10**15) for word in options.what]
    for pid in pids:
        session.machine.processes.row_of(pid)  # It fails before any process ends, so all end or none.
    for pid in dict.fromkeys(pids):
        session.act(EndProcess(pid))
    return f"ended {count_words(len(set(pids)), 'process')}"


def renice(session: Session, options: Options) -> str:
    """Set the nice value of processes, or of a user and all of the user's processes."""
    nice = _nice(options.nice, "NICE")
    if options.user is not None:
        user = session.find_user(options.user)
        return session.act(ReniceUser(session.user_name(user), nice)).text
    if not options.pid:
        raise Misused("PID is missing. Use renice NICE PID..., or renice NICE -u USER")
    pids = [whole("PID", word, 1, 10**15) for word in options.pid]
    for pid in pids:
        session.machine.processes.row_of(pid)
    for pid in dict.fromkeys(pids):
        session.act(Renice(pid, nice))
    return f"{count_words(len(set(pids)), 'process')} now with nice {nice}"


def _nice(typed: str, field: str) -> int:
    return whole(field, typed, 0, NICE_LEVELS - 1)


def _ps_options(parser: Parser) -> None:
    parser.add_argument("pid", metavar="PID", nargs="*", help="only these")
    parser.add_argument(
        "-u", dest="user", metavar="USER", help="only processes charged to a user, or to root"
    )
    parser.add_argument("--all", action="store_true", help=f"more than {_ROWS}")
    parser.add_argument("--raw", action="store_true", help="all digits, with tabs between values")


def _start_options(parser: Parser) -> None:
    parser.add_argument("-u", dest="user", metavar="USER", help="who is charged")
    parser.add_argument("-n", dest="nice", metavar="NICE", help="0 (favoured) to 39, 20 is normal")
    parser.add_argument("-c", dest="count", metavar="COUNT", default="1", help="so many processes")
    parser.add_argument("-i", dest="interactive", action="store_true", help="belongs to a terminal session")
    parser.add_argument("--burst", metavar="TIME", help="mean CPU time between two sleeps or requests")
    parser.add_argument("--sleep", metavar="TIME", help="mean sleep after each burst")
    parser.add_argument("--cpu", metavar="TIME", help="CPU time after which it ends")
    parser.add_argument("--device", metavar="NAME", help="used after each burst")
    parser.add_argument("--io", metavar="TIME", default="0.02", help="mean time of a request")
    parser.add_argument("command", metavar="COMMAND", nargs=argparse.REMAINDER, help="name of the process")


def _kill_options(parser: Parser) -> None:
    parser.add_argument("what", metavar="PID", nargs="*", help="processes; with -u the command to end")
    parser.add_argument(
        "-u", dest="user", metavar="USER", help="all processes of a user, or those of one command"
    )


def _renice_options(parser: Parser) -> None:
    parser.add_argument("nice", metavar="NICE", help="0 (favoured) to 39, 20 is normal")
    parser.add_argument("pid", metavar="PID", nargs="*", help="processes")
    parser.add_argument("-u", dest="user", metavar="USER", help="a user: running processes and later ones")


_START = "[OPTION]... COMMAND..."
_OURS = "A command is a name and computes without end unless options limit it. All of this is ours."

COMMANDS = (
    Command(
        "ps",
        "[-u USER] [--all] [--raw] [PID...]",
        "Show processes and the user charged for each.",
        "Junglas 1991 section 8 asks for the charged user; the rest is ours.",
        ps,
        _ps_options,
    ),
    Command(
        "run",
        f"[-u USER] {_START}",
        "Start your own processes, or those of a user.",
        _OURS,
        run,
        _start_options,
        acts=True,
    ),
    Command(
        "slxqt",
        f"-u USER {_START}",
        "Start processes under the account of another user, who is charged.",
        f"Named in Junglas 1991 section 7. Its options are our reconstruction.\n{_OURS}",
        slxqt,
        _start_options,
        acts=True,
    ),
    Command(
        "kill",
        "PID... | -u USER [COMMAND]",
        "End processes.",
        "As on every UNIX. -u is ours.",
        kill,
        _kill_options,
        acts=True,
    ),
    Command(
        "renice",
        "NICE PID... | NICE -u USER",
        "Change the nice value of processes or a user, 0 (favoured) to 39.",
        "As on every UNIX, but with the values of the kernel: 20 is normal.",
        renice,
        _renice_options,
        aliases=("nice",),
        acts=True,
    ),
)
