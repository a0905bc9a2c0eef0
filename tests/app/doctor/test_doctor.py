from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsconsole.app.doctor.catalogue import Grade
from fsconsole.app.doctor.examine import RULES, as_text, examine
from fsconsole.app.doctor.sarif import as_sarif
from fsconsole.app.doctor.site import Site
from fsconsole.app.doctor.sources import of_cluster, of_scenario
from fsconsole.app.kinds import Kind
from fsconsole.cli.main import run
from fsconsole.resources import examples
from fsconsole.shares.formats import format_named
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.slurm.fairshare import SharesChange, fairshare_of
from fsconsole.slurm.fairshare import with_shares as with_raw
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.targets.slurm.location import example_capture
from fsconsole.targets.slurm.state import PartName
from tests.app.doctor.faults import FAULTS, TREE, captured, levels, limited, row_of, setting, settings, sound
from tests.shares.formats.dialects import EXAMPLES
from tests.slurm.captured import captured as output_of
from tests.texts import says, wording

# Sound: trees as the projects' own documentation has them, and systems of published papers.
_DOCUMENTED = sorted(EXAMPLES)
_WITH_ONLY_CHILD = ("csv", "moab")  # an account that is alone in the tree or in its partition
_OF_PAPERS = (
    "convex-series-1",
    "navoceano-c916",
    "near-dedicated-ymp",
    "two-organisations",
    "share-by-account",
)
_CAPTURED = {"classic-worked.psv": ["user-at-zero"], "parent_tie.psv": ["user-at-zero", "group-at-zero"]}


def _alarms(site: Site) -> list[str]:
    return [one.rule.id for one in examine(site) if one.rule.grade is not Grade.UNUSUAL]


@pytest.mark.parametrize("name", _DOCUMENTED)
def test_a_documented_tree_raises_no_alarm(name: str) -> None:
    site = of_scenario(name, format_named(name).read(EXAMPLES[name]))
    expected = ["only-child"] if name in _WITH_ONLY_CHILD else []
    assert [one.rule.id for one in examine(site)] == expected


def test_how_many_rules_apply_is_said_of_what_is_known() -> None:
    (tree,) = as_text(of_scenario("t", format_named("sge").read(EXAMPLES["sge"])), [])
    (cluster,) = as_text(sound(), [])
    few, many = (int(line.split(" from ")[1].split()[0]) for line in (tree, cluster))
    assert few < 20 < 40 < many < len(RULES)


def test_a_rule_of_a_dialect_has_its_fix_apart_from_what_is_wrong() -> None:
    text = EXAMPLES["yarn-capacity"].replace("37.5", "30")
    (finding,) = examine(of_scenario("y", format_named("yarn-capacity").read(text)))
    fault = wording(
        "shares.formats.capacities-below-sum-to-yarn",
        name="root",
        found="92.5\xa0%",
        short_percent="100\xa0%",
    )
    evidence, fix = fault.split(": ")
    assert (finding.hit.evidence, finding.hit.fix) == (f"{evidence}.", f"{fix}.")


@pytest.mark.parametrize("name", _OF_PAPERS)
def test_a_published_system_raises_no_alarm(name: str) -> None:
    assert _alarms(of_scenario(name, read_scenario(examples() / f"{name}.yaml"))) == []


@pytest.mark.parametrize("name", _CAPTURED)
def test_of_a_real_cluster_only_its_zero_shares_raise_an_alarm(name: str) -> None:
    site = of_cluster(name, {PartName.USAGE: read_sshare(output_of(name))})
    assert _alarms(site) == _CAPTURED[name]  # made so when these were captured, to see what Slurm does


def _ids(site: Site) -> list[str]:
    return [one.rule.id for one in examine(site)]


def test_partitions_without_gpus_need_not_bill_them() -> None:
    assert _ids(setting(sound(), AccountingStorageTRES="cpu,mem,node,billing,gres/gpu")) == []


@pytest.mark.parametrize("kind", ["preempt/partition_prio", "preempt/qos"])
def test_preemption_needs_a_mode_for_the_whole_cluster(kind: str) -> None:
    """slurm.conf(5), PreemptMode: partitions and QOS may have one that is OFF, the cluster may not.

    slurmctld 22.05.8 does not start with OFF nor with GANG alone, though a partition has REQUEUE.
    """
    assert {one.preempt_mode for one in sound().partitions} >= {"OFF", "REQUEUE"}
    for mode in ("OFF", "GANG"):
        assert _ids(setting(sound(), PreemptType=kind, PreemptMode=mode)) == ["preemption-off"]
    for mode in ("REQUEUE", "SUSPEND,GANG", "GANG,SUSPEND", "CANCEL"):
        assert "preemption-off" not in _ids(setting(sound(), PreemptType=kind, PreemptMode=mode))
    assert "preemption-off" not in _ids(setting(sound(), PreemptType="preempt/none", PreemptMode="GANG"))


