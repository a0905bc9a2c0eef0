"""Application of a change set to a cluster: one command at a time, with everything read back.

Exit status 0 of sacctmgr does not prove success. So stored values are read before each change, to avoid
overwriting unseen edits, every few seconds, and at the end. One command is one change: 0.3 s each on Slurm
22.05.8. Some commands that set shares run at the same time (20 at once took 0.5 s). `sacctmgr load` is faster
for many changes, but commits everything before a fault and reports less. Its interactive mode is not faster.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from fsconsole.recording.audit import Result
from fsconsole.slurm.change_set import OF_USERS, Change, ChangeSet, Entry, Verb
from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.held import Held
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.names import ROOT, in_words
from fsconsole.slurm.obstacles import with_obstacles
from fsconsole.slurm.rollback import rollback_of
from fsconsole.targets.slurm.delivery import SETTLE_S
from fsconsole.targets.slurm.readback import (
    BETWEEN_S,
    DefaultAccounts,
    Privileges,
    UnreadableError,
    lag_of,
    read_active_jobs,
    read_privileges,
    read_stored,
)
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
from fsconsole.targets.slurm.tools import Answer, Run
from fsconsole.targets.slurm.verification import (
    answer_text,
    change_since,
    is_so,
    is_still,
    judged,
    now_words,
)
from fsconsole.text.words import listed, plural

LIMIT_S = 60.0
AT_ONCE = 4  # More commands at a time would flood a database that others need.
_LOOK_S = 2.0
_LOOK_COST = 5  # Reading back must not take longer than the changes.
_TRIES = 3
_PATIENCE_S = 20.0
_MOST_NAMED = 5
_UNHELD = "The privileges of removed users could not be read, so a roll back does not give them again"


@dataclass(frozen=True, slots=True)
class ApplyCallbacks:
    """Callbacks during an apply.

    Attributes:
        progress: receives each change once its result is known, and again if the result changes.
        begin: receives each change before its command runs; returns why it must not run, or an empty text.
        record: receives each tried change, for the audit log.
        is_stopped: returns whether to skip the remaining changes.
        wait: waits a number of seconds.
        sent: receives each change once its command has ended; its result is known when it was read back.
    """

    progress: Callable[[ChangeReport], None] = lambda _: None
    record: Callable[[ChangeReport], None] = lambda _: None
    is_stopped: Callable[[], bool] = lambda: False
    wait: Callable[[float], None] = time.sleep
    begin: Callable[[Change], str] = lambda _: ""
    sent: Callable[[Change], None] = lambda _: None


def apply(
    run: Run,
    cluster: str,
    changes: ChangeSet,
    callbacks: ApplyCallbacks | None = None,
    *,
    dry_run: bool = False,
    is_whole: bool = False,
    limit_s: float = LIMIT_S,
) -> ApplyReport:
    """Apply all changes in order, and return the result of each.

    No response of the cluster raises an exception. A change is not sent if others have edited its object
    since it was staged, if it depends on a failed change, or if it has an obstacle now that is not insisted
    on: the operator has decided on the obstacles of before.

    Args:
        run: runs a command on the cluster.
        cluster: the cluster's name in sacctmgr.
        changes: staged changes; any refusal in them prevents the apply.
        callbacks: callbacks during the apply.
        dry_run: whether to run no commands and only report the changes that would not be sent.
        is_whole: whether to send no change at all if others have edited the object of any before, or if one
            has a new obstacle.
        limit_s: time limit of each command.
    """
    callbacks = callbacks or ApplyCallbacks()
    if dry_run:
        rows = tuple(ChangeReport(one, Result.DRY_RUN, _dry_words(one)) for one in changes.changes)
        return _report_all(rows, callbacks)
    if changes.refusals:
        why = f"nothing was done: {changes.refusals[0].on}: {changes.refusals[0].why}"
        return _all(changes, Result.NOT_SENT, why, callbacks)
    return _Applying(run, cluster, callbacks, limit_s).result(changes, is_whole=is_whole)


def _together(changes: Sequence[Change]) -> Iterator[Sequence[int]]:
    """Yield the places of changes that may run at the same time: some that set shares, all others
    one by one.
    """
    places: list[int] = []
    for place, change in enumerate(changes):
        if places and (change.verb != Verb.SET or len(places) == AT_ONCE):
            yield places
            places = []
        if change.verb == Verb.SET:
            places.append(place)
        else:
            yield [place]
    if places:
        yield places


def _all(changes: ChangeSet, result: Result, text: str, callbacks: ApplyCallbacks) -> ApplyReport:
    return _report_all(tuple(ChangeReport(change, result, text) for change in changes.changes), callbacks)


def _dry_words(change: Change) -> str:
    return f"would be skipped: {change.obstacle}" if change.obstacle else "not sent"


def _report_all(rows: tuple[ChangeReport, ...], callbacks: ApplyCallbacks) -> ApplyReport:
    for row in rows:
        callbacks.progress(row)
    return ApplyReport(rows, ChangeSet())


class _Applying:
    """One change set on its way."""

    def __init__(self, run: Run, cluster: str, callbacks: ApplyCallbacks, limit_s: float) -> None:
        self._run, self._cluster, self._callbacks, self._limit_s = run, cluster, callbacks, limit_s
        self._stored: dict[Key, Entry] = {}
        self._read_s = self._read_at = 0.0
        self._rows: dict[int, ChangeReport] = {}
        self._answers: dict[int, Answer] = {}
        self._waiting: list[int] = []
        self._lost = ""
        self._is_read_back = self._is_sure = True
        self._of: tuple[Change, ...] = ()
        self._added: dict[str, list[Key]] = {}
        self._places: dict[str, list[int]] = {}  # Places of added and removed users.
        self._jobs: tuple[Job, ...] = ()
        self._partitions: dict[tuple[str, str], Key] = {}  # One association for a partition of each user.
        self._coordinators: Mapping[str, Privileges] = {}
        self._unheld = ""
        self._defaults = DefaultAccounts(run, cluster, limit_s)

    def result(self, changes: ChangeSet, *, is_whole: bool) -> ApplyReport:
        self._of = changes.changes
        for place, change in enumerate(changes.changes):
            if change.verb == Verb.ADD and change.key[1]:
                self._added.setdefault(change.key[1], []).append(change.key)
            self._places.setdefault(change.key[1], []).append(place)
        try:
            self._read()
        except UnreadableError as error:
            why = f"nothing was done, because the stored associations cannot be read: {error}"
            return _all(changes, Result.NOT_SENT, why, self._callbacks)
        self._defaults.begin(self._of)
        self._hold()
        if is_whole and (edited := self._edited()):
            return _all(changes, Result.NOT_SENT, f"nothing was done: {edited}", self._callbacks)
        for places in _together(self._of):
            self._do(places)
        self._look_at_the_end()
        if self._answers:
            self._defaults.end()
        rows = tuple(self._rows[place] for place in range(len(self._of)))
        is_new = self._unheld and self._answers and not self._defaults.is_unread
        unheld = (self._unheld,) if is_new else ()
        warnings = (*self._defaults.warnings(self._stored), *self._not_ours(), *unheld)
        return ApplyReport(rows, self._rollback(), self._lag(), warnings)

    def _edited(self) -> str:
        """Return an edit of others since, or a new obstacle, in a sentence; empty without one.

        What an earlier change of the set adds or removes is not yet as a later one expects it.
        """
        made: set[Key | str] = set()
        for place, one in enumerate(self._of):
            of = one.key[1] if one.verb in OF_USERS else one.key
            text = "" if one.obstacle or of in made else change_since(one, self._now(one))
            if text := text or self._takes_along(one):
                return text
            if not one.obstacle and (text := self._obstacle_now(place)):
                return f"{one.verb} {one.on}: {text}"
            if one.verb in (Verb.ADD, Verb.REMOVE):
                made |= {one.key, one.key[1]}
        return ""

    def _hold(self) -> None:
        """Give each added or removed association what it has besides, for its way back."""
        removed = [one for one in self._of if one.verb == Verb.REMOVE]
        users = {one.key[1] for one in removed if one.key[1]}
        try:
            known = read_privileges(self._run, users, limit_s=self._limit_s) if users else {}
        except UnreadableError as error:
            known, self._unheld = None, f"{_UNHELD}: {error}."
        leaving = Counter(one.key[1] for one in removed)
        staying = Counter(key[1] for key in self._stored)
        gone = {user for user in users if leaving[user] == staying[user] and user not in self._added}
        held = [self._held(one, known, gone) for one in self._of]
        self._of = tuple(replace(one, held=text) for one, text in zip(self._of, held, strict=True))

    def _held(self, change: Change, known: Mapping[str, Privileges] | None, gone: Collection[str]) -> str:
        """Return the other settings of an association; users have `known` privileges, some are `gone`."""
        user = change.key[1]
        default = self._defaults.before.get(user) if user else None
        if change.verb == Verb.ADD and change.will is not None:
            return Held(change.will.limits, default).text
        stored = self._stored.get(change.key)
        if change.verb != Verb.REMOVE or stored is None or (user and known is None):
            return ""
        mine = known.get(user, Privileges()) if known is not None and user in gone else Privileges()
        above = {account: entry.parent for (account, of, _), entry in self._stored.items() if not of}
        direct = [one for one in sorted(mine.coordinates) if above.get(one) not in mine.coordinates]
        return Held(stored.limits, default, tuple(direct), mine.admin).text

    # -- doing ----------------------------------------------------------------------------------------------

    def _do(self, places: Sequence[int]) -> None:
        """Run the commands of some changes at the same time, as far as they are to be run."""
        ready = [place for place in places if self._is_to_be_run(place) and self._may_begin(place)]
        for place, answer in zip(ready, self._answers_of(ready), strict=True):
            self._answers[place] = answer
            self._waiting.append(place)
            self._callbacks.sent(self._of[place])
            if _ends_all(answer):
                self._lost = f"an earlier command failed: {answer_text(answer)}"
            elif not answer.problem:
                self._expect(self._of[place])
        if ready and not self._lost and self._is_time():
            self._look()

    def _may_begin(self, place: int) -> bool:
        """Log that a command is to be sent, and return whether that worked; else nothing is sent."""
        change = self._of[place]
        problem = self._lost or self._callbacks.begin(change)
        if problem:
            self._report(place, ChangeReport(change, Result.NOT_SENT, problem))
            self._lost = problem
        return not problem

    def _is_to_be_run(self, place: int) -> bool:
        change = self._of[place]
        unread = self._look_at_user(change)
        verdict = self._not_now(change)
        if verdict is None and (why := unread or self._obstacle_now(place)):
            verdict = Result.NOT_SENT, why
        if verdict is None and change.verb == Verb.REMOVE:
            verdict = self._lacks_a_place(change) if change.key[1] else self._still_holds(change)
        if verdict is not None:
            self._report(place, ChangeReport(change, *verdict))
        return verdict is None

    def _look_at_user(self, change: Change) -> str:
        """Read the present values of a user who is to be removed somewhere, since Slurm asks nothing back.

        Return why that failed, in a sentence.
        """
        user = change.key[1]
        if change.verb != Verb.REMOVE or not user or change.obstacle:
            return ""
        if self._lost or self._callbacks.is_stopped():
            return ""
        try:
            found = read_stored(self._run, self._cluster, limit_s=self._limit_s, user=user)
        except UnreadableError as error:
            self._lost = f"cannot read the stored associations any more: {error}"
            return ""
        known = {key: self._stored.pop(key) for key in list(self._stored) if key[1] == user}
        self._stored |= {
            key: replace(entry, limits=known[key].limits) if key in known else entry
            for key, entry in found.items()
        }
        self._partitions |= {key[:2]: key for key in found if key[2]}
        if len(found) < 2:
            return ""  # Who leaves the only account needs no default account.
        try:
            self._defaults.read_one(user)
        except UnreadableError as error:
            return f"cannot read the default account of {user}: {error}"
        return ""

    def _obstacle_now(self, place: int) -> str:
        """Return the obstacle of a change by what is known now, if it is not insisted on.

        Only changes that are still to come count: what was sent shows in what is stored.
        """
        change = self._of[place]
        if change.verb not in (Verb.ADD, Verb.REMOVE):
            return ""
        user = change.key[1]
        places = self._places[user] if user else (place,)
        related = tuple(self._of[one] for one in places if one >= place)
        mine = [key for key in self._stored if key[1] == user] if user else ()
        found = with_obstacles(self._cluster, ChangeSet(related), self._jobs, self._defaults.now, mine)
        return found.changes[0].obstacle

    def _answers_of(self, places: Sequence[int]) -> list[Answer]:
        commands = [self._of[place].command for place in places]
        if places:
            self._is_read_back = False
            self._is_sure = self._is_sure and all(self._is_removed_account(place) for place in places)
        if len(places) < 2:
            return [self._run(command, limit_s=self._limit_s) for command in commands]
        with ThreadPoolExecutor(len(places), thread_name_prefix="applying") as pool:
            return list(pool.map(lambda command: self._run(command, limit_s=self._limit_s), commands))

    def _is_removed_account(self, place: int) -> bool:
        change = self._of[place]
        return change.verb == Verb.REMOVE and not change.key[1]

    def _not_now(self, change: Change) -> tuple[Result, str] | None:
        """Return the result of a change that needs no command; None if its command must run."""
        if self._lost:
            return Result.NOT_SENT, self._lost
        if self._callbacks.is_stopped():
            return Result.NOT_SENT, "it was stopped before"
        if change.obstacle:
            return Result.NOT_SENT, change.obstacle
        is_put = change.verb in (Verb.ADD, Verb.MOVE, Verb.COORDINATE)
        goes_to = change.will.parent if change.will and is_put else ROOT
        if change.verb == Verb.LIMIT and change.key not in self._stored:
            return Result.NOT_SENT, f"{change.on} not found"
        if (goes_to, "", "") not in self._stored:
            return Result.NOT_SENT, f"account {goes_to} not found"
        if change.verb == Verb.DEFAULT and not self._is_in(change):
            return Result.NOT_SENT, f"{change.on} is not in {change.after}"
        now = self._now(change)
        if is_so(change, now):
            return Result.DONE, "already as requested, nothing was done"
        changed = change_since(change, now) or self._takes_along(change) or self._is_circle(change)
        return (Result.NOT_SENT, changed) if changed else None

    def _takes_along(self, change: Change) -> str:
        """Describe an association for a partition that a command without a partition would change too."""
        account, user, _ = change.key
        is_named = not user or any(word.startswith("partition=") for word in change.command)
        if is_named or change.verb not in (Verb.SET, Verb.LIMIT, Verb.REMOVE):
            return ""
        key = self._partitions.get((account, user), change.key)
        if key == change.key or key not in self._stored:
            return ""
        return f"{in_words(key)} has been added since, and would be changed too. Check it again"

    def _is_circle(self, change: Change) -> str:
        """Describe an account that others have moved below the one that is to go into it."""
        if change.verb != Verb.MOVE or change.will is None:
            return ""
        above, seen = change.will.parent, set[str]()
        while above and above != change.key[0] and above not in seen:
            seen.add(above)
            entry = self._stored.get((above, "", ""))
            above = entry.parent if entry is not None else ""
        if above != change.key[0]:
            return ""
        return f"{change.will.parent} has been moved into {change.on} since, by other users. Check it again"

    def _now(self, change: Change) -> Entry | None:
        """Return the stored value that a change affects."""
        if change.verb == Verb.DEFAULT:
            return self._defaults.entry(change.on)
        if change.verb == Verb.COORDINATE:
            account, user, _ = change.key
            mine = self._coordinators.get(user, Privileges()).coordinates
            return Entry(account, 0) if account in mine else None
        return self._stored.get(change.key)

    def _is_in(self, change: Change) -> bool:
        """Return True if a user is in the account that is to be the default."""
        return any(key[:2] == (change.after, change.on) for key in self._stored)

    def _still_holds(self, change: Change) -> tuple[Result, str] | None:
        """Refuse to remove an account that holds associations, as Slurm would remove them too."""
        if not self._is_sure:
            self._look()
        if self._lost:
            return Result.NOT_SENT, self._lost
        account = change.key[0]
        inside = [key for key, entry in self._stored.items() if entry.parent == account]
        if not inside:
            return None
        return Result.NOT_SENT, f"{in_words(inside[0])} is still in it, and would be removed with it"

    def _lacks_a_place(self, change: Change) -> tuple[Result, str] | None:
        """Refuse to move a user whose new association is missing; return None if it exists."""
        missing = [key for key in self._added.get(change.key[1], ()) if key not in self._stored]
        if not missing:
            return None
        return Result.NOT_SENT, f"{in_words(missing[0])} not found"

    def _expect(self, change: Change) -> None:
        """Assume, until it is read back, that a change is stored which sacctmgr reported as done."""
        if change.verb in OF_USERS:
            return
        now = self._stored.get(change.key)
        if change.will is None:
            self._stored.pop(change.key, None)
        elif now is None or change.verb == Verb.ADD:
            self._stored[change.key] = change.will
        elif change.verb == Verb.MOVE:
            self._stored[change.key] = replace(now, parent=change.will.parent)
        elif change.verb == Verb.LIMIT:
            value = change.will.limits.get(change.limit, "")
            self._stored[change.key] = replace(now, limits={**now.limits, change.limit: value})
        else:
            self._stored[change.key] = replace(now, shares=change.will.shares)

    # -- looking --------------------------------------------------------------------------------------------

    def _is_time(self) -> bool:
        return time.monotonic() - self._read_at > max(_LOOK_S, _LOOK_COST * self._read_s)

    def _read(self) -> None:
        began = time.monotonic()
        is_first = not self._stored
        with_limits = any(
            one.verb == Verb.LIMIT or _has_limits(one) or (is_first and one.verb == Verb.REMOVE)
            for one in self._of
        )
        stored = read_stored(self._run, self._cluster, limit_s=self._limit_s, with_limits=with_limits)
        self._stored = dict(stored)
        self._partitions = {key[:2]: key for key in stored if key[1] and key[2]}
        leaving = {one.key[0] for place, one in enumerate(self._of)
                   if one.verb == Verb.REMOVE and place not in self._rows}  # fmt: skip
        self._jobs = read_active_jobs(self._run, leaving, limit_s=self._limit_s)
        if any(one.verb == Verb.DEFAULT for one in self._of):
            self._defaults.read()
        if users := {one.key[1] for one in self._of if one.verb == Verb.COORDINATE}:
            self._coordinators = read_privileges(self._run, users, limit_s=self._limit_s)
        self._read_at = time.monotonic()
        self._read_s = self._read_at - began

    def _look(self) -> None:
        """Read the stored values, and judge the changes since the last time."""
        try:
            self._read()
        except UnreadableError as error:
            self._lost = f"cannot read the stored associations any more: {error}"
            return
        self._is_read_back = self._is_sure = True
        for place in self._waiting:
            self._judge(place)
        self._waiting.clear()

    def _judge(self, place: int) -> None:
        change, answer = self._of[place], self._answers[place]
        result, text = judged(change, answer, self._now(change))
        row = ChangeReport(change, result, text, answer.took_s)
        self._report(place, row)
        self._callbacks.record(row)

    def _look_at_the_end(self) -> None:
        """Judge the remaining changes, and those changed again since."""
        if self._is_read_back:
            return
        why = ""
        began = time.monotonic()
        for attempt in range(_TRIES):
            if attempt and time.monotonic() - began < _PATIENCE_S:
                self._callbacks.wait(BETWEEN_S)
            elif attempt:
                break
            try:
                self._read()
                if self._may_settle():
                    self._callbacks.wait(SETTLE_S)
                    self._read()
            except UnreadableError as error:
                why = str(error)
                continue
            self._judge_all()
            return
        self._give_up(why)

    def _may_settle(self) -> bool:
        """Return True if a command whose connection was lost has no effect yet, so that it may still come."""
        waiting = ((self._of[place], self._answers[place]) for place in self._waiting)
        return any(answer.was_lost and is_still(change, self._now(change)) for change, answer in waiting)

    def _judge_all(self) -> None:
        for place in self._answers:
            row = self._rows.get(place)
            change = self._of[place]
            now = self._now(change)
            if row is None:
                self._judge(place)
            elif row.result.is_done and not is_so(change, now):
                text = f"it was done, but other users have changed it since: {now_words(now, change)}"
                self._report(place, replace(row, result=Result.DIFFERENT, text=text))
        self._waiting.clear()

    def _give_up(self, why: str) -> None:
        for place in self._waiting:
            answer = self._answers[place]
            what = answer_text(answer) or "sacctmgr reports success"
            text = f"{what}. Cannot read the stored associations: {why}"
            result = Result.NOT_SENT if answer.was_not_sent else Result.UNKNOWN
            row = ChangeReport(self._of[place], result, what if answer.was_not_sent else text, answer.took_s)
            self._report(place, row)
            self._callbacks.record(row)
        self._waiting.clear()

    # -- reporting ------------------------------------------------------------------------------------------

    def _report(self, place: int, row: ChangeReport) -> None:
        self._rows[place] = row
        self._callbacks.progress(row)
        is_last = bool(self._lost) or self._callbacks.is_stopped()  # The log's last row counts the others.
        if place not in self._answers and row.result is Result.NOT_SENT and not is_last:
            self._callbacks.record(row)

    def _rollback(self) -> ChangeSet:
        did = [
            (self._of[place], self._stored.get(self._of[place].key))
            for place in sorted(self._answers)
            if self._rows[place].result.is_done or self._is_different(place)
        ]
        return rollback_of(self._cluster, did, self._defaults.before, self._defaults.now)

    def _not_ours(self) -> tuple[str, ...]:
        """Describe what the way back leaves out, because its value is not the one that was applied."""
        names = [self._of[place].on for place in sorted(self._answers) if self._is_different(place)]
        if not names:
            return ()
        named = listed(names, _MOST_NAMED)
        one = f"{named} has another value now than the one applied. A roll back leaves it as it is."
        many = f"{named} have other values now than those applied. A roll back leaves them as they are."
        return (plural(len(names), one, many),)

    def _is_different(self, place: int) -> bool:
        return self._rows[place].result is Result.DIFFERENT

    def _lag(self) -> str:
        done = {
            change.key
            for place in self._answers
            if self._rows[place].result.is_done
            and (change := self._of[place]).verb not in (*OF_USERS, Verb.LIMIT)
        }
        callbacks = self._callbacks
        return lag_of(
            self._run,
            done,
            self._stored,
            limit_s=self._limit_s,
            wait=callbacks.wait,
            is_stopped=callbacks.is_stopped,
        )


def _has_limits(change: Change) -> bool:
    """Return True if an association is added with limits, which are then read back too."""
    return change.verb == Verb.ADD and change.will is not None and bool(change.will.limits)


def _ends_all(answer: Answer) -> bool:
    """Return True if the next command would fail as well, and perhaps take as long."""
    return answer.is_open or answer.was_not_sent or "does not respond" in answer.problem
