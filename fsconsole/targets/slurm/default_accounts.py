"""Default accounts of the users that a change set is about: as they were, and as they are now.

Slurm 22.05 removes a user's default account without a word, and lets its jobs that name no account fail.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

from fsconsole.slurm.change_set import Change, Entry, Verb
from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.sacctmgr import set_default
from fsconsole.targets.slurm.readback import UnreadableError, read_defaults
from fsconsole.targets.slurm.tools import Run

_TOUCHING = (Verb.ADD, Verb.REMOVE, Verb.DEFAULT)


class DefaultAccounts:
    """Reads them before and after.

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
        """Read them again; UnreadableError where that cannot be."""
        self.now = dict(
            read_defaults(self._run, self._cluster, self._users, limit_s=self._limit_s) if self._users else {}
        )

    def end(self) -> None:
        """Read them again; where that cannot be, a warning says so."""
        self._read("afterwards")

    def entry(self, user: str) -> Entry | None:
        """The default account of a user as what is stored of a change."""
        account = self.now.get(user)
        return None if account is None else Entry(account, 0)

    def warnings(self, stored: Collection[Key]) -> tuple[str, ...]:
        """Who is left without a default account, and what is not known; in sentences."""
        members = {user for _, user, _ in stored}
        lost = [
            user
            for user, account in self.before.items()
            if account and not self.now.get(user) and user in members and not self._problem
        ]
        said = [
            f"{user} has no default account now (it was {self.before[user]}), and jobs that name none fail. "
            f"Set one: {shlex.join(set_default(self._cluster, user, 'ACCOUNT'))}"
            for user in sorted(lost)
        ]
        return (*said, self._problem) if self._problem else tuple(said)

    def _read(self, when: str) -> None:
        try:
            self.read()
        except UnreadableError as error:
            self._problem = (
                f"Default accounts could not be read {when}, and a roll back does not restore them: {error}."
            )
