"""How many users benefit and suffer under one policy against another (Table III)."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from fsconsole.batch.measures.users import with_jobs
from fsconsole.batch.policy import HOUR_S

CONSIDERABLE_H = 10  # hours by which a user's maximum wait changes at least to be considerable (V-C)


@dataclass(frozen=True, slots=True)
class Benefit:
    """Users by what becomes of their maximum wait.

    The paper's text calls everybody who does not benefit one who suffers; but the fractions of its table do
    not add up to 1, so that users whose maximum wait stays equal must be neither. So they are here.

    Attributes:
        users: all who own measured jobs under both policies.
        benefit, suffer: those whose maximum wait is lower, or higher.
        benefit_considerably, suffer_considerably: by more than 10 hours.
    """

    users: int
    benefit: int
    suffer: int
    benefit_considerably: int
    suffer_considerably: int

    @property
    def neither(self) -> int:
        """Users whose maximum wait stays equal."""
        return self.users - self.benefit - self.suffer

    def fraction(self, count: int) -> float:
        """Return a count as part of all users, 0 .. 1; 0 without users."""
        return count / self.users if self.users else 0.0


def changes(base: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Return what becomes of users' maximum wait from one policy to another: `user` and `change_s`, whole
    seconds.

    Args:
        base: table of users (`user_table`) under the first policy.
        other: the same under the other one.
    """
    waits = with_jobs(base).select("user", "max_wait_h")
    both = waits.join(with_jobs(other).select("user", after="max_wait_h"), on="user", maintain_order="left")
    hours = pl.col("after") - pl.col("max_wait_h")
    return both.select("user", change_s=(hours * HOUR_S).round().cast(pl.Int64))


def benefit(base: pl.DataFrame, other: pl.DataFrame) -> Benefit:
    """Return who benefits and suffers under `other` against `base`; both are tables of users
    (`user_table`).
    """
    change_s, considerable_s = changes(base, other)["change_s"], CONSIDERABLE_H * HOUR_S
    return Benefit(
        users=len(change_s),
        benefit=int((change_s < 0).sum()),
        suffer=int((change_s > 0).sum()),
        benefit_considerably=int((change_s < -considerable_s).sum()),
        suffer_considerably=int((change_s > considerable_s).sum()),
    )
