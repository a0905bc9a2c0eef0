"""The two colour tables of the console; no other module defines colours.

Values are sRGB hex strings, so that figures on paper can use them without Qt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

CURVE_FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("c1", "c2", "c3"),
    ("c4", "c5", "c6"),
    ("c7", "c8", "c9"),
    ("c10", "c11", "c12"),
)
CURVE_TOKENS: tuple[str, ...] = tuple(token for family in CURVE_FAMILIES for token in family)
GREY_TOKENS: tuple[str, ...] = ("g1", "g2", "g3")
LEAST_CONTRAST = 3.0  # A mark with less contrast to its surroundings is hard to see.


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme's colours by token, each `#RRGGBB`."""

    name: str
    window: str
    raised: str
    surface: str
    alt: str
    line: str
    line2: str
    edge: str
    cell: str
    text: str
    muted: str
    accent: str
    onaccent: str
    sel: str
    hover: str
    ok: str
    okbg: str
    warn: str
    warnbg: str
    danger: str
    dangerbg: str
    grid: str
    track: str
    g1: str
    g2: str
    g3: str
    c1: str
    c2: str
    c3: str
    c4: str
    c5: str
    c6: str
    c7: str
    c8: str
    c9: str
    c10: str
    c11: str
    c12: str

    def hex(self, token: str) -> str:
        """Return the colour of a token as `#RRGGBB`.

        Raises:
            KeyError: the token is unknown.
        """
        if token not in TOKENS:
            raise KeyError(token)
        value: str = getattr(self, token)
        return value


TOKENS: tuple[str, ...] = tuple(name for name in Palette.__slots__ if name != "name")

LIGHT = Palette(
    name="light",
    window="#E6E9ED",
    raised="#F3F5F7",
    surface="#FFFFFF",
    alt="#F8F9FB",
    line="#D3D8DE",
    line2="#868E98",
    edge="#7A838E",
    cell="#616973",
    text="#1A2027",
    muted="#55606C",
    accent="#1F5FBF",
    onaccent="#FFFFFF",
    sel="#D9E6F8",
    hover="#EDF2F9",
    ok="#187642",
    okbg="#E3F3E9",
    warn="#794B00",
    warnbg="#FCF0D6",
    danger="#C22E37",
    dangerbg="#FBE5E3",
    grid="#E9ECF0",
    track="#E3E7EC",
    g1="#48525E",
    g2="#68737F",
    g3="#79848F",
    c1="#002BC7",
    c2="#3666AC",
    c3="#3F7EF1",
    c4="#682C00",
    c5="#B04705",
    c6="#AA7A00",
    c7="#0A5D3B",
    c8="#1D9551",
    c9="#668B71",
    c10="#5E136C",
    c11="#8C3C69",
    c12="#9F73A8",
)

DARK = Palette(
    name="dark",
    window="#0D1013",
    raised="#1D2228",
    surface="#14181D",
    alt="#181D22",
    line="#2E353D",
    line2="#636D78",
    edge="#78838F",
    cell="#A2ACB7",
    text="#E6E9ED",
    muted="#9CA7B3",
    accent="#7DB1FF",
    onaccent="#0B1220",
    sel="#22395A",
    hover="#1F2731",
    ok="#14CB94",
    okbg="#16301F",
    warn="#EBB64C",
    warnbg="#352A12",
    danger="#FD877B",
    dangerbg="#3A1B1A",
    grid="#22282F",
    track="#2A3139",
    g1="#C3CCD5",
    g2="#96A1AC",
    g3="#78838F",
    c1="#707FBC",
    c2="#3983FF",
    c3="#4DB3FF",
    c4="#C16C29",
    c5="#F57F35",
    c6="#ECBF66",
    c7="#42AE6F",
    c8="#3FE39F",
    c9="#A8EDD4",
    c10="#A2758B",
    c11="#EF84C1",
    c12="#F8C1FB",
)

# Eyes that lack a kind of cones see any two of the twelve differ by 12 (CIEDE2000) or more: this holds for
# protanopes, deuteranopes, tritanopes and all others. A search found them; families keep their order, but not
# all their hues.
_SAFE_LIGHT = (
    ("#241EB1", "#836CF9", "#585DB0"),
    ("#968200", "#EB3E6B", "#8A580E"),
    ("#2F7452", "#363E00", "#12937B"),
    ("#521F2F", "#8C7AA9", "#492E59"),
)
_SAFE_DARK = (
    ("#D7C2FE", "#A352E0", "#8B9BFF"),
    ("#E92938", "#E7ACB0", "#FFE312"),
    ("#5FFFA5", "#8ABB0C", "#008B59"),
    ("#A96484", "#9980B5", "#E2687D"),
)


def _with_curves(base: Palette, families: tuple[tuple[str, str, str], ...]) -> Palette:
    colours = (colour for family in families for colour in family)
    return replace(base, **dict(zip(CURVE_TOKENS, colours, strict=True)))


SAFE_LIGHT = _with_curves(LIGHT, _SAFE_LIGHT)
SAFE_DARK = _with_curves(DARK, _SAFE_DARK)

CurveColours = Literal["usual", "safe"]
_chosen: CurveColours = "usual"


def choose_curve_colours(colours: CurveColours) -> None:
    """Set the curve colours of screen and exports."""
    global _chosen  # noqa: PLW0603 - one reader, one choice
    _chosen = colours


def curve_colours() -> CurveColours:
    """Return the curve colours in use."""
    return _chosen


def light() -> Palette:
    """Return the light table with the curve colours in use."""
    return SAFE_LIGHT if _chosen == "safe" else LIGHT


def dark() -> Palette:
    """Return the dark table with the curve colours in use."""
    return SAFE_DARK if _chosen == "safe" else DARK


_BLACK, _WHITE = "#000000", "#FFFFFF"

# Paper is black on white, so curves differ by their dashes alone.
PRINT = replace(
    LIGHT,
    name="print",
    surface=_WHITE,
    text=_BLACK,
    muted=_BLACK,
    line2=_BLACK,
    **dict.fromkeys((*CURVE_TOKENS, *GREY_TOKENS), _BLACK),
)


def palette_of(theme: Literal["light", "dark", "print"]) -> Palette:
    """Return the colours of a figure's theme."""
    return PRINT if theme == "print" else dark() if theme == "dark" else light()


def mix(over: str, under: str, alpha: float) -> str:
    """Return `over` laid on `under` with opacity alpha (0 to 1), as an opaque `#RRGGBB`."""
    parts = (
        round(alpha * int(over[i : i + 2], 16) + (1 - alpha) * int(under[i : i + 2], 16)) for i in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02X}" for part in parts)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as in WCAG 2.1."""
    light, dark = sorted((relative_luminance(first), relative_luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def relative_luminance(colour: str) -> float:
    """Return the relative luminance of `#RRGGBB`, 0 (black) to 1 (white), as in WCAG 2.1."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@lru_cache(maxsize=256)
def pale(over: str, *grounds: str) -> str:
    """Return the palest mix of a colour into the first ground that stands out from all grounds."""
    mixed = (mix(over, grounds[0], percent / 100) for percent in range(25, 100))
    return next(
        (one for one in mixed if min(contrast(one, under) for under in grounds) >= LEAST_CONTRAST), over
    )
