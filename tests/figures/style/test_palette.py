from __future__ import annotations

import re

import pytest

from fsconsole.figures.style.palette import (
    CURVE_TOKENS,
    DARK,
    GREY_TOKENS,
    LIGHT,
    TOKENS,
    Palette,
    mix,
)


def relative_luminance(colour: str) -> float:
    """Relative luminance of `#RRGGBB`, 0 (black) to 1 (white), as in WCAG 2.1."""
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21, as in WCAG 2.1."""
    light, dark = sorted((relative_luminance(first), relative_luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


both = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
GROUNDS = ("surface", "raised", "sel", "hover")


@both
def test_every_token_is_a_colour(palette: Palette) -> None:
    assert len(TOKENS) == 36
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
@pytest.mark.parametrize("token", ["edge", "accent"])
def test_controls_stand_out(palette: Palette, token: str) -> None:
    assert contrast(palette.hex(token), palette.surface) >= 3


@both
@pytest.mark.parametrize("token", [*CURVE_TOKENS, "g1", "g2"])
def test_curves_stand_out(palette: Palette, token: str) -> None:
    assert contrast(palette.hex(token), palette.surface) >= 3


@both
def test_the_rest_band_is_fainter_than_curves_but_seen(palette: Palette) -> None:
    # The light g3 of the specification reaches 2.89; it fills bands and boxes and is never a line alone.
    assert GREY_TOKENS[-1] == "g3"
    assert contrast(palette.g3, palette.surface) >= 2.8


def test_luminance_and_contrast_at_their_ends() -> None:
    assert relative_luminance("#FFFFFF") == pytest.approx(1)
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


def test_mixing_two_colours() -> None:
    assert mix("#FF0000", "#FFFFFF", 0.0) == "#FFFFFF"
    assert mix("#FF0000", "#FFFFFF", 1.0) == "#FF0000"
    assert mix("#000000", "#FFFFFF", 0.2) == "#CCCCCC"
