"""Export of figures and their data: PNG, SVG, PDF, CSV, Parquet, with provenance as JSON beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from fsconsole.figures.changes import changes_of
from fsconsole.figures.data import Column, TextColumn, columns_of, csv_blocks, parquet_bytes, with_kinds
from fsconsole.figures.of_nodes import NodeSeries, event_marks, figure_of, plotted_nodes
from fsconsole.figures.script import script_of
from fsconsole.figures.spec import Change, EventMark, FigureSpec, FigureStyle, Floats, Provenance
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.notes import note_marks, read_notes
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_tree import tree_of
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree

FigureFormat = Literal["png", "svg", "pdf"]
DataFormat = Literal["csv", "parquet", "py"]
FIGURE_FORMATS: tuple[FigureFormat, ...] = ("png", "svg", "pdf")
# The format py is CSV and a script that draws it.
DATA_FORMATS: tuple[DataFormat, ...] = ("csv", "parquet", "py")
FORMATS: tuple[FigureFormat | DataFormat, ...] = (*FIGURE_FORMATS, *DATA_FORMATS)
DEFAULT_DPI = 200.0
_MAP_TITLE_MM = 6.0


def export_figure(
    spec: FigureSpec,
    out: Path,
    form: FigureFormat | DataFormat,
    style: FigureStyle | None = None,
    dpi: float = DEFAULT_DPI,
    *,
    metadata: bool = True,
) -> list[Path]:
    """Write a figure or its data, and with `metadata` a JSON file beside it; return the files written.

    Data are written as recorded, within the style's range if it has one.

    Raises:
        OSError: a file cannot be written.
        ValueError: the format is unknown, or the picture would be too large.
    """
    chosen = style or FigureStyle()
    written = [out]
    if form == "py":
        written.append(out.with_suffix(".csv"))
        write_atomic(written[1], file_blocks(spec, "csv", chosen, dpi))
        write_atomic(out, script_of(spec, chosen, written[1].name))
    else:
        write_atomic(out, file_blocks(spec, form, chosen, dpi))
    if metadata:
        written.append(out.with_suffix(".json"))
        write_atomic(written[-1], sidecar_text(spec, chosen.x_range))
    return written


def picture_format(path: Path) -> FigureFormat | None:
    """Return the picture format of a file name's ending; None for other endings."""
    form = path.suffix.lower().removeprefix(".")
    return next((one for one in FIGURE_FORMATS if one == form), None)


def export_map(
    tree: ShareTree, title: str, out: Path, form: FigureFormat, widths: Floats | None = None
) -> None:
    """Write the share map of a tree as a picture.

    Args:
        tree: the tree.
        title: title of the figure.
        out: the file, which is replaced.
        form: its format.
        widths: fraction of the machine of each row of its flat tree, [rows]; None for fractions by shares.

    Raises:
        OSError: the file cannot be written.
    """
    from fsconsole.figures.tree_map import tree_map

    spec = tree_map(tree, title, widths)
    style = FigureStyle(height_mm=spec.height_mm + _MAP_TITLE_MM)
    export_figure(spec, out, form, style, metadata=False)


def file_blocks(spec: FigureSpec, form: str, style: FigureStyle, dpi: float = DEFAULT_DPI) -> Iterable[bytes]:
    """Yield the bytes of one file part by part, since a month of many users makes a large table."""
    if form == "csv":
        return csv_blocks(_columns_of(spec, style))
    return (file_bytes(spec, form, style, dpi),)


def file_bytes(spec: FigureSpec, form: str, style: FigureStyle, dpi: float = DEFAULT_DPI) -> bytes:
    """Return a figure in a format, as the bytes of one file.

    Raises:
        ValueError: the format is unknown.
    """
    if form == "csv":
        return b"".join(csv_blocks(_columns_of(spec, style)))
    if form == "py":
        return script_of(spec, style, f"{spec.name}.csv").encode()
    if form == "parquet":
        origin = json.dumps(spec.provenance.to_json(style.x_range))
        return parquet_bytes(_columns_of(spec, style), {"fsconsole": origin})
    if form not in FIGURE_FORMATS:
        msg = f"unknown format {form!r}. Use {', '.join(FORMATS)}"
        raise ValueError(msg)
    from fsconsole.figures import files

    if form == "png":
        return files.png_bytes(spec, style, dpi)
    return files.svg_bytes(spec, style) if form == "svg" else files.pdf_bytes(spec, style)


def _columns_of(spec: FigureSpec, style: FigureStyle) -> list[TextColumn | Column]:
    return with_kinds(columns_of(spec, style.x_range, with_edges=True), spec.x_axis.kinds)


