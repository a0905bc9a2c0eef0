"""A machine's whole state as bytes: an npz of columns and a JSON text for the rest. No pickles.

Columns of one number type are concatenated in one array: a keyframe is taken every few milliseconds of a run,
and dozens of members would take longer than all the rest.

Law: `load(save(machine))` continues exactly as the machine would, to the tick.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import astuple
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.checkpoint_ranges import LAST_TICK, Columns, problem_of
from fsconsole.machine.machine import Machine
from fsconsole.machine.meter import Meter, Totals
from fsconsole.machine.parts import PartMaker
from fsconsole.machine.people import People
from fsconsole.machine.processes import ProcessTable
from fsconsole.policies.state import PolicyState
from fsconsole.recording.audit import AuditRow
from fsconsole.recording.journal import JournalEntry
from fsconsole.shares.edits import from_json as edit_from_json
from fsconsole.shares.edits import to_json as edit_to_json
from fsconsole.shares.edits import tree_from_json, tree_to_json
from fsconsole.shares.flat import FlatTree, parent_rows
from fsconsole.shares.input_files import check_zip, parsed_json
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import MachineSpec, Scenario, changed_settings, settings_of
from fsconsole.shares.stored_format import FormatError, OtherProgramError, StoredFormat

# 4, 5 and 6 lacked columns that the machine needs.
FORMAT = StoredFormat("fsconsole checkpoint", "a checkpoint", number=7, oldest=7, was_bare=True)
_DAMAGE = (
    ValueError, LookupError, OSError, EOFError, TypeError, AttributeError, NotImplementedError,
    ArithmeticError, RecursionError, MemoryError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
_HEADER = "header"
T = TypeVar("T")
# JSON stores these values unchanged.
PLAIN_FIELDS = ("tick", "seed", "next_pid", "next_event", "commands", "persons", "ran_by_removed", "samples")
# The tree in force is stored, since `tree` may include edits that wait for the next delta.
FLAT_COLUMNS = ("ids", "parent", "shares", "is_leaf", "is_system")


class CheckpointError(ValueError):
    """The bytes are not a checkpoint that this program reads; the message is a sentence about it."""


class OtherCheckpointError(CheckpointError):
    """The checkpoint is of another version of the program."""


def save(machine: Machine) -> bytes:
    """Return the whole state of a machine."""
    return capture(machine)()


def capture(machine: Machine) -> Callable[[], bytes]:
    """Copy a machine's state, which may continue at once; return a function that makes its bytes.

    Any thread may call the function.
    """
    header = {
        **FORMAT.header(),
        **{name: getattr(machine, name) for name in PLAIN_FIELDS},
        "settings": {key: _plain(value) for key, value in machine.settings.items()},
        "tree": {"nodes": tree_to_json(machine.tree), "next_id": machine.tree.next_id},
        "journal": [entry.to_json() for entry in machine.journal],
        "waiting_edits": [edit_to_json(edit) for edit in machine.waiting.edits],
        "waiting_settings": {key: _plain(value) for key, value in machine.waiting.settings.items()},
        "waiting_actions": [actions.to_json(action) for action in machine.waiting.actions],
        "waiting_books": [actions.to_json(action) for action in machine.waiting.books],
        "people": machine.people.to_json(),
        "recent": [tick for tick, _ in machine.recent],
        "gone": astuple(machine.meter.gone),
        "cpu_ticks_there": machine.meter.there,
        "parts": {part.name: part.to_json() for part in machine.parts},
    }
    arrays: dict[str, NDArray[Any]] = {"ran": machine.ran, "mean_runnable": machine.mean_runnable}
    arrays.update({f"flat.{name}": getattr(machine.flat, name) for name in FLAT_COLUMNS})
    arrays["flat.shares"] = machine.flat.own
    arrays.update({f"state.{name}": column for name, column in machine.state.columns().items()})
    arrays.update({f"process.{name}": column for name, column in machine.processes.columns().items()})
    arrays["recent"] = np.array([ran for _, ran in machine.recent], np.int64)
    members = _as_members(header, arrays, _history_of(machine).texts(machine))
    return lambda: _npz(members)


class _History:
    """The growing lists of a machine as JSON; each entry is encoded once."""

    def __init__(self) -> None:
        self._entries: dict[str, list[str]] = {"happened": [], "audit": []}
        self._seen = dict.fromkeys(self._entries, 0)

    def texts(self, machine: Machine) -> dict[str, str]:
        """Return the lists by their names in the header."""
        # Refused actions are in the log on disk; replaying the journal would not restore them.
        audit = [row.to_json() for row in machine.audit[self._seen["audit"] :] if row.done]
        happened = machine.happened[self._seen["happened"] :]
        self._seen = {"happened": len(machine.happened), "audit": len(machine.audit)}
        for name, fresh in (("happened", happened), ("audit", audit)):
            self._entries[name] += map(json.dumps, fresh)
        return {name: f"[{', '.join(entries)}]" for name, entries in self._entries.items()}


_HISTORIES: WeakKeyDictionary[Machine, _History] = WeakKeyDictionary()


def _history_of(machine: Machine) -> _History:
    return _HISTORIES.setdefault(machine, _History())


def pack(header: dict[str, Any], columns: Columns) -> bytes:
    """Encode columns and the rest of the state as bytes."""
    return _npz(_as_members(header, columns))


def _as_members(
    header: dict[str, Any], columns: Columns, texts: Mapping[str, str] = MappingProxyType({})
) -> Columns:
    """Return copies of all columns, and the rest as text; `texts` are JSON already."""
    table = [[name, column.dtype.str, column.shape] for name, column in columns.items()]
    parts = [
        json.dumps({**header, "columns": table})[:-1],
        *(f'"{name}": {text}' for name, text in texts.items()),
    ]
    text = ", ".join(parts) + "}"
    return {_HEADER: np.frombuffer(text.encode(), np.uint8), **_joined(columns)}


def unpack(data: bytes) -> tuple[dict[str, Any], Columns]:
    """Return the header and the columns that `pack` encoded.

    Raises:
        OtherCheckpointError: the bytes are of another version.
        CheckpointError: they are damaged, or have too many numbers.
    """
    members = _members(data)
    header = parsed_json(members.pop(_HEADER).tobytes())
    try:
        FORMAT.check(header, "the checkpoint")
    except OtherProgramError as error:
        raise OtherCheckpointError(str(error)) from None
    except FormatError as error:
        raise CheckpointError(str(error)) from None
    return header, _parted(members, header.pop("columns"))


def _joined(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Join arrays into one for each number type, in the order in which types occur."""
    by_kind: dict[str, list[NDArray[Any]]] = {}
    for array in arrays.values():
        by_kind.setdefault(array.dtype.str, []).append(array.reshape(-1))
    return {_member(kind): np.concatenate(parts) for kind, parts in by_kind.items()}


