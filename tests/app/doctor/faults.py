"""A sound cluster as captured, and for each rule a fault written into what the tools printed."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fsconsole.app.doctor.control_groups import of_control_groups
from fsconsole.app.doctor.site import Levels, Site
from fsconsole.app.doctor.sources import of_cluster, of_scenario
from fsconsole.shares.formats import format_named
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.slurm.parsers.sprio import FORMAT, read_sprio
from fsconsole.targets.slurm.location import capture_place, clock_of
from fsconsole.targets.slurm.reading import Found, OtherOrderError, Reader
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import ToolError, Tools
from tests.linux.control_groups import fill, v2
from tests.shares.formats.dialects import SGE

CAPTURES = Path(__file__).parents[2] / "data" / "slurm"
SOUND, RELATIVE = "sound", "relative"
Fault = Callable[[Path], Site]
Edit = Callable[[Path], None]

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


Read = dict[PartName, Found | OtherOrderError]


def parts_of(folder: Path, parts: Collection[PartName] = tuple(PartName), cluster: str = "") -> Read:
    """Read parts of a capture folder; those that cannot be read are left out."""
    reader = Reader(Tools(capture_place(folder)), cluster=cluster)
    found: Read = {}
    for part in parts:
        try:
            found[part] = read = reader.read(part)
        except OtherOrderError as error:
            found[part], reader.cluster = error, error.cluster
        except ToolError:
            continue
        else:
            reader.cluster = read.value.cluster if part is PartName.SETTINGS else reader.cluster
    return found


def site_of(folder: Path, read: Read | None = None) -> Site:
    """Return the site of a capture folder as the command reads it, or of parts of it."""
    read = parts_of(folder) if read is None else read
    tools = Tools(capture_place(folder))
    found = {part: one.value for part, one in read.items() if isinstance(one, Found)}
    partial = [part for part, one in read.items() if isinstance(one, Found) and one.notes]
    other = read.get(PartName.SETTINGS)
    printed = other.printed if isinstance(other, OtherOrderError) else {}
    answer = tools.run(("sprio", "-o", FORMAT))
    try:
        priorities = () if answer.problem else read_sprio(answer.stdout).items
    except ScenarioError:
        priorities = ()
    now_s = clock_of(tools.place.prefix)()
    return of_cluster("testlab", found, priorities, now_s, printed=printed, partial=partial)


def copy_of(name: str, folder: Path) -> Path:
    """Copy a capture of the tests."""
    shutil.copytree(CAPTURES / name, folder, dirs_exist_ok=True)
    return folder


def captured(*edits: Edit, of: str = SOUND) -> Fault:
    """Return the site of a capture after edits of its files."""

    def made(folder: Path) -> Site:
        copy_of(of, folder)
        for edit in edits:
            edit(folder)
        return site_of(folder)

    return made


def text(name: str, *pairs: tuple[str, str]) -> Edit:
    """Replace texts in a file, each of which must be there; `re:` before one makes it a pattern."""

    def edit(folder: Path) -> None:
        path = folder / f"{name}.txt"
        found = path.read_text()
        for old, new in pairs:
            pattern = old.removeprefix("re:") if old.startswith("re:") else re.escape(old)
            changed = re.sub(pattern, new, found, flags=re.MULTILINE)
            assert changed != found, old
            found = changed
        path.write_text(found)

    return edit


def settings(**values: str) -> Edit:
    """Write other settings."""
    return text("settings", *[(rf"re:^({key} *= ?).*$", rf"\g<1>{value}") for key, value in values.items()])


def of_settings(**values: str) -> Fault:
    return captured(settings(**values))


def shares(*pairs: tuple[str, str, str]) -> Edit:
    """Write other raw shares of (account, user) into what sshare and sacctmgr printed."""

    def edit(folder: Path) -> None:
        for account, user, raw in pairs:
            key = re.escape(f"{account}|{user}|")
            text("usage", (rf"re:^( *{key}\|)[^|]*", rf"\g<1>{raw}"))(folder)
            text("tree", (rf"re:^([^|]*\|[^|]*\|testlab\|{key}\|)[^|]*", rf"\g<1>{raw}"))(folder)

    return edit


def of_shares(*pairs: tuple[str, str, str]) -> Fault:
    return captured(shares(*pairs))


def limit(account: str, user: str, column: int, value: str) -> Edit:
    """Write a limit of an association, whose columns of sacctmgr count from 0 at the id."""

    def edit(folder: Path) -> None:
        path = folder / "tree.txt"
        lines = [line.split("|") for line in path.read_text().splitlines()]
        (row,) = [fields for fields in lines if fields[3:5] == [account, user]]
        row[column] = value
        path.write_text("".join(f"{'|'.join(fields)}\n" for fields in lines))

    return edit


MAX_WALL, GRP_JOBS, GRP_TRES = 12, 14, 17


def partition(name: str, *pairs: tuple[str, str]) -> Edit:
    """Replace texts in the record of a partition."""

    def edit(folder: Path) -> None:
        path = folder / "partitions.txt"
        records = path.read_text().split("\n\n")
        at = next(at for at, one in enumerate(records) if one.lstrip().startswith(f"PartitionName={name}\n"))
        for old, new in pairs:
            assert old in records[at], old
            records[at] = records[at].replace(old, new)
        path.write_text("\n\n".join(records))

    return edit


def reason(new: str) -> Fault:
    """Let the first pending job wait for another reason."""
    return captured(text("jobs", (r"re:\A(.*)\|Resources\|", rf"\g<1>|{new}|")))


def priorities(*rows: str) -> Edit:
    """Add output of sprio: header, then rows."""

    def edit(folder: Path) -> None:
        (folder / "priorities.txt").write_text("".join(f"{row}\n" for row in rows))
        manifest = json.loads((folder / "capture.json").read_text())
        manifest["answers"].append(
            {"command": ["sprio", "-o", FORMAT], "file": "priorities.txt", "rc": 0, "stderr": ""}
        )
        (folder / "capture.json").write_text(json.dumps(manifest))

    return edit


def low_fairshares(folder: Path) -> None:
    """Let sshare print hardly any fairshare for all users of imaging and climate."""
    text("usage", (r"re:^( +(?:imaging|climate)\|\w+\|(?:[^|]*\|){6})[^|]*", r"\g<1>0.000100"))(folder)


def many_accounts(folder: Path) -> None:
    """Give eve an association in nine accounts."""
    path = folder / "usage.txt"
    head, root, *rest = path.read_text().splitlines()
    mine = [line for at in range(9) for line in (
        f" a{at}|||2|0.010000|0|0.000000|0.000000|0.500000||cpu=0",
        f"  a{at}|eve||1|0.010000|0|0.000000|0.000000|0.500000||cpu=0",
    )]  # fmt: skip
    path.write_text("".join(f"{line}\n" for line in (head, root, *rest, *mine)))


def file_of(origin: str, written: str) -> Fault:
    """Return the site of a tree file."""
    return lambda _: of_scenario(f"x.{origin}", format_named(origin).read(written))


def written(rule: str) -> Fault:
    return lambda _: of_scenario("x.yaml", parse_scenario(TREE.replace(*WRITTEN[rule], 1)))


def tree_of(nodes: str) -> Fault:
    """Return the site of a scenario with these nodes below the root."""
    return lambda _: of_scenario("x.yaml", parse_scenario(
        f"version: 1\ntree:\n  name: r\n  children:\n{nodes}"
    ))  # fmt: skip


def on_linux(*files: tuple[str, str | None]) -> Fault:
    """Return the site of two control groups after changes of files: None removes one."""

    def made(folder: Path) -> Site:
        top = folder / "cgroup"
        hierarchy = v2(top, cgroup__subtree_control="cpu")
        for name in ("a", "b"):
            fill(top / name)
        for name, value in files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if value is None else path.write_text(value)
        return of_control_groups(hierarchy, sys=folder / "sys", cpus=4)

    return made


# -- what is put into a site, to try single rules ----------------------------------------------------------


def sound() -> Site:
    """A cluster without findings."""
    return site_of(CAPTURES / SOUND)


def row_of(site: Site, name: str) -> int:
    return list(site.levels.names).index(name)


def setting(site: Site, fields: Mapping[str, Any] | None = None, **values: str) -> Site:
    """Other settings: fields of `SlurmConfig`, and what scontrol printed by key."""
    assert site.settings is not None
    known = {**site.settings.values, **{key.lower(): value for key, value in values.items()}}
    return replace(site, printed=known, settings=replace(site.settings, values=known, **(fields or {})))


def limited(site: Site, name: str, **limits: str) -> Site:
    found = list(site.limits)
    found[row_of(site, name)] = limits
    return replace(site, limits=tuple(found))


def levels(names: list[str], parent: list[int], shares: list[int | None], users: str) -> Site:
    """A tree of its own, without a cluster's usage."""
    paths: list[str] = []
    for name, above in zip(names, parent, strict=True):
        paths.append(name if above < 0 else f"{paths[above]}/{name}")
    made = Levels(names, paths, parent, shares, [name in users.split() for name in names])
    return Site("x", made)


