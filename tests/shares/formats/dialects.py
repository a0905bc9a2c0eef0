"""Examples of each dialect, with the documentation that they follow, and what a round trip must keep."""

from __future__ import annotations

from fsconsole.shares.tree import Kind, ShareTree

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
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: default-queue
spec:
  parentQueue: default-parent-queue
  resources:
    gpu:
      limit: -1
      overQuotaWeight: 1
      quota: 0
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
}  # fmt: skip


def said(tree: ShareTree, *, kinds: bool = True) -> list[tuple[str, int, str]]:
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
