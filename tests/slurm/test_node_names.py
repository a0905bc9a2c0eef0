"""Names of nodes, put together as `scontrol show hostlist` of Slurm 22.05 does it."""

from __future__ import annotations

import pytest

from fsconsole.slurm.host_list import folded


@pytest.mark.parametrize(
    ("names", "short"),
    [
        ([], ""),
        (["n3"], "n3"),
        (["n1", "n2", "n4"], "n[1-2,4]"),
        (["n4", "n2", "n1", "n2"], "n[1-2,4]"),
        (["n08", "n09", "n10", "n11"], "n[08-09],n[10-11]"),
        (["rack1-n1", "rack1-n2", "rack2-n1"], "rack1-n[1-2],rack2-n1"),
        (["login", "n1"], "n1,login"),
    ],
)
def test_names_that_differ_in_their_number_stand_together(names: list[str], short: str) -> None:
    assert folded(names) == short
