"""Keeping what the tools of a cluster say, so that `replay.py` can say it again on any machine."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from fsconsole.shares.files import write_atomic
from fsconsole.targets.slurm.reading import Reader, commands
from fsconsole.targets.slurm.replay import FORMAT, MANIFEST
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Tools

_LIMIT_S = 300.0  # sshare alone takes half a minute for 50,000 associations


@dataclass(frozen=True, slots=True)
class Captured:
    """What was kept: the cluster, the files, and what could not be asked, in sentences."""

    cluster: str
    files: tuple[Path, ...]
    problems: tuple[str, ...]


def capture(tools: Tools, folder: Path) -> Captured:
    """Ask a cluster for all that the console reads, and keep the answers in a folder.

    ToolError where the cluster does not say its name; OSError where the folder cannot be written.
    """
    cluster = str(Reader(tools).read(PartName.SETTINGS).value.cluster)
    captured_s = time.time()
    folder.mkdir(parents=True, exist_ok=True)
    kept, files, problems = [], [], []
    for part, command in commands(cluster).items():
        answer = tools.run(command, limit_s=_LIMIT_S, most_bytes=256 << 20)
        if answer.was_cut or answer.timed_out or answer.was_stopped:
            problems.append(answer.problem)
            continue
        if answer.problem:
            problems.append(answer.problem)
        path = folder / f"{part}.txt"
        write_atomic(path, answer.stdout)
        files.append(path)
        row = {"command": list(command), "file": path.name, "rc": answer.rc, "stderr": answer.stderr}
        kept.append(row)
    manifest = {"format": FORMAT, "cluster": cluster, "captured_s": round(captured_s), "answers": kept}
    write_atomic(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return Captured(cluster, tuple(files), tuple(problems))
