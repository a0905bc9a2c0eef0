"""Foreign keys of a node that matter outside the format that they are from."""

from __future__ import annotations

from collections.abc import Mapping

from fsconsole.shares.tree import Node, ShareTree

PARENT_SHARES = 2**31 - 1  # Slurm stores fairshare=parent as this number.
# Foreign keys of these formats begin with the format's name and a dot; all other keys are Slurm's.
DIALECTS = frozenset(
    ("sge", "pbs", "lsf", "maui", "moab", "htcondor", "flux", "oar", "yarn-fair", "yarn-capacity")
) | {"kueue", "kai", "systemd"}
# These keys add nothing to the tree: the form of the file, the weight as written, shares for weight 1, the
# place of nodes among other things, and a node that the file does not spell out.
FORM, WEIGHT, SCALE, PLACE, IMPLICIT = "form", "weight", "scale", "nodes", "implicit"
# They hold lines and other objects of the file before a node, and after the last one.
BEFORE, AFTER = "before", "after"
BY_SHARES = frozenset((FORM, WEIGHT, SCALE, PLACE, IMPLICIT))


def dialect_of(key: str) -> str:
    """Return the name of the format that owns a foreign key."""
    owner, dot, _ = key.partition(".")
    return owner if dot and owner in DIALECTS else "slurm"


def bare_key(key: str, dialect: str) -> str:
    """Return a foreign key as the file has it: without dialect and number."""
    tail = key.removeprefix(f"{dialect}.")
    stem, mark, number = tail.rpartition("#")
    return stem if mark and stem and number.isdigit() else tail


def without_carried(foreign: Mapping[str, str]) -> dict[str, str]:
    """Return foreign keys without those of dialects that the tree itself expresses."""
    return {key: value for key, value in foreign.items() if not is_carried(key)}


def is_carried(key: str) -> bool:
    """Return True if the tree itself holds everything in a key of a dialect."""
    owner, _, tail = key.partition(".")
    return owner in DIALECTS and tail.removeprefix("/") in BY_SHARES


def dialects_in(tree: ShareTree) -> tuple[str, ...]:
    """Return the formats with keys in a tree, by the mark that each reader leaves at the root."""
    return tuple(dict.fromkeys(dialect_of(key) for key in tree.root.foreign))


# Files of these formats have queues or slices side by side below a root without a name.
_FORESTS = frozenset(("kueue", "kai", "systemd"))


def has_implicit_root(tree: ShareTree) -> bool:
    """Return True if the tree's file lacks the root, so that its top nodes are those below it."""
    return bool(_FORESTS.intersection(dialects_in(tree)))


def is_filled_later(node: Node) -> bool:
    """Return True if a group without nodes is valid: a rule adds queues to it, or it lends its quota.

    Source: Hadoop, Fair Scheduler, "Allocation file format", type="parent"; Kueue, "Cohort".
    """
    return not node.children and any(key.startswith(("yarn-fair.", "kueue.")) for key in node.foreign)


def takes_parents_shares(node: Node) -> bool:
    """Return True if Slurm gives the node its account's share (fairshare=parent), which has no number
    here.
    """
    return node.shares == 0 and has_parents_key(node)


def has_parents_key(node: Node) -> bool:
    """Return True if the node's key of Slurm is fairshare=parent, which holds while it has no shares of its
    own.
    """
    key = slurm_shares_key(node.foreign) if node.foreign else None
    return key is not None and means_parent(node.foreign[key])


def with_parents_shares(foreign: Mapping[str, str], *, on: bool) -> dict[str, str]:
    """Return foreign keys of a node that takes its account's share, or no longer does; its shares
    are 0 then.
    """
    key = slurm_shares_key(foreign)
    found = {name: value for name, value in foreign.items() if name != key}
    return found | {"Fairshare": "parent"} if on else found


def slurm_shares_key(options: Mapping[str, str]) -> str | None:
    """Return the key that gives the shares: Slurm takes any case and any beginning of the word."""
    for key in options:
        word = key.strip().lower()
        if word and ("fairshare".startswith(word) or "shares".startswith(word)):
            return key
    return None


def means_parent(value: str) -> bool:
    """Return True if shares as Slurm writes them are the account's: `parent`, or the number for it."""
    return bare(value).lower() == "parent" or bare(value) == str(PARENT_SHARES)


def slurm_name(node: Node) -> str:
    """Return the name in Slurm of a node; its label differs where Slurm's name cannot be a node's."""
    if "slurm.name" in node.foreign and node.foreign.get("slurm.label") == node.name:
        return bare(node.foreign["slurm.name"])
    return node.name


def slurm_partition(node: Node) -> str:
    """Return the partition that a user's association is for; mostly empty, which is all of them."""
    return bare(node.foreign.get("Partition", ""))


def bare(text: str) -> str:
    """Return a value without blanks and quotes around it."""
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text
