"""Foreign formats of share trees, one small module each, and the table of all that are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    Attributes:
        name: what the command line calls it.
        title: what a file dialog calls it.
        suffixes: endings of its files, with the dot.
        read: text to scenario, ScenarioError with all that is wrong.
        write: scenario to text, ScenarioError for what would come back as something else.
        lost: what of a scenario the format has no place for, in words.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[str], Scenario]
    write: Callable[[Scenario], str]
    lost: Callable[[Scenario], list[str]] = lambda _: []


def _read_yaml(text: str) -> Scenario:
    from fsconsole.shares.scenario.read import parse_scenario

    return parse_scenario(text)


def _write_yaml(scenario: Scenario) -> str:
    from fsconsole.shares.scenario.write import write_text

    return write_text(scenario)


def _read_slurm(text: str) -> Scenario:
    from fsconsole.shares.formats import slurm_dump

    tree = slurm_dump.read(text)
    cluster = tree.root.foreign.get("slurm.cluster", "").strip("'\" ")
    return Scenario(tree, title=f"Slurm cluster {cluster}".strip(), source="sacctmgr dump")


def _write_slurm(scenario: Scenario) -> str:
    from fsconsole.shares.formats import slurm_dump

    return slurm_dump.write(scenario.tree)


def _lost_in_slurm(scenario: Scenario) -> list[str]:
    nodes = list(scenario.tree.walk())
    counts = {
        "system mark": sum(node.system for node in nodes),
        "note": sum(bool(node.note) for node in nodes),
        "starting value": sum(
            bool(node.usage or node.charge or node.last_use_s is not None) for node in nodes
        ),
    }
    return _counted(counts | _work(scenario))


def _read_sharecf(text: str) -> Scenario:
    from fsconsole.shares.formats import sharecf

    return Scenario(sharecf.read(text), title="Share database", source="sharesh")


def _write_sharecf(scenario: Scenario) -> str:
    from fsconsole.shares.formats import sharecf

    return sharecf.write(scenario.tree)


def _lost_in_sharecf(scenario: Scenario) -> list[str]:
    foreign = sum(len(node.foreign) for node in scenario.tree.walk())
    return _counted({"foreign key": foreign} | _work(scenario))


def _work(scenario: Scenario) -> dict[str, int]:
    return {
        "login": len(scenario.logins),
        "workload": len(scenario.workloads),
        "event": len(scenario.events),
    }


def _counted(counts: dict[str, int]) -> list[str]:
    return [count_words(count, word) for word, count in counts.items() if count]


FORMATS: tuple[Format, ...] = (
    Format("yaml", "Scenario", (".yaml", ".yml"), _read_yaml, _write_yaml),
    Format("slurm", "Slurm sacctmgr dump", (".cfg", ".dump"), _read_slurm, _write_slurm, _lost_in_slurm),
    Format("sharecf", "Share database", (".sharecf",), _read_sharecf, _write_sharecf, _lost_in_sharecf),
)
_SLURM_LINE = re.compile(r"^(Cluster|Parent|Account|Project|User|QOS) +- ", re.MULTILINE | re.IGNORECASE)
_SHARECF_TEXT = re.compile(r"""\ufeff?(?:[ \t\r]*(?:#.*)?\n)*[ \t]*"?/""")


def format_named(name: str) -> Format:
    """The format of that name; LookupError naming those there are."""
    for item in FORMATS:
        if item.name == name:
            return item
    msg = f"no format {name!r}{nearest_or_all(name, [item.name for item in FORMATS])}"
    raise LookupError(msg)


def format_of(path: Path, text: str = "") -> Format:
    """The format by the file's suffix, or by what it holds where the suffix says nothing."""
    for item in FORMATS:
        if path.suffix.lower() in item.suffixes:
            return item
    if _SHARECF_TEXT.match(text):
        return format_named("sharecf")
    return format_named("slurm" if _SLURM_LINE.search(text) else "yaml")


def format_to_write(path: Path, chosen: Format) -> tuple[Path, Format]:
    """Return (path, format) to write: a known suffix decides, else that of the chosen format is added."""
    suffix = path.suffix.lower()
    for item in (chosen, *FORMATS):
        if suffix in item.suffixes:
            return path, item
    return path.with_name(path.name + chosen.suffixes[0]), chosen


def read_tree(path: Path) -> Scenario:
    """The scenario in a file of any known format, a bare tree wrapped in one.

    ScenarioError holds all problems, the file's name before each; OSError where it cannot be read.
    """
    from fsconsole.shares.scenario.yaml_nodes import text_in

    text = text_in(path)
    try:
        return format_of(path, text).read(text)
    except ScenarioError as error:
        raise ScenarioError(error.problems, path.name) from None


def write_tree(scenario: Scenario, path: Path, form: Format | None = None) -> None:
    """Write a scenario, or what of it the format can say; the suffix chooses where no format is given."""
    from fsconsole.shares.files import write_atomic

    write_atomic(path, (form or format_of(path)).write(scenario))


__all__ = ["FORMATS", "Format", "format_named", "format_of", "format_to_write", "read_tree", "write_tree"]