def of_sge(old: str, new: str) -> Site:
    """Grid Engine's documented tree with something else written in it."""
    assert old in SGE
    return of_scenario("x.sge", format_named("sge").read(SGE.replace(old, new)))


_SPRIO = "JOBID|PARTITION|USER|PRIORITY|SITE|AGE|ASSOC|FAIRSHARE|JOBSIZE|PARTITION|QOS|NICE|TRES"
FAULTS: dict[str, Fault] = {
    "priority-plugin": of_settings(PriorityType="priority/basic"),
    "fairshare-weight": of_settings(PriorityWeightFairShare="0"),
    "associations-not-enforced": of_settings(AccountingStorageEnforce="none"),
    "no-decay": of_settings(PriorityDecayHalfLife="00:00:00"),
    "decay-and-reset": of_settings(PriorityUsageResetPeriod="MONTHLY"),
    "half-life-short": of_settings(PriorityDecayHalfLife="00:30:00"),
    "coarse-recalculation": of_settings(PriorityCalcPeriod="00:30:00"),
    "dampening-unused": of_settings(PriorityFlags="", FairShareDampeningFactor="3"),
    "factor-drowns-fairshare": of_settings(PriorityWeightAge="200000"),
    "age-without-limit": of_settings(PriorityMaxAge="00:00:00"),
    "favor-small-unweighted": of_settings(PriorityFavorSmall="Yes", PriorityWeightJobSize="0"),
    "gpu-not-billed": captured(
        settings(AccountingStorageTRES="cpu,mem,node,billing,gres/gpu"),
        partition("batch", ("billing=32", "billing=32,gres/gpu=8")),
    ),
    "unknown-tres-billed": captured(text("partitions", (
        "re:^   TRES=.*$", r"\g<0>\n   TRESBillingWeights=CPU=1,License/x=2"
    ))),
    "uneven-billing": captured(partition("batch", ("billing=32", "billing=32\n   TRESBillingWeights=CPU=2"))),
    "depth-oblivious": of_settings(PriorityFlags="DEPTH_OBLIVIOUS"),
    "no-backfill": of_settings(SchedulerType="sched/builtin"),
    "preemption-off": of_settings(PreemptMode="OFF"),
    "usage-hidden": of_settings(PrivateData="usage,users"),
    "limits-not-enforced": captured(
        limit("ocean", "", MAX_WALL, "1-00:00:00"), settings(AccountingStorageEnforce="associations")
    ),
    "few-points": of_settings(
        PriorityWeightFairShare="100", PriorityWeightAge="10", PriorityWeightJobSize="10",
        PriorityWeightPartition="10", PriorityWeightQOS="10",
    ),
    "no-accounting": of_settings(AccountingStorageType="accounting_storage/none"),
    "tres-weight-untracked": of_settings(PriorityWeightTRES="gres/fpga=500"),
    "max-tres-idle": of_settings(PriorityFlags="NO_FAIR_TREE,MAX_TRES"),
    "held-jobs-age": of_settings(PriorityFlags="NO_FAIR_TREE,ACCRUE_ALWAYS"),
    "priority-flag-unknown": of_settings(PriorityFlags="NO_FAIR_TREE,MAX_TRES_GRES"),
    "site-factor": of_settings(PrioritySiteFactorPlugin="site_factor/ours"),
    "user-at-zero": of_shares(("teaching", "mia", "0")),
    "parents-only": of_shares(*[("ocean", user, "parent") for user in ("anna", "ben", "cora")]),
    "account-takes-parent": of_shares(("imaging", "", "parent")),
    "root-competes": of_shares(("root", "root", "50")),
    "fairshare-exhausted": captured(low_fairshares),
    "usage-of-removed": captured(text("usage", (r"re:^(  ocean\|\|\|3\|[^|]*\|)7265", r"\g<1>14000"))),
    "limit-below-share": captured(limit("science", "", GRP_TRES, "cpu=4")),
    "limit-above-parent": captured(
        limit("science", "", GRP_TRES, "cpu=30"), limit("ocean", "", GRP_TRES, "cpu=31")
    ),
    "cannot-run": captured(limit("imaging", "", GRP_JOBS, "0")),
    "shares-lag": captured(text("tree", ("imaging|||2|medicine", "imaging|||3|medicine"))),
    "user-in-many-accounts": captured(many_accounts),
    "relative-qos-shared": captured(partition("batch", ("QoS=N/A", "QoS=relpart")), of=RELATIVE),
    "relative-not-in-force": captured(text("assoc_mgr", ("node=1(1)", "node=37(1)")), of=RELATIVE),
    "relative-percent-above-100": captured(text("qos", ("|cpu=12|", "|mem=50G|")), of=RELATIVE),
    "relative-rounds-to-0": captured(
        text("qos", ("|cpu=12|", "|cpu=1|")), text("assoc_mgr", ("GrpTRES=cpu=9(0)", "GrpTRES=cpu=0(0)")),
        of=RELATIVE,
    ),
    "relative-partition-qos-listed": captured(of=RELATIVE),
    "relative-minutes": captured(of=RELATIVE),
    "only-child": tree_of(
        "    - {name: g, shares: 5, children: [{name: a, shares: 1}, {name: b, shares: 2}]}\n"
    ),
    "level-of-zeros": tree_of("    - {name: a, shares: 0}\n    - {name: b, shares: 0}\n"),
    "group-at-zero": tree_of(
        "    - {name: g, shares: 0, children: [{name: a, shares: 1}, {name: b, shares: 1}]}\n"
        "    - {name: h, shares: 2, children: [{name: c, shares: 1}, {name: d, shares: 1}]}\n"
    ),
    "empty-group": tree_of(
        "    - {name: g, shares: 2, children: [{name: a, shares: 1}, {name: b, shares: 1}]}\n"
        "    - {name: h, shares: 2, kind: group}\n"
    ),
    "lopsided-level": tree_of("    - {name: a, shares: 1}\n    - {name: b, shares: 5000}\n"),
    "all-shares-equal": tree_of("".join(
        f"    - {{name: g{at}, shares: 1, children: "
        f"[{{name: u{at}, shares: 1}}, {{name: v{at}, shares: 1}}]}}\n"
        for at in range(5)
    )),
    "dependency-never": reason("DependencyNeverSatisfied"),
    "job-beyond-partition": reason("PartitionTimeLimit"),
    "job-without-association": reason("InvalidAccount"),
    "partition-closed": captured(partition("batch", ("State=UP", "State=DRAIN"))),
    "partition-without-nodes": captured(text("nodes", (r"re:\|(allocated|mixed)\|", "|down|"))),
    "tier-beats-fairshare": captured(
        settings(PreemptType="preempt/none", PreemptMode="OFF"),
        text("jobs", (r"re:\A(.*)\|imaging\|batch\|", r"\g<1>|imaging|scavenge|")),
    ),
    "age-full": of_settings(PriorityMaxAge="00:00:30"),
    "nice-beats-fairshare": captured(priorities(
        _SPRIO, "49|batch|hugo|1|0|1|0|500|1|1|0|500000|"
    )),
    "one-fairshare-for-all": captured(priorities(
        _SPRIO, *[f"{at}|batch|user{at}|500|0|1|0|500|1|1|0|0|" for at in range(1, 6)]
    )),
    **{rule: written(rule) for rule in WRITTEN},
    "dialect": lambda _: of_sge("id=5\nname=ana\ntype=0", "id=5\nname=ana\ntype=1"),
    "dialect-odd": lambda _: of_sge("childnodes=1,4", "childnodes=4,1"),
    "sched-ext": on_linux(("sys/kernel/sched_ext/state", "enabled\n")),
    "controller-off": on_linux(("cgroup/b/cpu.weight", None)),
    "cpu-max-below-share": on_linux(("cgroup/a/cpu.max", "50000 100000\n")),
}  # fmt: skip
SOUND_ONES: dict[str, Fault] = {
    "cluster": captured(),
    "relative": captured(
        text("tree", ("re:,relpart", "")), text("qos", (r"re:^(relmins|relbig).*\n", "")),
        text("usage", (r"re:^( root\|root\|\|)1", r"\g<1>0")),
        text("tree", ("root|root||1|", "root|root||0|")),
        partition("small", ("billing=32", "billing=32\n   TRESBillingWeights=CPU=1.0,GRES/gpu=2.0")),
        of=RELATIVE,
    ),
    "tree": lambda _: of_scenario("x.yaml", parse_scenario(TREE)),
    "groups": on_linux(),
}  # fmt: skip
"""Sites on which no rule fires, so that each of the rules that apply to them has one."""
