"""What the tools print on a large cluster: thousands of associations, thousands of jobs.

The numbers are made; the form is that of Slurm 22.05.8, and sshare's columns follow from shares and usage as
they do there (NO_FAIR_TREE).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fsconsole.slurm.associations import Associations
from fsconsole.slurm.classic import classic_fairshare, normalised_usage

_TEMPLATES = Path(__file__).parents[1] / "captures" / "plain" / "squeue.json"
_RUNNING = 0.4  # of the jobs
_NOW_S = 1_795_167_491  # when the template's jobs were captured
_SSHARE = (
    "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|GrpTRESMins|TRESRunMins"
)
_NO_TRES = "cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0"


@dataclass(frozen=True, slots=True)
class LargeCluster:
    """Tools' output for one tree: root, groups below it, accounts in those, users in these."""

    tree: Associations

    def sshare(self) -> str:
        """What `sshare -l -a -P` prints."""
        return "".join(self._sshare_lines())

    def assoc(self, more: str = "") -> str:
        """What `sacctmgr -nP show assoc` prints with the columns of fsconsole.slurm.parsers.assoc.COLUMNS.

        Behind those, each line has what stands in `more`, such as `|normal||` for three other columns.
        """
        tree = self.tree
        lines = []
        for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
            above = int(tree.parent[row])
            over = tree.account[above] if above >= 0 and not user else ""
            lines.append(
                f"{row + 1}|{above + 1}|lab|{account}|{user}||{tree.shares[row] or 1}|{over}{more}\n"
            )
        return "".join(lines)

    def squeue(self, jobs: int, to: Path, seed: int = 1) -> Path:
        """Write what `squeue --json` prints: some 4 kB a job."""
        document = json.loads(_TEMPLATES.read_text(encoding="utf-8"))
        templates, document["jobs"] = document["jobs"], []
        head, tail = json.dumps(document, indent=2).split('"jobs": []')
        with to.open("w", encoding="utf-8") as file:
            file.write(f'{head}"jobs": [\n')
            for number, job in enumerate(self._jobs(jobs, templates, Random(seed))):
                file.write((",\n" if number else "") + json.dumps(job, indent=2))
            file.write(f"\n]{tail}\n")
        return to

    def _sshare_lines(self) -> Iterator[str]:
        tree = self.tree
        worked, used = classic_fairshare(tree), normalised_usage(tree)
        depth = _depths(tree)
        yield f"{_SSHARE}\n"
        for row in range(len(tree)):
            shares, own = (str(tree.shares[row]), f"{used[row]:.6f}") if row else ("", "")
            name = f"{' ' * depth[row]}{tree.account[row]}|{tree.user[row]}"
            norm, effective, fairshare = (
                f"{column[row]:.6f}"
                for column in (worked.norm_shares, worked.effective_usage, worked.fairshare)
            )
            usage = int(tree.usage[row])
            yield f"{name}|{shares}|{norm}|{usage}|{own}|{effective}|{fairshare}||{_NO_TRES}\n"

    def _jobs(self, jobs: int, templates: list[dict[str, Any]], random: Random) -> Iterator[dict[str, Any]]:
        users = np.flatnonzero(self.tree.is_user)
        by_state = {job["job_state"]: job for job in templates}
        for number in range(jobs):
            is_running = random.random() < _RUNNING
            job = copy.copy(by_state["RUNNING" if is_running else "PENDING"])
            row = int(users[random.randrange(len(users))])
            submit_s = _NOW_S - random.randrange(3 * 86400)
            job |= {
                "job_id": number + 1,
                "user_name": self.tree.user[row],
                "account": self.tree.account[row],
                "name": f"run{random.randrange(100)}",
                "association_id": row + 1,
                "submit_time": submit_s,
                "eligible_time": submit_s,
                "priority": random.randrange(1, 120_000),
                "cpus": random.choice((1, 2, 4, 8, 16, 64)),
                "time_limit": random.choice((30, 60, 240, 1440)),
            }
            if is_running:
                job["start_time"] = random.randrange(submit_s, _NOW_S)
            yield job


def large_cluster(users: int = 50_000, accounts: int = 500, groups: int = 20, seed: int = 1) -> LargeCluster:
    """Make a tree: groups below the root, accounts dealt out to them, users to those."""
    random = Random(seed)
    account, user, parent = ["root", "root"], ["", "root"], [-1, 0]
    for group in range(groups):
        over = _add(account, user, parent, (f"group{group:03}", "", 0))
        for number in range(group, accounts, groups):
            name = f"acct{number:05}"
            below = _add(account, user, parent, (name, "", over))
            for person in range(number, users, accounts):
                _add(account, user, parent, (name, f"user{person:06}", below))
    rows = len(account)
    shares = np.array([0, 1, *(random.randrange(1, 100) for _ in range(rows - 2))])
    usage = np.array([random.expovariate(1 / 5000) if name else 0.0 for name in user])
    for row in range(rows - 1, 0, -1):
        usage[parent[row]] += usage[row]
    return LargeCluster(Associations(tuple(account), tuple(user), np.array(parent), shares, usage))


def _add(account: list[str], user: list[str], parent: list[int], row: tuple[str, str, int]) -> int:
    account.append(row[0])
    user.append(row[1])
    parent.append(row[2])
    return len(account) - 1


def _depths(tree: Associations) -> list[int]:
    depth = [0] * len(tree)
    for row in range(1, len(tree)):
        depth[row] = depth[tree.parent[row]] + 1
    return depth
