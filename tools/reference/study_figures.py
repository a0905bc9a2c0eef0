"""Figures of the explanations that a study of the bundled trace gives, as Analyse draws them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from fsconsole.app.study.figure_runs import cells_of_waits, share_errors_over_time, waits_of
from fsconsole.app.study.reading import read_state
from fsconsole.app.study.state import StudyState
from fsconsole.batch.study.bundled import bundled_studies
from fsconsole.batch.study.executors import LocalExecutor
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.study_file import read_study
from fsconsole.figures.of_batch import with_origin
from fsconsole.figures.of_fairness import share_error_figure
from fsconsole.figures.of_waits import wait_figures
from fsconsole.figures.spec import FigureSpec


def study_figures() -> dict[str, FigureSpec]:
    """Compute the studies and return their figures by the names of their files."""
    return {
        "policy-waits": _of_study("kth-policies", _waits),
        "share-error": _of_study("kth-october", _share_error),
    }


def _of_study(name: str, draw: Callable[[StudyState, str], FigureSpec]) -> FigureSpec:
    spec = read_study(bundled_studies()[name])
    with TemporaryDirectory() as folder:
        state = read_state(run_study(spec, Path(folder), LocalExecutor()), spec.name)
        (workload,) = state.numbers.workloads
        figure = draw(state, workload)
    return with_origin(figure, spec.name, {"study": name})


def _waits(state: StudyState, workload: str) -> FigureSpec:
    found = waits_of(state, cells_of_waits(state, workload))
    return wait_figures(state.numbers, workload, found)[0]


def _share_error(state: StudyState, workload: str) -> FigureSpec:
    found = share_errors_over_time(state, cells_of_waits(state, workload))
    return share_error_figure(state.numbers, workload, found)
