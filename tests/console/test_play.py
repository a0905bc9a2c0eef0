from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from fsconsole.recording.run import RunReader
from fsconsole.shares.scenario.spec import QUANTITIES
from tests.texts import says, wording

_THEMES = ("light", "dark")
_PAGES = ("welcome", "design", "observe", "analyse")


def size_of(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def run_without_display(*arguments: str) -> str:
    hidden = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.dear("what make run does without a display")
def test_play_leaves_run_plots_and_pictures(tmp_path: Path) -> None:
    code = "from fsconsole.cli.main import main; main()"
    output = run_without_display("-c", code, "play", "--out", str(tmp_path))
    run = tmp_path / "convex-series-1.run"
    assert RunReader(run).state == "complete"
    for quantity in QUANTITIES:
        assert size_of(tmp_path / f"plot-{quantity.replace('_', '-')}.png")[0] > 500
    for page in _PAGES:
        for theme in _THEMES:
            name = f"{page}-{theme}.png"
            assert size_of(tmp_path / name) == (1600, 1000)
            assert name in output
    listed = output[output.index(f"Left in {tmp_path}:") :].splitlines()[1:-1]
    kept = {path.name for path in tmp_path.iterdir() if path.suffix != ".json"}
    assert {line.split()[0] for line in listed} == kept


_SHOW_PROBLEMS = """
import logging
import sys
from pathlib import Path
from fsconsole.console.files.problems_dialog import ProblemsDialog
from fsconsole.console.stage import Stage

logging.disable()  # that the task failed is logged, on stderr
with Stage(1000, 700) as stage:
    stage.window.files.open(Path(sys.argv[1]))
    stage.wait_for(lambda: stage.window.findChild(ProblemsDialog) is not None, 30)
    print(stage.window.findChild(ProblemsDialog).text())
"""


def test_a_file_that_cannot_be_used_shows_its_problems_off_screen(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("version: 1\nname: [\n")
    output = run_without_display("-W", "error", "-c", _SHOW_PROBLEMS, str(broken))
    place = wording("shares.scenario.line-column", line="3", column="1")
    assert says(
        output.partition(f"broken.yaml: {place}error: ")[2], "shares.scenario.not-valid-yaml", what=""
    )


@pytest.mark.whole("starts a console and makes all pictures of the documents")
def test_screenshots_show_every_page_in_both_sizes_and_themes(tmp_path: Path) -> None:
    run_without_display("-m", "fsconsole.console.screenshots", "--out", str(tmp_path))
    for page in _PAGES:
        for theme in _THEMES:
            assert size_of(tmp_path / f"{page}-{theme}.png") == (1600, 1000)
            assert size_of(tmp_path / f"{page}-{theme}-1280x800.png") == (1280, 800)
            assert (tmp_path / f"{page}-{theme}.png").stat().st_size < 400_000


@pytest.mark.whole("starts a console and makes all moving pictures of the documents")
def test_moving_pictures_have_all_frames(tmp_path: Path) -> None:
    run_without_display("-m", "fsconsole.console.moving_scenes", "--out", str(tmp_path))
    for name, frames in (("dragging", 46), ("scrubbing", 35)):
        moving = tmp_path / f"{name}.png"
        assert size_of(moving) == (1280, 800)
        assert moving.read_bytes().count(b"fcTL") == frames
        assert moving.stat().st_size < 1_200_000


def test_nothing_heavy_is_loaded_before_the_window_is_painted() -> None:
    heavy = {"numba", "polars", "pydantic", "yaml"}
    lines = ("import sys", "from fsconsole.console.app import main", "main()")
    code = "\n".join((*lines, f"print({heavy!r}.intersection(sys.modules))"))
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"FSCONSOLE_QUIT_AFTER_FIRST_PAINT": "1"},
    )
    assert done.stdout.split() == ["painted", "set()"]
