"""A real Slurm cluster for tests: munged, MariaDB, slurmdbd, slurmctld and some slurmd on 127.0.0.1."""

from __future__ import annotations

import dataclasses
import os
import pwd
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Self

from fsconsole.targets.slurm.location import Location
from tests.slurm.lab.conf import Folders, LabOptions, Ports, write_conf, write_slurm_conf
from tests.slurm.lab.daemons import Daemons, LabError, answers
from tests.slurm.lab.holdings import new_folder, sweep, take_ports
from tests.slurm.lab.missing import tool, what_is_missing
from tests.slurm.lab.root import via

PREFIX = "fsconsole-slurm-"
_FIRST_PORT, _LAST_PORT = 21_000, 26_000  # below those that systems give to clients
_PATIENCE_S = 120.0
_LOOK_S = 0.05
_UP = frozenset(("idle", "mixed", "allocated"))
_DATABASE = (
    "CREATE DATABASE IF NOT EXISTS slurm_acct_db;"
    "CREATE USER IF NOT EXISTS slurm@'127.0.0.1' IDENTIFIED BY 'slurm';"
    "GRANT ALL ON slurm_acct_db.* TO slurm@'127.0.0.1';"
)


class Lab:
    """One cluster, in a folder of its own; a context manager that takes everything away again.

    Attributes:
        options: what it is like.
        folders: where its files are.
        ports: where its daemons listen.
    """

    def __init__(self, options: LabOptions | None = None) -> None:
        sweep(PREFIX)
        self.options = options or LabOptions()
        top, self._held = new_folder(PREFIX)
        self.folders = Folders(top)
        self._guard, base = take_ports(10 + self.options.nodes, _FIRST_PORT, _LAST_PORT)
        self.ports = Ports(base)
        self._daemons: Daemons | None = None

    @staticmethod
    def missing() -> str:
        """Why there can be no cluster here; empty where there can."""
        return what_is_missing()

    def __enter__(self) -> Self:
        try:
            self._up()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process of it and remove its files."""
        if self._daemons:
            self._daemons.close()
        self._guard.close()
        shutil.rmtree(self.folders.top, ignore_errors=True)
        self._held.close()

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which Slurm's tools find this cluster."""
        return {**os.environ, "SLURM_CONF": str(self.folders.slurm_conf)}

    @cached_property
    def version(self) -> tuple[int, int]:
        """The release of Slurm, such as (22, 5)."""
        result = self.run(tool("slurmctld"), "-V").stdout.split()[-1]
        year, month, *_ = result.split(".")
        return int(year), int(month)

    @property
    def place(self) -> Location:
        """Where its tools are, for a program with its environment."""
        return self.place_of("")

    def place_of(self, user: str) -> Location:
        """The same for a program that runs the tools as a user; empty: root."""
        rights = ("setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups", "--") if user else ()
        return Location((*via(), *rights))

    @property
    def via(self) -> str:
        """The same as --via takes it, whatever the environment."""
        return shlex.join((*via(), "env", f"SLURM_CONF={self.folders.slurm_conf}"))

    @property
    def daemons(self) -> Daemons:
        """Its processes; LabError before it is up."""
        if self._daemons is None:
            raise LabError("the cluster is not up")
        return self._daemons

    def run(self, *argv: str, user: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a tool on this cluster.

        Args:
            argv: the tool and its arguments.
            user: whom it is run as; empty: root.
            check: raise LabError, with what the tool said, where it fails.
        """
        done = subprocess.run(
            (*self.place_of(user).prefix, *argv),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
        if check and done.returncode:
            raise LabError(f"{' '.join(argv)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def submit(
        self, user: str, account: str, *more: str, cpus: int = 1, seconds: float = 600, minutes: int = 60
    ) -> int:
        """Submit a job that sleeps, for a user; its number.

        Args:
            user: whose it is.
            account: which is charged.
            more: further options of sbatch.
            cpus: how many it takes.
            seconds: how long it sleeps.
            minutes: its time limit.
        """
        group = pwd.getpwnam(user).pw_gid
        whose = (f"--uid={user}", f"--gid={group}", f"--account={account}", f"--job-name={account}")
        what = (f"--ntasks={cpus}", f"--time={minutes}", "--chdir=/", "--output=/dev/null", "--export=NIL")
        done = self.run("sbatch", "--parsable", *whose, *what, *more, f"--wrap=exec sleep {seconds:g}")
        return int(done.stdout.split(";")[0])

    def job_states(self) -> dict[int, str]:
        """The states of all jobs that slurmctld knows, by number."""
        lines = self.run("squeue", "-h", "-a", "-t", "all", "-o", "%A %T").stdout.splitlines()
        return {int(number): state for number, state in (line.split() for line in lines)}

    def cancel_all(self) -> None:
        """Cancel every job and wait until none is left on a node."""
        left = [job for job, state in self.job_states().items() if state in _ALIVE]
        if left:
            self.run("scancel", *map(str, left))
        self.wait_until(lambda: not _ALIVE & set(self.job_states().values()), "the jobs end")

    def wait_until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait for something; LabError in words, with the controller's log, where it does not come."""
        end = time.monotonic() + _PATIENCE_S
        while not is_so():
            if time.monotonic() > end:
                log = self.daemons.last_lines("slurmctld")
                raise LabError(f"waited {_PATIENCE_S:g} s in vain until {what}\n{log}")
            time.sleep(_LOOK_S)

    def stop(self, daemon: str) -> None:
        """Stop `slurmdbd`, `slurmctld` or `n1`, `n2`, ..."""
        self.daemons.stop(daemon)

    def start(self, daemon: str) -> None:
        """Start one of those again, and wait until it answers."""
        starts: Mapping[str, Callable[[], None]] = {
            "slurmdbd": self._start_slurmdbd,
            "slurmctld": self._start_slurmctld,
        }
        if daemon in starts:
            starts[daemon]()
        else:
            self._start_node(int(daemon[1:]))
            self.daemons.await_(daemon, lambda: answers(self.ports.node(int(daemon[1:]))))

    def calculate(self) -> None:
        """Restart slurmctld: usage, decay and fairshares are worked out at once, not at the next minute."""
        self.stop("slurmctld")
        self.start("slurmctld")
        if self.version < (23, 11):  # later daemons start anew then, and their jobs are requeued
            self.run("scontrol", "reconfigure")  # nodes report at once, not after 4 s
        self.await_nodes()

    def change(self, **changes: Any) -> None:
        """Change options (fields of LabOptions), and restart slurmctld with them."""
        self.options = dataclasses.replace(self.options, **changes)
        write_slurm_conf(self.folders, self.options, self.ports)
        self.calculate()

    def await_nodes(self) -> None:
        """Wait until jobs can run on all nodes."""

        def are_up() -> bool:
            lines = self.run("sinfo", "-h", "-N", "-p", "batch", "-o", "%T", check=False).stdout.split()
            return len(lines) == self.options.nodes and set(lines) <= _UP

        self.wait_until(are_up, "all nodes are up")

    def _up(self) -> None:
        if reason := self.missing():
            raise LabError(reason)
        self.folders.make(self.options.nodes)
        write_conf(self.folders, self.options, self.ports)
        self._daemons = Daemons(self.folders.log, {"SLURM_CONF": str(self.folders.slurm_conf)})
        self._start_munged()
        self._start_database()
        self._start_slurmdbd()
        self.run("sacctmgr", "-i", "add", "cluster", self.options.cluster)
        self._start_slurmctld()
        for number in range(1, self.options.nodes + 1):
            self._start_node(number)
        self.await_nodes()

    def _start_munged(self) -> None:
        run, name = self.folders.top / "run", "munged"
        places = (
            f"--socket={self.folders.munge_socket}",
            f"--key-file={self.folders.munge_key}",
            f"--pid-file={run / 'munged.pid'}",
            f"--seed-file={run / 'munged.seed'}",
            f"--log-file={self.folders.log(name)}",
        )
        # --force: else munged refuses folders below one that others may write to, such as /tmp.
        self.daemons.start(name, (tool(name), "--foreground", "--force", *places))
        self.daemons.await_(name, self.folders.munge_socket.is_socket)

    def _start_database(self) -> None:
        name, small = "mariadbd", "--innodb-log-file-size=16M"
        data = f"--datadir={self.folders.database}"
        # In a folder that two share, each deletes the other's tables as it starts.
        temporary = f"--tmpdir={self.folders.top / 'run'}"
        install = (tool("mariadb-install-db"), "--no-defaults", "--user=root", data, "--skip-test-db", small)
        self.run(*install, temporary, "--auth-root-authentication-method=socket")
        places = (
            f"--socket={self.folders.database_socket}",
            f"--port={self.ports.database}",
            f"--pid-file={self.folders.top / 'run' / 'mariadbd.pid'}",
            f"--log-error={self.folders.log(name)}",
        )
        ways = ("--bind-address=127.0.0.1", "--skip-name-resolve", "--innodb-buffer-pool-size=64M", small)
        quick = ("--innodb-flush-log-at-trx-commit=0", "--innodb-lock-wait-timeout=900")
        self.daemons.start(
            name, (tool(name), "--no-defaults", "--user=root", data, temporary, *places, *ways, *quick)
        )
        self.daemons.await_(name, lambda: answers(self.ports.database))
        socket_ = f"--socket={self.folders.database_socket}"
        self.run(tool("mariadb"), "--no-defaults", socket_, "-e", _DATABASE)

    def _start_slurmdbd(self) -> None:
        self.daemons.start("slurmdbd", (tool("slurmdbd"), "-D"))
        self.daemons.await_("slurmdbd", lambda: answers(self.ports.slurmdbd))

    def _start_slurmctld(self) -> None:
        self.daemons.start("slurmctld", (tool("slurmctld"), "-D"))
        self.daemons.await_("slurmctld", lambda: answers(self.ports.slurmctld))

    def _start_node(self, number: int) -> None:
        self.daemons.start(f"n{number}", (tool("slurmd"), "-D", "-N", f"n{number}"))


_ALIVE = frozenset(("PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STOPPED"))
