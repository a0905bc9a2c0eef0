"""The control groups of a machine are examined without a tree file."""

from __future__ import annotations

from pathlib import Path

from fsconsole.app.doctor.control_groups import of_control_groups
from fsconsole.app.doctor.examine import examine
from tests.linux.control_groups import fill, v2
from tests.texts import says


def test_a_limit_below_the_share_and_a_missing_controller_are_found(tmp_path: Path) -> None:
    top = tmp_path / "cgroup"
    hierarchy = v2(top, cgroup__subtree_control="cpu")
    for name in ("alone", "alone/a", "alone/b"):  # weights are compared inside of the one that is alone
        fill(top / name)
    assert examine(of_control_groups(hierarchy, sys=tmp_path / "sys", cpus=4)) == []
    (top / "alone" / "a" / "cpu.max").write_text("50000 100000\n")  # half a CPU; its share is two
    (found,) = examine(of_control_groups(hierarchy, sys=tmp_path / "sys", cpus=4))
    assert found.rule.id == "cpu-max-below-share"
    assert says(found.hit.evidence, "linux.allows-cpus-less-than-of", limit="0.50", shares="2.00")
    (top / "alone" / "b" / "cpu.weight").unlink()
    names = [one.rule.id for one in examine(of_control_groups(hierarchy, sys=tmp_path / "sys", cpus=4))]
    assert names == ["controller-off", "cpu-max-below-share"]


def test_an_idle_group_takes_no_share_from_those_beside_it(tmp_path: Path) -> None:
    top = tmp_path / "cgroup"
    hierarchy = v2(top, cgroup__subtree_control="cpu")
    for name in ("a", "b"):
        fill(top / name)
    (top / "b" / "cpu.idle").write_text("1\n")
    (top / "b" / "cpu.weight").write_text("0\n")  # what the kernel shows then
    (top / "b" / "cpu.max").write_text("10000 100000\n")  # a tenth of a CPU, and it has no share of more
    assert not [
        one
        for one in examine(of_control_groups(hierarchy, sys=tmp_path / "sys", cpus=4))
        if one.rule.id == "cpu-max-below-share"
    ]
    (top / "a" / "cpu.max").write_text("300000 100000\n")
    found = examine(of_control_groups(hierarchy, sys=tmp_path / "sys", cpus=4))
    assert says(
        str([one.hit.evidence for one in found]),
        "linux.allows-cpus-less-than-of",
        limit="3.00",
        shares="4.00",
    )
