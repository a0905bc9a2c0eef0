"""What is wrong with files of other schedulers has its line, and Check knows their rules."""

from __future__ import annotations

import re

import pytest

from fsconsole.shares.formats import format_named, problems_of
from fsconsole.shares.scenario.problems import ScenarioError, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.text.words import listed
from tests.shares.formats.dialects import EXAMPLES
from tests.texts import Expected, naming, refuses, refuses_naming, says, worded, wording

_FAULTS = [
    ("sge", "childnodes=2,3", "childnodes=2,9", "line 10, column 1: error: childnodes names '9'"),
    ("sge", "shares=60", "shares=many", "line 9, column 1: error: shares must be a whole number"),
    ("sge", "childnodes=1,4", "childnodes=1", "nodes 0, 4 are roots. One node must contain all others"),
    ("sge", "type=1", "type=2", "type must be 0 for a user or 1 for a project, not '2'"),
    ("pbs", "ana\t60\tgrp1", "ana\t60\tgrp", "line 5, column 1: error: no 'grp' above this line"),
    ("pbs", "bo\t61", "ana\t61", "'ana' occurs twice, first in line 5"),
    ("pbs", "bo\t61", "bo\t60", "line 5 already has the id 60. PBS has each id only once"),
    ("yarn-fair", "<weight>2.0", "<weight>two", "line 8, column 1: error: weight: 'two' is not a number"),
    ("yarn-fair", '<?xml version="1.0"?>', "<!DOCTYPE a [<!ENTITY b 'c'>]>", "line 1, column 1: error: a"),
    ("yarn-fair", "</queue>", "", "not valid XML: mismatched tag"),
    ("yarn-fair", 'name="secondary_group_queue"', 'name="sample_queue"', "twice below root, first in line 3"),
    ("yarn-capacity", "a,b,c", "a,b.x,c", "the queue name 'b.x' has a dot"),
    ("kueue", 'weight: "0.25"', "weight: some", "line 22, column 1: error: weight of regular-org"),
    ("kueue", 'weight: "0.75"', "weight: !!python/name:os.system x", "line 13, column 13: error: the tag"),
    ("kueue", 'name: "root-cohort"', "name: root-cohort\nspec: {parent: important-org}", "is below itself"),
    ("kai", "parentQueue: default-parent-queue", "parentQueue: gone", "no Queue gone in the file"),
    ("lsf", "[user1, 4]", "[user1, 0]", "line 10, column 1: error: shares of user1 must be"),
    ("lsf", "([user2, 10]", "([system, 10]", "the group system is in itself"),
    ("maui", "FSTARGET=10.5-", "FSTARGET=ten", "line 5, column 1: error: FSTARGET of jane: 'ten' is not"),
    ("moab", "<!-- half of it -->", "half of it", "a fairshare tree can contain only <tnode> elements"),
    ("oar", "first => 75", "first = 75", "'first = 75' is not a target: write NAME => PER CENT"),
    ("htcondor", "group_physics.lab1,", "group_physics..lab1,", "is not a name of a group"),
    ("flux", "A,root,60", "A,rot,60", "line 3, column 1: error: no bank 'rot' in the file. Did you"),
    ("systemd", "CPUWeight=300", "CPUWeight=20000", "line 7, column 1: error: CPUWeight must be 1 to"),
    ("csv", "/chem/ana", "/che/ana", "line 4, column 1: error: no row '/che' above this row"),
    ("csv", "group,60", "tribe,60", "'tribe' is not a kind"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "was", "now", "fault"), _FAULTS)
def test_faults_are_reported_with_their_line(name: str, was: str, now: str, fault: str) -> None:
    assert was in EXAMPLES[name]
    with pytest.raises(ScenarioError) as caught:
        format_named(name).read(EXAMPLES[name].replace(was, now, 1))
    assert fault in str(caught.value)


def checked(name: str, was: str, now: str) -> list[str]:
    """What Check says of an example in which one text is another."""
    assert was in EXAMPLES[name]
    return [
        problem.text
        for problem in problems_of(format_named(name).read(EXAMPLES[name].replace(was, now)).tree)
    ]


