"""Why the machine favours whom: explanations, block diagrams, step responses. Pure; nothing here changes it.

Importing this compiles nothing, so that the console may know the dataclasses before a machine stands.
"""

from __future__ import annotations

from fsconsole.machine.insight.why import Explanation, FactorLine, factor_lines, why
from fsconsole.policies.explanation import Contribution, Factor, Level, Side

__all__ = ["Contribution", "Explanation", "Factor", "FactorLine", "Level", "Side", "factor_lines", "why"]
