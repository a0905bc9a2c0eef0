"""`fsconsole study search`: search settings of a policy that meet goals, and show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.errors import INTERRUPTED, UserError, print_problem
from fsconsole.cli.progress import progress_option, words_bar
from fsconsole.cli.study import explained, file_or_bundled
from fsconsole.cli.study_run import check_place, cluster_option, executor_of, workers_option
from fsconsole.cli.tables import print_json, print_table
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from fsconsole.app.study.search import SearchResult
    from fsconsole.batch.search.folder import SearchFolder
    from fsconsole.batch.search.run import SearchEvent
    from fsconsole.batch.search.spec import Goal, SearchSpec


@click.command("search")
@click.argument("source", metavar="SEARCH|DIR")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for the results. Existing results are not recomputed.",
)
@click.option("--show", is_flag=True, help="Show the results in DIR, as DIR alone does.")
@click.option(
    "--point",
    "points",
    type=click.IntRange(1),
    multiple=True,
    metavar="N",
    help="Number of a setting of DIR to write to --out as a study. Several with the same shares become "
    "one study.",
)
@click.option(
    "--budget",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Number of settings to try. Default: from SEARCH.",
)
@workers_option
@cluster_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
@progress_option
@click.pass_context
def command(
    ctx: click.Context,
    source: str,
    out: Path | None,
    show: bool,
    points: tuple[int, ...],
    budget: int | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    progress: bool | None,
) -> None:
    """Search the settings of a policy for those that meet goals, on some months of a trace.

    SEARCH is a file (YAML) with goals and a space of settings, or one that comes with the program:
    kth-group-share. DIR is the folder of a search. docs/how-to/search.md explains both.

    After Ctrl+C or a kill, run the same command again to resume: the results are the same. The settings
    that no other one beats in all goals (the Pareto front) are then tested on months that were held out.

    \b
    *  the best of its column
    ~  not decided against the best: chance may have made the difference
    """  # noqa: D301 (\b is click's mark for text that is not rewrapped)
    check_place(ctx, workers, cluster)
    folder = Path(source)
    if folder.is_dir():
        _use_folder(ctx, folder, points, out, as_json=as_json)
        return
    if show or points:
        raise click.BadParameter(f"{source} is not the results folder of a search", ctx, param_hint="DIR")
    from fsconsole.batch.search.bundled import bundled_searches

    path = file_or_bundled(source, bundled_searches(), "search")
    if out is None:
        msg = "give a folder for the results: --out DIR"
        raise click.UsageError(msg, ctx)
    spec, text = _spec_of(path)
    spec = spec if budget is None else replace(spec, budget=budget)
    last: list[SearchEvent] = []
    try:
        with explained(), executor_of(workers, cluster) as executor, _shown(executor.where, progress) as note:
            from fsconsole.batch.search.run import run_search

            def on_event(event: SearchEvent) -> None:
                last[:] = [event]
                note(event)

            stored = run_search(spec, text, out, executor, on_event)
    except KeyboardInterrupt:
        kept = (
            f"{last[0].done} of {last[0].total} settings are kept in {out}"
            if last
            else "No settings are done"
        )
        print_problem(f"Interrupted. {kept}. Run the same command again to continue.")
        ctx.exit(INTERRUPTED)
    _show(stored, as_json=as_json)


def _spec_of(path: Path) -> tuple[SearchSpec, str]:
    """Return the search in a file, and its text.

    Raises:
        ScenarioError: the file is wrong; the message lists all faults.
    """
    from fsconsole.batch.search.search_file import parse_search
    from fsconsole.shares.scenario.yaml_nodes import text_in

    text = text_in(path, str(path))
    return parse_search(text, path.parent, str(path)), text


def _opened(folder: Path) -> SearchFolder:
    from fsconsole.app.kinds import Kind, kind_of, refusal
    from fsconsole.batch.search.folder import SearchFolder

    if (kind := kind_of(folder)) not in (Kind.SEARCH_FOLDER, Kind.FOLDER):
        raise UserError(refusal(folder, Kind.SEARCH_FOLDER, kind))
    with explained():
        return SearchFolder(folder)


def _use_folder(
    ctx: click.Context, folder: Path, points: tuple[int, ...], out: Path | None, *, as_json: bool
) -> None:
    """Write some points of a search's folder as a study, or show its results."""
    if points:
        _write_points(ctx, folder, points, out, as_json=as_json)
        return
    if out is not None:
        msg = f"{folder} is a folder. Give a search file to run it, or leave out --out to show it"
        raise click.UsageError(msg, ctx)
    _show(_opened(folder), as_json=as_json)


