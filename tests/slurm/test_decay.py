"""Usage decays as a real slurmctld logged it, and as the paper's equations say."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.decay import SlurmDecay, Spell, continuous_path, continuous_usage, decay_rate
from tests.texts import refuses, refuses_naming

LAB = SlurmDecay(half_life_s=600, period_s=60)  # the cluster that was measured


def test_factor_of_a_second_and_of_a_minute_are_those_of_the_log() -> None:
    assert LAB.factor == pytest.approx(0.998845, abs=1e-15)
    assert LAB.left(60) == pytest.approx(0.933009354810673, abs=1e-14)
    assert LAB.left(60) != pytest.approx(0.5**0.1, abs=1e-5)


@pytest.mark.parametrize(
    ("rate", "seconds", "logged"),
    [
        (1, 43, 40.915396),
        (1.5, 43, 61.373093),
        (4, 43, 163.661582),
        (1, 7, 6.943601),
        (4, 7, 27.774403),
        (2, 60, 111.961123),
    ],
)
def test_what_a_slice_adds_is_what_slurmctld_logged(rate: float, seconds: float, logged: float) -> None:
    assert LAB.added(rate, seconds) == pytest.approx(logged, abs=1e-6)


def test_one_logged_calculation_of_the_root(shared: Path) -> None:
    """Decay first, then what two jobs of two processors add."""
    log = (shared / "slurm-lab/captures/classic-worked/slurmctld-priority.log").read_text("utf-8")
    before = float(re.search(r"for account ops off root\(root\) [\d.]+ / ([\d.]+)", log)[1])  # type: ignore[index]
    after = [float(value) for value in re.findall(r"to assoc 1 .* raw usage is now ([\d.]+)\.", log)]
    decayed = before * LAB.left(60)
    jobs = LAB.added(2, 60)
    assert after == [pytest.approx(decayed + jobs, abs=2e-6), pytest.approx(decayed + 2 * jobs, abs=2e-6)]


@given(st.integers(1, 50), st.floats(0, 1e6), st.integers(0, 3000), st.integers(1, 3000))
def test_without_a_half_life_usage_stays_and_jobs_add_all_their_seconds(
    calculations: int, usage: float, start: int, length: int
) -> None:
    none, spell, at = SlurmDecay(math.inf, 60), Spell(2.0, start, start + length), np.array([calculations])
    assert none.decayed(usage, at) == pytest.approx(usage)
    assert none.steady_rate(usage) == 0
    end = np.array([math.ceil((start + length) / 60) + 1.0])
    assert none.of_spell(spell, end) == pytest.approx(2.0 * length)


def _plainly(decay: SlurmDecay, spell: Spell, calculations: int) -> list[float]:
    """Calculation by calculation: usage decays, running jobs add; an end adds its rest at once."""
    period, usage, found = decay.period_s, 0.0, [0.0]
    for number in range(1, calculations + 1):
        begin, end = (number - 1) * period, number * period
        ran = max(0.0, min(spell.end_s, end) - max(spell.start_s, begin))
        new = spell.rate * ran * decay.factor**ran
        if spell.end_s < end:  # it has ended before the calculation
            usage += new
            new = 0.0
        usage = usage * decay.factor**period + new
        found.append(usage)
    return found


@given(st.integers(0, 900), st.integers(1, 900), st.sampled_from([60, 600, 7200]), st.sampled_from([60, 300]))
def test_a_spell_adds_up_as_slurm_adds_it(start: int, length: int, half_life: int, period: int) -> None:
    decay, spell = SlurmDecay(half_life, period), Spell(3.0, start, start + length)
    found = decay.of_spell(spell, np.arange(41.0))
    np.testing.assert_allclose(found, _plainly(decay, spell, 40), rtol=1e-9, atol=1e-12)


def test_an_endless_spell_comes_to_where_it_stays() -> None:
    rate = LAB.steady_rate(1000.0)
    found = LAB.of_spell(Spell(rate), np.array([0.0, 10_000.0]))
    np.testing.assert_allclose(found, [0.0, 1000.0], rtol=1e-9)


@given(st.floats(0, 1e6), st.floats(0, 100), st.integers(0, 5000))
def test_steady_use_keeps_usage(usage: float, factor: float, number: int) -> None:
    at = np.array([float(number)])
    kept = LAB.decayed(usage, at) + LAB.of_spell(Spell(LAB.steady_rate(usage)), at)
    np.testing.assert_allclose(kept, usage, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        LAB.of_spell(Spell(factor), at), factor * LAB.of_spell(Spell(1.0), at), rtol=1e-9, atol=1e-12
    )


def test_short_periods_come_to_the_equation() -> None:
    """With a long half-life Slurm's calculations differ from equation 9 by its 0.693 and its slices alone."""
    decay, spell = SlurmDecay(7 * 86400, 60), Spell(28.0, 3600.0, 14 * 86400.0)
    days = np.arange(0, 30 * 1440, 720, dtype=np.float64)
    smooth = continuous_path(0.0, [spell], decay.half_life_s, days * 60)
    np.testing.assert_allclose(decay.of_spell(spell, days)[1:], smooth[1:], rtol=1e-3)


@given(st.floats(0, 1e5), st.floats(0, 100), st.floats(0.1, 100), st.floats(0, 500), st.floats(0, 500))
def test_equation_9_can_be_taken_in_two_steps(
    usage: float, rate: float, half_life: float, first: float, second: float
) -> None:
    at_once = continuous_usage(usage, rate, half_life, np.array([first + second]))
    between = float(continuous_usage(usage, rate, half_life, np.array([first]))[0])
    np.testing.assert_allclose(
        continuous_usage(between, rate, half_life, np.array([second])), at_once, rtol=1e-9, atol=1e-9
    )


def test_equation_9_halves_and_settles() -> None:
    np.testing.assert_allclose(continuous_usage(8.0, 0.0, 7.0, np.array([7.0, 21.0])), [4.0, 1.0])
    settled = continuous_usage(0.0, 28.0, 168.0, np.array([1e6]))
    np.testing.assert_allclose(settled, 28.0 / decay_rate(168.0))


@pytest.mark.parametrize("values", [(0.0, 60.0), (600.0, 1.0), (math.nan, 60.0), (600.0, math.inf)])
def test_times_that_slurm_cannot_have_are_refused(values: tuple[float, float]) -> None:
    with refuses(ValueError, "slurm.is-s-it-must-be"):
        SlurmDecay(*values)


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ((-1.0, 0.0, 1.0), "rate-is-it-must-be"),
        ((math.inf, 0.0, 1.0), "rate-is-it-must-be"),
        ((1.0, 2.0, 2.0), "use-from-s-to-s"),
        ((1.0, -1.0, 2.0), "use-from-s-to-s"),
    ],
)
def test_spells_that_cannot_be_are_refused(values: tuple[float, float, float], key: str) -> None:
    with refuses(ValueError, f"slurm.{key}"):
        Spell(*values)


def test_a_half_life_is_above_0() -> None:
    with refuses_naming(ValueError, "half-life"):
        decay_rate(0.0)
