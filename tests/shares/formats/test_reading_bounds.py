"""A file that nests or lists too much is refused with its line."""

from contextlib import suppress
from time import process_time

import pytest

from fsconsole.shares.formats import format_named, moab, pbs, reading, slurm_dump
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import Kind
from tests.texts import refuses


def _chain(levels: int) -> str:
    return "".join(f"g{i} {i + 2} {f'g{i - 1}' if i else 'root'} 1\n" for i in range(levels))


def test_resource_groups_nested_too_deep_are_refused_with_the_line() -> None:
    pbs._read(_chain(MAX_DEPTH)).tree()
    with pytest.raises(ScenarioError) as caught:
        pbs._read(_chain(MAX_DEPTH + 100)).tree()
    assert [problem.line for problem in caught.value.problems] == [MAX_DEPTH + 2]


def test_too_many_nodes_stop_the_reading_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_NODES", 2)
    taken = Reading("csv")
    taken.add(taken.root, "a", Kind.USER, 1)
    taken.add(taken.root, "b", Kind.USER, 2)
    with refuses(ScenarioError, "shares.formats.more-than-nodes-which-is", most="2"):
        taken.add(taken.root, "c", Kind.USER, 3)


def test_a_dump_of_slurm_has_the_same_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    def dump(levels: int) -> str:
        rows = [f"Parent - 'a{i}'\nAccount - 'a{i + 1}':Fairshare=1\n" for i in range(levels)]
        return "".join(["Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a0':Fairshare=1\n", *rows])

    slurm_dump.read(dump(MAX_DEPTH - 1))
    with refuses(ScenarioError, "shares.formats.nested-deeper-than-levels-which", max_depth="400") as caught:
        slurm_dump.read(dump(MAX_DEPTH + 100))
    assert [problem.line for problem in caught.value.problems] == [2 * MAX_DEPTH + 5]
    monkeypatch.setattr(reading, "MAX_NODES", 2)
    with refuses(ScenarioError, "shares.formats.more-than-nodes-which-is", most="2") as caught:
        slurm_dump.read(dump(3))
    assert [problem.line for problem in caught.value.problems] == [7]


def test_members_of_moab_are_counted_before_they_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_NODES", 3)
    moab._read("FSTREE[top] SHARES=1 MEMBERLIST=user:a,user:b\n").tree()
    with refuses(ScenarioError, "shares.formats.more-than-nodes-which-is", most="3") as caught:
        moab._read("\nFSTREE[top] SHARES=1 MEMBERLIST=user:a,user:b,user:c,user:d,user:e\n")
    assert [problem.line for problem in caught.value.problems] == [2]


_MANY = 20_000
_QUEUE = "<queue name='a'>{}</queue>"
_REPEATED = {
    "pbs": "chem 50 root 60 # one\n" + "chem 50 root 60 # more\n" * _MANY,
    "yarn-fair": f"<allocations>{_QUEUE.format('<maxResources>1</maxResources>' * _MANY)}</allocations>",
    "yarn-fair top": f"<allocations>{_QUEUE}{'<userMaxApps>1</userMaxApps>' * _MANY}</allocations>",
    "slurm": f"Cluster - 'c':Fairshare=1{':MaxJobs=1' * _MANY}\nParent - 'root'\nAccount - 'a':Fairshare=1\n",
    "htcondor": "GROUP_NAMES = a\n" + "# x\nGROUP_QUOTA_a = 1\n" * _MANY,
}


@pytest.mark.parametrize("name", _REPEATED)
def test_what_is_repeated_on_one_node_takes_time_in_proportion(name: str) -> None:
    """12,000 of them took more than 25 s."""
    begun = process_time()
    with suppress(ScenarioError):
        format_named(name.partition(" ")[0]).read(_REPEATED[name])
    assert process_time() - begun < 8.0


def test_repeated_keys_have_numbers_without_gaps() -> None:
    taken = Reading("csv")
    node = taken.add(taken.root, "a", Kind.USER, 1)
    node.foreign["csv.b#3"] = "there"
    for number in range(4):
        taken.keep(node, "b", str(number))
    assert node.foreign == {"csv.b#3": "there", "csv.b": "0", "csv.b#2": "1", "csv.b#4": "2", "csv.b#5": "3"}
