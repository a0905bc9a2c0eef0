"""Output of `flux account view-bank BANK --tree` and `--parsable`: banks and users, a blank more each level.

A row has the bank, the user where it is one, shares, usage, and the user's fairshare. What stands before the
titles is about the bank itself and is left out.
Source: flux-account-view-bank(1).
"""

from __future__ import annotations

from collections.abc import Iterator

from fsconsole.shares.formats.flux_json import FORM, NAME
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading, numbered
from fsconsole.shares.formats.sharecf import whole_shares
from fsconsole.shares.tree import Kind, Node

_CELLS = ("username", "rawshares", "rawusage", "fairshare")
_TITLES = (("bank", *_CELLS), ("account", *_CELLS))
_BANK, _USER = 4, 5


def is_view(text: str) -> bool:
    """Return True if a text begins as such a view does."""
    return any(_titles(line) for _, line in numbered(text[:4096]))


def read_view(text: str) -> Reading:
    """Read the banks and users of a view; it is written as JSON, which has shares and usage too."""
    reading = Reading(NAME, form=FORM)
    above: list[tuple[int, Node]] = []
    for number, indent, cells in _rows(text):
        if len(cells) not in (_BANK, _USER):
            reading.say(number, "a row has a bank, perhaps a user, shares, usage, and a user's fairshare")
            continue
        if not above and indent:
            reading.say(number, "the first row must be the top bank, without blanks before it")
            return reading
        while len(above) > 1 and above[-1][0] >= indent:
            above.pop()
        bank, user, shares, usage, *fairshare = cells
        if not above:
            node = reading.root
            node.name, reading.lines[node.id, ""] = bank, number
        else:
            kind = Kind.USER if user else Kind.GROUP
            node = reading.add(above[-1][1], user or bank, kind, number)
        if user and above and above[-1][1].name != bank:
            reading.say(number, f"{user[:60]} is in the bank {bank[:60]}, whose row is not above")
        if not user:
            above.append((indent, node))
        if len(above) > MAX_DEPTH:
            reading.say(number, f"banks are nested deeper than {MAX_DEPTH} levels, which is the limit")
            return reading
        try:
            node.shares = whole_shares(shares)
            node.usage = usage_of(usage)
        except ValueError as error:
            reading.say(number, str(error))
        if fairshare:
            reading.keep(node, "fairshare", fairshare[0], number)
    return reading


def usage_of(text: str) -> float:
    """Return a usage as Flux prints it.

    Raises:
        ValueError: the text is not a usage.
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e300:
        msg = f"usage must be a number of 0 or more, not {text[:40]!r}"
        raise ValueError(msg)
    return value


def _rows(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (line, blanks before it, cells) of the rows under the titles, five cells for a user."""
    begun, is_parsable = False, False
    for number, line in numbered(text):
        if not begun:
            begun, is_parsable = _titles(line), "|" in line
        elif line.strip():
            cells = [cell.strip() for cell in line.split("|")] if is_parsable else line.split()
            if not is_parsable and len(cells) == _BANK - 1:
                cells.insert(1, "")
            yield number, len(line) - len(line.lstrip(" ")), cells


def _titles(line: str) -> bool:
    cells = line.split("|") if "|" in line else line.split()
    return tuple(cell.strip().lower() for cell in cells) in _TITLES
