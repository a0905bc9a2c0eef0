"""The content and style of a figure as plain data. No Qt.

Curves contain the recorded values in their own unit (fractions, seconds, cost units); an axis has the factor
to its shown unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fsconsole.resources import this_program
from fsconsole.shares.stored_format import StoredFormat

FORMAT = StoredFormat("fsconsole origin", "the origin of a figure or of data")
Floats = NDArray[np.float64]
ThemeName = Literal["light", "dark", "print"]
# A curve is drawn as a line; bars side by side; short dashes where bars would end; one line right across; or
# boxes with a dash at each value.
Shape = Literal["", "line", "bar", "tick", "level", "box"]
THEMES: tuple[ThemeName, ...] = ("light", "dark", "print")
FONT_SHIPPED = "Source Sans Pro"  # The folder resources/fonts holds its files.


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """One curve: times and values as recorded, NaN for missing values.

    `colour` is a token of the palette, `dash` an on-off pattern in line widths (empty: solid). `path` names
    the node in data files where `name` alone would not. Without a `shape` it is bars on an axis of kinds,
    else a line; a `level` is drawn right across at its first value. `marks` puts a dot on each value,
    `labels` words above it, `band` shades from the first to the second of two columns. Where some labels of a
    line are empty, only the others' values have dots, and their words stand where they are clear of curves. A
    `box` goes over its band, and a line over its `whiskers`. `series` numbers what the curve shows, the same
    in all figures, for dashes and hatching in print. Without it, the place counts. The bar at the place `lit`
    is highlighted.
    """

    name: str
    x: Floats
    y: Floats
    colour: str = "c2"
    dash: tuple[float, ...] = ()
    path: str = ""
    shape: Shape = ""
    marks: bool = False
    labels: tuple[str, ...] = ()
    band: tuple[()] | tuple[Floats, Floats] = ()
    whiskers: tuple[()] | tuple[Floats, Floats] = ()
    series: int | None = None
    lit: int | None = None

    @property
    def labels_some(self) -> bool:
        """True if only some values have labels."""
        return bool(self.labels) and not all(self.labels)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: title, shown unit, factor for recorded values, and a fixed range if any.

    `data_unit` is the unit of the recorded values; `limits` are in shown units. An x axis of `kinds` has
    names of 0, 1, 2 and so on in place of numbers; curves are bars side by side there unless they say how
    they are drawn. A y axis that `is_log` is in powers of ten, with a place of its own for 0.
    """

    title: str
    unit: str = ""
    scale: float = 1.0
    data_unit: str = ""
    limits: tuple[float, float] | None = None
    kinds: tuple[str, ...] = ()
    is_log: bool = False


_NEARLY = 0.05

TIME_AXIS = Axis("time", "s", 1.0, "s")


