"""Examples of each dialect, with the documentation that they follow, and what a round trip must keep."""

from __future__ import annotations

from hypothesis import strategies as st

from fsconsole.shares.tree import Kind, ShareTree
from tests.shares.trees import in_file_order

# Grid Engine: share_tree(5); `proj` is a project, all other leaves are users. Read and printed by 8.1.9.
SGE = """\
id=0
name=Root
type=0
shares=1
childnodes=1,4
id=1
name=chem
type=0
shares=60
childnodes=2,3
id=2
name=ana
type=0
shares=2
childnodes=NONE
id=3
name=bo
type=0
shares=1
childnodes=NONE
id=4
name=proj
type=1
shares=40
childnodes=5,6
id=5
name=ana
type=0
shares=1
childnodes=NONE
id=6
name=default
type=0
shares=1
childnodes=NONE
"""
# PBS: the example of resource_group in the Administrator's Guide, "Defining Fairshare Tree": grp1 and grp2.
PBS = """\
# the groups
grp1\t50\troot\t60
grp2\t51\troot\t40

ana\t60\tgrp1\t10
bo\t61\tgrp1\t20
cy\t62\tgrp2\t1\t# alone
"""
# Hadoop: Fair Scheduler, "Allocation file format", the example with sample_queue.
YARN_FAIR = """\
<?xml version="1.0"?>
<allocations>
  <queue name="sample_queue">
    <minResources>10000 mb,0vcores</minResources>
    <maxResources>90000 mb,0vcores</maxResources>
    <maxRunningApps>50</maxRunningApps>
    <maxAMShare>0.1</maxAMShare>
    <weight>2.0</weight>
    <schedulingPolicy>fair</schedulingPolicy>
    <queue name="sample_sub_queue">
      <aclSubmitApps>charlie</aclSubmitApps>
      <minResources>5000 mb,0vcores</minResources>
    </queue>
  </queue>
  <!-- a parent queue without queues -->
  <queue name="secondary_group_queue" type="parent">
    <weight>3.0</weight>
    <maxChildResources>4096 mb,4vcores</maxChildResources>
  </queue>
  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>
  <user name="sample_user">
    <maxRunningApps>30</maxRunningApps>
  </user>
  <queuePlacementPolicy>
    <rule name="specified"/>
    <rule name="default" queue="sample_queue"/>
  </queuePlacementPolicy>
</allocations>
"""
# Kueue: "Cohort", the tree of three cohorts and a ClusterQueue with nominal quota.
KUEUE = """\
apiVersion: kueue.x-k8s.io/v1alpha1
kind: Cohort
metadata:
  name: "root-cohort"
---
apiVersion: kueue.x-k8s.io/v1alpha1
kind: Cohort
metadata:
  name: "important-org"
spec:
  parent: "root-cohort"
  fairSharing:
    weight: "0.75"  # most of it
---
apiVersion: kueue.x-k8s.io/v1alpha1
kind: Cohort
metadata:
  name: "regular-org"
spec:
  parent: "root-cohort"
  fairSharing:
    weight: "0.25"
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: "default-flavor"
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: "my-cluster-queue"
spec:
  cohort: "hello-cohort"
  resourceGroups:
  - coveredResources: ["cpu"]
    flavors:
    - name: "default-flavor"
      resources:
      - name: "cpu"
        nominalQuota: 9
        borrowingLimit: 3
"""
# KAI: docs/quickstart/default-queues.yaml.
KAI = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: default-parent-queue
spec:
  resources:
    cpu:
      limit: -1
      overQuotaWeight: 1
      quota: 0
    gpu:
      limit: -1
      overQuotaWeight: 1
      quota: 0
    memory:
      limit: -1
      overQuotaWeight: 1
      quota: 0
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: default-queue
spec:
  parentQueue: default-parent-queue
  resources:
    cpu:
      limit: -1
      overQuotaWeight: 1
      quota: 0
    gpu:
      limit: -1
      overQuotaWeight: 1
      quota: 0
    memory:
      limit: -1
      overQuotaWeight: 1
      quota: 0
