"""Changes at the start of a branch, as users write them: settings, shares, load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fsconsole.app.tree.share_entry import parse_shares
from fsconsole.machine.checkpoint import copy_of
from fsconsole.machine.machine import Machine
from fsconsole.policies.registry import policy_named
from fsconsole.policies.words import plain_change, setting_label
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.action_text import parse_actions
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetSetting
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.settings import parse_setting
from fsconsole.shares.scenario.spec import Scenario, changed_settings, settings_in_order
from fsconsole.shares.tree import ShareTree


class BranchError(ValueError):
    """A branch is impossible; the message gives the reason, and possible ones."""


@dataclass(frozen=True, slots=True)
class ChangeTexts:
    """Changes as they are written.

    Attributes:
        settings: such as `policy.half_life_s=30s`.
        policy: name of another policy; empty for none.
        shares: such as `root/A=30`; after the sign stands what may be typed for shares, `25 %` too.
        events: such as `login: c`, as scenario files write them.
    """

    settings: tuple[str, ...] = ()
    policy: str = ""
    shares: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def actions(self, machine: Machine) -> tuple[Action, ...]:
        """Return settings, then shares, then load.

        Raises:
            SettingError: a setting is wrong.
            BranchError: the branch is impossible.
        """
        waiting = machine.waiting.settings
        spec, policy = changed_settings(machine.spec, machine.policy_spec, waiting)
        return self.actions_on(replace(machine.scenario, machine=spec, policy=policy), machine.tree)

    def actions_on(self, scenario: Scenario, tree: ShareTree) -> tuple[Action, ...]:
        """Return the actions for a scenario's machine whose tree is `tree`: settings, then shares, then load.

        Raises:
            SettingError: a setting or policy is not known, or not within its bounds.
            BranchError: shares or events cannot be read, or name what is not there.
        """
        given = dict(parse_setting(text) for text in self.settings)
        ordered = settings_in_order(scenario.machine, scenario.policy, given)
        found: list[Action] = [SetSetting(key, value) for key, value in ordered.items()]
        if self.policy:
            policy_named(self.policy)
            found.append(SetSetting("policy.name", self.policy))
        try:
            found += _share_changes(self.shares, tree)
            for text in self.events:
                found += parse_actions(text, scenario, tree)
        except (LookupError, ValueError) as error:
            raise BranchError(error.args[0]) from error
        return tuple(found)


def _share_changes(written: Sequence[str], tree: ShareTree) -> list[ChangeTree]:
    """Return one edit for each group, so that parts of a group are parts of its former total."""
    pairs: list[tuple[int, int]] = []
    for text in written:
        path, equals, shares = text.rpartition("=")
        if not equals:
            msg = f"{text!r} is not a change of shares. Write PATH=SHARES. Example: root/A=30"
            raise BranchError(msg)
        node = Names(tree).find(path.strip())
        try:
            pairs.append((node.id, parse_shares(shares, tree, node.id)))
        except ValueError as error:
            msg = f"Shares of {path.strip()}: {shares.strip()!r} is not allowed. {error}"
            raise BranchError(msg) from error
    return [ChangeTree((SetShares(tuple(pairs)),))] if pairs else []


def effects(machine: Machine, changes: Sequence[Action]) -> list[str]:
    """Describe the effects of changes on a machine without changing it.

    Raises:
        BranchError: the machine refuses one.
    """
    trial = copy_of(machine)
    found = []
    for action in changes:
        outcome = trial.act(action)
        if not outcome.done:
            raise BranchError(outcome.text)
        words = plain_change(outcome.text)
        if isinstance(action, SetSetting):
            values = f"{outcome.before} \N{RIGHTWARDS ARROW} {outcome.after}"
            words = f"{setting_label(action.key)}: {values}"
        found.append(words)
    return found
