"""Access to a real cluster from the command line: location of its tools, and one reading of their output."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial, wraps
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fsconsole.cli.errors import UNKNOWN, UNUSABLE, UserError, print_problem
from fsconsole.cli.interrupts import interrupts
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.words import first_of

if TYPE_CHECKING:
    from fsconsole.recording.audit import AuditRow
    from fsconsole.slurm.association_status import AssociationStatus
    from fsconsole.slurm.cluster_tree import ClusterTree
    from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
    from fsconsole.slurm.parsers.sshare import Sshare
    from fsconsole.targets.slurm.audit_rows import Author
    from fsconsole.targets.slurm.location import Location
    from fsconsole.targets.slurm.reports import ActionReport, ChangeReport
    from fsconsole.targets.slurm.ssh_faults import LinkFault
    from fsconsole.targets.slurm.state import PartName
    from fsconsole.targets.slurm.tools import Stop, Tools

_LOOK_EVERY_S = 0.1
_NO_CONTROLLER = ("slurmctld does not respond", "scontrol did not respond")
_SLOW_S = 3.0  # A tool that has not responded after this many seconds is named.
_SETTINGS_S = 20.0  # slurmctld returns its settings at once or not at all.
_MOST_NOTES = 5
_LAST_WORDS_S = 4.0  # A tool that must be killed ends within this many seconds.
Made = TypeVar("Made")
F = TypeVar("F", bound=Callable[..., Any])


def prefix(_ctx: click.Context, _option: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Return the argument list before each of Slurm's tools; a usage error if it is invalid."""
    if text is None:
        return ()
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        msg = "cannot read the command: a quote is not closed"
        raise click.BadParameter(msg) from None
    if not words or words[0].startswith("-"):
        msg = 'write a command, such as "ssh login1"'
        raise click.BadParameter(msg)
    return words


live_option = click.option(
    "--via", callback=prefix, metavar="COMMAND",
    help="Command prefix for each of Slurm's tools, such as \"ssh login1\". Default: none.",
)  # fmt: skip
"""The option of commands that need a live cluster."""


def via_option(function: F) -> F:
    """Add the options that name a cluster, --via and --capture; `via` is the prefix of either.

    A command that changes a cluster takes a capture only with --dry-run.
    """

    @live_option
    @click.option(
        "--capture", "captured", type=click.Path(path_type=Path), metavar="FOLDER",
        help="Capture folder to read instead of a cluster.",
    )  # fmt: skip
    @wraps(function)
    def command(*arguments: Any, via: tuple[str, ...], captured: Path | None, **options: Any) -> Any:
        if captured is None and not via:
            _check_terms(options.get("terms", ()))
        if captured is not None:
            if via:
                raise click.UsageError("--capture and --via exclude each other")
            via = _prefix_of(captured)
            if options.get("dry_run") is False:
                raise click.UsageError("a capture cannot be changed: --capture needs --dry-run")
        return function(*arguments, via=via, **options)

    return cast("F", command)


def _check_terms(terms: Sequence[str]) -> None:
    """Refuse a capture folder among terms of a filter, which would be asked of a live cluster."""
    from fsconsole.targets.slurm.location import is_capture

    for term in terms:
        if Path(term).is_dir() and is_capture(Path(term)):
            raise click.UsageError(capture_hint(term))


def capture_hint(folder: str) -> str:
    """Return advice on giving a capture folder to a command."""
    return f"{folder} is a capture folder. Give it with --capture {folder}"


def _prefix_of(captured: Path) -> tuple[str, ...]:
    """Return the prefix that answers from a capture folder; wrong use where it is none."""
    from fsconsole.app.kinds import Kind, capture_refusal, kind_of
    from fsconsole.targets.slurm.location import capture_place

    kind = kind_of(captured)
    if kind is None:
        why = "is a device or a pipe, not a folder" if captured.exists() else "does not exist"
        raise click.UsageError(f"--capture: {captured} {why}")
    if kind is not Kind.CAPTURE:
        raise click.UsageError(f"--capture: {capture_refusal(captured, 'a capture folder', kind)}")
    return capture_place(captured).prefix


