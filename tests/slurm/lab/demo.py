"""`make slurm-demo`: a Slurm cluster of this machine's own, busy with jobs, and the console open on it.

The people of the demo are known in a mount namespace alone, in which this process, the cluster and the
console run: a copy of /etc with their rows in the file of users lies over /etc there. A mount over the file
itself would be gone as soon as somebody adds a user to the machine, since useradd replaces the file. Nothing
is added to the machine, and all ends with the console.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.slurm.lab.conf import LabOptions
from tests.slurm.lab.demo_jobs import a_short_job, make_a_past, start_with
from tests.slurm.lab.demo_tree import PEOPLE, plant
from tests.slurm.lab.lab import Lab

_PASSWD = Path("/etc/passwd")
_FIRST_UID = 64_000  # Debian gives none from 60000 to 64999 to people
_FEED_EVERY_S = 15.0
_OPTIONS = LabOptions(cluster="demo", half_life="0:30:00")
_LAST_WORDS_S = 10.0
_CONSOLE = Path(sys.executable).with_name("fsconsole")


def main() -> int:
    """Bring the cluster up, open the console on it, take it down when that ends."""
    if reason := Lab.missing():
        sys.stderr.write(f"make slurm-demo cannot bring up a cluster: {reason}.\n")
        return 1
    enter_namespace("tests.slurm.lab.demo")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(0))
    print("Bringing up a Slurm cluster: munged, MariaDB, slurmdbd, slurmctld, four slurmd ...", flush=True)
    try:
        with Lab(_OPTIONS) as lab:
            plant(lab, PEOPLE)
            make_a_past(lab)
            jobs = start_with(lab)
            print(_what_it_is(lab, jobs), flush=True)
            return _open_console(lab)
    except KeyboardInterrupt:
        return 0
    finally:
        print("The cluster is gone.", flush=True)


def enter_namespace(module: str) -> None:
    """Run a module again in a mount namespace of its own, with its words; there, make the people known."""
    if "--inside" not in sys.argv:
        inside = ("unshare", "--mount", sys.executable, "-m", module, *sys.argv[1:], "--inside")
        os.execvp(inside[0], inside)
    sys.argv.remove("--inside")
    _introduce_people()


def _introduce_people() -> None:
    """Add the people of the demo to the users, for this mount namespace."""
    known = {entry.pw_name for entry in pwd.getpwall()}
    nogroup = pwd.getpwnam("nobody").pw_gid
    rows = [
        f"{name}:x:{_FIRST_UID + place}:{nogroup}:Slurm demo:/:/bin/sh\n"
        for place, name in enumerate(PEOPLE)
        if name not in known
    ]
    take_own_etc()
    with _PASSWD.open("a") as file:
        file.writelines(rows)


def take_own_etc() -> None:
    """Lay a copy of /etc over it, for this mount namespace; it is in memory and ends with the namespace."""
    with tempfile.TemporaryDirectory(prefix="fsconsole-etc-") as folder:
        for words in (
            ("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder),
            ("cp", "--archive", "/etc/.", folder),
            ("mount", "--bind", folder, "/etc"),
            ("umount", folder),
        ):
            subprocess.run(words, check=True)


def _what_it_is(lab: Lab, jobs: int) -> str:
    conf = shlex.quote(str(lab.folders.slurm_conf))
    enter = f"nsenter --target {os.getpid()} --mount"
    options = lab.options
    return f"""
Cluster {options.cluster} on 127.0.0.1: {options.nodes} nodes that pretend to have {options.cpus} CPUs each.
  accounts    science (ocean, climate), medicine (imaging, trials: shares `parent`), teaching
  people      {", ".join(PEOPLE)}
  partitions  batch; dedicated suspends batch jobs, billed double; scavenge gives way, billed half
  fairshare   classic, half-life {options.half_life}, worked out every minute
  jobs        {jobs} to begin with, and short ones that come and go
To reach it from another terminal, as root; the names of its people are known there alone:
  {enter} env SLURM_CONF={conf} bash
or without their names:
  export SLURM_CONF={conf}
"""


def _open_console(lab: Lab) -> int:
    """Open the console and feed the cluster until it ends; without a display, until Ctrl+C."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        print(
            "No display found: the cluster stays up until Ctrl+C. Open the console elsewhere by", flush=True
        )
        print(f"  {_CONSOLE} --slurm", flush=True)
        command: tuple[str, ...] = ("sleep", "infinity")
    else:
        command = (str(_CONSOLE), "--slurm")
    with subprocess.Popen(command, env=lab.environment) as console:
        try:
            return _feed_until_end(lab, console)
        finally:
            _end(console)


def _feed_until_end(lab: Lab, console: subprocess.Popen[bytes]) -> int:
    for number in itertools.count():
        try:
            return console.wait(_FEED_EVERY_S)
        except subprocess.TimeoutExpired:
            # A person may have stopped a daemon or taken away an account: that is no end of the demo.
            if refused := a_short_job(lab, number):
                print(f"A short job was not taken: {refused}", flush=True)
    raise AssertionError("counting has no end")


def _end(console: subprocess.Popen[bytes]) -> None:
    console.terminate()
    try:
        console.wait(_LAST_WORDS_S)
    except subprocess.TimeoutExpired:
        console.kill()


if __name__ == "__main__":
    sys.exit(main())
