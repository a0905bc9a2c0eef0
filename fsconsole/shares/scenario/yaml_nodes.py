"""Plain YAML as dicts and lists that know their lines, built from the events of libyaml.

No loader's constructors run, so no tag can do anything. Working on events keeps the memory small,
lets other threads run, and bounds depth and aliases before they hurt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

from fsconsole.shares.input_files import PackedError, open_regular, plain_bytes
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.text.numbers import thousands

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 240
MAX_VALUES = 1_500_000  # Some 250,000 nodes of a share tree have this many values.
MAX_ALIASED = 100_000
_COLUMN_BITS = MAX_BYTES.bit_length()  # A file may be one line.
_CHUNK = 32 * 1024
_PLACED = 100
_DROPPED = "\0"  # No file can hold this sign.


Made = TypeVar("Made")


class Cancelled(Exception):  # noqa: N818 (nothing is wrong: someone asked for it)
    """Reading was given up because the caller wanted it."""


_NO_ROWS: dict[str, int] = {}  # Few mappings are asked for a place, so the others share this one.


class Map(dict[str, Any]):
    """A mapping with its place and, per key in order, the places of key and value."""

    __slots__ = ("place", "places", "rows")

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place
        self.places: list[int] = []
        self.rows: dict[str, int] = _NO_ROWS

    def place_of(self, key: str, *, of_key: bool = False) -> int:
        """Return the packed place of a key's value, or of the key itself."""
        if len(self.rows) != len(self):
            self.rows = {known: row for row, known in enumerate(self)}
        return self.places[2 * self.rows[key] + (0 if of_key else 1)]


class Seq(list[Any]):
    """A list with its place and those of its items."""

    __slots__ = ("place", "places")

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place
        self.places: list[int] = []


@dataclass(slots=True)
class Document:
    """A file's data, its text, and the faults of its form."""

    data: Any
    text: str
    problems: list[Problem] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)

    def problem(self, place: int, text: str, path: str = "", node: int | None = None) -> Problem:
        """Return an error at a packed place."""
        line, column = unpacked(place)
        return Problem(text, line=line, column=column, path=path, node=node)

    def written(self, place: int) -> str:
        """Return the plain scalar as it is written at a packed place."""
        if not self._lines:
            self._lines = _LINE_BREAK.split(self.text)
        line, column = unpacked(place)
        match = _PLAIN.match(self._lines[line - 1], column - 1) if 0 < line <= len(self._lines) else None
        return match[0] if match else ""


_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_PLAIN = re.compile(r"[^\s,\[\]{}#][^,\[\]{}#]*?(?=\s*(?:$|[,\[\]{}#]|: |:$))")


def packed(line: int, column: int) -> int:
    """Return the line and column, counted from 0, as one number."""
    return line << _COLUMN_BITS | column


def unpacked(place: int) -> tuple[int, int]:
    """Return the line and column, counted from 1."""
    return (place >> _COLUMN_BITS) + 1, (place & ((1 << _COLUMN_BITS) - 1)) + 1


class _Source:
    """The bytes in pieces: each piece reports the parser's progress and may cancel it."""

    def __init__(self, data: bytes, report: Callable[[float], None], cancelled: Callable[[], bool]) -> None:
        self._data = data
        self._at = 0
        self._report = report
        self._cancelled = cancelled

    def read(self, size: int) -> bytes:
        if self._cancelled():
            raise Cancelled
        self._report(self._at / max(1, len(self._data)))
        piece = self._data[self._at : self._at + min(size, _CHUNK)]
        self._at += len(piece)
        return piece


def text_in(path: Path, name: str = "") -> str:
    """Return the text of a file as `text_of` decodes it; problems begin with `name`, or with the file's.

    Raises:
        OSError: the file cannot be read, or is a pipe or a device.
        ScenarioError: it is too large, binary or not UTF-8.
    """
    with open_regular(path) as stream:
        data = stream.read(MAX_BYTES + 1)
    try:
        return text_of(data)
    except ScenarioError as error:
        raise ScenarioError(error.problems, name or path.name) from None


def text_of(data: bytes) -> str:
    """Decode a file's bytes, unpacked if they are packed.

    Raises:
        ScenarioError: the file is too large, binary or not UTF-8, or its packed data are damaged.
    """
    try:
        data = plain_bytes(data, MAX_BYTES)
    except PackedError as error:
        raise ScenarioError([Problem(str(error))]) from None
    if len(data) > MAX_BYTES:
        megabytes = MAX_BYTES // 2**20
        raise ScenarioError([Problem(f"the file is larger than {megabytes} MiB, which is the limit")])
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ScenarioError([Problem("the file is UTF-16. Save it as UTF-8", line=1, column=1)])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        what = f"byte {data[error.start]:#04x} is not UTF-8. Save the file as UTF-8 text"
        raise ScenarioError([Problem(what, line=line, column=column)]) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ScenarioError([Problem("the file is binary, not text", line=line, column=1)])
    return text


