"""Reader of scenario files: it reports all problems of a file at once."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.spec import (
    FORMAT_VERSION,
    PARTS,
    MachineSpec,
    PlotSpec,
    Scenario,
    SettingError,
)
from fsconsole.shares.scenario.yaml_nodes import (
    Cancelled,
    Document,
    Map,
    read_document,
    text_in,
)

MAX_PROBLEMS = 1000
_PARSING = 0.75  # YAML needs this fraction of the time for a large file.

Progress = Callable[[float], None]
Asked = Callable[[], bool]


def read_scenario(path: Path, progress: Progress | None = None, cancelled: Asked | None = None) -> Scenario:
    """Return the scenario in a file.

    Args:
        path: the file.
        progress: called with fractions from 0 to 1.
        cancelled: whether to stop, asked now and then.

    Raises:
        OSError: the file cannot be read.
        ScenarioError: it has problems; the error holds all of them.
        Cancelled: `cancelled` was true.
    """
    return parse_scenario(text_in(path), path.name, progress, cancelled)


def parse_scenario(
    text: str, name: str = "", progress: Progress | None = None, cancelled: Asked | None = None
) -> Scenario:
    """Return the scenario in a text; each problem begins with `name`.

    Raises:
        ScenarioError: it has problems; the error holds the first MAX_PROBLEMS of them.
        Cancelled: `cancelled` was true.
    """
    reading = _Reading(text, progress or (lambda _: None), cancelled or (lambda: False))
    try:
        with _no_collection():
            return reading.scenario()
    except ScenarioError as error:
        problems = sorted(error.problems, key=lambda problem: (problem.line, problem.column))
        problems = list(dict.fromkeys(problems))
        if len(problems) > MAX_PROBLEMS:
            rest = Problem(f"and {len(problems) - MAX_PROBLEMS} more problems")
            problems = [*problems[:MAX_PROBLEMS], rest]
        raise ScenarioError(problems, name) from None


def header_of(text: str) -> str:
    """Return the comment block at the top of a file, with the empty lines in it; empty where there is
    none.
    """
    lines = []
    for line in text.removeprefix("\ufeff").splitlines(keepends=True):
        if line.strip() and not line.startswith("#"):
            break
        lines.append(line)
    while lines and not lines[-1].strip():
        lines.pop()
    return "".join(lines)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the cycle collector away: among many new objects it finds nothing and holds up all threads."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Reading:
    """One pass over one file."""

    def __init__(self, text: str, progress: Progress, cancelled: Asked) -> None:
        self._text = text
        self._progress = progress
        self._cancelled = cancelled
        self._problems: list[Problem] = []

    def scenario(self) -> Scenario:
        document = read_document(self._text, lambda part: self._progress(part * _PARSING), self._cancelled)
        self._problems += document.problems
        if not isinstance(document.data, Map):
            message = (
                "this is not a scenario file, which is a mapping of keys to values: version: 1, title, tree "
                "and so on. Open a scenario, a share tree in a known format, or a run folder"
            )
            raise ScenarioError([*document.problems, Problem(message, line=1, column=1)])
        scenario = self._build(document, document.data)
        if self._problems:
            raise ScenarioError(self._problems)
        self._progress(1.0)
        return scenario

    def _build(self, document: Document, data: Map) -> Scenario:
        from fsconsole.shares.scenario.batch_sections import BatchReader
        from fsconsole.shares.scenario.names import Names
        from fsconsole.shares.scenario.sections import SectionReader
        from fsconsole.shares.scenario.timeline import TimelineReader
        from fsconsole.shares.scenario.tree_rows import TreeReader

        self._check_form(document, data)
        rows = TreeReader(document, self._tick)
        tree = rows.read(data.get("tree"))
        machine, policy = self._settings(document, data)
        sections = SectionReader(document, Names(tree))
        sections.check_machine(machine, data.get("machine"))
        people, devices = sections.people(data.get("people")), sections.devices(data.get("devices"))
        # If sizes themselves are wrong, who needs how much is unknown.
        knows_sizes = not any(problem.path.partition(".")[0] == "memory" for problem in self._problems)
        batch = BatchReader(document, Names(tree, people), devices, machine if knows_sizes else None)
        queues, near_dedicated = batch.queues(data.get("queues")), batch.near_dedicated(data)
        timeline = TimelineReader(document, Names(tree, people), batch)
        logins, events = timeline.logins(data.get("logins"))
        workloads, jobs = timeline.workloads(data.get("workloads")), batch.jobs(data.get("jobs"))
        batch.check_workloads(workloads, data)
        plot = _plot(data.get("plot"), timeline.plot_nodes(data.get("plot")))
        self._say_settings(document, data, "plot", plot.problems(machine))
        scenario = Scenario(
            tree,
            machine=machine,
            policy=policy,
            people=people,
            devices=devices,
            logins=logins,
            workloads=workloads,
            events=events + timeline.events(data.get("events"), machine, policy),
            reports=sections.reports(data.get("reports")),
            queues=queues,
            jobs=jobs,
            near_dedicated=near_dedicated,
            plot=plot,
            header=header_of(self._text),
            **{key: data[key] for key in ("title", "about", "source", "seed") if key in data},
        )
        batch.check_requests()
        self._problems += rows.problems + sections.problems + timeline.problems + batch.problems
        return scenario

    def _tick(self, nodes: int) -> None:
        if self._cancelled():
            raise Cancelled
        self._progress(_PARSING + (1 - _PARSING) * nodes / (nodes + 20_000))

    def _check_form(self, document: Document, data: Map) -> None:
        from fsconsole.shares.scenario.explain import faults, version_words
        from fsconsole.shares.scenario.schema import ScenarioForm

        version = data.get("version")
        if "version" not in data:
            message = (
                f"this key is missing. Write version: {FORMAT_VERSION}, the version that this program reads."
            )
            self._problems.append(document.problem(data.place, message, "version"))
        elif version != FORMAT_VERSION or type(version) is not int:
            place = data.place_of("version")
            message = version_words(FORMAT_VERSION, version, document.written(place))
            self._problems.append(document.problem(place, message, "version"))
        found = faults(ScenarioForm, data, document)
        self._problems += [problem for problem in found if not _is_about_version(problem)]

    def _settings(self, document: Document, data: Map) -> tuple[MachineSpec, PolicySpec]:
        """Read machine and policy, with defaults where they are wrong, and report contradictions."""
        parts = {part: kind(**_sound_settings(part, data.get(part))) for part, kind in PARTS.items()}
        machine = MachineSpec(**_sound_settings("machine", data.get("machine")), **parts)
        policy = PolicySpec(**_sound_settings("policy", data.get("policy")))
        self._say_settings(document, data, "machine", machine.problems())
        for part, spec in parts.items():
            self._say_settings(document, data, part, spec.problems())
        self._say_settings(document, data, "policy", policy.problems(machine.hz))
        return machine, policy

    def _say_settings(self, document: Document, data: Map, room: str, found: list[tuple[str, str]]) -> None:
        section: Any = data.get(room)
        for name, message in found:
            place = data.place
            if isinstance(section, Map):
                place = section.place_of(name) if name in section else section.place
            self._problems.append(document.problem(place, message, f"{room}.{name}"))


def _is_about_version(problem: Problem) -> bool:
    return problem.path == "version" or problem.text == "the key version is missing"


def _sound_settings(room: str, section: Any) -> dict[str, Any]:
    """Return the settings of a section that are right each by itself."""
    from fsconsole.shares.scenario.settings import value_of

    found = {}
    for name, value in section.items() if isinstance(section, Map) else ():
        with suppress(SettingError):
            found[name] = value_of(f"{room}.{name}", value)
    return found


def _plot(raw: Any, nodes: tuple[int, ...]) -> PlotSpec:
    from fsconsole.shares.scenario.explain import sound
    from fsconsole.shares.scenario.schema import PlotForm

    form = sound(PlotForm, raw) if isinstance(raw, Map) else None
    if form is None:
        return PlotSpec()
    values = dict(form) | {"nodes": nodes}
    if form.quantities is None:
        del values["quantities"]
    else:
        values["quantities"] = tuple(form.quantities)
    return PlotSpec(**values)


__all__ = ["Cancelled", "header_of", "parse_scenario", "read_scenario"]
