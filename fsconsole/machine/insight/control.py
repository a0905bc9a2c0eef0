"""What the control view shows of a node at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsconsole.machine.insight.diagram import diagram_of
from fsconsole.machine.insight.fair_line import FairLine, fair_line_of
from fsconsole.policies.diagram import Diagram
from fsconsole.policies.registry import policy_named, policy_of

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class Control:
    """Diagram and fair line of a node, and what may keep the policy from settling.

    Attributes:
        half_life_s, k_mu: the settings that may be tried otherwise; k_mu is empty without feedback.
    """

    policy: str
    title: str
    source: str
    time_s: float
    diagram: Diagram
    fair_line: FairLine | None
    warnings: tuple[str, ...]
    half_life_s: float
    k_mu: tuple[float, ...]


def control_of(machine: Machine, node: int) -> Control:
    """The control view of a node; LookupError as `why`."""
    spec = machine.policy_spec
    policy, named = policy_of(spec), policy_named(spec.name)
    return Control(
        policy=spec.name,
        title=policy.title,
        source=policy.source,
        time_s=machine.now_s,
        diagram=diagram_of(machine, node),
        fair_line=fair_line_of(machine, node),
        warnings=tuple(named.warnings(spec)),
        half_life_s=spec.half_life_s,
        k_mu=spec.k_mu if named.has_error_gain else (),
    )
