"""The makers of the machine parts of near-dedicated scheduling."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsconsole.machine.parts import PartMaker
    from fsconsole.shares.scenario.spec import Scenario


def makers_of(scenario: Scenario) -> tuple[PartMaker, ...]:
    """Return makers of the scenario's additional machine parts; none without a near-dedicated section."""
    if scenario.near_dedicated is None:
        return ()
    from fsconsole.neardedicated.controller import NearDedicated

    return (NearDedicated,)
