from __future__ import annotations

import pytest

from tests.kept import KEPT, Kept

_FEWEST = 9000  # Tests of a run that is not of some folders alone.


def test_most_tests_of_every_folder_run_in_make_test(pytestconfig: pytest.Config) -> None:
    kept = pytestconfig.stash[KEPT]
    if sum(kept.every.values()) < _FEWEST:
        pytest.skip("not all tests were collected")
    assert dict(kept.faults()) == {}


@pytest.mark.parametrize(
    ("kept", "faults"),
    [
        ({"tests/a": 90, "tests/b": 10}, {}),
        ({"tests/a": 93, "tests/b": 6}, {"tests/b": 0.6}),
        ({"tests/a": 100}, {"tests/b": 0.0}),
        ({"tests/a": 80, "tests/b": 10}, {".": 90 / 110}),
    ],
)
def test_folders_that_keep_too_few_are_named(kept: dict[str, int], faults: dict[str, float]) -> None:
    assert dict(Kept({"tests/a": 100, "tests/b": 10}, kept).faults()) == faults
