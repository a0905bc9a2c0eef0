"""Samples on disk: curves of any span from few files, and gaps where something is missing."""

from __future__ import annotations

import resource
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fsconsole.recording import run_format as form
from fsconsole.recording import run_index, run_series, sample_writer
from fsconsole.recording.chunk import Chunk, ChunkError, read_parquet, to_block
from fsconsole.recording.run_cut import refill_tiers
from fsconsole.recording.run_index import Span, read_index, read_span
from fsconsole.recording.run_series import RunSeries
from fsconsole.recording.sample_writer import SampleWriter, write_chunk
from tests.texts import refuses, refuses_naming, says, wording

# What somebody else than a machine samples, such as a cluster's memory and load.
QUANTITIES = {"memory": {"unit": "GB"}, "load": {"unit": "CPUs", "where": "memory"}}
IDS = np.array([0, 3, 7])


def values(time_s: float, nodes: int = 3) -> dict[str, np.ndarray]:
    base = np.arange(nodes) * 100.0
    return {"memory": base + time_s % 97, "load": base - time_s % 31}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """5,000 samples in chunks of 64 and tiers of 32."""
    monkeypatch.setattr(sample_writer, "CHUNK_ROWS", 3 * 64)
    monkeypatch.setattr(sample_writer, "TIER_ROWS", 3 * 32)
    writer, paths = SampleWriter(tmp_path, QUANTITIES), ["root", "root/a", "root/b"]
    for time_s in range(5000):
        writer.append(float(time_s), IDS, paths, values(time_s))
    writer.close()
    return tmp_path


@pytest.fixture
def files_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    read: list[str] = []

    def note(path: Path, span: Span, names: list[str]) -> Chunk:
        read.append(span.name)
        return read_span(path, span, names)

    monkeypatch.setattr(run_series, "read_span", note)
    return read


@pytest.mark.parametrize("points", [10, 100, 1000, 10_000])
@pytest.mark.parametrize("span", [(0, 4999), (1000, 1100), (2500, 4500), (4990, 9000), (-50, 20)])
def test_curves_keep_all_peaks_and_no_value_is_invented(
    folder: Path, files_read: list[str], span: tuple[int, int], points: int
) -> None:
    series = RunSeries(folder, QUANTITIES)
    times, curves = series.curves("memory", (7, 0), *span, points)
    inside = [t for t in range(5000) if span[0] <= t <= span[1]]
    assert len(times) <= 2 * points + 4 or len(times) <= len(inside) + 2
    assert np.all(np.diff(times) >= 0)
    true = np.array([values(t)["memory"][[2, 0]] for t in inside]).T
    # A bucket at each end may reach beyond.
    around = [t for t in range(5000) if times[0] <= t <= max(times[-1] + 5000 / points + 64, span[1])]
    outer = np.array([values(t)["memory"][[2, 0]] for t in around]).T
    assert np.all(curves.min(axis=1) <= true.min(axis=1))
    assert np.all(curves.max(axis=1) >= true.max(axis=1))
    assert np.all(curves.min(axis=1) >= outer.min(axis=1))
    assert np.all(curves.max(axis=1) <= outer.max(axis=1))
    assert len(files_read) <= 2 + points / 8


def test_values_are_those_of_the_newest_sample(folder: Path) -> None:
    series = RunSeries(folder, QUANTITIES)
    for time_s in (0.0, 63.0, 63.5, 64.0, 4321.9, 4999.0, 1e9):
        expected = values(min(int(time_s), 4999))["memory"][[1, 2]]
        assert series.values_at("memory", (3, 7), time_s).tolist() == expected.tolist()
    assert np.isnan(series.values_at("memory", (3, 99), -1.0)).all()
    assert np.isnan(series.values_at("memory", (99,), 5.0)).all()
    assert series.span_s == (0.0, 4999.0)
    assert series.sample_times(100.0, 103.0).tolist() == [100.0, 101.0, 102.0, 103.0]


