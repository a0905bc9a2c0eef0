"""Fixtures of studies, for any test."""

from __future__ import annotations

import pytest

from fsconsole.batch.study import executors
from tests.batch.study.small import HereWorkers


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> type[executors.LocalExecutor]:
    """Let this process compute what workers of studies and searches would: each takes a second to start.

    It is the executor with workers, for a test that wants them after all.
    """
    with_workers = executors.LocalExecutor
    monkeypatch.setattr(executors, "LocalExecutor", HereWorkers)
    return with_workers