def refuse_capture(via: tuple[str, ...], what: str, *command: str) -> None:
    """Raise UserError if a prefix leads to a capture folder without the answer to a command.

    Args:
        via: the prefix.
        what: what the folder lacks, in words.
        command: the beginning of the command whose answer it may hold; none for what no folder holds.
    """
    from fsconsole.targets.slurm.location import captured_folder
    from fsconsole.targets.slurm.replay import captured_file

    folder = captured_folder(via)
    if folder is not None and (not command or captured_file(folder, *command) is None):
        raise UserError(f"{folder} is a capture folder of a cluster. It holds no {what}.")


@dataclass(slots=True)
class Reading:
    """Present state of a cluster.

    Attributes:
        place, tools: access to the cluster.
        found: each part that was read, and the seconds that reading it took.
        problems: why a part could not be read.
        notes: what was left out of the parts that were read.
        shown: rows of sshare that this user may see if PrivateData hides others; otherwise None.
        printed: settings of a cluster without fairshare, which has no `settings`; otherwise empty.
        begun_s: start of the reading, seconds since 1970.
    """

    place: Location
    tools: Tools
    found: dict[PartName, Any] = field(default_factory=dict)
    took_s: dict[PartName, float] = field(default_factory=dict)
    problems: dict[PartName, str] = field(default_factory=dict)
    notes: dict[PartName, tuple[str, ...]] = field(default_factory=dict)
    shown: Sshare | None = None
    printed: Mapping[str, str] = field(default_factory=dict)
    begun_s: float = field(default_factory=time.time)
    _where: str = ""

    @property
    def settings(self) -> SlurmConfig | None:
        """Settings of the cluster; None if they could not be read."""
        found: SlurmConfig | None = self.found.get(PartName.SETTINGS)
        return found

    def say_notes(self) -> None:
        """Print what was left out of the parts that were read, and what stands for it."""
        notes = [note for of_part in self.notes.values() for note in of_part]
        usage = self.found.get(PartName.USAGE)
        for note in (*first_of(notes, _MOST_NOTES), *(() if usage is None else usage.remarks)):
            print_problem(f"note: {note}")

    @property
    def cluster(self) -> str:
        """Name of the cluster by its settings, or by the list of its capture; empty if unknown."""
        if self.settings is not None:
            return self.settings.cluster
        from fsconsole.targets.slurm.location import manifest_of

        captured = manifest_of(self.place.prefix)
        return self.printed.get("clustername", "") or ("" if captured is None else captured.cluster)

    @property
    def name(self) -> str:
        """Name of the cluster; that of the place if it is unknown."""
        from fsconsole.targets.slurm.location import place_name

        if known := self.cluster:
            return known
        stored = self.found.get(PartName.TREE)
        return stored.cluster if stored is not None and stored.cluster else place_name(self.place)

    def where(self) -> str:
        """Return the place of the cluster, `settle`d; print once what becomes of earlier files."""
        from fsconsole.targets.slurm.kept_places import is_settled, place_key, settle

        if self._where:
            return self._where
        values = self.printed if self.settings is None else self.settings.values
        self._where, said = settle(self.name, place_key(self.place), values)
        if not is_settled(self._where):
            said = (
                "the settings cannot be read, so that it is unknown which cluster this is. Its earlier "
                "records are not used, and new ones are kept apart."
            )
        if said:
            with suppress(OSError):
                print_problem(f"note: {said}")
        return self._where

    def author(self, why: str, undoes: str = "") -> Author:
        """Return the author of changes for the audit log; `undoes` is the record that they roll back."""
        from fsconsole.recording.audit import login_name
        from fsconsole.targets.slurm.audit_rows import Author

        return Author(login_name(), why, self.place.prefix, self.tools.remote_user, undoes)

    def captured(self, part: PartName) -> Any:
        """Return a part as a capture has it, which answers no other question about it; None of a cluster."""
        from fsconsole.targets.slurm.location import captured_folder

        return None if captured_folder(self.place.prefix) is None else self.found.get(part)

    def tree(self) -> ClusterTree:
        """Return the stored tree, or sshare's tree if slurmdbd does not respond; UserError without either."""
        from fsconsole.slurm.association_status import stored_of
        from fsconsole.slurm.cluster_tree import Numbering

        if PartName.TREE in self.found:
            return Numbering().tree(self.found[PartName.TREE], qos=self.found.get(PartName.QOS))
        if PartName.USAGE in self.found:
            stored = stored_of(self.found[PartName.USAGE], self.name)
            return Numbering().tree(stored, is_complete=False)
        raise UserError(self.problems[PartName.TREE])

    def standing(self, tree: ClusterTree, *, in_part: bool = False) -> AssociationStatus | None:
        """Return sshare's values for the tree; None without them. `in_part` accepts some of the rows."""
        from fsconsole.slurm.association_status import standing_of

        shares = self.found.get(PartName.USAGE, self.shown if in_part else None)
        return None if shares is None else standing_of(tree, shares, self.settings)


