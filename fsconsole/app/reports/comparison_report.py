"""The report of a comparison of policies, settings and recorded runs on one scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fsconsole.app.reports.document import Figure, Report, Section, Table, provenance, settings_table, to_redo
from fsconsole.app.reports.in_words import seen
from fsconsole.figures.of_nodes import plotted_nodes
from fsconsole.figures.spec import FigureSpec
from fsconsole.shares.quoting import quoted
from fsconsole.shares.scenario.spec import settings_of
from fsconsole.shares.scenario.write import write_text
from fsconsole.text.numbers import fixed, percent, signed
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.experiments.comparing import ComparedNode, Comparison

_QUANTITIES = ("cpu_rate", "effective_share", "normalised_usage", "charge")
_MOST_ROWS = 200
_FILE = "scenario.yaml"
_MOST_NODES_NAMED = 4


def comparison_report(
    comparison: Comparison, span_s: tuple[float, float], *, nodes: tuple[int, ...] | None = None
) -> Report:
    """Report on a comparison.

    Args:
        comparison: the runs.
        span_s: from when to when CPU time is counted.
        nodes: those in figures and tables; else those that the scenario plots, and all.
    """
    scenario = comparison.scenario
    chosen = nodes or tuple(plotted_nodes(scenario))
    rows = comparison.table(*span_s, nodes, leave_out_system=scenario.plot.leave_out_system)
    drawn = [
        comparison.figure(quantity, chosen, leave_out_system=scenario.plot.leave_out_system)
        for quantity in _QUANTITIES
    ]
    return Report(
        f"{scenario.title}: {' and '.join(one.name for one in comparison.variants)}",
        "Comparison of runs",
        tuple(_findings(comparison, rows, span_s)),
        (
            Section("Figures", (f"{comparison.legend()}.",), figures=tuple(map(_figure, drawn))),
            Section("Nodes", tables=(_table(comparison, rows),)),
            Section(
                "Settings",
                tables=(
                    _variants(comparison),
                    settings_table("Of the scenario", settings_of(scenario.machine, scenario.policy)),
                ),
            ),
            provenance(
                {
                    "Scenario": scenario.title,
                    "Digest of the scenario": comparison.digest,
                    "Seeds": _seeds(comparison),
                }
            ),
            to_redo((_command(comparison, span_s),), ((_FILE, write_text(scenario)),)),
        ),
    )


def _command(comparison: Comparison, span_s: tuple[float, float]) -> str:
    """Return the command that makes the report again, from the scenario that is printed below it."""
    words = ["fsconsole", "compare", _FILE]
    for one in comparison.variants:
        if one.folder is not None:
            words += ["--run", str(one.folder)]
        else:
            words += ["--variant", f"{one.name}:{one.settings_text.replace(', ', ',')}"]
    words += ["--from", f"{span_s[0]:g}s", "--until", f"{span_s[1]:g}s"]
    words += ["--seeds", str(comparison.seeds)] if comparison.seeds > 1 else []
    return " ".join(map(quoted, [*words, "--report", "report.pdf"]))


def _figure(spec: FigureSpec) -> Figure:
    called = replace(spec, caption="", title=spec.title.removeprefix("Compared: "))
    return Figure(called, seen(called))


def _seeds(comparison: Comparison) -> str:
    first = comparison.scenario.seed
    return str(first) if comparison.seeds == 1 else f"{first} to {first + comparison.seeds - 1}"


def _findings(
    comparison: Comparison, rows: Sequence[ComparedNode], span_s: tuple[float, float]
) -> Iterator[str]:
    """Yield the nodes whose part of the CPU time differs most from variant A, and where seeds do not
    decide.
    """
    first = comparison.variants[0].name
    yield f"CPU time is counted from {fixed(span_s[0])} to {fixed(span_s[1])} s; {_runs(comparison)}."
    leaves = [row for row in rows if not any(other.path.startswith(f"{row.path}/") for other in rows)]
    for place, variant in enumerate(comparison.variants[1:], 1):
        by_size = sorted(leaves, key=lambda row: -abs(row.cpu[place] - row.cpu[0]))
        moved = [row for row in by_size if abs(row.cpu[place] - row.cpu[0]) >= 5e-4]
        if not moved:
            yield f"{variant.name} and {first} divide the CPU time equally, within 0.05 points."
            continue
        named = listed([_moved(row, place) for row in moved], _MOST_NODES_NAMED)
        more = " The table of nodes has all of them." if len(moved) > _MOST_NODES_NAMED + 1 else ""
        yield f"{variant.name} minus {first}: {named}.{more}"
        open_ones = [row.path for row in leaves if row.overlaps(place)]
        if comparison.seeds > 1 and open_ones:
            yield (
                f"Bands of seeds overlap for {listed(open_ones, _MOST_NODES_NAMED)}: "
                f"the difference between {variant.name} and {first} is not decided there."
            )
    yield from comparison.remarks


def _runs(comparison: Comparison) -> str:
    if comparison.seeds == 1:
        return f"one run each with seed {comparison.scenario.seed}, so the effect of chance is not measured"
    return f"medians of {comparison.seeds} seeds"


def _moved(row: ComparedNode, place: int) -> str:
    """Describe a difference as `/a/b +3.20 points (24.10 to 27.30 %)`."""
    change = signed(100 * (row.cpu[place] - row.cpu[0]), 2)
    return (
        f"{row.path} {change} points ({percent(row.cpu[0], 2, unit=False)} to {percent(row.cpu[place], 2)})"
    )


def _table(comparison: Comparison, rows: Sequence[ComparedNode]) -> Table:
    lettered = comparison.lettered()
    headers = (
        "Node",
        *(f"{letter} CPU, %" for letter, _ in lettered),
        *(f"{letter} less A, points" for letter, _ in lettered[1:]),
        *(f"{letter} charge, CPU s" for letter, _ in lettered),
    )
    lines = tuple(
        (
            row.path,
            *(fixed(100 * value, 2) for value in row.cpu),
            *(signed(100 * value, 2) for value in row.differences()),
            *(fixed(value, 1) for value in row.charge),
        )
        for row in rows[:_MOST_ROWS]
    )
    note = f"{comparison.legend()}." + (
        f" Only the first {_MOST_ROWS} of {len(rows)} nodes are shown." if len(rows) > _MOST_ROWS else ""
    )
    return Table("CPU time and charge", headers, lines, note)


def _variants(comparison: Comparison) -> Table:
    lines = tuple(
        (letter, one.name, one.settings_text or "as in the scenario") for letter, one in comparison.lettered()
    )
    return Table("Variants", ("", "Name", "Settings"), lines, texts=3)
