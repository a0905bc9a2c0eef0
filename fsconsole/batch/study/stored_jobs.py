"""A job table as bytes, for storage in a study folder and for transfer to workers."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from fsconsole.batch.job_table import JOB_COLUMNS, JOB_LABELS, JobTable, Labels, job_table
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import check_regular, parquet_frame, parsed_json

_LARGEST = 10**15  # Schedules from files have the same limit: it is exact as a float.
_FACTS = ("name", "unix_start_s", "cluster_nodes", "time_zone")


def digest_of(jobs: JobTable) -> str:
    """Return the digest of a table without its name."""
    digest = hashlib.blake2b(digest_size=16)
    for column in JOB_COLUMNS:
        digest.update(np.ascontiguousarray(getattr(jobs, column), dtype="<i8").tobytes())
    facts = [getattr(jobs, fact) for fact in _FACTS if fact != "name"]
    digest.update(json.dumps([jobs.users, *facts]).encode())
    for name, labels in _labels(jobs).items():
        digest.update(name.encode() + np.ascontiguousarray(labels.number, dtype="<i8").tobytes())
        digest.update(json.dumps(labels.names).encode())
    return digest.hexdigest()


def _labels(jobs: JobTable) -> dict[str, Labels]:
    """Return the labels of a table."""
    return {name: labels for name in JOB_LABELS if (labels := getattr(jobs, name)) is not None}


@dataclass(frozen=True, slots=True)
class StoredJobs:
    """A job table as two files: its columns as Parquet, users and facts as JSON."""

    columns: bytes
    facts: bytes

    @staticmethod
    def of(jobs: JobTable) -> StoredJobs:
        """Pack a job table."""
        buffer = io.BytesIO()
        labels = _labels(jobs)
        columns = {name: getattr(jobs, name) for name in JOB_COLUMNS}
        numbers = {name: kept.number for name, kept in labels.items()}
        pl.DataFrame(columns | numbers).write_parquet(buffer)
        facts = {"users": jobs.users} | {fact: getattr(jobs, fact) for fact in _FACTS}
        facts |= {name: kept.names for name, kept in labels.items()}
        return StoredJobs(buffer.getvalue(), json.dumps(facts, ensure_ascii=False).encode())

    @staticmethod
    def check(stem: Path) -> None:
        """Raise OSError unless both files are regular ones."""
        for path in _files(stem):
            check_regular(path)

    @staticmethod
    def read(stem: Path) -> StoredJobs:
        """Return the table in the files of `write`.

        Raises:
            OSError: they cannot be read.
        """
        columns, facts = _files(stem)
        return StoredJobs(columns.read_bytes(), facts.read_bytes())

    def write(self, stem: Path) -> None:
        """Write both files, `stem` with .parquet and .json."""
        columns, facts = _files(stem)
        write_atomic(columns, self.columns)
        write_atomic(facts, self.facts)

    def table(self) -> JobTable:
        """Unpack the job table.

        Raises:
            ValueError: it is damaged; polars' own errors are possible too.
        """
        frame = parquet_frame(self.columns)
        written = parsed_json(self.facts)
        named = [name for name in JOB_LABELS if name in written]
        columns: dict[str, Any] = {
            name: np.array(frame[name].to_numpy(), dtype=np.int64) for name in (*JOB_COLUMNS, *named)
        }
        for name, column in columns.items():
            if len(column) and column.max() > _LARGEST:
                msg = f"{name} is {column.max()}. The largest readable value is {_LARGEST}"
                raise ValueError(msg)
        for name in named:
            names = tuple(map(str, written[name]))
            if len(columns[name]) and not 0 <= columns[name].min() <= columns[name].max() < len(names):
                msg = f"{name} contains numbers beyond its {len(names)} names"
                raise ValueError(msg)
            columns[name] = Labels(columns[name], names)
        facts: dict[str, Any] = {fact: written[fact] for fact in _FACTS}
        return job_table(**columns, users=tuple(map(str, written["users"])), **facts)


def _files(stem: Path) -> tuple[Path, Path]:
    return stem.with_name(f"{stem.name}.parquet"), stem.with_name(f"{stem.name}.json")
