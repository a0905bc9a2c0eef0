"""A login node for tests: sshd on 127.0.0.1 with users, homes and keys of its own, and fake tools of Slurm.

Users and files of /etc are those of a mount namespace: this machine's stay as they are. All processes live in
a PID namespace that ends with this object, or with this process, however it came to an end.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.slurm.fake.known import TOOLS
from tests.slurm.lab.daemons import Daemons, LabError, answers
from tests.slurm.lab.holdings import new_folder, sweep, take_ports
from tests.slurm.ssh.conf import (
    DOORS,
    JUMP,
    USERS,
    account_files,
    ssh_config,
    sshd_config,
    sudoers,
    uid_of,
    user_of,
)
from tests.slurm.ssh.missing import program, what_is_missing
from tests.slurm.ssh.processes import Process, processes_of
from tests.slurm.ssh.remote_slurm import RemoteSlurm

PREFIX = "fsconsole-ssh-"
_FIRST_PORT, _LAST_PORT = 26_000, 29_000  # beside those of tests/slurm/lab
_CLOSED, _DOWN = "closed", "down"
_PORTS = {name: 1 + place for place, name in enumerate((*DOORS, _CLOSED, _DOWN))}
_KEYS = ("host", "other-host", "id", "strange", "locked")
_PASSPHRASE = {"locked": "open sesame"}
_CHECKOUT = Path(__file__).parents[3]
_DELAY = Path(__file__).with_name("delay.py")
_PATIENCE_S = 60.0
_LOOK_S = 0.01
_ACCEPTED = re.compile(r"^Accepted .* port (\d+) ", re.MULTILINE)  # in the words of one sshd, or of two
_REFUSED = re.compile(r"(?:Connection (?:closed|reset) by|Disconnected from) (?:authenticating|invalid) user")
_MOUNTS = """
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/sshd
for name in passwd group shadow sudoers profile; do mount --bind "$0/etc/$name" "/etc/$name"; done
[ ! -d /etc/slurm ] || mount -t tmpfs tmpfs /etc/slurm
mount --bind "$1" "$0/python"
mount --bind "$2" "$0/checkout"
mount -o remount,bind,ro "$0/checkout"
touch "$0/mounted"
exec sleep infinity
"""


class LoginNode:
    """One login node; a context manager that takes everything away again.

    Attributes:
        top: its folder, in which its users may go.
        slurm: the fake tools that its users find on their PATH.
    """

    def __init__(self) -> None:
        sweep(PREFIX)
        self.top, self._held = new_folder(PREFIX)
        self.top.chmod(0o755)
        self._guard, self._base = take_ports(1 + len(_PORTS), _FIRST_PORT, _LAST_PORT)
        self._python = self.top / "python" / Path(sys.executable).resolve().relative_to(sys.base_prefix)
        self._path = f"{self.top}/slurm/bin:{self.top}/bin"
        self._daemons: Daemons | None = None
        self._namespace = ""
        self._lasting: set[int] = set()  # the keeper, and what holds the mounts
        self._is_down: list[socket.socket] = []
        self._tests = 0
        self._read_from: dict[str, int] = {}
        self._hosts: dict[str, dict[str, str]] = {}
        self.slurm: RemoteSlurm

    @staticmethod
    def missing() -> str:
        """Return the reason for having no login node here; empty where there can be one."""
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
        for one in self._is_down:
            one.close()
        if self._daemons:
            self._daemons.close()
        self._guard.close()
        shutil.rmtree(self.top, ignore_errors=True)
        self._held.close()

    def reset(self) -> None:
        """Make it as new for the next test: homes, fake tools, hosts; nobody logged in, nothing counted."""
        self.resume()
        self.cut()
        self._tests += 1
        self._hosts.clear()
        self._write_hosts()
        for name in USERS:
            self._make_home(name)
        made = self.top / "fakes" / str(self._tests)
        made.mkdir(parents=True)
        self.slurm = RemoteSlurm(made, str(self._python), str(self.top / "checkout"))
        link = self.top / "slurm.new"
        link.symlink_to(self.slurm.folder)
        link.rename(self.top / "slurm")
        for folder, mode in ((self.canaries, 0o777), (self.state, 0o700)):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            folder.chmod(mode)
        self._read_from = {door: len(self._whole_log(door)) for door in DOORS}

    # ------------------------------------------------------------------------- the ways to it

    @property
    def config(self) -> Path:
        """The laptop's settings of ssh."""
        return self.top / "laptop" / "config"

    @property
    def state(self) -> Path:
        """The laptop's folder for the state of programs, empty at the beginning of a test."""
        return self.top / "laptop" / "state"

    def via(self, user: str = "bash", door: str = "plain", **options: str) -> tuple[str, ...]:
        """Return a prefix that leads to the node.

        Args:
            user: login shell of the user, or `jump`; another word is taken for a user's name.
            door: which sshd (conf.DOORS); `closed`: nobody listens; `down`: nothing ever answers.
            options: further settings of ssh for this way, as in ssh_config.
        """
        return ("ssh", "-F", str(self.config), self.host(user, door, **options))

    def host(self, user: str = "bash", door: str = "plain", **options: str) -> str:
        """Return the alias of such a host in the settings of ssh; see `via`."""
        if door in DOORS:
            self.open(door)
        elif door == _DOWN:
            self._take_down()
        alias = "-".join((user, *([door] if door != "plain" else ())))
        wanted = {
            "User": user_of(user) if user in USERS else user,
            "Port": str(self.port(door)),
            **options,
        }
        names = itertools.chain((alias,), (f"{alias}{number}" for number in itertools.count(2)))
        alias = next(name for name in names if self._hosts.get(name, wanted) == wanted)
        self._hosts[alias] = wanted
        self._write_hosts()
        return alias

    def delayed(self, one_way_s: float, user: str = "bash", **options: str) -> tuple[str, ...]:
        """Return a prefix through a line on which each byte takes so long."""
        self.open("plain")
        command = f"{sys.executable} -IS {_DELAY} 127.0.0.1 {self.port('plain')} {one_way_s}"
        return self.via(user, ProxyCommand=command, **options)

    def key(self, name: str) -> Path:
        """Return a private key of the laptop: `id` opens, `strange` does not, `locked` has a passphrase."""
        return self.top / "keys" / name

    def port(self, door: str) -> int:
        """Return the port of a door."""
        return self._base + _PORTS[door]

    def known_hosts(self, *, is_changed: bool = False) -> Path:
        """Return a file with the keys of all doors; the wrong ones where they are to have changed."""
        return self.top / "laptop" / ("changed_hosts" if is_changed else "known_hosts")

    # ------------------------------------------------------------------------- what happens on it

    @property
    def canaries(self) -> Path:
        """A folder in which everybody may make files, to show that a command was run."""
        return self.top / "canaries"

    def home(self, user: str) -> Path:
        """Return the home of a user."""
        return self.top / "home" / user

    def write_home(self, user: str, name: str, text: str) -> Path:
        """Write a file in a user's home, such as a start file."""
        path = self.home(user) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for made in (path, *path.parents):
            if made == self.home(user):
                break
            os.chown(made, uid_of(user), uid_of(user))
        return path

    def open(self, door: str) -> None:
        """Start the sshd of a door unless it runs."""
        if door in self._all.running:
            return
        config = self.top / "etc" / f"sshd-{door}"
        config.write_text(sshd_config(self.top, self.port(door), DOORS[door], self._path))
        log = str(self._log_of(door))
        self._all.start(door, (program("sshd"), "-D", "-f", str(config), "-E", log, *self._lenient()))
        self._all.await_(door, lambda: answers(self.port(door)))
        self.settle()  # the question just asked was a connection too

    def shut(self, door: str) -> None:
        """End the sshd of a door; its connections go on."""
        self._all.stop(door)

    @contextmanager
    def listen(self, door: str) -> Iterator[None]:
        """Have somebody else listen at a port, who never answers."""
        with socket.create_server(("127.0.0.1", self.port(door))):
            yield

    def processes(self, user: str = "") -> list[Process]:
        """Return the processes on the node, or those of a user, sshd's own apart."""
        return [
            one
            for one in processes_of(self._namespace)
            if not user or (one.uid == uid_of(user) and not _is_sshd(one))
        ]

    def settle(self) -> None:
        """Wait until no connection is left, and every sshd has taken note of that."""

        def is_quiet() -> bool:
            listeners = [one for one in self.processes() if self._is_listener(one)]
            return not self._connections() and all("] 0 of " in " ".join(one.words) for one in listeners)

        self.wait_until(is_quiet, "the connections end")

    def cut(self) -> None:
        """Kill all that belongs to connections, and all that they have started."""
        while left := [
            one for one in self.processes() if one.pid not in self._lasting and not self._is_listener(one)
        ]:
            for one in left:
                _signal(one, signal.SIGKILL)
            time.sleep(_LOOK_S)

    def cut_connections(self) -> None:
        """Kill sshd's part of each connection; what runs behind it goes on, as after a break of the line."""
        cut = self._connections()
        for one in cut:
            _signal(one, signal.SIGKILL)
        killed = {one.pid for one in cut}
        self.wait_until(lambda: not killed & {one.pid for one in self.processes()}, "they end")

    def silence(self) -> None:
        """Stop every sshd: whoever asks gets no answer."""
        for one in self.processes():
            if _is_sshd(one):
                _signal(one, signal.SIGSTOP)

    def resume(self) -> None:
        """Have them go on."""
        for one in self.processes():
            if _is_sshd(one):
                _signal(one, signal.SIGCONT)

    def log(self, door: str = "") -> str:
        """Return the log of an sshd, or of all of them, since the test began."""
        doors = (door,) if door else tuple(DOORS)
        return "".join(self._whole_log(one)[self._read_from.get(one, 0) :] for one in doors)

    def logins(self, door: str = "") -> int:
        """Return the number of logins since the test began."""
        doors = (door,) if door else tuple(DOORS)
        return sum(len(set(_ACCEPTED.findall(self.log(one)))) for one in doors)

    def refused(self, door: str = "") -> int:
        """Return the number of refused logins since the test began; those under way are not among them."""
        return len(_REFUSED.findall(self.log(door)))

    def dropped(self, door: str = "") -> int:
        """Return the number of connections that MaxStartups dropped since the test began."""
        return self.log(door).count("drop connection #")

    def wait_until(self, is_so: Callable[[], object], what: str) -> None:
        """Wait for something; LabError in words, with the logs, where it does not come."""
        end = time.monotonic() + _PATIENCE_S
        while not is_so():
            if time.monotonic() > end:
                raise LabError(f"waited {_PATIENCE_S:g} s in vain until {what}\n{self.log()}")
            time.sleep(_LOOK_S)

    # ------------------------------------------------------------------------- how it is made

    @property
    def _all(self) -> Daemons:
        if self._daemons is None:
            raise LabError("the login node is not up")
        return self._daemons

    def _up(self) -> None:
        if reason := self.missing():
            raise LabError(reason)
        for name in ("etc", "keys", "log", "laptop", "home", "bin", "python", "checkout"):
            (self.top / name).mkdir()
        (self.top / "log").chmod(0o700)
        for name in _KEYS:
            self._make_key(name)
        self._link_programs()
        self._write_etc()
        self._write_known_hosts()
        self._daemons = Daemons(self._log_of, {})
        mounts = ("sh", "-ec", _MOUNTS, str(self.top), sys.base_prefix, str(_CHECKOUT))
        self._all.start("mounts", mounts)
        self._all.await_("mounts", (self.top / "mounted").exists)
        self._namespace = self._all.namespace
        self._lasting = {one.pid for one in processes_of(self._namespace)}
        self.reset()

    @staticmethod
    def _lenient() -> tuple[str, ...]:
        """Return the option of sshd 9.8 and later that lets refused logins go unpunished."""
        said = subprocess.run((program("ssh"), "-V"), capture_output=True, text=True, check=True).stderr
        release = tuple(map(int, re.findall(r"OpenSSH_(\d+)\.(\d+)", said)[0]))
        return ("-oPerSourcePenalties=no",) if release >= (9, 8) else ()

    def _link_programs(self) -> None:
        """Have all of this machine's programs in one folder, a Slurm of its own apart."""
        for folder in ("/usr/local/bin", "/usr/bin", "/bin"):
            for path in Path(folder).iterdir():
                made = self.top / "bin" / path.name
                if path.name not in TOOLS and not made.is_symlink():
                    made.symlink_to(path)

    def _make_key(self, name: str) -> None:
        passphrase = _PASSPHRASE.get(name, "")
        command = (program("ssh-keygen"), "-q", "-t", "ed25519", "-C", name, "-N", passphrase, "-f")
        subprocess.run((*command, str(self.key(name))), check=True)

    def _write_etc(self) -> None:
        etc = self.top / "etc"
        for name, more in account_files(self.top / "home").items():
            source = Path("/etc", name)
            made = etc / name
            made.write_text(source.read_text() + more)
            made.chmod(source.stat().st_mode & 0o777)
        (etc / "sudoers").write_text(sudoers(self._path))
        (etc / "sudoers").chmod(0o440)
        (etc / "profile").write_text(f"export PATH={self._path}\n")
        (etc / "banner").write_text("Authorised use only. A password is required. Not permitted: mining.\n")

    def _write_known_hosts(self) -> None:
        for is_changed in (False, True):
            lines = []
            for door in DOORS:
                is_other = (door == "new-key") != is_changed
                key = (self.top / "keys" / ("other-host.pub" if is_other else "host.pub")).read_text()
                lines.append(f"[127.0.0.1]:{self.port(door)} {' '.join(key.split()[:2])}\n")
            self.known_hosts(is_changed=is_changed).write_text("".join(lines))
            self.known_hosts(is_changed=is_changed).chmod(0o644)

    def _write_hosts(self) -> None:
        """Write the hosts for the laptop, and the plain ones for whoever goes on from `jump`."""
        text = ssh_config(self._hosts, str(self.key("id")), str(self.known_hosts()))
        made = self.config.with_suffix(".new")
        made.write_text(text)
        made.rename(self.config)

    def _make_home(self, name: str) -> None:
        home = self.home(name)
        shutil.rmtree(home, ignore_errors=True)
        (home / ".ssh").mkdir(parents=True)
        public = "".join(self.key(one).with_suffix(".pub").read_text() for one in ("id", "locked"))
        hosts = {
            user: {"User": user_of(user), "Port": str(self.port("plain"))} for user in USERS if user != JUMP
        }
        for file, text in (
            ("authorized_keys", public),
            ("id", self.key("id").read_text()),
            ("known_hosts", self.known_hosts().read_text()),
            ("config", ssh_config(hosts, "~/.ssh/id", "~/.ssh/known_hosts")),
        ):
            (home / ".ssh" / file).write_text(text)
            (home / ".ssh" / file).chmod(0o600)
        for made in (home, *home.rglob("*")):
            os.chown(made, uid_of(name), uid_of(name))
        (home / ".ssh").chmod(0o700)

    def _take_down(self) -> None:
        """Have a port on which no connection is ever answered: its queue is full."""
        if self._is_down:
            return
        listener = socket.socket()
        listener.bind(("127.0.0.1", self.port(_DOWN)))
        listener.listen(0)
        self._is_down.append(listener)
        for _ in range(2):
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", self.port(_DOWN)))
            self._is_down.append(waiting)

    def _log_of(self, name: str) -> Path:
        return self.top / "log" / f"{name}.log"

    def _whole_log(self, door: str) -> str:
        path = self._log_of(door)
        return path.read_text(errors="replace") if path.exists() else ""

    def _connections(self) -> list[Process]:
        return [one for one in self.processes() if _is_sshd(one) and not self._is_listener(one)]

    def _is_listener(self, process: Process) -> bool:
        """Return True for the sshd of a door; what it has just forked has its words, but another parent."""
        return process.parent in self._lasting and "[listener]" in " ".join(process.words)


def _is_sshd(process: Process) -> bool:
    return process.name.startswith("sshd")


def _signal(process: Process, number: signal.Signals) -> None:
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return
