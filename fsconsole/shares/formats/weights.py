"""Weights that may be fractions: stored as written, with whole shares scaled from them.

The shares of siblings are their weights times one factor. Each sibling stores a factor other than 1 as the
foreign key `scale`. A weight with unchanged shares is written unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm

from fsconsole.shares.edits import MAX_SHARES, Edit, SetField, SetShares
from fsconsole.shares.foreign import SCALE, WEIGHT
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.text.numbers import rough_percent

_NUMBER = re.compile(r"\+?(\d{1,18}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?")
_RATIO = re.compile(r"\d{1,40}(/\d{1,40})?")
_LARGEST = 10**9  # Where no scale is exact, the largest weight gets this many shares.
_DIGITS = 12


def weight_of(text: str) -> Fraction:
    """Return a weight as written.

    Raises:
        ValueError: the text is not one.
    """
    plain = text.strip()
    if not (plain.isascii() and _NUMBER.fullmatch(plain)):
        msg = f"{text[:40]!r} is not a number of 0 or more. Example: 2 or 0.75"
        raise ValueError(msg)
    return Fraction(plain)


def check_weight(text: str) -> str:
    """Return the fault of a weight; empty for a valid one."""
    try:
        weight_of(text)
    except ValueError as error:
        return f"{error}."
    return ""


def scaled(weights: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Return whole shares of siblings and the factor from weight to shares; exact where whole
    numbers can be.
    """
    positive = [weight for weight in weights if weight]
    if not positive:
        return [0] * len(weights), Fraction(1)
    largest, bottom = max(positive), lcm(*(weight.denominator for weight in positive))
    decimals = next((digits for digits in range(_DIGITS) if 10**digits % bottom == 0), None)
    top = gcd(*(weight.numerator * (bottom // weight.denominator) for weight in positive))
    factors = [] if decimals is None else [Fraction(10**decimals)]
    factor = next(
        (one for one in (*factors, Fraction(bottom, top)) if largest * one <= MAX_SHARES), _LARGEST / largest
    )
    return [shares_for(weight, factor) for weight in weights], factor


def shares_for(weight: Fraction, factor: Fraction) -> int:
    """Return whole shares of a weight, at least 1 unless it is 0."""
    return max(1, round(weight * factor)) if weight else 0


def set_shares(nodes: Sequence[Node], dialect: str, default: str = "1") -> None:
    """Set the shares of siblings from the weights in a file; an empty weight is the default one."""
    key, scale = f"{dialect}.{WEIGHT}", f"{dialect}.{SCALE}"
    weights = [Fraction(node.foreign.get(key) or default) for node in nodes]
    shares, factor = scaled(weights)
    for node, number in zip(nodes, shares, strict=True):
        node.shares = number
        if factor != 1:
            node.foreign[scale] = str(factor)


def written_weights(nodes: Sequence[Node], dialect: str, default: str = "1") -> dict[int, str]:
    """Return the weight of each sibling to write; empty where it was left out and is the default still."""
    factor = _factor(nodes, dialect)
    found = {}
    for node in nodes:
        text = node.foreign.get(f"{dialect}.{WEIGHT}")
        weight = _safe(text or default) if text is not None else None
        same = weight is not None and shares_for(weight, factor) == node.shares
        found[node.id] = text if text is not None and same else plain(node.shares / factor)
    return found


def weights_of_tree(tree: ShareTree, dialect: str, default: str = "1") -> dict[int, str]:
    """Return the weight of each node to write, as `written_weights` has that of siblings."""
    groups = (written_weights(tree.children(group.id), dialect, default) for group in tree.walk())
    return {node: text for group in groups for node, text in group.items()}


def plain(number: Fraction) -> str:
    """Return a fraction as a decimal number without an exponent, exact where twelve digits can be."""
    if number.denominator == 1:
        return str(number.numerator)
    return f"{Decimal(f'{float(number):.{_DIGITS - 1}e}'):f}".rstrip("0").rstrip(".")


def weight_edits(tree: ShareTree, node: Node, text: str, dialect: str, default: str = "1") -> list[Edit]:
    """Return edits that give a node another weight: shares of its siblings are scaled again.

    ValueError where it is not a weight.
    """
    weight_of(text)
    siblings = tree.siblings(node.id)
    texts = written_weights(siblings, dialect, default) | {node.id: text.strip()}
    shares, factor = scaled([weight_of(texts[one.id] or default) for one in siblings])
    pairs = [(one.id, new) for one, new in zip(siblings, shares, strict=True) if new != one.shares]
    edits: list[Edit] = [SetShares(tuple(pairs))] if pairs else []
    for one in siblings:
        foreign = {**one.foreign, f"{dialect}.{WEIGHT}": texts[one.id]}
        foreign.pop(f"{dialect}.{SCALE}", None)
        if factor != 1:
            foreign[f"{dialect}.{SCALE}"] = str(factor)
        if foreign != one.foreign:
            edits.append(SetField(one.id, "foreign", foreign))
    return edits


def inexact(tree: ShareTree, dialect: str, default: str = "1") -> Iterator[Problem]:
    """Find sibling sets whose whole shares are not exactly proportional to their weights."""
    key = f"{dialect}.{WEIGHT}"
    for group in tree.walk():
        nodes = tree.children(group.id)
        factor = _factor(nodes, dialect)
        if factor == 1:
            continue
        worst = max(map(float, _errors(nodes, key, factor, default)), default=0.0)
        if worst > 0:
            text = (
                f"no exact whole shares for the weights below {group.name}: the largest error is "
                f"{rough_percent(worst)}"
            )
            yield Problem(text, Severity.NOTE, node=group.id, path=group.name)


def _errors(nodes: Iterable[Node], key: str, factor: Fraction, default: str) -> Iterator[Fraction]:
    for node in nodes:
        weight = _safe(node.foreign.get(key) or default)
        if weight and shares_for(weight, factor) == node.shares:
            yield abs(node.shares / (weight * factor) - 1)


def _factor(nodes: Sequence[Node], dialect: str) -> Fraction:
    """Return the shares for weight 1 among siblings, as stored in the first of them."""
    for node in nodes:
        text = node.foreign.get(f"{dialect}.{SCALE}", "")
        if _RATIO.fullmatch(text) and text.isascii():
            top, _, bottom = text.partition("/")
            if int(top) and int(bottom or 1):
                return Fraction(int(top), int(bottom or 1))
    return Fraction(1)


def _safe(text: str) -> Fraction | None:
    try:
        return weight_of(text)
    except ValueError:
        return None
