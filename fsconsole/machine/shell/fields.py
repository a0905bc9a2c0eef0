"""Fields of the share database, and `pwintf`'s formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fsconsole.machine.shell import text
from fsconsole.machine.shell.database import Books
from fsconsole.machine.shell.reply import Misused, Refused
from fsconsole.machine.shell.session import Session
from fsconsole.machine.shell.values import Values, View
from fsconsole.shares.tree import Node
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words

_WIDEST = 200
_CONVERSION = re.compile(
    r"%(?:(?P<percent>%)|(?P<flags>[-+ 0]*)(?P<width>[0-9]*)(?:\.(?P<digits>[0-9]*))?"
    r"(?:\{(?P<field>[^}]*)\}|(?P<letter>.)|$))",
    re.DOTALL,
)
_EXPRESSION = re.compile(r"[<>=!&|]")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}


@dataclass(frozen=True, slots=True)
class _Of:
    """One entry: the node, its values, its books."""

    session: Session
    node: Node
    values: Values | None
    books: Books

    def value(self, name: str) -> float:
        return 0.0 if self.values is None else float(getattr(self.values, name))

    def group(self) -> Node:
        parent = self.node.parent
        return self.node if parent is None else self.session.machine.tree.node(parent)

    def flags(self) -> str:
        return ",".join([str(self.node.kind), *(["system"] * self.node.system)])


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its description and its function."""

    about: str
    read: Callable[[_Of], float | str]


FIELDS: dict[str, Field] = {
    "lname": Field("name", lambda of: of.node.name),
    "path": Field("path from the root", lambda of: of.session.machine.tree.path(of.node.id)),
    "uid": Field("number of the entry", lambda of: of.node.id),
    "sgroup": Field("number of its group", lambda of: of.group().id),
    "sgroupname": Field("name of its group", lambda of: of.group().name),
    "shares": Field("shares in its group", lambda of: of.node.shares),
    "usage": Field("decayed usage, cost units", lambda of: of.books.of(of.node.id, "usage")),
    "charge": Field("total charged CPU seconds", lambda of: of.books.of(of.node.id, "charge")),
    "flags": Field("user, account or group, and system", lambda of: of.flags()),
    "activelnode": Field(
        "1 if the user is active", lambda of: float(bool(of.values and of.values.is_active))
    ),
    "mshare": Field("share of machine, fraction", lambda of: of.value("machine_share")),
    "ashare": Field("allocated share with system groups, fraction", lambda of: of.value("allocated")),
    "eshare": Field("effective share, fraction", lambda of: of.value("effective")),
    "cpurate": Field("current fraction of the CPU", lambda of: of.value("cpu_rate")),
    "nusage": Field("normalised usage, usage / ashare", lambda of: of.value("normalised")),
    "kusage": Field("usage / share^2 as the policy uses it", lambda of: of.value("kusage")),
    "rate": Field("processes through the rate filter", lambda of: of.value("rate")),
    "nprocs": Field("processes", lambda of: of.value("processes")),
}


def printed(session: Session, form: str, words: Sequence[str]) -> str:
    """Return the output of the format for each user.

    Raises:
        Refused: a field is unknown, or the format is an expression.
        Misused: the format needs more fields.
    """
    _check_form(form, words)
    plain = [match for match in _CONVERSION.finditer(form) if match["letter"]]
    fields, users = list(words[: len(plain)]), words[len(plain) :]
    if len(fields) < len(plain):
        msg = f"the format needs {count_words(len(plain), 'field')}, not {len(fields)}"
        raise Misused(msg)
    for name in (*fields, *(match["field"] for match in _CONVERSION.finditer(form))):
        if name is not None and name not in FIELDS:
            msg = f"no field {name!r}{nearest_or_all(name, FIELDS)}"
            raise Refused(msg)
    tree = session.machine.tree
    leaves = [session.find(user) for user in users] or [node for node in tree.walk() if not node.is_group]
    view, books = View(session.machine, leave_out=False), Books(session.machine)
    entries = [_Of(session, node, view.of(node.id), books) for node in leaves]
    return "".join(_line(form, fields, entry) for entry in entries).removesuffix("\n")


def _check_form(form: str, words: Sequence[str]) -> None:
    """Raise Refused if the format is an expression."""
    if "%" not in form and (_EXPRESSION.search(form) or any("%" in word for word in words)):
        msg = "the format comes first, as in pwintf '%s %g' lname shares. Expressions cannot choose users: "
        msg += "name users after the fields, or none for all"
        raise Refused(msg)


def _line(form: str, fields: Sequence[str], entry: _Of) -> str:
    left = iter(fields)
    parts, place = [], 0
    for match in _CONVERSION.finditer(form):
        parts.append(_unescaped(form[place : match.start()]))
        parts.append(_converted(match, _field(match, left), entry))
        place = match.end()
    line = "".join([*parts, _unescaped(form[place:])])
    return line if line.endswith("\n") else f"{line}\n"


def _field(match: re.Match[str], left: Iterator[str]) -> str:
    """Return the field of a conversion: its own, or the next of those named after the format."""
    if match["field"] is not None or match["percent"]:
        return match["field"] or ""
    return next(left, "")


def _converted(match: re.Match[str], name: str, entry: _Of) -> str:
    if match["percent"]:
        return "%"
    if not name:
        msg = f"{match[0]!r} in the format is not a conversion. Use %s, %d, %f, %g, %{{FIELD}} or %%"
        raise Misused(msg)
    width, digits = int(match["width"] or 0), int(match["digits"] or 0) if match["digits"] else None
    if width > _WIDEST or (digits or 0) > _WIDEST:
        msg = f"{match[0]}: width and digits must be at most {_WIDEST}"
        raise Refused(msg)
    formatted = _formatted(FIELDS[name].read(entry), name, match["letter"], digits)
    return formatted.ljust(width) if "-" in match["flags"] else formatted.rjust(width)


def _formatted(value: float | str, name: str, letter: str | None, digits: int | None) -> str:
    if letter is not None and letter not in "sdiufeg":
        msg = f"%{letter} in the format is not a conversion. Use %s, %d, %f, %g, %{{FIELD}} or %%"
        raise Misused(msg)
    if isinstance(value, str):
        if letter not in (None, "s"):
            msg = f"{name} is a word. Print it with %s, not %{letter}"
            raise Refused(msg)
        return value if digits is None else value[:digits]
    if letter in ("d", "i", "u"):
        return f"{value:.0f}"
    if letter in ("f", "e", "g"):
        return f"{value:.{6 if digits is None else digits}{letter}}"
    return text.full(value) if digits is None else f"{value:.{digits}f}"


def _unescaped(form: str) -> str:
    return re.sub(r"\\([nt\\])", lambda match: _ESCAPES[match[1]], form)
