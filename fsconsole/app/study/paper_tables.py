"""The paper's tables for a study."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fsconsole.app.study.state import runs_of
from fsconsole.batch.measures.tables import tables_of
from fsconsole.batch.measures.workload_table import month_of_jobs

if TYPE_CHECKING:
    from fsconsole.app.study.state import StudyState
    from fsconsole.batch.measures.table_form import Table


def paper_tables(state: StudyState) -> tuple[Table, ...]:
    """Return all tables that the finished runs allow; it takes seconds."""
    folder, months = state.folder, []
    if folder is not None:
        first = {cell.workload: cell for cell in reversed(state.cells) if state.state(cell) == "done"}
        found = [first[workload] for workload in state.workloads if workload in first]
        months = [month_of_jobs(folder.month_run(cell)) for cell in found]
        # A model or a whole trace is shown by its own name, a month by the name of the month.
        months = [
            replace(month, name=cell.workload) if cell.period is None else month
            for month, cell in zip(months, found, strict=True)
        ]
    return tables_of(runs_of(state), months)