def read_document(
    text: str,
    progress: Callable[[float], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Document:
    """Return the one document of a YAML text; ScenarioError for broken YAML, Cancelled when asked for."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", None)
    if loader is None:
        msg = "PyYAML was built without libyaml, which scenario files need. Install its binary wheel"
        raise ScenarioError([Problem(msg)])
    if not text.strip():
        raise ScenarioError([Problem("the file is empty. It needs at least `version: 1` and a `tree`")])
    composer = _Composer(text)
    try:
        source = _Source(text.encode("utf-8", "surrogatepass"), progress, cancelled)
        return composer.compose(loader(source))
    except yaml.YAMLError as error:
        raise ScenarioError([_syntax_problem(error, text)]) from None


def parse_mapping(text: str, name: str, kind: str, keys: str, read: Callable[[Document, Map], Made]) -> Made:
    """Read a text that is a mapping of keys to values.

    Args:
        text: YAML.
        name: of the file, before problems.
        kind: what it is, such as `study file`.
        keys: those that it needs, in words.
        read: makes something of it.

    Raises:
        ScenarioError: everything that is wrong, in the order of lines.
    """
    try:
        if not text.strip():
            reason = f"the file is empty. It needs at least {keys}"
            raise ScenarioError([Problem(reason)])
        document = read_document(text)
        if not isinstance(document.data, Map):
            reason = f"this is not a {kind}, which is a mapping of keys to values: {keys}"
            raise ScenarioError([*document.problems, Problem(reason, line=1, column=1)])
        return read(document, document.data)
    except ScenarioError as error:
        problems = sorted(error.problems, key=lambda problem: (problem.line, problem.column))
        raise ScenarioError(list(dict.fromkeys(problems)), name) from None


def _syntax_problem(error: Exception, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    context = getattr(error, "context", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    lines = _LINE_BREAK.split(text)
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in here and ("\t" in here[: max(column, 1)] or here.lstrip(" ").startswith("\t")):
        what, context = "a tab cannot indent. Use spaces", None
    message = f"not valid YAML: {what}" + (f" {context}" if context else "")
    return Problem(message, line=line, column=column)


class _Composer:
    """Turns events into data; keeps faults but does not stop the reading."""

    def __init__(self, text: str) -> None:
        self._document = Document(None, text)
        self._stack: list[Map | Seq] = []
        self._keys: list[str | None] = []
        self._sizes: list[int] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: dict[int, str] = {}
        self._count = 0
        self._aliased = 0
        self._known_keys: dict[str, str] = {}  # The same key all over the file is one string in memory.

    def compose(self, parser: Any) -> Document:
        from yaml import events

        scalar, alias = events.ScalarEvent, events.AliasEvent
        starts: dict[type[Any], type[Map] | type[Seq]] = {
            events.MappingStartEvent: Map,
            events.SequenceStartEvent: Seq,
        }
        documents = 0
        for event in _all(parser):
            kind = type(event)
            if kind is scalar:
                self._scalar(event)
            elif kind in starts:
                self._start(event, starts[kind])
            elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
                self._end()
            elif kind is alias:
                self._alias(event)
            elif kind is events.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self._stop(event, "a second document starts here, but a scenario file has one")
        return self._document

    def _say(self, event: Any, text: str) -> None:
        mark = event.start_mark
        self._document.problems.append(Problem(text, line=mark.line + 1, column=mark.column + 1))

    def _stop(self, event: Any, text: str) -> None:
        self._say(event, text)
        raise ScenarioError(self._document.problems)

    def _scalar(self, event: Any) -> None:
        value = event.value
        if event.tag is not None:
            self._refuse_tag(event)
        elif event.implicit[0] and _CLOCK.fullmatch(value):
            read = f"some YAML readers take {value} for {_sexagesimal(value):.15g}"
            self._say(
                event,
                f'{read}. Write times with a unit, such as 16 h. If it is text, put it in quotes: "{value}"',
            )
        elif event.implicit[0]:
            value = plain_value(value)
        mark = event.start_mark
        place = packed(mark.line, mark.column)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._put(event, value, place)

    def _refuse_tag(self, event: Any) -> None:
        tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        self._say(event, f"the tag {tag} is not plain YAML. Leave it out")

    def _start(self, event: Any, kind: type[Map] | type[Seq]) -> None:
        if event.tag is not None:
            self._refuse_tag(event)
        if len(self._stack) >= MAX_DEPTH:
            self._stop(event, f"nested deeper than {MAX_DEPTH} levels of YAML, which is the limit")
        mark = event.start_mark
        place = packed(mark.line, mark.column)
        value = kind(place)
        self._put(event, value, place)
        self._stack.append(value)
        self._keys.append(None)
        self._sizes.append(self._count)
        if event.anchor is not None:
            self._open[id(value)] = event.anchor
            self._anchors[event.anchor] = (value, 0)

    def _end(self) -> None:
        value = self._stack.pop()
        self._keys.pop()
        before = self._sizes.pop()
        anchor = self._open.pop(id(value), None)
        if anchor is not None:
            self._anchors[anchor] = (value, self._count - before + 1)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            self._stop(event, f"*{event.anchor} refers to nothing: no &{event.anchor} comes before it")
        value, size = self._anchors[event.anchor]
        if id(value) in self._open:
            self._stop(event, f"*{event.anchor} refers to the value that contains it")
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            self._stop(event, f"aliases stand for more than {thousands(MAX_ALIASED)} values. Write them out")
        mark = event.start_mark
        self._count += size
        self._put(event, value, packed(mark.line, mark.column))

    def _put(self, event: Any, value: Any, place: int) -> None:
        self._count += 1
        if self._count > MAX_VALUES:
            self._stop(event, f"more than {thousands(MAX_VALUES)} values, which is the limit")
        if not self._stack:
            self._document.data = value
            return
        holder = self._stack[-1]
        if isinstance(holder, Seq):
            holder.append(value)
            holder.places.append(place)
        elif self._keys[-1] is None:
            self._keys[-1] = self._key(event, holder, value, place)
        else:
            key = self._keys[-1]
            self._keys[-1] = None
            if key != _DROPPED:
                holder[key] = value
                holder.places.append(place)

    def _key(self, event: Any, holder: Map, value: Any, place: int) -> str:
        """Read a key; report a fault, and drop the value that follows it."""
        if not isinstance(value, str):
            scalar = not isinstance(value, Map | Seq)
            written = getattr(event, "value", "") if scalar else ""
            message = (
                f'this key is not text. Put it in quotes: "{written}"' if scalar else "a key must be text"
            )
            self._say(event, message)
            return _DROPPED
        if value in holder:
            message = f"the key {value} occurs here a second time"
            if len(self._document.problems) < _PLACED:  # Finding the place takes time in a large mapping.
                message += f", first in line {unpacked(holder.place_of(value, of_key=True))[0]}"
            self._say(event, message)
            return _DROPPED
        holder.places.append(place)
        return self._known_keys.setdefault(value, value)


def _all(parser: Any) -> Iterator[Any]:
    """Yield all events, as a parser has no iterator of its own."""
    get = parser.get_event
    while (event := get()) is not None:
        yield event


_INT = re.compile(r"[-+]?[0-9][0-9_]*|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?([0-9][0-9_]*\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_CLOCK_TIME = r"[Tt ] *([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]+)?)?"
_DATE = re.compile(rf"([0-9]{{4}})-([0-9]{{1,2}})-([0-9]{{1,2}})(?:{_CLOCK_TIME})?")
_CLOCK = re.compile(r"[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?")
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "yes": True, "on": True}
_WORDS |= {"false": False, "no": False, "off": False}
_WORDS |= {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}
_TYPED_START = frozenset("0123456789+-.~")


def plain_value(text: str) -> Any:
    """Return the meaning of a plain scalar for *some* YAML reader: text only where all of them agree that it
    is.
    """
    if text and text[0] not in _TYPED_START and len(text) > 5:
        return text
    lower = text.lower()
    if lower in _WORDS:
        return _WORDS[lower]
    if not text or text[0] not in _TYPED_START:
        return text
    if _INT.fullmatch(text):
        return _whole_number(text)
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    if _CLOCK.fullmatch(text):
        return _sexagesimal(text)
    return _moment(text)


def _whole_number(text: str) -> int | float:
    digits = text.lstrip("+-").replace("_", "")
    if len(digits) > 300:  # A float holds no more digits, and converting them is slow.
        return float("inf")
    return int(digits, 0 if digits[:2].lower() in ("0x", "0o") else 10) * (-1 if text[0] == "-" else 1)


def _sexagesimal(text: str) -> float:
    """Read numbers such as 1:30 as 90, as YAML 1.1 does."""
    total = 0.0
    for part in text.lstrip("+-").split(":"):
        total = total * 60 + float(part)
    return -total if text[0] == "-" else total


def _moment(text: str) -> Any:
    match = _DATE.fullmatch(text)
    if match is None:
        return text
    try:
        year, month, day, hour, minute, second = (int(part or 0) for part in match.group(1, 2, 3, 4, 5, 6))
        if match[4] is None:
            return date(year, month, day)
        micros = round(float(match[7] or 0) * 1e6)
        return datetime(year, month, day, hour, minute, second, micros)  # noqa: DTZ001 (the machine's own clock)
    except ValueError:
        return text