def test_a_value_that_means_nothing_is_not_drawn(folder: Path) -> None:
    """Node 0 has no memory at 0, 97, 194 ... s: its load is unknown then, in every tier."""
    series = RunSeries(folder, QUANTITIES)
    assert np.isnan(series.values_at("load", (0,), 97.0)).all()
    assert not np.isnan(series.values_at("load", (0,), 98.0)).any()
    assert np.nanmin(series.curves("load", (0,), 0.0, 4999.0, 10)[1]) == -30.0
    assert np.isnan(series.curves("load", (0,), 0.0, 4999.0, 10_000)[1][0, [0, 97, 194]]).all()


def test_a_missing_chunk_is_a_gap_in_every_tier(folder: Path) -> None:
    (folder / form.chunk_name(11)).unlink()  # 640 to 703 s
    series = RunSeries(folder, QUANTITIES)
    (gap,) = series.gaps
    assert (gap.start_s, gap.end_s, gap.why) == (
        640.0,
        704.0,
        wording("recording.is-missing", first="samples-000011.parquet"),
    )
    assert np.isnan(series.values_at("memory", (3,), 650.0)).all()
    assert series.values_at("memory", (3,), 639.0) == [639 % 97 + 100]
    for points in (100, 10_000):
        times, curves = series.curves("memory", (3,), 0.0, 4999.0, points)
        assert np.isnan(curves[0, times == 640]).any()  # a bucket may be drawn up to there
        inside = (times > 640) & (times < 704)
        assert np.isnan(curves[0, inside]).all()
        assert not np.isnan(curves[0, (times < 640) | (times >= 704)]).any()


@pytest.mark.parametrize("cut", [0, 100])
def test_a_damaged_chunk_is_a_gap_once_it_is_read(folder: Path, cut: int) -> None:
    chunk = folder / form.chunk_name(11)
    chunk.write_bytes(chunk.read_bytes()[:cut])
    series = RunSeries(folder, QUANTITIES)
    before = series.revision
    assert np.isnan(series.values_at("memory", (3,), 650.0)).all()
    assert series.revision > before
    (gap,) = series.gaps
    assert (gap.start_s, gap.end_s) == (640.0, 704.0)
    assert says(gap.why, "recording.is-damaged", name="samples-000011.parquet")


def test_coarse_files_that_are_gone_are_made_up_for_by_finer_ones(folder: Path) -> None:
    whole = RunSeries(folder, QUANTITIES).curves("memory", (3,), 0.0, 4999.0, 20)
    for path in [*folder.glob("tier1-*2.parquet"), *folder.glob("tier2-*.parquet")]:
        path.unlink()
    times, curves = RunSeries(folder, QUANTITIES).curves("memory", (3,), 0.0, 4999.0, 20)
    assert (curves.min(), curves.max()) == (whole[1].min(), whole[1].max())
    assert times[-1] > 4500


@pytest.mark.parametrize("lost", ["all", "half a line"])
def test_an_index_that_is_gone_is_made_again_from_the_chunks(folder: Path, lost: str) -> None:
    before, place = read_index(folder), folder / form.INDEX
    if lost == "all":
        place.unlink()
    else:
        place.write_bytes(place.read_bytes()[:-9])
    assert read_index(folder) == before


def test_a_gap_between_chunks_without_index_is_reported_by_those_beside_it(folder: Path) -> None:
    (folder / form.INDEX).unlink()
    for number in (11, 12):
        (folder / form.chunk_name(number)).unlink()
    (gap,) = read_index(folder).gaps
    assert gap.start_s == run_index.after_s(639.0)
    assert gap.end_s == 768.0
    assert gap.why == wording(
        "recording.to-are-missing", first="samples-000011.parquet", last="samples-000012.parquet"
    )


def test_a_chunk_of_a_huge_number_is_no_reason_to_count_up_to_it(folder: Path) -> None:
    last = max(folder.glob("samples-*.parquet"))
    last.rename(folder / form.chunk_name(10**12))
    (gap,) = read_index(folder).gaps
    assert gap.why.endswith(
        wording("recording.to-are-missing", first="", last="samples-999999999999.parquet")
    )


