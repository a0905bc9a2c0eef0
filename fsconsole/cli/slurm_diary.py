"""`fsconsole slurm diary`: the diaries of clusters, and one that is written without a window."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import live_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.recording.run_format import RunError

if TYPE_CHECKING:
    from fsconsole.targets.slurm.diary import Diary
    from fsconsole.targets.slurm.source import ClusterSource

_LOOK_S = 0.25


@click.command("diary")
@click.argument("cluster", required=False)
@click.option("--write", is_flag=True, help="Write the diary of a cluster until Ctrl+C, without a window.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the diary. Default: by the cluster's name and place.",
)
@click.option(
    "--weeks",
    type=click.IntRange(0),
    default=13,
    show_default=True,
    help="Number of weeks to keep. 0 keeps all.",
)
@click.option(
    "--until",
    "until_s",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Time after which --write ends. Default: until Ctrl+C.",
)
@live_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    cluster: str | None,
    write: bool,
    folder: Path | None,
    weeks: int,
    until_s: float | None,
    via: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the weeks that were written of CLUSTER, or of all clusters; each opens as a run.

    The console writes them while it looks at a cluster, one reading for each time that Slurm recalculates
    usage; see Preferences. With --write this command does it, of the cluster here or behind --via.
    """
    if write:
        _write(via, folder, weeks, until_s)
        return
    rows = _rows(cluster, folder)
    if as_json:
        print_json({"parts": rows})
    elif rows:
        titles = ["Cluster", "Week", "State", "MB", "Gaps", "Folder"]
        print_table(titles, [[str(value) for value in row.values()] for row in rows], numbers=False)
    else:
        click.echo("No diary yet. The console writes one while a cluster is open.")


def _rows(cluster: str | None, folder: Path | None) -> list[dict[str, Any]]:
    from fsconsole.recording.run import RunReader
    from fsconsole.targets.slurm.diary import diaries_folder, parts_of
    from fsconsole.targets.slurm.kept_places import stores_of

    above = diaries_folder()
    if folder is not None:
        folders = [folder]
    elif cluster is not None:
        folders = stores_of(above, cluster)
    else:
        folders = sorted(above.iterdir()) if above.is_dir() else []
    rows = []
    for part in (part for one in folders for part in parts_of(one)):
        size = sum(item.stat().st_size for item in part.iterdir())
        try:
            run = RunReader(part)
            state, gaps = run.state_words, len(run.gaps)
            name = str(run.manifest.get("cluster", part.parent.name))
        except RunError as error:
            state, gaps, name = str(error), 0, part.parent.name
        if folder is None and cluster not in (None, name):  # Another name that begins alike.
            continue
        rows.append({"cluster": name, "week": part.stem, "state": state, "mb": round(size / 1e6, 1),
                     "gaps": gaps, "folder": str(part)})  # fmt: skip
    return rows


def _write(via: tuple[str, ...], folder: Path | None, weeks: int, until_s: float | None) -> None:
    from fsconsole.targets.slurm.diary import Diary
    from fsconsole.targets.slurm.location import Location
    from fsconsole.targets.slurm.source import ClusterSource
    from fsconsole.targets.slurm.target import SlurmTarget

    target = SlurmTarget(Location(via))
    source = ClusterSource(target)
    diary = Diary(weeks, folder)
    source.keep_diary(diary)
    print_problem("Writing a diary until Ctrl+C.")
    try:
        _follow(source, diary, until_s)
    except KeyboardInterrupt:
        click.echo("", err=True)
    finally:
        source.close(wait=True)
        target.close(wait=True)
    if diary.problem:
        raise UserError(diary.problem)


def _follow(source: ClusterSource, diary: Diary, until_s: float | None) -> None:
    """Read the cluster into its diary at intervals, and report each new problem once."""
    printed, begun_s, is_told = "", time.monotonic(), False
    while until_s is None or time.monotonic() - begun_s < until_s:
        source.look()
        if (claimed := source.cluster.state().claimed) and not is_told:
            is_told = True
            print_problem(f"note: {claimed}")
        if diary.problem != printed:
            printed = diary.problem
            print_problem(f"{printed or 'The diary is written again.'}")
        time.sleep(_LOOK_S)
