"""What makes the parts of a machine that near-dedicated scheduling adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsconsole.machine.parts import PartMaker
    from fsconsole.shares.scenario.spec import Scenario


def makers_of(scenario: Scenario) -> tuple[PartMaker, ...]:
    """Makers for a machine of this scenario; none where it has no near-dedicated section."""
    if scenario.near_dedicated is None:
        return ()
    from fsconsole.neardedicated.controller import NearDedicated

    return (NearDedicated,)