@pytest.mark.parametrize(
    ("name", "was", "now", "fault"),
    [
        ("sge", "name=bo", "name=ana2\nfoo=1", worded("shares.formats.is-not-key-of-share", others="foo")),
        ("pbs", "cy\t62", "unknown\t62", worded("shares.formats.unknown-is-pbs-s-own")),
        (
            "yarn-fair",
            "90000 mb",
            "9000 mb",
            worded("shares.formats.has-more-minresources-than-maxresources", name="sample_queue"),
        ),
        ("yarn-capacity", "37.5", "30", worded("shares.formats.capacities-below-sum-to-yarn", name="root")),
        ("yarn-capacity", "3w", "30", naming("are given in per cent and in weight")),
        (
            "yarn-capacity",
            "<value>50",
            "<value>20",
            worded("shares.formats.maximum-capacity-of-is-below", name="b", most="20\xa0%"),
        ),
        (
            "kueue",
            'cohort: "hello-cohort"',
            "queueingStrategy: StrictFIFO",
            worded("shares.formats.is-in-no-cohort-it"),
        ),
        ("kueue", 'weight: "0.25"', "weight: 0", worded("shares.formats.has-weight-0-its-share")),
        (
            "maui",
            "FSTARGET=25.0+",
            "FSTARGET=96.0+",
            worded("shares.formats.targets-of-sum-to-so", name="USER"),
        ),
        (
            "oar",
            "default => 25",
            "other => 30",
            worded("shares.formats.targets-of-sum-to-so-2", whose="projects"),
        ),
        (
            "htcondor",
            "DYNAMIC_group_chemistry = 0.6",
            "DYNAMIC_group_chemistry = 0.7",
            worded("shares.formats.dynamic-quotas-below-sum-to", total="1.1"),
        ),
        ("flux", "B,root,40", "B,root,0", worded("shares.formats.has-0-shares-and-flux", name="B")),
    ],
)
def test_check_knows_the_rules_of_the_dialect(name: str, was: str, now: str, fault: Expected) -> None:
    assert says(" | ".join(checked(name, was, now)), fault)


def test_check_compares_quotas_of_kai() -> None:
    first, second = EXAMPLES["kai"].split("---")
    text = f"{first}---{second.replace('quota: 0', 'quota: 8').replace('limit: -1', 'limit: 4')}"
    texts = [problem.text for problem in problems_of(format_named("kai").read(text).tree)]
    assert says(
        texts,
        "shares.formats.quota-of-is-above-its",
        resource="gpu",
        name="default-queue",
        quota="8",
        limit="4",
    )
    assert says(
        texts,
        "shares.formats.queues-below-deserve-more-than",
        name="default-parent-queue",
        resource="gpu",
        quota="0",
    )


def test_what_a_queue_of_kai_leaves_out_is_nothing() -> None:
    """KAI-Scheduler, docs/queues, "Special values" and the example of a hierarchical queue."""
    text = EXAMPLES["kai"] + (
        "---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata:\n  name: ml-team\nspec:\n"
        "  parentQueue: default-parent-queue\n  priority: 200\n  resources:\n"
        "    cpu:\n      quota: 500\n      overQuotaWeight: 2\n    gpu:\n      quota: 1\n"
    )
    form = format_named("kai")
    scenario = form.read(text)
    assert [scenario.tree.find(name).shares for name in ("default-queue", "ml-team")] == [1, 0]
    assert form.write(scenario) == text
    (fault,) = [one.text for one in problems_of(scenario.tree) if one.text.startswith("ml-team")]
    lacking = listed(["gpu", "cpu", "memory"])
    assert fault == wording(
        "shares.formats.requests-it-write-limit-1",
        fault=wording("shares.formats.has-no-limit-of-kai", name="ml-team", lacking=lacking),
    )


_AMOUNTS = """\
<?xml version="1.0"?>
<configuration>
  <property>
    <name>yarn.scheduler.capacity.root.queues</name>
    <value>a,b</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.a.capacity</name>
    <value>{}</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.b.capacity</name>
    <value>{}</value>
  </property>
</configuration>
"""


@pytest.mark.parametrize(
    ("first", "second", "ratio", "changed"),
    [  # Capacity Scheduler, "Absolute resources": [memory=10240,vcores=12]; units of UnitsConversionUtil
        ("[memory=10240,vcores=12]", "[memory=5120,vcores=6]", 2, "[memory=10240,vcores=6]"),
        ("[vcores=12,memory=10240]", "[vcores=4, memory=20480]", 0.5, "[vcores=4, memory=10240]"),
        ("[memory=10Gi,vcores=12]", "[memory=5120Mi,vcores=4]", 2, "[memory=10240Mi,vcores=4]"),
        ("[memory=5120Mi,vcores=12]", "[memory=10Gi,vcores=4]", 0.5, "[memory=5Gi,vcores=4]"),
    ],
)
def test_amounts_of_yarn_are_read_by_key_and_unit(
    first: str, second: str, ratio: float, changed: str
) -> None:
    form, text = format_named("yarn-capacity"), _AMOUNTS.format(first, second)
    scenario = form.read(text)
    a, b = scenario.tree.children(0)
    assert a.shares / b.shares == ratio
    assert form.write(scenario) == text
    scenario.tree.writable(b.id).shares = a.shares
    assert form.write(scenario) == _AMOUNTS.format(first, changed)


