"""Commands for each part of a cluster, parsing of the answers, and captures of all answers.

Jobs are asked for as text: 20,400 of them were 3.4 MB and took squeue 0.34 s, where --json made 63 MB of them
in 5.3 s (Slurm 22.05.8, two cores). A squeue that does not know a field of the text is asked for JSON.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fsconsole.shares.files import make_private_folder, write_atomic
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.slurm.cluster_tree import row_keys
from fsconsole.slurm.own_limits import own_command, read_own_limits, unread_words, with_own
from fsconsole.slurm.parsers import sinfo, squeue_text
from fsconsole.slurm.parsers.assoc import COLUMNS, StoredAssociations, read_assoc
from fsconsole.slurm.parsers.assoc_mgr import COMMAND as IN_FORCE_COMMAND
from fsconsole.slurm.parsers.assoc_mgr import read_assoc_mgr
from fsconsole.slurm.parsers.findings import Listing, in_output, without_cut
from fsconsole.slurm.parsers.marks import new_mark
from fsconsole.slurm.parsers.qos import COMMAND as QOS_COMMAND
from fsconsole.slurm.parsers.qos import Qos, read_qos
from fsconsole.slurm.parsers.scontrol_config import NoFairshareError, SlurmConfig, read_scontrol_config
from fsconsole.slurm.parsers.scontrol_node import COMMAND as NODES_COMMAND
from fsconsole.slurm.parsers.scontrol_node import ClusterNode, read_scontrol_node
from fsconsole.slurm.parsers.scontrol_partition import Partition, read_scontrol_partition
from fsconsole.slurm.parsers.scontrol_reservation import read_scontrol_reservation
from fsconsole.slurm.parsers.sprio import FORMAT as PRIORITIES_FORMAT
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.sshare import ShownInPartError, Sshare, read_sshare
from fsconsole.slurm.relative_qos import is_relative, with_totals
from fsconsole.slurm.usage_reset import utc_offset_s
from fsconsole.targets.slurm.host_link import AT_ONCE
from fsconsole.targets.slurm.location import captured_folder, clock_of, manifest_of
from fsconsole.targets.slurm.replay import FORMAT, MANIFEST, NO_ANSWER
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import TIMES, Answer, Stop, ToolError, Tools
from fsconsole.targets.slurm.usage_in_parts import MANY, has_all, joined, parts_of
from fsconsole.text.words import count_words, first_of

LIMITS = (
    *("qos", "defaultqos", "maxjobs", "maxsubmit", "maxwall", "maxtres", "grpjobs", "grpsubmit", "grpwall"),
    *("grptres", "grptresmins", "priority"),
)
ASSOC_COLUMNS = (*COLUMNS, *LIMITS)
USAGE_COMMAND = ("sshare", "-l", "-a", "-P", "-m")
# Without it squeue leaves out jobs that have ended; --json has them. It is a setting, not an option, since
# captures answer whatever is set.
_ALL = "SQUEUE_STATES=all"
_TEXT_COMMAND = (*TIMES, "SLURM_BITSTR_LEN=4096", _ALL, "squeue", "-h", "-a", "-O", squeue_text.FORMAT)
# Captures of earlier versions contain these commands.
_TEXT_BEFORE = (*_TEXT_COMMAND[:-1], squeue_text.FORMAT_BEFORE)
_JSON_COMMAND = (*TIMES, "squeue", "-a", "--json")
_PRIORITIES, _OWN, _IN_FORCE, _TOTALS = "priorities", "own_limits", "assoc_mgr", "cluster_tres"
TOTALS_COMMAND = ("sacctmgr", "-nP", "show", "cluster", "format=cluster,tres")
_COMMANDS = {
    PartName.SETTINGS: ("scontrol", "show", "config"),
    PartName.PARTITIONS: ("scontrol", "-a", "show", "partition"),
    PartName.NODES: NODES_COMMAND,
    PartName.RESERVATIONS: (*TIMES, "scontrol", "-a", "show", "reservation"),
    PartName.QOS: QOS_COMMAND,
}
_PARSERS: dict[PartName, Callable[[str], Any]] = {
    PartName.SETTINGS: read_scontrol_config,
    PartName.PARTITIONS: read_scontrol_partition,
    PartName.RESERVATIONS: read_scontrol_reservation,
}
_MOST_NOTES = 20
_PARTS_AT_ONCE = 2  # Any user runs as many sshare at a time, and more are hardly quicker.
# Where there is much, sshare itself takes longer than the time limit, see usage_in_parts.
_USAGE_PATIENCE = 3.0
_OPTIONAL_S = 15.0  # Clients stop after 9 s if slurmctld does not respond.


class HiddenError(ToolError):
    """A tool showed only some of a part; `shown` is that output."""

    def __init__(self, message: str, shown: Sshare) -> None:
        """Keep the reason, in a sentence, and the shown output."""
        super().__init__(message)
        self.shown = shown


class OtherOrderError(ToolError):
    """The cluster orders jobs without fairshare; `printed` are its settings."""

    def __init__(self, message: str, printed: Mapping[str, str]) -> None:
        """Keep the reason, in a sentence, and the settings by key in lower case."""
        super().__init__(message)
        self.printed = printed

    @property
    def cluster(self) -> str:
        """Name of the cluster."""
        return self.printed.get("clustername", "")


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a reading.

    Attributes:
        value: SlurmConfig, StoredAssociations, Sshare, or a tuple of jobs, partitions, nodes, reservations,
            QOS; None where it is the same as the time before.
        notes: what was left out of it, in words.
        began_s: when it began, seconds since 1970.
        took_s: how long it took with everything but the link to the cluster.
    """

    value: Any
    notes: tuple[str, ...]
    began_s: float
    took_s: float


