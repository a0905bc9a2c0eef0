"""The result of a run, node by node: the table and the JSON of `simulate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from fsconsole.machine.machine import Machine


def summary_of(machine: Machine) -> dict[str, Any]:
    """Return plain data: until_s, policy, seed, settings and nodes, depth-first, inactive ones too.

    Each node has path, machine_share, allocated_share at the end, cpu_fraction (of all CPU time given to
    shared users over the whole run, without the exempt root's own), usage (cost units) and normalised_usage
    at the end, charge (CPU seconds).
    Groups have the sums of their users.
    """
    sample = machine.sample()
    given = machine.flat.group_sum(machine.ran.astype(np.float64))
    total = float(given[0]) + machine.ran_by_removed
    columns = {
        "machine_share": machine.flat.machine_share(),
        "allocated_share": sample.columns["allocated_share"],
        "cpu_fraction": given / total if total else given,
        "usage": sample.columns["usage"],
        "normalised_usage": sample.columns["normalised_usage"],
        "charge": sample.columns["charge"],
    }
    lists = [columns[name].tolist() for name in columns]
    paths = machine.tree.paths()
    nodes = [
        {"path": paths.get(node, f"node {node}"), **dict(zip(columns, values, strict=True))}
        for node, *values in zip(sample.ids.tolist(), *lists, strict=True)
    ]
    settings = {**machine.settings, "machine.start": machine.spec.start.isoformat()}
    return {
        "until_s": machine.now_s,
        "policy": machine.policy_spec.name,
        "seed": machine.seed,
        "settings": settings,
        "nodes": nodes,
    }
