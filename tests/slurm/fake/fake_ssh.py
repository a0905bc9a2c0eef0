"""An `ssh` that runs commands here, and whose connection is cut around a change as a test wants it."""

from __future__ import annotations

import stat
from enum import StrEnum
from pathlib import Path

from tests.slurm.fake.fake_slurm import FakeSlurm

# The last argument is the line for the shell at the other end.
_SCRIPT = """\
#!/bin/sh
folder='{folder}'
rules='{rules}'
own=/dev/stderr
before=
for line; do [ "$before" = -E ] && own=$line; before=$line; done
cut() {{ echo 'Connection to login1 closed by remote host.' >> "$own"; exit 255; }}
mode=$(cat "$folder/mode")
if [ "$mode" = down ]; then
  echo 'ssh: connect to host login1 port 22: Connection refused' >> "$own"
  exit 255
fi
case "$line" in
*"sacctmgr -i "* | *scancel* | *"scontrol hold"* | *"scontrol update"*) ;;
*) exec sh -c "$line" ;;
esac
[ "$mode" = well ] && exec sh -c "$line"
echo "$mode" >> "$folder/cuts"
case "$mode" in
before) cut ;;
lost) echo down > "$folder/mode"; cut ;;
esac
sh -c "$line" > /dev/null 2>&1
for rule in "$rules"/*.tmp; do [ -d "$rule" ] && mv "$rule" "${{rule%.tmp}}"; done
[ "$mode" = gone ] && echo down > "$folder/mode"
cut
"""


class Cut(StrEnum):
    """Ways in which the connection behaves."""

    WELL = "well"
    DOWN = "down"  # The host refuses connections.
    BEFORE = "before"  # It is cut before a change, and the next command gets through.
    AFTER = "after"  # It is cut after a change, and the next command gets through.
    LOST = "lost"  # It is cut before a change, and stays so.
    GONE = "gone"  # It is cut after a change, and stays so.


class FakeSsh:
    """A program `ssh` in the folder of the fake tools; the prefix is `ssh login1`.

    Attributes:
        prefix: command prefix that calls it.
    """

    prefix = ("ssh", "login1")

    def __init__(self, slurm: FakeSlurm) -> None:
        """Put the program beside the fake tools; the connection is well at first."""
        self._slurm = slurm
        self.folder: Path = slurm.folder
        script = slurm.bin / "ssh"
        script.write_text(_SCRIPT.format(folder=slurm.folder, rules=slurm.folder / "rules"))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        self.set(Cut.WELL)

    def set(self, cut: Cut) -> None:
        """Set how the connection behaves from now on."""
        made = self.folder / "mode.tmp"
        made.write_text(f"{cut}\n")
        made.rename(self.folder / "mode")

    def answer_afterwards(self, tool: str, *words: str, stdout: str, stderr: str = "", rc: int = 0) -> None:
        """Set what a tool answers once a change has reached the cluster."""
        self._slurm.answer(tool, *words, stdout=stdout, stderr=stderr, rc=rc)
        rule = max(self.folder.joinpath("rules").iterdir())
        rule.rename(rule.with_suffix(".tmp"))

    @property
    def cuts(self) -> int:
        """Number of changes at which the connection was cut."""
        place = self.folder / "cuts"
        return len(place.read_text().split()) if place.exists() else 0
