"""Shares as a person types them: `30`, `30 %` of the group, `30 % of cluster` or `of machine`, `=` for an
equal part, `parent`.

Shares are whole numbers, so a percentage is rounded to the nearest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fsconsole.shares.edits import MAX_SHARES, Edit, SetField, SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.foreign import (
    means_parent,
    slurm_shares_key,
    takes_parents_shares,
    with_parents_shares,
)
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.text import numbers

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_OF_ALL = re.compile(r"(.*%)\s*of\s+(?:the\s+)?(cluster|machine)", re.IGNORECASE)
PARENT = "parent"  # Slurm has this word for a node that has the share of its account.


def shares_words(node: Node, *, takes_parents: bool) -> str:
    """Return the text in the entry field of shares."""
    return PARENT if takes_parents and takes_parents_shares(node) else str(node.shares)


def shares_edits(text: str, tree: ShareTree, node: Node, *, takes_parents: bool) -> list[Edit]:
    """Return typed shares as edits, none for no change; where a tree `takes_parents`, so can `parent` be
    typed.

    ValueError with a sentence that says what would be right.
    """
    key = slurm_shares_key(node.foreign)
    # It is true even if a number of shares is stored as well.
    is_parents = key is not None and means_parent(node.foreign[key])
    is_wanted = takes_parents and text.strip().lower() == PARENT
    shares = 0 if is_wanted else parse_shares(text, tree, node.id)
    edits: list[Edit] = []
    if takes_parents and is_parents is not is_wanted:
        edits.append(SetField(node.id, "foreign", with_parents_shares(node.foreign, on=is_wanted)))
    if shares != node.shares:
        edits.append(SetShares.of(node.id, shares))
    return edits


def tried_shares(node: Node, edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Return (node id, shares) of typed shares, for a preview; empty without edits, or for `parent`."""
    if any(isinstance(edit, SetField) and PARENT in edit.value.values() for edit in edits):
        return []
    shares = next((edit.shares[0][1] for edit in edits if isinstance(edit, SetShares)), node.shares)
    return [(node.id, shares)] if edits else []


def parse_shares(text: str, tree: ShareTree, node_id: int) -> int:
    """Return typed shares: a number, a percentage of the siblings or of the whole, or `=`.

    Raises:
        ValueError: the text is wrong; the message is a sentence with a valid one.
    """
    text = numbers.ungrouped(text.strip())
    beside = [node for node in tree.siblings(node_id) if node.id != node_id]
    others = [node.shares for node in beside]
    if text == "=":
        return _equal_part(others)
    of_all = _OF_ALL.fullmatch(text)
    if text.endswith("%") or of_all is not None:
        means = sum(1 for node in beside if not node.is_group and takes_parents_shares(node))
        fraction = _fraction((text if of_all is None else of_all[1])[:-1].strip())
        if of_all is not None:
            fraction /= _share_above(tree, node_id, fraction, of_all[2].lower())
        return _part(fraction, others, means)
    if not re.fullmatch(r"\d+", text):
        msg = f"{text!r} is not a whole number of shares. Type 30, 30 % or ="
        raise ValueError(msg)
    return _checked(int(text))


def _equal_part(others: list[int]) -> int:
    if not others:
        msg = "The node has no siblings to be equal with. Type a number"
        raise ValueError(msg)
    return _checked(round(sum(others) / len(others)))


def _fraction(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        msg = "Type the percentage before the sign, as in 30 %"
        raise ValueError(msg)
    return float(text.replace(",", ".")) / 100


def _share_above(tree: ShareTree, node_id: int, fraction: float, whole: str) -> float:
    """Return the share of the whole that a node and its siblings have together; ValueError where `fraction`
    is not below that.
    """
    above, flat = tree.node(node_id).parent, FlatTree.of(tree)
    found = 1.0 if above is None else float(flat.machine_share()[flat.row_of[above]])
    if fraction >= found:
        name = "" if above is None else f"{tree.node(above).name} has "
        msg = f"{name}{numbers.fine_percent(found)} of the {whole}. Type less"
        raise ValueError(msg)
    return found


def _part(fraction: float, others: list[int], means: int) -> int:
    """Return shares for a fraction; `means` of the siblings count as the mean of all that have shares."""
    if not 0 <= fraction < 1:
        msg = "A share of the group is from 0 to below 100 %"
        raise ValueError(msg)
    if not sum(others):
        msg = "Siblings have no shares, so a percentage is undefined. Type a number"
        raise ValueError(msg)
    part = fraction * (1 + means / (1 + sum(1 for one in others if one)))
    if part >= 1:
        msg = (
            "Siblings with the share parent count as the mean, so the percentage would be smaller. "
            "Type a number"
        )
        raise ValueError(msg)
    return _checked(round(part * sum(others) / (1 - part)))


def _checked(shares: int) -> int:
    if shares > MAX_SHARES:
        msg = f"Type at most {numbers.thousands(MAX_SHARES)} shares"
        raise ValueError(msg)
    return shares
