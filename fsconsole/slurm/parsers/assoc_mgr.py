"""`scontrol -o show assoc_mgr flags=qos`: the limits of QOS that slurmctld has in force, and their use.

Of a relative QOS it prints amounts, where sacctmgr prints percent. Users are uids in 22.05, and names with
uids since 24.11. Source: output of Slurm 22.05.8, 24.11.5 and 26.05.5.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

COMMAND = ("scontrol", "-o", "show", "assoc_mgr", "flags=qos")

_RECORD = re.compile(r"^QOS=(\S+)\([0-9]+\) (.*)$", re.MULTILINE)
_ACCOUNTS, _USERS = " Account Limits=", " User Limits="
_OF_NAME = re.compile(r"(?:^| )([^\s{}]+?)(?:\([0-9]+\))?=\{([^{}]*)\}")
_FIELD = re.compile(r"(\w+)=(\S*)")
_AMOUNT = re.compile(r"(N|[0-9]{1,19}(?:\.[0-9]+)?)(?:\(([0-9]{1,19}(?:\.[0-9]+)?)\))?")
_NAMES = {
    "GrpJobs": "GrpJobs", "GrpSubmitJobs": "GrpSubmitJobs", "GrpWall": "GrpWall", "GrpTRES": "GrpTRES",
    "GrpTRESMins": "GrpTRESMins", "GrpTRESRunMins": "GrpTRESRunMins", "MaxTRESPJ": "MaxTRESPerJob",
    "MaxTRESPN": "MaxTRESPerNode", "MaxTRESMinsPJ": "MaxTRESMinsPerJob", "MinTRESPJ": "MinTRESPerJob",
    "MaxJobsPU": "MaxJobsPerUser", "MaxSubmitJobsPU": "MaxSubmitJobsPerUser", "MaxTRESPU": "MaxTRESPerUser",
    "MaxJobsPA": "MaxJobsPerAccount", "MaxSubmitJobsPA": "MaxSubmitJobsPerAccount",
    "MaxTRESPA": "MaxTRESPerAccount",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Amount:
    """A limit and its use, of memory in MB; each None where none is printed."""

    limit: float | None
    used: float | None


Amounts = Mapping[str, Mapping[str, Amount]]
"""Amounts by the name of the limit, such as GrpTRES, and TRES; the TRES is empty where jobs are counted."""


@dataclass(frozen=True, slots=True)
class QosInForce:
    """Limits of a QOS in slurmctld.

    Attributes:
        amounts: limits of all its jobs, and of a job.
        users, accounts: limits of each user and each account that has used it.
    """

    amounts: Amounts
    users: Mapping[str, Amounts] = field(default_factory=dict)
    accounts: Mapping[str, Amounts] = field(default_factory=dict)

    def amount(self, limit: str, tres: str, user: str = "", account: str = "") -> Amount | None:
        """Return a limit with its use for a job of a user in an account; None if it is not printed."""
        known = self.amounts
        if limit.endswith("PerUser"):
            known = self.users.get(user, {})
        elif limit.endswith("PerAccount"):
            known = self.accounts.get(account, {})
        return known.get(limit, {}).get(tres)

    def without_use(self) -> QosInForce:
        """Return the limits alone, as their use changes with each job."""
        users = {name: _limits_alone(amounts) for name, amounts in self.users.items()}
        accounts = {name: _limits_alone(amounts) for name, amounts in self.accounts.items()}
        return QosInForce(_limits_alone(self.amounts), users, accounts)


def _limits_alone(amounts: Amounts) -> Amounts:
    return {
        limit: {tres: Amount(one.limit, None) for tres, one in by_tres.items()}
        for limit, by_tres in amounts.items()
    }


def read_assoc_mgr(text: str) -> Mapping[str, QosInForce]:
    """Return the QOS by name, as far as they can be read.

    A name that occurs twice is left out: an account's name may hold the end of a line and forge a record.
    """
    records = _RECORD.findall(text.removeprefix("\ufeff").replace("\r", ""))
    counts = Counter(name for name, _ in records)
    return {name: _qos(rest) for name, rest in records if counts[name] == 1}


def _qos(text: str) -> QosInForce:
    own, _, rest = text.partition(_ACCOUNTS)
    accounts, _, users = rest.rpartition(_USERS)
    return QosInForce(_amounts(own), _by_name(users), _by_name(accounts))


def _by_name(text: str) -> Mapping[str, Amounts]:
    found = _OF_NAME.findall(text)
    counts = Counter(name for name, _ in found)
    return {name: _amounts(inside) for name, inside in found if counts[name] == 1}


def _amounts(text: str) -> Amounts:
    found: dict[str, dict[str, Amount]] = {}
    for key, value in _FIELD.findall(text):
        if key in _NAMES:
            parts = (part.rpartition("=") for part in value.split(",") if part)
            read = {tres: amount for tres, _, one in parts if (amount := _amount(one)) is not None}
            found.setdefault(_NAMES[key], read)
    return found


def _amount(text: str) -> Amount | None:
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    return Amount(None if match[1] == "N" else float(match[1]), None if not match[2] else float(match[2]))
