"""A sound cluster, made of a real capture, and a fault for each rule put into it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fsconsole.app.doctor.site import Levels, Site
from fsconsole.app.doctor.sources import of_scenario, with_control_groups
from fsconsole.linux.idle_weights import IdleWeight
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.formats import format_named
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.parsers.sinfo import read_sinfo
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.parsers.squeue_text import FIELDS_BEFORE, read_squeue_text
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.targets.slurm.location import example_capture
from tests.shares.formats.dialects import SGE

NOW_S = 1795349700.0


def sound() -> Site:
    """The example capture without what is odd in it: zero shares, `parent`, partitions that bill unlike."""
    folder = example_capture()
    shares = read_sshare((folder / "usage.txt").read_text())
    raw = np.where(shares.tree.shares == PARENT_SHARES, 2, shares.tree.shares)
    raw[(raw == 0) & shares.tree.is_user] = 2
    partitions = read_scontrol_partition((folder / "partitions.txt").read_text()).items
    return with_shares(
        Site(
            "testlab",
            Levels([], [], [], [], []),
            read_scontrol_config((folder / "settings.txt").read_text()),
            shares,
            read_squeue_text((folder / "jobs.txt").read_text(), NOW_S, fields=FIELDS_BEFORE).items,
            tuple(replace(one, billing_weights="") for one in partitions),
            read_sinfo((folder / "nodes.txt").read_text()).items,
            now_s=NOW_S,
        ),
        raw,
    )


def with_shares(site: Site, raw: Any) -> Site:
    """The same with other raw shares, stored and in force."""
    assert site.shares is not None
    tree = replace(site.shares.tree, shares=np.array(raw, np.int64))
    jobs = {(job.account, job.user) for job in site.jobs if not job.is_finished}
    keys = list(zip(tree.account, tree.user, strict=True))
    return replace(
        site,
        levels=Levels.of_associations(tree),
        shares=replace(site.shares, tree=tree),
        limits=({},) * len(tree),
        stored_shares=tuple(tree.shares.tolist()),
        working=frozenset(row for row, key in enumerate(keys) if key in jobs),
    )


def row_of(site: Site, name: str) -> int:
    return list(site.levels.names).index(name)


def raw_of(site: Site, **shares: int) -> Site:
    """Other raw shares of the nodes of these names."""
    raw = np.array(site.stored_shares)
    for name, value in shares.items():
        raw[row_of(site, name)] = value
    return with_shares(site, raw)


def setting(site: Site, fields: Mapping[str, Any] | None = None, **values: str) -> Site:
    """Other settings: fields of `SlurmConfig`, and what scontrol printed by key."""
    assert site.settings is not None
    known = {**site.settings.values, **{key.lower(): value for key, value in values.items()}}
    return replace(site, settings=replace(site.settings, values=known, **(fields or {})))


def weights(site: Site, **values: int) -> Site:
    assert site.settings is not None
    return setting(site, {"weights": {**site.settings.weights, **values}})


def partition(site: Site, at: int = 0, **fields: Any) -> Site:
    found = list(site.partitions)
    found[at] = replace(found[at], **fields)
    return replace(site, partitions=tuple(found))


def waiting(site: Site, reason: str) -> Site:
    """One pending job more, that waits for this reason."""
    job = next(job for job in site.jobs if job.is_pending)
    return replace(site, jobs=(*site.jobs, replace(job, job_id=9000, array_job_id=0, reason=reason)))


def limit(site: Site, name: str, **limits: str) -> Site:
    found = list(site.limits)
    found[row_of(site, name)] = limits
    return replace(site, limits=tuple(found))


def printed(site: Site, **columns: Any) -> Site:
    assert site.shares is not None
    return replace(site, shares=replace(site.shares, printed=replace(site.shares.printed, **columns)))


def usage(site: Site, name: str, by: float) -> Site:
    """More usage of an account than those in it have, as part of all."""
    assert site.shares is not None
    used = site.shares.raw_usage.copy()
    used[row_of(site, name)] += by * used[0]
    return replace(site, shares=replace(site.shares, raw_usage=used))


def levels(site: Site, names: list[str], parent: list[int], shares: list[int | None], users: str) -> Site:
    """A tree of its own, without a cluster's usage."""
    paths: list[str] = []
    for name, above in zip(names, parent, strict=True):
        paths.append(name if above < 0 else f"{paths[above]}/{name}")
    made = Levels(names, paths, parent, shares, [name in users.split() for name in names])
    return Site(site.name, made)


def _exhausted(site: Site) -> Site:
    assert site.shares is not None
    factors = site.shares.printed.fairshare.copy()
    users = np.flatnonzero(site.shares.tree.is_user)
    factors[users[:6]] = 0.0001
    return printed(site, fairshare=factors)


