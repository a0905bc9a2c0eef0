"""One user over time, as Figure 3 of the paper has it."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.slurm.damping import controlled
from fsconsole.slurm.decay import WEEK_S, Spell
from tests.texts import refuses


def test_figure_3_by_its_equations() -> None:
    """The printed c(t): 28, 56, 84 and 28 cores; fairshare halves every 10 000 hours."""
    spans = ((28, 0, 2), (56, 2.5, 4), (84, 4, 5), (28, 5, 6.5))
    jobs = [Spell(cores, start * WEEK_S, end * WEEK_S) for cores, start, end in spans]
    found = controlled(0.0, jobs, 10_000.0, 8 * WEEK_S)
    for week, expected in ((2, 0.703), (2.5, 0.779), (4, 0.498), (5, 0.349), (6.5, 0.508)):
        (place,) = np.flatnonzero(found.times_s == week * WEEK_S)
        assert found.fairshare[place] == pytest.approx(expected, abs=5e-4)
    assert found.fairshare.min() == pytest.approx(0.349, abs=5e-4)


def test_usage_halves_and_fairshare_recovers() -> None:
    found = controlled(20_000.0, (), 10_000.0, 2 * WEEK_S, points=3)
    np.testing.assert_allclose(found.usage_h, [20_000, 10_000, 5_000])
    np.testing.assert_allclose(found.fairshare, [0.25, 0.5, 0.5**0.5])


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ((-1.0, 1.0, 1.0), "h-of-usage-until-s"),
        ((1.0, 0.0, 1.0), "target-is-h-it-must"),
        ((1.0, 1.0, 0.0), "h-of-usage-until-s"),
        ((1.0, 1.0, np.inf), "h-of-usage-until-s"),
    ],
)
def test_what_cannot_be_is_refused(values: tuple[float, float, float], key: str) -> None:
    usage, target, until = values
    with refuses(ValueError, f"slurm.{key}"):
        controlled(usage, (), target, until)
