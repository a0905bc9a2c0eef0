"""Events at which the simulated clock can be held."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text.numbers import short_percent


@dataclass(frozen=True, slots=True)
class HoldRule:
    """Condition that holds the clock.

    Attributes:
        name: key under which the rule is stored.
        title: name of the rule in a menu.
        tip: tooltip that explains the rule.
        absent: why a machine may not support the rule; empty if every machine does.
    """

    name: str
    title: str
    tip: str
    absent: str = ""


WATCHDOG_AHEAD_S = 600.0
_NO_JOBS, _NO_NIGHT = "The scenario has no batch jobs", "The scenario has no near-dedicated scheduling"
JOB, WATCHDOG, EFFICIENCY, PROCESS, EVENT = "job_ends", "watchdog", "efficiency", "process_ends", "event"
HOLD_RULES = (
    HoldRule(JOB, "Job ends", "Hold the clock when a batch job ends, in any way", _NO_JOBS),
    HoldRule(
        WATCHDOG,
        "Watchdog in 10 min",
        "Hold the clock 10 min before the watchdog kills the near-dedicated job",
        _NO_NIGHT,
    ),
    HoldRule(
        EFFICIENCY,
        "Efficiency too low",
        "Hold the clock when the efficiency of the near-dedicated job falls below the required one",
        _NO_NIGHT,
    ),
    HoldRule(
        PROCESS,
        "Process ends",
        "Hold the clock when a process has done its work, is killed, or ends because its user logs out",
    ),
    HoldRule(EVENT, "Scenario event", "Hold the clock at an event of the scenario, such as a login"),
)


def rules_of(scenario: Scenario) -> tuple[HoldRule, ...]:
    """Return the rules for the possible events of a scenario; efficiency with the part that is
    required there.
    """
    known = {PROCESS, EVENT}
    known |= {JOB} if scenario.queues else set()
    spec = scenario.near_dedicated
    known |= {WATCHDOG, EFFICIENCY} if spec is not None else set()
    found = [rule for rule in HOLD_RULES if rule.name in known]
    if spec is None:
        return tuple(found)
    words = f"Efficiency below {short_percent(spec.required_efficiency)}"
    return tuple(replace(rule, title=words) if rule.name == EFFICIENCY else rule for rule in found)
