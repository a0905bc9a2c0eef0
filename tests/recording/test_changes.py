"""Samples as changes: every value comes back, whatever its prediction; what a kill cut off is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fsconsole.recording.change_series import ChangeSeries
from fsconsole.recording.changes import ChangeEncoder, append_block, blocks_of, read_stretch
from fsconsole.recording.run_format import changes_name
from tests.laws import tries
from tests.texts import wording

QUANTITIES: dict[str, dict[str, Any]] = {
    "raw": {"unit": "s", "step": 1.0, "predict": "decay"},
    "part": {"unit": "", "step": 1e-6, "predict": "above", "of": "raw"},
    "all": {"unit": "", "step": 1e-6, "predict": "top", "of": "raw"},
    "by": {"unit": "computed", "quotient": ["all", "part"]},
    "jobs": {"unit": "jobs", "step": 1.0},
}
ABOVE = np.array([0, 0, 1, 1, 0])
IDS = np.array([0, 7, 3, 40, 5])
_VALUES = st.floats(0, 1e9) | st.just(np.nan)


def _columns(values: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(("raw", "part", "all", "jobs"), values, strict=True))


@tries(60)
@given(arrays(np.float64, (3, 4, 5), elements=_VALUES))
def test_all_values_come_back(tmp_path_factory: pytest.TempPathFactory, samples: np.ndarray) -> None:
    path = tmp_path_factory.mktemp("changes") / changes_name(1)
    encoder = ChangeEncoder(QUANTITIES)
    for at, values in enumerate(samples):
        append_block(path, encoder.block(60.0 * at, IDS, ABOVE, _columns(values)))
    blocks = blocks_of(path)
    assert [block.is_whole for block in blocks] == [True, False, False]
    found = read_stretch(blocks, QUANTITIES, ("raw", "part", "all", "jobs"))
    assert found.ids.tolist() == IDS.tolist()
    for place, name in enumerate(("raw", "part", "all", "jobs")):
        step = QUANTITIES[name]["step"]
        expected = np.rint(samples[:, place].T / step) * step
        assert np.array_equal(found.columns[name], expected.astype(np.float32), equal_nan=True)


def _folder(tmp_path: Path, count: int = 6, *, split: int = 3) -> tuple[Path, np.ndarray]:
    values = np.arange(count * 20, dtype=float).reshape(count, 4, 5) * 1e3 + 1e4
    encoder = ChangeEncoder(QUANTITIES)
    for at in range(count):
        if at % split == 0:
            encoder.forget()
        block = encoder.block(300.0 * at, IDS, ABOVE, _columns(values[at]))
        append_block(tmp_path / changes_name(1 + at // split), block)
    return tmp_path, values


def test_curves_go_over_files_and_quotients_are_computed(tmp_path: Path) -> None:
    folder, values = _folder(tmp_path)
    series = ChangeSeries(folder, QUANTITIES)
    times, curves = series.curves("raw", (40, 99, 0), 300.0, 1200.0, 100)
    assert times.tolist() == [300.0, 600.0, 900.0, 1200.0, 1500.0]
    assert np.array_equal(curves[0], values[1:, 0, 3])
    assert np.isnan(curves[1]).all()
    assert np.array_equal(series.values_at("raw", (7, 0), 650.0), values[2, 0, [1, 0]])
    _, by = series.curves("by", (7,), 0.0, 0.0, 100)
    assert by[0, 0] == pytest.approx(values[0, 2, 1] / values[0, 1, 1], rel=1e-6)
    _, low, high = series.band("raw", IDS.tolist(), 0.0, 1500.0, 100)
    assert np.array_equal(low, values[:, 0].min(axis=1))
    assert np.array_equal(high, values[:, 0].max(axis=1))


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_block_that_was_cut_off_is_left_out(tmp_path: Path, cut: int) -> None:
    folder, _ = _folder(tmp_path)
    path = folder / changes_name(2)
    path.write_bytes(path.read_bytes()[:-cut])
    series = ChangeSeries(folder, QUANTITIES)
    assert series.span_s == (0.0, 1200.0)
    assert series.gaps == ()


def test_damage_is_a_gap_up_to_the_next_whole_block(tmp_path: Path) -> None:
    folder, values = _folder(tmp_path)
    path = folder / changes_name(1)
    data = bytearray(path.read_bytes())
    data[blocks_of(path)[1].start + 60] ^= 0xFF
    path.write_bytes(bytes(data))
    series = ChangeSeries(folder, QUANTITIES)
    assert [gap.why for gap in series.gaps] == [wording("recording.is-damaged", name="changes-000001.bin")]
    assert series.sample_times(0.0, 2000.0).tolist() == [0.0, 900.0, 1200.0, 1500.0]
    assert np.isnan(series.values_at("raw", (7,), 600.0)).all()
    assert series.values_at("raw", (7,), 900.0)[0] == values[3, 0, 1]


def test_what_is_added_is_seen(tmp_path: Path) -> None:
    folder, values = _folder(tmp_path, 2)
    series = ChangeSeries(folder, QUANTITIES)
    before = series.revision
    series.look()
    assert series.revision == before
    _folder(tmp_path / ".", 0)
    encoder = ChangeEncoder(QUANTITIES)
    append_block(folder / changes_name(2), encoder.block(900.0, IDS, ABOVE, _columns(values[0])))
    assert series.look() > before
    assert series.span_s == (0.0, 900.0)