def test_an_amount_of_yarn_without_memory_is_refused() -> None:
    with refuses_naming(ScenarioError, "line 7,", "[memory=10240,"):
        format_named("yarn-capacity").read(_AMOUNTS.format("[vcores=12]", "[memory=1]"))


# LSF Configuration Reference, lsb.queues FAIRSHARE: group_name@ is individually, others collectively.
_QUEUES = """\
Begin Queue
QUEUE_NAME   = normal
FAIRSHARE    = USER_SHARES[[groupA, 7] [default, 1]]
End Queue
Begin Queue
QUEUE_NAME   = short
FAIRSHARE    = USER_SHARES[[groupB@, 7] [user2, 2] [others, 1]]
End Queue
"""
_GROUPS = """\
Begin UserGroup
GROUP_NAME    GROUP_MEMBER            USER_SHARES
groupC        (user4 user2)           ()
groupB        (groupC user7)          -
groupD        (user9)                 -
End UserGroup
"""


def test_members_of_a_group_of_lsf_have_shares_one_by_one() -> None:
    form = format_named("lsf")
    scenario = form.read(_QUEUES + _GROUPS)
    short = scenario.tree.find("short")
    shares = {node.name: node.shares for node in scenario.tree.children(short.id)}
    assert shares == {"user7": 7, "user4": 7, "user2": 2, "others": 1}
    assert form.write(scenario) == _QUEUES + _GROUPS
    scenario.tree.writable(scenario.tree.find("user4").id).shares = 8
    pairs = re.findall(r"\[(\w+), (\d+)\]", form.write(scenario))
    assert pairs[-4:] == [("user7", "7"), ("user4", "8"), ("user2", "2"), ("others", "1")]


def test_what_shares_of_lsf_stand_for_is_noted() -> None:
    form = format_named("lsf")
    noted = " | ".join(one.text for one in problems_of(form.read(_QUEUES).tree))
    assert says(noted, "shares.formats.are-queues-and-lsf-does")
    assert says(noted, "shares.formats.gives-each-member-of-so", name="groupB")
    default = wording("shares.formats.stands-for-each-user-without")
    others = wording("shares.formats.stands-for-all-users-without")
    assert f"default {default}" in noted
    assert f"others {others}" in noted
    assert not any("groupB@" in one.text for one in problems_of(form.read(_QUEUES + _GROUPS).tree))


def test_kinds_of_targets_are_noted_where_there_are_several() -> None:
    noted = "targets of USER and GROUP apply at the same time in Maui: their shares of 1 are fsconsole's own"
    assert checked("maui", "john", "jo") == [noted]


def test_a_local_queue_of_a_renamed_cluster_queue_is_named() -> None:
    text = (
        EXAMPLES["kueue"]
        + "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata:\n  name: u\n"
    )
    text += "spec:\n  clusterQueue: my-cluster-queue\n"
    tree = format_named("kueue").read(text).tree
    (noted,) = [one for one in problems_of(tree) if "LocalQueue" in one.text]
    assert noted.severity is Severity.NOTE
    assert noted.text.startswith("1 LocalQueue ")
    tree.rename(tree.find("my-cluster-queue").id, "other")
    assert [
        one
        for one in problems_of(tree)
        if says(one.text, "shares.formats.localqueue-in-file-belongs-to", name="my-cluster-queue")
    ]


@pytest.mark.parametrize(
    ("origin", "name", "fault"),
    [
        ("kueue", "htcondor", naming("no macro of HTCondor can be about 'root-cohort'")),
        (
            "moab",
            "slurm",
            worded("shares.formats.slurm-has-each-account-name", id="root/slave1/accta"),
        ),
        ("moab", "flux", worded("shares.formats.flux-has-only-one-bank")),
    ],
)
def test_what_the_other_scheduler_could_not_read_is_not_written(
    origin: str, name: str, fault: Expected
) -> None:
    scenario = format_named(origin).read(EXAMPLES[origin])
    with pytest.raises(ScenarioError) as caught:
        format_named(name).write(scenario)
    assert says(str(caught.value), fault)


def test_what_is_wrong_by_the_other_schedulers_rules_has_its_line_in_what_is_written() -> None:
    form = format_named("flux")
    text = form.write(format_named("systemd").read(EXAMPLES["systemd"]))
    (problem,) = form.problems_in(text)
    assert problem.line == 2
    assert problem.text == wording("shares.formats.is-in-no-bank-add", name="bio")


def test_weights_without_whole_shares_are_said_to_be_inexact() -> None:
    text = (
        EXAMPLES["yarn-fair"]
        .replace("<weight>2.0", "<weight>0.000000000001")
        .replace("<weight>3.0", "<weight>3.1234567")
    )
    texts = [problem.text for problem in problems_of(format_named("yarn-fair").read(text).tree)]
    assert any(says(one, "shares.formats.no-exact-whole-shares-for") for one in texts)