def test_who_samples_says_where_nothing_could_be_read(tmp_path: Path) -> None:
    writer = SampleWriter(tmp_path, QUANTITIES)
    for time_s in (0.0, 60.0, 600.0, 660.0):
        if time_s == 600.0:
            writer.gap(120.0, 600.0, "slurmctld did not respond")
        writer.append(time_s, IDS, ["root", "a", "b"], values(time_s))
    writer.close()
    series = RunSeries(tmp_path, QUANTITIES)
    assert [gap.why for gap in series.gaps] == ["slurmctld did not respond"]
    times, curves = series.curves("memory", (3,), 0.0, 700.0, 100)
    assert times.tolist() == [0.0, 60.0, 120.0, 600.0, 660.0]
    assert np.isnan(curves[0]).tolist() == [False, False, True, False, False]


def test_a_run_that_is_being_written_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_writer, "CHUNK_ROWS", 3 * 64)
    writer, paths = SampleWriter(tmp_path, QUANTITIES), ["root", "a", "b"]
    series = RunSeries(tmp_path, QUANTITIES)
    assert series.span_s == (0.0, 0.0)
    for time_s in range(300):
        writer.append(float(time_s), IDS, paths, values(time_s))
        if time_s % 50 == 49:
            writer.flush()
            writer._background.drain()
            before = series.revision
            assert series.look() > before
            assert series.look() == series.revision
            assert series.span_s == (0.0, float(time_s))
            times, curves = series.curves("memory", (3,), 0.0, 1e9, 10_000)
            assert times.tolist() == list(range(time_s + 1))
            assert curves[0].tolist() == [t % 97 + 100 for t in range(time_s + 1)]
    writer.close()


def test_nodes_that_come_and_go_have_values_only_then(tmp_path: Path) -> None:
    writer = SampleWriter(tmp_path, QUANTITIES)
    for time_s in range(40):
        ids = IDS if time_s < 20 else np.array([0, 3, 7, 9])
        writer.append(float(time_s), ids, [str(node) for node in ids], values(time_s, len(ids)))
    writer.close()
    series = RunSeries(tmp_path, QUANTITIES)
    for points in (4, 100):
        times, curves = series.curves("memory", (9,), 0.0, 40.0, points)
        assert np.isnan(curves[0, times < 16]).all()
        assert not np.isnan(curves[0, times >= 20]).any()


