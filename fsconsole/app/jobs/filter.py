"""Filter for jobs: words, and terms such as `user:anna state:running partition=batch cpus>16`.

All terms have to hold. A bare word is looked for in every column of text; `-` before a term turns it round;
quotes keep blanks together. States and reasons are found by Slurm's words and codes too (`state=PD`). `:`
holds where the text is in the value, `=` where it is the value; several values are parted by commas. Numbers
and times (`2h`, `30m`, `1:30:00`, all that Slurm writes) go with `=`, `<`, `>`, `<=`, `>=`.
No Qt.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from fsconsole.app.jobs.columns import (
    LENGTH_FIELDS,
    TEXT_FIELDS,
    TIME_FIELDS,
    Bools,
    Field,
    JobColumns,
)
from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.values import length_s
from fsconsole.text.nearest import nearest_or_all

_TERM = re.compile(r'\s*(-?)(?:([A-Za-z]+)(!=|<=|>=|[:=<>]))?(?:"([^"]*)"|(\S*))')
_UNIT_S = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_WITH_UNIT = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(s|min|m|h|d)?")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
_ALSO = {
    "id": Field.JOB,
    "node": Field.NODES,
    "cpu": Field.CPUS,
    "time": Field.ELAPSED,
    "fs": Field.FAIRSHARE,
}
_NUMBERS = frozenset((Field.CPUS, Field.PRIORITY, Field.FAIRSHARE, *LENGTH_FIELDS))
_COMPARE: dict[str, np.ufunc] = {
    "=": np.equal,
    ":": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}


class FilterError(ValueError):
    """Invalid filter; the message describes a valid one."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition on a column, or on all columns of text if `field` is None."""

    field: Field | None
    compare: str
    text: str
    is_turned: bool = False

    def holds(self, columns: JobColumns) -> Bools:
        """Return a mask of the jobs for which the term holds, bool [jobs]."""
        found = self._holds(columns)
        return np.logical_not(found) if self.is_turned else found

    def _holds(self, columns: JobColumns) -> Bools:
        if self.field is None:
            return self._anywhere(columns, self.text.casefold())
        if self.field in _NUMBERS:
            wanted = _number(self.field, self.text)
            return np.asarray(_COMPARE[self.compare](columns.numbers(self.field), wanted), dtype=bool)
        return self._text_holds(columns, self.field)

    @staticmethod
    def _anywhere(columns: JobColumns, text: str) -> Bools:
        found = np.zeros(len(columns), bool)
        for one in TEXT_FIELDS:
            found |= columns.words(one).holding(lambda value: text in value)
        return found

    def _text_holds(self, columns: JobColumns, field: Field) -> Bools:
        wanted = [part for part in self.text.casefold().split(",") if part] or [""]
        if field is Field.NODES and self.compare != "!=":
            return columns.words(field).holding(lambda value: _on_any(value, wanted))
        if self.compare == ":":
            return columns.words(field).holding(lambda value: any(one in value for one in wanted))
        found = columns.words(field).holding(wanted.__contains__)
        return np.logical_not(found) if self.compare == "!=" else found


def read_filter(text: str) -> tuple[Term, ...]:
    """Return the terms of a typed filter.

    Raises:
        FilterError: a term is wrong; the message names a valid one.
    """
    if text.count('"') % 2:
        msg = 'A quote " is not closed. Close it.'
        raise FilterError(msg)
    terms, at = [], 0
    while at < len(text):
        match = _TERM.match(text, at)
        if match is None or match.end() == at:
            break
        at = match.end()
        minus, name, compare, quoted, bare = match.groups()
        value = quoted if quoted is not None else bare
        if name is None and not value:
            if minus:
                continue  # A single minus is a term that the user is still typing.
            break
        terms.append(_term(name, compare, value, is_turned=bool(minus)))
    return tuple(terms)


def chosen(columns: JobColumns, terms: tuple[Term, ...]) -> Bools:
    """Return a mask of the jobs for which all terms hold, bool [jobs]."""
    found = np.ones(len(columns), bool)
    for term in terms:
        found &= term.holds(columns)
    return found


def _on_any(nodes: str, wanted: list[str]) -> bool:
    """Return True if a job has one of some nodes: n3 is among n[1-4]; else whether that is in the text."""
    hosts = hosts_or_none(nodes) if nodes else ()
    return any(one in nodes or one in hosts for one in wanted)


def _term(name: str | None, compare: str | None, value: str, *, is_turned: bool) -> Term:
    if name is None or compare is None:
        return Term(None, ":", value, is_turned)
    field = _field(name)
    if field in TIME_FIELDS:
        msg = (
            f"{name} cannot be searched. Use {Field.ELAPSED}, {Field.LEFT} or {Field.LIMIT}. Example: "
            "elapsed>2h"
        )
        raise FilterError(msg)
    if field in _NUMBERS:
        _number(field, value)
    elif compare not in (":", "=", "!="):
        msg = f"{name} is text. Use : (contains), = or !=. Example: {name}:{value or 'abc'}"
        raise FilterError(msg)
    return Term(field, compare, value, is_turned)


def _field(name: str) -> Field:
    wanted = name.lower()
    if wanted in _ALSO:
        return _ALSO[wanted]
    known = [field.value for field in Field]
    if wanted not in known:
        msg = f"Unknown field {name}{nearest_or_all(wanted, known)}"
        raise FilterError(msg)
    return Field(wanted)


def _number(field: Field, text: str) -> float:
    if field in LENGTH_FIELDS:
        return _length_s(field, text)
    if _NUMBER.fullmatch(text) is None:
        msg = (
            f"{field}: {text!r} is not a number. Example: {field}>16"
            if text
            else f"{field}: the value is missing. Example: {field}>16"
        )
        raise FilterError(msg)
    return float(text)


def _length_s(field: Field, text: str) -> float:
    wanted = text.lower()
    if wanted in ("inf", "none"):
        return math.inf
    if match := _WITH_UNIT.fullmatch(wanted):
        return float(match[1]) * _UNIT_S[match[2] or "min"]
    with suppress(DamagedError):
        as_slurm_writes = length_s(wanted)
        if as_slurm_writes is not None:
            return as_slurm_writes
    msg = f"{field}: {text!r} is not a time. Example: {field}>2h, {field}<30m or {field}>1:30:00"
    raise FilterError(msg)
