"""How many examples hypothesis tries of a law: a fifth in `make test`, all in `make test-all`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

_WHOLE, _QUICK, _FEWEST = 100, 20, 5
# numba compiles inside the first example, so no deadline; the same examples in every run.
_HOUSE = settings(deadline=None, derandomize=True, print_blob=True)
settings.register_profile("quick", _HOUSE, max_examples=_QUICK)
settings.register_profile("whole", _HOUSE, max_examples=_WHOLE)


def tries(number: int, **others: Any) -> settings:
    """Return settings for a law of which `make test-all` tries so many examples."""
    share = settings().max_examples / _WHOLE
    return settings(max_examples=min(number, max(_FEWEST, round(number * share))), **others)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile before any module of tests is imported, whose laws are made then."""
    settings.load_profile("whole" if config.getoption("whole") else "quick")
