"""Changes of settings in a person's words, as the undo stack, notices and flags tell them. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fsconsole.figures.setting_words import policy_title, setting_label, setting_value
from fsconsole.shares.scenario.durations import in_words, is_time

__all__ = ["LATER", "plain", "policy_title", "setting_labels", "setting_values", "settings_changed"]

LATER = ", from the next delta on"
_ANSWER = re.compile(r"(\w+\.\w+) = (.*), in force at the next delta", re.DOTALL)


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