@dataclass(frozen=True, slots=True)
class EventMark:
    """An event or a note at a time: a line with a label.

    `until_s` is the end of a note's span; None for an instant. A note has `is_note`.
    """

    at_s: float
    text: str
    until_s: float | None = None
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected value in recorded units: an open square if it is the paper's, else an open diamond."""

    x: float
    y: float
    is_papers: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """A change during the run: time, dotted key of a setting or another object, both values.

    None stands for a missing or unknown value.
    """

    time_s: float
    what: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class BranchOrigin:
    """A branch whose curves are shown: its name, the run or branch that it leaves, when, and what changed."""

    name: str
    of: str
    at_s: float
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance of the data, written into every file.

    `remarks` list deviations from the paper; `fitted` lists parameters that were chosen to reproduce values
    of a paper, so that a figure is not read as their confirmation. `settings` are those at the start of the
    data, before any of the `changes`, which the machine puts in force at its next scheduler delta. `branches`
    are those whose curves are shown, and those that they leave.
    """

    scenario: str = ""
    scenario_digest: str = ""
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""
    remarks: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    branches: tuple[BranchOrigin, ...] = ()
    fitted: str = ""
    program: str = field(default_factory=this_program)

    def to_json(self, x_range: tuple[float, float] | None = None) -> dict[str, Any]:
        """Return plain data for metadata and sidecar files; values that JSON lacks become text.

        The settings are those in force at the start of `x_range`. The changes include earlier ones up to its
        end, since the plot depends on them too.
        """
        start_s, end_s = x_range or (float("-inf"), float("inf"))
        earlier = {item.what: item.after for item in self.changes if item.time_s < start_s}
        now = {key: earlier.get(key, value) for key, value in self.settings.items()}
        settings = {key: _plain(value) for key, value in now.items()}
        changes = [
            {"time_s": item.time_s, "what": item.what, "from": _plain(item.before), "to": _plain(item.after)}
            for item in self.changes
            if item.time_s <= end_s
        ]
        return {
            **FORMAT.header(),
            "program": self.program,
            "scenario": self.scenario,
            "scenario_digest": self.scenario_digest,
            "seed": self.seed,
            "origin": self.origin,
            "remarks": list(self.remarks),
            "fitted": self.fitted,
            "settings": settings,
            "changes": changes,
            "branches": [asdict(branch) for branch in self.branches],
        }

    def line(self) -> str:
        """Return one line of text: program, scenario, its digest and the seed."""
        seed = "" if self.seed is None else f"seed {self.seed}"
        parts = (self.program, self.scenario, self.scenario_digest and f"digest {self.scenario_digest}", seed)
        return ", ".join(part for part in parts if part)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


@dataclass(frozen=True, eq=False, slots=True)
class FigureSpec:
    """One figure. `name` is fit for a file name, `caption` one sentence under the title.

    `quantity` is the column that the curves show, for the headers of data files. Values before `drawn_from`
    are not meaningful yet, so they are not drawn. `below` are figures of the same times that stand under this
    one, on the same page and in the same files.
    """

    name: str
    title: str
    y_axis: Axis
    curves: tuple[Curve, ...]
    x_axis: Axis = TIME_AXIS
    caption: str = ""
    quantity: str = ""
    events: tuple[EventMark, ...] = ()
    expected: tuple[Expected, ...] = ()
    drawn_from: float | None = None
    provenance: Provenance = Provenance()
    notes: tuple[EventMark, ...] = ()
    below: tuple[FigureSpec, ...] = ()

    @property
    def parts(self) -> tuple[FigureSpec, ...]:
        """This figure, then those below it."""
        return (replace(self, below=()), *self.below) if self.below else (self,)

    def shape_of(self, curve: Curve) -> Shape:
        """Return the shape of a curve in this figure; never empty."""
        return curve.shape or ("bar" if self.x_axis.kinds else "line")

    @property
    def has_key(self) -> bool:
        """True if the figure has only bars: names then form a key, since no place identifies a bar."""
        return bool(self.curves) and all(self.shape_of(curve) in ("bar", "tick") for curve in self.curves)

    @property
    def has_light_bars(self) -> bool:
        """True if bars are light because dashes are drawn over them."""
        return any(self.shape_of(curve) == "tick" for curve in self.curves)

    def x_span(self) -> tuple[float, float]:
        """Return first and last recorded x of all curves, from 0 if they start near it; (0, 1) if empty."""
        if self.x_axis.kinds:
            return -0.5, len(self.x_axis.kinds) - 0.5
        ends = [(float(curve.x[0]), float(curve.x[-1])) for curve in self.curves if len(curve.x)]
        if not ends:
            return 0.0, 1.0
        first, last = min(start for start, _ in ends), max(end for _, end in ends)
        if 0 < first < _NEARLY * last:
            first = 0.0
        return (first, last) if last > first else (first, first + 1.0)


@dataclass(frozen=True, slots=True)
class FigureStyle:
    """The style of a figure: sizes in mm and points, parts that are drawn, range in recorded x.

    `axis_titles`: those of both axes, of `x` alone, or none. For figures one below the other: `edges_em` is
    the room left and right of the plot in heights of a letter, and all but the last go without `x_labels`.
    `family` is FONT_SHIPPED for the same font on every machine, else the application's font.
    `ground` is the colour token of the background.
    """

    theme: ThemeName = "light"
    width_mm: float = 174.0
    height_mm: float = 112.0
    font_pt: float = 9.0
    line_pt: float = 1.0
    title: bool = True
    axis_titles: Literal["both", "x", "none"] = "both"
    names: bool = True
    events: bool = True
    notes: bool = False
    expected: bool = True
    x_range: tuple[float, float] | None = None
    cursor_at: float | None = None
    edges_em: tuple[float, float] | None = None
    x_labels: bool = True
    family: str = ""
    ground: Literal["surface", "raised"] = "surface"
