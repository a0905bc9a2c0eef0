"""A picture that was moved is the picture that would have been painted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.analyse.study.gantt_image import SpanImage, Spans, colours_of
from fsconsole.console.analyse.study.gantt_scene import (
    CHOSEN,
    GROUND,
    PALE,
    PALER,
    USER_TOKENS,
    Scene,
    scene_of,
)
from fsconsole.console.analyse.study.gantt_sight import Sight
from fsconsole.console.style.theme import ThemeMode, theme
from fsconsole.figures.style.palette import contrast

COLOURS = np.random.default_rng(3).integers(0, 255, (17, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def scene(kth_folder: StudyFolder) -> Scene:
    return scene_of(kth_folder.month_run(kth_folder.cells()[0]))


def spans_of(scene: Scene) -> Spans:
    lanes, tint = scene.lanes, scene.tints(None, are_coloured=True)
    return Spans(lanes.start_s, scene.end_s, lanes.first, lanes.wide, tint)


def sight_of(scene: Scene) -> Sight:
    return Sight.of_all(scene.first_s, scene.last_s, 100.0, 300.0, 120.0).zoomed(0.2)


moves = st.lists(
    st.one_of(
        st.integers(-400, 400).map(lambda by: ("move", float(by))),
        st.floats(0.5, 1.5).map(lambda by: ("zoom", by)),
    ),
    min_size=1,
    max_size=5,
)


@given(ways=moves)
def test_moving_gives_what_painting_gives(scene: Scene, ways: list[tuple[str, float]]) -> None:
    spans, sight, kept = spans_of(scene), sight_of(scene), SpanImage()
    kept.paint(spans, scene.lanes.between, sight, COLOURS, 1.0)
    for kind, by in ways:
        sight = sight.moved(by) if kind == "move" else sight.zoomed(by)
        moved = kept.paint(spans, scene.lanes.between, sight, COLOURS, 1.0)
        anew = SpanImage().paint(spans, scene.lanes.between, sight, COLOURS, 1.0)
        assert _differing(moved, anew) <= 0.001


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_all_jobs_stand_out_and_those_of_the_chosen_user_from_the_others(
    qapp: QApplication, mode: ThemeMode
) -> None:
    before = theme().mode
    theme().set_mode(mode)
    for token in USER_TOKENS:
        hexes = ["#" + bytes(row.astype(np.uint8)).hex() for row in colours_of(token)]
        ground = hexes[GROUND]
        assert min(contrast(one, ground) for one in hexes[:GROUND]) >= 3
        assert min(contrast(hexes[CHOSEN], hexes[other]) for other in (PALE, PALER)) >= 2
        assert hexes[PALE] != hexes[PALER]
    theme().set_mode(before)


def _differing(one: QImage, other: QImage) -> float:
    """Part of the pixels that differ by more than rounding does where an edge is just at a pixel's."""
    first, second = (
        np.frombuffer(picture.constBits(), dtype=np.uint8).astype(int) for picture in (one, other)
    )
    return float((np.abs(first - second) > 2).mean())


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_finer_screen_gets_more_pixels(scene: Scene, ratio: float) -> None:
    picture = SpanImage().paint(spans_of(scene), scene.lanes.between, sight_of(scene), COLOURS, ratio)
    assert (picture.width(), picture.height()) == (300 * ratio, 120 * ratio)
    assert picture.devicePixelRatio() == ratio


def test_other_colours_are_painted(scene: Scene) -> None:
    kept, spans, sight = SpanImage(), spans_of(scene), sight_of(scene)
    before = kept.paint(spans, scene.lanes.between, sight, COLOURS, 1.0).copy()
    assert kept.paint(spans, scene.lanes.between, sight, COLOURS, 1.0) == before
    assert kept.paint(spans, scene.lanes.between, sight, (COLOURS / 2).astype(np.float32), 1.0) != before
