"""Readback of the database of a cluster: associations and defaults, and whether sshare shows them."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fsconsole.shares.foreign import PARENT_SHARES, means_parent
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.change_set import Change, Entry, Verb, shares_words
from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.held import DEFAULT_QOS, QOS
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limits import ASSOCIATION, of_qos, of_row
from fsconsole.slurm.names import in_words
from fsconsole.slurm.parsers.findings import Findings, shown
from fsconsole.slurm.parsers.marks import new_mark
from fsconsole.slurm.parsers.pipes import Row, rows
from fsconsole.slurm.parsers.qos import COMMAND as QOS_COMMAND
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.slurm.parsers.squeue_text import format_of, read_squeue_text
from fsconsole.slurm.sacctmgr import set_default
from fsconsole.targets.slurm.tools import TIMES, Run
from fsconsole.targets.slurm.usage_in_parts import parts_of

_COLUMNS = ("account", "user", "partition", "share", "parentname")
_DEFAULTS = "format=user,defaultaccount"
_MOST_NAMED = 100  # With more names, all associations are read.
_SSHARE = ("Account", "User", "Partition", "RawShares")

Stored = Mapping[Key, Entry]


class UnreadableError(Exception):
    """Error: stored values cannot be read; the message has the reason."""


def read_stored(
    run: Run, cluster: str, *, limit_s: float, with_limits: bool = False, user: str = ""
) -> Stored:
    """Read all associations of a cluster, or of a user, by their keys; UnreadableError where some cannot be
    read.

    `with_limits` reads those of their own too, with their lists of QOS, and all QOS with theirs.
    """
    more = (*(one.column for one in ASSOCIATION), QOS, DEFAULT_QOS)
    columns = (*_COLUMNS, *more) if with_limits else _COLUMNS
    own = ("WOPLimits", "WithRawQOSLevel") if with_limits else ()
    of_user = (f"user={user}",) if user else ()
    asked = (*own, f"cluster={cluster}", *of_user, f"format={','.join(columns)}")
    found = {}
    for row in _table(run, ("sacctmgr", "-nP", "show", "assoc", *asked), columns, limit_s):
        key = _key(row)
        if user not in ("", key[1]):
            continue
        limits = of_row(row) | _qos_of(row) if with_limits else {}
        found[key] = Entry(key[0] if key[1] else row["parentname"].strip(), _shares(row["share"]), limits)
    if not found and not user:
        msg = f"sacctmgr prints no association of {cluster}"
        raise UnreadableError(msg)
    return found | _stored_qos(run, limit_s) if with_limits else found


def _qos_of(row: Row) -> dict[str, str]:
    """Return the list of QOS of an association, in one order, and its default, as far as it has them."""
    listed = ",".join(sorted(filter(None, row[QOS].strip().split(","))))
    return {name: value for name, value in ((QOS, listed), (DEFAULT_QOS, row[DEFAULT_QOS].strip())) if value}


@dataclass(frozen=True, slots=True)
class Privileges:
    """What a user has in the whole database.

    Attributes:
        admin: admin level; empty for none.
        coordinates: accounts to coordinate, with those below them.
    """

    admin: str = ""
    coordinates: frozenset[str] = frozenset()


def read_privileges(run: Run, users: Collection[str], *, limit_s: float) -> Mapping[str, Privileges]:
    """Return the privileges of users, those that Slurm knows; UnreadableError where they are not read."""
    named = (f"name={','.join(sorted(users))}",) if len(users) <= _MOST_NAMED else ()
    asked = ("sacctmgr", "-nP", "show", "user", *(("where", *named) if named else ()), "withcoord")
    columns = ("user", "adminlevel", "coordinators")
    return {
        row["user"].strip(): Privileges(
            "" if row["adminlevel"].strip() in ("None", "Not Set") else row["adminlevel"].strip(),
            frozenset(filter(None, row["coordinators"].strip().split(","))),
        )
        for row in _table(run, (*asked, f"format={','.join(columns)}"), columns, limit_s)
    }


def _stored_qos(run: Run, limit_s: float) -> dict[Key, Entry]:
    answer = run(QOS_COMMAND, limit_s=limit_s)
    try:
        known = read_qos(answer.stdout).items if not answer.problem else ()
    except ScenarioError as error:
        raise UnreadableError(str(error)) from error
    if answer.problem:
        raise UnreadableError(answer.problem)
    return {("", "", one.name): Entry("", 0, of_qos(one)) for one in known}


def read_active_jobs(run: Run, accounts: Collection[str], *, limit_s: float) -> tuple[Job, ...]:
    """Return the jobs of accounts that have not ended; none where they cannot be read."""
    if not accounts:
        return ()
    mark = new_mark()
    named = ("-A", ",".join(sorted(accounts))) if len(accounts) <= _MOST_NAMED else ()
    answer = run((*TIMES, "squeue", "-h", "-a", *named, "-O", format_of(mark=mark)), limit_s=limit_s)
    try:
        found = () if answer.problem else read_squeue_text(answer.stdout, time.time(), mark=mark).items
    except ScenarioError:
        found = ()
    return tuple(job for job in found if job.account in accounts and not job.is_finished)


def read_shares(run: Run, accounts: Iterable[str], *, limit_s: float) -> Mapping[Key, int]:
    """Read raw shares as slurmctld has them; UnreadableError where it does not report them.

    Args:
        run: runs a command where the cluster is.
        accounts: of each association that is asked for its account; those that are not there are no fault.
        limit_s: time limit of each command.
    """
    asked = ("sshare", "-a", "-P", "-n", "-o", ",".join(_SSHARE), "-A")
    parts = (_table(run, (*asked, ",".join(part)), _SSHARE, limit_s) for part in parts_of(accounts))
    return {_key(row): _shares(row["rawshares"]) for part in parts for row in part}


def read_defaults(run: Run, cluster: str, users: Collection[str], *, limit_s: float) -> Mapping[str, str]:
    """Return the default account of some users, empty for those who have none; UnreadableError where it is
    not read.

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
    found, lost = Findings(), list[str]()
    read = [row for _, row in rows(answer.stdout, found, (), " ".join(command), columns, lost)]
    if found and not read:
        raise UnreadableError(str(next(iter(found.problems()))))
    return read