@pytest.fixture
def small_files() -> Iterator[Callable[[int], None]]:
    """Let no file become larger than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_cannot_grow_says_so_at_the_next_sample(
    tmp_path: Path, small_files: Callable[[int], None]
) -> None:
    writer = SampleWriter(tmp_path, QUANTITIES)
    writer.append(0.0, IDS, ["root", "a", "b"], values(0.0))
    writer._background.drain()
    small_files(100)
    writer.flush()
    with pytest.raises(OSError, match="File too large"):
        writer._background.drain()
    writer._background.close()


def test_what_is_kept_in_memory_stays_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_series, "CACHE_BYTES", 50_000)
    series = RunSeries(folder, QUANTITIES)
    for start in range(0, 5000, 50):
        series.curves("memory", (0, 3, 7), start, start + 50, 1000)
    assert sum(run_series._size_of(chunk) for chunk in series._cache.values()) == series._size <= 50_000


def test_a_chunk_that_unpacks_to_other_values_is_a_gap(folder: Path) -> None:
    place = folder / form.chunk_name(11)
    chunk = read_parquet(place, ("memory", "load"))
    frame = pl.read_parquet(place)
    assert frame["memory"][0] == chunk.columns["memory"][0, 0]
    metadata = pl.read_parquet_metadata(place)
    other = frame.with_columns(pl.when(pl.col("time_s") == 650).then(7.0).otherwise("memory").alias("memory"))
    other.write_parquet(place, metadata={name: metadata[name] for name in metadata if "ARROW" not in name})
    series = RunSeries(folder, QUANTITIES)
    assert not np.isfinite(series.values_at("memory", (3,), 650.0)).any()
    assert [gap.why for gap in series.gaps] == [
        wording("recording.is-damaged-differs-from-its", path=place, damaged="memory")
    ]


@pytest.mark.parametrize("other", [form.chunk_name(12), form.chunk_name(2, tier=1)])
def test_a_chunk_in_the_place_of_another_is_a_gap(folder: Path, other: str) -> None:
    (folder / form.chunk_name(11)).write_bytes((folder / other).read_bytes())
    series = RunSeries(folder, QUANTITIES)
    assert not np.isfinite(series.values_at("memory", (3,), 650.0)).any()
    assert [(gap.start_s, gap.end_s) for gap in series.gaps] == [(640.0, 704.0)]


@pytest.mark.parametrize("odd", ["1e999", "NaN", "-1e999", "null", '"x"', "1e30"])
def test_a_damaged_line_of_the_index_is_passed_over(folder: Path, odd: str) -> None:
    before, place = read_index(folder), folder / form.INDEX
    gap = f'{{"gap": "no answer", "first_s": {odd}, "last_s": 7}}'
    span = f'{{"tier": {odd}, "number": 1, "first_s": 0.0, "last_s": 1.0, "count": 3, "nodes": 3}}'
    place.write_text(f"{place.read_text()}{gap}\n{span}\n")
    assert read_index(folder) == before


def test_a_flipped_byte_at_which_the_library_panics_is_a_damaged_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("assertion failed: offset + length <= self.length")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with refuses(
        ChunkError, "recording.is-damaged-2", path="samples-000001.parquet", error="assertion failed"
    ):
        read_parquet(folder / form.chunk_name(1), ("memory",))


def test_check_sums_hold_for_every_kind_of_value(tmp_path: Path) -> None:
    odd = np.array([[0.0, -0.0, np.nan, np.inf], [-np.inf, 5e-324, -np.nan, 1e308]])
    times = np.arange(4.0)
    write_chunk(tmp_path, 1, 0, Chunk(times, times, np.array([1, 2]), {"x": odd}), ["root/é", "root/\n"])
    read = read_parquet(tmp_path / form.chunk_name(1), ("x",))
    np.testing.assert_array_equal(read.columns["x"].view(np.int64), odd.view(np.int64))


def test_a_quantity_that_the_run_has_not_is_no_damage(folder: Path) -> None:
    series = RunSeries(folder, QUANTITIES)
    assert np.isnan(series.values_at("level_fs", (7,), 10.0)).all()
    assert not series.gaps
    assert series.values_at("memory", (7,), 10.0).tolist() == [values(10.0)["memory"][2]]


@pytest.fixture
def tail(tmp_path: Path) -> Iterator[tuple[SampleWriter, Path]]:
    """60 samples in a tail of 6 blocks."""
    writer, paths = SampleWriter(tmp_path, QUANTITIES), ["root", "root/a", "root/b"]
    for time_s in range(60):
        writer.append(float(time_s), IDS, paths, values(time_s))
        if time_s % 10 == 9:
            writer.flush()
    writer._background.drain()
    yield writer, tmp_path / form.tail_name(1)
    writer._background.close()


def damage(place: Path, at: int) -> None:
    data = bytearray(place.read_bytes())
    data[at] ^= 0xFF
    place.write_bytes(data)


def known_at(series: RunSeries, *times_s: float) -> list[bool]:
    return [bool(np.isfinite(series.values_at("memory", (0,), at))[0]) for at in times_s]


def test_a_damaged_block_of_a_tail_is_a_gap_and_not_the_end(tail: tuple[SampleWriter, Path]) -> None:
    _, place = tail
    damage(place, place.stat().st_size // 2 - 100)
    series = RunSeries(place.parent, QUANTITIES)
    assert series.span_s == (0.0, 59.0)
    (gap,) = series.gaps
    assert (round(gap.start_s), gap.end_s, gap.why) == (
        19,
        30.0,
        wording("recording.is-damaged", name="tail-000001.bin"),
    )
    assert known_at(series, 19.0, 25.0, 30.0) == [True, False, True]


@pytest.mark.parametrize("blocks", [1, 2])
def test_damage_in_the_last_blocks_of_a_tail_is_a_gap_until_the_chunk_is_written(
    tail: tuple[SampleWriter, Path], blocks: int
) -> None:
    writer, place = tail
    for number in range(1, blocks + 1):
        damage(place, place.stat().st_size * (6 - number) // 6 + 200)
    series = RunSeries(place.parent, QUANTITIES)
    last_s = 59.0 - 10 * blocks
    assert series.span_s == (0.0, last_s)
    (gap,) = series.gaps
    assert (gap.start_s, gap.end_s) == (run_index.after_s(last_s), run_index.after_s(59.0))
    assert known_at(series, last_s, last_s + 5, 59.0) == [True, False, False]
    for time_s in range(60, 70):
        writer.append(float(time_s), IDS, ["root", "root/a", "root/b"], values(time_s))
    writer.flush()
    writer._background.drain()
    series.look()
    assert [(round(gap.start_s), gap.end_s) for gap in series.gaps] == [(round(last_s), 60.0)]
    assert known_at(series, last_s, last_s + 5, 60.0) == [True, False, True]
    writer.close()
    series.look()
    assert (series.gaps, known_at(series, last_s + 5)) == ((), [True])


@pytest.mark.parametrize("bad", [24, 24 + 9 * 8])
def test_where_times_are_damaged_too_the_gap_has_only_a_beginning(
    tail: tuple[SampleWriter, Path], bad: int
) -> None:
    _, place = tail
    body = place.stat().st_size * 5 // 6 + 16
    damage(place, body + bad + 7)  # its highest byte: the sign, and most of the exponent
    (gap,) = RunSeries(place.parent, QUANTITIES).gaps
    assert gap.start_s == gap.end_s == run_index.after_s(49.0)


@pytest.mark.parametrize("lost", [1, 500, 10_000])
def test_what_a_kill_cut_off_a_tail_is_no_gap(tail: tuple[SampleWriter, Path], lost: int) -> None:
    _, place = tail
    data = place.read_bytes()
    lost = min(lost, len(data) // 6 - 1)
    place.write_bytes(data[:-lost])
    series = RunSeries(place.parent, QUANTITIES)
    assert (series.span_s, series.gaps) == ((0.0, 49.0), ())


@pytest.mark.parametrize("has_chunk", [True, False])
def test_a_tail_that_a_kill_left_behind_loses_to_later_chunks(folder: Path, *, has_chunk: bool) -> None:
    block = to_block(np.array([640.0, 641.0]), IDS, np.full((2, 3, 2), -5.0))
    (folder / form.tail_name(11)).write_bytes(block)
    if not has_chunk:
        (folder / form.chunk_name(11)).unlink()
    series = RunSeries(folder, QUANTITIES)
    assert series.span_s == (0.0, 4999.0)
    for time_s in (700.0, 4321.0):
        expected = values(time_s)["memory"][1:2] if has_chunk or time_s > 704 else [np.nan]
        np.testing.assert_array_equal(series.values_at("memory", (3,), time_s), expected)
    assert series.curves("memory", (3,), 0.0, 4999.0, 10_000)[0].tolist() == sorted(
        {*range(5000)} - ({*range(641, 704)} if not has_chunk else set())
    )


def _wait_for(event: threading.Event) -> None:
    event.wait(60)


def test_what_is_queued_behind_a_chunk_that_failed_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    go_on = threading.Event()
    writer, paths = SampleWriter(tmp_path, QUANTITIES), ["root", "root/a", "root/b"]
    monkeypatch.setattr(sample_writer, "write_chunk", fail)
    writer._background.submit(partial(_wait_for, go_on))
    for time_s in range(20):
        writer.append(float(time_s), IDS, paths, values(time_s))
        if time_s in (9, 14):
            writer._seal()
    writer.flush()
    go_on.set()
    with refuses_naming(OSError, "No space"):
        writer.close()
    assert not list(tmp_path.iterdir())


def test_tiers_that_a_kill_interrupted_are_filled_in_order_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill before the last chunk of the first tier: filling that spills into the second, which has none."""
    monkeypatch.setattr(sample_writer, "CHUNK_ROWS", 3 * 32)
    monkeypatch.setattr(sample_writer, "TIER_ROWS", 3 * 16)
    writer = SampleWriter(tmp_path, QUANTITIES)
    for at in range(28 * 32):
        writer.append(float(at), IDS, ["root", "root/a", "root/b"], values(at))
    writer._background.drain()
    writer._background.close()
    (tmp_path / form.chunk_name(7, tier=1)).unlink()
    again = SampleWriter(tmp_path, QUANTITIES, 29)
    refill_tiers(tmp_path, again, QUANTITIES)
    again.close()
    coarse = read_parquet(tmp_path / form.chunk_name(1, tier=2), ("memory.low",))
    assert coarse.times.tolist() == [64.0 * bucket for bucket in range(14)]