def read(via: tuple[str, ...], *parts: PartName, says: bool = True) -> Reading:
    """Read the settings, which name the cluster, and then parts side by side; all parts without any.

    Ctrl+C ends the tools. Without `says` the caller prints what was left out.
    """
    from fsconsole.targets.slurm.location import clock_of
    from fsconsole.targets.slurm.reading import HiddenError, OtherOrderError, Reader
    from fsconsole.targets.slurm.tools import Stop, ToolError

    tools = tools_of(via)
    reading = Reading(tools.place, tools, begun_s=clock_of(via)())
    stop = Stop()
    early, reader = Reader(tools, stop=stop), Reader(tools)

    def one(part: PartName, reader: Reader = reader) -> None:
        try:
            found = reader.read(part)
        except HiddenError as error:
            reading.problems[part], reading.shown = str(error), error.shown
        except OtherOrderError as error:
            reading.problems[part], reading.printed = str(error), error.printed
        except ToolError as error:
            reading.problems[part] = str(error)
        else:
            reading.found[part], reading.took_s[part] = found.value, found.took_s
            if found.notes:
                reading.notes[part] = found.notes

    def all_parts() -> None:
        others = [part for part in parts or tuple(PartName) if part is not PartName.SETTINGS]
        of_database = (PartName.TREE, PartName.QOS)
        # Behind ssh each command takes some round trips, so that one after the other would take long.
        ahead = [part for part in others if tools.prefix.hops and part not in of_database]
        running = _start(partial(one, reader=early), ahead)
        limit_s, reader.limit_s = reader.limit_s, _SETTINGS_S
        one(PartName.SETTINGS)
        reader.limit_s = limit_s
        reader.cluster = reading.cluster
        problem = reading.problems.get(PartName.SETTINGS, "")
        is_shared = bool(problem) and tools.is_hopeless
        if is_shared or problem.startswith(_NO_CONTROLLER):  # Slurm's other tools would wait for it as long.
            stop.stop()
            _join(running)
            sharing = [part for part in others if is_shared or part not in of_database]
            reading.problems |= {part: problem for part in sharing if part not in reading.found}
            others = [part for part in others if part not in sharing]
        _join([*running, *_start(one, [part for part in others if part not in ahead])])

    in_thread(all_parts, reading.tools)
    if says:
        reading.say_notes()
    return reading


def _start(work: Callable[[PartName], None], parts: Sequence[PartName]) -> list[Thread]:
    threads = [Thread(target=work, args=(part,), daemon=True) for part in parts]
    for thread in threads:
        thread.start()
    return threads