@dataclass(slots=True)
class Reader:
    """Reads the parts of one cluster; each part in one thread at a time, several parts at once.

    Attributes:
        tools: of its place.
        limit_s: time that a tool may take.
        cluster: its name, once it is known: sacctmgr shows all clusters of its database.
        stored: its associations, once they are known: sshare is asked for many of them in parts.
        stop: request to end the reading; None where nobody asks for that.
    """

    tools: Tools
    limit_s: float = 60.0
    cluster: str = ""
    stored: StoredAssociations | None = None
    stop: Stop | None = None
    _clock: Callable[[], float] = field(init=False)
    _asks_json: bool = False
    _last: dict[PartName, object] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        captured = manifest_of(self.tools.place.prefix)
        self.cluster = self.cluster or ("" if captured is None else captured.cluster)
        self._clock = clock_of(self.tools.place.prefix)

    def read(self, part: PartName) -> Found:
        """Read a part of the cluster's state.

        Raises:
            HiddenError: a tool showed some of it alone; it is a ToolError that holds these.
            OtherOrderError: a cluster without fairshare; it is a ToolError that holds the settings.
            ToolError: it cannot be read; the message is the reason, in a sentence.
        """
        began_s, began = self._clock(), time.monotonic()
        self.tools.take_link_s()
        try:
            value, notes = self._read(part, began_s)
        except ShownInPartError as error:
            raise HiddenError(error.problems[0].text, error.shown) from error
        except NoFairshareError as error:
            raise OtherOrderError(_in_a_sentence(part, error.problems), error.values) from error
        except ScenarioError as error:
            raise ToolError(_in_a_sentence(part, error.problems)) from error
        except ValueError as error:
            raise ToolError(f"cannot read the output of {_tool(part)}: {error}") from error
        took_s = time.monotonic() - began - self.tools.take_link_s()
        return Found(value, notes, began_s, max(took_s, 0.0))

    def forget(self, part: PartName) -> None:
        """Treat the next output as new, even if it is the same, because the last one was lost."""
        with self._lock:
            self._last.pop(part, None)

    def _read(self, part: PartName, began_s: float) -> tuple[Any, tuple[str, ...]]:
        if part is PartName.JOBS:
            listing = self._jobs(began_s)
            return listing.items, _notes(part, listing.problems)
        if part is PartName.QOS:
            return self._qos()
        if part is PartName.TREE:
            return self._tree()
        if part is PartName.NODES:
            return self._nodes()
        printed = self._usage() if part is PartName.USAGE else self._ask(self._command(part)).stdout
        with self._lock:
            if self._last.get(part) == printed:
                return None, ()
        text, cut = _without_cut(part, printed)
        value = read_sshare(text) if part is PartName.USAGE else _PARSERS[part](text)
        if isinstance(value, SlurmConfig):
            value = replace(value, utc_offset_s=utc_offset_s(text, began_s))
        with self._lock:
            self._last[part] = printed
        if isinstance(value, Listing):
            return value.items, _notes(part, (*value.problems, *cut))
        if isinstance(value, Sshare):
            value = replace(value, problems=(*value.problems, *cut))
            return value, _notes(part, value.problems)
        return value, _notes(part, cut)

    def _tree(self) -> tuple[StoredAssociations | None, tuple[str, ...]]:
        """Return the associations, and of those with limits which are their own; without these where they
        fail.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="slurm cluster: limits") as pool:
            own = pool.submit(self._run, own_command(self.cluster))
            text = self._ask(self._command(PartName.TREE)).stdout
            answer = own.result()
        whole = f"{text}\0{answer.stdout}"
        with self._lock:
            if self._last.get(PartName.TREE) == whole:
                return None, ()
        text, cut = _without_cut(PartName.TREE, text)
        value = _associations(text, self.cluster)
        value = replace(value, problems=(*value.problems, *cut))
        notes = _notes(PartName.TREE, value.problems)
        try:
            _check(answer)
            own_limits = read_own_limits(answer.stdout)
            if unread := unread_words(value, own_limits):
                notes = (*notes, unread)
            value = with_own(value, own_limits, ASSOC_COLUMNS)
        except (ToolError, ScenarioError) as error:
            if NO_ANSWER not in answer.stderr:  # An older capture folder does not contain this output.
                notes = (*notes, f"Cannot read the associations' own limits: {error}")
        with self._lock:
            self._last[PartName.TREE] = whole
        return value, notes

    def _command(self, part: PartName) -> tuple[str, ...]:
        return commands(self.cluster)[part]

    def _nodes(self) -> tuple[tuple[ClusterNode, ...] | None, tuple[str, ...]]:
        """Return the nodes; None where they are as before, whatever their load and free memory are."""
        answer, read = self._run(NODES_COMMAND), read_scontrol_node
        if NO_ANSWER in answer.stderr:  # Captures of earlier versions have sinfo's output.
            answer, read = self._run(sinfo.COMMAND), sinfo.read_sinfo
        _check(answer)
        text, cut = _without_cut(PartName.NODES, answer.stdout)
        found = read(text)
        with self._lock:
            if self._last.get(PartName.NODES) == (found, cut):
                return None, ()
            self._last[PartName.NODES] = found, cut
        return found.items, _notes(PartName.NODES, (*found.problems, *cut))

    def _qos(self) -> tuple[tuple[Qos, ...] | None, tuple[str, ...]]:
        """Return the QOS with what slurmctld has in force, and relative ones with what percent are of.

        Without these two where they cannot be read. slurmctld is not asked before it gave its settings.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="slurm cluster: limits in force") as pool:
            seen = pool.submit(self._optional, IN_FORCE_COMMAND) if self.cluster else None
            answer = self._run(QOS_COMMAND)
            in_force = seen.result() if seen is not None else ""
        if NO_ANSWER in answer.stderr and captured_folder(self.tools.place.prefix) is not None:
            return (), ("this capture folder has no QOS, because an older fsconsole made it",)
        _check(answer)
        text, cut = _without_cut(PartName.QOS, answer.stdout)
        found = read_qos(text)
        partitions = totals = ""
        if any(is_relative(one) for one in found.items):
            partitions, totals = (
                self._optional(one) for one in (_COMMANDS[PartName.PARTITIONS], TOTALS_COMMAND)
            )
        whole = f"{answer.stdout}\0{in_force}\0{partitions}\0{totals}"
        with self._lock:
            if self._last.get(PartName.QOS) == whole:
                return None, ()
        value = with_totals(
            found.items,
            read_assoc_mgr(in_force),
            _whole_partitions(partitions),
            _tres_of(self.cluster, totals),
        )
        with self._lock:
            self._last[PartName.QOS] = whole
        return value, _notes(PartName.QOS, (*found.problems, *cut))

    def _optional(self, command: tuple[str, ...]) -> str:
        """Return the output of a command; empty where it fails."""
        answer = self.tools.run(command, limit_s=min(self.limit_s, _OPTIONAL_S), stop=self.stop)
        return "" if answer.problem else answer.stdout

    def _usage(self) -> str:
        """Return the whole output of sshare as one text, even if it was read in parts."""
        stored = self.stored
        if stored is None or len(stored.tree) < MANY:
            return self._ask(USAGE_COMMAND, _USAGE_PATIENCE).stdout
        first, *others = parts_of(stored.tree.account)
        text = self._usage_of(first)
        if has_all(text, first):
            return text
        with ThreadPoolExecutor(_PARTS_AT_ONCE, thread_name_prefix="slurm cluster: usage") as pool:
            return joined([text, *pool.map(self._usage_of, others)], stored)

    def _usage_of(self, accounts: Sequence[str]) -> str:
        return self._ask((*USAGE_COMMAND, "-A", ",".join(accounts))).stdout

    def _jobs(self, now_s: float) -> Listing[Any]:
        if not self._asks_json:
            mark = new_mark()
            answer, fields = self._run(_with_mark(_TEXT_COMMAND, mark)), squeue_text.FIELDS
            if NO_ANSWER in answer.stderr:
                answer, fields = self._run(_TEXT_BEFORE), squeue_text.FIELDS_BEFORE
            if "nvalid job format" not in answer.stderr:
                _check(answer)
                text, cut = _without_cut(PartName.JOBS, answer.stdout)
                found = squeue_text.read_squeue_text(text, now_s, fields=fields, mark=mark)
                return replace(found, problems=(*found.problems, *cut))
            self._asks_json = True
        return read_squeue(self._ask(_JSON_COMMAND).stdout)

    def _run(self, command: tuple[str, ...]) -> Answer:
        return self.tools.run(command, limit_s=self.limit_s, stop=self.stop)

    def _ask(self, command: tuple[str, ...], patience: float = 1.0) -> Answer:
        return self.tools.read(command, limit_s=self.limit_s * patience, stop=self.stop)


