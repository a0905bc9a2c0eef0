"""Nodes are drained some in a command, and read back together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fsconsole.recording.audit import Result
from fsconsole.slurm.node_change import NodeChange, NodeVerb
from fsconsole.targets.slurm.action_callbacks import ActionCallbacks
from fsconsole.targets.slurm.node_actions import act
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.tools import Answer
from tests.slurm.fake.as_text import node_lines
from tests.texts import wording

NAMES = tuple(f"n{number}" for number in range(1, 251))
_OTHER = wording("slurm.reason-has-changed-since-it", now="drained (fan)")
REFUSED = "slurm_update error: Invalid user id"


class Cluster:
    """250 idle nodes; those of `deaf` do not become drained."""

    def __init__(self, deaf: Sequence[str] = (), error: str = "") -> None:
        self.calls: list[tuple[str, ...]] = []
        self._deaf, self._error = deaf, error
        self._state = dict.fromkeys(NAMES, "idle")

    def __call__(self, command: Sequence[str], *, limit_s: float = 0.0) -> Answer:
        assert limit_s > 0
        self.calls.append(tuple(command))
        if "show" in command:
            lines = (f"{name}|batch|{state}|8|0/8/0/8|fan\n" for name, state in self._state.items())
            return Answer(tuple(command), 0, node_lines("".join(lines)))
        for name in command[2].removeprefix("NodeName=").split(","):
            if name not in self._deaf:
                self._state[name] = "drained"
        return Answer(tuple(command), int(bool(self._error)), "", self._error, problem=self._error)


def _act(cluster: Cluster, names: Sequence[str], **more: object) -> tuple[ActionReport, ...]:
    callbacks = ActionCallbacks(**{"pause": lambda _gap_s: False, **more})  # type: ignore[arg-type]
    return act(cluster, NodeChange(NodeVerb.DRAIN, tuple(names), "fan"), callbacks)


def test_many_nodes_take_few_commands() -> None:
    cluster, begun = Cluster(), list[str]()

    def begin(node: str, _command: tuple[str, ...]) -> str:
        begun.append(node)
        return ""

    reports = _act(cluster, [*NAMES, "n999"], begin=begin)
    assert [report.on for report in reports] == [*NAMES, "n999"]
    assert {report.result for report in reports[:-1]} == {Result.DONE}
    assert reports[-1].text == wording("targets.slurm.slurmctld-has-no-such-node")
    assert tuple(begun) == NAMES
    assert ["show" in call for call in cluster.calls] == [True, *[False, True] * 3]


def test_each_node_of_a_command_has_its_own_result() -> None:
    reports = _act(Cluster(deaf=("n2",), error=REFUSED), ("n1", "n2", "n3"))
    assert [report.result for report in reports] == [Result.DESPITE, Result.REFUSED, Result.DESPITE]
    assert reports[1].text == wording(
        "targets.slurm.only-operators-and-administrators-may", verb="drain", refusal=REFUSED
    )


def test_what_is_not_logged_is_not_sent() -> None:
    cluster = Cluster()

    def begin(node: str, _command: tuple[str, ...]) -> str:
        return "disk full" if node == "n2" else ""

    reports = _act(cluster, ("n1", "n2", "n3"), begin=begin)
    assert [report.result for report in reports] == [Result.DONE, Result.NOT_SENT, Result.NOT_SENT]
    assert cluster.calls[1][2] == "NodeName=n1"


@pytest.mark.parametrize("verb", NodeVerb)
def test_what_a_plan_is_compared_with_is_what_is_acted_on(verb: NodeVerb) -> None:
    change, seen = NodeChange(verb, ("n1", "n999"), "fan"), list[ActionReport]()

    def check(reports: tuple[ActionReport, ...]) -> None:
        seen.extend(reports)
        raise ValueError("another plan")

    cluster = Cluster()
    with pytest.raises(ValueError, match="another plan"):
        act(cluster, change, ActionCallbacks(check=check))
    assert tuple(seen) == act(cluster, change, dry_run=True)
    assert all("show" in call for call in cluster.calls)


def test_a_resume_ends_only_the_states_that_were_seen() -> None:
    cluster = Cluster()
    cluster._state |= dict.fromkeys(("n1", "n2", "n3"), "drained")
    was = {"n1": "drained (fan)", "n2": "drained (reboot)", "n3": "draining (fan)"}
    change = NodeChange(NodeVerb.RESUME, ("n1", "n2", "n3"), was=was)
    reports = act(cluster, change, dry_run=True)
    assert [_OTHER in report.text for report in reports] == [False, True, True]
    reports = act(cluster, change, ActionCallbacks(pause=lambda _gap_s: True))
    assert [report.text for report in reports[1:]] == [_OTHER] * 2
    assert [report.result for report in reports[1:]] == [Result.REFUSED] * 2
