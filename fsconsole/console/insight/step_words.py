"""A step response as a figure and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsconsole.figures.spec import Axis, Curve, EventMark, FigureSpec
from fsconsole.figures.style.curves import DASHED, DOTTED, SOLID
from fsconsole.machine.insight.step_response import Measures, Response
from fsconsole.text import numbers
from fsconsole.text.durations import in_words

_NO_STEP = 0.02  # of the machine


def step_figure(responses: Sequence[Response], name: str, what: str, token: str) -> FigureSpec:
    """CPU rates of the runs, and the allocated share that they go for."""
    inks = ((token, SOLID), ("c5" if token != "c5" else "c2", DASHED))
    curves = [
        Curve("now" if not response.settings else "tried", response.times, response.cpu_rate, ink, dash)
        for response, (ink, dash) in zip(responses, inks, strict=False)
    ]
    first = responses[0]
    curves.append(Curve("allocated", first.times, first.allocated_share, "g2", DOTTED))
    return FigureSpec(
        name="step-response",
        title=f"{name} when {what}",
        y_axis=Axis("CPU rate", "%", 100.0),
        x_axis=Axis("time after the step", "s", 1.0, "s"),
        curves=tuple(curves),
        events=(EventMark(0.0, what),),
        quantity="cpu_rate",
    )


def step_sentence(response: Response) -> str:
    """`now: 50.0 to 25.0 %, settles after 2 min, overshoot 12 %`."""
    name = "now" if not response.settings else settings_words(response.settings)
    return f"{name}: {measure_words(response.measures)}"


def measure_words(found: Measures) -> str:
    """From where to where, when it is there, how far beyond it went."""
    way = f"{numbers.percent(found.before, unit=False)} to {numbers.percent(found.final)}"
    if abs(found.final - found.before) < _NO_STEP:
        return f"{way}, hardly changes in the end"
    if found.settling_s is None:
        settles = "does not settle in this time"
    else:
        settles = f"settles after {numbers.fixed(found.settling_s)} s"
    over = (
        f"overshoot {numbers.percent(found.overshoot, 0)} of the step" if found.overshoot else "no overshoot"
    )
    return f"{way}, {settles}, {over}"


def settings_words(settings: dict[str, Any]) -> str:
    """The settings that are tried, short."""
    said = []
    for key, value in settings.items():
        if key == "policy.half_life_s":
            said.append(f"half-life {in_words(value)}")
        elif key == "policy.k_mu":
            said.append(f"K_mu {', '.join(f'{gain:g}' for gain in value)}")
        else:
            said.append(f"{key} {value}")
    return ", ".join(said)