def _key(row: Row) -> Key:
    return row["account"].strip(), row["user"].strip(), row["partition"].strip()


def _shares(text: str) -> int:
    """Return raw shares as printed; sshare prints none for the root."""
    text = text.strip()
    if means_parent(text):
        return PARENT_SHARES
    if text and not (text.isascii() and text.isdigit()):
        msg = f"shares are printed as {shown(text)}, which is not a number"
        raise UnreadableError(msg)
    return int(text or 0)


_TOUCHING = (Verb.ADD, Verb.REMOVE, Verb.DEFAULT)


class DefaultAccounts:
    """Reads default accounts of the users that a change set is about, before and after.

    Slurm 22.05 removes a user's default account without a word, and lets its jobs that name no account fail.

    Attributes:
        before, now: default account by user, empty where there is none; users that Slurm does not know are
            left out.
    """

    def __init__(self, run: Run, cluster: str, limit_s: float) -> None:
        self._run, self._cluster, self._limit_s = run, cluster, limit_s
        self._users: set[str] = set()
        self._problem = ""
        self.before: dict[str, str] = {}
        self.now: dict[str, str] = {}

    def begin(self, changes: Sequence[Change]) -> None:
        """Read those of all users that are added or removed somewhere, or given another default account."""
        self._users = {one.key[1] for one in changes if one.verb in _TOUCHING} - {""}
        self._read("before anything was done")
        self.before = dict(self.now)

    def read(self) -> None:
        """Read the associations again.

        Raises:
            UnreadableError: they cannot be read.
        """
        self.now = dict(
            read_defaults(self._run, self._cluster, self._users, limit_s=self._limit_s) if self._users else {}
        )

    def read_one(self, user: str) -> None:
        """Read that of one user again.

        Raises:
            UnreadableError: it cannot be read.
        """
        found = read_defaults(self._run, self._cluster, {user}, limit_s=self._limit_s)
        self.now.pop(user, None)
        self.now.update((name, account) for name, account in found.items() if name == user)

    def end(self) -> None:
        """Read them again; add a warning where that fails."""
        self._read("afterwards")

    def entry(self, user: str) -> Entry | None:
        """Return the default account of a user as the stored value of a change."""
        account = self.now.get(user)
        return None if account is None else Entry(account, 0)

    @property
    def is_unread(self) -> bool:
        """Return True if they could not be read."""
        return bool(self._problem)

    def warnings(self, stored: Collection[Key]) -> tuple[str, ...]:
        """Describe users left without a default account, and unknown ones."""
        members = {user for _, user, _ in stored}
        lost = [
            user
            for user, account in self.before.items()
            if account and not self.now.get(user) and user in members and not self._problem
        ]
        messages = [
            f"{user} has no default account now (it was {self.before[user]}), so jobs without an "
            f"account fail. Set one: {shlex.join(set_default(self._cluster, user, 'ACCOUNT'))}"
            for user in sorted(lost)
        ]
        return (*messages, self._problem) if self._problem else tuple(messages)

    def _read(self, when: str) -> None:
        try:
            self.read()
        except UnreadableError as error:
            self._problem = (
                f"Default accounts could not be read {when}, so a roll back does not restore them: {error}."
            )