def _join(threads: Sequence[Thread]) -> None:
    for thread in threads:
        thread.join()


def tools_of(via: tuple[str, ...]) -> Tools:
    """Return the tools behind a prefix. In a terminal a host may ask for a password or a code.

    Raises:
        UserError: the prefix leads to a capture folder that cannot be read.
    """
    from fsconsole.targets.slurm.location import Location, manifest_of
    from fsconsole.targets.slurm.replay import CaptureError
    from fsconsole.targets.slurm.tools import Tools

    try:
        manifest_of(via)
    except CaptureError as error:
        raise UserError(str(error)) from None
    tools = Tools(Location(via))
    tools.log_in = partial(_log_in, tools)
    return tools


def _log_in(tools: Tools, fault: LinkFault) -> bool:
    """Let ssh ask in the terminal, and keep the connection for the commands to come."""
    from fsconsole.targets.slurm.login import log_in_by_terminal

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print_problem(
        f"{tools.prefix.host}: {fault.kind}. Answer ssh here. Commands of the next minute share this login."
    )
    tools.is_asking = True
    try:
        return log_in_by_terminal(tools)
    finally:
        tools.is_asking = False


def in_thread(work: Callable[[], Made], tools: Tools, stop: Stop | None = None) -> Made:
    """Run `work` in a thread and return its result, so that Ctrl+C, SIGTERM and SIGHUP act without delay.

    With `stop`, the first signal stops the work and waits for it. Without it, and for the second signal, the
    tools are ended. Some seconds remain to log their known results.

    Raises:
        KeyboardInterrupt: after the signal that ended the tools.
    """
    made: list[Made] = []
    failed: list[BaseException] = []
    ended = Event()

    def run() -> None:
        try:
            made.append(work())
        except BaseException as error:  # noqa: BLE001 (raised again below)
            failed.append(error)
        finally:
            ended.set()

    with interrupts() as received:
        Thread(target=run, daemon=True, name="cluster").start()
        known = 0
        named: set[str] = set()
        while not ended.wait(_LOOK_EVERY_S):
            _say_slow(tools, named)
            if len(received) == known:
                continue
            known = len(received)
            if stop is None or stop():
                tools.close()
                ended.wait(_LAST_WORDS_S)
                raise KeyboardInterrupt
            stop.stop()
            _say_it_stops()
    if failed:
        raise failed[0]
    return made[0]


def _say_slow(tools: Tools, named: set[str]) -> None:
    """Name each tool once that keeps the command waiting, but not into a question of ssh."""
    if tools.is_asking:
        return
    for one in tools.slow(_SLOW_S):
        if one.tool not in named:
            named.add(one.tool)
            with suppress(OSError):
                words = f"waiting for {one.tool}, for at most {one.limit_s:g} s. Ctrl+C stops."
                print_problem(f"{words}")


def _say_it_stops() -> None:
    with suppress(OSError):  # The terminal may have disappeared.
        print_problem("Stopping after the current command. Press Ctrl+C again to end it too.")


def say_or_stop(line: str, stop: Stop) -> None:
    """Print the result of a step; if stdout is closed, begin no further steps.

    Steps that have begun are still read back and logged. The next printed line states the reason for the end.
    """
    try:
        print(line, flush=True)
    except OSError:
        stop.stop()


def status_of(reports: Sequence[ChangeReport | ActionReport]) -> int:
    """Return the exit status for the results of changes."""
    from fsconsole.recording.audit import Result

    if any(report.result is Result.UNKNOWN for report in reports):
        return UNKNOWN
    return 0 if all(report.result.is_well for report in reports) else UNUSABLE


def say_checks(lines: Sequence[str]) -> None:
    """Print commands that show whether changes with unknown results were made, on stderr."""
    from fsconsole.app.cluster.preview import check_words

    if lines:
        print_problem("\n".join(check_words(lines)))


