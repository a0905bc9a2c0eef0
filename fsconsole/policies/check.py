"""Warnings about a scenario that do not stop it from running."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from fsconsole.policies.policy import Policy
from fsconsole.policies.registry import POLICIES, policy_named
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.formats import problems_of
from fsconsole.shares.scenario.actions import Login, StartProcess
from fsconsole.shares.scenario.check_batch import about_batch
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree
from fsconsole.text.durations import in_words
from fsconsole.text.numbers import percent, short_percent, thousands
from fsconsole.text.words import listed, plural

_MOST_OF_MACHINE = 0.5
NO_EFFECT = "has no effect under"
"""Words of each problem that a setting has no effect under the policy; the doctor finds it by them."""


def warnings_of(scenario: Scenario) -> list[Problem]:
    """Return the warnings of a scenario: broken rules of another scheduler first, notes last.

    A warning about a node has its id and path.
    """
    order = list(Severity)
    found = [problem for check in CHECKS.values() for problem in check(scenario)]
    return sorted(found, key=lambda problem: order.index(problem.severity))


def _about(tree: ShareTree, node: Node, text: str, severity: Severity) -> Problem:
    return Problem(text, severity, node=node.id, path=tree.path(node.id))


def _zero_shares(tree: ShareTree) -> Iterator[Problem]:
    taking = []
    for node in tree.walk():
        if node.shares or node.parent is None:
            continue
        if takes_parents_shares(node):
            taking.append(node)
            continue
        if node.is_group:
            text = f"{node.name} has zero shares: everything below it runs only when nothing else can"
        else:
            text = f"{node.name} has zero shares and runs only when nothing else can"
        yield _about(tree, node, text, Severity.WARNING)
    if taking:
        yield _about(tree, taking[0], _parents_words(tree, taking), Severity.NOTE)


def _parents_words(tree: ShareTree, taking: list[Node]) -> str:
    """Return a sentence naming the shares that count for nodes with Slurm's `parent` shares."""
    from fsconsole.shares.flat import FlatTree

    flat = FlatTree.of(tree)
    named = listed([f"{node.name} {thousands(flat.shares[flat.row_of[node.id]])}" for node in taking], 5)
    return (
        "Only Slurm has Fairshare=parent. Here a user takes the mean of the siblings' shares "
        f"and an account the sum of its members' shares: {named}"
    )


def _empty_groups(tree: ShareTree) -> Iterator[Problem]:
    """Yield the topmost groups without a user or account."""
    holds_work = {ROOT_ID}
    for node in tree.walk():
        if not node.is_group:
            for above in tree.ancestors(node.id):
                if above.id in holds_work and above.id != ROOT_ID:
                    break
                holds_work.add(above.id)
    for node in tree.walk():
        if node.is_group and node.id not in holds_work and node.parent in holds_work:
            text = f"{node.name} is a group without users: its share of machine goes to the others"
            yield _about(tree, node, text, Severity.NOTE)


def _system_part(tree: ShareTree) -> Iterator[Problem]:
    from fsconsole.shares.flat import FlatTree

    flat = FlatTree.of(tree)
    leaves = flat.is_leaf & flat.is_system
    part = float(flat.machine_share()[leaves].sum())
    if part > _MOST_OF_MACHINE:
        has_others = bool((flat.is_leaf & ~flat.is_system).any())
        advice = (
            "leave them out to see the other groups clearly" if has_others else "there are no other groups"
        )
        text = f"system groups hold {percent(part)} of the machine: {advice}"
        yield Problem(text, Severity.NOTE, path="tree")


def _strangers(scenario: Scenario) -> Iterator[Problem]:
    """Yield users and people with work who never log in; an account cannot log in."""
    actions = [event.action for event in scenario.events]
    logins = [action for action in actions if isinstance(action, Login)]
    logged_in = {*scenario.logins, *(login.person or login.node for login in logins)}
    loads = [*scenario.workloads, *(action for action in actions if isinstance(action, StartProcess))]
    accounts = {person.name: person.accounts for person in scenario.people}
    for who in dict.fromkeys(load.person or load.node for load in loads):
        if who in logged_in:
            continue
        if isinstance(who, str):
            if not any(scenario.tree.node(account).kind is Kind.USER for account in accounts[who]):
                continue
            text = f"{who} has work but never logs in: an account counts as active while it has a process"
            yield Problem(text, Severity.NOTE, path="people")
        elif (node := scenario.tree.node(who)).kind is Kind.USER:
            text = f"{node.name} has work but never logs in: it counts as active while it has a process"
            yield _about(scenario.tree, node, text, Severity.NOTE)


