"""Common base of what stores its curves in a live series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsconsole.recording.series import TieredSeries
from fsconsole.shares.flat import Floats

_ANY = "cpu_rate"  # All quantities of a series have the same times, so any of them will do.


class SeriesTarget:
    """Answers for curves, as `base.Target` demands, from `series`.

    Attributes:
        series: what was sampled, of all nodes.
    """

    series: TieredSeries

    def times(self, start_s: float, end_s: float, points: int | None = None) -> Floats:
        """Return times of the finest samples still held, or of all buckets, s [k]."""
        if points is None:
            return self.series.sample_times(start_s, end_s)
        return self.series.curves(_ANY, (), start_s, end_s, points)[0]

    def span_at(self, time_s: float) -> tuple[float, float]:
        """Return one time, or those of a bucket of merged samples."""
        return self.series.span_at(time_s)

    def keep(self, times: Iterable[float]) -> None:
        """Keep the values at these times."""
        self.series.keep(times)

    def revision(self, _quantity: str) -> int:
        """Return a number that grows with each sample."""
        return self.series.revision

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times; NaN for unknown ones."""
        return self.series.curves(quantity, nodes, start_s, end_s, points)

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest values over nodes, [k] each; NaN if no node has a value."""
        return self.series.band(quantity, nodes, start_s, end_s, points)
