"""Folders that look as the kernel's control groups do, for tests without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.linux import changes
from fsconsole.linux.hierarchy import Hierarchy
from fsconsole.linux.plan import Kind, Step
from fsconsole.shares.cpu_weights import V2

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


@pytest.fixture
def removable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups go with their files, as the kernel's do."""

    def remove(group: Path) -> None:
        for file in group.iterdir():
            if file.is_file():
                file.unlink()
        group.rmdir()

    monkeypatch.setattr(changes, "remove_folder", remove)
