"""`make test-packages`: each package on a bare Debian 12 and 13, as an ordinary user, with the network off.

Nothing of the checkout is there, the package cannot be written to, and the user's cache is empty. The console
opens a window on a display, and an example is played to its plots. Each Debian is a folder, made once by
debootstrap; the network is on for that and for the wheels that pipx takes, and for nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsconsole import __version__
from tests.slurm.lab.daemons import NAMESPACES, has_namespaces
from tests.slurm.lab.releases import MADE, MIRROR, UnavailableError, debootstrap

_CHECKOUT = Path(__file__).resolve().parents[2]
_DIST = _CHECKOUT / "dist"
_FOLDER = _CHECKOUT / ".bare-systems"
_SYSTEMS = {"bookworm": "3.11", "trixie": "3.13"}  # Debian 12 and 13, with their Python
_RENAMED = {"trixie": {"libglib2.0-0": "libglib2.0-0t64"}}
_USER = "tester"
_FOR_PIPX = ("pipx", "python3-venv")
_LIMIT_S, _FIRST_PLOT_S = 300.0, 90.0
_WINDOW_S, _LOOK_S = 60.0, 0.2


@dataclass(frozen=True, slots=True)
class Package:
    """How a package gets onto a system: as root, then as the user; and the program that is there then."""

    name: str
    file: str
    as_root: str
    as_user: str
    program: str


PACKAGES = (
    Package(
        "wheel by pipx",
        f"fsconsole-{__version__}-py3-none-any.whl",
        "",
        "PIP_NO_INDEX=1 PIP_FIND_LINKS=/packages/wheels pipx install /packages/{file}"
        " && chmod -R a-w ~/.local",
        "~/.local/bin/fsconsole",
    ),
    Package("one folder", f"fsconsole-{__version__}-linux-x86_64.tar.gz", "tar -xf /packages/{file} -C /opt",
            "", "/opt/fsconsole/fsconsole"),
    Package(".deb", f"fsconsole_{__version__}_amd64.deb", "dpkg -i /packages/{file}", "", "fsconsole"),
)  # fmt: skip


class FailedError(Exception):
    """A command on a bare system failed; which, and its last lines."""


def main() -> int:
    """Try all packages on all systems; 1 where one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.packages.check", description=__doc__)
    parser.add_argument("--only", choices=list(_SYSTEMS), action="append", help="a Debian. Default: both")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    suites = options.only or list(_SYSTEMS)
    if options.inside:
        return _try_all(suites)
    if os.geteuid() != 0 or not has_namespaces() or not shutil.which("debootstrap"):
        print("No package is tried here: that needs root, namespaces of its own and debootstrap.")
        return 0
    for suite in suites:
        _prepare(suite)
    inside = (*NAMESPACES, "--net", sys.executable, "-m", "tests.packages.check", "--inside", *sys.argv[1:])
    return subprocess.run(inside, cwd=_CHECKOUT, check=False).returncode


def _prepare(suite: str) -> None:
    """Make a Debian with the libraries that the packages name, and fetch the wheels for its Python."""
    root = _FOLDER / suite
    if not (root / MADE).exists():
        shutil.rmtree(root, ignore_errors=True)
        try:
            renamed = _RENAMED.get(suite, {})
            debootstrap(suite, root, MIRROR, [renamed.get(one, one) for one in (*_needed(), *_FOR_PIPX)])
        except UnavailableError as error:
            sys.exit(f"Debian {suite} cannot be had: {error}")
        subprocess.run(("chroot", str(root), "useradd", "--create-home", _USER), check=True)
    there = root / "packages"
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir()
    for package in PACKAGES:
        shutil.copy(_DIST / package.file, there)
    lock = _CHECKOUT / "resources" / "setup" / "requirements.lock"
    words = ("pip", "download", "--quiet", "--only-binary=:all:", "--python-version", _SYSTEMS[suite])
    target = ("--no-deps", "--dest", str(there / "wheels"))
    for what in (("--require-hashes", "-r", str(lock)), ("pip",)):  # pipx renews its own pip
        asked = (sys.executable, "-m", *words, *target, *what)
        fetched = subprocess.run(asked, capture_output=True, text=True, check=False)
        if fetched.returncode != 0:
            sys.exit(f"The wheels for Python {_SYSTEMS[suite]} cannot be had: {fetched.stderr[-400:]}")


def _needed() -> list[str]:
    """What the .deb depends on, and what Qt in a wheel loads from the system: the same names as in set-up."""
    control = (_CHECKOUT / "tools" / "packages" / "control").read_text("utf-8")
    depends = re.search(r"^Depends: (.*)$", control, re.MULTILINE)
    if depends is None:
        sys.exit("tools/packages/control has no line Depends")
    bootstrap = (_CHECKOUT / "resources" / "setup" / "bootstrap").read_text("utf-8")
    of_qt = re.findall(r"^lib\S+\.so\S* +(\S+)$", bootstrap, re.MULTILINE)
    return [*(one.split(" ")[0] for one in depends[1].split(", ")), *of_qt]


