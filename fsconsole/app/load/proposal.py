"""A scenario with another load, and remarks on it before it is accepted."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from fsconsole.app.load.plan import Plan, Session, load_steps, plan_of, with_sessions
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, ShareTree
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed, plural

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """Proposed plan: the whole scenario, its plan, and sentences about it."""

    scenario: Scenario
    plan: Plan
    lines: tuple[str, ...]


def leaves_of(tree: ShareTree, nodes: Sequence[int] = ()) -> list[int]:
    """Return users and accounts at or below nodes, in tree order.

    Without nodes, return those outside system groups, or all if there are no others.
    """
    wanted = set(nodes)
    found = [node for node in tree.walk() if node.kind is not Kind.GROUP]
    if not wanted:
        of_users = [node.id for node in found if not tree.is_system(node.id)]
        return of_users or [node.id for node in found]
    return [
        node.id
        for node in found
        if node.id in wanted or any(up.id in wanted for up in tree.ancestors(node.id))
    ]


def propose(scenario: Scenario, sessions: Mapping[int, Sequence[Session]], until_s: float) -> Proposal:
    """Plan sessions of leaves in place of their present ones, for a run of that length.

    Leaves with events that sessions cannot represent keep them; the sentences name those.

    Raises:
        ValueError: there are more sessions than can be simulated.
    """
    kept = plan_of(scenario).kept
    taken = {node: found for node, found in sessions.items() if node not in kept}
    made = with_sessions(replace(scenario, plot=replace(scenario.plot, until_s=until_s)), taken)
    plan = plan_of(made)
    untaken = {node: found for node, found in sessions.items() if node in kept}
    kept_lines = (*_kept_lines(scenario.tree, kept, untaken), *_people_lines(made, sessions))
    return Proposal(made, plan, (*_load_lines(made, plan), *kept_lines))


def _load_lines(scenario: Scenario, plan: Plan) -> list[str]:
    until_s, cpus = scenario.plot.until_s, scenario.machine.cpus
    busy = {one.node for one in plan.all() if one.process is not None and one.start_s < until_s}
    if not busy:
        return ["No user runs a process."]
    most = max(asked for _, asked in load_steps(scenario))
    asked_s = sum(one.cpu_s(until_s) for one in plan.all())
    processors = plural(cpus, "processor")
    own = busy.intersection(leaves_of(scenario.tree)) or busy
    of_system = f" and {len(busy - own)} of system groups" if busy - own else ""
    users = f"{count_words(len(own), 'user')}{of_system} with work in {length_words(until_s)}"
    times = f"{asked_s / (cpus * until_s):.2g}"
    much = "as much as" if times == "1" else f"{times} times what"
    whole = f"{much} {thousands(cpus)} {processors} can do"
    peak = f"{count_words(round(most), 'processor')} at a time"
    return [f"{users}: they request {whole}, at most {peak}."]


def _people_lines(scenario: Scenario, planned: Container[int]) -> list[str]:
    """Return a note on people with accounts among the planned ones: their processes stay unplanned."""
    theirs = [load for load in scenario.workloads if load.person and load.node in planned]
    if not theirs:
        return []
    names = list(dict.fromkeys(load.person for load in theirs))
    who, count = listed(names, _NAMED), count_words(sum(load.count for load in theirs), "process")
    return [
        plural(
            len(names), f"{who} has several accounts, so this plan leaves {count} as before.",
            f"{who} have several accounts, so this plan leaves {count} as before.",
        )
    ]  # fmt: skip


def _kept_lines(
    tree: ShareTree, kept: Mapping[int, int], untaken: Mapping[int, Sequence[Session]]
) -> list[str]:
    if not untaken:
        return []
    names = listed([tree.node(node).name for node in untaken], _NAMED)
    events = count_words(sum(kept[node] for node in untaken), "event")
    lost = sum(len(found) for found in untaken.values())
    words = plural(
        len(untaken), f"{names} keeps {events}, more than this plan can show",
        f"{names} keep {events}, more than this plan can show",
    )  # fmt: skip
    return [f"{words}; {count_words(lost, 'session')} for them left out." if lost else f"{words}."]
