"""Slurm's tools in child processes: directly, or after a command prefix such as `ssh login1`.

Nothing is run through a shell here. What a shell at the other end reads is quoted for any
shell, see `prefixes`.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Protocol

from fsconsole.targets.slurm.child import Bounds, Ended, run_child
from fsconsole.targets.slurm.delivery import Delivery, delivery_of
from fsconsole.targets.slurm.host_link import SHARED_AT_ONCE, HostLink, Turn
from fsconsole.targets.slurm.host_probe import (
    SEARCH_S,
    SETTINGS_FILES,
    HostFacts,
    is_of_slurm,
    is_output_variable,
    probe_words,
    read_probe,
    split_at_mark,
    without_output_variables,
    wrapper_words,
)
from fsconsole.targets.slurm.location import Location, captured_folder
from fsconsole.targets.slurm.prefixes import Prefix, read_prefix
from fsconsole.targets.slurm.replay import captured_answer
from fsconsole.targets.slurm.shell_words import line_of, quoted
from fsconsole.targets.slurm.ssh import (
    SharedConnection,
    drop_dead,
    hop_options,
    output_of,
    settings_of,
    shared_connection,
    stop_sharing,
)
from fsconsole.targets.slurm.ssh_faults import SSH_FAILED, FaultKind, LinkFault, link_fault
from fsconsole.targets.slurm.tool_errors import (
    TIMED_OUT,
    blames_settings,
    late,
    no_settings,
    no_settings_file,
    not_run,
    not_started,
    trouble,
)

READ_BYTES = 256 << 20
COMMAND_BYTES = 1 << 20
LOOK_S = 20.0
LIMIT_S = 60.0
NOT_STARTED = 127
TIMES_KEY = "SLURM_TIME_FORMAT=%s"
TIMES = ("env", TIMES_KEY)
"""In front of a command whose times are read: they are seconds since 1970 then, in any zone."""

_SHOWING = frozenset(("squeue", "sshare", "sprio", "sacct"))
_RESTS_S = 1.0  # After this time a host that closed a connection at once is asked once more.
_KEPT_TIMES = 8
# How a program hands on a word with every sign of a shell tells how many shells read its words. sudo -i, for
# instance, quotes all but one of the signs.
_WAY_PLAIN, _WAY_FORMAT = "fsconsole $HOME ~ * {a,b} %s ^a ! ' \" \\ #", "%s:"
_WAY_WORD = quoted(_WAY_PLAIN)
_WAY_ANSWERS = {f"{_WAY_WORD}:": 0, f"{_WAY_PLAIN}:": 1}


class ToolError(Exception):
    """Error: a tool could not be run or failed; the message is for the operator.

    Attributes:
        fault: of the link to the tool, which all other tools share; None where it is the tool's own.
    """

    def __init__(self, message: str, fault: LinkFault | None = None) -> None:
        """Keep the reason, in a sentence."""
        super().__init__(message)
        self.fault = fault


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
        fault: of the link to the tool; None where it was reached.
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
    fault: LinkFault | None = None

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


@dataclass(frozen=True, slots=True)
class Connection:
    """How commands reach the tools, as far as it is known.

    Attributes:
        host: what they are sent to; empty without ssh.
        facts: what the first command found there.
        is_shared: whether all commands share one connection.
        lack: why they do not, in a sentence; empty where they do.
    """

    host: str = ""
    facts: HostFacts | None = None
    is_shared: bool = False
    lack: str = ""


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


@dataclass(frozen=True, slots=True)
class _Sent:
    """How a command was sent.

    Attributes:
        is_probe: whether it printed facts about the host first.
        is_marked: whether it prints the mark before the tool begins.
        is_login: whether it logs in, if no connection is open.
    """

    is_probe: bool
    is_marked: bool
    is_login: bool


class Tools:
    """Runs the tools of one place; may be called in several threads at a time.

    Attributes:
        place: where they are.
        closed: whether everything was ended.
        facts: what the first command found behind a prefix; None before, and without a prefix.
        link: the link to the host, if there is one.
        log_in: asks a person to log in, for a fault that this can mend; returns whether that went well.
        is_asking: whether a person is asked now.
    """

    def __init__(self, place: Location, environment: Mapping[str, str] | None = None) -> None:
        """Prepare tools that run in the environment, by default that of this process."""
        self.place = place
        self._environment = _tidy(os.environ if environment is None else environment)
        self.closed = Stop()
        self.facts: HostFacts | None = None
        self.link = HostLink(lambda: self.shared.is_open)
        self.log_in: Callable[[LinkFault], bool] | None = None
        self.is_asking = False
        self._shared: SharedConnection | None = None
        self._was_open = False
        self._mark = f"fsconsole:{secrets.token_hex(6)}"  # What start files print cannot forge it.
        self._more_shells: int | None = None
        self._has_counted = False
        self._has_answered = False
        self._times_s: list[float] = []
        self._running: dict[int, Running] = {}
        self._lock = threading.Lock()
        self._sharing = threading.Lock()  # ssh itself may take seconds to show its settings.
        self._counting = threading.Lock()
        self._here = threading.local()

    @property
    def prefix(self) -> Prefix:
        """The prefix, as its programs read it."""
        return read_prefix(self.place.prefix)

    @property
    def remote_user(self) -> str:
        """User who the commands run as at the other end of the prefix; empty while that is not known."""
        facts = self.facts
        return facts.user if facts is not None else ""

    @property
    def is_hopeless(self) -> bool:
        """True if no tool can succeed: the link is closed, or its end has no slurm.conf or no Slurm."""
        facts = self.facts
        lacks = facts is not None and (facts.lacks_settings or not facts.tool) and not self._has_answered
        return lacks or self.link.fault is not None

    @property
    def shared(self) -> SharedConnection:
        """The connection that all commands share; one without a path where none is needed."""
        with self._sharing:
            if self._shared is None:
                self._shared = shared_connection(self.prefix, self._environment, connections_folder())
                self._was_open = self._shared.is_open
            return self._shared

    @property
    def connection(self) -> Connection:
        """How commands reach the tools; of a host that was reached."""
        prefix, facts = self.prefix, self.facts
        if not prefix.is_elsewhere or self._shared is None:
            return Connection()
        lack, is_open = self._shared.lack, self._shared.is_open
        if prefix.is_here_ssh and facts is not None and not (lack or is_open):
            lack = f"{prefix.host} does not keep connections open"
        return Connection(prefix.host, facts, is_open, lack)

    @property
    def link_s(self) -> float:
        """Time that a command in a shared connection takes on the link: that of the quickest of late."""
        with self._lock:
            return min(self._times_s, default=0.0) if self._shared and self._shared.is_open else 0.0

    def take_link_s(self) -> float:
        """Return the time that commands of this thread spent on the link since the last call."""
        spent_s: float = getattr(self._here, "link_s", 0.0)
        self._here.link_s = 0.0
        return spent_s

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
            return _not_begun(parts)
        if problem := self._lacks_settings():
            return Answer(parts, NOT_STARTED, problem=problem)
        limit_s = self._patience(parts, limit_s)
        bounds = Bounds(limit_s, most_bytes, is_stopped=is_stopped)
        running = Running(tool_of(parts), limit_s, time.monotonic())
        with self._lock:
            self._running[id(running)] = running
        try:
            return self._over_link(parts, bounds) if self.prefix.is_elsewhere else self._once(parts, bounds)
        finally:
            with self._lock:
                del self._running[id(running)]

    def _over_link(self, command: tuple[str, ...], bounds: Bounds) -> Answer:
        """Run a command in its turn; in another one where the open connection was gone or had no room."""
        _ = self.shared  # Look for it here, as the link, and who asks it, must not wait for that.
        for _ in range(SHARED_AT_ONCE + 1):
            answer, has_begun = self._in_turn(command, bounds)
            if has_begun:
                break
        return answer

    def _in_turn(self, command: tuple[str, ...], bounds: Bounds) -> tuple[Answer, bool]:
        """Run a command in its turn; return the answer, and whether that is final.

        Where an open connection is shared, only one that goes alone may log in: the others would all do so
        at once.
        """
        began = time.monotonic()
        with self.link.turn(bounds.is_stopped) as turn:
            if turn.fault is not None:
                text = turn.fault.sentence
                not_sent = Delivery.NOT_SENT
                return Answer(command, SSH_FAILED, problem=text, delivery=not_sent, fault=turn.fault), True
            if turn.is_stopped:
                return _not_begun(command), True
            waited_s = time.monotonic() - began
            if turn.is_first:
                self.facts = None
            stays = not turn.is_first and self.link.is_shared
            answer = self._probed(command, bounds, stays=stays)
            kind = answer.fault.kind if answer.fault is not None else None
            if stays and kind is FaultKind.NO_SESSION:
                self.link.limit_sessions()
                return answer, False
            turn.is_lost = stays and kind is FaultKind.CLOSED
            if turn.is_lost:
                return answer, False
            answer = self._again(command, bounds, answer, turn)
            turn.result = answer.fault
            is_in_doubt = answer.was_stopped or answer.rc == NOT_STARTED
            turn.has_reached = self.facts is not None or not is_in_doubt
            self._here.link_s = getattr(self._here, "link_s", 0.0) + waited_s + self._link_s_of(answer, turn)
            return answer, True

    def _link_s_of(self, answer: Answer, turn: Turn) -> float:
        """Return the time that a command took on the link; all of it where it logged in."""
        return answer.took_s if turn.is_first and self.prefix.hops else min(self.link_s, answer.took_s)

    def _again(self, command: tuple[str, ...], bounds: Bounds, answer: Answer, turn: Turn) -> Answer:
        """Try once more where a busy host closed the connection, or where a person has logged in."""
        fault = answer.fault
        if fault is None:
            return answer
        if fault.kind is FaultKind.CLOSED:
            if self.closed.wait(_RESTS_S) or bounds.is_stopped():
                return answer
        elif not (turn.is_first and fault.can_ask and self.log_in is not None and self.log_in(fault)):
            return answer
        return self._probed(command, bounds)

    def _probed(self, command: tuple[str, ...], bounds: Bounds, *, stays: bool = False) -> Answer:
        """Run a command that looks at the other end before, if that is not known yet.

        With `stays` it goes through the open connection or not at all.
        """
        if (failed := self._try_unknown_program(command, bounds, stays=stays)) is not None:
            return failed
        is_understood = not self.prefix.unknown_program or self._more_shells is not None
        probe = probe_words(bounds.limit_s, self._mark) if self.facts is None and is_understood else ()
        return self._once(command, bounds, probe, stays=stays)

    def _once(
        self, command: tuple[str, ...], bounds: Bounds, probe: Sequence[str] = (), *, stays: bool = False
    ) -> Answer:
        facts, prefix = self.facts, self.prefix
        if problem := prefix.refusal(command, more_shells=self._more_shells):
            return Answer(command, NOT_STARTED, problem=f"{tool_of(command)}: {problem}")
        try:
            with _message_file(is_used=prefix.is_here_ssh) as messages:
                options = hop_options(prefix, self.shared, stays=stays, messages=messages)
                argv = self._argv(command, bounds.limit_s, probe, facts, options)
                ended = self._captured(command) or run_child(argv, self._environment, bounds)
                own = None if messages is None else messages.read_text("utf-8", "replace")
        except (OSError, ValueError) as error:
            return Answer(command, NOT_STARTED, problem=not_started(self.place.prefix, command, error))
        sent = _Sent(is_probe=bool(probe), is_marked=bool(probe) or facts is not None, is_login=not stays)
        return self._answer(command, ended, bounds, own, sent)

    def _captured(self, command: tuple[str, ...]) -> Ended | None:
        """Return the answer of a capture folder, which needs no process of its own; None for a cluster."""
        folder = captured_folder(self.place.prefix)
        if folder is None:
            return None
        stdout, stderr, rc = captured_answer(folder, command)
        return Ended(rc, bytearray(stdout, "utf-8"), bytearray(stderr, "utf-8"))

    def _argv(
        self,
        command: tuple[str, ...],
        limit_s: float,
        probe: Sequence[str],
        facts: HostFacts | None,
        options: Sequence[Sequence[str]],
    ) -> tuple[str, ...]:
        """Return the whole argument list."""
        prefix = self.prefix
        if not prefix.is_elsewhere:
            return prefix.argv(command)
        wrapper = wrapper_words(facts, limit_s, self._mark) if facts is not None else ()
        found = facts.output_variables if facts is not None else ()
        return prefix.argv(
            without_output_variables(tool_of(command), command, found) if not prefix.keeps_rules else command,
            options=options,
            ours=probe or wrapper,
            more_shells=self._more_shells or 0,
        )

    def _try_unknown_program(self, command: tuple[str, ...], bounds: Bounds, *, stays: bool) -> Answer | None:
        """See how a program that is not known hands words on, by a command that does nothing; return the
        answer of the command itself where that fails.
        """
        if not self.prefix.unknown_program:
            return None
        with self._counting:
            return None if self._has_counted else self._count_shells(command, bounds, stays=stays)

    def _count_shells(self, command: tuple[str, ...], bounds: Bounds, *, stays: bool) -> Answer | None:
        """Count the shells behind a program that is not known. It stays unknown where the link fails, or
        where the count is stopped: the next command counts again.
        """
        argv = self.prefix.argv(
            ("printf", _WAY_FORMAT, _WAY_WORD),
            options=hop_options(self.prefix, self.shared, stays=stays),
        )
        try:
            ended = run_child(argv, self._environment, replace(bounds, limit_s=min(bounds.limit_s, LOOK_S)))
        except (OSError, ValueError) as error:
            return Answer(command, NOT_STARTED, problem=not_started(self.place.prefix, command, error))
        if ended.was_stopped:
            return _not_begun(command)
        stderr = ended.stderr.decode("utf-8", "replace")
        fault = None if ended.must_end else self._fault(ended.rc, stderr, None)
        if fault is not None:
            not_sent = Delivery.NOT_SENT
            return Answer(command, SSH_FAILED, problem=fault.sentence, delivery=not_sent, fault=fault)
        text = ended.stdout.decode("utf-8", "replace")
        found = (shells for sign, shells in _WAY_ANSWERS.items() if text.endswith(sign))
        self._more_shells = next(found, None) if ended.rc == 0 else None
        self._has_counted = True
        return None

    def retry(self) -> None:
        """Let the next command try the link again, as a person asks."""
        self.link.retry()

    def login_argv(self) -> tuple[str, ...]:
        """Return the command that logs in by hand and leaves the shared connection open; empty where none can
        be shared.
        """
        if not self.prefix.hops or self.shared.path is None:
            return ()
        options = hop_options(self.prefix, self.shared, may_ask=True)
        return self.prefix.argv(("true",), options=options)

    def close_shared(self) -> None:
        """End the shared connection once nothing runs in it, unless another program has opened it."""
        if self._shared is not None and not self._was_open:
            stop_sharing(self.prefix, self._shared, self._environment)

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

    def _patience(self, command: Sequence[str], limit_s: float) -> float:
        """Return the time limit: a short one where the tools are here, no slurm.conf is in sight, and none of
        them has answered yet.
        """
        if self.place.prefix or self._has_answered or not only_shows(command):
            return limit_s
        return limit_s if "SLURM_CONF" in self._environment or _has_settings() else min(limit_s, SEARCH_S)

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
            raise ToolError(answer.problem, answer.fault)
        return answer

    def close(self) -> None:
        """End everything that runs; nothing is begun any more."""
        self.closed.stop()

    def _answer(
        self, command: tuple[str, ...], ended: Ended, bounds: Bounds, own: str | None, sent: _Sent
    ) -> Answer:
        stdout = ended.stdout.decode("utf-8", "replace")
        stderr = ended.stderr.decode("utf-8", "replace")
        delivery = Delivery.ANSWERED
        if not ended.must_end:
            delivery = delivery_of(self.place.prefix, ended.rc, stdout, stderr, own)
        is_missing = False
        is_refused = sent.is_login and sent.is_marked and not stdout
        if sent.is_marked:
            before, rest = split_at_mark(stdout, self._mark)
            is_missing = rest == stdout and not ended.must_end and ended.rc == 0
            stdout = rest
            if sent.is_probe and (facts := read_probe(before, self._mark)) is not None:
                self.facts = facts
        fault = None if ended.must_end else self._fault(ended.rc, stderr, own, is_refused=is_refused)
        if ended.timed_out and drop_dead(self.prefix, self.shared, self._environment):
            self.link.lose()
        if not (sent.is_probe or fault or ended.must_end):
            with self._lock:
                self._times_s = [*self._times_s[1 - _KEPT_TIMES :], ended.took_s]
        if ended.rc == 0 and is_of_slurm(tool_of(command)):
            self._has_answered = True
        problem = fault.sentence if fault else self._problem(command, ended, stdout, stderr, bounds)
        if is_missing:
            problem, delivery = not_run(self.place.prefix, tool_of(command)), Delivery.NOT_SENT
        return Answer(
            command,
            ended.rc,
            stdout,
            stderr,
            ended.took_s,
            was_cut=ended.was_cut,
            timed_out=ended.timed_out or (ended.rc == TIMED_OUT and self.prefix.is_elsewhere),
            was_stopped=ended.was_stopped,
            delivery=delivery,
            problem=problem,
            fault=fault,
        )

    def _problem(
        self, command: tuple[str, ...], ended: Ended, stdout: str, stderr: str, bounds: Bounds
    ) -> str:
        tool = tool_of(command)
        if ended.was_stopped:
            return f"{tool} was stopped"
        facts = self.facts
        is_searching = ended.timed_out or ended.rc == TIMED_OUT or blames_settings(stderr)
        is_in_doubt = facts is not None and facts.lacks_settings and not self._has_answered
        if facts is not None and is_in_doubt and is_searching and is_of_slurm(tool):
            return no_settings(self.place.prefix, self.prefix.host or facts.host, facts.settings)
        if ended.timed_out:
            if not self.place.prefix and bounds.limit_s == SEARCH_S and not _has_settings():
                return no_settings((), "this machine", "")
            return late(tool, bounds.limit_s, stderr)
        if ended.was_cut:
            return f"{tool} printed more than {_size(bounds.most_bytes)} and was ended"
        if ended.rc == TIMED_OUT and self.prefix.is_elsewhere:
            return late(tool, bounds.limit_s, stderr)
        login_tool = facts.login_tool if facts is not None else ""
        return trouble(self.place.prefix, tool, ended.rc, stdout, stderr, login_tool)

    def login_fault(self, rc: int, stderr: str) -> LinkFault | None:
        """Return the fault of a login by hand from the end of ssh; None where it went well."""
        return self._fault(rc, stderr, None)

    def _fault(self, rc: int, stderr: str, own: str | None, *, is_refused: bool = False) -> LinkFault | None:
        def settings() -> dict[str, str]:
            return settings_of(self.prefix, self._environment)

        def look(argv: Sequence[str]) -> str:
            return output_of(argv, self._environment)

        return link_fault(self.prefix, rc, stderr, own, settings, look, is_refused=is_refused)


@contextmanager
def _message_file(*, is_used: bool) -> Iterator[Path | None]:
    """Make an empty file for messages of ssh itself, and remove it in the end; None where it is not used."""
    if not is_used:
        yield None
        return
    handle, name = tempfile.mkstemp(prefix="fsconsole-ssh-")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def connections_folder() -> Path:
    """Return the folder of shared connections, in the user's state folder."""
    from platformdirs import user_state_path

    return user_state_path("fsconsole") / "ssh"


def _not_begun(command: tuple[str, ...]) -> Answer:
    problem = f"{tool_of(command)} was not started"
    return Answer(command, NOT_STARTED, was_stopped=True, problem=problem, delivery=Delivery.NOT_SENT)


def _has_settings() -> bool:
    return any(map(os.path.lexists, SETTINGS_FILES))


def tool_of(command: Sequence[str]) -> str:
    """Return the name of the tool that a command calls, whatever `env` precedes it."""
    words = [word for word in command if word != "env" and "=" not in word.partition(" ")[0]]
    return PurePath(words[0]).name if words else command[0]


def only_shows(command: Sequence[str]) -> bool:
    """Return True if a command only prints data, even if that is much."""
    return tool_of(command) in _SHOWING or bool({"show", "list"}.intersection(command))


def shown_command(prefix: Sequence[str], command: Sequence[str]) -> str:
    """Return the command as a person could paste it into a shell of any kind.

    Of a capture it is that for its cluster.
    """
    way = () if captured_folder(prefix) is not None else tuple(prefix)
    return line_of(read_prefix(way).argv(command))


def _tidy(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if not is_output_variable(name)}
    return kept | {"LC_ALL": "C"}


def _size(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} kB"