def _try_all(suites: Sequence[str]) -> int:
    failed = False
    with _display() as display:
        for suite in suites:
            for package in PACKAGES:
                try:
                    shown = _try(suite, package, display)
                except FailedError as error:
                    shown, failed = f"FAILED: {error}", True
                print(f"{suite}, {package.name}: {shown}", flush=True)
    return int(failed)


def _try(suite: str, package: Package, display: str) -> str:
    """Install a package on a bare system and use it; what it took, in words."""
    system = _System(_FOLDER / suite, display)
    system.clear()
    began = time.time()  # The clock of files.
    if package.as_root:
        system.run(package.as_root.format(file=package.file), user="root")
    if package.as_user:
        system.run(package.as_user.format(file=package.file))
    installed_s = time.time() - began
    system.run(f"{package.program} play --out out")
    all_s = time.time() - began
    plots = [path.stat().st_mtime for path in (system.home / "out").glob("plot-*.png")]
    if not plots or not list((system.home / "out").glob("*.run")):
        raise FailedError("play left no plot, or no run")
    first_plot_s = min(plots) - began
    if first_plot_s > _FIRST_PLOT_S:
        raise FailedError(f"the first plot came after {first_plot_s:.0f} s")
    _check_window(system, package.program)
    checked = f"{package.program} reproduce unicos-eq2 && {package.program} doctor --rules"
    version = system.run(f"{package.program} --version && {checked}").splitlines()[0]
    if version != f"fsconsole {__version__}":
        raise FailedError(f"it is {version}")
    times = f"installed in {installed_s:.0f} s, first plot after {first_plot_s:.0f} s"
    return f"{times}, all screenshots after {all_s:.0f} s; a window opens"


def _check_window(system: _System, program: str) -> None:
    """Open the console on the display with an example, until a window has the example's name."""
    example = "$(find / -name three-users.yaml -path '*_examples*' 2>/dev/null | head -1)"
    command = system.command(f"DISPLAY={system.display} exec {program} open {example}", _USER)
    with subprocess.Popen(
        command, env={"PATH": _PATH}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as console:
        until = time.monotonic() + _WINDOW_S
        seen = ""
        while "three-users" not in seen and time.monotonic() < until and console.poll() is None:
            time.sleep(_LOOK_S)
            look = ("xwininfo", "-display", system.display, "-root", "-tree")
            seen = subprocess.run(look, capture_output=True, text=True, check=False).stdout
        subprocess.run(("pkill", "-TERM", "-f", "three-users.yaml"), check=False)
        process = console.communicate(timeout=_LIMIT_S)[0].decode(errors="replace")
    if "three-users" not in seen:
        raise FailedError(f"no window came in {_WINDOW_S:.0f} s: {process.strip()[-400:]}")


@dataclass(frozen=True, slots=True)
class _System:
    """A bare Debian in a folder, and the display that its programs may use."""

    root: Path
    display: str

    @property
    def home(self) -> Path:
        """The user's folder, seen from here."""
        return self.root / "home" / _USER

    def clear(self) -> None:
        """Take away what an earlier package left: in the system, the user's files, compiled code."""
        for folder in (self.root / "opt" / "fsconsole", *self.home.iterdir(), *self.root.glob("tmp/*")):
            if folder.name != ".X11-unix":
                shutil.rmtree(folder, ignore_errors=True)
        self.run("dpkg --purge fsconsole 2>/dev/null || true", user="root")
        socket = self.root / "tmp" / ".X11-unix"
        socket.mkdir(exist_ok=True)
        subprocess.run(("mount", "--bind", "/tmp/.X11-unix", str(socket)), check=True)
        for name in ("proc", "dev"):
            subprocess.run(("mount", "--rbind", f"/{name}", str(self.root / name)), check=True)

    def command(self, words: str, user: str) -> tuple[str, ...]:
        """Return the argument list that runs a line of shell there."""
        return ("chroot", str(self.root), "su", "-", user, "-s", "/bin/sh", "-c", words)

    def run(self, words: str, user: str = _USER) -> str:
        """Return the output of a line of shell there; FailedError with its last words."""
        command = self.command(words, user)
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, timeout=_LIMIT_S, check=False, env={"PATH": _PATH}
            )
        except subprocess.TimeoutExpired:
            msg = f"{words} took more than {_LIMIT_S:.0f} s"
            raise FailedError(msg) from None
        if ended.returncode != 0:
            msg = f"{words} ended with {ended.returncode}: {(ended.stdout + ended.stderr).strip()[-400:]}"
            raise FailedError(msg)
        return ended.stdout + ended.stderr


_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@contextmanager
def _display() -> Iterator[str]:
    """Yield the name of a virtual display."""
    server = subprocess.Popen(
        ("Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-ac", "-nolisten", "tcp"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        number = server.stdout.readline().strip() if server.stdout is not None else ""
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