"""
# Hadoop: Capacity Scheduler, "Setting up queues": the queues a, b and c below root with queues of their own.
YARN_CAPACITY = """\
<?xml version="1.0"?>
<configuration>
  <property>
    <name>yarn.scheduler.capacity.maximum-applications</name>
    <value>10000</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.queues</name>
    <value>a,b,c</value>
    <description>The queues at this level (root is the root queue).</description>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.a.capacity</name>
    <value>40</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.a.queues</name>
    <value>a1,a2</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.a.a1.capacity</name>
    <value>3w</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.a.a2.capacity</name>
    <value>1w</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.b.capacity</name>
    <value>37.5</value>
  </property>
  <!-- half of the machine at most -->
  <property>
    <name>yarn.scheduler.capacity.root.b.maximum-capacity</name>
    <value>50</value>
  </property>
  <property>
    <name>yarn.scheduler.capacity.root.c.capacity</name>
    <value>22.5</value>
  </property>
</configuration>
"""
# systemd: systemctl(1) `cat` prints a comment with the path before each file; systemd.slice(5).
SYSTEMD = """\
# /etc/systemd/system/chem.slice
[Unit]
Description=Chemistry

[Slice]
# three quarters
CPUWeight=300
MemoryMax=8G

# /etc/systemd/system/chem-ana\\x2dlena.slice
[Slice]
CPUWeight=20

# /etc/systemd/system/bio.slice
[Slice]
CPUQuota=200%
"""
# Maui Administrator's Guide, 6.3: targets of users and groups, a floor and a cap among them.
MAUI = """\
FSPOLICY              PSDEDICATED
FSDEPTH               7
# the targets
USERCFG[john]         FSTARGET=25.0+ PRIORITY=10
USERCFG[jane]         FSTARGET=10.5-
USERCFG[DEFAULT]      FSTARGET=5 # of each other one
GROUPCFG[staff]       FSTARGET=40%
QOSWEIGHT             1
"""
# Adaptive Computing's knowledge base, "What attributes are supported with a fairshare tree?": two partitions.
MOAB = """\
<tnode partition="slave1" name="root" type="acct" share="100" limits="MAXJOB=6">
  <!-- half of it -->
  <tnode name="accta" type="acct" share="50" limits="MAXSUBMITJOBS=2 MAXJOB=1">
    <tnode name="fred" type="user" share="1" limits="MAXWC=1:00:00"/>
  </tnode>
  <tnode name="acctb" type="acct" share="50">
    <tnode name="george" type="user" share="1"/>
  </tnode>
</tnode>
<tnode partition="slave2" name="root" type="acct" share="100">
  <tnode name="accta" type="acct" share="50">
    <tnode name="paul" type="user" share="1"/>
  </tnode>
</tnode>
"""
# Moab's form in lines: FSTREE with shares and members.
MOAB_LINES = """\
FSPOLICY DEDICATEDPS
FSTREE[root]  SHARES=100 MEMBERLIST=sales,acct:eng
# people of sales
FSTREE[sales] SHARES=16 MEMBERLIST=user:john,user:steve LIMITS=MAXJOB=4
FSTREE[john]  SHARES=8
"""
# OAR 2.5.9: the defaults of its scheduler, as lines of oar.conf.
OAR = """\
# window of 30 days
SCHEDULER_FAIRSHARING_WINDOW_SIZE="2592000"
SCHEDULER_FAIRSHARING_PROJECT_TARGETS="{ first => 75, default => 25 }"
SCHEDULER_FAIRSHARING_USER_TARGETS="{ oar => 100 }" # of all
SCHEDULER_FAIRSHARING_COEF_USER="2"
"""
# HTCondor's manual, "Hierarchical Group Quotas": physics with two labs and chemistry with three.
HTCONDOR = """\
NEGOTIATOR_INTERVAL = 60
# who owns the pool
GROUP_NAMES = group_physics, group_physics.lab1, group_physics.lab2, group_chemistry
GROUP_AUTOREGROUP = False
GROUP_QUOTA_DYNAMIC_group_physics = 0.4
GROUP_ACCEPT_SURPLUS_group_physics = True
GROUP_QUOTA_group_physics.lab1 = 100
GROUP_QUOTA_group_physics.lab2 = 50
GROUP_QUOTA_DYNAMIC_group_chemistry = 0.6
# the end
GROUP_SORT_EXPR = 1
"""
# flux-account-fairshare-emulate(1).
FLUX_JSON = """\
{
  "root": {
    "bank": "root",
    "shares": 1000,
    "usage": 132,
    "children": [
      {
        "bank": "bank1",
        "shares": 1000,
        "usage": 121,
        "children": [
          {
            "username": "user1",
            "shares": 10000,
            "usage": 100.5
          }
        ]
      },
      {
        "bank": "bank2",
        "shares": 100,
        "usage": 11,
        "children": []
      }
    ]
  }
}
"""
# flux-account-pop-db(1): the columns of the two tables.
FLUX = """\
# banks
root,,1
A,root,60
B,root,40
# associations
user5011,5011,A,10,,,,
user5012,5012,B,1,5,7,,batch
user5013,5013,B,1
"""
# LSF Configuration Reference, "lsb.users" and "lsb.queues": the columns of UserGroup, FAIRSHARE of a queue.
LSF = """\
Begin Queue
QUEUE_NAME   = normal
PRIORITY     = 30
FAIRSHARE    = USER_SHARES[[financial, 6] [system, 3] [default, 1]]
End Queue

