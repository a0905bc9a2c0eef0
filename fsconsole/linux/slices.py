"""Names of systemd slices: a dash nests one slice in another, so other signs are escaped.

Source: systemd.unit(5), "String escaping for inclusion in unit names"; systemd.slice(5).
"""

from __future__ import annotations

from collections.abc import Sequence

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.")


def slice_name(names: Sequence[str]) -> str:
    """Return the slice of a path of names, topmost first: `fsconsole-gr1-u11.slice`."""
    return "-".join(_escaped(name) for name in names) + ".slice"


def _escaped(name: str) -> str:
    signs = name.encode()
    return "".join(
        chr(sign) if chr(sign) in _PLAIN and not (place == 0 and chr(sign) == ".") else f"\\x{sign:02x}"
        for place, sign in enumerate(signs)
    )
