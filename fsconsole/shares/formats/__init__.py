"""Formats of share trees: a file each, which declares its name, suffixes, reader and writer."""

from __future__ import annotations

from pathlib import Path

from fsconsole.shares.formats import scenario_yaml, sharecf, slurm_dump
from fsconsole.shares.formats.base import Format as Format
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text.nearest import nearest_or_all

# The first one is taken for what no other recognises.
FORMATS: tuple[Format, ...] = (scenario_yaml.FORMAT, slurm_dump.FORMAT, sharecf.FORMAT)


def format_named(name: str) -> Format:
    """The format of that name; LookupError naming those there are."""
    for item in FORMATS:
        if item.name == name:
            return item
    msg = f"no format {name!r}{nearest_or_all(name, [item.name for item in FORMATS])}"
    raise LookupError(msg)


def format_of(path: Path, text: str = "") -> Format:
    """The format by the file's suffix, or by what it holds where the suffix says nothing."""
    by_text = (item for item in FORMATS if item.is_of(text))
    return format_by_suffix(path) or next(by_text, FORMATS[0])


def format_by_suffix(path: Path) -> Format | None:
    """The format that files of this suffix have."""
    return next((item for item in FORMATS if path.suffix.lower() in item.suffixes), None)


def format_to_write(path: Path, chosen: Format) -> tuple[Path, Format]:
    """Return (path, format) to write: a known suffix decides, else that of the chosen format is added."""
    suffix = path.suffix.lower()
    for item in (chosen, *FORMATS):
        if suffix in item.suffixes:
            return path, item
    return path.with_name(path.name + chosen.suffixes[0]), chosen


def read_tree(path: Path, name: str = "") -> Scenario:
    """The scenario in a file of any known format, a bare tree wrapped in one.

    ScenarioError holds all problems, `name` or the file's before each; OSError where it cannot be read.
    """
    from fsconsole.shares.scenario.yaml_nodes import text_in

    text = text_in(path, name)
    try:
        return format_of(path, text).read(text)
    except ScenarioError as error:
        raise ScenarioError(error.problems, name or path.name) from None


def write_tree(scenario: Scenario, path: Path, form: Format | None = None) -> None:
    """Write a scenario, or what of it the format can say; the suffix chooses where no format is given."""
    from fsconsole.shares.files import write_atomic

    write_atomic(path, (form or format_of(path)).write(scenario))
