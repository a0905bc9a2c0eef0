"""Output that is damaged anywhere: what is left is read, what is not is said with its line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.slurm.cluster_tree import share_tree
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.findings import MOST, Listing
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.scontrol_node import read_scontrol_node
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.parsers.scontrol_reservation import read_scontrol_reservation
from fsconsole.slurm.parsers.sinfo import read_sinfo
from fsconsole.slurm.parsers.sprio import read_sprio
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.squeue_text import FIELDS_BEFORE, read_squeue_text
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.slurm.captured import ASSOC_COLUMNS, SPRIO_COLUMNS, captured
from tests.texts import refuses_naming

Read = Callable[[str], object]

READERS: dict[str, tuple[Read, str]] = {
    "assoc tree": (lambda text: share_tree(read_assoc(text, "lab")), captured("odd/assoc-tree.psv")),
    "assoc ids": (lambda text: share_tree(read_assoc(text, "lab")), captured("odd/assoc-tree-ids.psv")),
    "assoc bare": (lambda text: read_assoc(text, columns=ASSOC_COLUMNS), captured("plain/assoc-ids.psv")),
    "qos": (read_qos, captured("plain/qos.psv")),
    "sshare": (read_sshare, captured("running.psv")),
    "squeue": (read_squeue, captured("plain/squeue.json")),
    "squeue text": (
        lambda text: read_squeue_text(text, 1_795_349_180.0, fields=FIELDS_BEFORE),
        captured("odd/squeue-O.txt"),
    ),
    "job": (read_scontrol_job, captured("odd/scontrol-show-job.txt")),
    "job in a line": (read_scontrol_job, captured("odd/scontrol-show-job-oneline.txt")),
    "partition": (read_scontrol_partition, captured("plain/scontrol-show-partition.txt")),
    "config": (read_scontrol_config, captured("plain/scontrol-show-config.txt")),
    "node": (read_scontrol_node, captured("plain/scontrol-show-node.txt")),
    "sinfo": (read_sinfo, captured("odd/sinfo-o.psv")),
    "reservation": (read_scontrol_reservation, captured("odd/scontrol-show-reservation.txt")),
    "sprio": (read_sprio, captured("plain/sprio-l.txt")),
    "sprio bars": (lambda text: read_sprio(text, SPRIO_COLUMNS), captured("plain/sprio.psv")),
}

# What is apt to be taken for something that it is not.
NASTY = st.sampled_from(
    [
        *("|", "\n", " ", "=", '"', "{", "}", "[[[[", "-1", "1e999", "NaN", "null", "true"),
        "9" * 25,
        "9" * 5000,
        "٣",
        "²",
        "\0",
        "\r",
        "\u2028",
        "\ufeff",
        "\\ud800",
        "JobId=",
        "0000-00-00T00:00:00",
        "9999-12-31T23:59:59",
    ]
)
DAMAGE = st.tuples(st.floats(0, 1), st.integers(0, 60), st.one_of(NASTY, st.text(max_size=4)))


def _damaged(text: str, damages: Sequence[tuple[float, int, str]]) -> str:
    for where, length, other in damages:
        place = int(where * len(text))
        text = text[:place] + other + text[place + length :]
    return text


def _problems(read: Read, text: str) -> Sequence[Problem]:
    try:
        found = read(text)
    except ScenarioError as error:
        return error.problems or pytest.fail("an error without a message")
    return found.problems if isinstance(found, Listing) else ()


@pytest.mark.parametrize("name", READERS)
@given(damages=st.lists(DAMAGE, min_size=1, max_size=4))
def test_damage_is_read_or_said(name: str, damages: list[tuple[float, int, str]]) -> None:
    read, text = READERS[name]
    damaged = _damaged(text, damages)
    for problem in _problems(read, damaged):
        assert 0 <= problem.line <= damaged.count("\n") + 1
        assert problem.text
        assert len(str(problem)) < 1000


def test_shares_beyond_all_numbers_are_refused() -> None:
    for digits in ("9" * 25, "9" * 5000, "4294967296"):
        with refuses_naming(ScenarioError, "line 3", "column 0", "error: ", "RawShares is"):
            read_sshare(f"Account|User|RawShares\nroot||\n bio||{digits}\n")


@pytest.mark.parametrize("name", READERS)
@given(end=st.floats(0, 1))
def test_an_output_that_is_cut_off_is_read_or_said(name: str, end: float) -> None:
    read, text = READERS[name]
    _problems(read, text[: int(end * len(text))])


@pytest.mark.parametrize("name", READERS)
@given(text=st.text(max_size=200))
def test_any_text_is_read_or_said(name: str, text: str) -> None:
    _problems(READERS[name][0], text)


@pytest.mark.parametrize("name", [name for name in READERS if name not in ("config", "sshare")])
def test_of_much_damage_little_is_kept(name: str) -> None:
    read, text = READERS[name]
    head = text[: text.index("\n") + 1]
    assert len(_problems(read, head + "x|y=z\n" * 20_000)) <= MOST + 1
