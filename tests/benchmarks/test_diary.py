"""The diary of a large cluster: 50,000 associations, recalculated each 5 minutes, 20,000 jobs.

Eight hours are written, which is one file of changes: a day has three of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np

from fsconsole.recording.changes import SAMPLES_A_FILE
from fsconsole.recording.diary_writer import DiaryNodes, DiaryWriter
from fsconsole.recording.run import RunReader
from fsconsole.slurm.associations import Associations, Floats, Ints
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.jobs import Job
from fsconsole.targets.slurm.diary import QUANTITIES, _record
from tests.benchmarks.measure import Benchmark

USERS, ACCOUNTS, DIVISIONS = 50_000, 2_500, 50
CPUS, PENDING = 100_000, 15_000
PERIOD_S, HALF_LIFE_S = 300.0, 7 * 86400.0
MOST_BYTES = 10_000_000  # a day


class Site:
    """A site as it lives: half of its users ever compute, few of them much; jobs begin and end all day."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random = np.random.default_rng(seed)
        account, user, parent, shares = ["root"], [""], [-1], [0]
        sizes = iter(random.multinomial(USERS, random.dirichlet(np.ones(ACCOUNTS))).tolist())
        for division in range(DIVISIONS):
            above = len(account)
            account.append(f"d{division}")
            user.append("")
            parent.append(0)
            shares.append(int(random.integers(1, 100)))
            for number in range(ACCOUNTS // DIVISIONS):
                place = len(account)
                name = f"a{division}_{number}"
                count = next(sizes)
                account += [name] * (1 + count)
                user += ["", *(f"u{len(user) + at}" for at in range(count))]
                parent += [above, *([place] * count)]
                shares += [int(random.integers(1, 100)), *([1] * count)]
        self.account, self.user = tuple(account), tuple(user)
        self.parent, self.shares = np.array(parent), np.array(shares)
        self.users = np.array([row for row, one in enumerate(user) if one])
        self._depths = np.array(
            Associations(self.account, self.user, self.parent, self.shares, 0.0 * self.parent).depths()
        )
        is_active = random.random(USERS) < 0.5
        self._usage = np.where(is_active, (random.pareto(1.2, USERS) + 1) * 3e4, 0.0)
        weight = np.where(is_active, random.pareto(1.2, USERS) + 0.02, 0.0)
        self._chance = np.cumsum(weight / weight.sum())
        self._ends: list[tuple[float, int]] = []
        self._pending: list[Job] = []
        self.jobs: dict[int, Job] = {}
        self._next = 1
        self._busy = 0
        self._cpus = np.zeros(USERS)

    def nodes(self) -> DiaryNodes:
        """As a diary knows them."""
        paths = [
            f"{name}/{user}" if user else name for name, user in zip(self.account, self.user, strict=True)
        ]
        return DiaryNodes(
            paths, ["user" if user else "group" for user in self.user], np.maximum(self.parent, 0)
        )

    def shift(self) -> Iterator[tuple[float, dict[str, Floats], dict[int, Job]]]:
        """Each recalculation: time, what sshare prints and what squeue counts, all jobs."""
        for step in range(SAMPLES_A_FILE):
            now_s = step * PERIOD_S
            self._end_jobs(now_s)
            self._submit(now_s)
            self._usage = self._usage * 0.5 ** (PERIOD_S / HALF_LIFE_S) + self._cpus * PERIOD_S
            yield now_s, self._printed(), self.jobs

    def _end_jobs(self, now_s: float) -> None:
        while self._ends and self._ends[0][0] <= now_s:
            job = self.jobs.pop(heapq.heappop(self._ends)[1])
            self._cpus[int(job.user)] -= job.cpus
            self._busy -= job.cpus

    def _submit(self, now_s: float) -> None:
        """Keep the queue full, and the machine busy from its head."""
        random = self._random
        while len(self._pending) < PENDING:
            user = min(int(np.searchsorted(self._chance, random.random())), USERS - 1)
            job = Job(job_id=self._next, user=str(user), partition="batch", states=("PENDING",), account="a",
                      name=f"job{user % 977}", reason="Priority", cpus=int(2 ** random.integers(0, 8)),
                      time_limit_s=3600.0 * int(random.integers(1, 48)), submit_s=int(now_s),
                      priority=self._next, association_id=user)  # fmt: skip
            self._next += 1
            self._pending.append(job)
            self.jobs[job.job_id] = job
        while self._busy < 0.95 * CPUS:
            job = self._pending.pop(int(random.integers(0, 50)))
            part = random.random() if not now_s else 1.0
            end_s = now_s + part * min(float(random.exponential(4 * 3600)), job.time_limit_s or 0.0)
            self.jobs[job.job_id] = Job(
                job_id=job.job_id, user=job.user, partition="batch", states=("RUNNING",), account="a",
                name=job.name, cpus=job.cpus, nodes=f"n[{job.job_id % 900}-{job.job_id % 900 + 3}]",
                node_count=4, time_limit_s=job.time_limit_s, submit_s=job.submit_s, start_s=int(now_s),
                priority=job.priority, end_s=int(now_s + (job.time_limit_s or 0.0)),
                association_id=job.association_id,
            )  # fmt: skip
            heapq.heappush(self._ends, (end_s, job.job_id))
            self._cpus[int(job.user)] += job.cpus
            self._busy += job.cpus

    def _printed(self) -> dict[str, Floats]:
        usage = self._summed(self._usage)
        found = fair_tree(Associations(self.account, self.user, self.parent, self.shares, usage))
        waiting = np.bincount([int(job.user) for job in self._pending], minlength=USERS)
        running = np.bincount(
            [int(job.user) for job in self.jobs.values() if job.state == "RUNNING"], minlength=USERS
        )
        return {
            "fairshare": np.round(found.fairshare, 6),
            "raw_usage": np.floor(usage),
            "norm_shares": np.round(found.norm_shares, 6),
            "effective_usage": np.round(found.effective_usage, 6),
            "norm_usage": np.round(usage / usage[0], 6),
            "cpus": self._summed(self._cpus) / CPUS,
            "running": self._summed(running),
            "waiting": self._summed(waiting),
        }

    def _summed(self, own: Floats | Ints) -> Floats:
        total = np.bincount(self.users, weights=own, minlength=len(self.parent)).astype(float)
        for depth in (3, 2, 1):
            rows = np.flatnonzero(self._depths == depth)
            total += np.bincount(self.parent[rows], weights=total[rows], minlength=len(total))
        return total


def test_eight_hours_of_50_000_associations(bench: Benchmark, tmp_path: Path) -> None:
    site = Site()
    nodes, path = site.nodes(), tmp_path / "2026-W48.run"
    manifest = {"title": "site", "quantities": QUANTITIES, "sample_s": PERIOD_S, "clock": {"epoch_s": 0.0}}
    writer = DiaryWriter(path, manifest)
    last: dict[str, Floats] = {}
    shift = site.shift()

    def reading_s() -> float:
        now_s, columns, jobs = next(shift)
        begun = process_time()
        records = {str(number): _record(job) for number, job in jobs.items()}
        writer.sample(now_s, nodes, columns, records)
        last.update(columns)
        return process_time() - begun

    bench.seconds_of(reading_s, rounds=SAMPLES_A_FILE)
    writer.close()
    sizes = {
        kind: sum(item.stat().st_size for item in path.iterdir() if item.name.startswith(kind))
        for kind in ("changes", "jobs", "nodes")
    }
    series = RunReader(path).open_series()
    times, values = series.curves("effective_usage", (1, 2, 3), 0.0, 1e9, 1000)
    assert len(times) == SAMPLES_A_FILE
    assert np.allclose(values[:, -1], last["effective_usage"][1:4], atol=1e-6)
    for name, size in sizes.items():
        bench.megabytes(size / 1e6, name)
    assert sizes["changes"] + sizes["jobs"] <= MOST_BYTES * SAMPLES_A_FILE * PERIOD_S / 86400
