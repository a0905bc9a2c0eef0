"""Settings, changes of settings and actions in a person's words, for marks, notices and messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fsconsole.policies.registry import POLICIES
from fsconsole.shares.scenario.actions import (
    Action,
    ChangeTree,
    EndProcesses,
    Login,
    Logout,
    NewAccount,
    ReniceUser,
    Restart,
    SetBooks,
    SetSetting,
    StartProcess,
)
from fsconsole.shares.scenario.parameters import PARAMETERS, written
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.tree import ShareTree
from fsconsole.text.durations import in_words

_PARAMETERS = {parameter.key: parameter for parameter in PARAMETERS}
LATER = ", from the next delta on"
_ANSWER = re.compile(r"(\w+\.\w+) = (.*), in force at the next delta", re.DOTALL)


def policy_title(name: str) -> str:
    """A policy as people read it; the name of one that is not known."""
    return POLICIES[name].title if name in POLICIES else name


def setting_label(key: str) -> str:
    """What a setting is called: `Policy`, `Tick cost`; the key of one that is not known."""
    if key.endswith("_cost"):
        return key.partition(".")[2].replace("_", " ").capitalize()
    return _PARAMETERS[key].label.partition(",")[0] if key in _PARAMETERS else key


def setting_value(key: str, value: Any) -> str:
    """A value with its unit of time, a policy by its title."""
    if key == "policy.name":
        return policy_title(value)
    return written(_PARAMETERS[key], value) if key in _PARAMETERS else str(value)


def setting_labels(values: Mapping[str, Any]) -> tuple[str, ...]:
    """What the settings are called."""
    return tuple(setting_label(key) for key in values)


def setting_values(values: Mapping[str, Any]) -> str:
    """The values alone, in order."""
    return ", ".join(setting_value(key, value) for key, value in values.items())


def settings_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """`tick cost 1000 → 500`, for each setting of `after`."""
    return ", ".join(
        f"{_within_sentence(setting_label(key))} {setting_value(key, before[key])} → {setting_value(key, to)}"
        for key, to in after.items()
    )


def plain(text: str) -> str:
    """What the machine answers to a new setting, in words; any other text as it is."""
    found = _ANSWER.fullmatch(text)
    if found is None:
        return text
    key, value = found.groups()
    return f"{setting_label(key)}: {_typed(key, value)}{LATER}"


def _typed(key: str, value: str) -> str:
    if key == "policy.name":
        return policy_title(value)
    try:
        return in_words(float(value)) if is_time(key) else value
    except ValueError:
        return value


def _within_sentence(label: str) -> str:
    """Not at the beginning; `K2` and `LIMSHARE` keep their capitals."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def words_of(action: Action, tree: ShareTree) -> str:
    """An action in a few words for a mark in a plot; empty for what cannot be named here."""
    match action:
        case Login(node, person):
            return f"{person or _name(tree, node)} logs in"
        case Logout(node, person=person):
            return f"{person or _name(tree, node)} logs out"
        case StartProcess(node, command=command, count=count, person=person):
            what = command if count == 1 else f"{count} {command}"
            return f"{person or _name(tree, node)} starts {what}"
        case NewAccount(person, node):
            return f"{person} works on {_name(tree, node)}"
        case ReniceUser(person, nice):
            return f"{person} has nice {nice}"
        case SetBooks(node):
            return f"books of {_name(tree, node)} changed"
        case Restart():
            return "restart"
        case EndProcesses(node):
            return f"{_name(tree, node)} ends"
        case ChangeTree():
            return "shares changed"
        case SetSetting(key, value):
            return f"{setting_label(key)}: {setting_value(key, value)}"
    return ""


def _name(tree: ShareTree, node: int) -> str:
    return tree.node(node).name if node in tree else "a node"
