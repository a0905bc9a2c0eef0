"""Answers about a cluster of which a part could be read once, and not again: each says how old that is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.app.forecast.cluster import live_cluster
from fsconsole.app.forecast.question import Question
from fsconsole.app.forecast.sentences import assumptions
from fsconsole.app.slurm_why.account import why_account
from fsconsole.app.slurm_why.associations import why_user
from fsconsole.app.slurm_why.facts import facts_of_state
from fsconsole.resources import resource
from fsconsole.targets.slurm.gaps import old_words
from fsconsole.targets.slurm.state import PartName
from tests.slurm.capture_state import state_of

_PROBLEM = "squeue: Socket timed out"


@pytest.mark.parametrize("part", [*PartName])
def test_each_answer_says_which_part_is_old(part: PartName) -> None:
    state = state_of(resource("slurm-capture"))
    parts = {**state.parts, part: replace(state.parts[part], problem=_PROBLEM)}
    old = replace(state, parts=parts)
    (sentence,) = old_words(old).values()
    assert _PROBLEM in sentence
    facts, cluster = facts_of_state(old), live_cluster(old)
    assert sentence in why_account(facts, "science").remarks
    assert sentence in why_user(facts, "anna@ocean").remarks
    assert cluster is not None
    assert cluster.settings is not None
    row = cluster.row("ocean/anna")
    asked = Question(cluster, row, (), (), None, None, cluster.settings, cluster.damping, None)
    assert sentence in assumptions(asked)


def test_nothing_is_said_of_what_is_new() -> None:
    assert old_words(state_of(resource("slurm-capture"))) == {}
