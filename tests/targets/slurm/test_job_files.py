"""The output of a job is read from its user's own file alone, whatever its path names."""

from __future__ import annotations

import errno
import io
import os
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fsconsole.targets.slurm import job_files
from fsconsole.targets.slurm.job_files import READER, JobOutput, read_output
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.tools import LIMIT_S, NOT_STARTED, Answer, ToolError, Tools
from tests.texts import refuses, wording

ME = os.getuid()
SECRET = "root:$6$secret"


class Cluster:
    """scontrol says what a test wants; everything else runs here."""

    def __init__(self, path: object, *, uid: int = ME, state: str = "RUNNING", more: str = "") -> None:
        self.record = (
            "JobId=21 JobName=sim\n"
            f"   UserId=anna({uid}) GroupId=hep(100) MCS_label=N/A\n"
            f"   JobState={state} Reason=None Dependency=(null)\n"
            "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
            f"   NodeList={'' if state == 'PENDING' else 'n[1-2]'}\n"
            f"   StdErr={path}\n   StdIn=/dev/null\n   StdOut={path}\n   Power=\n{more}\n"
        )
        self.asked: list[tuple[str, ...]] = []
        self._tools = Tools(Location())

    def run(self, command: Sequence[str], *, limit_s: float = LIMIT_S) -> Answer:
        self.asked.append(tuple(command))
        if command[0] == "scontrol":
            return Answer(tuple(command), 0, self.record)
        return self._tools.run(command, limit_s=limit_s)

    def read(self, most_bytes: int = 1000) -> JobOutput:
        return read_output(self.run, "21", most_bytes)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "of a job; $(x) 'é' \x1b[31m.txt"
    path.write_text("first\nsecond\n")
    return path


def test_one_question_reads_the_end_of_a_file_that_is_being_written(file: Path) -> None:
    cluster = Cluster(file)
    with file.open("a") as writing:
        assert cluster.read() == JobOutput(str(file), "first\nsecond\n")
        writing.write("".join(f"line {number}\n" for number in range(9000)))
        writing.flush()
        found = cluster.read(100)
    assert (found.is_cut, found.text[:5], found.text[-1]) == (True, "line ", "\n")
    assert found.text.splitlines()[-2:] == ["line 8998", "line 8999"]
    assert len(found.text) < 100
    assert [command[0] for command in cluster.asked] == ["scontrol", "python3"] * 2
    assert not any("\n" in word for word in cluster.asked[1])


def test_bytes_that_are_not_text(file: Path) -> None:
    file.write_bytes(b"\xff\x00\x1b[31m\n")
    assert Cluster(file).read().text == "\ufffd\x00\x1b[31m\n"


def test_output_of_a_start_file_is_not_output_of_the_job(file: Path) -> None:
    cluster = Cluster(file)
    answer = cluster.run((*READER, str(file), str(ME), "99"))
    noisy = Answer(answer.command, 0, f"Welcome to lab\n{answer.stdout}")
    cluster._tools.run = lambda *_a, **_k: noisy  # type: ignore[method-assign]
    assert cluster.read().text == "first\nsecond\n"


def _link(path: Path) -> None:
    secret = path.with_name("secret")
    secret.write_text(SECRET)
    path.symlink_to(secret)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


@pytest.mark.parametrize(
    ("make", "kind"),
    [(_link, "a symbolic link"), (Path.mkdir, "a directory"), (os.mkfifo, "a FIFO"), (_socket, "a socket")],
)
def test_what_is_no_regular_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], object], kind: str
) -> None:
    make(tmp_path / "x")
    began = time.monotonic()
    with pytest.raises(ToolError) as refused:
        Cluster(tmp_path / "x").read()
    assert str(refused.value) == (
        wording(
            "targets.slurm.output-file-of-job",
            job="21",
            path=tmp_path / "x",
            fault=wording("targets.slurm.is-not-regular-file", kind=kind),
            rights=wording("targets.slurm.it-is-not-shown-because"),
        )
    )
    assert time.monotonic() - began < 10  # A FIFO without a writer used to cost the limit of 20 s.


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/stdin", "/proc/self/fd/0"])
def test_devices_and_links_to_them_are_refused(path: str) -> None:
    kind = "a symbolic link" if Path(path).is_symlink() else "a device"
    with refuses(ToolError, "targets.slurm.is-not-regular-file", kind=kind):
        Cluster(path).read()


def test_the_file_of_another_user_is_refused_with_their_name() -> None:
    fault = wording("targets.slurm.belongs-to-not-to-who", owner="root", user="anna")
    with refuses(ToolError, "targets.slurm.output-file-of-job", path="/etc/passwd", fault=fault):
        Cluster("/etc/passwd", uid=ME + 4000).read()


def test_a_file_that_may_not_be_read(file: Path) -> None:
    """Root may read all, so that the reader's answer stands for it."""
    cluster = Cluster(file)
    denied = f"fsconsole-job-output - {errno.EACCES} 0 Permission denied\n"
    cluster._tools.run = lambda command, **_: Answer(tuple(command), 0, denied)  # type: ignore[method-assign]
    reason = os.strerror(errno.EACCES)
    with refuses(ToolError, "targets.slurm.output-of-job-cannot-be-2", path=file, reason=reason):
        cluster.read()


