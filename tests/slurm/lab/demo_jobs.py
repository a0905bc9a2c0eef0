"""Jobs that keep a demo cluster busy: long ones that run, some that wait, short ones time and again."""

from __future__ import annotations

from tests.slurm.lab.daemons import LabError
from tests.slurm.lab.demo_tree import ACCOUNTS, PEOPLE
from tests.slurm.lab.lab import Lab

_LONG_S, _MINUTES = 40 * 60, 60
_PENDING_AT_MOST = 25

# What was used before: jobs of 2 s that count as 30 min each.
_PAST_S, _PAST_FACTOR = 2, 900
_PAST = (
    ("anna", "ocean", 9),
    ("ben", "ocean", 2),
    ("dirk", "climate", 1),
    ("emma", "climate", 3),
    ("finn", "science", 3),
    ("gina", "imaging", 3),
    ("hugo", "imaging", 1),
    ("ida", "imaging", 1),
    ("jan", "trials", 4),
    ("lars", "teaching", 2),
)
# Who, in which account, CPUs, seconds, and what else sbatch is told: 24 of 32 CPUs for at least 25 minutes.
_RUNNING = (
    ("anna", "ocean", 6, _LONG_S),
    ("ben", "ocean", 4, _LONG_S + 300),
    ("dirk", "climate", 3, 25 * 60),
    ("anna", "climate", 2, _LONG_S),
    ("finn", "science", 2, 30 * 60),
    ("gina", "imaging", 4, _LONG_S),
    ("jan", "trials", 3, 35 * 60),
    ("lars", "teaching", 1, 150),
    ("cora", "ocean", 1, 60),
)
_SCAVENGE = (("hugo", "imaging", 3, _LONG_S), ("kim", "trials", 2, _LONG_S))
_WAITING = (
    ("ben", "ocean", 8, 20 * 60),
    ("emma", "climate", 6, 10 * 60),
    ("ida", "imaging", 4, 10 * 60),
    ("mia", "teaching", 2, 5 * 60),
    ("cora", "ocean", 4, 10 * 60),
)
_DEDICATED = ("emma", "climate", 8, 4 * 60)
_SHORT_CPUS, _SHORT_S = (1, 2, 1, 3, 2), (40, 75, 20, 110, 60, 30, 90)


def make_a_past(lab: Lab) -> None:
    """Let the accounts have used something, unequally, so that fairshares differ from the beginning."""
    _set_usage_factor(lab, _PAST_FACTOR)
    for user, account, cpus in _PAST:
        _submit(lab, user, account, cpus, _PAST_S)
    lab.wait_until(lambda: _count(lab, "COMPLETED") == len(_PAST), "the jobs of the past are done")
    _set_usage_factor(lab, 1)


def start_with(lab: Lab) -> int:
    """Submit what there is at first, the dedicated job when the machine is full; how many jobs."""
    for user, account, cpus, seconds in _RUNNING:
        _submit(lab, user, account, cpus, seconds)
    for user, account, cpus, seconds in _SCAVENGE:
        _submit(lab, user, account, cpus, seconds, "--partition=scavenge")
    many = len(_RUNNING) + len(_SCAVENGE)
    lab.wait_until(lambda: _count(lab, "RUNNING") == many, "the first jobs run")
    for user, account, cpus, seconds in _WAITING:
        _submit(lab, user, account, cpus, seconds)
    user, account, cpus, seconds = _DEDICATED
    _submit(lab, user, account, cpus, seconds, "--partition=dedicated")
    lab.wait_until(lambda: _count(lab, "SUSPENDED") > 0, "the dedicated job suspends others")
    lab.calculate()  # else there would be no fairshares before the next minute
    return many + len(_WAITING) + 1


def a_short_job(lab: Lab, number: int) -> str:
    """Submit a short job, each time for somebody else; why it was not taken, empty where it was.

    None is submitted while many wait.
    """
    people = [(PEOPLE[place], account.name) for account in ACCOUNTS for place, _ in account.users]
    user, account = people[number * 5 % len(people)]
    cpus, seconds = _SHORT_CPUS[number % len(_SHORT_CPUS)], _SHORT_S[number % len(_SHORT_S)]
    try:
        if _count(lab, "PENDING") < _PENDING_AT_MOST:
            _submit(lab, user, account, cpus, seconds)
    except LabError as error:
        return str(error).splitlines()[-1]
    return ""


def _set_usage_factor(lab: Lab, factor: int) -> None:
    lab.run("sacctmgr", "-i", "modify", "qos", "normal", "set", f"usagefactor={factor}")


def _submit(lab: Lab, user: str, account: str, cpus: int, seconds: int, *more: str) -> None:
    name = f"--job-name={account}-{seconds // 60 or 1}min"
    lab.submit(user, account, name, *more, cpus=cpus, seconds=seconds, minutes=max(_MINUTES, seconds // 50))


def _count(lab: Lab, state: str) -> int:
    return list(lab.job_states().values()).count(state)
