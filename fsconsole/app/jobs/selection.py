"""Selected jobs of a reading, with their sums: by columns, since many thousands can be selected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.app.jobs.columns import Field, Floats, Ints, JobColumns
from fsconsole.slurm.jobs import Job, Sort

_SORTS = tuple(Sort)
_ALLOCATED = tuple(map(_SORTS.index, (Sort.RUNNING, Sort.SUSPENDED)))
_REQUESTED = tuple(map(_SORTS.index, (Sort.WAITING, Sort.HELD)))


@dataclass(eq=False)
class JobSelection:
    """Some jobs of a reading; each pending task of an array counts as a job.

    Attributes:
        columns: the jobs of the reading.
        places: places of the selected ones among them, int64 [selected], in the order of the selection.
    """

    columns: JobColumns
    places: Ints

    @cached_property
    def count(self) -> int:
        """How many jobs these are."""
        return int(self._tasks.sum())

    @property
    def first(self) -> Job:
        """The first one of them.

        Raises:
            IndexError: nothing is selected.
        """
        return self.columns.jobs[int(self.places[0])]

    @cached_property
    def examples(self) -> tuple[Job, ...]:
        """The first job of each kind that actions tell apart, in the order of the selection."""
        _, firsts = np.unique(self.columns.action_kinds[self.places], return_index=True)
        return tuple(self.columns.jobs[place] for place in self.places[np.sort(firsts)].tolist())

    @property
    def sorts(self) -> list[tuple[Sort, int]]:
        """Kinds of state with their numbers of jobs, the most frequent first."""
        return [(_SORTS[code], count) for code, count in self._most_common(self.columns.sorts)]

    @property
    def users(self) -> list[tuple[str, int]]:
        """Users with their numbers of jobs, the one with most first."""
        words = self.columns.words(Field.USER)
        return [(words.values[code], count) for code, count in self._most_common(words.codes)]

    @property
    def allocated_cpus(self) -> int:
        """CPUs of jobs that run or are suspended."""
        return self._cpus(_ALLOCATED)

    @property
    def requested_cpus(self) -> int:
        """CPUs of pending jobs, held or not."""
        return self._cpus(_REQUESTED)

    @property
    def cpu_s(self) -> float:
        """CPU seconds that were allocated until now."""
        return float(np.nan_to_num(self._numbers(Field.ELAPSED)) @ self._numbers(Field.CPUS))

    @cached_property
    def _tasks(self) -> Ints:
        return self.columns.tasks[self.places]

    def _numbers(self, of: Field) -> Floats:
        return self.columns.numbers(of)[self.places]

    def _cpus(self, sorts: Iterable[int]) -> int:
        inside = np.isin(self.columns.sorts[self.places], list(sorts))
        return int((self._tasks * self._numbers(Field.CPUS))[inside].sum())

    def _most_common(self, codes: NDArray[np.integer[Any]]) -> list[tuple[int, int]]:
        """Return codes of the selected jobs with their numbers of jobs, the most frequent first."""
        found, firsts, which = np.unique(codes[self.places], return_index=True, return_inverse=True)
        counts = np.bincount(which, self._tasks, minlength=len(found)).astype(np.int64)
        order = np.lexsort((firsts, -counts))
        return list(zip(found[order].tolist(), counts[order].tolist(), strict=True))