@pytest.mark.parametrize("state", ["RUNNING", "COMPLETING"])
def test_a_missing_file_of_a_job_that_goes_on_is_no_output_yet(tmp_path: Path, state: str) -> None:
    found = Cluster(tmp_path / "none" / "x", state=state).read()
    assert found.text == ""
    assert found.remark == (
        wording(
            "targets.slurm.job-has-no-output-yet",
            label="21",
            missing=wording(
                "targets.slurm.does-not-exist-where-slurm",
                path=f"{tmp_path}/none/x",
                where=wording("targets.slurm.on-only", nodes="n[1-2]"),
            ),
        )
    )


def test_a_missing_file_of_an_ended_job_is_an_error(tmp_path: Path) -> None:
    with refuses(
        ToolError,
        "targets.slurm.does-not-exist-where-slurm",
        path="x",
        where=wording("targets.slurm.on-only", nodes="n[1-2]") + ", " + "or removed.",
    ):
        Cluster(tmp_path / "x", state="COMPLETED").read()


def test_an_empty_file(file: Path) -> None:
    file.write_text("")
    assert Cluster(file).read().remark == (
        wording("targets.slurm.is-empty", path=file)
        + wording("targets.slurm.no-output", why="", value=" yet")
    )
    assert Cluster(file, state="FAILED").read().remark == (
        wording("targets.slurm.is-empty", path=file) + wording("targets.slurm.no-output", why="", value="")
    )


def test_of_a_job_that_has_not_begun_nothing_is_read(file: Path) -> None:
    cluster = Cluster(file, state="PENDING")
    assert cluster.read().remark == (
        wording("targets.slurm.job-has-not-begun", job="21")
        + wording("targets.slurm.no-output", why="", value=" yet")
    )
    assert len(cluster.asked) == 1
    cluster.record = cluster.record.replace("JobState=PENDING", "JobState=CANCELLED")
    assert cluster.read().remark == (
        wording("targets.slurm.job-never-began", job="21")
        + wording("targets.slurm.no-output", why="", value="")
    )
    cluster.record = cluster.record.replace("=CANCELLED", "=PENDING").replace("Restarts=0", "Restarts=1")
    assert cluster.read().text == "first\nsecond\n"


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/tmp/a\nb", ""),
        ("/tmp/a\n", ""),
        ("/tmp/a\n   StdOut=/etc/shadow", ""),
        ("/etc/shadow", "   UserId=root(0) GroupId=root(0) MCS_label=N/A\n"),
        ("", ""),
    ],
)
def test_a_path_or_user_that_a_line_break_may_have_forged_is_refused(path: str, more: str) -> None:
    cluster = Cluster(path, uid=4711, more=more)
    with pytest.raises(ToolError, match=r"contains a line break|gives no single output file"):
        cluster.read()
    assert len(cluster.asked) == 1


def test_without_python_the_path_is_given(file: Path) -> None:
    cluster = Cluster(file)
    problem = f"python3: {READER[-1]!r} contains (, which a shell after hpc may interpret."
    cluster._tools.run = lambda command, **_: Answer(tuple(command), NOT_STARTED, problem=problem)  # type: ignore[method-assign]
    with pytest.raises(ToolError) as refused:
        cluster.read()
    reason = problem.replace(repr(READER[-1]), "its program").removesuffix(".")
    assert str(refused.value) == wording(
        "targets.slurm.output-of-job-is-to", label="21", path=file, reason=reason
    )


def _swapped(monkeypatch: pytest.MonkeyPatch, swap: Callable[[], object], *arguments: object) -> str:
    """Return the output of the reader whose file is replaced after its look at the path."""
    looked, shown = os.lstat, io.BytesIO()

    def lstat(path: str) -> os.stat_result:
        seen = looked(path)
        swap()
        return seen

    before = signal.getsignal(signal.SIGALRM)
    with monkeypatch.context() as patched:
        patched.setattr(os, "lstat", lstat)
        patched.setattr(os, "write", lambda _to, data: shown.write(data))
        patched.setattr(sys, "argv", ["-c", *map(str, arguments)])
        try:
            exec(READER[-1], {})
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
    return shown.getvalue().decode()


def test_a_link_put_in_after_the_look_is_not_followed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def swap() -> None:
        file.unlink()
        _link(file)

    assert _swapped(monkeypatch, swap, file, ME, 99).split()[1:3] == ["-", str(errno.ELOOP)]


def test_a_folder_replaced_after_the_look_shows_no_file_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that was opened decides, not the path: /etc/passwd is not the user's."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "passwd").write_text("mine\n")

    def swap() -> None:
        folder.rename(tmp_path / "away")
        folder.symlink_to("/etc")

    shown = _swapped(monkeypatch, swap, folder / "passwd", ME or 4711, 99)
    assert shown.split()[1:3] == [str(stat.S_IFREG), "0"]
    assert shown.count("\n") == 1


def test_the_reader_ends_by_itself_before_its_answer_is_given_up() -> None:
    """Behind ssh nothing ends it, as there is no terminal to hang up."""
    assert job_files._READER_LIMIT_S < job_files._LIMIT_S
    assert f"signal.alarm({job_files._READER_LIMIT_S})" in READER[-1]
