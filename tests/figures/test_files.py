"""Every format is written and read again."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import zlib
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from fsconsole.experiments.pictures import as_fitted
from fsconsole.figures import files
from fsconsole.figures.arrange import UNITS_PER_MM, arrange
from fsconsole.figures.export import sidecar_text
from fsconsole.figures.spec import THEMES, Axis, Curve, FigureSpec, FigureStyle, ThemeName
from fsconsole.figures.style.palette import DARK, LIGHT, PRINT
from tests.texts import refuses, says

SVG = "{http://www.w3.org/2000/svg}"
pytestmark = pytest.mark.usefixtures("qapp")


def read_png(data: bytes) -> QImage:
    image = QImage.fromData(data)
    assert not image.isNull()
    return image


def svg_texts(data: bytes) -> list[str]:
    return ["".join(node.itertext()).strip() for node in ET.fromstring(data).iter(f"{SVG}text")]


def test_png_has_the_size_asked_for_and_its_provenance_in_text_chunks(spec: FigureSpec) -> None:
    image = read_png(files.png_bytes(spec, FigureStyle(width_mm=100, height_mm=50), dpi=254))
    assert (image.width(), image.height()) == (1000, 500)
    assert image.dotsPerMeterX() == 10_000
    assert image.text("Title") == spec.title
    found = json.loads(image.text("Provenance"))
    assert found["scenario_digest"] == "0123456789ab"
    assert found["seed"] == 7
    assert found["settings"] == {"policy.name": "share"}


@pytest.mark.parametrize("theme", THEMES)
def test_png_is_in_the_colours_of_its_theme(spec: FigureSpec, theme: ThemeName) -> None:
    palette = {"light": LIGHT, "dark": DARK, "print": PRINT}[theme]
    image = read_png(files.png_bytes(spec, FigureStyle(theme=theme), dpi=150))
    width, height = image.width(), image.height()
    corners = {image.pixelColor(x, y).name() for x in (0, width - 1) for y in (0, height - 1)}
    assert corners == {QColor(palette.surface).name()}
    colours = {image.pixelColor(x, y).name() for x in range(width) for y in range(height)}
    assert QColor(palette.c2).name() in colours


def test_print_is_black_on_white_and_tells_curves_by_dashes(spec: FigureSpec) -> None:
    data = files.svg_bytes(spec, FigureStyle(theme="print"))
    strokes = {node.get("stroke") for node in ET.fromstring(data).iter(f"{SVG}g")} - {None, "none", "black"}
    assert strokes == {"#000000"}
    assert len({node.get("stroke-dasharray") for node in curves_of(data)}) == len(spec.curves)


def test_svg_keeps_text_as_text_and_says_where_it_comes_from(spec: FigureSpec) -> None:
    data = files.svg_bytes(spec, FigureStyle())
    root = ET.fromstring(data)
    assert (root.get("width"), root.get("height")) == ("174mm", "112mm")
    texts = svg_texts(data)
    wanted = [spec.title, spec.caption, "u1", "u2", "u2 logs in", "CPU rate, %", "time, s", "100"]
    assert [text for text in wanted if text not in texts] == []
    assert "much later" not in texts
    metadata = root.find(f"{SVG}metadata")
    assert metadata is not None
    assert json.loads(metadata.text or "")["remarks"] == ["ours"]
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == spec.title
    assert description is not None
    assert "digest 0123456789ab" in (description.text or "")


def test_svg_draws_no_curve_beyond_its_axes(spec: FigureSpec) -> None:
    zoomed = replace(spec, y_axis=replace(spec.y_axis, limits=(20.0, 80.0)))
    style = FigureStyle(x_range=(200.0, 400.0))
    plot = arrange(zoomed, style, 174 * UNITS_PER_MM, 112 * UNITS_PER_MM).plot
    places = [
        tuple(map(float, pair.split(",")))
        for curve in curves_of(files.svg_bytes(zoomed, style))
        for line in curve.iter(f"{SVG}polyline")
        for pair in line.get("points", "").split()
    ]
    assert len(places) >= 4
    assert all(plot.left() - 1 <= x <= plot.right() + 1 for x, _ in places)
    assert all(plot.top() - 1 <= y <= plot.bottom() + 1 for _, y in places)


def curves_of(svg: bytes) -> list[ET.Element]:
    """The groups that are drawn with the pen of curves, 1 pt wide."""
    return [node for node in ET.fromstring(svg).iter(f"{SVG}g") if node.get("stroke-width") == "10"]


def test_pdf_is_one_page_of_the_size_with_its_provenance_attached(spec: FigureSpec) -> None:
    data = files.pdf_bytes(spec, FigureStyle(width_mm=174, height_mm=112))
    assert data.startswith(b"%PDF-1.")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1
    box = re.search(rb"/MediaBox \[([^\]]*)\]", data)
    assert box is not None
    _, _, width, height = map(float, box[1].split())
    assert width == pytest.approx(174 / 25.4 * 72, abs=1)
    assert height == pytest.approx(112 / 25.4 * 72, abs=1)
    attached = [stream for stream in streams(data) if stream.startswith(b"{")]
    assert json.loads(attached[0])["scenario"] == "Two users"
    creator = "digest 0123456789ab".encode("utf-16-be")
    assert creator in data


def streams(pdf: bytes) -> list[bytes]:
    found = []
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            found.append(zlib.decompress(match[1]))
        except zlib.error:
            found.append(match[1])
    return found


def test_a_figure_without_data_is_an_empty_frame() -> None:
    empty = FigureSpec("empty", "Nothing", Axis("usage"), (Curve("u1", np.empty(0), np.empty(0)),))
    assert "Nothing" in svg_texts(files.svg_bytes(empty, FigureStyle()))
    gaps = replace(empty, curves=(Curve("u1", np.arange(3.0), np.full(3, np.nan)),))
    assert "Nothing" in svg_texts(files.svg_bytes(gaps, FigureStyle()))


def test_long_runs_have_an_axis_in_hours_and_large_numbers_a_power_of_ten() -> None:
    times = np.arange(0.0, 8 * 3600.0, 10)
    usage = Curve("u1", times, 2e6 * times)
    figure = FigureSpec("long", "Usage", Axis("usage", "cost units"), (usage,))
    texts = svg_texts(files.svg_bytes(figure, FigureStyle()))
    assert "time, h" in texts
    assert ["usage,", "10⁹", "cost", "units"] in [text.split() for text in texts]


def test_a_picture_too_large_for_memory_is_refused(spec: FigureSpec) -> None:
    with refuses(ValueError, "figures.image-of-x-pixels-is"):
        files.png_bytes(spec, FigureStyle(width_mm=2000, height_mm=2000), dpi=2400)


def test_the_same_figure_gives_the_same_bytes(spec: FigureSpec) -> None:
    style = FigureStyle()
    assert files.svg_bytes(spec, style) == files.svg_bytes(spec, style)
    assert files.png_bytes(spec, style) == files.png_bytes(spec, style)


_IN_A_PROCESS = """
import hashlib, pickle, sys
from fsconsole.figures import files
from fsconsole.figures.spec import FigureStyle
spec = pickle.loads(sys.stdin.buffer.read())
for data in (files.svg_bytes(spec, FigureStyle()), files.png_bytes(spec, FigureStyle())):
    print(hashlib.sha256(data).hexdigest())
