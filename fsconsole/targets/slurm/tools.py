"""Slurm's tools in child processes: directly, or after a command prefix such as `ssh login1`.

Nothing is run through a shell here. ssh joins its arguments for a shell at the other end, so that it gets the
command as one quoted word; every other prefix (sudo, docker exec, env) takes the words as they are.
"""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from fsconsole.targets.slurm.child import Bounds, Ended, run_child
from fsconsole.targets.slurm.delivery import Delivery, delivery_of
from fsconsole.targets.slurm.location import Location, captured_folder
from fsconsole.targets.slurm.tool_errors import late, no_settings_file, not_started, trouble

READ_BYTES = 256 << 20
COMMAND_BYTES = 1 << 20
LIMIT_S = 60.0
NOT_STARTED = 127
TIMES = ("env", "SLURM_TIME_FORMAT=%s")
"""In front of a command whose times are read: they are seconds since 1970 then, in any zone."""

# ssh must not prompt for a password that cannot be seen, and must report a dead connection.
_SSH_OPTIONS = {
    "BatchMode": "yes",
    "ConnectTimeout": "10",
    "ServerAliveInterval": "15",
    "ServerAliveCountMax": "3",
}
# These programs pass on the words after them unchanged.
_HANDS_ON = {"sudo", "doas", "env", "nice", "ionice", "nsenter", "docker", "podman", "chroot", "timeout"}
_SHELL_SIGNS = ";&|<>()$`*?[]{}!#~'\"\\^"
_SHOWING = frozenset(("squeue", "sshare", "sinfo", "sprio", "sacct"))
# Users set these for themselves at a shell. They would change what the tools print, or what they act on.
_WISHES = ("SQUEUE_", "SINFO_", "SSHARE_", "SPRIO_", "SCANCEL_", "SCONTROL_", "SACCT_")
_MORE_WISHES = frozenset(("SLURM_CLUSTERS", "SLURM_TIME_FORMAT"))


class ToolError(Exception):
    """Error: a tool could not be run or failed; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Output of a tool. Exit status 0 does not prove that the tool did anything.

    Attributes:
        command: what was asked, without the prefix.
        rc: exit status; negative: the signal that ended it. 127 where it could not be started.
        stdout, stderr: what it printed; the beginning of that, where it `was_cut`.
        took_s: how long it ran.
        was_cut: it printed without end, and was ended for that.
        timed_out: it did not end by itself within its time.
        was_stopped: it was ended on request.
        problem: what is wrong in a sentence; empty where it ended by itself with exit status 0.
        delivery: whether it reached Slurm, as far as the output of a tool that ended by itself shows.
    """

    command: tuple[str, ...]
    rc: int
    stdout: str = ""
    stderr: str = ""
    took_s: float = 0.0
    was_cut: bool = False
    timed_out: bool = False
    was_stopped: bool = False
    problem: str = ""
    delivery: Delivery = Delivery.ANSWERED

    @property
    def is_well(self) -> bool:
        """True if the tool ended by itself with exit status 0."""
        return not self.problem

    @property
    def was_not_sent(self) -> bool:
        """True if the command certainly did not reach Slurm."""
        return self.rc == NOT_STARTED or self.delivery is Delivery.NOT_SENT

    @property
    def was_lost(self) -> bool:
        """True if the connection was lost, or others ended the tool, after the command may have begun."""
        return self.delivery is Delivery.OPEN

    @property
    def is_open(self) -> bool:
        """True if the command may have taken effect, or may still do so, without an answer of Slurm."""
        is_ended = self.timed_out or self.was_stopped or self.was_cut
        return self.was_lost or (is_ended and not self.was_not_sent)


@dataclass(frozen=True, eq=False, slots=True)
class Running:
    """A tool that has not answered yet: its name, its time limit, and when it began (monotonic)."""

    tool: str
    limit_s: float
    began: float


