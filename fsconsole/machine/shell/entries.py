"""`lim`, `sharecf`, `sharesh`, `remshent` and `pwintf`: entries of the share database."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fsconsole.machine.shell import text
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.database import Books, Changes, database_lines, take_entries
from fsconsole.machine.shell.fields import FIELDS, printed
from fsconsole.machine.shell.options import Options, Parser
from fsconsole.machine.shell.reply import Misused, Refused
from fsconsole.machine.shell.session import Session
from fsconsole.shares.edits import Remove
from fsconsole.shares.formats import sharecf as database
from fsconsole.shares.scenario.actions import ChangeTree
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import ROOT_ID, Kind, Node
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words

KEYS = ("shares", "usage", "charge", "group", "flags", "note", "name")
_ALIASES = {"sgroup": "group"}
_SETTING = re.compile(r"(?P<key>[A-Za-z_]+)(?P<sign>[-+]?)=(?P<value>.*)", re.DOTALL)


def lim(session: Session, options: Options) -> str:
    """Change entries of the database."""
    users, settings = _split_words(options.words)
    if not users:
        raise Misused("USER is missing. See lim --help")
    if not settings:
        msg = f"name a change: KEY=VALUE with a key of {', '.join(KEYS)}"
        raise Misused(msg)
    changes = Changes(session)
    for user in users:
        before = changes.count()
        node = _limited(session, changes, user, settings, make=options.new)
        if changes.count() > before:
            changes.changed.append(node.name)
    return changes.make()


def _split_words(words: Sequence[str]) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Return users and settings; a word may have several settings with semicolons, as in lim(1)."""
    users, settings = [], []
    for word in words:
        is_user = word.startswith("/") or _SETTING.match(word) is None
        if is_user:
            users.append(word)
            continue
        parts = [word] if word.startswith(("note=", "name=")) else word.split(";")
        settings += [_setting(part) for part in parts if part]
    return users, settings


def _setting(part: str) -> tuple[str, str, str]:
    match = _SETTING.fullmatch(part.lstrip())
    key = _ALIASES.get(match["key"], match["key"]) if match else part
    if match is None or key not in KEYS:
        msg = f"no key {key!r}{nearest_or_all(key, KEYS)}"
        raise Refused(msg)
    return key, match["sign"], match["value"]


def _limited(
    session: Session, changes: Changes, user: str, settings: Sequence[tuple[str, str, str]], *, make: bool
) -> Node:
    node = _entry_node(session, changes, user, settings, make=make)
    for key, sign, value in settings:
        here = changes.work.node(node.id)
        if sign and key not in ("shares", "usage", "charge"):
            msg = f"{key} cannot be changed by an amount. Write {key}="
            raise Refused(msg)
        if key == "group":
            changes.move(here, session.find(value).id)
        elif key == "shares":
            wanted = _counted(here.shares, sign, database.whole_shares(value))
            changes.set_values(here, {"shares": database.whole_shares(f"{wanted:.0f}")})
        elif key in ("usage", "charge"):
            before = Books(session.machine).of(node.id, key)
            changes.set_books(here, key, _counted(before, sign, database.amount(key, value)))
        else:
            changes.set_values(here, database.values_of(key, value))
    return changes.work.node(node.id)


def _counted(before: float, sign: str, value: float) -> float:
    return before + value if sign == "+" else before - value if sign == "-" else value


def _entry_node(
    session: Session, changes: Changes, user: str, settings: Sequence[tuple[str, str, str]], *, make: bool
) -> Node:
    """Return the entry of a user; with -n a new one if it is missing."""
    try:
        return session.find(user)
    except LookupError as error:
        if not make:
            msg = f"{error.args[0]} (-n creates an entry)"
            raise LookupError(msg) from None
    above, _, name = user.rpartition("/")
    group = next((value for key, _, value in settings if key == "group"), above or "/")
    flags = next((value for key, _, value in settings if key == "flags"), "user")
    kind = database.values_of("flags", flags)["kind"]
    return changes.insert(session.find(group).id, name, Kind(kind))


def sharesh(session: Session, options: Options) -> str:
    """Print the database as a sharecf file, or as lim commands."""
    machine = session.machine
    start = ROOT_ID if options.group is None else session.find(options.group).id
    lines = database_lines(machine, start, as_lim=options.lim)
    head = f"# Share database of {machine.spec.name} at {text.seconds(machine.now_s)}"
    return "\n".join([text.clipped(head, text.WIDTH), *lines])


def sharecf(session: Session, options: Options) -> str:
    """Read a database; only differences are applied, and entries that it does not name stay."""
    try:
        entries = database.entries(_given(session, options.words))
    except ScenarioError as error:
        lines = [f"line {problem.line}: {problem.text}" for problem in error.problems[:10]]
        raise Refused("\n".join(lines)) from None
    if not entries:
        raise Refused("it has no entries")
    return take_entries(session, entries)