log_option = click.option(
    "--without-log", is_flag=True, help="Run commands even if the audit log cannot be written."
)
"""Options of the commands that change a cluster."""


def unlogged(reading: Reading, row: AuditRow) -> str:
    """Add a row to the cluster's audit log; return why that failed, or an empty text."""
    from fsconsole.recording.audit_log import AuditLog
    from fsconsole.targets.slurm.kept_places import log_path

    log = AuditLog(log_path(reading.name, reading.where()), 1, datetime(1970, 1, 1, tzinfo=UTC), private=True)
    try:
        log.write([row])
    except OSError as error:
        place = error.filename or log.path
        return f"the audit log {place} cannot be written: {error.strerror or error}"
    return ""


def write_audit(reading: Reading, row: AuditRow) -> None:
    """Write the audit log; if it cannot be written, print that and continue."""
    problem = unlogged(reading, row)
    if problem:
        with suppress(OSError):  # The rest runs in order even without stderr.
            print_problem(f"{problem}")


def must_log(reading: Reading, row: AuditRow, *, without_log: bool) -> str:
    """Add the row before a command; return why the command must not be sent, or an empty text."""
    if without_log:
        write_audit(reading, row)
        return ""
    problem = unlogged(reading, row)
    return f"{problem.rstrip('.')}. Make it writable, or use --without-log" if problem else ""


def audit_rows(reading: Reading) -> list[AuditRow]:
    """Return all rows of the cluster's audit log; OSError if it cannot be read."""
    from fsconsole.recording.audit_log import lines_of
    from fsconsole.targets.slurm.audit_keeper import row_of
    from fsconsole.targets.slurm.kept_places import log_path

    lines = lines_of(log_path(reading.name, reading.where()))
    return [row for row in map(row_of, lines) if row is not None]


def unfinished_notes(reading: Reading) -> list[str]:
    """Return notes on an apply without an end in the cluster's audit log; empty if there is none.

    The last one has the command that rolls it back, if anything can be rolled back.
    """
    from fsconsole.app.cluster.records import history_of
    from fsconsole.app.cluster.roll_back import Present, way_back
    from fsconsole.app.cluster.unfinished import unfinished_words
    from fsconsole.targets.slurm.apply_rows import newest

    try:
        history = history_of(newest(audit_rows(reading)))
    except OSError:
        return []
    record = history.unfinished
    if record is None:
        return []
    tree = reading.tree() if PartName.TREE in reading.found else None
    notes = unfinished_words(record, tree)
    if way_back(history, record, Present(reading.name, tree)).is_possible:
        via = f" --via {shlex.quote(shlex.join(reading.place.prefix))}" if reading.place.prefix else ""
        notes.append(f"To show the way back: fsconsole slurm roll-back {record.id} --dry-run{via}")
    return notes


def confirmed(question: str, *, yes: bool, dry: str = "--dry-run") -> None:
    """Ask for confirmation; UserError if the question cannot be asked or is declined.

    `dry` is the option that shows the changes and makes none.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(f"cannot ask for confirmation: stdin is not a terminal. Use --yes or {dry}.")
    if not click.confirm(question):
        raise UserError("nothing was changed")


@dataclass(frozen=True, slots=True)
class Sending:
    """Way in which changes are sent.

    Attributes:
        dry_run: not at all.
        is_quiet: without a line for each.
        without_log: also where the audit log cannot be written.
        yes: without a question.
        planned: identity of the plan that alone may be carried out; empty for any.
        undoes: identity of the record that is rolled back; empty if none is.

    Raises:
        click.UsageError: a question would mix with plain data.
    """

    dry_run: bool
    is_quiet: bool
    without_log: bool
    yes: bool = False
    planned: str = ""
    undoes: str = ""

    def __post_init__(self) -> None:
        if self.is_quiet and not (self.yes or self.dry_run):
            raise click.UsageError("--json does not ask questions. Add --yes or --dry-run")
