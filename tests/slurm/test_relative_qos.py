"""Relative QOS: percent as amounts, as slurmctld 24.11.5 had them in force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.cluster.limit_facts import limit_facts
from fsconsole.slurm.limits import Limit, limit_named
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.assoc_mgr import read_assoc_mgr
from fsconsole.slurm.parsers.qos import Qos, read_qos
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.relative_qos import (
    Bound,
    bound_of,
    bounds_of,
    is_relative,
    least_percent,
    limit_words,
    share_of,
    with_totals,
)
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS
from tests.app.doctor.faults import CAPTURES, copy_of, site_of, text

DATA = CAPTURES / "relative"


def _read(folder: Path = DATA, *, cluster_tres: bool = True) -> dict[str, Qos]:
    def text_of(name: str) -> str:
        return (folder / f"{name}.txt").read_text()

    partitions = read_scontrol_partition(text_of("partitions")).items
    tres = text_of("cluster_tres").partition("|")[2].strip() if cluster_tres else ""
    in_force = read_assoc_mgr(text_of("assoc_mgr"))
    known = with_totals(read_qos(text_of("qos")).items, in_force, partitions, tres)
    return {one.name: one for one in known}


@pytest.mark.parametrize("capture", ["relative", "relative-memory"])
def test_what_is_computed_is_what_slurmctld_has_in_force(capture: str) -> None:
    known = _read(CAPTURES / capture)
    bounds = [bound for one in known.values() if is_relative(one) for bound in bounds_of(one)]
    seen = [bound for bound in bounds if bound.in_force is not None]
    assert len(seen) > 18
    assert [bound for bound in seen if bound.computed != bound.in_force] == []


def test_without_the_cluster_in_sacctmgr_its_total_is_that_of_the_partitions() -> None:
    known, of_partitions = _read(), _read(cluster_tres=False)
    for name, qos in known.items():
        less = of_partitions[name].total
        assert {tres: qos.total[tres] for tres in less} == less
        assert not is_relative(qos) or set(less) >= {"cpu", "mem", "node", "gres/gpu", "license/matlab"}


def test_a_partition_that_is_not_all_of_the_cluster_gives_no_total(tmp_path: Path) -> None:
    folder = copy_of("relative", tmp_path / "c")
    text("partitions", ("Nodes=n[1-4]", "Nodes=n[2-4]"))(folder)  # n[1-2] overlaps it
    known = _read(folder, cluster_tres=False)
    assert known["rel"].total == {}
    assert known["relpart"].total["cpu"] == 32


def test_limits_of_a_partitions_qos_are_of_the_partition() -> None:
    bound = bound_of(_read()["relpart"], _limit("GrpTRES"), "cpu")
    assert bound is not None
    assert (bound.stored, bound.total, bound.computed, bound.used) == (50, 32, 16, 14)


def _limit(name: str) -> Limit:
    found = limit_named(name, of_qos=True)
    assert found is not None
    return found


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_least_percentage_is_the_least(amount: int, total: int) -> None:
    percent = least_percent(amount, total)
    if percent is None:
        assert amount > total
    else:
        assert share_of(percent, total) >= amount
        assert not percent or share_of(percent - 1, total) < amount


@given(st.integers(0, 10**5), st.integers(0, 10**12))
def test_no_percentage_is_more_than_all(percent: int, total: int) -> None:
    assert 0 <= share_of(percent, total) <= total
    assert share_of(percent, total) <= share_of(percent + 1, total)


def test_only_flags_make_percent_whatever_their_case() -> None:
    known = _read()
    assert not is_relative(known["later"])
    assert limit_words(known["later"], _limit("GrpTRES")) == ""
    assert is_relative(replace(known["later"], flags=("DenyOnLimit", "RELATIVE")))


def test_a_flag_that_is_not_in_force_is_late() -> None:
    qos = replace(_read()["rel"], flags=())
    late = [one for one in bounds_of(qos) if one.is_late]
    assert {one.tres for one in late} >= {"cpu", "node"}
    assert all(one.amount == one.in_force for one in late)


def test_an_unknown_total_has_no_amount() -> None:
    bound = Bound(_limit("GrpTRES"), "cpu", 37, is_relative=True)
    assert (bound.computed, bound.amount, bound.is_late) == (None, None, False)
    assert bound.words.startswith("37")


def test_facts_of_an_association_have_the_amounts() -> None:
    site = site_of(DATA)
    assert {one.name for one in site.qos} == set(_read())
    stored = read_assoc((DATA / "tree.txt").read_text(), "lab24", ASSOC_COLUMNS)
    facts = dict(limit_facts(stored, list(stored.tree.user).index("fs_anna"), site.qos))
    assert limit_words(_read()["rel"], _limit("GrpTRES")) in facts["QOS rel"]
    assert "= 1 node" in facts["QOS rel"]
