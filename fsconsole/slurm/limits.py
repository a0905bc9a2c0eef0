"""Limits of associations and QOS: their names, their values as Slurm keeps them, and values it would alter.

A limit is kept as text: counts as digits, walls as minutes, TRES as sorted `cpu=4,mem=2G`; what is not set,
or is as Slurm has it by itself, is the empty text. Source: sacctmgr(1), and what sacctmgr of Slurm
22.05.8 made of values: it stores 2.5 as 2, 10k as 10, 5000000000 as 705032704, cpu=-7 as
18446744073709551609, a UsageFactor of -2 as 1, and rounds walls up to minutes, each with exit status 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from fsconsole.shares.foreign import bare
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.values import length_s
from fsconsole.text.durations import clock, duration, slurm_limit
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.numbers import thousands
from fsconsole.text.words import listed, shortened

MOST = 2**31 - 1  # The database refuses or wraps larger counts.
_MOST_TRES = 2**63 - 1
_FACTOR_DIGITS = 6
_CLEAR = "-1"
_COUNT = re.compile(r"[0-9]{1,10}")
_AMOUNT = re.compile(r"([0-9]{1,19})([kmgtp]?)b?")
_UNITS = "MGTP"  # Units of memory are each 1024 of the one before.
_ENDLESS = ("unlimited", "infinite")
QOS_PREFIX = "slurm.qos."
QOS_NAMES = "slurm.qos"  # The root holds all QOS under this key, also those without limits.
NOT_READ = "slurm.own_limits_not_read"  # The root has this foreign key.


class Kind(StrEnum):
    """Kinds of limits by the things that they count."""

    COUNT = "a whole number"
    WALL = "a time"
    TRES = "amounts"
    FACTOR = "a factor"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit.

    Attributes:
        name: name in `sacctmgr set` and in a dump.
        column: column of `sacctmgr show`, in lower case.
        meaning: what it bounds, in words.
        default: Slurm's value if it is not set, as text; empty for no bound.
    """

    name: str
    column: str
    kind: Kind
    meaning: str
    default: str = ""

    @property
    def label(self) -> str:
        """The shorter name that people use: MaxWall."""
        short = self.name.removesuffix("DurationPerJob").removesuffix("PerJob")
        return short.replace("PerUser", "PU").replace("PerAccount", "PA")

    @property
    def comes_down(self) -> bool:
        """True if nodes below an account inherit it unless they set their own."""
        return not self.name.startswith("Grp")


def _counts(*rows: tuple[str, str, str]) -> tuple[Limit, ...]:
    return tuple(Limit(name, column, Kind.COUNT, meaning) for name, column, meaning in rows)


def _amounts(*rows: tuple[str, str, str]) -> tuple[Limit, ...]:
    return tuple(Limit(name, column, Kind.TRES, meaning) for name, column, meaning in rows)


def _walls(*rows: tuple[str, str, str]) -> tuple[Limit, ...]:
    return tuple(Limit(name, column, Kind.WALL, meaning) for name, column, meaning in rows)


_TOGETHER = (
    *_amounts(("GrpTRES", "grptres", "TRES of all running jobs together")),
    *_counts(
        ("GrpJobs", "grpjobs", "running jobs, all together"),
        ("GrpSubmitJobs", "grpsubmit", "jobs pending or running, all together"),
    ),
    *_walls(("GrpWall", "grpwall", "wall time of all jobs together; it decays like usage")),
    *_amounts(
        ("GrpTRESMins", "grptresmins", "TRES minutes of past, running and future jobs; they decay"),
        ("GrpTRESRunMins", "grptresrunmins", "TRES minutes left for all running jobs together"),
    ),
)
_OF_A_JOB = (
    *_amounts(("MaxTRESPerJob", "maxtres", "TRES of one job")),
    *_amounts(("MaxTRESPerNode", "maxtrespernode", "TRES of one job on a node")),
    *_walls(("MaxWallDurationPerJob", "maxwall", "time limit of one job")),
    *_amounts(("MaxTRESMinsPerJob", "maxtresmins", "TRES minutes of one job")),
)
ASSOCIATION: tuple[Limit, ...] = (
    *_counts(
        ("MaxJobs", "maxjobs", "running jobs of each user"),
        ("MaxSubmitJobs", "maxsubmit", "jobs pending or running of each user"),
    ),
    *_OF_A_JOB,
    *_TOGETHER,
    Limit("Priority", "priority", Kind.COUNT, "the association's points in a job's priority"),
)
QOS: tuple[Limit, ...] = (
    Limit("Priority", "priority", Kind.COUNT, "relative to the highest of all QOS", "0"),
    Limit("UsageFactor", "usagefactor", Kind.FACTOR, "factor for the usage of its jobs", "1"),
    *_counts(
        ("MaxJobsPerUser", "maxjobspu", "running jobs of a user"),
        ("MaxSubmitJobsPerUser", "maxsubmitpu", "jobs pending or running of a user"),
        ("MaxJobsPerAccount", "maxjobspa", "running jobs of an account"),
        ("MaxSubmitJobsPerAccount", "maxsubmitpa", "jobs pending or running of an account"),
    ),
    *_amounts(
        ("MaxTRESPerUser", "maxtrespu", "TRES of all running jobs of a user"),
        ("MaxTRESPerAccount", "maxtrespa", "TRES of all running jobs of an account"),
        ("MinTRESPerJob", "mintres", "TRES that a job must request at least"),
    ),
    *_OF_A_JOB,
    *_TOGETHER,
)
_NO_TRES: frozenset[str] = frozenset()


