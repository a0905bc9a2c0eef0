"""`make test-slurm-versions`: the tests with a real Slurm, on each release of Slurm that Debian has.

Each release is a Debian in a folder, made once by debootstrap. Mounts and processes are in namespaces of
their own, which end with this program, however it ends: nothing is left but the folders.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.slurm.lab.daemons import NAMESPACES, has_namespaces

_CHECKOUT = Path(__file__).resolve().parents[3]
_FOLDER = _CHECKOUT / ".slurm-releases"
MIRROR = "http://deb.debian.org/debian"
_PACKAGES = (
    "munge", "slurmctld", "slurmd", "slurmdbd", "slurm-client", "mariadb-server", "mariadb-client",
    "python3",  # reads the ends of outputs on the cluster
)  # fmt: skip
MADE = "made"  # stands in a folder that is whole
_MAKE_S, _ASK_S = 1800, 60
_FIXTURE = "slurm_lab"
_PYTEST = ("pytest", "-q", "-n", "2", "--dist", "loadgroup")


@dataclass(frozen=True, slots=True)
class Release:
    """A release of Slurm: the Debian that has it, and the version that came from it when this was written."""

    version: str
    suite: str

    @property
    def series(self) -> str:
        """The part of the version that says what the tools print, such as 22.05."""
        return self.version.rpartition(".")[0]


RELEASES = (Release("22.05.8", "bookworm"), Release("24.11.5", "trixie"), Release("26.05.5", "sid"))


class UnavailableError(Exception):
    """A release cannot be had here; why, in a sentence."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tests on each release; the exit status is 1 where any failed."""
    options = _parser().parse_args(argv)
    if reason := _obstacle():
        sys.stderr.write(f"No release of Slurm is tested here: {reason}.\n")
        return 0
    if not options.inside:
        words = sys.argv[1:] if argv is None else argv
        inside = (*NAMESPACES, sys.executable, "-m", "tests.slurm.lab.releases", "--inside", *words)
        os.execvp(inside[0], inside)
    try:
        return _run_all(options)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted: the clusters are gone.\n")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.slurm.lab.releases", description=__doc__)
    known = [release.series for release in RELEASES]
    parser.add_argument("--only", choices=known, action="append", help="a release. Default: all")
    parser.add_argument("--folder", type=Path, default=_FOLDER, help="where the Debians are kept")
    parser.add_argument("--mirror", default=MIRROR, help=f"Debian's packages. Default: {MIRROR}")
    parser.add_argument("--capture", type=Path, help="a folder that gets a capture of each; no test is run")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "rest", nargs="*", metavar="TEST", help="what pytest runs. Default: tests on a cluster"
    )
    return parser


def _obstacle() -> str:
    """Why nothing can be tried here; empty where it can."""
    if os.geteuid() != 0 or not has_namespaces():
        return "that needs root, and namespaces of its own"
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed: apt-get install debootstrap"
    return ""


def _run_all(options: argparse.Namespace) -> int:
    shown, failed = [], False
    for release in RELEASES:
        if options.only and release.series not in options.only:
            continue
        try:
            root, version = _root_of(release, options.folder.absolute(), options.mirror)
        except UnavailableError as error:
            shown.append(f"Slurm {release.series}: skipped. {error}")
            continue
        print(f"Slurm {version} ({release.suite})", flush=True)
        _mount(root)
        if options.capture:
            words = ("tests.slurm.lab.recapture", str(options.capture.absolute() / release.series))
        else:
            words = (*_PYTEST, *(options.rest or [str(path) for path in tests_on_a_cluster()]))
        status = _run(root, words)
        failed = failed or status != 0
        shown.append(f"Slurm {version}: {'passed' if status == 0 else f'failed (status {status})'}")
    print("\n".join(shown), flush=True)
    return int(failed)


def _root_of(release: Release, folder: Path, mirror: str) -> tuple[Path, str]:
    """The folder of a release and the version in it; made where it is not there."""
    root = folder / release.suite
    if not (root / MADE).exists():
        shutil.rmtree(root, ignore_errors=True)
        debootstrap(release.suite, root, mirror, _PACKAGES)
    process = subprocess.run(
        ("chroot", str(root), "slurmctld", "-V"), capture_output=True, text=True, timeout=_ASK_S, check=False
    )
    version = process.stdout.strip().rpartition(" ")[2]
    if not version.startswith(f"{release.series}."):
        raise UnavailableError(f"Debian {release.suite} has {version or 'no Slurm'} now")
    return root, version


def debootstrap(suite: str, root: Path, mirror: str, packages: Sequence[str]) -> None:
    """Make a Debian with some packages in a folder; what is said of it goes into a file beside it."""
    root.parent.mkdir(parents=True, exist_ok=True)
    log = root.with_suffix(".log")
    print(f"Making Debian {suite} in {root}: a minute or two ...", flush=True)
    words = ("--variant=minbase", f"--include={','.join(packages)}", suite, str(root), mirror)
    with log.open("w") as out:
        try:
            made = subprocess.run(
                ("debootstrap", *words), stdout=out, stderr=out, timeout=_MAKE_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise UnavailableError(f"debootstrap took more than {_MAKE_S} s; see {log}") from None
    if made.returncode:
        last = (log.read_text(errors="replace").splitlines() or ["it said nothing"])[-1]
        raise UnavailableError(f"debootstrap failed: {last}; see {log}")
    shutil.copy("/etc/hosts", root / "etc" / "hosts")
    (root / MADE).touch()


def _mount(root: Path) -> None:
    """Give it the devices of this machine, and the folder in which the clusters are, under the same name."""
    for folder in ("/proc", "/sys", "/dev", tempfile.gettempdir()):
        there = root / folder.lstrip("/")
        there.mkdir(parents=True, exist_ok=True)
        subprocess.run(("mount", "--rbind", folder, str(there)), check=True)


def tests_on_a_cluster() -> Iterator[Path]:
    """The files of tests that ask for a cluster."""
    found = (_CHECKOUT / "tests").rglob("test_*.py")
    return (path for path in sorted(found) if f"{_FIXTURE}:" in path.read_text(encoding="utf-8"))


def _run(root: Path, words: Sequence[str]) -> int:
    """Run a module of Python on the Slurm of a folder; its exit status."""
    environment = {**os.environ, "FSCONSOLE_SLURM_ROOT": str(root), "FSCONSOLE_NEED_SLURM": "1"}
    command = (sys.executable, "-m", *words)
    return subprocess.run(command, env=environment, cwd=_CHECKOUT, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
