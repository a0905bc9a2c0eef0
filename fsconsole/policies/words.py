"""Settings, changes of settings and actions in plain words, for marks, notices and messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fsconsole.policies.registry import POLICIES
from fsconsole.shares.scenario.actions import Action, SetSetting
from fsconsole.shares.scenario.event_kinds import EVENTS
from fsconsole.shares.scenario.parameters import PARAMETERS, written
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.tree import ShareTree
from fsconsole.text.durations import in_words

_PARAMETERS = {parameter.key: parameter for parameter in PARAMETERS}
AT_DELTA = "in force at the next delta"
IF_ON = " if the run goes on"
"""Addition to `AT_DELTA` at the end of a scenario, where the next delta may never come."""
_LATER = ", from the next delta on"
_ANSWER = re.compile(rf"(\w+\.\w+) = (.*), {AT_DELTA}({IF_ON})?", re.DOTALL)
_WHEN = re.compile(rf"(?:, {AT_DELTA}|{_LATER})(?:{IF_ON})?$")


def policy_title(name: str) -> str:
    """Return the title of a policy; the name itself if it is unknown."""
    return POLICIES[name].title if name in POLICIES else name


def setting_label(key: str) -> str:
    """Return the label of a setting, such as `Policy` or `Tick cost`; the key itself if it is unknown."""
    if key.endswith("_cost"):
        return key.partition(".")[2].replace("_", " ").capitalize()
    return _PARAMETERS[key].label.partition(",")[0] if key in _PARAMETERS else key


def setting_value(key: str, value: Any) -> str:
    """Return a value with its unit of time, or a policy's title."""
    if key == "policy.name":
        return policy_title(value)
    return written(_PARAMETERS[key], value) if key in _PARAMETERS else str(value)


def setting_labels(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels of settings in order."""
    return tuple(setting_label(key) for key in values)


def setting_values(values: Mapping[str, Any]) -> str:
    """Return the values of settings in order, without labels."""
    return ", ".join(setting_value(key, value) for key, value in values.items())


def settings_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the changes of all settings in `after`, such as `tick cost 1000 → 500`."""
    return ", ".join(
        f"{_within_sentence(setting_label(key))} {setting_value(key, before[key])} → {setting_value(key, to)}"
        for key, to in after.items()
    )


_SWITCHED = {"True": "yes", "False": "no"}


def plain(text: str) -> str:
    """Return the machine's answer to a new setting in plain words; any other text as it is."""
    found = _ANSWER.fullmatch(text)
    if found is None:
        return text
    key, value, if_on = found.groups()
    return f"{setting_label(key)}: {_typed(key, value)}{_LATER}{if_on or ''}"


def plain_change(text: str) -> str:
    """Return the machine's answer in plain words, without those on when it takes effect."""
    return _WHEN.sub("", plain(text))


def _typed(key: str, value: str) -> str:
    if key == "policy.name":
        return policy_title(value)
    try:
        return in_words(float(value)) if is_time(key) else _SWITCHED.get(value, value)
    except ValueError:
        return value


def _within_sentence(label: str) -> str:
    """Return a label with a small first letter; `K2` and `LIMSHARE` keep their capitals."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def words_of(action: Action, tree: ShareTree) -> str:
    """Return an action in a few words, by its declaration, for a mark in a plot."""
    values = {key: getattr(action, key) for key in action.__dataclass_fields__}
    values |= {key: in_words(value) for key, value in values.items() if is_time(key) and value is not None}
    if isinstance(action, SetSetting):
        values = {"key": setting_label(action.key), "value": setting_value(action.key, action.value)}
    node = getattr(action, "node", -1)
    name = tree.node(node).name if node in tree else "a node"
    who = getattr(action, "person", "") or name
    return EVENTS[type(action)].mark.format(action=action, name=name, who=who, **values)