def _member(kind: str) -> str:
    """Return a file name for a number type: `i8` for `<i8`."""
    return kind.replace(">", "big-").lstrip("<|=")


def _npz(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return the bytes of `np.savez_compressed`, but without the time of day: equal machines, equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            place = zipfile.ZipInfo(f"{name}.npy")
            archive.writestr(place, member.getvalue(), zipfile.ZIP_DEFLATED, compresslevel=1)
    return buffer.getvalue()


def load(data: bytes, scenario: Scenario, makers: tuple[PartMaker, ...] = ()) -> Machine:
    """Return the machine that was saved, built from the same `scenario` and `makers`.

    Raises:
        CheckpointError: the bytes are not a checkpoint of such a machine.
    """
    return _read(data, lambda header, columns: _rebuild(Machine(scenario, makers), header, columns))


def _read(data: bytes, made: Callable[[dict[str, Any], Columns], T]) -> T:
    """Return the value that `made` makes of a header and columns; CheckpointError for any fault in them."""
    header: object = None
    try:
        header, columns = unpack(data)
        return made(header, columns)
    except CheckpointError:
        raise
    except _DAMAGE as error:
        raise CheckpointError(str(FORMAT.fault(header, "the checkpoint", error))) from error


def copy_of(machine: Machine) -> Machine:
    """Return another machine in the same state, for experiments."""
    return load(save(machine), machine.scenario, machine.makers)


def _parted(members: Columns, table: list[Any]) -> Columns:
    """Split the joined arrays into columns.

    Raises:
        CheckpointError: their numbers do not match.
    """
    at = dict.fromkeys(members, 0)
    columns = {}
    for name, kind, shape in table:
        member, size = _member(kind), math.prod(shape)
        part = members[member][at[member] : at[member] + size]
        if part.dtype.str != kind or min(shape, default=0) < 0:
            msg = f"{name}: has the form {part.dtype}, but the table of columns declares {kind}"
            raise CheckpointError(msg)
        columns[name] = part.reshape(shape)
        at[member] += size
    if any(at[member] != len(numbers) for member, numbers in members.items()):
        msg = "the file has numbers that belong to no column"
        raise CheckpointError(msg)
    return columns


def _members(data: bytes) -> Columns:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        check_zip(archive)
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def journal_in(data: bytes) -> list[JournalEntry]:
    """Return the external actions on the machine that was saved.

    Raises:
        CheckpointError: the bytes are not a checkpoint.
    """
    return _read(data, lambda header, _: [JournalEntry.from_json(entry) for entry in header["journal"]])


def _rebuild(machine: Machine, header: dict[str, Any], columns: Columns) -> Machine:
    machine.spec, machine.policy_spec = _specs(header["settings"])
    for name in PLAIN_FIELDS:
        setattr(machine, name, header[name])
    _check_plain(machine)
    if problem := problem_of(columns, machine):
        raise CheckpointError(problem)
    machine.tree = tree_from_json(**header["tree"])
    machine.flat = FlatTree.from_columns(**_group(columns, "flat."), parents=parent_rows(machine.tree))
    machine.state = PolicyState(**_group(columns, "state."))
    machine.processes = ProcessTable(**_group(columns, "process."))
    machine.ran, machine.mean_runnable = columns["ran"].copy(), columns["mean_runnable"].copy()
    machine.recent = deque(zip(header["recent"], columns["recent"].copy(), strict=True))
    machine.journal = [JournalEntry.from_json(entry) for entry in header["journal"]]
    machine.happened = [(tick, text) for tick, text in header["happened"]]
    machine.waiting.edits = [edit_from_json(edit) for edit in header["waiting_edits"]]
    machine.waiting.settings = {
        key: value_of(key, value) for key, value in header["waiting_settings"].items()
    }
    machine.waiting.actions = [actions.from_json(action) for action in header["waiting_actions"]]
    machine.waiting.books = [actions.from_json(action) for action in header["waiting_books"]]  # type: ignore[misc]
    machine.people = People.from_json(header["people"])
    machine.audit = [AuditRow.from_json(row) for row in header["audit"]]
    machine.meter = Meter(Totals(*header["gone"]), header["cpu_ticks_there"])
    machine.take_up()
    if {part.name for part in machine.parts} != set(header["parts"]):
        msg = "this checkpoint is from a machine with other parts"
        raise CheckpointError(msg)
    for part in machine.parts:
        part.from_json(header["parts"][part.name])
    return machine


def _check_plain(machine: Machine) -> None:
    """Check numbers and texts of the header.

    Raises:
        CheckpointError: values are impossible.
    """
    for name in ("tick", "next_pid", "next_event", "ran_by_removed", "samples"):
        value, highest = getattr(machine, name), LAST_TICK if name != "next_event" else len(machine.events)
        if type(value) is not int or not 0 <= value <= highest:
            msg = f"{name}: is {value!r}, expected a whole number from 0 to {highest}"
            raise CheckpointError(msg)
    for name in ("commands", "persons"):
        if not all(isinstance(text, str) for text in getattr(machine, name)):
            msg = f"{name}: expected a list of texts"
            raise CheckpointError(msg)


def _group(columns: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): column.copy()
        for name, column in columns.items()
        if name.startswith(prefix)
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _specs(settings: dict[str, Any]) -> tuple[MachineSpec, PolicySpec]:
    """Return the settings in force; SettingError for values that contradict each other.

    A setting that is missing is newer than the checkpoint. Its default leaves the machine as it was.
    """
    known = settings_of(MachineSpec(), PolicySpec()).keys() & settings.keys()
    return changed_settings(MachineSpec(), PolicySpec(), {key: value_of(key, settings[key]) for key in known})
