"""Nodes of the cluster, of `sinfo -N -l`, or with `--json` of sinfo (22.05) or `scontrol show nodes` (later).

Source: sinfo(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing
from fsconsole.slurm.parsers.json_list import line_of, records, whole, word_list, words
from fsconsole.slurm.parsers.values import count, said

_NEEDED = ("nodelist", "partition", "state", "cpus")
_JSON = "scontrol show nodes --json"  # which 22.05 prints for `sinfo --json`
MARKS = "*~#!%$@^-+"  # not responding, powered down and so on, behind the state


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNode:
    """A node of the cluster.

    Attributes:
        partitions: those that it is in.
        state: in lower case and without marks, such as idle, mixed, allocated, down, drained.
        marks: what sinfo puts behind the state, such as * for not responding; or JSON's flags.
        cpus: how many it has.
        busy_cpus: how many are allocated; None where it is not said.
        reason: why it is down or drained; empty where there is none.
    """

    name: str
    partitions: tuple[str, ...]
    state: str
    marks: tuple[str, ...]
    cpus: int
    busy_cpus: int | None
    reason: str


def read_sinfo(text: str) -> Listing[ClusterNode]:
    """Read the table, a row for each node and partition; ScenarioError where nothing can be read."""
    found = Findings()
    nodes: dict[str, ClusterNode] = {}
    lines = text.removeprefix("\ufeff").split("\n")
    top = next((row for row, line in enumerate(lines) if line.lstrip().startswith("NODELIST")), 0)
    names = lines[top].lower().split()
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        found.add(top + 1, f"no column {', '.join(missing)}: this is not what `sinfo -N -l` prints")
        found.refuse()
    for number, line in enumerate(lines[top + 1 :], top + 2):
        fields = line.split(None, len(names) - 1)
        try:
            if fields:
                _take(nodes, _row(names, fields))
        except DamagedError as error:
            found.add(number, f"a node was left out: {error}")
    return found.listing([*nodes.values()])


def read_nodes_json(text: str) -> Listing[ClusterNode]:
    """Read the list `nodes`; ScenarioError where nothing can be read."""
    found = Findings()
    nodes = []
    for place, record in records(text, "nodes", found, _JSON):
        try:
            states = word_list(record.get("state"), "state")
            name = words(record.get("name"), "name")
            if not name or not states:
                found.add(line_of(text, place, found), "a node was left out: it has no name or state")
                continue
            nodes.append(
                ClusterNode(
                    name=name,
                    partitions=word_list(record.get("partitions"), "partitions"),
                    state=states[0].lower(),
                    marks=(*states[1:], *word_list(record.get("state_flags"), "state_flags")),
                    cpus=whole(record.get("cpus"), "cpus") or 0,
                    busy_cpus=whole(record.get("alloc_cpus"), "alloc_cpus"),
                    reason=words(record.get("reason"), "reason"),
                )
            )
        except DamagedError as error:
            found.add(line_of(text, place, found), f"a node was left out: {error}")
    return found.listing(nodes)


def _row(names: list[str], fields: list[str]) -> ClusterNode:
    if len(fields) < len(names) - (names[-1] == "reason"):  # which may be blank
        msg = f"{len(fields)} fields, the header has {len(names)}; is the line cut off?"
        raise DamagedError(msg)
    row = dict(zip(names, fields, strict=False))
    state = row["state"].rstrip(MARKS)
    return ClusterNode(
        name=row["nodelist"],
        partitions=(row["partition"].rstrip("*"),),
        state=state.lower(),
        marks=tuple(row["state"][len(state) :]),
        cpus=count(row["cpus"].rstrip("+")),
        busy_cpus=None,
        reason=said(row.get("reason", "")),
    )


def _take(nodes: dict[str, ClusterNode], row: ClusterNode) -> None:
    """Add a row; a node has one for each of its partitions."""
    known = nodes.get(row.name)
    if known is None:
        nodes[row.name] = row
    else:
        nodes[row.name] = replace(known, partitions=(*known.partitions, *row.partitions))
