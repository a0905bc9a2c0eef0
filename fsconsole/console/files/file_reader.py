"""Reading a file in a thread, so that the window stays alive."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.console.kit.tasks import Task

if TYPE_CHECKING:
    from fsconsole.shares.formats import Format
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
    """

    path: Path
    text: str
    scenario: Scenario
    form: str

    @property
    def is_foreign(self) -> bool:
        """Whether it is of another format than the console saves in."""
        return self.form != "yaml"


def open_run(path: Path, _task: Task) -> RecordedTarget:
    """Open a run folder, in the thread of a task; RunError or ScenarioError where that cannot be."""
    from fsconsole.targets.recorded.target import RecordedTarget

    target = RecordedTarget(path)
    # While the window makes its views: what reads samples is loaded, and the machine goes to the end.
    target.warm_up()
    return target


def read_file(path: Path, form: Format | None, task: Task) -> ReadFile:
    """Read a file, in the thread of a task; `form` is its format, by default that of its suffix and content.

    OSError where it cannot be read, ScenarioError where something is wrong with it.
    """
    from fsconsole.shares.formats import format_of
    from fsconsole.shares.scenario.problems import ScenarioError
    from fsconsole.shares.scenario.read import parse_scenario
    from fsconsole.shares.scenario.yaml_nodes import MAX_BYTES, text_of

    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    try:
        text = text_of(data)
        form = form or format_of(path, text)
        if form.name == "yaml":
            scenario = parse_scenario(text, "", task.report_fraction, task.is_cancelled)
        else:
            scenario = form.read(text)
    except ScenarioError as error:
        raise ScenarioError(error.problems, path.name) from None
    return ReadFile(path, text, scenario, form.name)
