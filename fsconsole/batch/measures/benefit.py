"""The numbers of users who benefit and suffer under one policy compared with another (Table III)."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from fsconsole.batch.measures.users import with_jobs
from fsconsole.batch.policy import HOUR_S

# Section V-C calls a change of a user's maximum wait considerable from this many hours on.
CONSIDERABLE_H = 10


@dataclass(frozen=True, slots=True)
class Benefit:
    """Users by the change of their maximum wait.

    In the paper's text, all users who do not benefit suffer; but the fractions of its table do not add up to
    1, so users with an equal maximum wait must be neither, and are neither here.

    Attributes:
        users: all users with measured jobs under both policies.
        benefit, suffer: users with a lower or a higher maximum wait.
        benefit_considerably, suffer_considerably: by more than 10 hours.
    """

    users: int
    benefit: int
    suffer: int
    benefit_considerably: int
    suffer_considerably: int

    @property
    def neither(self) -> int:
        """Number of users with an equal maximum wait."""
        return self.users - self.benefit - self.suffer

    def fraction(self, count: int) -> float:
        """Return a count as a fraction of all users, 0 .. 1; 0 without users."""
        return count / self.users if self.users else 0.0


def changes(base: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Return the change of users' maximum wait between two policies: `user` and `change_s`, whole s.

    Args:
        base: table of users (`user_table`) under the first policy.
        other: the same under the other one.
    """
    waits = with_jobs(base).select("user", "max_wait_h")
    both = waits.join(with_jobs(other).select("user", after="max_wait_h"), on="user", maintain_order="left")
    hours = pl.col("after") - pl.col("max_wait_h")
    return both.select("user", change_s=(hours * HOUR_S).round().cast(pl.Int64))


def benefit(base: pl.DataFrame, other: pl.DataFrame) -> Benefit:
    """Return the users who benefit and suffer under `other` compared with `base`, both `user_table`s."""
    change_s, considerable_s = changes(base, other)["change_s"], CONSIDERABLE_H * HOUR_S
    return Benefit(
        users=len(change_s),
        benefit=int((change_s < 0).sum()),
        suffer=int((change_s > 0).sum()),
        benefit_considerably=int((change_s < -considerable_s).sum()),
        suffer_considerably=int((change_s > considerable_s).sum()),
    )