def sidecar_text(spec: FigureSpec, x_range: tuple[float, float] | None = None) -> str:
    """Return the provenance of a figure for the JSON file beside it."""
    data = {"title": spec.title, "caption": spec.caption, "quantity": spec.quantity}
    curves = [{"name": curve.name, "path": curve.path} for curve in spec.curves]
    units = {"x": spec.x_axis.data_unit, "y": spec.y_axis.data_unit}
    if spec.below:
        data["quantity"] = ", ".join(part.quantity for part in spec.parts)
        units["y"] = ", ".join(part.y_axis.data_unit for part in spec.parts)
    if spec.x_axis.kinds:
        data["kinds"] = ", ".join(spec.x_axis.kinds)
    everything = {**data, "curves": curves, "data_units": units, **spec.provenance.to_json(x_range)}
    return json.dumps(everything, ensure_ascii=False, indent=2) + "\n"


def export_run(
    run: RunReader | Path,
    quantity: str,
    form: FigureFormat | DataFormat,
    out: Path,
    *,
    style: FigureStyle | None = None,
    nodes: Sequence[str] = (),
    leave_out_system: bool | None = None,
    title: str = "",
) -> list[Path]:
    """Write a recorded quantity of a run as a figure or as data; return what was written.

    By default, a figure shows the `nodes` (paths or unique names) that the scenario plots and data contain
    all nodes; a figure leaves out system groups if the scenario says so, and data stay as recorded.

    Raises:
        RunError: the run cannot be read.
        ValueError: the quantity is not known.
        LookupError: a node is not known.
    """
    figure = form in FIGURE_FORMATS or form == "py"
    spec = figure_of_run(
        run if isinstance(run, RunReader) else RunReader(run),
        quantity,
        nodes=nodes,
        leave_out_system=leave_out_system if leave_out_system is not None or figure else False,
        title=title,
        all_nodes=not figure,
    )
    return export_figure(spec, out, form, style)


def figure_of_run(
    run: RunReader,
    quantity: str,
    *,
    nodes: Sequence[str] = (),
    leave_out_system: bool | None = None,
    title: str = "",
    all_nodes: bool = False,
) -> FigureSpec:
    """Return a recorded quantity as a figure.

    Raises:
        RunError: the run cannot be read.
        ValueError: the quantity is not known.
        LookupError: a node is not known.
    """
    scenario = _scenario_of(run)
    tree = scenario.tree
    recorded = run.quantities()
    if quantity not in recorded:
        msg = f"{run.path} has no quantity {quantity!r}. It has {', '.join(recorded)}"
        raise ValueError(msg)
    chosen: Sequence[int] = [tree.find(name).id for name in nodes]
    if not nodes:
        chosen = [node.id for node in tree.walk()] if all_nodes else plotted_nodes(scenario)
    leave_out = scenario.plot.leave_out_system if leave_out_system is None else leave_out_system
    times, values = run.series(quantity, None if leave_out else chosen)
    figure = figure_of(
        tree,
        NodeSeries(quantity, times, values),
        chosen,
        name=f"{run.path.stem}-{quantity.replace('_', '-')}",
        title=title,
        caption=f"{scenario.title}{', without system groups' if leave_out else ''}.",
        leave_out_system=leave_out,
        events=event_marks(scenario),
        provenance=_provenance(run, scenario.title, float(times[0]) if len(times) else 0.0),
    )
    notes = tuple(
        EventMark(note.time_s, note.text, note.until_s, is_note=True)
        for note in note_marks(read_notes(run.path))
    )
    return replace(figure, notes=notes)


def _scenario_of(run: RunReader) -> Scenario:
    """Return the scenario of a run, with the tree of all its nodes."""
    text = _scenario_text(run)
    tree = tree_of(run)
    if not text:
        return Scenario(tree, title=run.manifest.get("title", ""))
    scenario = parse_scenario(text)
    known = tuple(node for node in scenario.plot.nodes if node in tree)
    return replace(scenario, tree=tree, plot=replace(scenario.plot, nodes=known))


def _scenario_text(run: RunReader) -> str:
    """Return the text of a run's scenario; empty for other runs, and for one that may have unknown keys."""
    return "" if run.newer else str(run.manifest.get("scenario", ""))


def _provenance(run: RunReader, title: str, since_s: float) -> Provenance:
    manifest = run.manifest
    settings = manifest.get("settings", {})
    return Provenance(
        scenario=title,
        scenario_digest=manifest.get("scenario_digest", ""),
        seed=manifest.get("seed"),
        settings=settings,
        origin=run.path.name,
        changes=_changes(run, settings, since_s),
    )


def _changes(run: RunReader, settings: Mapping[str, Any], since_s: float) -> tuple[Change, ...]:
    """Return the changes by the scenario and by operators.

    Raises:
        ValueError: the journal is damaged.
    """
    text = _scenario_text(run)
    if not text:
        return ()
    scenario = parse_scenario(text)
    entries = [JournalEntry.from_json(entry) for entry in run.journal()]
    done = [(entry.tick / scenario.machine.hz, entry.action) for entry in entries]
    return changes_of(scenario, done, settings, since_s)
