"""Reading a file in a thread, so that the window stays alive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.console.kit.tasks import Task
from fsconsole.shares.input_files import plain_path

if TYPE_CHECKING:
    from fsconsole.shares.formats import Format
    from fsconsole.shares.formats.several_files import Origin
    from fsconsole.shares.scenario.spec import Scenario
    from fsconsole.targets.recorded.target import RecordedTarget


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read.

    Attributes:
        path: where it is.
        text: what it holds.
        scenario: what that says.
        form: name of its format.
        origin: where its nodes stand, of a foreign tree.
    """

    path: Path
    text: str
    scenario: Scenario
    form: str
    origin: Origin | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether it is of another format than the console saves in, or packed."""
        return self.form != "yaml" or plain_path(self.path) != self.path


def open_run(path: Path, _task: Task) -> RecordedTarget:
    """Open a run folder, in the thread of a task; RunError or ScenarioError where that cannot be."""
    from fsconsole.targets.recorded.target import RecordedTarget

    target = RecordedTarget(path)
    # While the window builds its views, load the modules that read samples, and move the machine to the end.
    target.warm_up()
    return target


def read_file(path: Path, form: Format | None, task: Task, *, more: Sequence[Path] = ()) -> ReadFile:
    """Read a file, in the thread of a task; `form` is its format, by default that of its suffix and content.

    With `more`, several files are read as one. OSError where one cannot be read, KindError where it is of
    another kind, ScenarioError where something is wrong.
    """
    from fsconsole.app.kinds import A_TREE, TREES, KindError, kind_named, refusal
    from fsconsole.shares.formats import format_of
    from fsconsole.shares.formats.several_files import Origin, SeveralFiles
    from fsconsole.shares.scenario.problems import ScenarioError
    from fsconsole.shares.scenario.read import parse_scenario

    if path.is_dir():
        raise KindError(refusal(path, "a file"))
    files: SeveralFiles | None = None
    try:
        text = _text_of(path)
        form = form or format_of(path, text)
        if more:
            texts = [(path.name, text), *((one.name, _text_of(one)) for one in more)]
            files = SeveralFiles.of(texts, form.between or "")
            text = files.text
        with kind_named(path, A_TREE, *TREES):
            if form.name == "yaml":
                scenario = parse_scenario(text, "", task.report_fraction, task.is_cancelled)
            else:
                scenario = form.read(text)
    except ScenarioError as error:
        problems = files.located(error.problems) if files is not None else error.problems
        raise ScenarioError(problems, path.name) from None
    if form.name == "yaml":
        return ReadFile(path, text, scenario, form.name)
    return ReadFile(path, text, scenario, form.name, Origin(path.name, form.lines(text), files))


def _text_of(path: Path) -> str:
    from fsconsole.shares.scenario.yaml_nodes import text_in

    return text_in(path)
