"""`fsconsole study run`: compute a study here or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.errors import INTERRUPTED, UNUSABLE, here, print_problem
from fsconsole.cli.progress import progress_option, words_bar
from fsconsole.cli.study import explained, spec_of, study_file
from fsconsole.cli.tables import print_json

if TYPE_CHECKING:
    from fsconsole.batch.study.run import CellEvent
    from fsconsole.batch.study.task import WorkExecutor

_MOST_PRINTED = 20
workers_option = click.option(
    "--workers", type=click.IntRange(1, 4096), help="Processes on this machine. Default: all cores."
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Scheduler of a Dask cluster to use instead, such as tcp://n01:8786."
)


@click.command("run")
@click.argument("study", type=study_file)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="Folder for the results. Existing results are not recomputed.",
)
@click.option(
    "--resample",
    type=click.IntRange(2, 10_000),
    metavar="N",
    help="Number of traces to simulate, with users drawn from each trace.",
)
@workers_option
@cluster_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
@progress_option
@click.pass_context
def command(
    ctx: click.Context,
    study: Path,
    out: Path,
    resample: int | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    progress: bool | None,
) -> None:
    """Compute every cell of a study that is missing in DIR.

    After Ctrl+C or a kill, run the same command again to resume. A cell that fails is reported and does not
    end the study. Prints means over all workloads; `study show` prints each of them.

    With --resample, intervals and tests are over resampled traces: users are drawn with replacement, and
    each one's jobs are shifted by whole weeks. Use 40 or more.
    """
    from fsconsole.batch.study.run import run_study
    from fsconsole.batch.study.spec import resampled
    from fsconsole.cli.study_show import print_results, results_of

    check_place(ctx, workers, cluster)
    spec = spec_of(study)
    if resample is not None:
        with explained():
            spec = resampled(spec, resample)
    last: list[CellEvent] = []
    try:
        with explained(), executor_of(workers, cluster) as executor, _shown(executor.where, progress) as show:

            def on_cell_event(event: CellEvent) -> None:
                last[:] = [event]
                show(event)

            stored = run_study(spec, out, executor, on_cell_event)
    except KeyboardInterrupt:
        kept = f"{last[0].done} of {last[0].total} cells are kept in {out}" if last else "No cells are done"
        print_problem(f"Interrupted. {kept}. Run the same command again to continue.")
        ctx.exit(INTERRUPTED)
    if as_json:
        print_json(results_of(stored))
    else:
        print_results(stored, only_means=True)
        print(f"Results: {out}")
    ctx.exit(UNUSABLE if last and last[0].failed else 0)


def check_place(ctx: click.Context, workers: int | None, cluster: str | None) -> None:
    """Raise wrong use if both options for the place of the computation are given."""
    if cluster is not None and workers is not None:
        msg = "--workers is for this machine, --cluster for another. Use only one of them"
        raise click.UsageError(msg, ctx)


def executor_of(workers: int | None, cluster: str | None) -> WorkExecutor:
    """Return processes of this machine, or a Dask cluster.

    Raises:
        StudyError: the cluster cannot be used.
    """
    if cluster is not None:
        from fsconsole.batch.study.cluster import ClusterExecutor

        return ClusterExecutor(cluster)
    from fsconsole.batch.study.executors import LocalExecutor

    return LocalExecutor(workers)


@contextmanager
def _shown(where: str, wanted: bool | None) -> Iterator[Callable[[CellEvent], None]]:
    """Yield a function to call with each event: failures become lines on stderr, the rest progress."""
    place = here()
    with words_bar(f"On {where}", wanted=wanted) as shown:

        def show(event: CellEvent) -> None:
            if event.words and event.failed <= _MOST_PRINTED:
                shown.print(f"{place}: {event.words}")
            failed = f", {event.failed} failed" if event.failed else ""
            done = event.done + event.failed
            shown.show(done, event.total, f"{done} of {event.total} cells{failed} on {where}", event.left_s)

        yield show