class Run(Protocol):
    """Runs one command and answers; nothing that happens outside is an exception."""

    def __call__(self, command: Sequence[str], *, limit_s: float = ...) -> Answer:
        """Run a command, given without the prefix."""
        ...


class Stop:
    """Request to stop that one thread sets and others check."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __call__(self) -> bool:
        """Return True if it was uttered."""
        return self._event.is_set()

    def stop(self) -> None:
        """Request the end of the work."""
        self._event.set()

    def wait(self, most_s: float) -> bool:
        """Wait for it, at most so many seconds; whether it was uttered."""
        return self._event.wait(most_s)


class Tools:
    """Runs the tools of one place; may be called in several threads at a time.

    Attributes:
        place: where they are.
        closed: whether everything was ended.
        remote_user: user whom the tools run as; empty while it is not known.
    """

    def __init__(self, place: Location, environment: Mapping[str, str] | None = None) -> None:
        """Prepare tools that run in the environment, by default that of this process."""
        self.place = place
        self._environment = _tidy(os.environ if environment is None else environment)
        self.closed = Stop()
        self.remote_user = ""
        self._running: dict[int, Running] = {}
        self._lock = threading.Lock()

    def run(
        self,
        command: Sequence[str],
        *,
        limit_s: float = LIMIT_S,
        most_bytes: int | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Answer:
        """Run a command and answer, whatever comes of it.

        Args:
            command: argument list without the prefix.
            limit_s: seconds after which it is ended.
            most_bytes: how much it may print before it is ended; much by itself where it only shows things.
            stop: whether it is to be ended at once; asked ten times a second.
        """
        parts = tuple(command)
        most_bytes = most_bytes or (READ_BYTES if only_shows(parts) else COMMAND_BYTES)

        def is_stopped() -> bool:
            return self.closed() or (stop is not None and stop())

        if is_stopped():
            return Answer(parts, NOT_STARTED, was_stopped=True, problem=f"{parts[0]} was not started")
        if problem := misread(self.place.prefix, parts) or self._lacks_settings():
            return Answer(parts, NOT_STARTED, problem=problem)
        running = Running(tool_of(parts), limit_s, time.monotonic())
        with self._lock:
            self._running[id(running)] = running
        try:
            ended = run_child(
                self.argv(parts), self._environment, Bounds(limit_s, most_bytes, is_stopped=is_stopped)
            )
        except (OSError, ValueError) as error:
            return Answer(parts, NOT_STARTED, problem=not_started(self.place.prefix, parts, error))
        finally:
            with self._lock:
                del self._running[id(running)]
        return self._answer(parts, ended, limit_s, most_bytes)

    def slow(self, after_s: float) -> tuple[Running, ...]:
        """Return the running commands that have not answered for so many seconds, the longest first."""
        with self._lock:
            found = [one for one in self._running.values() if time.monotonic() - one.began >= after_s]
        return tuple(sorted(found, key=lambda one: one.began))

    def _lacks_settings(self) -> str:
        """Return the reason why no tool can begin here: each would look for a missing slurm.conf a
        minute long.
        """
        path = self._environment.get("SLURM_CONF", "")
        if self.place.prefix or not path or os.path.lexists(path):
            return ""
        return no_settings_file(path)

    def read(
        self,
        command: Sequence[str],
        *,
        limit_s: float = LIMIT_S,
        most_bytes: int | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Answer:
        """Run a command that prints something.

        Raises:
            ToolError: the tool failed, or its output is incomplete.
        """
        answer = self.run(command, limit_s=limit_s, most_bytes=most_bytes, stop=stop)
        if answer.problem:
            raise ToolError(answer.problem)
        return answer

    def argv(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return the whole argument list, prefix included."""
        return with_prefix(self.place.prefix, command)

    def close(self) -> None:
        """End everything that runs; nothing is begun any more."""
        self.closed.stop()

    def _answer(self, command: tuple[str, ...], ended: Ended, limit_s: float, most_bytes: int) -> Answer:
        stdout = ended.stdout.decode("utf-8", "replace")
        stderr = ended.stderr.decode("utf-8", "replace")
        delivery = Delivery.ANSWERED
        if ended.was_stopped:
            problem = f"{tool_of(command)} was stopped"
        elif ended.timed_out:
            problem = late(tool_of(command), limit_s, stderr)
        elif ended.was_cut:
            problem = f"{tool_of(command)} printed more than {_size(most_bytes)} and was ended"
        else:
            problem = trouble(self.place.prefix, tool_of(command), ended.rc, stdout, stderr)
            delivery = delivery_of(self.place.prefix, ended.rc, stdout, stderr)
        return Answer(
            command,
            ended.rc,
            stdout,
            stderr,
            ended.took_s,
            was_cut=ended.was_cut,
            timed_out=ended.timed_out,
            was_stopped=ended.was_stopped,
            problem=problem,
            delivery=delivery,
        )


