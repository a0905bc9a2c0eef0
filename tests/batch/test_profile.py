"""Free nodes over time, second by second."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.profile import Profile

_NOW = 10
_CHANGES = st.lists(st.tuples(st.integers(_NOW + 1, 30), st.integers(-4, 4)), max_size=8)


@given(free=st.integers(0, 8), changes=_CHANGES, nodes=st.integers(1, 8), runtime=st.integers(1, 15))
def test_short_and_first_fit_are_those_of_counting_seconds(
    free: int, changes: list[tuple[int, int]], nodes: int, runtime: int
) -> None:
    free_at = {
        second: free + sum(change for at, change in changes if at <= second) for second in range(_NOW, 60)
    }
    profile = Profile(_NOW, free, changes)
    lacking = [second for second in range(_NOW, _NOW + runtime) if free_at[second] < nodes]
    assert profile.short(nodes, runtime) == ((lacking[0], free_at[lacking[0]]) if lacking else None)
    fits = [
        since
        for since in range(_NOW, 60 - runtime + 1)
        if all(free_at[second] >= nodes for second in range(since, since + runtime))
    ]
    assert profile.first_fit(nodes, runtime) == (fits[0] if fits else None)


def test_a_job_may_end_in_the_second_in_which_nodes_are_taken() -> None:
    profile = Profile(0, 4, [(10, -4), (20, 4)])
    assert profile.short(4, 10) is None
    assert profile.short(4, 11) == (10, 0)
    assert (profile.first_fit(4, 10), profile.first_fit(4, 11), profile.first_fit(5, 1)) == (0, 20, None)
