"""Sites to examine: a cluster's responses, a scenario or tree file, control groups."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fsconsole.app.doctor.site import Levels, Site
from fsconsole.linux.idle_weights import IdleWeight
from fsconsole.policies.check import CHECKS, NO_EFFECT
from fsconsole.shares.scenario.actions import StartProcess
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.slurm.association_status import shows_others
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.parsers.sshare import Sshare
from fsconsole.targets.slurm.state import PartName

_RULES = {
    "system-groups": "system-groups-large",
    "no-login": "work-without-login",
    "late-event": "event-after-end",
    "sharemin": "sharemin-above-entitlement",
    "batch": "policy-constant",
    "policy-rules": "policy-constant",
}
_OF_LINUX = {"sched-ext": "sched-ext", "controller-off": "controller-off", "cpu-max": "cpu-max-below-share"}


class NothingToExamine(LookupError):  # noqa: N818 (it is said to a person as it is)
    """Report that there is nothing to examine, and why."""


def of_cluster(
    name: str,
    found: Mapping[PartName, Any],
    priorities: Sequence[JobPriority] = (),
    now_s: float = 0.0,
    shown: Sshare | None = None,
    printed: Mapping[str, str] | None = None,
    partial: Collection[PartName] = (),
) -> Site:
    """Return a site from a cluster's parts; NothingToExamine without tree, usage and settings.

    Without tree and usage, as for a user from whom PrivateData hides both, the root alone is known. `shown`
    is what sshare showed of them then; `printed` are the settings of a cluster without fairshare; of the
    lists in `partial` lines were left out.
    """
    settings = found.get(PartName.SETTINGS)
    printed = printed or {} if settings is None else settings.values
    shares, stored = found.get(PartName.USAGE), found.get(PartName.TREE)
    if stored is not None and shown is not None and not shows_others(stored, shown):
        stored = None  # The stored associations are incomplete too.
    jobs = tuple(found.get(PartName.JOBS, ()))
    source = stored if shares is None else shares
    if source is None and not printed:
        raise NothingToExamine("Neither sshare nor sacctmgr responded, so there is no tree to examine.")
    tree = _root_alone() if source is None else source.tree
    partitions = (source.partition if source is not None else ()) or ("",) * len(tree)
    keys = list(zip(tree.account, tree.user, partitions, strict=True))
    known: dict[tuple[str, str, str], int] = {}
    if stored is not None:
        theirs = zip(stored.tree.account, stored.tree.user, stored.partition, strict=True)
        known = {key: row for row, key in enumerate(theirs)}
    missing = set(partial) - {PartName.TREE, PartName.USAGE}
    # sshare shows each association that is stored, unless its output was cut.
    if source is not None and (source.problems or known.keys() - set(keys)):
        missing.add(PartName.TREE)
    with_jobs = {(job.account, job.user) for job in jobs if not job.is_finished}
    working = {row for row, key in enumerate(keys) if key[1] and key[:2] in with_jobs}
    if shares is not None:
        working |= set(np.flatnonzero(tree.usage > 0).tolist())
    return Site(
        name,
        Levels.of_associations(tree),
        settings,
        shares,
        jobs,
        tuple(found.get(PartName.PARTITIONS, ())),
        tuple(found.get(PartName.NODES, ())),
        tuple(priorities),
        tuple(stored.limits[known[key]] if key in known else {} for key in keys)
        if stored is not None
        else (),
        tuple(int(stored.tree.shares[known[key]]) if key in known else None for key in keys)
        if stored is not None
        else (),
        now_s,
        frozenset(working),
        printed=printed,
        qos=tuple(found.get(PartName.QOS, ())),
        qos_lists=tuple(stored.qos[known[key]] if key in known else () for key in keys)
        if stored is not None
        else (),
        partial=frozenset(missing),
    )


def _root_alone() -> Associations:
    return Associations(("root",), ("",), np.array([-1]), np.array([0]), np.array([0.0]))


def of_scenario(name: str, scenario: Scenario) -> Site:
    """Return a scenario, or the tree of a file of any dialect."""
    levels = Levels.of_tree(scenario.tree)
    row = {node.id: at for at, node in enumerate(scenario.tree.walk())}
    loads = [event.action for event in scenario.events if isinstance(event.action, StartProcess)]
    working = {row[load.node] for load in (*scenario.workloads, *loads) if load.node in row}
    remarks: list[tuple[str, str, str]] = []
    for word, check in CHECKS.items():
        remarks += [
            (rule, problem.path, problem.text)
            for problem in check(scenario)
            if (rule := _rule_of(word, problem))
        ]
    checked = frozenset(("dialect", "dialect-odd", "switch-without-effect", *_RULES.values()))
    return Site(name, levels, working=frozenset(working), remarks=tuple(remarks), checked=checked)


def _rule_of(word: str, problem: Problem) -> str:
    """Return the rule that a problem belongs to; empty where rules of trees find it themselves, or it is
    a mere note.
    """
    if word == "dialect" and problem.severity is not Severity.NOTE:
        return "dialect" if problem.severity is Severity.ERROR else "dialect-odd"
    if word == "policy":
        if NO_EFFECT in problem.text:
            return "switch-without-effect"
        return "policy-constant" if problem.severity is Severity.WARNING else ""
    return _RULES.get(word, "")


def with_control_groups(site: Site, found: Iterable[IdleWeight]) -> Site:
    """Return a site with the reasons why its weights have no effect on this machine."""
    remarks = [
        (_OF_LINUX[one.kind], one.text.partition(": ")[0] if one.node is not None else "", one.text)
        for one in found
        if one.kind in _OF_LINUX
    ]
    checked = site.checked.union(_OF_LINUX.values())
    return replace(site, remarks=(*site.remarks, *remarks), checked=checked)