def tool_of(command: Sequence[str]) -> str:
    """Return the name of the tool that a command calls, whatever `env` precedes it."""
    words = [word for word in command if word != "env" and "=" not in word.partition(" ")[0]]
    return PurePath(words[0]).name if words else command[0]


def only_shows(command: Sequence[str]) -> bool:
    """Return True if a command only prints data, even if that is much."""
    return tool_of(command) in _SHOWING or bool({"show", "list"}.intersection(command))


def misread(prefix: Sequence[str], command: Sequence[str]) -> str:
    """Return the reason why a command that changes something is not run behind a prefix; empty where
    it may be.

    Behind `ssh` words are quoted here, and programs such as sudo hand them on as they are. Any other program
    may have a shell read them, as a script with `ssh HOST "$@"` does: a name with signs of the shell would be
    another command there.
    """
    knows = not prefix or bool(_hops(prefix)) or PurePath(prefix[0]).name in _HANDS_ON
    if knows or captured_folder(prefix) is not None or only_shows(command):
        return ""
    for word in command:
        sign = next((sign for sign in word if sign.isspace() or sign in _SHELL_SIGNS), "")
        if sign:
            shown = "a blank" if sign == " " else sign if sign.isprintable() else f"U+{ord(sign):04X}"
            return (
                f"{tool_of(command)}: {word!r} contains {shown}, which a shell after {prefix[0]} "
                'may interpret. Use --via "ssh HOST", or run fsconsole where Slurm is.'
            )
    return ""


def with_prefix(prefix: Sequence[str], command: Sequence[str]) -> tuple[str, ...]:
    """Join prefix and command in one argument list.

    A word `ssh` that is followed by others is taken for the program: it gets options that keep it from asking
    and from hanging, unless the prefix has them, and what stands behind it is quoted for the shell at the
    other end: once for every ssh.
    """
    hops = _hops(prefix)
    given = " ".join(prefix).lower()
    options = [f"-o{name}={value}" for name, value in _SSH_OPTIONS.items() if name.lower() not in given]
    words: list[str] = []
    for place, word in enumerate(prefix):
        words.append(word)
        if place in hops:
            words += options
    return (*words, *_behind(hops, command))


def shown_command(prefix: Sequence[str], command: Sequence[str]) -> str:
    """Return the command as a person could paste it into a shell."""
    return shlex.join((*prefix, *_behind(_hops(prefix), command)))


def _hops(prefix: Sequence[str]) -> list[int]:
    return [place for place, word in enumerate(prefix[:-1]) if PurePath(word).name == "ssh"]


def _behind(hops: Sequence[int], command: Sequence[str]) -> tuple[str, ...]:
    """Return the command after the prefix: quoted once for every shell that reads it."""
    if not hops:
        return tuple(command)
    line = shlex.join(command)
    for _ in hops[1:]:
        line = shlex.quote(line)
    return (line,)


def _tidy(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environment.items()
        if name not in _MORE_WISHES and not name.startswith(_WISHES)
    }
    return kept | {"LC_ALL": "C"}


def _size(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} kB"
