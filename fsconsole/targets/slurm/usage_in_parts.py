"""sshare of a large cluster, account by account: all at once it takes more than its part of the time.

The time that sshare takes grows with the square of what it prints: 50,000 associations took it 27 s of
processor time, in 36 parts 1.1 s (Slurm 22.05.8). Smaller parts cost slurmctld more, which goes through all
associations for each: 1.0 s for 36, 1.7 s for 125. A part is a call with -A, which prints the accounts that
are named and their users, without those above. What was printed is put under each other as one call would
have printed it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fsconsole.slurm.cluster_tree import Key, row_keys
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.findings import Findings
from fsconsole.slurm.parsers.pipes import whole_rows

MANY = 4000  # From this many associations on, reading in parts is faster.
_ROWS = 1500
_MOST_SIGNS = 8000  # A list of accounts in a command line has no more characters.

_KEY = ("Account", "User", "Partition")


def parts_of(accounts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Group accounts that are queried together, from the account of each association.

    Together with their users they are a thousand associations or so; an account with more stands alone.
    """
    part: list[str] = []
    rows = signs = 0
    for account, count in Counter(accounts).items():
        if part and (rows + count > _ROWS or signs + len(account) > _MOST_SIGNS):
            yield tuple(part)
            part, rows, signs = [], 0, 0
        part.append(account)
        rows += count
        signs += len(account) + 1
    if part:
        yield tuple(part)


def has_all(text: str, asked: Sequence[str]) -> bool:
    """Return True if a call printed accounts that were not requested: all of them, indented."""
    wanted = set(asked)
    names = (line.partition("|")[0].strip() for line in text.split("\n")[1:] if line)
    return any(name not in wanted for name in names)


def joined(texts: Sequence[str], stored: StoredAssociations) -> str:
    """Join tables in the order and with the indentation of the stored tree.

    What is stored and was not printed is left out; ValueError where the tables do not have the same columns.
    Where the root account was not printed, PrivateData hides it: no row is indented then.
    """
    header = texts[0].partition("\n")[0]
    if tuple(header.split("|")[:3]) != _KEY or any(text.partition("\n")[0] != header for text in texts):
        msg = f"the columns are {header!r}, but the first must be {'|'.join(_KEY)}"
        raise ValueError(msg)
    lines: dict[Key, str] = {}
    for text in texts:
        whole = whole_rows(text.split("\n")[1:], 2, header.count("|") + 1, Findings())
        for _, line, fields, _ in whole:
            if fields is not None:
                lines[fields[0].strip(), fields[1].strip(), fields[2].strip()] = line.lstrip(" ")
    keys = row_keys(stored)
    depths = stored.tree.depths() if keys[0] in lines else [0] * len(keys)
    rows = (" " * depth + lines[key] for key, depth in zip(keys, depths, strict=True) if key in lines)
    return "\n".join((header, *rows, ""))
