"""`fsconsole run scenario`: the scenario that a run was made of, to simulate it again."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.run import run_of_any_number


@click.command("scenario")
@click.argument("run", type=click.Path(path_type=Path))
def command(run: Path) -> None:
    """Print the scenario of the run folder RUN: its text, or a new one with the settings of the run.

    RUN may be of any format, so that it can be simulated again: fsconsole run scenario OLD.run > old.yaml
    """
    from fsconsole.shares.scenario.read import parse_scenario
    from fsconsole.shares.scenario.write import write_text
    from fsconsole.targets.run_scenario import scenario_of

    reader = run_of_any_number(run, is_simulated=True)
    text = reader.scenario_text
    if not reader.newer:
        ran = write_text(scenario_of(reader))
        text = text if ran == write_text(parse_scenario(text)) else ran
    click.echo(text, nl=not text.endswith("\n"))
