"""`who`, `login`, `logout`, `sl`, `newacct`, `date` and `reboot`: present users and their accounts."""

from __future__ import annotations

from datetime import timedelta

from fsconsole.machine.shell import text
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.options import Options, Parser
from fsconsole.machine.shell.reply import Refused
from fsconsole.machine.shell.session import Session, User
from fsconsole.shares.scenario.actions import CURRENT_ACCOUNT, Login, Logout, NewAccount, Restart
from fsconsole.shares.tree import Kind
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words

_ROWS = 200


def who(session: Session, _: Options) -> str:
    """Show logged-in users and users with only processes, both with their account."""
    machine = session.machine
    own = _own_processes(session)
    sessions = [
        (person or session.name(leaf), leaf)
        for person, leaf in machine.people.sessions
        if leaf in machine.flat.row_of
    ]
    here = {name for name, _ in sessions}
    listed = list(dict.fromkeys([*sessions, *own]))
    rows = []
    for name, leaf in listed[:_ROWS]:
        count, ticks = own.get((name, leaf), (0, 0))
        cells = [str(count), text.si(ticks / machine.spec.hz), "" if name in here else "not logged in"]
        rows.append([text.clipped(name, 24), text.clipped(session.name(leaf), 24), *cells])
    if not rows:
        return "nobody"
    lines = text.table(("user", "account", "processes", "CPU s", ""), rows, "user account")
    return "\n".join([*lines, f"and {len(listed) - _ROWS} more"] if len(listed) > _ROWS else lines)


def _own_processes(session: Session) -> dict[tuple[str, int], tuple[int, int]]:
    """Return number and CPU ticks of each user's processes, by name and account, without daemons."""
    machine, table = session.machine, session.machine.processes
    found: dict[tuple[str, int], tuple[int, int]] = {}
    columns = (table.person.tolist(), table.owner.tolist(), table.cpu_ticks.tolist())
    for person, row, ticks in zip(*columns, strict=True):
        leaf, name = int(machine.flat.ids[row]), machine.persons[person]
        if not name and not _is_user(session, leaf):
            continue
        key = (name or session.name(leaf), leaf)
        count, before = found.get(key, (0, 0))
        found[key] = (count + 1, before + int(ticks))
    return found


def _is_user(session: Session, leaf: int) -> bool:
    """Return True if a leaf is a user outside system groups, and not an account."""
    tree = session.machine.tree
    return leaf in tree and tree.node(leaf).kind is Kind.USER and not tree.is_system(leaf)


def login(session: Session, options: Options) -> str:
    """Log a user in."""
    user = session.find_user(options.user)
    return session.act(Login(_node(user), user.person)).text


def logout(session: Session, options: Options) -> str:
    """Log a user out."""
    user = session.self_user() if options.user is None else session.find_user(options.user)
    outcome = session.act(Logout(_node(user), not options.keep, user.person))
    ended = count_words(len(outcome.pids), "process")
    return f"{outcome.text}; {ended} ended" if outcome.pids else outcome.text


def _node(user: User) -> int:
    return CURRENT_ACCOUNT if user.person else user.node


def sl(session: Session, options: Options) -> str:
    """Switch the shell to another user with their l-node."""
    if options.user is None:
        session.user = session.own_user()
        return f"this shell belongs to {session.who} again"
    session.user = session.find_user(options.user)
    return (
        f"this shell belongs to {session.user_name(session.user)}. Its processes are charged to "
        f"{_charged(session)}"
    )


def _charged(session: Session) -> str:
    return session.name(session.self_user().node)