"""


def test_another_process_gives_the_same_bytes(spec: FigureSpec) -> None:
    """Its sets and dicts have another order of hashes."""
    seven, eight = (
        subprocess.run(
            (sys.executable, "-c", _IN_A_PROCESS),
            input=pickle.dumps(spec),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout.split()
        for seed in "78"
    )
    assert len(set(seven)) == 2
    assert seven == eight


def test_an_expected_value_is_a_square_if_it_is_the_papers_and_else_a_diamond(spec: FigureSpec) -> None:
    (mark,) = spec.expected
    ours = replace(spec, expected=(replace(mark, is_papers=False),))

    def shapes(drawn: FigureSpec) -> tuple[int, int]:
        root = ET.fromstring(files.svg_bytes(drawn, FigureStyle()))
        return tuple(sum(1 for _ in root.iter(f"{SVG}{tag}")) for tag in ("rect", "polygon"))  # type: ignore[return-value]

    none = shapes(replace(spec, expected=()))
    squares, diamonds = shapes(spec), shapes(ours)
    assert (squares[0] - none[0], squares[1] - none[1]) == (1, 0)
    assert diamonds[0] == none[0]
    assert files.png_bytes(ours, FigureStyle()) != files.png_bytes(spec, FigureStyle())


def test_each_format_of_a_fitted_figure_says_what_was_fitted(spec: FigureSpec) -> None:
    means = "bandwidth, to these means"
    fitted = as_fitted(spec, means)
    texts = " ".join(svg_texts(files.svg_bytes(fitted, FigureStyle())))
    assert f"[fitted] {spec.title}" in texts
    assert says(texts, "experiments.fitted-to-squares")
    bare = svg_texts(files.svg_bytes(fitted, FigureStyle(title=False)))
    # A figure without its title says it in a corner.
    assert "fitted" in bare
    image = read_png(files.png_bytes(fitted, FigureStyle()))
    assert image.text("Title").startswith("[fitted] ")
    assert json.loads(image.text("Provenance"))["fitted"] == means
    assert json.loads(sidecar_text(fitted))["fitted"] == means
    assert json.loads(sidecar_text(fitted))["title"].startswith("[fitted] ")
