"""Rows that are often compared, ready to be filled in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """What stands in a row of the form: a policy's name, empty for the scenario's own, and settings."""

    policy: str = ""
    settings: str = ""


PRESETS: dict[str, tuple[Row, ...]] = {
    "ADJGROUPS off / Share's / integral": tuple(
        Row("share", f"policy.adjgroups={kind}") for kind in ("off", "share", "integral")
    ),
    "Share / flat / feedback / process-fair": tuple(
        Row(name) for name in ("share", "flat", "feedback", "process-fair")
    ),
    "Half-life 8 h / 168 h": tuple(Row("", f"policy.half_life_s={time}") for time in ("8 h", "168 h")),
    "Nice cost unit / Share's": tuple(Row("", f"machine.nice_cost={kind}") for kind in ("unit", "share")),
}
