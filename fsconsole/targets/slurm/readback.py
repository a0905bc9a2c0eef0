"""What the database of a cluster has stored of each association now: the reading back of changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from fsconsole.shares.foreign import PARENT_SHARES, means_parent
from fsconsole.slurm.change_set import Entry
from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.parsers.findings import Findings, shown
from fsconsole.slurm.parsers.pipes import Row, rows
from fsconsole.targets.slurm.tools import Run
from fsconsole.targets.slurm.usage_in_parts import parts_of

_COLUMNS = ("account", "user", "partition", "share", "parentname")
_DEFAULTS = "format=user,defaultaccount"
_MOST_NAMED = 100  # beyond that all are asked for
_SSHARE = ("Account", "User", "Partition", "RawShares")

Stored = Mapping[Key, Entry]


class UnreadableError(Exception):
    """What is stored cannot be read; the message says why."""


def read_stored(run: Run, cluster: str, *, limit_s: float) -> Stored:
    """All associations of a cluster by their keys; UnreadableError where they cannot be had whole."""
    asked = f"format={','.join(_COLUMNS)}"
    found = {}
    for row in _table(
        run, ("sacctmgr", "-nP", "show", "assoc", f"cluster={cluster}", asked), _COLUMNS, limit_s
    ):
        key = _key(row)
        found[key] = Entry(key[0] if key[1] else row["parentname"].strip(), _shares(row["share"]))
    if not found:
        msg = f"sacctmgr prints no association of {cluster}"
        raise UnreadableError(msg)
    return found


def read_shares(run: Run, accounts: Iterable[str], *, limit_s: float) -> Mapping[Key, int]:
    """Raw shares as slurmctld has them; UnreadableError where it does not say them.

    Args:
        run: runs a command where the cluster is.
        accounts: of each association that is asked for its account; those that are not there are no fault.
        limit_s: time limit of each command.
    """
    asked = ("sshare", "-a", "-P", "-n", "-o", ",".join(_SSHARE), "-A")
    parts = (_table(run, (*asked, ",".join(part)), _SSHARE, limit_s) for part in parts_of(accounts))
    return {_key(row): _shares(row["rawshares"]) for part in parts for row in part}


def read_defaults(run: Run, cluster: str, users: Collection[str], *, limit_s: float) -> Mapping[str, str]:
    """The default account of some users, empty for those who have none; UnreadableError where it is not read.

    Users that Slurm does not know are left out.
    """
    if not users:
        return {}
    named = (f"name={','.join(sorted(users))}",) if len(users) <= _MOST_NAMED else ()
    asked = ("sacctmgr", "-nP", "show", "user", "where", *named, f"cluster={cluster}", _DEFAULTS)
    table = _table(run, asked, ("user", "defaultaccount"), limit_s)
    return {row["user"].strip(): row["defaultaccount"].strip() for row in table}


def _table(run: Run, command: Sequence[str], columns: Sequence[str], limit_s: float) -> list[Row]:
    answer = run(command, limit_s=limit_s)
    if answer.problem:
        raise UnreadableError(answer.problem)
    found = Findings()
    read = [row for _, row in rows(answer.stdout, found, (), " ".join(command), columns)]
    if found:
        raise UnreadableError(str(next(iter(found.problems()))))
    return read


def _key(row: Row) -> Key:
    return row["account"].strip(), row["user"].strip(), row["partition"].strip()


def _shares(text: str) -> int:
    """Raw shares as printed; sshare prints none for the root."""
    text = text.strip()
    if means_parent(text):
        return PARENT_SHARES
    if text and not (text.isascii() and text.isdigit()):
        msg = f"shares are printed as {shown(text)}, which is no number"
        raise UnreadableError(msg)
    return int(text or 0)
