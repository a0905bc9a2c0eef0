"""A Grid Engine of the test's own: its qmaster on a free port, files under a folder, its host localhost.

The packages gridengine-master and gridengine-client must be there, or in a folder that the environment
variable GRID_ENGINE_ROOTFS names (`debootstrap bookworm FOLDER`, then `chroot FOLDER apt-get install` both).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

_SET_UP = """
set -eu
hostname localhost
mkdir -p $F/cell/default/common $F/spool/qmaster/job_scripts $F/spool/spooldb
for part in bin lib util utilbin; do ln -sfn /var/lib/gridengine/$part $F/cell/$part; done
sed -e "s|^admin_user.*|admin_user none|" -e "s|^spooling_params.*|spooling_params $F/spool/spooldb|" \
    -e "s|^qmaster_spool_dir.*|qmaster_spool_dir $F/spool/qmaster|" \
    /var/lib/gridengine/default/common/bootstrap > $F/cell/default/common/bootstrap
echo localhost > $F/cell/default/common/act_qmaster
/usr/share/gridengine/scripts/init_cluster $SGE_ROOT default $F/spool/spooldb root > $F/init.log 2>&1
"""
# The same with a file for each object, so that usage can be written into them.
_IN_FILES = """
sed -i -e "s|^spooling_method.*|spooling_method classic|" -e "s|^spooling_lib.*|spooling_lib libspoolc|" \
    -e "s|^spooling_params.*|spooling_params $C;$F/spool/qmaster|" $C/bootstrap