def _by_any_name(limits: tuple[Limit, ...]) -> Mapping[str, Limit]:
    return {
        word: one for one in reversed(limits) for word in (one.name.lower(), one.label.lower(), one.column)
    }


_OF_ASSOCIATION, _OF_QOS = _by_any_name(ASSOCIATION), _by_any_name(QOS)


def limit_named(name: str, *, of_qos: bool = False) -> Limit | None:
    """Return the limit with a name, column or short name in any case; None if unknown."""
    return (_OF_QOS if of_qos else _OF_ASSOCIATION).get(name.strip().lower())


def limit_or_fault(name: str, *, of_qos: bool = False) -> Limit:
    """Return the limit with a name.

    Raises:
        ValueError: the name is unknown; the message has similar ones.
    """
    found = limit_named(name, of_qos=of_qos)
    if found is None:
        known = [one.label for one in (QOS if of_qos else ASSOCIATION)]
        what = "a QOS" if of_qos else "an association"
        msg = f"{name} is not a limit of {what} that can be set here{nearest_or_all(name, known)}"
        raise ValueError(msg)
    return found


def tres_of(settings: SlurmConfig | None) -> frozenset[str]:
    """Return the TRES that a cluster counts (AccountingStorageTRES); empty if unknown."""
    setting = "" if settings is None else settings.values.get("accountingstoragetres", "")
    return frozenset(name.strip().lower() for name in setting.split(",") if name.strip())


# -- values ------------------------------------------------------------------------------------------------


def typed(limit: Limit, text: str, tres: Collection[str] = _NO_TRES) -> str:
    """Return a typed or dumped value in its stored form; empty to clear it.

    ValueError has the fault and a valid value, also if sacctmgr would store a different value.

    Args:
        limit: the limit.
        text: such as 8, 1-12:00:00, or cpu=4,mem=2g; -1 clears.
        tres: names of the TRES that the cluster counts; empty if unknown.
    """
    text = bare(text)
    if text in ("", _CLEAR) or text.lower() in _ENDLESS:
        return ""
    kept = _PARSERS[limit.kind](text, tres)
    return "" if kept == limit.default else kept


def printed(limit: Limit, text: str) -> str:
    """Return a printed value in its stored form; an unknown value stays unchanged."""
    text = text.strip()
    try:
        if limit.kind is Kind.FACTOR and text:
            text = f"{float(text):.{_FACTOR_DIGITS}f}"
        return typed(limit, text)
    except ValueError:
        return text


def shown(limit: Limit, kept: str) -> str:
    """Return a value as people read it, and as `typed` takes it back: d-hh:mm:ss for minutes."""
    kept = kept or limit.default
    if limit.kind is Kind.WALL and _COUNT.fullmatch(kept):
        return slurm_wall(int(kept))
    return kept


def slurm_wall(minutes: int) -> str:
    """Format minutes as sacctmgr does: 02:00:00, 1-12:00:00."""
    return slurm_limit(60.0 * minutes) if minutes >= 1440 else clock(60.0 * minutes)


def words(limit: Limit, kept: str) -> str:
    """Return a limit with its value in words: GrpJobs 8, or no GrpJobs."""
    value = shown(limit, kept)
    return f"{limit.label} {value}" if value else f"no {limit.label}"


def set_word(limit: Limit, was: str, will: str) -> str:
    """Return the argument of sacctmgr's `set`: TRES are merged with those stored, so that each is cleared."""
    if limit.kind is not Kind.TRES:
        return f"{limit.name}={will or limit.default or _CLEAR}"
    gone = [f"{name}={_CLEAR}" for name in _amounts_in(was) if name not in _amounts_in(will)]
    return f"{limit.name}={','.join([*([will] if will else []), *gone])}"


