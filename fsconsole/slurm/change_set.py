"""What has to be told to a cluster so that its associations become the tree that somebody has drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One command of sacctmgr.

    Attributes:
        verb: `Set shares`, `Add`, `Move` or `Remove`.
        node: the node of the share tree that it is about.
        on: the association in words, such as `hep` or `fs_anna in hep`.
        before, after: what it is and what it will be, in words; empty where it is not there.
        command: the command as an argument list, without the prefix that reaches the cluster. It has `-i`,
            names the cluster, and the account of a user.
        notes: what a person should know before it is done, such as that usage does not move with a user.
    """

    verb: str
    node: int
    on: str
    before: str
    after: str
    command: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """An edit of the tree that cannot be told to Slurm: which node, and why, with what would be right."""

    node: int
    on: str
    why: str


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """All that is staged, in the order in which it is to be done."""

    changes: tuple[Change, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def can_be_applied(self) -> bool:
        """Whether there is something to do and nothing that cannot be done."""
        return bool(self.changes) and not self.refusals
