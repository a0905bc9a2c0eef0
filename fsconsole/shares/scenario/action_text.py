"""One event as in scenario files, such as `login: c`, read as an action on a machine."""

from __future__ import annotations

from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.batch_sections import BatchReader
from fsconsole.shares.scenario.explain import faults
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.schema import EventForm
from fsconsole.shares.scenario.spec import Event, Scenario
from fsconsole.shares.scenario.timeline import TimelineReader
from fsconsole.shares.scenario.yaml_nodes import Map, Seq, read_document
from fsconsole.shares.tree import ShareTree


class ActionError(ValueError):
    """The text is not an event; the message names a valid one."""


def parse_actions(text: str, scenario: Scenario, tree: ShareTree) -> tuple[Action, ...]:
    """Return the actions of an event, without its time.

    Args:
        text: the event, such as `start: {user: c, command: loop, work: endless}`.
        scenario: has the people, devices and queues that it may name.
        tree: has the nodes that it may name.

    Raises:
        ActionError: for text that is not one event.
    """
    document = read_document(f"events:\n- {{at: 0 s, {text}}}\n")
    raw = document.data.get("events") if isinstance(document.data, Map) else None
    problems = list(document.problems)
    found: tuple[Event, ...] = ()
    if isinstance(raw, Seq) and not problems:
        names = Names(tree, scenario.people)
        batch = BatchReader(document, names, scenario.devices, scenario.machine)
        batch.know(scenario.queues, has_windows=scenario.near_dedicated is not None)
        timeline = TimelineReader(document, names, batch)
        found = timeline.events(raw, scenario.machine, scenario.policy)
        problems = [problem for item in raw for problem in faults(EventForm, item, document, "events")]
        problems += [*timeline.problems, *batch.problems]
    if problems or not found:
        reason = problems[0].text.rstrip(".") if problems else "it has no effect"
        reason += "" if reason.endswith("?") else "."
        msg = f"{text!r} is not an event: {reason} Write an event as in scenario files. Example: login: NAME"
        raise ActionError(msg)
    return tuple(event.action for event in found)
