"""Sessions that request the parts of the machine in a report of demands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fsconsole.app.load.hours import check_room
from fsconsole.app.load.plan import COMMAND, Session
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.saturation import SATURATED
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.tree import ShareTree

# One cycle of work and sleep lasts this long, for a process that requests less than a processor.
_CYCLE_S = 2.0


def sessions_of_demands(
    tree: ShareTree, nodes: Sequence[int], demands: Mapping[int, float], cpus: int, processes: int
) -> dict[int, tuple[Session, ...]]:
    """Return sessions of leaves from 0 on, by demands of nodes: parts of the machine, inf for saturated, 0
    for idle.

    A saturated leaf gets `processes` that never pause. What a group may use is divided among the leaves below
    it by their parts of the machine, less what is said of leaves themselves. Leaves that nothing is said of
    are saturated. A leaf that may use 1.5 processors gets two processes that want 75 % of one each.
    """
    flat = FlatTree.of(tree)
    limits = _limits(tree, flat, demands)
    made: dict[int, tuple[Session, ...]] = {}
    count = 0
    for node in nodes:
        wanted = limits.get(node, SATURATED)
        process = _process(node, wanted, cpus, processes)
        made[node] = () if process is None else (Session(node, 0.0, None, process),)
        count += 0 if process is None else process.count
    check_room(count)
    return made


def _limits(tree: ShareTree, flat: FlatTree, demands: Mapping[int, float]) -> dict[int, float]:
    """Return the limit of each leaf, by the nearest node on its path with a demand."""
    below: dict[int, list[int]] = {}
    for node in tree.walk():
        if not node.is_group:
            path = [node.id, *(up.id for up in tree.ancestors(node.id))]
            nearest = next((one for one in path if one in demands), None)
            if nearest is not None:
                below.setdefault(nearest, []).append(node.id)
    # Demands further below are parts of these, so only those directly below a demand are added up.
    within: dict[int, list[float]] = {}
    for one, demand in demands.items():
        above = next((up.id for up in tree.ancestors(one) if up.id in demands), None)
        if above is not None and demand != SATURATED:
            within.setdefault(above, []).append(demand)
    shares = flat.machine_share()
    found: dict[int, float] = {}
    for nearest, leaves in below.items():
        taken = within.get(nearest, [])
        left = demands[nearest] if demands[nearest] == SATURATED else max(demands[nearest] - sum(taken), 0.0)
        parts = [float(shares[flat.row_of[leaf]]) for leaf in leaves]
        whole = sum(parts)
        for leaf, part in zip(leaves, parts, strict=True):
            found[leaf] = left * (part / whole if whole else 1 / len(leaves)) if left < math.inf else left
    return found


def _process(node: int, wanted: float, cpus: int, processes: int) -> StartProcess | None:
    if wanted == SATURATED or wanted >= 1:
        return StartProcess(node, Work(), COMMAND, processes)
    asked = wanted * cpus
    if asked <= 0:
        return None
    count = math.ceil(round(asked, 9))
    part = asked / count
    if part >= 1:
        return StartProcess(node, Work(), COMMAND, count)
    burst_s, sleep_s = round(_CYCLE_S * part, 6), round(_CYCLE_S * (1 - part), 6)
    return StartProcess(node, Work(burst_s=max(burst_s, 1e-6), sleep_s=sleep_s), COMMAND, count)
