"""The plotted quantities: their titles and units, one table for plots, exports and data files. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.figures.spec import Axis

SHARE_QUANTITIES = ("cpu_rate", "allocated_share", "effective_share")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A column of samples: its name there, its title, the axis it is drawn on."""

    name: str
    title: str
    axis: Axis


def _percent(title: str) -> Axis:
    return Axis(title, "%", 100.0, "fraction")


_ALL = (
    Quantity("cpu_rate", "CPU rate", _percent("CPU rate")),
    Quantity("allocated_share", "Allocated share", _percent("allocated share")),
    Quantity("effective_share", "Effective share", _percent("effective share")),
    Quantity(
        "normalised_usage",
        "Normalised usage",
        Axis("normalised usage", "cost units per share", 1.0, "cost units per share"),
    ),
    Quantity("charge", "Charge", Axis("charge", "CPU s", 1.0, "CPU s")),
    Quantity("usage", "Usage", Axis("usage", "cost units", 1.0, "cost units")),
    Quantity("cpu_s", "CPU time", Axis("CPU time", "CPU s", 1.0, "CPU s")),
)
QUANTITY_NAMES = tuple(quantity.name for quantity in _ALL)


def quantity_named(name: str) -> Quantity:
    """The quantity of that name; ValueError says which there are."""
    found = next((quantity for quantity in _ALL if quantity.name == name), None)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(name, QUANTITY_NAMES, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(QUANTITY_NAMES)}"
        msg = f"no quantity {name!r}; {hint}"
        raise ValueError(msg)
    return found
