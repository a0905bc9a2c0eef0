"""The pages of settings: those of a machine and its policy, and preferences of the console."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from inspect import getdoc, getmembers
from typing import get_args

from fsconsole.console.alerts.preferences import AlertPreferences
from fsconsole.console.general_preferences import GeneralPreferences, StartPage
from fsconsole.console.operator_preferences import OperatorPreferences
from fsconsole.console.style.sizes import TEXT_SIZES, RowHeight
from fsconsole.console.style.theme import ThemeMode
from fsconsole.shares.scenario.field_types import descriptions
from fsconsole.shares.scenario.parameters import SECTIONS, SPECS, Parameter, choices, default_of, written
from fsconsole.shares.scenario.ranges import declared
from tools.reference.markdown import code, page, sentence, table

_ABOUT = """Settings of the simulated machine have the same names everywhere: in scenario files, in `--set
KEY=VALUE`, in **Simulation > Parameters…** and in results. The last column says where the default is
from."""
_PREFERENCES = """**Edit > Preferences…** has them; they are kept in `preferences.json` in the
configuration folder of the
user (`~/.config/fsconsole/` on Linux)."""


def settings_page() -> str:
    """Return the page."""
    parts = [part for title, section in SECTIONS.items() for part in _section(title, section)]
    return page("Settings", _ABOUT, *parts, "## Preferences of the console", _PREFERENCES, _preferences())


def _section(title: str, section: tuple[Parameter, ...]) -> Iterator[str]:
    yield f"## {title}"
    yield table(("key", "what it is", "default", "values", "from"), map(_row, section))


def _row(parameter: Parameter) -> tuple[str, ...]:
    default = written(parameter, default_of(parameter))
    words = ", ".join(map(code, choices(parameter))) or _range(parameter)
    label, meaning = parameter.label, _meaning(parameter)
    if meaning and meaning.rstrip(".").casefold() != label.casefold():
        label = f"{label}. {sentence(meaning)}"
    unit = f"{default} {parameter.unit}".strip() if default else parameter.unit
    return code(parameter.key), label, unit, words, parameter.source


def _meaning(parameter: Parameter) -> str:
    room, _, name = parameter.key.partition(".")
    return descriptions(SPECS[room]).get(name, "")


def _range(parameter: Parameter) -> str:
    room, _, name = parameter.key.partition(".")
    item = next(item for item in fields(SPECS[room]) if item.name == name)
    limits = declared(item).range
    return limits.text.removeprefix("needs a number ") if limits else ""


def _preferences() -> str:
    offered = {
        "theme": get_args(ThemeMode),
        "text_px": TEXT_SIZES,
        "row_height": get_args(RowHeight),
        "start_page": get_args(StartPage),
    }
    said, usual = descriptions(GeneralPreferences), GeneralPreferences()
    rows = [
        (code(name), sentence(said[name]), str(getattr(usual, name)), ", ".join(map(str, words)))
        for name, words in offered.items()
    ]
    kinds = (OperatorPreferences, AlertPreferences)
    rows += [
        (code(name), getdoc(value) or "", "", "")
        for kind in kinds
        for name, value in getmembers(kind, lambda one: isinstance(one, property))
        if name in vars(kind)
    ]
    return table(("preference", "meaning", "default", "values"), rows)
