from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from fsconsole.figures.style.palette import (
    CURVE_FAMILIES,
    CURVE_TOKENS,
    DARK,
    GREY_TOKENS,
    LIGHT,
    SAFE_DARK,
    SAFE_LIGHT,
    TOKENS,
    Palette,
    contrast,
    mix,
    pale,
    relative_luminance,
)
from tests.figures.style.colour_vision import EYES, ciede2000, distance

both = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
all_four = pytest.mark.parametrize(
    "palette", [LIGHT, DARK, SAFE_LIGHT, SAFE_DARK], ids=["light", "dark", "safe light", "safe dark"]
)
GROUNDS = ("surface", "raised", "sel", "hover", "alt", "window")
FILLS = (0.22, 0.30)  # of boxes in the map, and of the box under the pointer
HEADS = [family[0] for family in CURVE_FAMILIES]


def least_distance(palette: Palette, tokens: Sequence[str], eyes: str) -> float:
    return min(distance(palette.hex(a), palette.hex(b), eyes) for a, b in combinations(tokens, 2))


@both
def test_every_token_is_a_colour(palette: Palette) -> None:
    assert len(TOKENS) == 37
    assert all(re.fullmatch("#[0-9A-F]{6}", palette.hex(token)) for token in TOKENS)


def test_unknown_tokens_are_refused() -> None:
    with pytest.raises(KeyError):
        LIGHT.hex("mauve")


@both
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("token", ["text", "muted"])
def test_text_can_be_read(palette: Palette, token: str, ground: str) -> None:
    assert contrast(palette.hex(token), palette.hex(ground)) >= 4.5


@both
@pytest.mark.parametrize(
    ("token", "ground"),
    [
        ("onaccent", "accent"),
        ("ok", "okbg"),
        ("warn", "warnbg"),
        ("danger", "dangerbg"),
        ("text", "track"),
        ("ok", "surface"),
        ("warn", "surface"),
        ("danger", "surface"),
        ("accent", "surface"),
    ],
)
def test_state_colours_can_be_read(palette: Palette, token: str, ground: str) -> None:
    assert contrast(palette.hex(token), palette.hex(ground)) >= 4.5


@both
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("token", ["edge", "accent", "ok", "warn", "danger", "muted", "text"])
def test_controls_icons_states_and_the_focus_stand_out(palette: Palette, token: str, ground: str) -> None:
    assert contrast(palette.hex(token), palette.hex(ground)) >= 3


@both
@pytest.mark.parametrize("ground", ["surface", "alt", "raised"])
def test_axes_and_the_edges_of_charts_stand_out(palette: Palette, ground: str) -> None:
    assert contrast(palette.line2, palette.hex(ground)) >= 3


@all_four
@pytest.mark.parametrize("ground", ["surface", "alt", "raised", "hover", "track"])
@pytest.mark.parametrize("token", [*CURVE_TOKENS, *GREY_TOKENS])
def test_curves_bars_and_what_they_are_of_stand_out(palette: Palette, token: str, ground: str) -> None:
    assert contrast(palette.hex(token), palette.hex(ground)) >= 3


@both
@pytest.mark.parametrize("token", ["accent", "ok", "warn", "danger", "muted", "edge", "text"])
def test_what_fills_a_bar_and_the_mark_of_its_end_stand_out_from_its_track(
    palette: Palette, token: str
) -> None:
    assert contrast(palette.hex(token), palette.track) >= 3


@both
@pytest.mark.parametrize("state", ["ok", "warn", "danger"])
def test_borders_and_controls_stand_out_from_the_grounds_of_states(palette: Palette, state: str) -> None:
    for token in (state, "text", "muted", "edge", "accent"):
        assert contrast(palette.hex(token), palette.hex(f"{state}bg")) >= 3


@all_four
@pytest.mark.parametrize("token", [*CURVE_TOKENS, *GREY_TOKENS, "accent", "muted", "text"])
def test_pale_areas_stand_out_and_words_on_them_can_be_read(palette: Palette, token: str) -> None:
    area = pale(palette.hex(token), palette.surface)
    assert 3 <= contrast(area, palette.surface) <= contrast(palette.hex(token), palette.surface)
    assert contrast(palette.text, area) >= 4.5 or token == "text"
    assert contrast(pale(palette.accent, palette.surface, palette.track), palette.track) >= 3
    both = pale(palette.hex(token), palette.surface, palette.raised)
    assert min(contrast(both, palette.surface), contrast(both, palette.raised)) >= 3


@all_four
@pytest.mark.parametrize("token", [*CURVE_TOKENS, *GREY_TOKENS])
def test_boxes_of_the_map_have_borders_that_stand_out_and_names_that_can_be_read(
    palette: Palette, token: str
) -> None:
    for fill in FILLS:
        ground = mix(palette.hex(token), palette.surface, fill)
        assert contrast(palette.cell, ground) >= 3
        assert contrast(palette.text, ground) >= 4.5


@pytest.mark.parametrize("palette", [SAFE_LIGHT, SAFE_DARK], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", EYES)
def test_safe_curves_differ_for_all_eyes(palette: Palette, eyes: str) -> None:
    assert least_distance(palette, CURVE_TOKENS, eyes) >= 12
    assert least_distance(palette, HEADS, eyes) >= 17
    assert least_distance(palette, [*HEADS, "g1", "g2"], eyes) >= 11


@both
@pytest.mark.parametrize("eyes", EYES)
def test_usual_curves_differ_for_all_eyes_and_their_groups_most(palette: Palette, eyes: str) -> None:
    """Groups have solid lines; inside one, dashes differ as well."""
    assert least_distance(palette, HEADS, eyes) >= 12
    assert least_distance(palette, CURVE_TOKENS, eyes) >= 8.5


@both
@pytest.mark.parametrize("eyes", EYES)
def test_states_differ_for_all_eyes(palette: Palette, eyes: str) -> None:
    """Each has an icon or a word as well."""
    assert least_distance(palette, ("ok", "warn", "danger"), eyes) >= 9.5
    assert least_distance(palette, ("ok", "warn", "danger", "accent", "muted"), eyes) >= 7.5


# Source: Sharma, Wu, Dalal 2005, table 1: pairs 1, 7, 13, 17, 25 and 34.
@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, -0.001, 2.49), (50, 0.0011, -2.49), 4.7461),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_of_colours(first: tuple[float, ...], second: tuple[float, ...], wanted: float) -> None:
    assert ciede2000(np.array(first), np.array(second)) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("eyes", EYES)
def test_all_eyes_see_grey_as_grey(eyes: str) -> None:
    assert EYES[eyes].sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_luminance_and_contrast_at_their_ends() -> None:
    assert relative_luminance("#FFFFFF") == pytest.approx(1)
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


def test_mixing_two_colours() -> None:
    assert mix("#FF0000", "#FFFFFF", 0.0) == "#FFFFFF"
    assert mix("#FF0000", "#FFFFFF", 1.0) == "#FF0000"
    assert mix("#000000", "#FFFFFF", 0.2) == "#CCCCCC"
