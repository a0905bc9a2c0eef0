"""Results of changes, from the values stored afterwards; the output of a tool proves nothing."""

from __future__ import annotations

from fsconsole.recording.audit import Result
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import Change, Entry, Verb, entry_words, matches, shares_words
from fsconsole.targets.slurm.tools import Answer

_MOST_LINES = 6


def is_so(change: Change, now: Entry | None) -> bool:
    """Return True if the stored value is the requested one."""
    return matches(change, now, change.will)


def is_still(change: Change, now: Entry | None) -> bool:
    """Return True if the stored value is the one from when the change was staged."""
    return matches(change, now, change.was)


def change_since(change: Change, now: Entry | None) -> str:
    """Describe the change of an association since its change was staged, in a sentence; empty where it has
    not.
    """
    if is_still(change, now):
        return ""
    if change.verb == Verb.DEFAULT:
        text = f"the default account of {change.on} is {now.parent or 'none' if now else 'not known'} now"
    elif now is None:
        text = f"{change.on} no longer exists"
    elif change.was is None:
        text = f"{change.on} has been added since, with {shares_words(now.shares)} in {now.parent}"
    elif change.verb == Verb.LIMIT:
        text = f"changed since from {change.before} to {_limit_words(change, now)}"
    elif change.was.parent != now.parent:
        text = f"{change.on} was moved since from {change.was.parent} to {now.parent}"
    else:
        text = f"changed since from {shares_words(change.was.shares)} to {shares_words(now.shares)}"
    return f"{text}, by other users. Check it again"


def judged(change: Change, answer: Answer, now: Entry | None) -> tuple[Result, str]:
    """Return the result of a command that was run, and its reason in words.

    Args:
        change: what was asked for.
        answer: what sacctmgr said.
        now: what is stored afterwards, read `SETTLE_S` later if the connection was lost.
    """
    if is_so(change, now):
        return (Result.DESPITE, answer.problem) if answer.problem else (Result.DONE, "")
    if is_still(change, now) and (answer.was_not_sent or answer.was_lost):
        return Result.NOT_SENT, answer_text(answer)
    if is_still(change, now) and answer.is_open:
        return Result.UNKNOWN, f"{answer_text(answer)}; no change yet, but it may still come"
    if is_still(change, now):
        return Result.REFUSED, answer_text(answer) or "sacctmgr reports success, but nothing has changed"
    if change.verb == Verb.DEFAULT:
        text = f"the default account is {now.parent or 'none' if now else 'not known'} now"
        return Result.REFUSED if answer.problem else Result.DIFFERENT, f"{text}{_because(answer)}"
    return Result.DIFFERENT, f"{now_words(now, change)}, which was not requested{_because(answer)}"


def now_words(now: Entry | None, change: Change) -> str:
    """Return the stored value in words."""
    if now is not None and change.verb == Verb.LIMIT:
        return f"it has {_limit_words(change, now)} now"
    return (
        "it does not exist now"
        if now is None
        else f"it is in {now.parent} with {shares_words(now.shares)} now"
    )


def answer_text(answer: Answer) -> str:
    """Return the reason why a command failed: a known one, else the tool's own words; empty for exit
    status 0.
    """
    if not answer.problem:
        return ""
    if "failed with exit status" not in answer.problem:
        return answer.problem
    lines = [" ".join(line.split()) for line in (*answer.stderr.splitlines(), *answer.stdout.splitlines())]
    errors = [line.removeprefix("sacctmgr: error: ") for line in lines if line]
    more = f"; and {len(errors) - _MOST_LINES} more lines" if len(errors) > _MOST_LINES else ""
    return ("; ".join(errors[:_MOST_LINES]) + more) or answer.problem


def _limit_words(change: Change, now: Entry) -> str:
    limit = limits.limit_or_fault(change.limit, of_qos=not any(change.key[:2]))
    return entry_words(Verb.LIMIT, now, limit)


def _because(answer: Answer) -> str:
    text = answer_text(answer)
    return f" ({text})" if text else ""