/usr/lib/gridengine/spoolinit classic libspoolc "$C;$F/spool/qmaster" init
for what in configuration:default-configuration complexes:util/resources/centry \
    usersets:util/resources/usersets; do
    /usr/lib/gridengine/spooldefaults ${what%%:*} /usr/share/gridengine/${what#*:}
done
/usr/lib/gridengine/spooldefaults managers root
"""
_START = "/usr/lib/gridengine/sge_qmaster > $F/start.log 2>&1"


def why_not() -> str:
    """Why there cannot be one; empty where there can."""
    if os.geteuid() != 0:
        return "Grid Engine needs root here: it runs in a UTS namespace of its own"
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    if (
        not (rootfs() / "usr/lib/gridengine/sge_qmaster").exists()
        or not (rootfs() / "usr/bin/qconf").exists()
    ):
        return "no Grid Engine: install gridengine-master and gridengine-client, or set GRID_ENGINE_ROOTFS"
    return ""


def rootfs() -> Path:
    """Where the packages are installed."""
    return Path(os.environ.get("GRID_ENGINE_ROOTFS", "/"))


class GridEngine:
    """Commands of the qmaster that runs in `folder`, a path inside of the root file system."""

    def __init__(self, folder: str, *, in_files: bool = False) -> None:
        self._folder, self._in_files = folder, in_files
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._env = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "F": folder,
            "C": f"{folder}/cell/default/common",
            "SGE_ROOT": f"{folder}/cell", "SGE_CELL": "default",
            "SGE_QMASTER_PORT": str(port), "SGE_EXECD_PORT": str(port + 1),
        }  # fmt: skip

    def start(self) -> None:
        """Bring the qmaster up and wait until it answers."""
        self._run(_SET_UP)
        if self._in_files:
            self._run(_IN_FILES)
        self._start()

    def _start(self) -> None:
        self._run(_START)
        until = time.monotonic() + 30
        while self._run("qconf -sh").returncode:
            if time.monotonic() > until:
                raise TimeoutError(self._run("tail -5 $F/*.log $F/spool/qmaster/messages").stdout)
            time.sleep(0.1)

    def stop(self) -> None:
        """End the qmaster."""
        self._kill()
        shutil.rmtree(self._at(""), ignore_errors=True)

    def add_user(self, name: str) -> None:
        """Make a user known."""
        text = f"name {name}\noticket 0\nfshare 0\ndelete_time 0\ndefault_project NONE\n"
        self._ask("-Auser", text)

    def add_project(self, name: str) -> None:
        """Make a project known."""
        self._ask("-Aprj", f"name {name}\noticket 0\nfshare 0\nacl NONE\nxacl NONE\n")

    def set_tree(self, text: str, *, is_new: bool = False) -> str:
        """Give it a share tree; what it says against it, or nothing."""
        done = self._ask("-Astree" if is_new else "-Mstree", text)
        result = (done.stdout + done.stderr).strip()
        return (
            "" if result.startswith("changed sharetree") or result.endswith("changed sharetree") else result
        )

    def tree(self) -> str:
        """The share tree as it prints it."""
        return self._run("qconf -sstree").stdout

    def _kill(self) -> None:
        pid_file = self._at("spool/qmaster/qmaster.pid")
        pid = int(pid_file.read_text()) if pid_file.exists() else 0
        if pid and Path(f"/proc/{pid}").exists():  # an orderly end takes ten seconds
            os.kill(pid, signal.SIGKILL)
        pid_file.unlink(missing_ok=True)

    def set_usage(self, usage: Mapping[str, float]) -> None:
        """Have projects have used so many CPU seconds until now; `in_files` alone."""
        self._kill()
        for project, used in usage.items():
            file = self._at(f"spool/qmaster/projects/{project}")
            text = re.sub(r"(?m)^usage .*", f"usage cpu={used:f} mem=0.000000 io=0.000000", file.read_text())
            file.write_text(re.sub(r"(?m)^usage_time_stamp .*", f"usage_time_stamp {int(time.time())}", text))
        self._start()

    def schedule_by_share_tree(self, tickets: int) -> None:
        """Take jobs of root, and give tickets of the share tree alone, each second."""
        done = self._run(
            "set -e; mkdir -p $F/conf; qconf -as localhost; qconf -sconf global"
            " | sed -e 's/^min_uid.*/min_uid 0/' -e 's/^min_gid.*/min_gid 0/' > $F/conf/global;"
            " qconf -Mconf $F/conf/global; qconf -ssconf"
            f" | sed -e 's/^weight_tickets_share.*/weight_tickets_share {tickets}/'"
            " -e 's/^schedule_interval.*/schedule_interval 0:0:1/' > $F/sched; qconf -Msconf $F/sched"
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def submit(self, jobs: Mapping[str, int]) -> None:
        """Queue so many jobs of each project, one by one in turn; no host runs them."""
        turns = range(max(jobs.values()))
        names = " ".join(name for turn in turns for name, count in jobs.items() if turn < count)
        self._run(f"for p in {names}; do qsub -b y -P $p sleep 60; done")  # fails: there are no queues yet

    def forget_jobs(self) -> None:
        """Delete all jobs."""
        self._run("qdel -f -u '*'; while qstat -u '*' | grep -q .; do sleep 0.2; done")

    def tickets(self, count: int) -> list[tuple[int, str]]:
        """Share tree tickets and project of `count` jobs, once all have some; the most tickets first."""
        until = time.monotonic() + 20
        while True:
            rows = [line.split() for line in self._run("qstat -ext -u '*'").stdout.splitlines()]
            found = sorted(((int(row[12]), row[5]) for row in rows if row[7:8] == ["qw"]), reverse=True)
            if len(found) == count and all(tickets for tickets, _ in found):
                return found
            if time.monotonic() > until:
                raise TimeoutError(f"{len(found)} jobs with tickets: {found}")
            time.sleep(0.2)

    def _ask(self, option: str, text: str) -> subprocess.CompletedProcess[str]:
        self._at("asked").write_text(text)
        return self._run(f"qconf {option} $F/asked")

    def _at(self, name: str) -> Path:
        return rootfs() / self._folder.lstrip("/") / name

    def _run(self, script: str) -> subprocess.CompletedProcess[str]:
        inside = ["chroot", str(rootfs())] if rootfs() != Path("/") else []
        command = ["unshare", "--uts", *inside, "/bin/bash", "-c", f"hostname localhost; {script}"]
        return subprocess.run(command, env=self._env, capture_output=True, text=True, timeout=60, check=False)
