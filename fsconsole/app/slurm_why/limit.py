"""Explanation of a job held by a limit: the limit, its place and number, and the way to end the wait."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsconsole.app.slurm_why.facts import Facts
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limit_reasons import (
    Holders,
    Place,
    ReasonLimit,
    holders,
    kinds_of,
    limit_of_reason,
    with_tres,
)
from fsconsole.slurm.limits import Kind, slurm_wall
from fsconsole.slurm.relative_qos import least_percent, share_of
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words, listed

_NONE = "none"
_NOT_SEEN = (
    "The limit in force was not read (scontrol show assoc_mgr): the amount is computed, and may not be in "
    "force if flag Relative was changed since slurmctld was reconfigured."
)
_IN_SQUEUE = ("", "cpu", "billing", "node")  # These TRES are shown by squeue for each job.


@dataclass(frozen=True, slots=True)
class HeldByLimit:
    """Answer for a job held by a limit: at most two sentences, and the rest as in an `Answer`."""

    sentences: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    change: str
    remarks: tuple[str, ...] = ()


def held_by_limit(facts: Facts, job: Job) -> HeldByLimit | None:
    """Return the limit that holds a job and its origin; None if it is unknown."""
    found = limit_of_reason(job.reason)
    if found is None:
        return None
    known, jobs = facts.limits(), facts.jobs
    if found.tres not in _IN_SQUEUE:
        tres = facts.tres()
        jobs, (job,) = with_tres(jobs, tres), with_tres([job], tres)
    all_jobs = None if facts.gaps(PartName.JOBS) else jobs
    for kind in kinds_of(found, job):
        held = holders(kind, job, all_jobs, known.stored, known.qos, facts.partitions)
        if held.holding:
            found = kind
            break
    else:
        return None
    first = held.holding[0]
    remarks = (*known.remarks, *(facts.resets() if found.counts_the_past else ()))
    if len(held.holding) > 1:
        others = listed([one.where for one in held.holding[1:]])
        remarks = (*remarks, f"{others} may hold it too, but it is unknown how much of it is in use.")
    if first.of_qos is not None and first.of_qos.is_relative and first.of_qos.in_force is None:
        remarks = (*remarks, _NOT_SEEN)
    sentences = (_reached(found, job, held, first), _whose(found, job, held, first))
    columns, rows = _table(found, held)
    return HeldByLimit(sentences, columns, rows, _change(facts, found, held, first), remarks)


def _amount(found: ReasonLimit, number: float) -> str:
    """Return an amount of a limit's unit, as Slurm writes it."""
    if found.limit.kind is Kind.WALL:
        return slurm_wall(math.ceil(number))
    text = f"{math.ceil(number)}{'M' if found.tres == 'mem' and 'Mins' not in found.limit.name else ''}"
    return f"{found.tres}={text}" if found.tres else text


def _named(found: ReasonLimit, place: Place) -> str:
    limit = f"{found.limit.label} {place.value} of {place.where}"
    bound = place.of_qos
    if bound is None or not (bound.is_relative or bound.is_late):
        return limit
    if bound.is_late:
        return f"{limit} ({bound.words}, but slurmctld has {bound.words_in_force} in force)"
    return f"{limit} ({bound.words})"


def _reached(found: ReasonLimit, job: Job, held: Holders, place: Place) -> str:
    start, limit = f"Job {job.label} of {job.user} is pending", _named(found, place)
    if found.limit.name.startswith("Min"):
        return f"{start}: it requests less than {limit} requires ({job.reason})."
    if found.is_of_one_job:
        asks = "it requests more" if held.asked is None else f"it requests {_amount(found, held.asked)}, more"
        return f"{start}: {asks} than {limit} allows ({job.reason})."
    return f"{start}: {limit} is reached ({job.reason})."


