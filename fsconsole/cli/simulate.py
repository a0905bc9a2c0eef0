"""`fsconsole simulate`: run a scenario, record it, sum it up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import INTERRUPTED, print_problem
from fsconsole.cli.progress import progress_option
from fsconsole.cli.reading import scenario_of, warn_of_unstable
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import duration, input_file, refuse_existing
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES
from fsconsole.text.numbers import fixed, percent, thousands

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

_MOST_PRINTED = 10


@click.command("simulate")
@click.argument("scenario", type=input_file, required=False)
@click.option(
    "--until",
    type=duration,
    metavar="TIME",
    help="Simulated time, such as 2h, 90s, '10 min'. Default: from the scenario.",
)
@click.option(
    "--policy",
    metavar="NAME",
    help=f"Policy. Default: from the scenario. Policies: {', '.join(POLICY_NAMES)}.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Setting to change, such as policy.half_life_s=8h.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of the random lengths.")
@click.option("--sample", type=duration, metavar="TIME", help="Time between two samples, such as 10s.")
@click.option("--out", type=click.Path(path_type=Path), help="Run folder to write, NAME.run.")
@click.option("--force", is_flag=True, help="Replace an existing run folder.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="X.run",
    help="Resume an interrupted run in its folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@progress_option
@click.pass_context
def command(
    ctx: click.Context,
    scenario: Path | None,
    until: float | None,
    policy: str | None,
    settings: tuple[str, ...],
    seed: int | None,
    sample: float | None,
    out: Path | None,
    force: bool,
    resume: Path | None,
    as_json: bool,
    progress: bool | None,
) -> None:
    """Run the scenario in a file (- for stdin) and print a summary of each node.

    --resume X.run continues an interrupted or killed run from its newest checkpoint, in the same folder and
    with the changes made to it from outside. Without --until it runs to its planned end.
    """
    if resume is not None:
        _refuse_beside_resume(ctx)
        ctx.exit(_resume(resume, until, as_json=as_json, progress=progress))
    if scenario is None:
        msg = "Missing argument 'SCENARIO', or --resume X.run to resume a run."
        raise click.UsageError(msg, ctx)
    from fsconsole.machine.machine import machine_for
    from fsconsole.neardedicated.build import makers_of

    if out is not None and not _is_empty_folder(out):
        refuse_existing(out, force=force)  # Checked before a long run, not after it.
    changes = _settings(settings, policy)
    found, text = scenario_of(scenario)
    machine = machine_for(found, changes, seed, sample, makers_of(found))
    warn_of_unstable([machine.policy_spec])
    until_s = found.plot.until_s if until is None else until
    if not machine.spec.ticks(until_s):
        msg = f"--until {until_s:g} s is less than a tick of 1/{machine.spec.hz} s"
        raise click.UsageError(msg, ctx)
    complete = _run(machine, until_s, out, text, force=force, progress=progress)
    ctx.exit(_print_result(machine, until_s, out, complete=complete, as_json=as_json))


def _refuse_beside_resume(ctx: click.Context) -> None:
    """Refuse options beside --resume, because a continued run keeps its original settings."""
    for parameter in ctx.command.params:
        is_own = parameter.name in ("resume", "until", "as_json", "progress")
        if not is_own and ctx.params.get(parameter.name or ""):
            name = "SCENARIO" if isinstance(parameter, click.Argument) else parameter.opts[0]
            msg = f"--resume excludes {name}: a run keeps its settings"
            raise click.UsageError(msg, ctx)


def _resume(path: Path, until_s: float | None, *, as_json: bool, progress: bool | None) -> int:
    from fsconsole.cli.recorded import resume

    resumed = resume(path, until_s, progress)
    return _print_result(resumed.machine, resumed.until_s, path, complete=resumed.complete, as_json=as_json)


def _print_result(
    machine: Machine, until_s: float, out: Path | None, *, complete: bool, as_json: bool
) -> int:
    """Print the result of the run; return the exit status."""
    from fsconsole.machine.summary import summary_of

    if not complete:
        where = f". {out} contains the run up to that time" if out else ""
        print_problem(f"Interrupted at {machine.now_s:.0f} s of {until_s:.0f} s{where}.")
        return INTERRUPTED
    _print_not_done(machine)
    _print(summary_of(machine), machine.scenario.title, as_json=as_json)
    return 0


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _print_not_done(machine: Machine) -> None:
    """Print events of the scenario that failed at their time, such as the end of a process that is gone."""
    from fsconsole.machine.machine import NOT_DONE

    refused = [(tick, text) for tick, text in machine.happened if text.startswith(NOT_DONE)]
    for tick, text in refused[:_MOST_PRINTED]:
        print_problem(f"at {tick / machine.spec.hz:g} s {text}")
    if len(refused) > _MOST_PRINTED:
        print_problem(f"and {len(refused) - _MOST_PRINTED} more refused events")


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
    """Run to the end, recording into `out`; return True if the end was reached."""
    from fsconsole.cli.recorded import advance, record
    from fsconsole.machine.checkpoint import capture
    from fsconsole.recording.run_writer import RunWriter

    if out is None:
        return advance(machine, until_s, progress)
    writer = RunWriter(
        machine, out, scenario_text=text, capture=lambda: capture(machine), overwrite=force, until_s=until_s
    )
    return record(machine, writer, until_s, progress)


def _print(summary: dict[str, Any], title: str, *, as_json: bool) -> None:
    if as_json:
        print_json(summary)
        return
    headers = (
        "Node", "Share of\nmachine", "Allocated\nshare", "CPU", "Usage", "Normalised\nusage", "Charge\nCPU s"
    )  # fmt: skip
    rows = [
        (
            _indented(node["path"]),
            percent(node["machine_share"], 2),
            percent(node["allocated_share"], 2),
            percent(node["cpu_fraction"], 2),
            thousands(node["usage"]),
            thousands(node["normalised_usage"]),
            fixed(node["charge"], 1),
        )
        for node in summary["nodes"]
    ]
    length = f"{summary['until_s']:g} simulated s, policy {summary['policy']}, seed {summary['seed']}"
    print_table(headers, rows, f"{title}: {length}")


def _indented(path: str) -> str:
    """Return a node's name below its group's, since whole paths leave no room for numbers."""
    *above, name = path.split("/")
    return "  " * len(above) + name
