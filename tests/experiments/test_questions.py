"""Each experiment answers one question, and none of the questions is without an experiment."""

from __future__ import annotations

import pytest

from fsconsole.experiments.questions import QUESTIONS, by_paper, by_question, question_of
from fsconsole.experiments.registry import experiments
from tests.texts import wording


def test_all_experiments_stand_once_in_either_order() -> None:
    known = experiments()
    names = sorted(one.name for one in known)
    for groups in (by_paper(known), by_question(known)):
        assert sorted(one.name for _, items in groups for one in items) == names
    assert [question for question, _ in by_question(known)] == list(QUESTIONS)


def test_the_longest_beginning_decides() -> None:
    assert question_of("junglas-2") == wording("experiments.who-is-entitled-to-how")
    assert question_of("junglas-6") == wording("experiments.how-fast-does-it-correct")
    with pytest.raises(KeyError):
        question_of("nothing-known")
