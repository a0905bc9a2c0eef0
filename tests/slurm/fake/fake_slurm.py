"""Slurm's tools as a test wants them: what they print, how they end, and what they were called with."""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.slurm.fake.known import TOOLS
from tests.slurm.fake.tool import HANGS

Ending = Literal["exit", "hang", "endless"]

_CHECKOUT = Path(__file__).parents[3]
_SCRIPT = """\
#!{python} -IS
import sys
sys.path.insert(0, {checkout!r})
from tests.slurm.fake.tool import main
sys.exit(main())
"""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    tool: str
    argv: tuple[str, ...]
    pid: int
    conf: str

    @property
    def line(self) -> str:
        """The call as a person would have typed it."""
        return " ".join((self.tool, *self.argv))


class FakeSlurm:
    """A folder `bin` to be put first on PATH, with a tool under each of Slurm's names.

    By themselves they answer as the cluster of tests/slurm/captures did (see known.py): `sshare`,
    `sacctmgr show assoc`, `modify ... set fairshare=` (which later calls show), `squeue --json`,
    `scontrol show`, and so on.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "fake-slurm"
        self.bin = self.folder / "bin"
        (self.folder / "rules").mkdir(parents=True)
        self.bin.mkdir()
        script = self.bin / "tool"
        script.write_text(_SCRIPT.format(python=sys.executable, checkout=str(_CHECKOUT)))
        script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        for name in TOOLS:
            (self.bin / name).symlink_to("tool")
        self._rules = 0

    @property
    def environment(self) -> dict[str, str]:
        """The environment to run the tools in, or to run a program in that runs them."""
        path = f"{self.bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return {**os.environ, "PATH": path, "FSCONSOLE_FAKE_SLURM": str(self.folder)}

    @property
    def log(self) -> Path:
        """The file in which the tools record their calls."""
        return self.folder / "calls.jsonl"

    def answer(
        self,
        tool: str,
        *words: str,
        stdout: str | bytes | Path = b"",
        stderr: str | bytes = b"",
        rc: int = 0,
        delay_s: float = 0.0,
        ending: Ending = "exit",
        again: str | bytes = "Y or N please\n",
        is_deaf: bool = False,
        leaves_child: bool = False,
        times: int | None = None,
    ) -> None:
        """Set what a tool answers from now on, before anything that was set earlier.

        Args:
            tool: its name.
            words: arguments that the call must have, in this order, among others.
            stdout: what it prints: text, bytes as they are, or a file to be copied out.
            stderr: what it says there, before.
            rc: exit status; a negative one is the signal it dies of.
            delay_s: time before it says anything.
            ending: what comes after: `exit`; `hang` for ever; `endless` output of `again`.
            again: see `ending`.
            is_deaf: SIGTERM and SIGINT do not end it.
            leaves_child: a process that lives on with stdout and stderr open.
            times: after so many answers the rule is used up; None: never.
        """
        if tool not in TOOLS:
            raise ValueError(f"there is no fake {tool}")
        self._rules += 1
        place = self.folder / "rules" / f"{self._rules:06}"
        made = place.with_suffix(".tmp")
        made.mkdir()
        for name, data in (("stderr", stderr), ("again", again), ("stdout", stdout)):
            (made / name).write_bytes(b"" if isinstance(data, Path) else _bytes(data))
        rule = {
            "tool": tool,
            "words": words,
            "rc": rc,
            "delay_s": delay_s,
            "ending": ending,
            "deaf": is_deaf,
            "leaves_child": leaves_child,
            "times": times,
            "stdout_file": str(stdout) if isinstance(stdout, Path) else "",
        }
        (made / "rule.json").write_text(json.dumps(rule), encoding="utf-8")
        made.rename(place)  # a tool that is started meanwhile sees all of it or nothing

    def slurmdbd_is_down(self, port: int = 6819) -> None:
        """From now on sacctmgr cannot reach the database daemon: at once, exit status 1."""
        text = (
            "sacctmgr: error: slurm_persist_conn_open_without_init: failed to open persistent connection to "
            f"host:127.0.0.1:{port}: Connection refused\n"
            "sacctmgr: error: Sending PersistInit msg: Connection refused\n"
        )
        self.answer("sacctmgr", stderr=text, rc=1)

    def slurmctld_is_down(self, delay_s: float = 0.0) -> None:
        """From now on nothing reaches the controller; real tools say so after 9 s."""
        for tool, rc in (
            ("squeue", 1),
            ("scontrol", 1),
            ("sinfo", 1),
            ("sshare", 255),
            ("sprio", 255),
            ("scancel", 8),
        ):
            words = "Unable to contact slurm controller (connect failure)"
            self.answer(tool, stderr=f"{tool}: error: {words}\n", rc=rc, delay_s=delay_s)

    def permission_is_denied(self) -> None:
        """From now on the caller may change nothing: neither shares nor jobs."""
        self.answer(
            "sacctmgr",
            "modify",
            stderr=(
                "sacctmgr: error: Your user doesn't have privilege to perform this action\n"
                " Error with request: Access/permission denied\n"
            ),
            rc=1,
        )
        self.answer("scancel", stderr="scancel: error: Kill job error: Access/permission denied\n", rc=210)
        self.answer("scontrol", "update", stderr="Access/permission denied\nslurm_update error\n", rc=1)
        for verb in ("suspend", "resume", "hold", "release", "requeue"):
            self.answer("scontrol", verb, stderr="Access/permission denied\n", rc=1)

    def forget(self) -> None:
        """Drop everything that was set; the tools answer by themselves again."""
        rules = self.folder / "rules"
        rules.rename(self.folder / f"rules-{self._rules:06}")
        rules.mkdir()
        (self.folder / "shares.txt").unlink(missing_ok=True)

    @property
    def is_hanging(self) -> bool:
        """True once a tool has printed what it was told to, and hangs."""
        return any((self.folder / "rules").glob(f"*/{HANGS}"))

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call so far, in the order in which they began."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        records = [json.loads(line) for line in lines]
        return tuple(Call(one["tool"], tuple(one["argv"]), one["pid"], one["conf"]) for one in records)


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