def newacct(session: Session, options: Options) -> str:
    """Switch to another account, or show the available ones."""
    name = _person(session, options)
    worker = session.machine.people.workers[name]
    if options.list:
        marks = ((leaf, "in use" if leaf == worker.current else "") for leaf in worker.accounts)
        return "\n".join(
            text.table(("account", ""), [(session.name(leaf), mark) for leaf, mark in marks], "account")
        )
    if options.account is None:
        return f"{name} works on {session.name(worker.current)}. newacct -l lists the accounts"
    try:
        account = session.find_leaf(options.account).id
    except LookupError as error:
        own = ", ".join(session.name(leaf) for leaf in worker.accounts)
        msg = f"{error.args[0]}; accounts of {name}: {own}"
        raise LookupError(msg) from None
    return session.act(NewAccount(name, account)).text


def _person(session: Session, options: Options) -> str:
    people = session.persons()
    if not people:
        raise Refused("no user here has several accounts, since the scenario lists no people")
    name = options.user if options.user is not None else session.user.person if session.user else ""
    if name in people:
        return str(name)
    if not name:
        msg = f"name a user with -u USER, or become a user with sl{nearest_or_all('', list(people)[:8])}"
        raise Refused(msg)
    msg = f"{name} has only one account{nearest_or_all(name, list(people)[:50])}"
    raise Refused(msg)


def date(session: Session, _: Options) -> str:
    """Show the machine's time."""
    machine = session.machine
    now = machine.spec.start + timedelta(seconds=machine.now_s)
    line = f"{now:%a %d %b %Y %H:%M:%S}, {text.seconds(machine.now_s)} since the start, tick {machine.tick}"
    return f"{line}\nnext delta in {session.until_delta()}"


def reboot(session: Session, _: Options) -> str:
    """Stop the machine and start it again."""
    outcome = session.act(Restart())
    return f"{outcome.text}; {count_words(len(outcome.pids), 'process')} ended"


def _login_options(parser: Parser) -> None:
    parser.add_argument("user", metavar="USER", help="a user of the tree, or a person")


def _logout_options(parser: Parser) -> None:
    parser.add_argument("user", metavar="USER", nargs="?", help="yourself by default")
    parser.add_argument("-k", dest="keep", action="store_true", help="keep the processes")


def _sl_options(parser: Parser) -> None:
    parser.add_argument("user", metavar="USER", nargs="?", help="your own user. Default: the previous one")


def _newacct_options(parser: Parser) -> None:
    parser.add_argument("account", metavar="ACCOUNT", nargs="?", help="the account to charge")
    parser.add_argument("-l", dest="list", action="store_true", help="list the accounts")
    parser.add_argument("-u", dest="user", metavar="USER", help="the user. Default: yourself")


COMMANDS = (
    Command(
        "who",
        "",
        "Show users who are logged in or run processes, and their accounts.",
        "As on every UNIX. Processes and CPU seconds are those of the user.",
        who,
        aliases=("w",),
    ),
    Command(
        "login",
        "USER",
        "Log a user in: the leaf gets an l-node and counts as active.",
        "The effect of a login is from Junglas 1991 section 5. The command is ours.",
        login,
        _login_options,
        acts=True,
    ),
    Command(
        "logout",
        "[-k] [USER]",
        "Log a user out and end their processes.",
        "The l-node stays until the sharer's next round (Junglas 1991 section 5). -k is ours.",
        logout,
        _logout_options,
        acts=True,
    ),
    Command(
        "sl",
        "[USER]",
        "Become another user in this shell, with the l-node of that user.",
        "From Junglas 1991 section 6: like su, but usage is charged to the new user. On a command "
        "line it applies to the end of that line: `sl u21; pl`.",
        sl,
        _sl_options,
    ),
    Command(
        "newacct",
        "[-l] [-u USER] [ACCOUNT]",
        "Work on another account from now on. Running processes keep theirs.",
        "Named in Everitt et al. section 1.3 (Share by Account). -l and -u are our reconstruction.",
        newacct,
        _newacct_options,
        acts=True,
    ),
    Command("date", "", "Show the machine's date and the time of the next delta.", "As on every UNIX.", date),
    Command(
        "reboot",
        "",
        "Restart the machine. The share database stays.",
        "Junglas 1991 section 5 shows that the database persists. The command is ours.",
        reboot,
        acts=True,
    ),
)
