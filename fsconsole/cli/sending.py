"""How commands that change a cluster are sent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sending:
    """How changes are sent.

    Attributes:
        dry_run: not at all.
        is_quiet: without a line for each.
        without_log: also where the audit log cannot be written.
    """

    dry_run: bool
    is_quiet: bool
    without_log: bool