Begin UserGroup
GROUP_NAME       GROUP_MEMBER             USER_SHARES                 GROUP_ADMIN
regular_users    (user1 user2)            -                           ()
financial        (user1 user2 user3)      ([user1, 4] [others, 10])   (user1)
# all of them
system           (all)                    ([user2, 10] [regular_users, 15])  ()
End UserGroup
"""
CSV = """\
path,name,kind,shares,note,system,usage,charge,last_use_s,site
/,root,group,1,,,0,0,,
/chem,chem,group,60,"wet, mostly",,0,0,,north
/chem/ana,ana,user,2,,,12.5,0,-60,
/chem/proj,proj,account,1,,,0,0,,
"""
EXAMPLES = {
    "sge": SGE, "pbs": PBS, "yarn-fair": YARN_FAIR, "kueue": KUEUE, "kai": KAI, "csv": CSV,
    "yarn-capacity": YARN_CAPACITY, "systemd": SYSTEMD,
    "maui": MAUI, "moab": MOAB, "oar": OAR, "htcondor": HTCONDOR, "flux": FLUX, "lsf": LSF,
}  # fmt: skip
OTHER_FORMS = {"moab": MOAB_LINES, "flux": FLUX_JSON}
# Formats that say parts of the parent or of the whole, and how exact they are.
PARTS = {"htcondor": 1e-8, "yarn-capacity": 1e-8, "oar": 1e-9, "maui": 1e-9, "systemd": 0.01}
FLAT = ("oar", "maui")
UNORDERED = ("flux",)  # banks come before users


def parts(tree: ShareTree) -> dict[str, float]:
    """Part of the parent of every node, by its path below the root."""
    found: dict[str, float] = {}
    top = len(tree.root.name)
    for group in tree.walk():
        total = sum(child.shares for child in tree.children(group.id)) or 1
        found |= {tree.path(child.id)[top:]: child.shares / total for child in tree.children(group.id)}
    return found


def leaves(tree: ShareTree) -> dict[tuple[bool, str], float]:
    """Part of the whole of every leaf, by whether it is a user and its name; twins are added up."""
    found: dict[tuple[bool, str], float] = {}
    of_group = {tree.root.id: 1.0}
    for group in tree.walk():
        total = sum(child.shares for child in tree.children(group.id)) or 1
        for child in tree.children(group.id):
            of_group[child.id] = of_group[group.id] * child.shares / total
            if not child.children:
                key = (child.kind is Kind.USER, child.name)
                found[key] = found.get(key, 0.0) + of_group[child.id]
    return found


def rows_of(tree: ShareTree, *, kinds: bool = True) -> list[tuple[str, int, str]]:
    """What every format says of a tree: paths below the root with shares, and kinds where they are kept."""
    top = len(tree.root.name)
    return [
        (tree.path(node.id)[top:], node.shares, str(node.kind) if kinds else "")
        for node in tree.walk()
        if node.parent is not None
    ]


def plain_tree() -> ShareTree:
    """A tree that every format can write: names that are unique, two levels, users and an account."""
    tree = ShareTree("root", 1)
    chem = tree.add(0, "chem", 60, Kind.GROUP)
    for name, shares in (("ana", 3), ("bo", 1)):
        tree.add(chem.id, name, shares)
    bio = tree.add(0, "bio", 40, Kind.GROUP)
    tree.add(bio.id, "cy", 5)
    tree.add(0, "proj", 10, Kind.ACCOUNT)
    return tree


@st.composite
def tidy_trees(draw: st.DrawFn) -> ShareTree:
    """Draw a tree whose names every format can have, each once."""
    tree = ShareTree("root", 1)
    groups = [0]
    for number in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(list(Kind)))
        node = tree.add(draw(st.sampled_from(groups)), f"n{number}", draw(st.integers(1, 2**31 - 2)), kind)
        if kind is Kind.GROUP:
            groups.append(node.id)
    return in_file_order(tree)
