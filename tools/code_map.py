"""Write `fsconsole/README.md`: the rooms of the code, their sizes, who imports whom, and a picture.

All of it comes from the code: docstrings, files, imports, and the layers of import-linter in pyproject.toml.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import grimp

_ROOT = Path(__file__).resolve().parent.parent
_PAGE, _PICTURE = _ROOT / "fsconsole/README.md", _ROOT / "fsconsole/README.svg"
_SIZE_MAY_DIFFER = 0.1  # A tolerance spares most commits from renewing the page.
_WIDE_PX, _BOX_PX, _HIGH_PX, _COLUMN_PX, _ROW_PX, _ASIDE_PX = 700, 124, 40, 260, 76, 45
_STYLE = """
text { font: 14px sans-serif; text-anchor: middle; fill: #1f2328 } .size { font-size: 11px; fill: #59636e }
rect { fill: #f6f8fa; stroke: #818b98 } path { fill: none; stroke: #818b98; marker-end: url(#end) }
#end path { fill: #818b98; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .size { fill: #9198a1 } rect { fill: #151b23; stroke: #656c76 } }
"""
_MARKER = """<marker id="end" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="7" markerHeight="7"
orient="auto"><path d="M0 0 6 3 0 6z"/></marker>"""


class Rooms:
    """The packages of fsconsole with what the page says of each."""

    def __init__(self) -> None:
        self._graph = grimp.build_graph("fsconsole", exclude_type_checking_imports=False)
        text = (_ROOT / "pyproject.toml").read_text("utf-8")
        contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
        layers = next(one["layers"] for one in contracts if one["type"] == "layers")
        self._rooms = [name for layer in layers for name in re.findall(r"\w+", layer)]

    def inside(self, room: str = "") -> list[str]:
        """Return the packages directly inside a room, and with no room those of the layers."""
        if not room:
            return self._rooms
        return sorted(
            f"{room}/{path.parent.name}" for path in (_ROOT / "fsconsole" / room).glob("*/__init__.py")
        )

    def imports(self, room: str) -> list[str]:
        """Return the neighbours that a room imports, from anywhere inside it."""
        parent, _, _ = room.rpartition("/")
        return [
            name
            for name in self.inside(parent)
            if name != room
            and self._graph.direct_import_exists(
                importer=_module(room), imported=_module(name), as_packages=True
            )
        ]

    def drawn(self) -> tuple[list[list[str]], dict[str, list[str]]]:
        """Return the rooms in rows, and their imports without those that a longer way shows already."""
        direct = {room: set(self.imports(room)) for room in self._rooms}
        reach: dict[str, set[str]] = {}
        while left := [room for room in direct if room not in reach]:
            ready = [room for room in left if direct[room] <= reach.keys()]
            for room in ready or left[:1]:  # Some room has to be first in a circle.
                reach[room] = direct[room].union(*(reach.get(name, ()) for name in direct[room]))
        rows: list[list[str]] = []
        for room in sorted(direct, key=lambda one: (len(reach[one]), one)):
            level = 1 + max((row for row, names in enumerate(rows) if reach[room] & set(names)), default=-1)
            rows += [[]] if level == len(rows) else []
            rows[level].append(room)
        arrows = {
            room: sorted(names - set().union(*(reach[name] for name in names)))
            for room, names in direct.items()
        }
        return [sorted(row) for row in reversed(rows)], arrows

    def size(self, room: str) -> str:
        """Return the number of lines with two digits that count, so that few commits change it."""
        folder = _ROOT / "fsconsole" / room
        files = list(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
        lines = sum(len(file.read_text("utf-8").splitlines()) for file in files)
        return f"{float(f'{lines:.2g}'):,.0f}"


def docstring(room: str) -> str:
    """Return the docstring of a package or module."""
    folder = _ROOT / "fsconsole" / room
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""


def page(rooms: Rooms) -> str:
    """Return the text of the page."""
    packages = [inner for room in rooms.inside() for inner in rooms.inside(room)]
    packages += [inner for room in packages for inner in rooms.inside(room)]
    return "\n".join((
        "<!-- Written by `make map` from the code. Do not edit: change the docstrings of the packages. -->",
        f"# Code map\n\n{docstring('')}\n",
        f"{rooms.size('')} lines. An arrow points to what a room imports; imports go down only.\n",
        f"![The rooms and their imports]({_PICTURE.name})\n",
        *_table(rooms, rooms.inside()),
        "\n## Packages inside the rooms\n",
        *_table(rooms, sorted(packages)),
        "",
    ))  # fmt: skip


def _table(rooms: Rooms, names: list[str]) -> list[str]:
    rows = ["| room | holds | lines | imports beside it |", "|---|---|--:|---|"]
    for name in names:
        beside = ", ".join(other.rpartition("/")[2] for other in rooms.imports(name))
        first = docstring(name).partition("\n")[0].rstrip(".")
        rows.append(f"| `{name}` | {first} | {rooms.size(name)} | {beside} |")
    return rows


def picture(rooms: Rooms) -> str:
    """Return the rooms as SVG, with arrows to what each imports."""
    rows, imports = rooms.drawn()
    place = {
        room: (round(_WIDE_PX / 2 + (column - (len(row) - 1) / 2) * _COLUMN_PX), level * _ROW_PX)
        for level, row in enumerate(rows)
        for column, room in enumerate(row)
    }
    arrows = [_arrow(place[room], place[name]) for room, names in imports.items() for name in names]
    boxes = [_box(room, rooms.size(room), *at) for room, at in place.items()]
    high = len(rows) * _ROW_PX
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -2 {_WIDE_PX} {high}" width="{_WIDE_PX}">',
        f"<style>{_STYLE}</style>",
        _MARKER,
        *arrows,
        *boxes,
        "</svg>\n",
    ))  # fmt: skip


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x, y), (to_x, to_y) = start, end
    aside = max(-_ASIDE_PX, min((to_x - x) // 3, _ASIDE_PX))
    x, to_x, y = x + aside, to_x - aside, y + _HIGH_PX
    bend = (to_y - y) // 2
    return f'<path d="M{x} {y}C{x} {y + bend} {to_x} {to_y - bend} {to_x} {to_y}"/>'


def _box(room: str, lines: str, x: int, y: int) -> str:
    return (
        f'<rect x="{x - _BOX_PX // 2}" y="{y}" width="{_BOX_PX}" height="{_HIGH_PX}" rx="5"/>'
        f'<text x="{x}" y="{y + 18}">{room}</text>'
        f'<text x="{x}" y="{y + 33}" class="size">{lines} lines</text>'
    )


def is_stale(written: str, now: str) -> bool:
    """Return True if a page differs in anything but sizes that have changed little."""
    number = re.compile(r"\d[\d,]*")
    sizes = [[int(text.replace(",", "")) for text in number.findall(one)] for one in (written, now)]
    if number.sub("0", written) != number.sub("0", now):
        return True
    return any(abs(a - b) > max(2, _SIZE_MAY_DIFFER * b) for a, b in zip(*sizes, strict=True))


def _module(room: str) -> str:
    return f"fsconsole.{room.replace('/', '.')}"


def main() -> int:
    """Write the page where it is stale, or with `--check` return 1 then."""
    rooms = Rooms()
    for file, text in ((_PAGE, page(rooms)), (_PICTURE, picture(rooms))):
        if file.is_file() and not is_stale(file.read_text("utf-8"), text):
            continue
        if "--check" in sys.argv:
            print(f"{file.relative_to(_ROOT)} is stale. Run make map and commit it.")
            return 1
        file.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
