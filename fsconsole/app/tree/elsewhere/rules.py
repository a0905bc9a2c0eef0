"""All rules, and their results side by side."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.app.tree.elsewhere import kai, kueue, sge, share, slurm
from fsconsole.app.tree.elsewhere.rule import Rule, by_numbers

RULES: tuple[Rule, ...] = (
    by_numbers(share.RULE),
    slurm.CLASSIC,
    slurm.FAIR_TREE,
    *map(by_numbers, (sge.RULE, kueue.RULE, kai.RULE)),
)


def rules_named(names: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of those names in their order here; all where none is named."""
    return tuple(rule for rule in RULES if not names or rule.name in names)
