"""A step response in a thread of its own: on a copy of the machine, with the settings in force and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsconsole.console.kit.tasks import Task
from fsconsole.machine.insight.step_response import Response, Step, step_response
from fsconsole.neardedicated.build import makers_of
from fsconsole.shares.scenario.spec import Scenario


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """What is tried: the node that is watched, the step, for how long, and settings beside those in force."""

    node: int
    step: Step
    length_s: float
    settings: dict[str, Any]
    leave_out_system: bool = False


def step_responses(
    checkpoint: bytes, scenario: Scenario, question: StepQuestion, task: Task
) -> list[Response]:
    """Run the copies one after the other, that with the settings in force first, until it is cancelled."""
    found: list[Response] = []
    for settings in ({}, question.settings) if question.settings else ({},):
        response = step_response(
            checkpoint, scenario, question.node, question.step, question.length_s, settings,
            leave_out_system=question.leave_out_system, is_cancelled=task.is_cancelled,
            makers=makers_of(scenario),
        )  # fmt: skip
        if response is None:
            break
        found.append(response)
    return found