def test_a_limit_of_an_account_that_its_users_override_stops_none() -> None:
    site = limited(sound(), "imaging", maxsubmit="0")  # sacctmgr(1): the default of those in it
    assert _ids(site) == []
    users = [site.levels.names[row] for row in site.levels.children[row_of(site, "imaging")]]
    for user in users:
        site = limited(site, user, maxsubmit="0")
    (found,) = examine(site)
    assert (found.rule.id, found.hit.where) == ("cannot-run", "root/medicine/imaging")
    (found,) = examine(limited(limited(sound(), "imaging", maxsubmit="0"), users[0], maxsubmit="0"))
    assert found.hit.where.endswith(f"/{users[0]}")


@pytest.mark.parametrize("limits", [{"grptres": "cpu=0"}, {"grptres": "mem=1G,cpu=0"}])
def test_no_cpus_at_all_are_no_job_at_all(limits: dict[str, str]) -> None:
    (found,) = examine(limited(sound(), "imaging", **limits))
    assert (found.rule.id, found.hit.fix) == (
        "cannot-run", wording("app.doctor.set-for-or-fairshare-0", clear="grptres=cpu=-1", name="imaging"),
    )  # fmt: skip


def test_user_root_which_sacctmgr_adds_is_not_lopsided() -> None:
    site = levels(["root", "root", "a", "b"], [-1, 0, 0, 0], [1, 1, 50_000, 40_000], "root a b")
    assert "lopsided-level" not in _ids(site)


def test_usage_of_two_instants_is_not_usage_of_removed_associations() -> None:
    shares = read_sshare(output_of("two_instants.psv"))  # RawUsage adds up, NormUsage of astro does not
    site = of_cluster("lab", {PartName.USAGE: shares})
    astro = row_of(site, "astro")
    inside = [row for row, above in enumerate(site.levels.parent) if above == astro]
    assert shares.tree.usage[astro] - shares.tree.usage[inside].sum() == pytest.approx(0.0336, abs=1e-4)
    assert "usage-of-removed" not in _ids(site)


def test_the_fix_of_zero_shares_says_whose_fairshare_changes(tmp_path: Path) -> None:
    site = FAULTS["user-at-zero"](tmp_path)
    (finding,) = examine(site)
    assert finding.hit.where == "root/teaching/mia"
    assert finding.hit.fix == wording(
        "app.doctor.sacctmgr-modify-user-where-account", name="mia", account="teaching"
    )
    assert says(finding.hit.effect, "app.doctor.fairshare-at-next-calculation")
    who, before, _, reached, *_ = finding.hit.effect.partition(": ")[2].split()
    assert (who, before) == ("mia", "0.0000")
    after = fairshare_of(with_raw(site.used_tree, [SharesChange(row_of(site, "mia"), 1)])).fairshare
    assert reached.strip(",.") == f"{after[row_of(site, 'mia')]:.4f}"


def test_the_fix_of_a_tree_says_who_gains_and_who_loses() -> None:
    tree = levels(["r", "g", "h", "a", "b", "c"], [-1, 0, 0, 1, 1, 2], [1, 0, 2, 1, 1, 1], "a b c")
    (finding,) = examine(tree)
    moved = re.findall(r"(\w+) ([\d.]+)\xa0% \N{RIGHTWARDS ARROW} ([\d.]+)\xa0%", finding.hit.effect)
    assert {("c", "100.00", "66.67"), ("a", "0.00", "16.67")} <= set(moved)


