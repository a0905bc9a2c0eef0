"""The finished runs of a study in the form that the paper's tables are made of."""

from __future__ import annotations

import polars as pl

from fsconsole.app.study.state import StudyState
from fsconsole.batch.measures.policy_runs import PolicyRun, usual_pair, wait_changes
from fsconsole.batch.measures.users import USER_COLUMNS
from fsconsole.figures.study_numbers import without_common_beginning


def runs_of(state: StudyState, workload: str = "") -> tuple[PolicyRun, ...]:
    """The users of each finished run, of one workload or of all; of several seeds the first one's.

    Months are called without what the names of all workloads begin with.
    """
    if state.users.is_empty():
        return ()
    parts = state.users.partition_by("workload", "policy", "seed", as_dict=True)
    short = dict(zip(state.workloads, without_common_beginning(state.workloads), strict=True))
    found: dict[tuple[str, str], PolicyRun] = {}
    for cell in state.cells:
        key = (cell.workload, cell.policy.label)
        users = parts.get((*key, cell.seed))
        if users is not None and key not in found and workload in ("", cell.workload):
            table = users.select(*USER_COLUMNS)
            found[key] = PolicyRun(short[cell.workload], table, cell.policy, cell.policy.label)
    return tuple(found.values())


def users_by_change(state: StudyState, workload: str) -> tuple[str, ...]:
    """Users of a workload, those first whose maximum wait grows most from FCFS to the studied policy."""
    runs = runs_of(state, workload)
    pair = usual_pair(runs)
    if pair is not None:
        changed = wait_changes(runs, *pair)["user"].to_list()
        if changed:
            return tuple(map(str, changed))
    if not runs:
        return ()
    return tuple(runs[0].users.filter(pl.col("jobs") > 0)["user"].to_list())
