"""Explanations of priorities, block diagrams, step responses; nothing here changes the machine.

Importing this compiles nothing, so that the console can use the dataclasses before a machine exists.
"""

from __future__ import annotations

from fsconsole.machine.insight.why import Explanation, FactorRow, why
from fsconsole.policies.explanation import Contribution, Factor, Level, Side

__all__ = ["Contribution", "Explanation", "Factor", "FactorRow", "Level", "Side", "why"]