def _many_accounts(site: Site) -> Site:
    assert site.shares is not None
    tree = site.shares.tree
    users = np.flatnonzero(tree.is_user)[:9]
    names = ["eve" if row in users else name for row, name in enumerate(tree.user)]
    accounts = [f"a{row}" if row in users else name for row, name in enumerate(tree.account)]
    made = replace(tree, user=tuple(names), account=tuple(accounts))
    return replace(site, shares=replace(site.shares, tree=made))


def _parents_below(site: Site, name: str) -> Site:
    raw = np.array(site.stored_shares)
    raw[site.levels.children[row_of(site, name)]] = PARENT_SHARES
    return with_shares(site, raw)


def _old(site: Site) -> Site:
    jobs = tuple(
        replace(job, eligible_s=int(NOW_S - 5 * 86_400)) if job.is_pending else job for job in site.jobs
    )
    return replace(site, jobs=jobs)


def _rows(*pairs: tuple[str, float], nice: float = 0.0) -> tuple[JobPriority, ...]:
    return tuple(
        JobPriority(
            job_id=at,
            partition="batch",
            user=user,
            priority=points,
            parts={"fairshare": points, "nice": nice},
        )
        for at, (user, points) in enumerate(pairs, 1)
    )


def _down(site: Site) -> Site:
    return replace(site, nodes=tuple(replace(node, state="down", reason="power") for node in site.nodes))


def _long_job(site: Site) -> Site:
    job = next(job for job in site.jobs if job.is_pending)
    long = replace(job, job_id=9001, array_job_id=0, time_limit_s=2 * 86_400.0)
    return replace(site, jobs=(*site.jobs, long))


TREE = """\
version: 1
tree:
  name: r
  children:
    - {name: a, shares: 1, kind: user}
    - {name: b, shares: 2, kind: user}
logins: [a, b]
workloads:
  - {user: a, work: endless}
"""
_SYSTEM = "- {name: s, shares: 9, system: true, children: [{name: d, shares: 1}, {name: e, shares: 2}]}"
# A sound scenario, and what is written in it instead.
WRITTEN = {
    "work-without-login": ("logins: [a, b]", "logins: [b]"),
    "event-after-end": ("workloads:", "events:\n  - {at: 2 h, login: b}\nworkloads:"),
    "sharemin-above-entitlement": ("version: 1\n", "version: 1\npolicy: {name: share, sharemin: 0.4}\n"),
    "switch-without-effect": ("version: 1\n", "version: 1\npolicy: {name: flat, adjgroups: share}\n"),
    "policy-constant": ("version: 1\n", "version: 1\npolicy: {name: feedback, nu: 1.1}\n"),
    "system-groups-large": ("    - {name: a, s", f"    {_SYSTEM}\n    - {{name: a, s"),
}


def written(rule: str) -> Callable[[Site], Site]:
    """The scenario with the fault of a rule."""
    return lambda _: of_scenario("x.yaml", parse_scenario(TREE.replace(*WRITTEN[rule], 1)))


def of_sge(old: str, new: str) -> Site:
    """Grid Engine's documented tree with something else written in it."""
    assert old in SGE
    return of_scenario("x.sge", format_named("sge").read(SGE.replace(old, new)))


def on_linux(kind: str) -> Callable[[Site], Site]:
    """A sound tree on control groups of which this was found; tests of those find it in files."""
    found = IdleWeight(kind, 1, "r/a: it is so")  # type: ignore[arg-type]
    return lambda _: with_control_groups(of_scenario("x.yaml", parse_scenario(TREE)), [found])


