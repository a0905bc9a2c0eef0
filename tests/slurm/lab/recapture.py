"""A capture of a cluster with something of everything: `python -m tests.slurm.lab.recapture FOLDER`.

With `limits` behind the folder jobs wait for limits too.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fsconsole.targets.slurm.reading import capture
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.lab.conf import LabOptions
from tests.slurm.lab.demo_tree import plant
from tests.slurm.lab.lab import Lab

_MORE = {"PriorityWeightTRES": "cpu=1000,mem=2000", "PriorityUsageResetPeriod": "NONE"}
_QOS = ("priority=10", "grptres=cpu=16", "maxjobsperuser=4", "maxwall=2:00:00", "usagefactor=2")
_SCIENCE = ("maxjobs=10", "grptres=cpu=20,mem=4g", "maxwall=1-0", "grpjobs=7", "grptresmins=cpu=100000")
_JOBS = (("games", "ocean", 4), ("mail", "ocean", 3), ("proxy", "imaging", 5), ("daemon", "teaching", 1))


def fill(lab: Lab) -> None:
    """Put into a cluster the tree, limits, a QOS, a reservation, and jobs that run, wait, are suspended."""
    plant(lab)
    change = ("sacctmgr", "-i")
    lab.run(*change, "add", "qos", "high", "set", *_QOS, "flags=DenyOnLimit")
    lab.run(*change, "modify", "account", "where", "name=science", "set", *_SCIENCE, "qos+=high")
    lab.run(*change, "modify", "user", "where", "name=games", "account=ocean", "set", "maxjobs=3")
    lab.calculate()  # else slurmctld may not know the QOS yet
    for user, account, cpus in _JOBS:
        lab.submit(user, account, cpus=cpus)
    lab.submit("mail", "ocean", "--qos=high")
    lab.wait_until(lambda: set(lab.job_states().values()) == {"RUNNING"}, "the first jobs run")
    lab.submit("lp", "climate", "--hold", "--array=1-4%2")
    suspended = lab.submit("list", "trials")
    ran = ("squeue", "-h", "-t", "R", "-o", "%M", "-j", str(suspended))
    lab.wait_until(lambda: lab.run(*ran).stdout.strip() not in ("", "0:00"), "one more has run for a second")
    lab.run("scontrol", "suspend", str(suspended))
    where = ("starttime=now+60minutes", "duration=60", "users=games", "nodes=n4")
    lab.run("scontrol", "create", "reservation", "ReservationName=later", *where)
    lab.calculate()


def hold(lab: Lab) -> None:
    """Let jobs wait for limits: of a user, of accounts above, of accounts as a whole, and of a QOS."""
    for words in (
        ("account", "where", "name=imaging", "set", "qos+=high"),
        ("qos", "where", "name=high", "set", "maxjobsperuser=1"),
        ("account", "where", "name=teaching", "set", "grpjobs=1"),
        ("account", "where", "name=trials", "set", "maxjobs=1", "grptresmins=cpu=1000000"),
    ):
        lab.run("sacctmgr", "-i", "modify", *words)
    lab.calculate()
    for user, account, count in (("games", "ocean", 4), ("daemon", "teaching", 1), ("list", "trials", 2)):
        for _ in range(count):
            lab.submit(user, account)
    for _ in range(2):
        lab.submit("proxy", "imaging", "--qos=high")
    asked = ("squeue", "-h", "-t", "PD", "-o", "%r")
    reasons = {"AssocMaxJobsLimit", "AssocGrpJobsLimit", "QOSMaxJobsPerUserLimit"}
    lab.wait_until(lambda: reasons <= set(lab.run(*asked).stdout.split()), "jobs wait for limits")


def main() -> int:
    """Write it; the exit status."""
    with Lab(LabOptions(more=_MORE)) as lab:
        fill(lab)
        if "limits" in sys.argv[2:]:
            hold(lab)
        kept = capture(Tools(lab.place, lab.environment), Path(sys.argv[1]))
    sys.stderr.write("".join(f"{problem}\n" for problem in kept.problems))
    return 1 if kept.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
