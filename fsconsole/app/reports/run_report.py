"""Report of one recorded run: usage of each node, events and curves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.app.reports.document import Figure, Report, Section, Table, provenance, settings_table, to_redo
from fsconsole.app.reports.in_words import seen
from fsconsole.app.runs.notes import wall_words, when_words
from fsconsole.figures.export import figure_of_run
from fsconsole.figures.quantities import recorded_quantity
from fsconsole.recording.notes import Note, read_notes
from fsconsole.recording.run import cluster_settings
from fsconsole.recording.run_format import COMPLETE, DIARY, RunError
from fsconsole.shares.quoting import quoted
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.text.durations import clock, duration
from fsconsole.text.numbers import UNKNOWN, fixed, percent, signed
from fsconsole.text.words import count_words, listed

if TYPE_CHECKING:
    from fsconsole.figures.spec import FigureSpec
    from fsconsole.recording.run import RunReader

# These are plotted if recorded, in this order. A run without any of them shows all its quantities.
_QUANTITIES = ("allocated_share", "effective_share", "normalised_usage", "cpu_rate", "charge")
_MOST_FINDINGS, _MOST_ROWS, _MOST_CURVES = 4, 200, 12
_LEAST_PART_NAMED = 5e-4
_FILE = "scenario.yaml"
_OF_BUSIEST = f"Figures show at most {_MOST_CURVES} users: those with the most usage at the end."


@dataclass(frozen=True, slots=True)
class _Got:
    """CPU time of a node compared with its share of the machine, both fractions of all CPU time."""

    path: str
    share: float
    cpu: float
    is_leaf: bool

    @property
    def more(self) -> float:
        """Excess over its share."""
        return self.cpu - self.share


def run_report(run: RunReader, nodes: Sequence[str] = ()) -> Report:
    """Report on a run folder; RunError where it holds no samples or cannot be read.

    Args:
        run: of a simulated machine, a cluster or its diary, complete or not.
        nodes: paths or unique names of those in figures; else those that the scenario plots. LookupError for
            one that the run does not have.
    """
    recorded = run.quantities()
    is_diary = run.kind == DIARY
    preferred = run.manifest.get("plots", ()) if is_diary else _QUANTITIES
    drawn = [name for name in preferred if name in recorded] or recorded
    shown = nodes or (_busiest(run) if is_diary else ())
    figures = [figure_of_run(run, name, nodes=shown) for name in drawn]
    if not any(len(curve.x) for figure in figures for curve in figure.curves):
        msg = f"{run.path} contains no samples yet"
        raise RunError(msg)
    epoch_s = run.manifest.get("clock", {}).get("epoch_s")
    notes, happened = read_notes(run.path), run.happened()[0]
    got = list(_got(run))
    text = run.scenario_text if run.manifest.get("scenario") else ""
    return Report(
        str(run.manifest.get("title") or run.path.stem),
        "Recorded run",
        tuple(_findings(run, got, happened, notes)),
        (
            *_sections(
                Section(
                    "Figures",
                    (_OF_BUSIEST,) if is_diary and not nodes else (),
                    tuple(_figure(one) for one in figures),
                ),
                Section("Nodes", tables=(_nodes(got), _last_values(figures))),
                Section("What happened", tables=(_events(happened, epoch_s), _notes(notes, epoch_s))),
                Section("Settings", tables=(settings_table("", _settings(run)),)),
            ),
            provenance(_facts(run)),
            to_redo(_commands(run, is_alone=bool(text)), ((_FILE, text),) if text else ()),
        ),
    )


def _busiest(run: RunReader) -> list[str]:
    """Return the paths of the users with the most usage at the end of a diary."""
    rows = run.nodes()
    above = {row.get("parent") for row in rows}
    users = [row for row in rows if row["id"] not in above]
    usage = run.open_series().values_at("raw_usage", [row["id"] for row in users], run.last_s())
    order = np.argsort(-np.nan_to_num(usage, nan=-1.0), kind="stable")[:_MOST_CURVES]
    return [users[place]["path"] for place in order.tolist()]


def _settings(run: RunReader) -> dict[str, Any]:
    return cluster_settings(run) if run.kind == DIARY else run.manifest.get("settings", {})


def _sections(*sections: Section) -> Iterator[Section]:
    """Yield sections without tables that have no rows, and without sections that have nothing left."""
    for section in sections:
        kept = replace(section, tables=tuple(table for table in section.tables if table.rows))
        if kept.figures or kept.tables:
            yield kept


def _got(run: RunReader) -> Iterator[_Got]:
    """Yield the nodes of a run that exist at its end, below the root; without system groups as in plots."""
    summary = run.summary()
    rows = [] if summary is None else [row for row in summary["nodes"] if "/" in row["path"]]
    groups = {row["path"].rpartition("/")[0] for row in rows}
    left_out = _left_out(run)
    system = [row for row in rows if row["path"] in left_out and row["path"] not in groups]
    rest = [1.0 - sum(float(row[name]) for row in system) for name in ("machine_share", "cpu_fraction")]
    for row in rows:
        if row["path"] not in left_out:
            share, cpu = float(row["machine_share"]) / rest[0], float(row["cpu_fraction"]) / (rest[1] or 1.0)
            yield _Got(row["path"], share, cpu, row["path"] not in groups)


def _left_out(run: RunReader) -> set[str]:
    """Return the paths of system groups, with all below them, where the scenario's plots leave them out."""
    text = run.manifest.get("scenario", "")
    scenario = parse_scenario(text) if text else None
    if scenario is None or not scenario.plot.leave_out_system:
        return set()
    tree = scenario.tree
    return {tree.path(node.id) for node in tree.walk() if tree.is_system(node.id)}


