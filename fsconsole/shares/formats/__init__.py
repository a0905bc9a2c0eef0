"""Formats of share trees: a file each, which declares its name, suffixes, reader and writer."""

from __future__ import annotations

from pathlib import Path

from fsconsole.shares.foreign import dialects_in
from fsconsole.shares.formats import (
    csv_table,
    flux,
    htcondor,
    kai,
    kueue,
    lsf,
    maui,
    moab,
    oar,
    pbs,
    scenario_yaml,
    sge,
    sharecf,
    slurm_dump,
    systemd,
    yarn_capacity,
    yarn_fair,
)
from fsconsole.shares.formats.base import Format as Format
from fsconsole.shares.formats.base import by_numbers, with_one_root
from fsconsole.shares.input_files import plain_path
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.text.nearest import nearest_or_all

# The first format is used for a file that no format recognises.
FORMATS: tuple[Format, ...] = (
    scenario_yaml.FORMAT,
    with_one_root(slurm_dump.FORMAT),
    by_numbers(sharecf.FORMAT),
    csv_table.FORMAT,
    *map(
        by_numbers,
        (
            sge.FORMAT, with_one_root(pbs.FORMAT), yarn_fair.FORMAT, kueue.FORMAT, kai.FORMAT,
            yarn_capacity.FORMAT, systemd.FORMAT, maui.FORMAT, moab.FORMAT, oar.FORMAT, lsf.FORMAT,
            htcondor.FORMAT, with_one_root(flux.FORMAT),
        ),
    ),
)  # fmt: skip


def format_named(name: str) -> Format:
    """Return the format of that name; LookupError naming those there are."""
    for item in FORMATS:
        if item.name == name:
            return item
    msg = f"unknown format {name!r}{nearest_or_all(name, [item.name for item in FORMATS])}"
    raise LookupError(msg)


def format_of(path: Path, text: str = "") -> Format:
    """Return the format by the file's suffix, or by its content if the suffix is ambiguous."""
    path = plain_path(path)
    suffix = path.suffix.lower()
    sharing = [item for item in FORMATS if suffix in item.all_suffixes]
    if len(sharing) == 1:
        return sharing[0]
    by_text = (item for item in FORMATS if item.is_of(text))
    own = format_by_suffix(path)
    return (
        next((item for item in sharing if item.is_of(text)), None)
        or own
        or next(by_text, (*sharing, *FORMATS)[0])
    )


def format_by_suffix(path: Path) -> Format | None:
    """Return the format that is the only one with this suffix, or whose main suffix it is."""
    suffix = path.suffix.lower()
    own = next((item for item in FORMATS if suffix in item.suffixes), None)
    sharing = [item for item in FORMATS if suffix in item.endings]
    return own or (sharing[0] if len(sharing) == 1 else None)


def format_to_write(path: Path, chosen: Format) -> tuple[Path, Format]:
    """Return (path, format) to write: a known suffix decides, otherwise that of the format is added."""
    if path.suffix.lower() in chosen.all_suffixes:
        return path, chosen
    if (found := format_by_suffix(path)) is not None:
        return path, found
    return path.with_name(path.name + chosen.all_suffixes[0]), chosen


def dialects_of(tree: ShareTree) -> list[Format]:
    """Return the formats with values in the tree, by the marks at its root."""
    names = dialects_in(tree)
    return [item for item in FORMATS if item.name in names]


def problems_of(tree: ShareTree) -> list[Problem]:
    """Return faults and warnings on a tree by the rules of each dialect with values in it."""
    return [problem for item in dialects_of(tree) for problem in (*item.rules(tree), *item.caveats(tree))]


def all_endings() -> list[str]:
    """Return `*.yaml` and the like of all formats, each once, as filters of file dialogs have them."""
    return list(dict.fromkeys(f"*{suffix}" for form in FORMATS for suffix in form.all_suffixes))


def read_tree(path: Path, name: str = "") -> Scenario:
    """Return the scenario in a file of any known format, a bare tree wrapped in one.

    ScenarioError holds all problems, `name` or the file's before each; OSError where it cannot be read.
    """
    from fsconsole.shares.scenario.yaml_nodes import text_in

    text = text_in(path, name)
    try:
        return format_of(path, text).read(text)
    except ScenarioError as error:
        raise ScenarioError(error.problems, name or path.name) from None


def write_tree(scenario: Scenario, path: Path, form: Format | None = None) -> str:
    """Return a scenario as text, as far as the format can hold it; by default the suffix chooses."""
    from fsconsole.shares.files import write_atomic

    text = (form or format_of(path)).write(scenario)
    write_atomic(path, text)
    return text