def _given(session: Session, words: Sequence[str]) -> str:
    """Return the text below the command line, or that of a file."""
    names = [word for word in words if word != "<"]
    if session.given is not None:
        if names:
            raise Misused("give either a file or lines, not both")
        return session.given
    if len(names) != 1:
        raise Misused("FILE is missing: sharecf < FILE, or lines from sharesh below the command")
    if session.read_file is None:
        raise Refused("this shell does not read files. Give the lines below the command")
    try:
        return session.read_file(names[0])
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        msg = f"{names[0]} cannot be read: {why}"
        raise Refused(msg) from None


def remshent(session: Session, options: Options) -> str:
    """Remove a user from the database."""
    node = session.find(options.user)
    machine = session.machine
    if node.id == ROOT_ID:
        raise Refused("the root cannot be removed")
    if node.children:
        msg = f"{node.name} holds {count_words(len(node.children), 'entry')}"
        msg += ". Remove or move them first"
        raise Refused(msg)
    _check_unused(session, node)
    session.act(ChangeTree((Remove(node.id),)))
    path = text.clipped(node.name, 40)
    return f"{path} is removed; {session.in_force()}" if machine.tick else f"{path} is removed"


def _check_unused(session: Session, node: Node) -> None:
    machine = session.machine
    row = machine.flat.row_of.get(node.id)
    processes = 0 if row is None else int((machine.processes.owner == row).sum())
    if processes:
        charged = f"{count_words(processes, 'process')} charged to {node.name}"
        msg = f"{charged}. End them first (kill -u {node.name})"
        raise Refused(msg)
    if node.id in machine.people.logged_in():
        msg = f"{node.name} is logged in. Log out first (logout {node.name})"
        raise Refused(msg)
    deferred = machine.spec.defer_interactive_to
    if deferred and session.find(deferred).id == node.id:
        msg = f"interactive processes are charged to {node.name}. First use shradm DEFERTOESGRP=off"
        raise Refused(msg)


def pwintf(session: Session, options: Options) -> str:
    """Print fields of the database in a printf format."""
    return printed(session, options.format, options.words)


def _lim_options(parser: Parser) -> None:
    parser.add_argument("words", metavar="USER KEY=VALUE", nargs="*", help=f"keys: {', '.join(KEYS)}")
    parser.add_argument("-n", dest="new", action="store_true", help="create the entry if it does not exist")


def _sharesh_options(parser: Parser) -> None:
    parser.add_argument("group", metavar="GROUP", nargs="?", help="only this group and the entries below it")
    parser.add_argument("-l", dest="lim", action="store_true", help="as lim commands")


def _sharecf_options(parser: Parser) -> None:
    parser.add_argument("words", metavar="FILE", nargs="*", help="a file written by sharesh")


def _remshent_options(parser: Parser) -> None:
    parser.add_argument("user", metavar="USER", help="a user without processes")


def _pwintf_options(parser: Parser) -> None:
    parser.add_argument(
        "format", metavar="FORMAT", help="text with %%s, %%d, %%f, %%g or %%{FIELD}, \\n and \\t"
    )
    parser.add_argument(
        "words", metavar="FIELD USER", nargs="*", help="a field for each %%, and users. Default: all"
    )


_FIELDS_HELP = "\n".join(f"  {name:<14}{field.about}" for name, field in FIELDS.items())

COMMANDS = (
    Command(
        "lim",
        "[-n] USER... KEY=VALUE...",
        "Change shares, usage, charge or group of a user.",
        "From lim(1) of Research Unix 10, with its form lim 'shares=5;sgroup=gr1' u11. Ours: "
        "KEY+=VALUE and KEY-=VALUE, -n, the keys note and name. flags: user, account or group, and "
        "system.",
        lim,
        _lim_options,
        acts=True,
    ),
    Command(
        "sharecf",
        "[< FILE]",
        "Read a share database and change only what differs.",
        "Named in Junglas 1991 section 7, which does not document its syntax: the form is our "
        "reconstruction. Entries that the file does not name stay as they are; remshent removes them.",
        sharecf,
        _sharecf_options,
        acts=True,
    ),
    Command(
        "sharesh",
        "[-l] [GROUP]",
        "Print the share database for sharecf, or as lim commands (-l).",
        "Named in Junglas 1991 section 7. The form of the file is our reconstruction.",
        sharesh,
        _sharesh_options,
    ),
    Command(
        "remshent",
        "USER",
        "Remove a user, or an empty group, from the share database.",
        "Named in Junglas 1991 section 7. Not allowed while processes are charged to the user.",
        remshent,
        _remshent_options,
        acts=True,
    ),
    Command(
        "pwintf",
        "FORMAT [FIELD...] [USER...]",
        "Print fields of the share database in a printf format.",
        "From Junglas 1991 section 6 and pwintf(1) of Research Unix 10. Ours: %{FIELD}, and no "
        f"expressions that choose users. Fields:\n{_FIELDS_HELP}",
        pwintf,
        _pwintf_options,
    ),
)
