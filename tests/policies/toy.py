"""A policy that fsconsole does not have, added in the three places that a policy has, and what becomes of it.

`python -m tests.policies.toy SCENARIO` prints JSON. It is a process of its own because settings are read from
the class that stands in `policy_spec` when everything else is imported.
"""

# ruff: noqa: E402 (the settings come first)

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsconsole.shares.scenario import policy_spec
from fsconsole.shares.scenario.ranges import OURS, Range, setting


@dataclass(frozen=True, slots=True)
class PolicySpec(policy_spec.PolicySpec):
    """As the settings of all policies, and one more."""

    power: float = setting(1.0, "Power of the share", OURS, range=Range(0.1, 4))


# First place: settings.
PolicySpec.__doc__ = f"{policy_spec.PolicySpec.__doc__}    power: power of the share.\n"
policy_spec.PolicySpec = PolicySpec  # type: ignore[misc]
policy_spec.POLICY_NAMES = (*policy_spec.POLICY_NAMES, "power")  # type: ignore[assignment]
policy_spec.POLICY_SECTIONS["Power"] = ("power",)

import numpy as np

from fsconsole.policies import registry
from fsconsole.policies.accounting import begin
from fsconsole.policies.diagram import Diagram, Wire, short_diagram
from fsconsole.policies.explanation import Factor, Level, parting, place_of_parting
from fsconsole.policies.policy import Policy, scale_factor
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import SCALE, PolicyInput
from fsconsole.shares.flat import Floats


# Second place: a file of its own.
def _step(par: Any, state: Any, what: int, _: int) -> None:
    """Increment = 1 / share ** power."""
    begin(par, state, what)
    for leaf in par.present:
        wanted = SCALE / state.entitled[leaf] ** par.own[0]
        state.kusage[leaf] = state.rank[leaf] = wanted
        state.increment[leaf] = np.int64(np.rint(wanted))


class Power(Policy):
    """Shares to a power."""

    flag = "POWERPRI"

    def numbers(self, given: PolicyInput) -> Floats:
        """The power."""
        return np.array([power_of(given.spec)])

    def warnings(self, spec: policy_spec.PolicySpec) -> list[str]:
        """What a large power does."""
        return [f"power {power_of(spec):g} starves the small"] if power_of(spec) > 2 else []

    def factors(self, situation: Situation, row: int) -> list[Factor]:
        """Share and power."""
        share = self.share_factor(situation, row)
        value = share.value ** -power_of(situation.spec)
        return [share, Factor("power", "1 / share^power", value, "", OURS, True), scale_factor()]

    def diagram(self, situation: Situation, row: int, about: str) -> Diagram:
        """Share, increment, priority, CPUs."""
        share = Wire("", "increment", "share", float(situation.state.entitled[row]), "fraction")
        return short_diagram(situation, row, about, ("1 / share^power", "", OURS), (share,))

    def standing(self, levels: tuple[Level, ...]) -> str:
        """The shares."""
        mine, its = parting(levels)
        return f"{place_of_parting(levels)}: {mine.shares} to {its.shares}."


def power_of(spec: policy_spec.PolicySpec) -> float:
    assert isinstance(spec, PolicySpec)
    return spec.power


# Third place: the registry.
registry.POLICIES["power"] = Power(
    "power", "Shares to a power", OURS, _step, frozenset({"sharemin", "limshare"})
)


def main(path: Path) -> None:
    """What a machine, explanations, checks, files and words make of it."""
    from fsconsole.machine.checkpoint import load, save
    from fsconsole.machine.insight import why
    from fsconsole.machine.insight.control import control_of
    from fsconsole.machine.machine import machine_for
    from fsconsole.machine.shell.parameters import FLAGS
    from fsconsole.policies.check import warnings_of
    from fsconsole.policies.words import settings_changed
    from fsconsole.shares.scenario.problems import ScenarioError
    from fsconsole.shares.scenario.read import parse_scenario, read_scenario
    from fsconsole.shares.scenario.schema import json_schema
    from fsconsole.shares.scenario.settings import parse_setting
    from fsconsole.shares.scenario.write import write_text

    scenario = read_scenario(path)
    machine = machine_for(scenario)
    machine.advance_to(300)
    first, other = (machine.tree.find(name).id for name in ("big", "small"))
    found, control = why(machine, first, other), control_of(machine, first)
    again = load(save(machine), scenario)
    used = machine.ran[[machine.flat.row_of[first], machine.flat.row_of[other]]]
    try:
        parse_scenario(path.read_text().replace("power: 3", "power: 5"))
    except ScenarioError as error:
        refused = str(error)
    fields = {
        "ratio": float(used[0] / used[1]),
        "settings": machine.settings["policy.power"],
        "after a checkpoint": again.parameters.own.tolist(),
        "title": found.policy_title,
        "verdict": found.verdict,
        "product": found.first.product / found.first.increment,
        "ratio of causes": found.ratio * (1.0 - found.first.decay) / (1.0 - found.sides[1].decay),
        "formula": control.diagram.blocks[0].title,
        "warnings": [problem.text for problem in warnings_of(scenario)],
        "written": parse_scenario(write_text(scenario)).policy == scenario.policy,
        "refused": refused,
        "schema": json.loads(json_schema())["$defs"]["Policy"]["properties"]["power"]["description"],
        "typed": parse_setting("policy.power=2.5"),
        "words": settings_changed({"policy.name": "share"}, {"policy.name": "power"}),
        "flags": list(FLAGS),
    }
    print(json.dumps(fields))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
