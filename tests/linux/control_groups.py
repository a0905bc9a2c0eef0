"""Folders that look as the kernel's control groups do, for tests without them, and processes beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from fsconsole.linux import changes
from fsconsole.linux.hierarchy import Hierarchy
from fsconsole.linux.plan import CONTROLLERS, Kind, Step
from fsconsole.linux.share_tree_groups import ShareTreeGroups
from fsconsole.shares.cpu_weights import V2
from fsconsole.shares.tree import ShareTree

_FILES = {
    "cpu.weight": "100",
    "cpu.idle": "0",
    "cgroup.procs": "",
    "cgroup.subtree_control": "",
    "cpu.max": "max 100000",
}


def v2(top: Path, **more: str) -> Hierarchy:
    """A unified hierarchy in an empty folder."""
    fill(top)
    (top / "cgroup.controllers").write_text("cpuset cpu io\n")
    for name, text in more.items():
        (top / name.replace("__", ".")).write_text(text)
    return Hierarchy(top, top, V2, is_v2=True)


def fill(folder: Path) -> None:
    """Give a folder the files that the kernel gives a group."""
    folder.mkdir(exist_ok=True)
    for name, text in _FILES.items():
        (folder / name).write_text(f"{text}\n")
    (folder / "cpu.stat").write_text("usage_usec 0\nuser_usec 0\n")


def as_kernel(step: Step) -> None:
    """Do what the kernel does when a step has been done."""
    if step.kind is Kind.MAKE:
        fill(step.path)
    elif step.path.name == CONTROLLERS:
        step.path.write_text(f"{step.value.removeprefix('+')}\n")


class FileGroups(ShareTreeGroups):
    """Groups in folders: files come with a folder, as in the kernel."""

    def __init__(self, folder: Path, root: str = "fsconsole") -> None:
        top = folder / "cgroup"
        found = Hierarchy(top, top, V2, is_v2=True) if top.is_dir() else v2(top)
        super().__init__(root, hierarchy=found, folder=folder / "state", proc=folder / "proc")

    def apply(
        self,
        tree: ShareTree,
        *,
        before: Mapping[int, str] | None = None,
        shown: Sequence[str] | None = None,
        after: Callable[[Step], None] = as_kernel,
        run: changes.Run | None = None,
    ) -> int:
        return super().apply(tree, before=before, shown=shown, after=after, run=run)

    def charge(self, tree: ShareTree, cpu_s: Mapping[str, float]) -> None:
        """Charge CPU time to users, and with them to all groups above."""
        paths = self.paths(tree)
        for name, used_s in cpu_s.items():
            leaf = tree.find(name)
            for node in (leaf, *tree.ancestors(leaf.id)):
                file = self.hierarchy.cpu / paths[node.id] / "cpu.stat"
                usec = int(file.read_text().split()[1]) + round(1e6 * used_s)
                new = file.with_name("new")
                new.write_text(f"usage_usec {usec}\nuser_usec {usec}\n")
                new.replace(file)  # whoever reads it just now sees the one or the other

    def put(self, tree: ShareTree, pids: Mapping[str, int]) -> None:
        """Have processes in the groups of users."""
        for name, pid in pids.items():
            (self.hierarchy.cpu / self.paths(tree)[tree.find(name).id] / "cgroup.procs").write_text(
                f"{pid}\n"
            )


def put_process(proc: Path, pid: int, uid: int = 1000, parent: int = 0) -> None:
    """A process of a user in the topmost group."""
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    fields = ["S", str(parent), *(["0"] * 17), str(1000 + pid)]
    (folder / "stat").write_text(f"{pid} (a b) {' '.join(fields)}\n")
    (folder / "status").write_text(f"Name:\tx\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nVmSize:\t 1 kB\n")
    (folder / "cgroup").write_text("0::/\n")


@pytest.fixture
def removable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups go with their files, as the kernel's do."""

    def remove(group: Path) -> None:
        for file in group.iterdir():
            if file.is_file():
                file.unlink()
        group.rmdir()

    monkeypatch.setattr(changes, "remove_folder", remove)
