"""The choices in the export dialog. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from fsconsole.figures.export import DATA_FORMATS, FIGURE_FORMATS, DataFormat, FigureFormat, export_figure
from fsconsole.figures.spec import THEMES, FigureSpec, FigureStyle, ThemeName

Part = Literal["all", "shown"]

# Name, width and height in mm. The last entry means the sizes in the fields.
SIZES: tuple[tuple[str, float, float], ...] = (
    ("Text width, 174 mm", 174.0, 112.0),
    ("Column, 84 mm", 84.0, 63.0),
    ("Slide, 254 mm", 254.0, 143.0),
    ("Own size", 0.0, 0.0),
)
FONTS_PT = (6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 18.0)
LINES_PT = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
RESOLUTIONS_DPI = (96, 150, 200, 300, 600)
LEAST_MM, MOST_MM = 20.0, 1000.0
_MOST_FILES_NAMED = 4
_AROUND_MM, _PLOT_MM, _PAGE_MM = 30.0, 45.0, 240.0


def height_for(plots: int) -> float:
    """Return a height in mm at which so many plots one below the other can be read; a page at most."""
    return SIZES[0][2] if plots == 1 else min(_AROUND_MM + plots * _PLOT_MM, _PAGE_MM)


# Settings that the next export keeps, also for another figure.
_LOOK = ("form", "width_mm", "height_mm", "dpi", "theme", "font_pt", "line_pt")


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """Format, size, look, range and data of an export."""

    form: FigureFormat = "pdf"
    data: DataFormat | None = None
    width_mm: float = 174.0
    height_mm: float = 112.0
    dpi: int = 200
    theme: ThemeName = "light"
    font_pt: float = 9.0
    line_pt: float = 1.0
    part: Part = "all"
    rows: Part = "all"
    title: bool = True
    names: bool = True
    events: bool = True
    notes: bool = False
    expected: bool = True
    metadata: bool = True

    def style(self, shown: tuple[float, float] | None) -> FigureStyle:
        """Return the figure's style; `shown` is the range that the screen shows, if it shows a part."""
        return FigureStyle(
            theme=self.theme,
            width_mm=self.width_mm,
            height_mm=self.height_mm,
            font_pt=self.font_pt,
            line_pt=self.line_pt,
            title=self.title,
            names=self.names,
            events=self.events,
            notes=self.notes,
            expected=self.expected,
            x_range=shown if self.part == "shown" else None,
        )

    def data_style(self, shown: tuple[float, float] | None) -> FigureStyle:
        """Return the style for the data, which have a range of their own."""
        return replace(self.style(shown), x_range=shown if self.rows == "shown" else None)

    def pixels(self) -> tuple[int, int]:
        """Return the size of a PNG in pixels."""
        return round(self.width_mm / 25.4 * self.dpi), round(self.height_mm / 25.4 * self.dpi)

    def paths(self, base: Path) -> list[Path]:
        """Return the files that an export writes; `base` has no ending."""
        data = {"": [], "py": ["py", "csv"]}.get(self.data or "", [self.data])
        endings = [self.form, *data, *(["json"] if self.metadata else [])]
        return [base.parent / f"{base.name}.{ending}" for ending in endings]

    def write(self, spec: FigureSpec, base: Path, shown: tuple[float, float] | None) -> list[Path]:
        """Write figure, data and metadata; errors as in `export_figure`."""
        figure, *_ = self.paths(base)
        written = export_figure(spec, figure, self.form, self.style(shown), self.dpi, metadata=self.metadata)
        if self.data:
            out = base.parent / f"{base.name}.{self.data}"
            written += export_figure(spec, out, self.data, self.data_style(shown), metadata=False)
        return written

    def to_json(self) -> dict[str, Any]:
        """Return plain data to remember."""
        return asdict(self)

    def look(self) -> dict[str, Any]:
        """Format, size, theme and pens, to remember for other figures."""
        return {name: getattr(self, name) for name in _LOOK}

    def with_look(self, data: object) -> ExportChoice:
        """Return the choice in a look that was remembered, as far as there is one."""
        known = data if isinstance(data, Mapping) else {}
        return self.from_json(self.to_json() | {name: known[name] for name in _LOOK if name in known})

    @classmethod
    def from_json(cls, data: object) -> ExportChoice:
        """Return the stored choice; values out of range get their default."""
        known = data if isinstance(data, Mapping) else {}
        values = {item.name: known[item.name] for item in fields(cls) if item.name in known}
        return cls(**{name: value for name, value in values.items() if _can_be(name, value)})


def _can_be(name: str, value: object) -> bool:
    allowed: dict[str, tuple[object, ...]] = {
        "form": FIGURE_FORMATS,
        "data": (None, *DATA_FORMATS),
        "theme": THEMES,
        "part": ("all", "shown"),
        "rows": ("all", "shown"),
        "dpi": RESOLUTIONS_DPI,
        "font_pt": FONTS_PT,
        "line_pt": LINES_PT,
    }
    if name in allowed:
        return value in allowed[name]
    if name in ("width_mm", "height_mm"):
        return isinstance(value, int | float) and LEAST_MM <= value <= MOST_MM
    return isinstance(value, bool)


def names_a_file(text: str) -> bool:
    """Return True if the typed text names more than a folder."""
    return (
        bool(text.strip()) and not text.strip().endswith(("/", "\\")) and base_of(text).name not in ("", "..")
    )


def base_of(text: str) -> Path:
    """Return the typed path without one of our extensions."""
    path = Path(text.strip()).expanduser()
    endings = {f".{form}" for form in (*FIGURE_FORMATS, *DATA_FORMATS, "json")}
    return path.with_suffix("") if path.suffix.lower() in endings else path


def name_files(paths: Sequence[Path]) -> str:
    """Name files, or count them where they are many."""
    names = [path.name for path in paths]
    return ", ".join(names) if len(names) <= _MOST_FILES_NAMED else f"{len(names)} files"
