"""A figure of the running machine for a slide: a vector file with the curves that were on the screen."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.walks.walker import Walker


@pytest.mark.watch_allows("place", reason="the preview widens the dialog when it is drawn", issue="calm")
def test_slide(user: Walker, tmp_path: Path) -> None:
    user.find("Paused")
    user.press("Space", "]")
    user.wait(5)
    user.press("Space")
    user.picture("run")
    user.press("Ctrl+E")
    user.wait(4)
    user.picture("dialog")
    user.click("Size")
    user.wait(2)
    user.picture("sizes")
    user.click("Slide")
    user.click("SVG")
    user.click("CSV")
    user.click("Save as")
    user.press("Ctrl+A")
    user.type(str(tmp_path / "slide"))
    user.wait(10)
    user.picture("chosen")
    user.click("Export")
    user.wait(15)
    user.picture("exported")
    user.wait(15)
    figure = ET.parse(tmp_path / "slide.svg").getroot()
    assert figure.get("width") == "254mm"
    table = csv.DictReader((tmp_path / "slide.csv").read_text(encoding="utf-8").splitlines())
    last = [float(value) for value in list(table)[-1].values()][1:]
    assert last == pytest.approx([1 / 4, 1 / 4, 1 / 6, 1 / 6, 1 / 6], abs=0.01)
    origin = json.loads((tmp_path / "slide.json").read_text(encoding="utf-8"))
    assert origin["quantity"] == "cpu_rate"
