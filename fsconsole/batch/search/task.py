"""Settings of a search as a task for executors of studies, and its result as bytes."""

from __future__ import annotations

import io
import traceback
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.search.judge import Case, judge_of
from fsconsole.batch.study.task import CellResult

VALUES = "values.npy"


@dataclass(frozen=True, eq=False, slots=True)
class SettingsTask:
    """Settings to judge.

    Attributes:
        key: name of the answer.
        case: months, goals and the baseline.
        policies: policies of the settings.
        shares: shares of users, float64 [settings, users]; None if all are equal.
    """

    key: str
    case: Case
    policies: tuple[BatchPolicy, ...]
    shares: Floats | None = None

    def compute(self, jobs: JobTable) -> CellResult:
        """Judge each setting; one that cannot be simulated has NaN, without the reason."""
        try:
            judge = judge_of(self.case, jobs)
            rows = []
            for place, policy in enumerate(self.policies):
                shares = None if self.shares is None else self.shares[place]
                try:
                    verdict = judge.verdict(policy, shares)
                except ValueError:  # A window may be too long for whole node-seconds, for example.
                    rows.append(np.full((len(self.case.asked), 1 + len(self.case.periods)), np.nan))
                else:
                    rows.append(np.column_stack([verdict.values, verdict.monthly]))
            return CellResult(self.key, "done", {VALUES: packed(np.stack(rows))})
        except (ValueError, MemoryError) as error:
            text = str(error) or type(error).__name__
            return CellResult(self.key, "failed", text=text, details=traceback.format_exc())
        except Exception as error:  # noqa: BLE001 (one fault must be an answer, not an end)
            text = f"a fault in the program: {type(error).__name__}: {error}"
            return CellResult(self.key, "failed", text=text, details=traceback.format_exc())


def packed(values: Floats) -> bytes:
    """Return an array of any shape [...] as bytes in numpy's file format, for `unpacked`."""
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    return buffer.getvalue()


def unpacked(data: bytes, shape: tuple[int, ...]) -> Floats:
    """Return the array of `packed`.

    Raises:
        ValueError: it has another shape, or is damaged.
    """
    found = np.load(io.BytesIO(data), allow_pickle=False)
    if found.shape != shape or found.dtype != np.float64:
        msg = f"values of shape {found.shape}, expected {shape}"
        raise ValueError(msg)
    values: Floats = found
    return values