def commands(cluster: str) -> dict[PartName, tuple[str, ...]]:
    """Return the commands for each part of a cluster of that name."""
    own = {PartName.TREE: assoc_command(cluster), PartName.USAGE: USAGE_COMMAND, PartName.JOBS: _TEXT_COMMAND}
    return {part: own[part] if part in own else _COMMANDS[part] for part in PartName}


def _whole_partitions(text: str) -> tuple[Partition, ...]:
    """Return the partitions; none unless all can be read, since percent of a QOS may be of any of them."""
    try:
        whole, cut = _without_cut(PartName.PARTITIONS, text)
        found = read_scontrol_partition(whole)
    except ScenarioError:
        return ()
    return () if found.problems or cut else found.items


def _without_cut(part: PartName, text: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the output for a part without a last record that is cut off; ScenarioError if it is empty."""
    end = "\n\n" if part in (PartName.PARTITIONS, PartName.RESERVATIONS) else "\n"
    return without_cut(text, _tool(part), end)


def _with_mark(command: tuple[str, ...], mark: str) -> tuple[str, ...]:
    """Return the command for jobs with a mark at the end of each record: other users write the names."""
    return (*command[:-1], squeue_text.format_of(mark=mark)) if command == _TEXT_COMMAND else command


def assoc_command(cluster: str) -> tuple[str, ...]:
    """Return the command for all associations of a cluster; of all clusters of the database where the name is
    empty.
    """
    which = (f"cluster={cluster}",) if cluster else ()
    return ("sacctmgr", "-nP", "show", "assoc", *which, f"format={','.join(ASSOC_COLUMNS)}")


def _check(answer: Answer) -> None:
    if answer.problem:
        raise ToolError(answer.problem, answer.fault)


def _associations(text: str, cluster: str) -> StoredAssociations:
    stored = read_assoc(text, cluster, ASSOC_COLUMNS)
    row_keys(stored)
    return stored


def _tres_of(cluster: str, text: str) -> str:
    """Return the TRES of a cluster from `TOTALS_COMMAND`; empty if they are unknown."""
    rows = dict(line.partition("|")[::2] for line in text.splitlines() if "|" in line)
    return rows.get(cluster, "")


def _tool(part: PartName) -> str:
    tools = {PartName.USAGE: "sshare", PartName.JOBS: "squeue"}
    of_database = (PartName.TREE, PartName.QOS)
    return "sacctmgr" if part in of_database else tools.get(part, "scontrol")


def _in_a_sentence(part: PartName, problems: list[Problem]) -> str:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    where = f"line {problems[0].line}: " if problems and problems[0].line else ""
    return f"cannot read the output of {_tool(part)}: {where}{problems[0].text if problems else ''}{more}"


def _notes(part: PartName, problems: tuple[Problem, ...]) -> tuple[str, ...]:
    tool = _tool(part)
    notes = [in_output(tool, one) for one in problems]
    if part in (PartName.TREE, PartName.USAGE) and problems:
        count = count_words(len(problems), "line")
        notes.insert(0, f"{count} of {tool} left out. Fairshares that depend on them are not computed")
    return tuple(first_of(notes, _MOST_NOTES))


_LIMIT_S = 300.0  # Reading 50,000 associations alone takes sshare half a minute.


@dataclass(frozen=True, slots=True)
class Captured:
    """Content of a capture: the cluster, the files, and the parts that could not be read, in sentences."""

    cluster: str
    files: tuple[Path, ...]
    problems: tuple[str, ...]


def capture(tools: Tools, folder: Path) -> Captured:
    """Ask a cluster for all that the console reads, and keep the answers in a folder, in private files.

    Nothing is written before all have answered, and the list of the answers last: a folder without it is
    unfinished.

    Raises:
        ToolError: the cluster does not say its name, or the capture was stopped.
        OSError: the folder cannot be written.
    """
    try:
        cluster = str(Reader(tools).read(PartName.SETTINGS).value.cluster)
    except OtherOrderError as error:
        cluster = error.cluster
    captured_s = time.time()
    if not folder.is_dir():
        make_private_folder(folder)
    kept, files, problems = [], [], []
    asked: dict[str, tuple[str, ...]] = {str(part): one for part, one in commands(cluster).items()}
    more = {
        _OWN: own_command(cluster),
        _PRIORITIES: ("sprio", "-o", PRIORITIES_FORMAT),
        _IN_FORCE: IN_FORCE_COMMAND,
        _TOTALS: TOTALS_COMMAND,
    }

    def answer_to(command: tuple[str, ...]) -> Answer:
        return tools.run(command, limit_s=_LIMIT_S, most_bytes=256 << 20)

    mark = new_mark()
    sent = [_with_mark(command, mark) for command in asked.values()]
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="slurm capture") as pool:
        answers = list(pool.map(answer_to, (*sent, *more.values())))
    if tools.closed():
        msg = f"the capture was stopped. Nothing was written to {folder}"
        raise ToolError(msg)
    (folder / MANIFEST).unlink(missing_ok=True)
    for (part, command), answer in zip((asked | more).items(), answers, strict=True):
        is_needed = part not in more  # A cluster without multifactor priorities does not have these parts.
        if answer.problem and is_needed:
            problems.append(answer.problem)
        path = folder / f"{part}.txt"
        if answer.was_cut or answer.timed_out or (answer.problem and not is_needed):
            path.unlink(missing_ok=True)  # One of an earlier capture is not of this one.
            continue
        text = answer.stdout
        if part == PartName.JOBS:
            text = squeue_text.in_lines(text, mark)
        write_atomic(path, text, private=True)
        files.append(path)
        row = {"command": list(command), "file": path.name, "rc": answer.rc, "stderr": answer.stderr}
        kept.append(row)
    manifest = {**FORMAT.header(), "cluster": cluster, "captured_s": round(captured_s), "answers": kept}
    write_atomic(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n", private=True)
    return Captured(cluster, tuple(files), tuple(problems))