def _findings(
    run: RunReader, got: Sequence[_Got], happened: Sequence[tuple[float, str]], notes: Sequence[Note]
) -> Iterator[str]:
    manifest = run.manifest
    ended = "complete" if run.state == COMPLETE else f"not complete ({run.state_words})"
    policy = f" under the policy {manifest['policy']}" if manifest.get("policy") else ""
    seed = f", seed {manifest['seed']}" if manifest.get("seed") is not None else ""
    yield f"The run covers {duration(run.last_s())}{policy}{seed}, and is {ended}."
    leaves = sorted((one for one in got if one.is_leaf), key=lambda one: -abs(one.more))
    for one in leaves[:_MOST_FINDINGS]:
        if abs(one.more) >= _LEAST_PART_NAMED:
            beside = "above" if one.more > 0 else "below"
            points = f"{fixed(100 * abs(one.more), 2)} points {beside}"
            share = f"its share of machine, {percent(one.share, 2)}"
            yield f"{one.path} got {percent(one.cpu, 2)} of all CPU time, {points} {share}."
    if leaves and abs(leaves[0].more) < _LEAST_PART_NAMED:
        yield "Every user got their share of machine, within 0.05 points."
    if happened:
        first = [f"{words} at {clock(time_s)}" for time_s, words in happened[:3]]
        yield f"{count_words(len(happened), 'event')}: {listed(first)}{', …' if len(happened) > 3 else ''}."
    if missing := run.gaps:
        lost_s = sum(gap.end_s - gap.start_s for gap in missing if math.isfinite(gap.end_s))
        gaps = f"{count_words(len(missing), 'gap')} ({duration(lost_s)})"
        yield f"Samples are missing in {gaps}: {missing[0].why}."
    if notes:
        yield f"{count_words(len(notes), 'note')} on the run."


def _figure(spec: FigureSpec) -> Figure:
    shown = replace(spec, caption="", curves=spec.curves[:_MOST_CURVES])
    return Figure(shown, seen(spec))


def _nodes(got: Sequence[_Got]) -> Table:
    lines = tuple(
        (one.path, fixed(100 * one.share, 2), fixed(100 * one.cpu, 2), signed(100 * one.more, 2))
        for one in got[:_MOST_ROWS]
    )
    headers = ("Node", "Share of machine, %", "CPU time, %", "Difference, points")
    note = f"CPU time divided by that of all users shown, over the whole run.{_cut(len(got))}"
    return Table("CPU time", headers, lines, note)


def _cut(count: int) -> str:
    return f" Only the first {_MOST_ROWS} of {count} are shown." if count > _MOST_ROWS else ""


def _last_values(figures: Sequence[FigureSpec]) -> Table:
    """List the last values of the curves."""
    names = list(dict.fromkeys(curve.name for figure in figures for curve in figure.curves))
    columns = [{curve.name: curve.y for curve in figure.curves} for figure in figures]
    lines = tuple(
        (name, *(_last(column.get(name), figure) for column, figure in zip(columns, figures, strict=True)))
        for name in names[:_MOST_ROWS]
    )
    headers = ("Curve", *(_header(figure) for figure in figures))
    return Table("At the end", headers, lines, f"The last value of each curve.{_cut(len(names))}")


def _header(figure: FigureSpec) -> str:
    unit = figure.y_axis.unit
    title = recorded_quantity(figure.quantity).title
    return f"{title}, {unit}" if unit else title


def _last(values: np.ndarray[Any, np.dtype[np.float64]] | None, figure: FigureSpec) -> str:
    known = np.empty(0) if values is None else values[np.isfinite(values)]
    return fixed(known[-1] * figure.y_axis.scale, 2) if len(known) else UNKNOWN


def _events(happened: Sequence[tuple[float, str]], epoch_s: float | None) -> Table:
    lines = tuple(
        (clock(time_s) if epoch_s is None else wall_words(time_s, epoch_s), words)
        for time_s, words in happened[:_MOST_ROWS]
    )
    return Table("Events", ("Time", "Event"), lines, _cut(len(happened)).strip(), texts=2)


def _notes(notes: Sequence[Note], epoch_s: float | None) -> Table:
    lines = tuple((when_words(note, epoch_s), note.text, note.author) for note in notes[:_MOST_ROWS])
    return Table("Notes", ("Time", "Note", "By"), lines, _cut(len(notes)).strip(), texts=3)


def _facts(run: RunReader) -> dict[str, object]:
    manifest = run.manifest
    facts = {
        "Run folder": run.path.name,
        "Cluster": manifest.get("cluster"),
        "Recorded by": manifest.get("program"),
        "Digest of the scenario": manifest.get("scenario_digest"),
        "Seed": manifest.get("seed"),
        "Sampled every": f"{manifest['sample_s']:g} s" if manifest.get("sample_s") else None,
        "Time recorded": duration(round(run.last_s())),
    }
    return {name: value for name, value in facts.items() if value not in (None, "")}


def _commands(run: RunReader, *, is_alone: bool) -> list[str]:
    """Return the commands that make the report again; the run too where it had no changes by hand."""
    report = f"fsconsole run report {quoted(run.path.name)} --out report.pdf"
    if not is_alone or run.journal():
        return [report]
    simulate = f"fsconsole simulate {_FILE} --until {run.last_s():g}s --out {quoted(run.path.name)}"
    return [simulate, report]
