"""A null, and a value that is left out, is what the scheduler documents for it, or is refused.

Sources: Kubernetes, "Custom Resources", Defaulting and Nullable: nulls are pruned before defaulting; Kueue's
API (v1beta1, v1beta2): nominalQuota and names are required, no limit for a null, weight 1; KAI-Scheduler,
getQueueQuota: 0; flux-account-fairshare-emulate(1): each node must have shares and usage;
flux-account-pop-db(1): an association may leave its shares out, a bank may not.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from fsconsole.shares.formats import format_named
from fsconsole.shares.scenario.problems import ScenarioError
from tests.shares.formats.dialects import EXAMPLES

KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata:
  name: c
spec:
  parentName: p
  fairSharing:
    weight: 2
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: q
spec:
  cohortName: c
  fairSharing:
    weight: 3
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: f
      resources:
      - name: cpu
        nominalQuota: 9
        borrowingLimit: 1
        lendingLimit: 4
"""
MANIFESTS = {"kueue": KUEUE, "kai": EXAMPLES["kai"]}
REQUIRED = {"apiVersion", "kind", "metadata", "name", "nominalQuota"}
JSON = {
    "root": {
        "bank": "top", "shares": 1, "usage": 5,
        "children": [{"bank": "A", "shares": 3, "usage": 4, "children": [
            {"username": "u", "shares": 2, "usage": 4},
        ]}],
    }
}  # fmt: skip


def _read(name: str, text: str) -> dict[str, tuple[object, ...]] | None:
    """Return shares, usage and values of each node; None for a file that is refused."""
    try:
        tree = format_named(name).read(text).tree
    except ScenarioError:
        return None
    kept = {"manifest", "before", "after"}
    return {
        tree.path(node.id): (
            node.shares,
            node.usage,
            {key: value for key, value in node.foreign.items() if key.partition(".")[2] not in kept},
        )
        for node in tree.walk()
    }


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def _without(data: Any, path: tuple[Any, ...], *, is_null: bool) -> Any:
    """Return data with a null at a path, or without it."""
    found = copy.deepcopy(data)
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    if is_null:
        holder[path[-1]] = None
    else:
        del holder[path[-1]]
    return found


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_null_is_as_good_as_a_value_left_out(name: str) -> None:
    objects = list(yaml.safe_load_all(MANIFESTS[name]))
    for path in _places(objects):
        if not isinstance(path[-1], str):
            continue
        nulled, left_out = (
            _read(name, yaml.safe_dump_all(_without(objects, path, is_null=is_null)))
            for is_null in (True, False)
        )
        assert nulled == left_out, path
        if path[-1] in REQUIRED:
            assert nulled is None, path
        assert nulled is None or "None" not in str(nulled), path


def test_what_is_left_out_of_a_queue_is_its_schedulers_default() -> None:
    (queue,) = [
        one for path, one in (_read("kueue", _of(KUEUE, "weight: 3")) or {}).items() if path.endswith("q")
    ]
    assert queue[0] == 1
    limits = {"kueue.nominalQuota cpu f": "9", "kueue.lendingLimit cpu f": "4", "kueue.weight": "3"}
    assert (_read("kueue", _of(KUEUE, "borrowingLimit: 1")) or {})["root/p/c/q"][2] == limits
    kai = _read("kai", _of(EXAMPLES["kai"], "overQuotaWeight: 1")) or {}
    assert {one[0] for one in kai.values()} <= {0, 1}


def _of(text: str, line: str) -> str:
    assert line in text
    return text.replace(line, f"{line.split(':', maxsplit=1)[0]}: null")


def test_a_bank_hierarchy_without_one_of_its_values_is_refused() -> None:
    whole = _read("flux", json.dumps(JSON))
    assert whole is not None
    for path in _places(JSON):
        for is_null in (True, False):
            found = _read("flux", json.dumps(_without(JSON, path, is_null=is_null)))
            may_miss = not is_null and (path[-1] in ("children", 0) or path == ("root", "bank"))
            assert (found is not None) is may_miss, path


def test_only_an_association_may_leave_its_shares_out() -> None:
    banks = "root,,1\nA,root,60\n"
    found = _read("flux", f"{banks}ann,1,A,,,,\n")
    assert found is not None
    assert found["root/A/ann"][0] == 1
    assert _read("flux", banks.replace("60", "")) is None
    titled = "bank,parent_bank,shares,job_usage\nroot,,1,5\nA,root,2,{}\n"
    assert _read("flux", titled.format("5")) is not None
    assert _read("flux", titled.format("")) is None
