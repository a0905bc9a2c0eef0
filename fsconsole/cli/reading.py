"""Scenarios and trees from files or stdin; problems name the file as the user typed it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.app.kinds import A_TREE, TREES, Kind, kind_named, kind_of, refusal
from fsconsole.cli.errors import UserError, print_problem, problem_line
from fsconsole.shares.formats import FORMATS, Format, format_named, format_of
from fsconsole.shares.formats.base import with_lines
from fsconsole.shares.formats.several_files import SeveralFiles
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.scenario.yaml_nodes import MAX_BYTES, text_in, text_of
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.durations import in_words
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.recording.run import RunReader
    from fsconsole.shares.scenario.policy_spec import PolicySpec

STDIN = Path("-")


def name_of(path: Path) -> str:
    """Return the name of a file in messages."""
    return "stdin" if path == STDIN else str(path)


def read_text(path: Path) -> str:
    """Return the text of a file or of stdin.

    Raises:
        ScenarioError: it is too long or not UTF-8.
    """
    if path != STDIN:
        return text_in(path, name_of(path))
    try:
        return text_of(sys.stdin.buffer.read(MAX_BYTES + 1))
    except ScenarioError as error:
        raise ScenarioError(error.problems, name_of(path)) from None


def scenario_of(path: Path) -> tuple[Scenario, str]:
    """Return a scenario and the text that it was read from.

    Raises:
        ScenarioError: the file is wrong; the message lists all problems.
    """
    text = read_text(path)
    with kind_named(path, "a scenario", Kind.SCENARIO):
        return parse_scenario(text, name_of(path)), text


@dataclass(frozen=True, slots=True)
class ReadTree:
    """A tree read from one file or from several.

    Attributes:
        path: the file, or the first one.
        scenario: the scenario with the tree.
        text: text of the file, or the joined texts of several files.
        form: format of the text.
        files: origin of each line, for several files.
    """

    path: Path
    scenario: Scenario
    text: str
    form: Format
    files: SeveralFiles | None = None

    def located(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems with their lines in the file that each is in."""
        found = with_lines(problems, self.form.lines(self.text))
        return self.files.located(found) if self.files is not None else found

    def print_caveats(self) -> None:
        """Print differences between these shares and those of the scheduler to stderr."""
        found = list(self.form.caveats(self.scenario.tree))
        for problem in self.located(found) if found else []:
            print_problem(problem_line(name_of(self.path), problem))


def read(path: Path, form: Format | None = None, more: Sequence[Path] = ()) -> Scenario:
    """Return a scenario, or a foreign tree wrapped in one.

    Raises:
        ScenarioError: the file is wrong; the message lists all problems.
    """
    return read_files(path, form, more).scenario


def read_with_caveats(path: Path, form: Format | None = None, more: Sequence[Path] = ()) -> Scenario:
    """Read a tree, and print on stderr which of its shares mean something else to its scheduler."""
    found = read_files(path, form, more)
    found.print_caveats()
    return found.scenario


def read_files(path: Path, form: Format | None = None, more: Sequence[Path] = ()) -> ReadTree:
    """Return a tree in a file, or in several that are read as one, of the format given or recognised.

    The folder of a run, a diary or a capture has a tree too.

    Raises:
        UserError: trees of this format are in one file, and there are `more`, or the file is of another kind.
        RunError: the folder of a run cannot be read.
        ScenarioError: the tree has problems; each has its file and line.
    """
    if path != STDIN and path.is_dir():
        if form is not None or more:
            raise UserError(f"{path} is a folder. --from and --with are for files.")
        return _of_folder(path)
    with kind_named(path, A_TREE, *TREES):
        texts = [(name_of(one), read_text(one)) for one in (path, *more)]
    text, files = texts[0][1], None
    form = form or format_of(path, text)
    if more:
        if form.between is None:
            other = " or ".join(one.name for one in FORMATS if one.between is not None)
            msg = f"{name_of(path)}: a tree of {form.name} is one file. --with is for {other}."
            raise UserError(msg)
        files = SeveralFiles.of(texts, form.between)
        text = files.text
    try:
        with kind_named(path, A_TREE, *TREES):
            return ReadTree(path, form.read(text), text, form, files)
    except ScenarioError as error:
        problems = files.located(error.problems) if files is not None else error.problems
        raise ScenarioError(problems, name_of(path)) from None


def _of_folder(path: Path) -> ReadTree:
    """Return the tree of a run's scenario, of the last reading of a diary, or of a captured cluster."""
    kind, form = kind_of(path), replace(format_named("slurm"), lines=lambda _: {})
    if kind is Kind.CAPTURE:
        from fsconsole.cli.cluster import read as read_cluster

        reading = read_cluster(capture_place(path).prefix, PartName.TREE, PartName.USAGE, PartName.QOS)
        tree = reading.tree()
        for part in (PartName.TREE, PartName.QOS):
            if part in reading.problems:
                print_problem(f"note: {reading.problems[part]}")
        if tree.stored.problems:
            raise UserError(f"{path}: rows were left out, and the shares of others depend on them")
        return ReadTree(path, Scenario(tree.shares, title=reading.name), "", form)
    if kind not in (Kind.RUN, Kind.DIARY):
        raise UserError(refusal(path, "a share tree", kind))
    from fsconsole.recording.run import RunReader
    from fsconsole.targets.run_scenario import scenario_of as scenario_of_run
    from fsconsole.targets.slurm.diary_instant import diary_tree

    run = RunReader(path)
    if kind is Kind.RUN:
        scenario = _at_end(run, scenario_of_run(run))
        return ReadTree(path, scenario, run.scenario_text, format_named("yaml"))
    title = str(run.manifest.get("title", ""))
    return ReadTree(path, Scenario(diary_tree(run), title=title), "", form)


def _at_end(run: RunReader, scenario: Scenario) -> Scenario:
    """Return the scenario of a run with the tree at its end: operators may have changed it since.

    A note counts the changes that the tree lacks.
    """
    from fsconsole.recording.run_format import RunError
    from fsconsole.targets.run_scenario import journal_of

    later = journal_of(run)
    if not later:
        return scenario
    from fsconsole.targets.run_machine import machine_at_end

    try:
        machine, later = machine_at_end(run)
    except RunError:  # Its checkpoints are those of another version, or are gone.
        at = "the start"
    else:
        at = in_words(machine.now_s)
        if any(node.id not in machine.tree for node in scenario.tree.walk()):
            scenario = Scenario(scenario.tree, scenario.title, policy=scenario.policy, plot=scenario.plot)
        scenario = replace(scenario, tree=machine.tree)
    if later:
        changes = count_words(len(later), "change")
        print_problem(f"note: {run.path}: this is the tree at {at}. The run has {changes} later.")
    return scenario


def tree_of(path: Path, form: Format | None = None) -> ShareTree:
    """Return the share tree of a file.

    Raises:
        ScenarioError: the file is wrong; the message lists all problems.
    """
    return read(path, form).tree


def warn_of_unstable(policies: Iterable[PolicySpec]) -> None:
    """Print every warning once, however many policies it concerns."""
    from fsconsole.policies.registry import stability_warnings

    for text in dict.fromkeys(text for policy in policies for text in stability_warnings(policy)):
        print_problem(f"{text}")
