"""Records: what was done to a cluster, as its audit log has it, an apply as one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from fsconsole.recording.audit import AuditRow, Result, worst
from fsconsole.slurm.change_set import OF_USERS, Verb
from fsconsole.slurm.job_change import JobVerb
from fsconsole.slurm.node_change import NodeVerb
from fsconsole.targets.slurm.apply_rows import BEGIN, END
from fsconsole.targets.slurm.audit_rows import SEND, action_of
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
        place: number of the row with its command: steps of applies at the same time alternate in the log.
        is_answered: whether the log has its result.
    """

    id: str
    row: AuditRow
    record: str
    verb: Verb | JobVerb | NodeVerb
    place: int = field(default=0, compare=False)
    is_answered: bool = True

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
        is_mixed: whether the log, of an earlier version, does not show which of its rows are those of another
            apply of the same author at the same time.
        place: number of its row.
    """

    id: str
    row: AuditRow
    steps: tuple[Step, ...] = ()
    is_apply: bool = False
    is_open: bool = False
    end: Result | None = None
    is_mixed: bool = False
    place: int = field(default=0, compare=False)

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

    @property
    def done(self) -> tuple[int, int]:
        """Number of changes that were made, and of all."""
        number = self.row.after.partition(" ")[0] if self.is_apply else ""  # Not each needs a row.
        count = max(len(self.steps), int(number) if number.isdecimal() else 0)
        return sum(step.row.result.is_done for step in self.steps), count

    @property
    def result_words(self) -> str:
        """The result in words: `done`, or `2 of 3 done; refused` with that which needs most attention."""
        done, count = self.done
        return f"{done} of {count} done; {self.result}" if 0 < done < count else str(self.result)


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

    @property
    def unfinished(self) -> Record | None:
        """The last apply without an end, unless another one was begun after its last row."""
        found: Record | None = None
        for record in (one for one in self.records if one.is_apply):
            if found is not None and all(step.place < record.place for step in found.steps):
                found = None
            found = record if record.is_open else found
        return found

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
    """Return an identity for each row that is the same in each reading of the log, wherever it lies.

    That of an apply is in the log itself.
    """
    seen: Counter[tuple[object, ...]] = Counter()
    made = []
    for row in rows:
        texts = (row.who, row.action, row.on, row.before, row.after, row.undoes)
        key = (row.tick, row.checks, *map(plain_percent, texts), *([row.act] if row.act else []))
        seen[key] += 1
        made.append(row.act if row.act and row.action == BEGIN else short_digest([*key, seen[key]]))
    return made


def verb_of(action: str) -> Verb | JobVerb | NodeVerb | None:
    """Return the kind of change that an action of the log is; None for actions of the console itself."""
    return TREE_VERBS.get(action) or JOB_VERBS.get(action) or NODE_VERBS.get(action)


@dataclass(slots=True, eq=False)
class _Open:
    """A record while the log is read."""

    id: str
    row: AuditRow
    place: int
    is_apply: bool = False
    is_open: bool = False
    end: Result | None = None
    is_mixed: bool = False
    steps: list[Step] = field(default_factory=list)


class _Reading:
    """Reads rows one after the other.

    Rows of actions at the same time alternate. Those of one share an identity. In older logs they share the
    author alone: what goes on after another apply of its author was begun cannot be told apart from that.
    """

    def __init__(self) -> None:
        self._records: list[_Open] = []
        self._place = 0
        self._applies: dict[Hashable, list[_Open]] = {}  # By the action: from one that is open to the newest.
        self._sent: dict[tuple[object, ...], tuple[_Open, int]] = {}  # The place among the owner's steps.

    def take(self, identity: str, row: AuditRow) -> None:
        self._place += 1
        if row.checks:
            self._decide(row)
        elif row.action == BEGIN:
            begun = _Open(identity, row, self._place, is_apply=True, is_open=True)
            before = self._applies.get(action_of(row), [])
            self._applies[action_of(row)] = (
                [*before, begun] if any(one.is_open for one in before) else [begun]
            )
            self._records.append(begun)
        elif row.action == END:
            if (ended := self._apply(row)) is not None:
                ended.is_open, ended.end = False, row.result
        elif row.action.startswith(SEND) and (verb := verb_of(row.action.removeprefix(SEND))) is not None:
            for name in row.on.split(", ") if isinstance(verb, JobVerb) else (row.on,):
                own = f"{identity}-{name}" if name != row.on else identity
                self._put(own, _unanswered(row, name), verb, is_answered=False)
        elif (verb := verb_of(row.action)) is not None:
            self._answer(identity, row, verb)
        else:
            self._records.append(_Open(identity, row, self._place))

    def _apply(self, row: AuditRow, owner: _Open | None = None) -> _Open | None:
        """Return the apply that a row belongs to: the newest one that is open, unless another is known."""
        applies = self._applies.get(action_of(row), [])
        found = owner or next((one for one in reversed(applies) if one.is_open), None)
        if found in applies[:-1]:
            for one in applies[applies.index(found) :]:
                one.is_mixed = True
        return found

    def history(self) -> History:
        records = [
            Record(
                one.id, one.row, tuple(one.steps), one.is_apply, one.is_open, one.end, one.is_mixed, one.place
            )
            for one in self._records
        ]
        found = History(tuple(records))
        for record in records:
            found.record_of[record.id] = record
            for step in record.steps:
                found.record_of[step.id] = record
                found.of_object.setdefault(step.object, []).append(step)
        for steps in found.of_object.values():
            steps.sort(key=lambda step: step.place)
        return found

    def _put(
        self, identity: str, row: AuditRow, verb: Verb | JobVerb | NodeVerb, *, is_answered: bool
    ) -> tuple[_Open, int]:
        if (
            row.act and _key(verb, row) in self._sent
        ):  # Parts of an array have a command each, and one result.
            return self._sent[_key(verb, row)]
        owner = self._apply(row) if isinstance(verb, Verb) else None
        if owner is None:
            owner = _Open(identity, row, self._place)
            self._records.append(owner)
        owner.steps.append(Step(identity, row, owner.id, verb, self._place, is_answered))
        self._sent[_key(verb, row)] = owner, len(owner.steps) - 1
        return self._sent[_key(verb, row)]

    def _answer(self, identity: str, row: AuditRow, verb: Verb | JobVerb | NodeVerb) -> None:
        """Take the result of a command; it replaces the row before it."""
        key = _key(verb, row)
        is_sent = key in self._sent
        owner, place = self._sent[key] if is_sent else self._put(identity, row, verb, is_answered=True)
        del self._sent[key]
        if owner.is_apply:
            self._apply(row, owner)
        else:
            owner.id, owner.row = identity, row
        owner.steps[place] = Step(identity, row, owner.id, verb, owner.steps[place].place)

    def _decide(self, row: AuditRow) -> None:
        """Take the later result of a step whose result was unknown."""
        action = row.action.removeprefix(CHECK)
        for owner in self._records:
            for place, step in enumerate(owner.steps):
                one = step.row
                same = (one.tick, one.action, one.on, one.after, one.act)
                if one.result is Result.UNKNOWN and same == (row.checks, action, row.on, row.after, row.act):
                    owner.steps[place] = replace(step, row=replace(one, result=row.result))
                    if not owner.is_apply:
                        owner.row = owner.steps[place].row


def _unanswered(row: AuditRow, on: str) -> AuditRow:
    return replace(row, action=row.action.removeprefix(SEND), on=on, result=Result.UNKNOWN)


def _key(verb: Verb | JobVerb | NodeVerb, row: AuditRow) -> tuple[object, ...]:
    """Return the common part of the rows before and after a command; no values for jobs and nodes."""
    return action_of(row), verb, row.on, row.after if isinstance(verb, Verb) else ""


def _names(texts: Iterable[str]) -> str:
    return ", ".join(first_of([text for text in texts if text], _MOST_NAMED))