def merged(limit: Limit, kept: str, text: str, tres: Collection[str] = _NO_TRES) -> str:
    """Return a typed value merged with the stored one, as in sacctmgr: cpu=-1 removes only CPUs."""
    if limit.kind is not Kind.TRES:
        return typed(limit, text, tres)
    parts = [part.strip().lower().partition("=") for part in text.split(",")]
    cleared = {name for name, _, value in parts if value == _CLEAR}
    added = typed(limit, text, tres)
    if not added and not cleared:
        return ""
    left = {name: value for name, value in _amounts_in(kept).items() if name not in cleared}
    return joined(",".join(f"{name}={value}" for name, value in left.items()), added)


def joined(kept: str, over: str) -> str:
    """Join two values of TRES; the second replaces what it names."""
    found = {**_amounts_in(kept), **_amounts_in(over)}
    return ",".join(f"{name}={value}" for name, value in sorted(found.items()) if value != _CLEAR)


def _amounts_in(kept: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in kept.split(",") if part)
    return {name: value for name, _, value in pairs}


def _count(text: str, _: Collection[str]) -> str:
    if _COUNT.fullmatch(text) and int(text) <= MOST:
        return str(int(text))
    msg = f"{shortened(text)!r} is not a whole number from 0 to {thousands(MOST)}, or -1 to clear it"
    raise ValueError(msg)


def _wall(text: str, _: Collection[str]) -> str:
    if found := re.fullmatch(r"([0-9]{1,6})-([0-9]{1,2})(:[0-9]{1,2})?", text):
        # Slurm writes days-hours and days-hours:minutes.
        text = f"{found[1]}-{found[2]}{found[3] or ':00'}:00"
    length: float | None = None
    with suppress(DamagedError):
        length = length_s(text)
    if length is None or not length <= MOST * 60:
        example = "for example 90, 12:00:00 or 1-12:00:00, or -1 to clear it"
        msg = f"{shortened(text)!r} is not minutes or [days-]hours:minutes:seconds, {example}"
        raise ValueError(msg)
    whole = math.ceil(int(length) / 60)
    if 60 * whole != int(length):
        up, exact = slurm_wall(whole), duration(length)
        msg = f"Slurm stores whole minutes, and would store {up} for {shortened(text)!r} ({exact})"
        raise ValueError(msg)
    return str(whole)


def _factor(text: str, _: Collection[str]) -> str:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1e9:
        msg = (
            f"{shortened(text)!r} is not a number of 0 or more, such as 1 or 0.25. "
            "Slurm stores 1 for a negative number"
        )
        raise ValueError(msg)
    kept = f"{value:.{_FACTOR_DIGITS}f}"
    if float(kept) != value:
        msg = f"Slurm keeps {_FACTOR_DIGITS} digits, and would store {kept} for {shortened(text)!r}"
        raise ValueError(msg)
    return kept.rstrip("0").rstrip(".")


def _tres(text: str, known: Collection[str]) -> str:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        name = name.lower()
        if not (name and equals and value):
            msg = f"{shortened(text)!r} is not a list of amounts such as cpu=16,mem=64G, or -1 to clear it"
            raise ValueError(msg)
        if known and name not in known:
            msg = f"this cluster has no TRES {name!r}. It tracks {listed(sorted(known))}"
            raise ValueError(msg)
        if name in found:
            msg = f"{name} is given twice. Remove one"
            raise ValueError(msg)
        found[name] = "" if value == _CLEAR else _amount(name, value)
    return ",".join(f"{name}={value}" for name, value in sorted(found.items()) if value)


def _amount(name: str, value: str) -> str:
    """Return a whole number; of memory in MB where it has no unit, written with the largest that it is whole
    in.
    """
    match = _AMOUNT.fullmatch(value.lower())
    is_memory = name in ("mem", "vmem") or name.startswith("bb/")
    if match is None or (match[2] and not is_memory) or int(match[1]) > _MOST_TRES:
        form = "a whole number, with K, M, G or T," if is_memory else "a whole number"
        msg = f"{name} must be {form} of 0 or more, not {value!r}"
        raise ValueError(msg)
    if not is_memory:
        return str(int(match[1]))
    unit = match[2].upper() or "M"
    number, rest = (int(match[1]), 0) if unit != "K" else divmod(int(match[1]), 1024)
    if rest:
        msg = f"Slurm stores {name} in whole MB, not {value!r}"
        raise ValueError(msg)
    power = 0 if unit == "K" else _UNITS.index(unit)
    while number and number % 1024 == 0 and power < len(_UNITS) - 1:
        number, power = number // 1024, power + 1
    return f"{number}{_UNITS[power]}" if number else "0"


