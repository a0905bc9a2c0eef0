"""`pl` and `rates`: shares, usage and CPU of users and groups."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fsconsole.machine.shell import text
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.options import Options, Parser
from fsconsole.machine.shell.reply import Refused
from fsconsole.machine.shell.session import Session
from fsconsole.machine.shell.values import LEFT_OUT, Values, View, add_view_options, view_of
from fsconsole.shares.tree import ROOT_ID, Node
from fsconsole.text.words import count_words

_BAR = 26
_NAME = 16
_LEFT_OUT_BUT = "100 % is without system groups, but for share of machine and normalised usage"


def pl(session: Session, options: Options) -> str:
    """Show all quantities of users (Junglas section 6)."""
    view = view_of(session.machine, options)
    nodes = [
        session.machine.tree.node(session.find_user(name).node)
        if name in session.persons()
        else session.find(name)
        for name in options.user
    ]
    if options.all:
        nodes += [node for node in session.machine.tree.walk() if _is_active_user(view, node)]
    elif not nodes:
        nodes = [session.machine.tree.node(session.self_user().node)]
    if options.raw:
        return "\n".join(_raw_rows(session, view, nodes))
    lines = [line for node in nodes for line in _about(session, view, node)]
    return "\n".join([*lines, f" {_LEFT_OUT_BUT}"] if view.leave_out else lines)


def _is_active_user(view: View, node: Node) -> bool:
    values = view.of(node.id)
    return not node.is_group and values is not None and values.is_active


def _about(session: Session, view: View, node: Node) -> list[str]:
    values, tree = view.of(node.id), session.machine.tree
    if values is None:
        return [f"{node.name}  joins at the next delta, in {session.until_delta()}"]
    if node.id == ROOT_ID:
        own = count_words(values.processes, "process")
        charged = f" charge of all users {text.si(values.charge)} CPU s"
        return [f"{session.name(ROOT_ID)}  {own}, which run whenever they can", charged]
    group = tree.node(node.parent or ROOT_ID)
    siblings = sum(other.shares for other in tree.siblings(node.id))
    has_share = values.is_active or values.allocated > 0  # The quotient usage / 0 is not a number.
    nusage = text.si(values.normalised) if has_share else text.UNKNOWN
    machine_share = text.percent(values.machine_share, 2, unit=True)
    fractions = (values.allocated, values.effective, values.cpu_rate)
    allocated, effective, cpu = (text.percent(one, unit=True) for one in fractions)
    group_name = text.clipped(group.name, 16)
    later = "" if _in_force(session, node) else " from the next delta"
    return [
        f"{text.clipped(node.name, 40)}  {_presence(session, node, values)}",
        f" shares {node.shares} of {siblings} in {group_name}{later}   share of machine {machine_share}",
        f" allocated share {allocated}   effective share {effective}   CPU {cpu}",
        f" usage {text.si(values.usage)}   normalised {nusage}",
        f" charge {text.si(values.charge)} CPU s   {count_words(values.processes, 'process')}",
    ]


def _in_force(session: Session, node: Node) -> bool:
    """Return True if the shares of a node and its siblings are in force already."""
    flat, siblings = session.machine.flat, session.machine.tree.siblings(node.id)
    rows = [(flat.row_of.get(other.id), other.shares) for other in siblings]
    return all(row is not None and int(flat.shares[row]) == shares for row, shares in rows)


def _presence(session: Session, node: Node, values: Values) -> str:
    if node.is_group:
        return "group, active" if values.is_active else "group, no user active"
    if node.id in session.machine.people.logged_in():
        return "logged in"
    if values.is_active:
        return "not logged in, has processes"
    return "not active, has an l-node" if values.has_lnode else "not active"


_RAW = (
    "machine_share",
    "allocated",
    "effective",
    "cpu_rate",
    "usage",
    "normalised",
    "charge",
    "rate",
    "kusage",
    "processes",
)


def _raw_rows(session: Session, view: View, nodes: Iterable[Node]) -> list[str]:
    rows = []
    for node in nodes:
        values = view.of(node.id)
        numbers = [text.UNKNOWN if values is None else text.full(getattr(values, name)) for name in _RAW]
        rows.append([session.machine.tree.path(node.id), str(node.shares), *numbers])
    return text.tabbed(["path", "shares", *_RAW], rows)


def rates(session: Session, options: Options) -> str:
    """Show bars of intended, effective and actual share."""
    view = view_of(session.machine, options)
    rows = [(node, values) for node, values in _chosen(session, view, options) if values is not None]
    if not rows:
        raise Refused("no user is active. rates -a shows inactive users, --system also the system groups")
    if options.raw:
        return "\n".join(_raw_rows(session, view, (node for node, _ in rows)))
    width = min(_NAME, max(len(node.name) for node, _ in rows))
    lines = [f"{'':{width}}  {'0%':<{_BAR - 3}}{'100%':>4}{'cpu':>7}{'effective':>11}"]
    for node, values in rows:
        name = text.clipped(node.name, width)
        cpu, effective = text.percent(values.cpu_rate), text.percent(values.effective)
        lines.append(f"{name:<{width}}  {_bar(values)}{cpu:>7}{effective:>11}")
    lines.append("* actual  ! effective  | intended")
    return "\n".join([*lines, LEFT_OUT] if view.leave_out else lines)


def _chosen(session: Session, view: View, options: Options) -> Iterable[tuple[Node, Values | None]]:
    tree = session.machine.tree
    start = ROOT_ID if options.group is None else session.find(options.group).id
    for node in tree.walk(start):
        values = view.of(node.id)
        shown = node.id not in (ROOT_ID, start) and node.is_group != options.users
        if view.leave_out and tree.is_system(node.id):
            shown = False
        if shown and values is not None and (values.is_active or options.all):
            yield node, values


def _bar(values: Values) -> str:
    cells = list("*" * _place(values.cpu_rate) + " " * (_BAR + 1 - _place(values.cpu_rate)))
    cells[_place(values.effective)] = "!"
    cells[_place(values.allocated)] = "|"
    return "".join(cells)


def _place(fraction: float) -> int:
    return round(_BAR * min(max(fraction, 0.0), 1.0)) if math.isfinite(fraction) else 0


def _pl_options(parser: Parser) -> None:
    parser.add_argument("user", metavar="USER", nargs="*", help="users, people or groups. Default: yourself")
    parser.add_argument("-a", dest="all", action="store_true", help="all active users")
    parser.add_argument("--raw", action="store_true", help="all digits, with tabs between values")
    add_view_options(parser)


def _rates_options(parser: Parser) -> None:
    parser.add_argument("group", metavar="GROUP", nargs="?", help="only entries below this group")
    parser.add_argument("-u", dest="users", action="store_true", help="users instead of groups")
    parser.add_argument("-a", dest="all", action="store_true", help="also inactive entries")
    parser.add_argument("--raw", action="store_true", help="all digits, with tabs between values")
    add_view_options(parser)


COMMANDS = (
    Command(
        "pl",
        "[-a] [-x | --system] [--raw] [USER...]",
        "Show shares, usage and charge of a user.",
        "From Junglas 1991 section 6 and pl(1) of Research Unix 10. Layout, -x, --system and --raw are ours.",
        pl,
        _pl_options,
    ),
    Command(
        "rates",
        "[-u] [-a] [-x | --system] [--raw] [GROUP]",
        "Show bars of intended, effective and actual share.",
        "From Junglas 1991 section 6 and rates(1) of Research Unix 10. -x is the author's wish "
        "(section 8); -a, --system and --raw are ours. -c (repeat without end), -s and -K are left out: "
        "see the plots.",
        rates,
        _rates_options,
    ),
)