_TRIES = 3
BETWEEN_S = 0.7
# Slurm 22.05.8 takes in a change of 50,000 associations within 0.3 s, but sacctmgr does not wait for that.
_LAG_PATIENCE_S = 60.0


def lag_of(
    run: Run,
    keys: set[Key],
    stored: Stored,
    *,
    limit_s: float,
    wait: Callable[[float], None],
    is_stopped: Callable[[], bool],
) -> str:
    """Describe differences of associations in sshare from the stored ones in a sentence; empty without any.

    It is waited for as long as there is less and less that slurmctld has not heard of.

    Args:
        run: runs a command where the cluster is.
        keys: what was changed.
        stored: what is stored of all associations.
        limit_s: time limit of each command.
        wait: waits so many seconds.
        is_stopped: whether waiting is to end.
    """
    touched = {account for account, _, _ in keys}
    there = (*stored, *sorted(keys - stored.keys()))
    accounts = [account for account, _, _ in there if account in touched]

    def behind_now() -> list[str]:
        shown = read_shares(run, accounts, limit_s=limit_s)
        return [words for key in sorted(keys) if (words := _behind(key, stored, shown.get(key)))]

    try:
        behind, quiet = behind_now() if keys else [], 0
        end = time.monotonic() + _LAG_PATIENCE_S
        while behind and quiet < _TRIES - 1 and time.monotonic() < end and not is_stopped():
            wait(BETWEEN_S)
            before, behind = len(behind), behind_now()
            quiet = quiet + 1 if len(behind) >= before else 0
    except UnreadableError as error:
        return f"cannot check whether it is in force, because sshare failed: {error}"
    return _words(behind, is_moving=not quiet)


def _behind(key: Key, stored: Stored, shown: int | None) -> str:
    """Describe the difference between an association in sshare and as stored; empty where there is none."""
    now = stored.get(key)
    if now is None:
        return f"{in_words(key)}, which is removed" if shown is not None else ""
    if shown is None:
        return f"no {in_words(key)}, which is stored"
    same = shown == now.shares
    return "" if same else f"{shares_words(shown)} of {in_words(key)}, {now.shares} are stored"


def _words(behind: Sequence[str], *, is_moving: bool) -> str:
    if not behind:
        return ""
    more = f", and {len(behind) - 1} others" if len(behind) > 1 else ""
    why = (
        "slurmctld applies one change after the other, and may not have reached it yet"
        if is_moving
        else "slurmctld does not have it yet. If that stays so, restart slurmctld"
    )
    return f"sshare still shows {behind[0]}{more}: {why}"
