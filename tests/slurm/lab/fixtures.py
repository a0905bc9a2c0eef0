"""Fixtures of the real cluster, for any test.

The tests of a module go to one process of pytest-xdist: its cluster comes up once.
FSCONSOLE_NEED_SLURM=1 makes an error of a cluster that cannot be: where one came up before the tests.
FSCONSOLE_NO_SLURM=1 has all of them skip: where none did.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.slurm.lab.demo_tree import plant
from tests.slurm.lab.lab import Lab


@pytest.fixture(scope="session")
def can_have_slurm() -> None:
    """Skip where no cluster can be brought up, with the reason."""
    if reason := Lab.missing():
        if os.environ.get("FSCONSOLE_NEED_SLURM"):
            pytest.fail(f"FSCONSOLE_NEED_SLURM is set, but {reason}", pytrace=False)
        pytest.skip(reason)


@pytest.fixture(scope="module")
def slurm_lab(can_have_slurm: None) -> Iterator[Lab]:
    """A real cluster with the accounts of demo_tree.py and no jobs, for the tests of one module.

    3 to 4 s until it is there. A test leaves behind what the next may find: shares as they were, no jobs
    (`cancel_all`), every daemon running.
    """
    with Lab() as lab:
        plant(lab)
        yield lab
