"""The two colour tables of the console. Nothing else in the code names a colour.

Values are sRGB hex strings, so that figures on paper can use them without Qt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

CURVE_FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("c1", "c2", "c3"),
    ("c4", "c5", "c6"),
    ("c7", "c8", "c9"),
    ("c10", "c11", "c12"),
)
CURVE_TOKENS: tuple[str, ...] = tuple(token for family in CURVE_FAMILIES for token in family)
GREY_TOKENS: tuple[str, ...] = ("g1", "g2", "g3")


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
        """Return the colour of a token as `#RRGGBB`; KeyError for an unknown token."""
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
    ok="#166C3A",
    okbg="#E3F3E9",
    warn="#875400",
    warnbg="#FCF0D6",
    danger="#B3261E",
    dangerbg="#FBE5E3",
    grid="#E9ECF0",
    track="#E3E7EC",
    g1="#4E5864",
    g2="#77828E",
    g3="#87919C",
    c1="#192FA2",
    c2="#3767AC",
    c3="#3881F5",
    c4="#682C00",
    c5="#B34500",
    c6="#C08900",
    c7="#025B38",
    c8="#0DAB4E",
    c9="#60A374",
    c10="#611673",
    c11="#8E3A69",
    c12="#A87CB3",
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
    cell="#98A2AD",
    text="#E6E9ED",
    muted="#9CA7B3",
    accent="#7DB1FF",
    onaccent="#0B1220",
    sel="#22395A",
    hover="#1F2731",
    ok="#5CC98A",
    okbg="#16301F",
    warn="#EAB64F",
    warnbg="#352A12",
    danger="#FF8A80",
    dangerbg="#3A1B1A",
    grid="#22282F",
    track="#2A3139",
    g1="#B9C2CC",
    g2="#8E99A5",
    g3="#727D89",
    c1="#566FB6",
    c2="#5782FC",
    c3="#4BB3FF",
    c4="#B05F21",
    c5="#F26F0F",
    c6="#DCB55D",
    c7="#56AA69",
    c8="#4BE39B",
    c9="#8DE9CD",
    c10="#9E5D83",
    c11="#EF76BC",
    c12="#F8C2FC",
)

# For eyes that lack a kind of cones: any two of the twelve differ by 12 (CIEDE2000) or more for protanopes,
# deuteranopes, tritanopes and all others. Found by a search; families keep their order, not all their hues.
_SAFE_LIGHT = (
    ("#261DB3", "#886FFF", "#5A60B2"),
    ("#A59005", "#EB426A", "#935D00"),
    ("#347F58", "#373E00", "#03A383"),
    ("#5F2736", "#9B87BC", "#492F59"),
)
_SAFE_DARK = (
    ("#D7C2FF", "#9041C8", "#8695FF"),
    ("#D20029", "#FC9F88", "#FFD700"),
    ("#0CF6C3", "#71AE01", "#008051"),
    ("#9C4F75", "#8E77AB", "#DF5C76"),
)


def _with_curves(base: Palette, families: tuple[tuple[str, str, str], ...]) -> Palette:
    colours = (colour for family in families for colour in family)
    return replace(base, **dict(zip(CURVE_TOKENS, colours, strict=True)))


SAFE_LIGHT = _with_curves(LIGHT, _SAFE_LIGHT)
SAFE_DARK = _with_curves(DARK, _SAFE_DARK)

CurveColours = Literal["usual", "safe"]
_chosen: CurveColours = "usual"


def choose_curve_colours(colours: CurveColours) -> None:
    """Choose the colours of curves, on screen and in exports from now on."""
    global _chosen  # noqa: PLW0603 - one reader, one choice
    _chosen = colours


def curve_colours() -> CurveColours:
    """Return the choice in force."""
    return _chosen


def light() -> Palette:
    """Return the light table, with the curves that were chosen."""
    return SAFE_LIGHT if _chosen == "safe" else LIGHT


def dark() -> Palette:
    """Return the dark table, with the curves that were chosen."""
    return SAFE_DARK if _chosen == "safe" else DARK


_BLACK, _WHITE = "#000000", "#FFFFFF"

# For paper: black on white, so that curves differ by their dashes alone.
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
    """`over` laid on `under` with opacity alpha (0 to 1), as an opaque `#RRGGBB`."""
    parts = (
        round(alpha * int(over[i : i + 2], 16) + (1 - alpha) * int(under[i : i + 2], 16)) for i in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02X}" for part in parts)
