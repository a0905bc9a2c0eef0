"""Where the captures of Slurm's tools are."""

from __future__ import annotations

from pathlib import Path

from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.sinfo import FORMAT, read_sinfo
from tests.slurm.fake.as_text import sinfo_lines

_FOLDER = Path(__file__).parent / "captures"
OLD_EXAMPLE = Path(__file__).parents[1] / "data" / "slurm" / "old-example"
"""A capture folder of an earlier version."""

IDS = ("id", "parentid", "lft", "rgt", "cluster", "account", "user", "partition", "fairshare", "parentname")
ASSOC_COLUMNS = (*IDS, "defaultqos", "qos")
SPRIO_COLUMNS = (
    "JOBID",
    "PARTITION",
    "USER",
    "PRIORITY",
    "AGE",
    "FAIRSHARE",
    "JOBSIZE",
    "PARTITION",
    "QOS",
    "TRES",
    "NICE",
)


def captured(name: str) -> str:
    """The text of a capture."""
    return (_FOLDER / name).read_bytes().decode()  # Carriage returns in names stay.


def captured_nodes(name: str) -> tuple[ClusterNode, ...]:
    """The nodes of a capture of `sinfo -N -l`."""
    return read_sinfo("".join(sinfo_lines(captured(name), FORMAT))).items


def with_columns(text: str, wanted: tuple[str, ...]) -> str:
    """A table of which only some columns were asked for."""
    rows = [line.split("|") for line in text.splitlines()]
    places = [[name.lower() for name in rows[0]].index(name) for name in wanted]
    return "\n".join("|".join(row[place] for place in places) for row in rows)
