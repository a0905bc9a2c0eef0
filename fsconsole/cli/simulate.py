"""`fsconsole simulate`: run a scenario, record it, sum it up."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.failure import INTERRUPTED
from fsconsole.cli.progress import bar, progress_option
from fsconsole.cli.stability import tell_unstable
from fsconsole.cli.values import duration, input_file, refuse_existing
from fsconsole.shares.scenario.spec import POLICY_NAMES

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

_MOST_TOLD = 10
_AT_ONCE_S = 0.05  # wall time between two looks at the clock, the progress bar and Ctrl-C


@click.command("simulate")
@click.argument("scenario", type=input_file)
@click.option(
    "--until",
    type=duration,
    metavar="TIME",
    help="Simulated time, such as 2h, 90s, '10 min'; else the scenario's.",
)
@click.option(
    "--policy", metavar="NAME", help=f"Policy in place of the scenario's: {', '.join(POLICY_NAMES)}."
)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting, such as policy.half_life_s=8h."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of the random lengths.")
@click.option("--sample", type=duration, metavar="TIME", help="Time between two samples, such as 10s.")
@click.option("--out", type=click.Path(path_type=Path), help="Run folder to write, NAME.run.")
@click.option("--force", is_flag=True, help="Replace the run folder if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@progress_option
@click.pass_context
def command(
    ctx: click.Context,
    scenario: Path,
    until: float | None,
    policy: str | None,
    settings: tuple[str, ...],
    seed: int | None,
    sample: float | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    progress: bool | None,
) -> None:
    """Run the scenario in a file (- for stdin) and print, for every node, what the run came to."""
    from fsconsole.cli.reading import scenario_of
    from fsconsole.machine.machine import machine_for
    from fsconsole.machine.summary import summary_of

    if out is not None and not _is_empty_folder(out):
        refuse_existing(out, force=force)  # before a long run, not after
    changes = _settings(settings, policy)
    found, text = scenario_of(scenario)
    machine = machine_for(found, changes, seed, sample)
    tell_unstable([machine.policy_spec])
    until_s = found.plot.until_s if until is None else until
    if not machine.spec.ticks(until_s):
        msg = f"--until {until_s:g} s is less than a tick of 1/{machine.spec.hz} s"
        raise click.UsageError(msg, ctx)
    complete = _run(machine, until_s, out, text, force=force, progress=progress)
    if not complete:
        where = f"; {out} holds the run up to there" if out else ""
        click.echo(f"Interrupted at {machine.now_s:.0f} s of {until_s:.0f} s{where}.", err=True)
        ctx.exit(INTERRUPTED)
    _tell_not_done(machine)
    _print(summary_of(machine), found.title, as_json=as_json)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _tell_not_done(machine: Machine) -> None:
    """Events of the scenario that were impossible when their time came, such as the end of a process gone."""
    from fsconsole.machine.machine import NOT_DONE

    refused = [(tick, text) for tick, text in machine.happened if text.startswith(NOT_DONE)]
    for tick, text in refused[:_MOST_TOLD]:
        click.echo(f"fsconsole: at {tick / machine.spec.hz:g} s {text}", err=True)
    if len(refused) > _MOST_TOLD:
        click.echo(f"fsconsole: and {len(refused) - _MOST_TOLD} more events not done", err=True)


def _settings(written: tuple[str, ...], policy: str | None) -> dict[str, Any]:
    from fsconsole.policies.registry import policy_named
    from fsconsole.shares.scenario.settings import parse_setting

    changes = dict(parse_setting(text) for text in written)
    if policy is not None:
        changes["policy.name"] = policy
    if "policy.name" in changes:
        policy_named(changes["policy.name"])
    return changes


def _run(
    machine: Machine, until_s: float, out: Path | None, text: str, *, force: bool, progress: bool | None
) -> bool:
    """Run to the end, recording into `out`; whether it came to the end."""
    from fsconsole.machine.checkpoint import save
    from fsconsole.machine.summary import summary_of
    from fsconsole.recording.run_writer import RunWriter

    if out is None:
        return _advance(machine, until_s, progress)
    writer = RunWriter(machine, out, scenario_text=text, save=lambda: save(machine), overwrite=force)
    writer(machine.sample())
    machine.listeners.append(writer)
    complete = _advance(machine, until_s, progress)
    writer.close(complete=complete, summary=summary_of(machine) if complete else None, tick=machine.tick)
    return complete


def _advance(machine: Machine, until_s: float, progress: bool | None) -> bool:
    end = machine.spec.ticks(until_s)
    at_once = machine.spec.hz
    text = "{task.completed:.0f} of {task.total:.0f} simulated s"
    with _interruptible() as stopped, bar(until_s, wanted=progress, text=text) as show:
        while machine.tick < end and not stopped:
            began = time.monotonic()
            machine.advance(min(end, machine.tick + at_once))
            took = time.monotonic() - began
            at_once = max(1, at_once * 2 if took < _AT_ONCE_S else at_once // 2)
            show(machine.now_s)
    return machine.tick >= end


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Ctrl-C and SIGTERM only fill the list, so that a run ends between two ticks and is written out."""
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print(summary: dict[str, Any], title: str, *, as_json: bool) -> None:
    from fsconsole.cli.tables import percent, print_json, print_table

    if as_json:
        print_json(summary)
        return
    headers = ("Node", "Machine\nshare", "CPU", "Usage", "Normalised\nusage", "Charge\nCPU s")
    rows = [
        (
            _indented(node["path"]),
            percent(node["machine_share"]),
            percent(node["cpu_fraction"]),
            f"{node['usage']:,.0f}",
            f"{node['normalised_usage']:,.0f}",
            f"{node['charge']:,.1f}",
        )
        for node in summary["nodes"]
    ]
    length = f"{summary['until_s']:g} simulated s, policy {summary['policy']}, seed {summary['seed']}"
    print_table(headers, rows, f"{title}: {length}")


def _indented(path: str) -> str:
    """A node's name below its group's, since whole paths leave no room for numbers."""
    *above, name = path.split("/")
    return "  " * len(above) + name
