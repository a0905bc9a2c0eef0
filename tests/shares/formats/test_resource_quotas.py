"""Quotas and limits of KAI in Kueue and back: each counts them in its own way."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.formats import format_named
from fsconsole.shares.formats.resource_quotas import quantity, quantity_text
from fsconsole.shares.tree import Node
from tests.shares.formats.dialects import EXAMPLES
from tests.texts import says

KAI, KUEUE = format_named("kai"), format_named("kueue")
_QUEUE = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: {name}
spec:
{parent}  resources:
    gpu: {{quota: {gpu}, limit: {limit}, overQuotaWeight: {weight}}}
    cpu: {{quota: {cpu}, limit: -1, overQuotaWeight: 1}}
"""
_KAI = "---\n".join(
    [
        _QUEUE.format(name="dept", parent="", gpu=8, limit=12, weight=1, cpu=-1),
        _QUEUE.format(name="a", parent="  parentQueue: dept\n", gpu=2.5, limit=4, weight=3, cpu=1500),
        _QUEUE.format(name="b", parent="  parentQueue: dept\n", gpu=1, limit=-1, weight=1, cpu=16000),
    ]
)


def quotas_of(node: Node) -> dict[str, str]:
    return {key: value for key, value in node.foreign.items() if "Quota " in key or "Limit " in key}


def of_default_flavor(node: Node) -> dict[tuple[str, str], str]:
    """Return quotas by what they are and their resource, all of one flavor."""
    split = {tuple(key.removeprefix("kueue.").split()): value for key, value in quotas_of(node).items()}
    assert {flavor for _, _, flavor in split} <= {"default-flavor"}
    return {(what, resource): value for (what, resource, _), value in split.items()}


def test_quotas_and_limits_of_kai_become_nominal_quotas_and_borrowing_limits() -> None:
    scenario = KAI.read(_KAI)
    text = KUEUE.write(scenario)
    keys = {node.name: of_default_flavor(node) for node in KUEUE.read(text).tree.walk()}
    assert keys["dept"] == {("nominalQuota", "nvidia.com/gpu"): "4500m"}  # 8 less 2.5 and 1
    assert keys["a"] == {
        ("nominalQuota", "nvidia.com/gpu"): "2500m",
        ("borrowingLimit", "nvidia.com/gpu"): "1500m",
        ("nominalQuota", "cpu"): "1500m",
    }
    assert keys["b"]["nominalQuota", "cpu"] == "16"
    texts = [loss.words(KAI.lines(_KAI)) for loss in KUEUE.lost(scenario)]
    assert [(text.partition(" (")[0], re.findall(r"\d+", text)) for text in texts] == [
        ("limit gpu", ["1", "7"]),  # of dept, which is in no cohort
        ("quota cpu", ["1", "8"]),  # -1: no bound
        ("limit cpu", ["1", "8"]),
        ("overQuotaWeight cpu", ["3", "8", "18", "28"]),
    ]
    assert list(KUEUE.problems_in(text)) == []
    again = KAI.read(KAI.write(KUEUE.read(text))).tree
    assert again.find("dept").foreign["kai.quota gpu"] == "8"
    assert again.find("a").foreign["kai.limit gpu"] == "4"
    assert again.find("a").foreign["kai.quota cpu"] == "1500"
    assert again.find("b").foreign["kai.limit gpu"] == "-1"


def test_nominal_quotas_of_kueue_become_quotas_of_kai() -> None:
    scenario = KUEUE.read(EXAMPLES["kueue"])
    assert of_default_flavor(scenario.tree.find("my-cluster-queue")) == {
        ("nominalQuota", "cpu"): "9",
        ("borrowingLimit", "cpu"): "3",
    }
    tree = KAI.read(KAI.write(scenario)).tree
    queue = tree.find("my-cluster-queue")
    above = tree.node(queue.parent or 0)
    assert above.foreign["kai.quota cpu"] == "9000"  # with all below it
    assert (queue.foreign["kai.quota cpu"], queue.foreign["kai.limit cpu"]) == ("9000", "12000")
    assert queue.foreign["kai.quota gpu"] == "0"
    assert not any("nominalQuota" in loss.words() for loss in KAI.lost(scenario))


def test_queues_without_quotas_are_warned_of() -> None:
    text = KUEUE.write(format_named("pbs").read(EXAMPLES["pbs"]))
    assert says(str(KUEUE.problems_in(text)), "shares.formats.kueue-admits-nothing-there")


@pytest.mark.parametrize(
    ("text", "value"), [("36Gi", 36 * 2**30), ("500m", Fraction(1, 2)), ("1e3", 1000), ("2M", 2e6)]
)
def test_quantities(text: str, value: float) -> None:
    assert quantity(text) == value


@given(st.fractions(0, 10**15, max_denominator=1000).filter(lambda value: (value * 1000).denominator == 1))
def test_a_quantity_is_written_exactly(value: Fraction) -> None:
    assert quantity(quantity_text(value)) == value


def test_a_tree_without_quotas_gets_kais_usual_ones() -> None:
    tree = KAI.read(KAI.write(format_named("pbs").read(EXAMPLES["pbs"]))).tree
    assert {node.foreign["kai.limit gpu"] for node in tree.walk() if node.parent is not None} == {"-1"}
