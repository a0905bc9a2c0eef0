"""Fixtures of the fake tools, for any test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.slurm.fake.fake_slurm import FakeSlurm


@pytest.fixture
def fake_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    """Put fake tools first on this process's PATH; a test sets what they say."""
    fake = FakeSlurm(tmp_path)
    for name in ("PATH", "FSCONSOLE_FAKE_SLURM"):
        monkeypatch.setenv(name, fake.environment[name])
    monkeypatch.delenv("SLURM_CONF", raising=False)
    return fake
