"""A job's batch script and the end of its output, read where Slurm's tools are.

The user of a job chooses the path of its output, and whoever looks at it reads it with their own rights. So
it is read only from a regular file that belongs to the user of the job. `stat` and `tail` would be two looks
at a path, and in between its user can put a link there. `READER` opens the file once, and checks what it
opened.

Source: scontrol(1), `write batch_script`, which in Slurm 22.05.8 fails with exit status 0.
"""

from __future__ import annotations

import errno
import re
import stat
from dataclasses import dataclass

from fsconsole.slurm.job_labels import read_label
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.targets.slurm.tool_errors import last_line
from fsconsole.targets.slurm.tools import NOT_STARTED, Run, ToolError

TAIL_BYTES = 64 << 10
_LIMIT_S = 20.0
_READER_LIMIT_S = 15  # It ends by itself before its answer is given up, so that nothing stays behind ssh.
_MARK = "fsconsole-job-output"
_PROGRAM = """
import errno, os, pwd, signal, stat, sys
def late(*_):
    raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
def show(*words):
    os.write(1, (' '.join(map(str, ('MARK',) + words)) + '\\n').encode('utf-8', 'replace'))
def owner(uid):
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return 'user %d' % uid
path, uid, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
signal.signal(signal.SIGALRM, late)
signal.alarm(LIMIT)
try:
    found = os.lstat(path)
    if stat.S_ISREG(found.st_mode):
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
        found = os.fstat(file)
    show(stat.S_IFMT(found.st_mode), found.st_uid, found.st_size, owner(found.st_uid))
    if stat.S_ISREG(found.st_mode) and found.st_uid == uid:
        os.lseek(file, max(0, found.st_size - most), os.SEEK_SET)
        while most > 0:
            data = os.read(file, min(most, 65536))
            if not data:
                break
            most -= len(data)
            while data:
                data = data[os.write(1, data):]
except OSError as error:
    show('-', error.errno, 0, error.strerror)
"""
# One line, because tcsh takes what follows the end of a line for another command, quoted or not.
_CODE = _PROGRAM.replace("MARK", _MARK).replace("LIMIT", str(_READER_LIMIT_S))
READER = ("python3", "-I", "-S", "-c", f"exec({_CODE!r})")
"""Command that reads the end of a file; path, number of the owner and most bytes follow."""

