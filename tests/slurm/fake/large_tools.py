"""A large cluster behind the fake tools: what they print of it, sshare asked in parts as well."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fsconsole.slurm.parsers.assoc import COLUMNS, read_assoc
from fsconsole.slurm.parsers.squeue_text import FORMAT
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS
from fsconsole.targets.slurm.usage_in_parts import parts_of
from tests.slurm.fake.as_text import squeue_lines
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.fake.large import LargeCluster

MORE = "|normal" + "|" * (len(ASSOC_COLUMNS) - len(COLUMNS) - 1)
"""What stands in a line of sacctmgr behind the columns of the tree: the QOS, and limits that are not set."""


def play(fake: FakeSlurm, cluster: LargeCluster, jobs: int) -> None:
    """Let the tools print a large cluster, with so many jobs, from now on."""
    assoc = cluster.assoc(MORE)
    fake.answer("sacctmgr", "show", "assoc", stdout=assoc)
    table = with_partitions(cluster.sshare().splitlines())
    fake.answer("sshare", stdout=_text(table))
    for part in parts_of(read_assoc(assoc, columns=ASSOC_COLUMNS).tree.account):
        fake.answer("sshare", "-A", ",".join(part), stdout=_text(printed_of(table, part)))
    message = cluster.squeue(jobs, fake.folder / "squeue.json").read_text(encoding="utf-8")
    text = fake.folder / "squeue.txt"
    text.write_text("".join(squeue_lines(message, FORMAT)), encoding="utf-8")
    fake.answer("squeue", "-O", stdout=Path(text))


def with_partitions(lines: Iterable[str]) -> list[str]:
    """What sshare prints with -m: a column Partition, which is empty, behind the user."""
    table = [line.split("|") for line in lines]
    return [
        "|".join((*fields[:2], "" if row else "Partition", *fields[2:])) for row, fields in enumerate(table)
    ]


def printed_of(table: list[str], accounts: Iterable[str]) -> list[str]:
    """What sshare prints with -A: accounts as if nothing were above them, their users below."""
    wanted = frozenset(accounts)
    lines = table[:1]
    for line in table[1:]:
        account, user = line.split("|", 2)[:2]
        if account.strip() in wanted:
            lines.append(f"{' ' if user else ''}{line.strip()}")
    return lines


def _text(lines: Iterable[str]) -> str:
    return "\n".join((*lines, ""))
