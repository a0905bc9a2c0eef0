"""Why the machine favours whom: explanations, block diagrams, step responses. Pure; nothing here changes it.

Importing this compiles nothing, so that the console may know the dataclasses before a machine stands.
"""

from __future__ import annotations

from fsconsole.machine.insight.why import Explanation, FactorRow, why
from fsconsole.policies.explanation import Contribution, Factor, Level, Side

__all__ = ["Contribution", "Explanation", "Factor", "FactorRow", "Level", "Side", "why"]