def _write_points(
    ctx: click.Context, folder: Path, points: tuple[int, ...], out: Path | None, *, as_json: bool
) -> None:
    from fsconsole.app.study.search_point import study_of_points

    if out is None:
        msg = "give a folder for the study: --out DIR"
        raise click.UsageError(msg, ctx)
    with explained():
        path = study_of_points(_opened(folder), points, out)
    if as_json:
        print_json({"study": str(path)})
    else:
        print(f"{path}: run it with `fsconsole study run {path} --out {out / 'results'}`")


def _show(folder: SearchFolder, *, as_json: bool) -> None:
    from fsconsole.app.study.search import findings, result_facts, search_result

    with explained():
        result = search_result(folder)
    if as_json:
        print_json(result_facts(result) | {"folder": str(folder.path)})
        return
    print(result.spec.name)
    if result.is_done:
        _print_points(result)
    for line in findings(result):
        print(line)
    for line in result.report:
        print(line)
    print(f"Results: {folder.path}")


def _print_points(result: SearchResult) -> None:
    from fsconsole.app.study.search import axis_title, axis_words

    spec = result.spec
    named = [axis.name for axis in spec.axes if axis.name not in _IN_LABEL]
    axes = [name for name in named if not name.startswith("multifactor.")]
    headers = ["Point", "Policy", *(axis_title(name).replace(" ", "\n") for name in axes)]
    for goal in spec.goals:
        headers.append(_header(goal))
        headers += ["held\nout"] if result.test else []
    rows = []
    for point in result.points:
        cells = [point.label, point.policy]
        cells += [axis_words(name, point.settings.get(name)) for name in axes]
        for place, goal in enumerate(spec.goals):
            cells.append(f"{number_words(goal, point.chosen[place])}{result.mark(point, place) or ' '}")
            if point.held_out is not None:
                cells.append(number_words(goal, point.held_out[place]))
        rows.append(cells)
    print_table(headers, rows)
    if any(goal.bound_words for goal in spec.goals):
        print("! misses the bound.")


_IN_LABEL = (
    "policy", "window", "decay", "expected_usage", "form", "carry_reservation",
    "boundary_passes", "reservations", "lxf_bound", "weights.used", "weights.running", "weights.slots",
)  # fmt: skip


def _header(goal: Goal) -> str:
    unit = f"\n{goal.unit}" if goal.unit else ""
    return f"{goal.label.replace(' ', chr(10))}{unit}"


def number_words(goal: Goal, value: float | None) -> str:
    """Return a value of a goal; with `!` if it misses the bound, a dash for a missing one."""
    if value is None:
        return "–"
    return f"{value:.2f}{'!' if goal.excess(value) > 0 else ''}"


@contextmanager
def _shown(where: str, wanted: bool | None) -> Iterator[Callable[[SearchEvent], None]]:
    """Yield a function to call with each event, which shows the progress."""
    with words_bar(f"On {where}", wanted=wanted) as shown:

        def show(event: SearchEvent) -> None:
            meets = f", {thousands(event.meets)} meet all bounds"
            words = f"{thousands(event.done)} of {thousands(event.total)} settings{meets} on {where}"
            shown.show(event.done, event.total, words, event.left_s)

        yield show
