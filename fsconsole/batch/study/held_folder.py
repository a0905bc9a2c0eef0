"""A folder of results while a program writes it, and the job tables in it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.stored_jobs import StoredJobs
from fsconsole.recording.run_lock import RunLock


def hold_folder(folder: Path, plan: str, what: str) -> RunLock:
    """Create a folder if it is missing, and lock it against other programs.

    Args:
        folder: folder of results.
        plan: file that identifies a folder of this kind.
        what: the kind, such as `study`.

    Raises:
        StudyError: it contains something else, or another program uses it.
    """
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if plan not in there and there - {"workloads"}:
        msg = f"{folder} holds something other than a {what}. Choose an empty or a new folder"
        raise StudyError(msg)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return RunLock(folder)
    except BlockingIOError:
        msg = f"another program is running a {what} in {folder}. Wait for it, or choose another folder"
        raise StudyError(msg) from None


def keeper_of_jobs(folder: Path) -> Callable[[str, JobTable], None]:
    """Return a function that writes a job table into a folder under its digest, unless it exists."""

    def keep(digest: str, jobs: JobTable) -> None:
        stem = folder / "workloads" / digest
        with suppress(OSError, ValueError, KeyError, TypeError):
            if StoredJobs.read(stem) == StoredJobs.of(jobs):
                return
        stem.parent.mkdir(exist_ok=True)
        StoredJobs.of(jobs).write(stem)

    return keep