def test_slices_say_what_cpu_weights_cannot_express() -> None:
    tree = ShareTree()
    tree.add(0, "all", 1_000_003)
    tree.add(0, "little", 7)
    form = format_named("systemd")
    scenario = form.read(form.write(Scenario(tree)))
    assert [child.shares for child in scenario.tree.children(0)] == [10_000, 1]
    assert says(
        " ".join(loss.words() for loss in form.lost(Scenario(tree))),
        "shares.formats.shares-below-differ-by-more",
        most="10000",
    )
    near = ShareTree()
    near.add(0, "all", 200 * 9973)
    near.add(0, "little", 9973 + 1)
    again = form.read(form.write(Scenario(near))).tree
    big, small = (child.shares for child in again.children(0))
    assert big / small == pytest.approx(200 * 9973 / 9974, rel=0.01)


def test_an_xml_of_many_levels_and_a_yaml_bomb_are_refused() -> None:
    deep = "<allocations>" + '<queue name="a">' * 300 + "</queue>" * 300 + "</allocations>"
    with refuses(ScenarioError, "shares.formats.more-than-levels-or-elements", deepest="200"):
        format_named("yarn-fair").read(deep)
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    with refuses(ScenarioError, "shares.scenario.aliases-stand-for-more-than"):
        format_named("kueue").read(f"apiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\n{bomb}")


def test_a_group_that_is_missing_is_reported_once() -> None:
    rows = "".join(f"/gone/u{number},1\n" for number in range(3000))
    with pytest.raises(ScenarioError) as caught:
        format_named("csv").read(f"path,shares\n{rows}/other/a,1\n")
    assert [(one.line, one.text) for one in caught.value.problems] == [
        (
            2,
            wording(
                "shares.formats.no-row-above-row-of",
                above="'/gone'",
                rows=wording("shares.formats.this-row-and-more", lines="2\u202f999"),
            ),
        ),
        (3002, wording("shares.formats.no-row-above-row-of", above="'/other'", rows="this row")),
    ]


def test_cpu_shares_of_a_slice_are_warned_of() -> None:
    text = "# /etc/systemd/system/bio.slice\n[Slice]\nCPUShares=2048\n"
    form = format_named("systemd")
    (found,) = form.caveats(form.read(text).tree)
    assert says(
        found.text, "shares.formats.has-cpushares-but-no-cpuweight", name="bio", found="2048", default="100"
    )
    assert says(found.text, "shares.formats.systemd-takes-it-as-cpuweight", weight="200")
    both = form.read(f"{text}CPUWeight=300\n").tree
    assert list(form.caveats(both)) == []
    assert both.find("bio").foreign["systemd.weight"] == "300"


def test_users_of_maui_without_a_target_are_named() -> None:
    form = format_named("maui")
    text = "USERCFG[ana] FSTARGET=25.0\nUSERCFG[bo] PRIORITY=10\nUSERCFG[ana] PRIORITY=2\n#USERCFG[cy] A=1\n"
    noted = [one.text for one in problems_of(form.read(text).tree)]
    assert noted == [wording("shares.formats.has-no-fstarget-so-it", word="USER", name="bo")]


@pytest.mark.parametrize("row", ["a/b,", "a/b", "a/b, "])
def test_a_row_of_a_table_has_shares(row: str) -> None:
    text = f"path,shares\n/,\na,2\n{row}\n"
    with refuses(ScenarioError, "shares.formats.has-no-shares-write-number", name="b"):
        format_named("csv").read(text)


# What their schedulers do with a number that is blank: a field that is null is unset, and has its default.
UNSET = {"kueue": "weight:", "kai": "overQuotaWeight:", "systemd": "CPUWeight=", "flux": ","}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_blank_number_is_no_share(name: str) -> None:
    """Census: each number of an example blank in turn. The file is refused, or no share changes."""
    form, text = format_named(name), EXAMPLES[name]
    tree = form.read(text).tree
    shares = {tree.path(node.id): node.shares for node in tree.walk()}
    changed = []
    for number in re.finditer(r"(?<![\w.])\d+(\.\d+)?(?![\w.])", text):
        line = text[text.rfind("\n", 0, number.start()) + 1 :].partition("\n")[0]
        try:
            found = form.read(text[: number.start()] + text[number.end() :]).tree
        except ScenarioError:
            continue
        now = {found.path(node.id): node.shares for node in found.walk()}
        known = [one for one in now if one in shares and now[one] != shares[one]]
        if known and UNSET.get(name, "\0") not in line:
            changed.append(line)
    assert changed == []
