"""Records: what was done to a cluster, as its audit log has it, an apply as one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from fsconsole.recording.audit import AuditRow, Result, worst
from fsconsole.slurm.change_set import OF_USERS, Verb
from fsconsole.slurm.job_change import JobVerb
from fsconsole.slurm.node_change import NodeVerb
from fsconsole.targets.slurm.apply_rows import BEGIN, END
from fsconsole.targets.slurm.audit_rows import SEND
from fsconsole.targets.slurm.unknown_outcomes import CHECK, JOB_VERBS, NODE_VERBS, TREE_VERBS
from fsconsole.text.digests import short_digest
from fsconsole.text.numbers import plain_percent
from fsconsole.text.words import capitalised, count_words, first_of

_MOST_NAMED = 3
_ANY = "*"
_FIELDS: dict[Verb | JobVerb | NodeVerb, str] = {
    Verb.SET: "shares", Verb.MOVE: "parent", JobVerb.EXTEND: "limit",
    JobVerb.HOLD: "held", JobVerb.RELEASE: "held", JobVerb.SUSPEND: "running", JobVerb.RESUME: "running",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one object.

    Attributes:
        id: identity of the row.
        row: row with its result; without a result in the log that before the command, with UNKNOWN.
        record: identity of the record that it belongs to.
        verb: kind of the change.
    """

    id: str
    row: AuditRow
    record: str
    verb: Verb | JobVerb | NodeVerb

    @property
    def object(self) -> tuple[str, str]:
        """Kind and name of the changed object; a user's default account is an object of its own."""
        kind = self.verb if self.verb in OF_USERS else type(self.verb).__name__
        return kind, self.row.on

    @property
    def field(self) -> str:
        """Property that is changed; `*` for all of them."""
        if self.verb is Verb.LIMIT:
            return self.row.after.removeprefix("no ").partition(" ")[0]
        return _FIELDS.get(self.verb, _ANY)

    def touches(self, other: Step) -> bool:
        """Return True if both change the same property of the same object."""
        fields = {self.field, other.field}
        return self.object == other.object and (len(fields) == 1 or _ANY in fields)


@dataclass(frozen=True, slots=True)
class Record:
    """An action, or an apply with all its changes.

    Attributes:
        id: identity of its row.
        row: row of the action; the first one of an apply.
        steps: changes of the cluster, oldest first; empty for an action of the console itself.
        is_apply: whether it is an apply.
        is_open: whether the log has no end of the apply.
        end: result at the end of the apply, of all its changes, also of those that were not sent.
    """

    id: str
    row: AuditRow
    steps: tuple[Step, ...] = ()
    is_apply: bool = False
    is_open: bool = False
    end: Result | None = None

    @property
    def action(self) -> str:
        """Name of the action: `Apply 2 changes`, `Extend job`."""
        if not self.is_apply:
            return capitalised(self.row.action)
        verb = "Roll back" if self.row.undoes else "Apply"
        return f"{verb} {self.row.after or count_words(len(self.steps), 'change')}"

    @property
    def on(self) -> str:
        """Names of the changed objects."""
        return _names(step.row.on for step in self.steps) if self.is_apply else self.row.on

    @property
    def before(self) -> str:
        """Values before the changes, by object."""
        return _names(step.row.before for step in self.steps) if self.is_apply else self.row.before

    @property
    def after(self) -> str:
        """Values after the changes, by object."""
        return _names(step.row.after for step in self.steps) if self.is_apply else self.row.after

    @property
    def summary(self) -> AuditRow:
        """The record as one row; its text is that of the first change that was not made."""
        failed = (step.row.text for step in self.steps if not step.row.result.is_done)
        return replace(
            self.row, action=self.action, on=self.on, before=self.before, after=self.after,
            result=self.result, text=next(failed, self.row.text),
        )  # fmt: skip

    @property
    def result(self) -> Result:
        """The result that needs most attention."""
        results = [step.row.result for step in self.steps]
        if self.end is not None and self.end is not Result.UNKNOWN:  # What was unknown may be known since.
            results.append(self.end)
        return worst(results) if results else self.row.result


@dataclass(frozen=True, slots=True)
class History:
    """All records of a cluster, oldest first.

    Attributes:
        record_of: record of each row by the row's identity, also those of the steps of an apply.
        of_object: steps by the object that they change.
    """

    records: tuple[Record, ...]
    record_of: dict[str, Record] = field(default_factory=dict)
    of_object: dict[tuple[str, str], list[Step]] = field(default_factory=dict)

    def record(self, identity: str) -> Record | None:
        """Return a record, or one step of an apply as a record of its own; None if there is none."""
        found = self.record_of.get(identity)
        if found is None or found.id == identity:
            return found
        return next(single(step) for step in found.steps if step.id == identity)

    def overwritten_by(self, step: Step) -> Step | None:
        """Return the last later step that set the property again; None if the value of `step` stands.

        A step and the one that rolls it back cancel each other out.
        """
        steps = self.of_object.get(step.object, [])
        left: list[Step] = []
        for later in steps[steps.index(step) + 1 :] if step in steps else ():
            if not (later.row.result.is_done and later.touches(step)):
                continue
            if left and later.row.undoes and later.row.undoes in (left[-1].id, left[-1].record):
                left.pop()
            else:
                left.append(later)
        return left[-1] if left else None


