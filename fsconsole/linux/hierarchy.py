"""The control groups of this machine, and their files with weights and CPU time.

Source: Linux, Documentation/admin-guide/cgroup-v1/ and cgroup-v2.rst; proc(5) on mountinfo.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from fsconsole.operating_system import has_control_groups
from fsconsole.shares.cpu_weights import V1, V2, WeightRange

PROC, SYS, RUN = Path("/proc"), Path("/sys"), Path("/run")
UNTRIED = "not run on a real kernel"
# Files of a v1 control group have these names; all others contain a dot, which `group_name` never leaves.
_TAKEN = ("tasks", "notify_on_release", "release_agent")
_OCTAL = re.compile(r"\\([0-7]{3})")


class ControlGroupsError(LookupError):
    """This machine has no control groups with CPU weights; the message gives the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The control groups that weigh CPU time.

    Attributes:
        cpu: top of the tree of the `cpu` controller.
        accounting: top of the tree that counts CPU time; the same one in v2.
        limits: range of its weights.
        is_v2: whether it is the unified hierarchy.
        is_of_systemd: whether systemd owns it, so that only slices may be changed.
    """

    cpu: Path
    accounting: Path
    limits: WeightRange
    is_v2: bool
    is_of_systemd: bool = False

    @property
    def title(self) -> str:
        """Name of the hierarchy in messages."""
        if self.is_of_systemd:
            return "systemd slices, cgroup v2"
        return "cgroup v2" if self.is_v2 else "cgroup v1"

    @property
    def remark(self) -> str:
        """Title with a mark if it was tried only on recorded files."""
        return f"{self.title}, {UNTRIED}" if self.is_v2 else self.title

    @property
    def tops(self) -> tuple[Path, ...]:
        """Trees in which a group has a folder each."""
        return (self.cpu,) if self.cpu == self.accounting else (self.cpu, self.accounting)


@dataclass(frozen=True, slots=True)
class _Mount:
    top: Path
    kind: str
    options: frozenset[str]


def find_hierarchy(proc: Path = PROC, run: Path = RUN) -> Hierarchy:
    """Find the control groups of this machine.

    Args:
        proc: folder of the processes, `/proc`.
        run: folder that contains `systemd/system` if systemd is the machine's first process.

    Raises:
        ControlGroupsError: the machine cannot weight CPU time.
    """
    if proc == PROC and not has_control_groups():
        raise ControlGroupsError("control groups need Linux, and this computer runs another system")
    mounts = list(_mounts(proc / "self" / "mountinfo"))
    unified = next((mount for mount in mounts if mount.kind == "cgroup2" and _has_cpu(mount.top)), None)
    if unified is not None:
        is_of_systemd = (run / "systemd" / "system").is_dir()
        return Hierarchy(unified.top, unified.top, V2, is_v2=True, is_of_systemd=is_of_systemd)
    cpu = _with_controller(mounts, "cpu")
    accounting = _with_controller(mounts, "cpuacct")
    if cpu is not None and accounting is not None:
        return Hierarchy(cpu, accounting, V1, is_v2=False)
    raise ControlGroupsError(_why_none(mounts, cpu))


def _why_none(mounts: list[_Mount], cpu: Path | None) -> str:
    if cpu is not None:
        return f"the cpuacct controller is not mounted, so the groups of {cpu} are not charged for CPU time"
    unified = next((mount for mount in mounts if mount.kind == "cgroup2"), None)
    if unified is not None:
        return (
            f"{unified.top} does not offer the cpu controller: {unified.top}/cgroup.controllers must "
            "list cpu. In a container, the host must delegate it"
        )
    return "control groups are not mounted here; Linux mounts them at /sys/fs/cgroup"


def _mounts(file: Path) -> Iterator[_Mount]:
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}), so this system has no control groups"
        raise ControlGroupsError(msg) from error
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        left, right = before.split(" "), after.split(" ")
        if dash and len(left) >= 5 and len(right) >= 3 and right[0].startswith("cgroup"):
            top = _OCTAL.sub(lambda found: chr(int(found[1], 8)), left[4])
            yield _Mount(Path(top), right[0], frozenset(right[2].split(",")))


def _with_controller(mounts: list[_Mount], name: str) -> Path | None:
    return next((mount.top for mount in mounts if mount.kind == "cgroup" and name in mount.options), None)


def _has_cpu(top: Path) -> bool:
    return "cpu" in words_in(top / "cgroup.controllers")


def words_in(file: Path) -> list[str]:
    """Return the words of a file of the kernel; an empty list if it cannot be read."""
    return (text_in(file) or "").split()


def text_in(file: Path) -> str | None:
    """Return the text of a file of the kernel without its line end; None if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return None


def number_in(file: Path) -> int | None:
    """Return the number in a file of the kernel; None if it does not contain one."""
    try:
        return int(text_in(file) or "")
    except ValueError:
        return None


def group_name(name: str) -> str:
    """Return the folder name of a node's control group: its name, with forbidden characters as %XX."""
    coded = quote(name, safe=" +,=@:~").replace(".", "%2E")
    return f"%{ord(coded[0]):02X}{coded[1:]}" if coded in _TAKEN else coded


def node_name(folder: str) -> str:
    """Return the node's name from which `group_name` made a folder name."""
    return unquote(folder)