_ANSWER = re.compile(rf"^{_MARK} (\d+|-) (\d+) (\d+) (.*)\n", re.MULTILINE)
_FAILED = re.compile(r"retrieval failed: *(.*)")
# A job's name and paths may hold line ends, and what looks like fields after them.
_FIELDS = {
    "path": re.compile(r"^   StdOut=(.*)$", re.MULTILINE),
    "user": re.compile(r"^   UserId=(.*\(\d+\)) GroupId=", re.MULTILINE),
}
_USER = re.compile(r"(.*)\((\d+)\)")
_BROKEN_PATH = re.compile(r"^   StdOut=.*\n(?!   |\n(?!   )|\Z)", re.MULTILINE)
_STATE = re.compile(r"^   JobState=(\w+)", re.MULTILINE)
_RESTARTS = re.compile(r"^   Requeue=\d+ Restarts=(\d+)", re.MULTILINE)
_NODES = re.compile(r"^   NodeList=(?!\(null\))(\S+)", re.MULTILINE)
_GOES_ON = frozenset(("PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "STOPPED", "COMPLETING"))
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_RIGHTS = "It is not shown, because it would be read with your rights"


@dataclass(frozen=True, slots=True)
class JobOutput:
    """The end of a job's output.

    Attributes:
        path: its file, on the machine where Slurm's tools are.
        text: its last lines; what was cut off is left out to the end of a line.
        is_cut: whether there is more before.
        remark: why there is no text yet, in a sentence; empty if there is.
    """

    path: str
    text: str = ""
    is_cut: bool = False
    remark: str = ""


@dataclass(frozen=True, slots=True)
class _Job:
    """What decides on the output of a job; of an array, what all its tasks have in common."""

    label: str
    path: str
    user: str
    uid: int
    nodes: str
    goes_on: bool
    has_begun: bool


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
    """Return the end of a job's output; ToolError, in a sentence, where it cannot be read.

    A job that has not written anything yet has an output with a remark and no text.
    """
    asked = _job(run, job)
    if not asked.has_begun:
        return _nothing(asked, f"Job {job} has not begun" if asked.goes_on else f"Job {job} never began")
    answer = run((*READER, asked.path, str(asked.uid), str(most_bytes)), limit_s=_LIMIT_S)
    found = _ANSWER.search(answer.stdout)
    if found is None:
        raise ToolError(_not_read(asked, answer.rc, answer.problem))
    kind, number, size, words = found.groups()
    if kind == "-":
        return _unreadable(asked, int(number), words)
    if fault := _fault(asked, int(kind), int(number), words):
        raise ToolError(f"The output file of job {job}, {asked.path}, {fault}. {_RIGHTS}.")
    text, is_cut = answer.stdout[found.end() :], int(size) > most_bytes
    if is_cut and "\n" in text:
        text = text.partition("\n")[2]
    if not text:
        return _nothing(asked, f"{asked.path} is empty")
    return JobOutput(asked.path, text, is_cut)


def _job(run: Run, job: str) -> _Job:
    answer = run(("scontrol", "show", "job", _number(job)), limit_s=_LIMIT_S)
    if answer.problem:
        raise ToolError(f"{answer.problem.rstrip('.')}.")
    shown = answer.stdout
    if _BROKEN_PATH.search(shown):
        raise ToolError(
            f"The path of the output of job {job} contains a line break. Such a file is not read."
        )
    found = {name: set(pattern.findall(shown)) for name, pattern in _FIELDS.items()}
    user = _USER.fullmatch(next(iter(found["user"]), ""))
    if (
        user is None
        or any(len(values) != 1 for values in found.values())
        or not (path := found["path"].pop())
    ):
        raise ToolError(f"Slurm gives no single output file of job {job}.")
    if path == "/dev/null":
        raise ToolError(f"Job {job} discards its output (/dev/null).")
    states, nodes = set(_STATE.findall(shown)), ",".join(dict.fromkeys(_NODES.findall(shown)))
    was_requeued = any(int(count) for count in _RESTARTS.findall(shown))
    return _Job(
        job,
        path,
        user[1],
        int(user[2]),
        nodes,
        goes_on=not states.isdisjoint(_GOES_ON),
        has_begun=was_requeued or bool(nodes and states - {"PENDING"}),
    )


def _nothing(job: _Job, why: str) -> JobOutput:
    return JobOutput(job.path, remark=f"{why}: no output{' yet' if job.goes_on else ''}.")


def _unreadable(job: _Job, number: int, reason: str) -> JobOutput:
    """Return an output without text, of a job that may still write one.

    Raises:
        ToolError: the job writes no more, or its file cannot be read.
    """
    if number in (errno.ENOENT, errno.ENOTDIR):
        where = f"on {job.nodes} only" if job.nodes else "on another machine"
        missing = f"{job.path} does not exist where Slurm's tools run. It may be {where}"
        if job.goes_on:
            return JobOutput(job.path, remark=f"Job {job.label} has no output yet: {missing}.")
        raise ToolError(f"The output of job {job.label} cannot be read: {missing}, or removed.")
    if number == errno.ELOOP:
        reason = "it is a symbolic link"
    raise ToolError(f"The output of job {job.label}, {job.path}, cannot be read here: {reason}.")


def _fault(job: _Job, kind: int, uid: int, owner: str) -> str:
    """Return the reason for not showing a file; empty if it may be shown."""
    if kind != stat.S_IFREG:
        return f"is {_KINDS.get(kind, 'of an unknown kind')}, not a regular file"
    return "" if uid == job.uid else f"belongs to {owner}, not to {job.user}, who submitted the job"


def _not_read(job: _Job, rc: int, problem: str) -> str:
    """Return the message for a reader without an answer; its program is not for the eyes."""
    reason = (problem or "python3 shows nothing").replace(repr(READER[-1]), "its program").rstrip(".")
    if rc == NOT_STARTED:
        return (
            f"The output of job {job.label} is {job.path}. To read it safely, python3 is needed where "
            f"Slurm's tools run. ({reason})"
        )
    return f"The output of job {job.label}, {job.path}, cannot be read here: {reason}."


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
