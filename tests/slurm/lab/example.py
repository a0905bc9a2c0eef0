"""The capture that comes with the program, taken anew: `make example-capture`, in a quarter of an hour.

The demo's cluster, accounts, people and past. Short jobs come and go for eleven minutes; then two jobs of
`dedicated` suspend others, and a course reserves a node. At its end jobs wait for each of the usual reasons.
The output of the tools is kept as it is: the cluster lies in /srv/testlab of a mount namespace, so that no
path is this machine's.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fsconsole.targets.slurm.location import example_capture
from fsconsole.targets.slurm.reading import capture
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.lab.conf import Folders, LabOptions
from tests.slurm.lab.demo import enter_namespace
from tests.slurm.lab.demo_jobs import a_short_job, make_a_past, start_with
from tests.slurm.lab.demo_tree import PEOPLE, plant
from tests.slurm.lab.lab import Lab

_OPTIONS = LabOptions(half_life="1:00:00")
_TOP = Path("/srv/testlab")
_FEED_EVERY_S, _SHORT_JOBS = 15.0, 44
_FIRST_SHORT = 10  # Job 32, which documents name, then is one of gina that waits.
_SETTLE_S = 75.0  # A calculation of usage, and plans of the backfill scheduler.
_QOS = ("priority=50", "maxjobsperuser=1", "maxwall=0:30:00")
_URGENT = ("--job-name=emergency", "--qos=urgent")


def main() -> int:
    """Take it; the exit status."""
    if reason := Lab.missing():
        sys.stderr.write(f"cannot bring up a cluster: {reason}.\n")
        return 1
    enter_namespace("tests.slurm.lab.example")
    folder = Path(sys.argv[1]) if sys.argv[1:] else example_capture()
    subprocess.run(("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", _TOP.parent), check=True)
    tempfile.tempdir = str(_TOP.parent)
    lab = Lab(_OPTIONS)
    lab.folders = Folders(lab.folders.top.rename(_TOP))
    with lab:
        _tell(lab)
        kept = capture(Tools(lab.place, lab.environment), folder)
    for path in (*kept.files, folder / "capture.json"):
        path.chmod(0o644)
    sys.stderr.write("".join(f"{problem}\n" for problem in kept.problems))
    return 1 if kept.problems else 0


def _tell(lab: Lab) -> None:
    plant(lab, PEOPLE)
    change = ("sacctmgr", "-i")
    lab.run(*change, "add", "qos", "urgent", "set", *_QOS)
    lab.run(*change, "modify", "account", "where", "name=imaging", "set", "qos+=urgent")
    lab.run(*change, "modify", "account", "where", "name=teaching", "set", "grptres=cpu=4")
    lab.calculate()  # else slurmctld may not know the QOS yet
    make_a_past(lab)
    lab.submit("hugo", "imaging", *_URGENT, "--nodelist=n4", seconds=1700, minutes=29)
    start_with(lab)
    began_s = time.monotonic()
    for number in range(_SHORT_JOBS):
        if refused := a_short_job(lab, _FIRST_SHORT + number):
            sys.stderr.write(f"a short job was not taken: {refused}\n")
        if number == _SHORT_JOBS - 12:
            _submit_special_kinds(lab)
        time.sleep(max(0.0, began_s + (number + 1) * _FEED_EVERY_S - time.monotonic()))
    _take_nodes(lab)
    time.sleep(_SETTLE_S)


def _submit_special_kinds(lab: Lab) -> None:
    """Submit an array, jobs beyond limits of an account and of a QOS, a held one, and one for later."""
    lab.submit("gina", "imaging", "--job-name=scans", "--array=1-6%2", seconds=240, minutes=20)
    held = lab.submit("gina", "imaging", "--job-name=imaging-old", "--hold", cpus=3)
    lab.run("scontrol", "hold", str(held))
    for cpus in (3, 2):
        lab.submit("lars", "teaching", "--job-name=exercise", cpus=cpus, seconds=1500, minutes=30)
    lab.submit("hugo", "imaging", *_URGENT, cpus=2, minutes=20)
    lab.submit("emma", "climate", "--job-name=nightly", "--begin=now+2hours", cpus=4)


def _take_nodes(lab: Lab) -> None:
    """Let two jobs suspend others, one wait for one of them, and a course reserve a node with a job in it."""
    dedicated = ("--partition=dedicated", "--job-name")
    lab.submit("hugo", "imaging", *dedicated, "volume-recon", cpus=8, seconds=2300, minutes=40)
    ensemble = lab.submit(
        "finn", "science", *dedicated, "ensemble", "--nodes=2", cpus=16, seconds=1700, minutes=30
    )
    lab.submit("finn", "science", "--job-name=ensemble-plots", f"--dependency=afterok:{ensemble}")
    when = ("starttime=now+45minutes", "duration=90", "users=lars,mia", "nodes=n4", "flags=ignore_jobs")
    lab.run("scontrol", "create", "reservation", "ReservationName=training", *when)
    lab.submit("lars", "teaching", "--job-name=course", "--reservation=training", cpus=4)


if __name__ == "__main__":
    raise SystemExit(main())
