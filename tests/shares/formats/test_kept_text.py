"""What is lost is named as the file names it, with the line of the file that it stands in."""

from __future__ import annotations

import pytest

from fsconsole.shares.formats import format_named
from tests.shares.formats.dialects import EXAMPLES, OTHER_FORMS

# A ClusterQueue of Kueue's documentation ("ClusterQueue") with keys that no other scheduler has.
_KUEUE = """\
# of the whole site
apiVersion: kueue.x-k8s.io/v1beta1
kind: Cohort
metadata:
  name: team
  labels: {site: north}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: cq
spec:
  cohort: team
  namespaceSelector: {}
  preemption:
    withinClusterQueue: LowerPriority
  fairSharing: {weight: "2"}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: x}
spec: {clusterQueue: cq}
"""
_SLURM = """\
# of the night shift
Cluster - 'lab':Fairshare=1
QOS - 'long'
Parent - 'root'
Account - 'phys':Fairshare=40:GrpTRES=cpu=64
"""
_TWO_QUEUES = "Begin Queue\nQUEUE_NAME = night\nPRIORITY = 3\nHOSTS = a b\nEnd Queue\n"
_MAUI = "FSPOLICY PS\nUSERCFG[ana] PRIORITY=10 FSTARGET=25.0+\n"
_SLICE = "# /etc/systemd/system/a.slice\n[Unit]\nDescription=A\n[Slice]\nMemoryLow=1G\n"
_CASES = {
    "kueue": (_KUEUE, """\
comments (kueue) of 1 node (line 1)
metadata.labels (kueue) of 1 node (line 6)
namespaceSelector (kueue) of 1 node (line 14)
preemption (kueue) of 1 node (line 15)
LocalQueue lq (kueue) (line 19)"""),
    "lsf": (_TWO_QUEUES + EXAMPLES["lsf"], """\
PRIORITY (lsf) (lines 3 and 8)
HOSTS (lsf) (line 4)
GROUP_ADMIN (lsf) (line 13)
comments (lsf) (line 16)"""),
    "moab": (OTHER_FORMS["moab"] + "FSINTERVAL 12:00\n", "FSINTERVAL (moab) (line "),
    "maui": (_MAUI, """\
FSPOLICY (maui) (line 1)
PRIORITY (maui) of 1 node (line 2)
FSTARGET sign (maui) of 1 node (line 2)"""),
    "slurm": (_SLURM, """\
comments (slurm) (line 1)
QOS (slurm) (line 3)
GrpTRES (slurm) of 1 node (line 5)"""),
    "systemd": (_SLICE, """\
Description (systemd) of 1 node (line 3)
MemoryLow (systemd) of 1 node (line 5)"""),
    "htcondor": ("A = 1\nGROUP_NAMES = a\nGROUP_QUOTA_a = 3\n", """\
A (htcondor) (line 1)
GROUP_QUOTA (htcondor) of 1 node (line 3)"""),
    "yarn-capacity": (EXAMPLES["yarn-capacity"], "maximum-capacity (yarn-capacity) of "),
}  # fmt: skip


@pytest.mark.parametrize("name", _CASES)
def test_what_is_lost_has_the_files_own_name_and_line(name: str) -> None:
    text, expected = _CASES[name]
    form = format_named(name)
    texts = [loss.words(form.lines(text)) for loss in format_named("sge").lost(form.read(text))]
    for one in expected.splitlines():
        assert any(words.startswith(one) for words in texts), (one, texts)
    ours = (
        "rest of",
        "manifest",
        "units",
        "file (",
        "row (",
        "sign (maui)",
        "mode (",
        "line (moab)",
        "lines (",
    )
    assert not any(words.startswith(ours) for words in texts), texts
