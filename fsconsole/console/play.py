"""The default scenario played with no display: its run, its plots and pictures of the console."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fsconsole.console.files.file_controller import DEFAULT_EXAMPLE
from fsconsole.console.style.theme import ThemeMode
from fsconsole.resources import examples

_EXPERIMENT = "junglas-1"


def play(out: Path) -> int:
    """Play into a folder, print what was left there, return the exit status."""
    out.mkdir(parents=True, exist_ok=True)
    print(f"Playing {DEFAULT_EXAMPLE} without a display. This takes some seconds.", flush=True)  # noqa: T201
    left = list(_left(out))
    width = max(len(path.name) for path, _ in left)
    print(f"Left in {out.resolve()}:")  # noqa: T201
    for path, what in left:
        print(f"  {path.name:<{width}}  {what}")  # noqa: T201
    print("With a display, make run opens the console.")  # noqa: T201
    return 0


def _left(out: Path) -> Iterator[tuple[Path, str]]:
    """Yield each path that is left, with a description."""
    run = out / f"{Path(DEFAULT_EXAMPLE).stem}.run"
    length_s = _record(run)
    yield run, f"the run, {length_s:.0f} simulated s. fsconsole export draws and exports it"
    yield from _plots(run, out)
    yield from _pictures(out)


def _record(run: Path) -> float:
    """Run the whole scenario into a run folder; how long it was, in simulated seconds."""
    from fsconsole.machine.checkpoint import capture
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.summary import summary_of
    from fsconsole.neardedicated.build import makers_of
    from fsconsole.recording.run_writer import RunWriter
    from fsconsole.shares.scenario.read import parse_scenario

    text = (examples() / DEFAULT_EXAMPLE).read_text("utf-8")
    scenario = parse_scenario(text, DEFAULT_EXAMPLE)
    machine = Machine(scenario, makers_of(scenario))
    writer = RunWriter(machine, run, scenario_text=text, capture=lambda: capture(machine), overwrite=True)
    writer(machine.sample())
    machine.listeners.append(writer)
    machine.advance(machine.spec.ticks(scenario.plot.until_s))
    writer.close(complete=True, summary=summary_of(machine), tick=machine.tick)
    return machine.now_s


def _plots(run: Path, out: Path) -> Iterator[tuple[Path, str]]:
    """Yield the five plots as files, each with its origin inside."""
    from fsconsole.console.stage import application
    from fsconsole.figures.export import export_run
    from fsconsole.figures.quantities import quantity_named
    from fsconsole.shares.scenario.spec import QUANTITIES

    application()
    for quantity in QUANTITIES:
        path = out / f"plot-{quantity.replace('_', '-')}.png"
        export_run(run, quantity, "png", path)
        yield path, f"plot: {quantity_named(quantity).title}. Its settings are in the .json file beside it"


def _pictures(out: Path) -> Iterator[tuple[Path, str]]:
    """Yield the console in both themes: Welcome and each workspace with the run in it."""
    from fsconsole.console.analyse.workspace import AnalyseWorkspace
    from fsconsole.console.stage import Stage
    from fsconsole.console.welcome.page import WelcomePage
    from fsconsole.console.workspace_stack import WORKSPACES

    themes: tuple[ThemeMode, ...] = ("light", "dark")
    with Stage(1600, 1000) as stage:
        window = stage.window
        welcome = window.findChild(WelcomePage)
        stage.wait_for(lambda: welcome is None or welcome.is_complete)
        for theme in themes:
            stage.set_theme(theme)
            yield stage.keep_picture(out / f"welcome-{theme}.png"), f"screenshot: Welcome, {theme}"
        stage.open_example(DEFAULT_EXAMPLE)
        document = stage.session.document
        if document is not None:
            stage.advance_to(document.scenario.plot.until_s)
        analyse = window.workspace("analyse")
        if isinstance(analyse, AnalyseWorkspace):
            analyse.experiment_controller.select(_EXPERIMENT)
            analyse.experiment_controller.run_current()
            stage.wait_for(lambda: _EXPERIMENT in analyse.experiment_controller.results)
        for theme in themes:
            stage.set_theme(theme)
            for workspace in WORKSPACES:
                window.show_workspace(workspace)
                path = stage.keep_picture(out / f"{workspace}-{theme}.png")
                yield path, f"screenshot: {workspace.capitalize()}, {theme}"