def _about_policy(scenario: Scenario) -> Iterator[Problem]:
    spec, policy = scenario.policy, policy_named(scenario.policy.name)
    for text in policy.warnings(spec):
        yield Problem(text, Severity.WARNING, path="policy")
    if policy.caution:
        yield Problem(f"{policy.name} is {policy.caution}", Severity.NOTE, path="policy")
    for text in _without_effect(spec, policy):
        yield Problem(text, Severity.NOTE, path="policy")
    if scenario.machine.count_inactive and "count_inactive" not in policy.switches:
        text = f"count_inactive {NO_EFFECT} {policy.name}, which has no allocated shares"
        yield Problem(text, Severity.NOTE, path="machine")


def _without_effect(spec: PolicySpec, policy: Policy) -> Iterator[str]:
    """Yield switches that are on although the policy ignores them."""
    if spec.adjgroups != "off" and "adjgroups" not in policy.switches:
        only = _only("adjgroups", "adjusts groups", "adjust groups")
        yield f"adjgroups {NO_EFFECT} {policy.name}: {only}"
    if spec.sharemin and "sharemin" not in policy.switches:
        instead = f"; {policy.instead_of_sharemin}" if policy.instead_of_sharemin else ""
        yield f"sharemin {NO_EFFECT} {policy.name}{instead}"
    if spec.limshare and "limshare" not in policy.switches:
        only = _only("limshare", "limits effective shares", "limit effective shares")
        yield f"limshare {NO_EFFECT} {policy.name}: {only}"


def _only(switch: str, one: str, many: str) -> str:
    """Return the names of the policies that read a switch, and their effect if it is on."""
    names = [policy.name for policy in POLICIES.values() if switch in policy.switches]
    return f"only {listed(names)} {plural(len(names), one, many)}"


def _small_leaves(scenario: Scenario) -> Iterator[Problem]:
    """Yield the smallest entitlement if the share quantum is larger."""
    quantum = scenario.policy.sharemin
    if not quantum:
        return
    from fsconsole.shares.flat import FlatTree

    flat = FlatTree.of(scenario.tree)
    share = flat.machine_share()
    entitled = [row for row in flat.is_leaf.nonzero()[0].tolist() if 0 < share[row] < quantum]
    if entitled:
        row = min(entitled, key=share.__getitem__)
        node = scenario.tree.node(int(flat.ids[row]))
        part = f"the {short_percent(float(share[row]))} to which {node.name} is entitled"
        yield _about(
            scenario.tree, node, f"sharemin, {short_percent(quantum)}, exceeds {part}", Severity.WARNING
        )


def _too_late(scenario: Scenario) -> Iterator[Problem]:
    end_s = scenario.plot.until_s
    late = [event.at_s for event in scenario.events if event.at_s > end_s]
    if late:
        events = "an event lies" if len(late) == 1 else f"{len(late)} events lie"
        text = (
            f"{events} after the end of the run at {in_words(end_s)}; the first is at {in_words(min(late))}"
        )
        yield Problem(text, Severity.WARNING, path="events")


CHECKS: Mapping[str, Callable[[Scenario], Iterable[Problem]]] = MappingProxyType({
    "zero-shares": lambda scenario: _zero_shares(scenario.tree),
    "empty-group": lambda scenario: _empty_groups(scenario.tree),
    "system-groups": lambda scenario: _system_part(scenario.tree),
    "no-login": _strangers,
    "late-event": _too_late,
    "policy": _about_policy,
    "sharemin": _small_leaves,
    "policy-rules": lambda scenario: policy_named(scenario.policy.name).problems(scenario),
    "batch": about_batch,
    "dialect": lambda scenario: problems_of(scenario.tree),
})  # fmt: skip
"""What `warnings_of` looks for, by a word for each."""
