from __future__ import annotations

import numpy as np
import pytest

from fsconsole.figures.spec import Axis, Curve, EventMark, Expected, FigureSpec, Provenance


@pytest.fixture
def spec() -> FigureSpec:
    """Two curves with an event, an expected value and a name that every format must quote."""
    times = np.arange(0.0, 600.0, 10.0)
    share = np.linspace(0.1, 1 / 3, len(times))
    share[3] = np.nan
    return FigureSpec(
        name="two-users",
        title='CPU rate of "u1" & <u2>',
        y_axis=Axis("CPU rate", "%", 100.0, "fraction"),
        curves=(
            Curve("u1", times, share, "c2", path='root/g,"1"/u1'),
            Curve("u2", times, 1 - share, "c6", (5, 2), path="root/g2/u2"),
        ),
        caption="Zwei Nutzer, größer.",
        quantity="cpu_rate",
        events=(EventMark(300.0, "u2 logs in"), EventMark(5000.0, "much later")),
        expected=(Expected(590.0, 1 / 3),),
        provenance=Provenance("Two users", "0123456789ab", 7, {"policy.name": "share"}, remarks=("ours",)),
    )