_PARSERS = {Kind.COUNT: _count, Kind.WALL: _wall, Kind.FACTOR: _factor, Kind.TRES: _tres}


# -- where they are kept in a share tree ---------------------------------------------------------------------


def of_row(row: Mapping[str, str]) -> dict[str, str]:
    """Return limits by name, of columns of `sacctmgr show assoc`."""
    found = {one.name: printed(one, row[one.column]) for one in ASSOCIATION if row.get(one.column)}
    return {name: kept for name, kept in found.items() if kept}


def of_qos(qos: Qos) -> dict[str, str]:
    """Return the limits of a QOS by name, from the output of `sacctmgr show qos`."""
    columns = {**qos.limits, "priority": str(qos.priority), "usagefactor": str(qos.usage_factor)}
    found = {one.name: printed(one, columns[one.column]) for one in QOS if columns.get(one.column)}
    return {name: kept for name, kept in found.items() if kept}


def of_foreign(foreign: Mapping[str, str]) -> dict[str, str]:
    """Return limits by name from the foreign keys of a node, with their spelling there."""
    return {one.name: bare(value) for key, value in foreign.items() if (one := limit_named(key)) is not None}


def qos_of_foreign(foreign: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return limits by QOS and name from the foreign keys of the root."""
    found: dict[str, dict[str, str]] = {}
    for qos, name, value in _qos_keys(foreign):
        found.setdefault(qos, {})[name] = value
    return found


def _qos_keys(foreign: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for key, value in foreign.items():
        if key.startswith(QOS_PREFIX):
            qos, _, name = key.removeprefix(QOS_PREFIX).rpartition(".")
            yield qos, name, value


def foreign_of_qos(own: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return foreign keys of the root for limits by QOS and name."""
    keys = {f"{QOS_PREFIX}{qos}.{name}": kept for qos, limits in own.items() for name, kept in limits.items()}
    return {QOS_NAMES: ",".join(own)} | keys if own else {}


def qos_key(qos: str, limit: Limit) -> str:
    """Return the foreign key of the root that keeps a limit of a QOS."""
    return f"{QOS_PREFIX}{qos}.{limit.name}"


def with_limit(foreign: Mapping[str, str], limit: Limit, kept: str, qos: str = "") -> dict[str, str]:
    """Return foreign keys with another value of a limit; without it where that is empty."""
    name = qos_key(qos, limit) if qos else limit.name
    left = {
        key: value for key, value in foreign.items()
        if key != name and (qos or limit_named(key) is not limit)
    }  # fmt: skip
    return left | {name: kept} if kept else left


def is_key(key: str) -> bool:
    """Return True if a foreign key keeps a limit, of an association or of a QOS."""
    return key.startswith((QOS_NAMES, NOT_READ)) or limit_named(key) is not None


def changed_keys(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the foreign keys of limits in which two nodes differ."""
    return [key for key in {**was, **now} if was.get(key) != now.get(key) and is_key(key)]


def with_limits_of(foreign: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Return foreign keys with the limits of another node."""
    rest = {key: value for key, value in foreign.items() if not is_key(key)}
    return rest | {key: value for key, value in other.items() if is_key(key)}


def limit_of_key(key: str) -> tuple[Limit, str] | None:
    """Return the limit that a foreign key keeps, and the QOS that has it, empty for an association's."""
    of_qos = key.startswith(QOS_PREFIX)
    qos, _, name = key.removeprefix(QOS_PREFIX).rpartition(".") if of_qos else ("", "", key)
    limit = limit_named(name, of_qos=of_qos)
    return None if limit is None else (limit, qos)


def key_words(key: str, value: str) -> str:
    """Return a foreign key of a limit with its value in words: QOS high GrpJobs 8; empty for other keys."""
    found = limit_of_key(key)
    if found is None:
        return ""
    limit, qos = found
    return f"{f'QOS {qos} ' if qos else ''}{words(limit, printed(limit, bare(value)))}"


def difference_words(was: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return the differences between limits in words: GrpJobs 8 → 10."""
    changes = []
    for key in changed_keys(was, now):
        if key == QOS_NAMES:
            changes.append(f"QOS {listed(now.get(key, '').split(','))}")
        elif (found := limit_of_key(key)) is not None:
            limit, qos = found
            values = [shown(limit, one.get(key, "")) or "none" for one in (was, now)]
            whose = f"QOS {qos} " if qos else ""
            changes.append(f"{whose}{limit.label} {values[0]} \N{RIGHTWARDS ARROW} {values[1]}")
    return listed(changes, 3)
