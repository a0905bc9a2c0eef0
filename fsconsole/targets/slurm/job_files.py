"""A job's batch script and the end of its output, read where Slurm's tools are.

Source: scontrol(1), `write batch_script`, which in Slurm 22.05.8 fails with exit status 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsconsole.slurm.job_labels import read_label
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.targets.slurm.tool_errors import last_line
from fsconsole.targets.slurm.tools import Run, ToolError

TAIL_BYTES = 64 << 10
_LIMIT_S = 20.0
_FAILED = re.compile(r"retrieval failed: *(.*)")
_PATH = re.compile(r"^   StdOut=(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class JobOutput:
    """The end of a job's output.

    Attributes:
        path: its file, on the machine where Slurm's tools are.
        text: its last lines; what was cut off is left out to the end of a line.
        is_cut: whether there is more before.
    """

    path: str
    text: str
    is_cut: bool


def read_script(run: Run, job: str) -> str:
    """Return the batch script of a job; ToolError, in a sentence, where it cannot be read."""
    answer = run(("scontrol", "write", "batch_script", _number(job), "-"), limit_s=_LIMIT_S)
    if failed := _FAILED.search(answer.stderr):
        raise ToolError(
            f"The script of job {job} cannot be read: {_why(failed[1])}. ({last_line(answer.stderr)})"
        )
    if answer.problem:
        raise ToolError(f"{answer.problem.rstrip('.')}.")
    if not answer.stdout.strip():
        raise ToolError(f"Job {job} has no batch script.")
    return answer.stdout


def read_output(run: Run, job: str, most_bytes: int = TAIL_BYTES) -> JobOutput:
    """Return the end of a job's output; ToolError, in a sentence, where it cannot be read."""
    path = _path(run, job)
    # One byte more shows whether the file goes on.
    answer = run(("tail", "-c", str(most_bytes + 1), "--", path), limit_s=_LIMIT_S)
    if answer.problem:
        raise ToolError(f"The output of job {job} cannot be read here: {answer.problem.rstrip('.')}.")
    text = answer.stdout
    is_cut = len(text.encode("utf-8", "replace")) > most_bytes
    if is_cut and "\n" in text:
        text = text.partition("\n")[2]
    return JobOutput(path, text, is_cut)


def _path(run: Run, job: str) -> str:
    answer = run(("scontrol", "show", "job", _number(job)), limit_s=_LIMIT_S)
    if answer.problem:
        raise ToolError(f"{answer.problem.rstrip('.')}.")
    found = _PATH.findall(answer.stdout)
    if len(set(found)) != 1 or not found[0].strip():
        raise ToolError(f"Slurm gives no single output file of job {job}.")
    path = str(found[0])
    if path == "/dev/null":
        raise ToolError(f"Job {job} discards its output (/dev/null).")
    return path


def _number(job: str) -> str:
    """Return the number as scontrol takes it; of an array or het job its own."""
    try:
        label = read_label(job)
    except DamagedError as error:
        raise ToolError(f"{error}.") from error
    return label.text if label.tasks is None or len(label.tasks) == 1 else str(label.number)


def _why(output: str) -> str:
    if "Invalid user id" in output:
        return "only its user, operators and root may read it"
    if "Invalid job id" in output:
        return "slurmctld has no such job, or the job has no script, like jobs of salloc and srun"
    return output.strip() or "Slurm gives no reason"