SEEDS: dict[str, Callable[[Site], Site]] = {
    "no-accounting": lambda site: setting(site, AccountingStorageType="accounting_storage/none"),
    "tres-weight-untracked": lambda site: setting(site, PriorityWeightTRES="gres/fpga=500"),
    "max-tres-idle": lambda site: setting(site, {"flags": frozenset(("MAX_TRES", "NO_FAIR_TREE"))}),
    "held-jobs-age": lambda site: setting(site, {"flags": frozenset(("ACCRUE_ALWAYS", "NO_FAIR_TREE"))}),
    "priority-plugin": lambda site: setting(site, PriorityType="priority/basic"),
    "fairshare-weight": lambda site: weights(site, fairshare=0),
    "associations-not-enforced": lambda site: setting(site, AccountingStorageEnforce="none"),
    "no-decay": lambda site: setting(site, {"half_life_s": math.inf}),
    "decay-and-reset": lambda site: setting(site, PriorityUsageResetPeriod="MONTHLY"),
    "half-life-short": _long_job,
    "coarse-recalculation": lambda site: setting(site, {"calc_period_s": 1800.0}),
    "dampening-unused": lambda site: setting(site, {"dampening": 3, "flags": frozenset()}),
    "factor-drowns-fairshare": lambda site: weights(site, age=200_000),
    "age-without-limit": lambda site: setting(site, PriorityMaxAge="00:00:00"),
    "favor-small-unweighted": lambda site: setting(weights(site, jobsize=0), PriorityFavorSmall="Yes"),
    "gpu-not-billed": lambda site: partition(
        setting(site, AccountingStorageTRES="cpu,mem,node,billing,gres/gpu"),
        tres="cpu=32,mem=4000M,node=4,billing=32,gres/gpu=8",
    ),
    "unknown-tres-billed": lambda site: replace(
        site, partitions=tuple(replace(one, billing_weights="CPU=1,License/x=2") for one in site.partitions)
    ),
    "uneven-billing": lambda site: partition(site, billing_weights="CPU=2.0"),
    "depth-oblivious": lambda site: setting(site, {"flags": frozenset(("DEPTH_OBLIVIOUS",))}),
    "no-backfill": lambda site: setting(site, SchedulerType="sched/builtin"),
    "preemption-off": lambda site: setting(site, PreemptMode="OFF"),
    "usage-hidden": lambda site: setting(site, PrivateData="usage,users"),
    "limits-not-enforced": lambda site: setting(
        limit(site, "ocean", maxwall="1-0"), AccountingStorageEnforce="associations"
    ),
    "few-points": lambda site: weights(site, fairshare=100, age=10, jobsize=10, partition=10, qos=10),
    "user-at-zero": lambda site: raw_of(site, mia=0),
    "parents-only": lambda site: _parents_below(site, "ocean"),
    "account-takes-parent": lambda site: raw_of(site, imaging=PARENT_SHARES),
    "root-competes": lambda site: with_shares(site, [
        50 if (name, above) == ("root", 0) else one
        for name, above, one in zip(site.levels.names, site.levels.parent, site.stored_shares, strict=True)
    ]),
    "fairshare-exhausted": _exhausted,
    "usage-of-removed": lambda site: usage(site, "ocean", 0.2),
    "limit-below-share": lambda site: limit(site, "science", grptres="cpu=4"),
    "limit-above-parent": lambda site: limit(
        limit(site, "science", grptres="cpu=30"), "ocean", grptres="cpu=31"
    ),
    "cannot-run": lambda site: limit(site, "imaging", grpjobs="0"),
    "shares-lag": lambda site: replace(site, stored_shares=tuple(
        one + 1 if row == 3 and one is not None else one for row, one in enumerate(site.stored_shares)
    )),
    "user-in-many-accounts": _many_accounts,
    "only-child": lambda site: levels(site, ["r", "g", "a", "b"], [-1, 0, 1, 1], [1, 5, 1, 2], "a b"),
    "level-of-zeros": lambda site: levels(site, ["r", "a", "b"], [-1, 0, 0], [1, 0, 0], "a b"),
    "group-at-zero": lambda site: levels(
        site, ["r", "g", "h", "a", "b", "c"], [-1, 0, 0, 1, 1, 2], [1, 0, 2, 1, 1, 1], "a b c"
    ),
    "empty-group": lambda site: levels(site, ["r", "g", "h", "a"], [-1, 0, 0, 1], [1, 2, 3, 1], "a"),
    "lopsided-level": lambda site: levels(site, ["r", "a", "b"], [-1, 0, 0], [1, 1, 5000], "a b"),
    "all-shares-equal": lambda site: levels(
        site, ["r", *"ghijk", *"abcde"], [-1, *[0] * 5, *range(1, 6)], [1] * 11, "a b c d e"
    ),
    "dependency-never": lambda site: waiting(site, "DependencyNeverSatisfied"),
    "job-beyond-partition": lambda site: waiting(site, "PartitionTimeLimit"),
    "job-without-association": lambda site: waiting(site, "InvalidAccount"),
    "partition-closed": lambda site: partition(site, state="DRAIN"),
    "partition-without-nodes": _down,
    "tier-beats-fairshare": lambda site: setting(
        replace(site, jobs=tuple(
            replace(job, partition="scavenge") if at % 2 else job for at, job in enumerate(site.jobs)
        )),
        PreemptType="preempt/none",
    ),
    "age-full": _old,
    "nice-beats-fairshare": lambda site: replace(site, priorities=_rows(("anna", 5.0), nice=500_000.0)),
    "one-fairshare-for-all": lambda site: replace(site, priorities=_rows(*[(name, 7.0) for name in "abcde"])),
    **{rule: written(rule) for rule in WRITTEN},
    "dialect": lambda _: of_sge("id=5\nname=ana\ntype=0", "id=5\nname=ana\ntype=1"),
    "dialect-odd": lambda _: of_sge("childnodes=1,4", "childnodes=4,1"),
    "sched-ext": on_linux("sched-ext"),
    "controller-off": on_linux("controller-off"),
    "cpu-max-below-share": on_linux("cpu-max"),
}  # fmt: skip