def _whose(found: ReasonLimit, job: Job, held: Holders, place: Place) -> str:
    """Describe the origin of the limit (the job's association, an account or a QOS) and its use."""
    in_use = ""
    if place.used is not None:
        in_use = f"; {_amount(found, place.used)} of it is in use"
        if not found.tres:
            verb = "counts" if place.used == 1 else "count"
            in_use = f"; {count_words(int(place.used), 'job')} {verb} for it now"
    if found.of_qos:
        if held.is_by_qos_only:
            return f"The limit exists only for QOS: no association of {job.user} sets it{in_use}."
        return f"{place.where} sets it for all its jobs{in_use}."
    mine = held.places[0]
    if not found.limit.comes_down:
        return f"It applies to all jobs of {place.where} and below together{in_use}."
    if not held.is_own_known:
        return f"The account that sets it was not read{in_use}."
    if place is mine:
        return f"{mine.where} sets it itself{in_use}."
    return f"{mine.where} inherits it from {place.where}{in_use}."


def _table(found: ReasonLimit, held: Holders) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the places that set the limit, from the job's association up, and its use."""
    shows_use = any(place.used is not None for place in held.places) and not found.limit.comes_down
    shows_use = shows_use or (found.of_qos and any(place.used is not None for place in held.places))
    columns = ["Set by", found.limit.label, *(["In use"] if shows_use else [])]
    rows = []
    for place in held.places:
        cells = [place.where, place.value or _NONE]
        if shows_use:
            cells.append("" if place.used is None else _amount(found, place.used))
        rows.append(tuple(cells))
    return tuple(columns), tuple(rows)


def _change(facts: Facts, found: ReasonLimit, held: Holders, place: Place) -> str:
    label, least = found.limit.label, place.value
    if place.of_qos is not None and place.bound is not None:
        least = place.of_qos.amount_words(place.bound)
    if found.limit.name.startswith("Min"):
        cleared = f"fsconsole slurm limit {place.target} {label}=-1"
        return f"It must request {least} or more, or an operator must clear the limit: {cleared}."
    raised = _raised(found, held, place)
    if found.is_of_one_job:
        return f"It must request {least} or less{raised}. Its rank has no effect until then."
    if found.counts_the_past:
        decay = facts.half_life_s
        fades = "decays or is reset"
        if decay is not None:
            fades = "is reset" if math.isinf(decay) else f"decays, by half in {length_words(decay)}"
        return f"Past usage {fades}{raised}. Its rank has no effect until then."
    return f"Other jobs under the limit must end{raised}. Its rank has no effect until then."


def _raised(found: ReasonLimit, held: Holders, place: Place) -> str:
    """Return the change of the limit that admits the job as the end of a sentence, or why there is none."""
    bound, needed = place.of_qos, _needed(found, held, place)
    after = ""
    if bound is not None and bound.is_late:
        after = ", then scontrol reconfigure"
        least = (bound.amount or 0.0) + 1 if needed is None else needed
        if bound.computed is not None and bound.computed >= least:
            return ", or an operator must put the stored limit into force: scontrol reconfigure"
    if bound is None or not bound.is_relative:
        value = _placeholder(found) if needed is None else _amount(found, needed)
        command = f"fsconsole slurm limit {place.target} {found.limit.label}={value}"
        raised = f", or an operator must raise it: {command}{after}"
        mine = held.places[0]
        if found.limit.comes_down and not found.of_qos and held.is_own_known and place is not mine:
            raised += f", or only for {mine.where}: {command.replace(place.target, mine.target, 1)}"
        return raised
    command = f"fsconsole slurm limit {place.target} {found.limit.label}={bound.tres}="
    if needed is None or bound.total is None:
        return f", or an operator must raise the percentage: {command}PERCENT{after}"
    percent = least_percent(needed, bound.total)
    if percent is None:
        needs, most = bound.amount_words(needed), bound.amount_words(bound.total)
        return f": no percentage admits it, since it needs {needs} and 100\N{NO-BREAK SPACE}% are {most}"
    gives = bound.amount_words(share_of(percent, bound.total))
    return f", or an operator must raise the percentage: {command}{percent}{after} ({gives})"


def _placeholder(found: ReasonLimit) -> str:
    return f"{found.tres}=AMOUNT" if found.tres else "VALUE"


def _needed(found: ReasonLimit, held: Holders, place: Place) -> float | None:
    """Return the least amount with which it could begin now; None where that is not known."""
    used = 0.0 if found.is_of_one_job else place.used
    if used is None or held.asked is None or place.bound is None:
        return None
    return max(used + held.asked, place.bound + 1)