def test_sarif_has_what_the_standard_demands(tmp_path: Path) -> None:
    found = examine(FAULTS["no-decay"](tmp_path))
    shown = as_sarif("lab", found, RULES, is_file=False)
    assert (shown["version"], len(shown["runs"])) == ("2.1.0", 1)
    run = shown["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    (result,) = run["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "no-decay"
    assert result["level"] == rules[result["ruleIndex"]]["defaultConfiguration"]["level"] == "error"
    assert result["message"]["text"]
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "PriorityDecayHalfLife"


def test_the_text_has_the_worst_first_and_the_page_lists_all_rules(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    site = captured(settings(PriorityDecayHalfLife="00:00:00", PriorityWeightAge="200000"))(tmp_path)
    lines = list(as_text(site, examine(site)))
    assert re.split("[:,] ", lines[0]) == ["testlab", "1 broken", "1 unusual"]
    assert (
        lines.index(
            "broken: " + wording("app.doctor.usage-never-decays") + " (" + "PriorityDecayHalfLife) [no-decay]"
        )
        == 2
    )
    page = (request.config.rootpath / "docs" / "reference" / "doctor-rules.md").read_text(encoding="utf-8")
    for rule in RULES:
        cells = (f"`{rule.id}`", rule.grade, rule.title, rule.source)
        assert "|".join(f" {cell} " for cell in cells) in page


def test_the_command_examines_files_and_captures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(examples() / "two-organisations.yaml")]) == 0
    assert says(capsys.readouterr().out, "app.doctor.no-findings-from-applicable-rules")
    assert run(["doctor", str(example_capture()), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert [one["rule"] for one in data if one["grade"] == "broken"] == ["user-at-zero"]
    path = tmp_path / "tree.yaml"
    path.write_text(TREE.replace("logins: [a, b]", "logins: [b]"))
    assert run(["doctor", str(path), "--sarif"]) == 0
    sarif = json.loads(capsys.readouterr().out)
    (result,) = sarif["runs"][0]["results"]
    assert result["ruleId"] == "work-without-login"
    line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert "name: a" in path.read_text().splitlines()[line - 1]
    assert run(["doctor"]) == 2
    assert says(capsys.readouterr().err, "cli.give-capture-folder-or-tree")
    assert run(["doctor", str(tmp_path)]) == 2
    assert says(capsys.readouterr().err, "app.is-not", kind=Kind.FOLDER)
    path.write_text("version: 1\ntree: {name: r, shares: x}\n")
    assert run(["doctor", str(path)]) == 2
    assert "tree.yaml:2" in capsys.readouterr().err


def _hit(site: Site, rule: str) -> Any:
    (found,) = [one.hit for one in examine(site) if one.rule.id == rule]
    return found


def test_each_reason_is_named_with_its_jobs(tmp_path: Path) -> None:
    site = FAULTS["job-beyond-partition"](tmp_path)
    stuck = next(job for job in site.pending if job.reason == "PartitionTimeLimit")
    others = [replace(stuck, job_id=900 + at, reason="BadConstraints") for at in range(2)]
    site = replace(site, jobs=(*site.jobs, *others))
    evidence = _hit(site, "job-beyond-partition").evidence
    for count, reason in (("1 job", "PartitionTimeLimit"), ("2 jobs", "BadConstraints")):
        assert f"{count}, {reason}" in evidence
    assert "900 of" in evidence.partition("BadConstraints")[2]


def test_each_state_of_nodes_is_named(tmp_path: Path) -> None:
    site = FAULTS["partition-without-nodes"](tmp_path)
    first, *rest = site.nodes
    site = replace(site, nodes=(replace(first, state="drained"), *rest))
    hits = [one.hit.evidence for one in examine(site) if one.rule.id == "partition-without-nodes"]
    assert hits
    assert all(
        "1 drained" in text and "down" in text for text in hits if first.name in text or len(hits) == 1
    )


@pytest.mark.parametrize("rule", ["job-beyond-partition", "partition-closed"])
def test_counts_of_jobs_are_least_ones_where_some_are_left_out(rule: str, tmp_path: Path) -> None:
    site = FAULTS[rule](tmp_path)
    assert "at least" not in _hit(site, rule).evidence.lower()
    partial = replace(site, partial=frozenset((PartName.JOBS,)))
    assert "at least" in _hit(partial, rule).evidence.lower()


def test_a_negative_nice_is_not_one_that_waits(tmp_path: Path) -> None:
    site = FAULTS["nice-beats-fairshare"](tmp_path)
    behind = _hit(site, "nice-beats-fairshare")
    ahead = replace(
        site,
        priorities=tuple(
            replace(row, parts={**row.parts, "nice": -row.parts.get("nice", 0.0)}) for row in site.priorities
        ),
    )
    before = _hit(ahead, "nice-beats-fairshare")
    assert says(behind.fix, "app.doctor.scontrol-update-jobid-nice-0", meant="wait for all others")
    assert says(before.fix, "app.doctor.scontrol-update-jobid-nice-0", meant="go ahead of all others")