def single(step: Step) -> Record:
    """Return one step as a record of its own."""
    return Record(step.id, step.row, (step,))


def history_of(rows: Sequence[AuditRow]) -> History:
    """Return the records of an audit log, oldest first."""
    found = _Reading()
    for identity, row in zip(identities(rows), rows, strict=True):
        found.take(identity, row)
    return found.history()


def identities(rows: Iterable[AuditRow]) -> list[str]:
    """Return an identity for each row that is the same in each reading of the log, wherever it lies."""
    seen: Counter[tuple[object, ...]] = Counter()
    made = []
    for row in rows:
        texts = (row.who, row.action, row.on, row.before, row.after, row.undoes)
        key = (row.tick, row.checks, *map(plain_percent, texts))
        seen[key] += 1
        made.append(short_digest([*key, seen[key]]))
    return made


def verb_of(action: str) -> Verb | JobVerb | NodeVerb | None:
    """Return the kind of change that an action of the log is; None for actions of the console itself."""
    return TREE_VERBS.get(action) or JOB_VERBS.get(action) or NODE_VERBS.get(action)


@dataclass(slots=True)
class _Open:
    """A record while the log is read."""

    id: str
    row: AuditRow
    is_apply: bool = False
    is_open: bool = False
    end: Result | None = None
    steps: list[Step] = field(default_factory=list)


class _Reading:
    """Reads rows one after the other."""

    def __init__(self) -> None:
        self._records: list[_Open] = []
        self._apply: _Open | None = None
        self._sent: dict[tuple[object, ...], tuple[_Open, int]] = {}  # The place among the owner's steps.

    def take(self, identity: str, row: AuditRow) -> None:
        if row.checks:
            self._decide(row)
        elif row.action == BEGIN:
            self._apply = _Open(identity, row, is_apply=True, is_open=True)
            self._records.append(self._apply)
        elif row.action == END:
            if self._apply is not None:
                self._apply.is_open, self._apply.end = False, row.result
            self._apply = None
        elif row.action.startswith(SEND) and (verb := verb_of(row.action.removeprefix(SEND))) is not None:
            for name in row.on.split(", ") if isinstance(verb, JobVerb) else (row.on,):
                own = f"{identity}-{name}" if name != row.on else identity
                self._put(own, _unanswered(row, name), verb)
        elif (verb := verb_of(row.action)) is not None:
            self._answer(identity, row, verb)
        else:
            self._records.append(_Open(identity, row))

    def history(self) -> History:
        records = [
            Record(one.id, one.row, tuple(one.steps), one.is_apply, one.is_open, one.end)
            for one in self._records
        ]
        found = History(tuple(records))
        for record in records:
            found.record_of[record.id] = record
            for step in record.steps:
                found.record_of[step.id] = record
                found.of_object.setdefault(step.object, []).append(step)
        return found

    def _put(self, identity: str, row: AuditRow, verb: Verb | JobVerb | NodeVerb) -> tuple[_Open, int]:
        owner = self._apply if isinstance(verb, Verb) else None
        if owner is None:
            owner = _Open(identity, row)
            self._records.append(owner)
        step = Step(identity, row, owner.id, verb)
        owner.steps.append(step)
        place = len(owner.steps) - 1
        self._sent[_key(verb, row)] = owner, place
        return owner, place

    def _answer(self, identity: str, row: AuditRow, verb: Verb | JobVerb | NodeVerb) -> None:
        """Take the result of a command; it replaces the row before it."""
        key = _key(verb, row)
        owner, place = self._sent[key] if key in self._sent else self._put(identity, row, verb)
        del self._sent[key]
        if not owner.is_apply:
            owner.id, owner.row = identity, row
        owner.steps[place] = Step(identity, row, owner.id, verb)

    def _decide(self, row: AuditRow) -> None:
        """Take the later result of a step whose result was unknown."""
        action = row.action.removeprefix(CHECK)
        for owner in self._records:
            for place, step in enumerate(owner.steps):
                one = step.row
                if (one.tick, one.action, one.on, one.after) == (row.checks, action, row.on, row.after):
                    owner.steps[place] = replace(step, row=replace(one, result=row.result))
                    if not owner.is_apply:
                        owner.row = owner.steps[place].row


def _unanswered(row: AuditRow, on: str) -> AuditRow:
    return replace(row, action=row.action.removeprefix(SEND), on=on, result=Result.UNKNOWN)


def _key(verb: Verb | JobVerb | NodeVerb, row: AuditRow) -> tuple[object, ...]:
    """Return the common part of the rows before and after a command; no values for jobs and nodes."""
    return (verb, row.on, row.after) if isinstance(verb, Verb) else (verb, row.on)


def _names(texts: Iterable[str]) -> str:
    return ", ".join(first_of([text for text in texts if text], _MOST_NAMED))
