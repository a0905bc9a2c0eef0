"""Laws of consent: an answer holds for what was shown, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from fsconsole.console.kit.consent import ConsentBox, UnsavedWork, may_lose
from tests.laws import tries

# An answer, and how many times the work changes while its question is open.
_ANSWERS = st.lists(
    st.tuples(st.sampled_from(["discard", "save", "cancel"]), st.integers(0, 1)), min_size=1, max_size=12
)


@dataclass
class Desk:
    """Pieces of work by their number of changes; a saved one is no work any more."""

    works: dict[str, int]
    answers: list[tuple[str, int]]
    agreed: set[tuple[str, int]] = field(default_factory=set)
    answered: list[str] = field(default_factory=list)

    def losses(self) -> Iterator[UnsavedWork]:
        for name, changes in list(self.works.items()):
            yield UnsavedWork((name, changes), partial(self.ask, name))

    def ask(self, name: str) -> bool:
        shown = (name, self.works[name])
        answer, more = self.answers.pop(0) if self.answers else ("cancel", 0)
        self.answered.append(answer)
        if answer == "save":
            del self.works[name]
            if more:
                self.works[name] = shown[1] + 1
        else:
            self.works[name] += more
        if answer == "discard":
            self.agreed.add(shown)
        return answer != "cancel"


@given(st.integers(0, 3), _ANSWERS)
def test_all_that_goes_was_given_up_as_it_is(count: int, answers: list[tuple[str, int]]) -> None:
    desk = Desk(dict.fromkeys("abc"[:count], 0), answers)
    if may_lose(desk.losses):
        assert set(desk.works.items()) <= desk.agreed
        assert "cancel" not in desk.answered
    else:
        assert desk.answered[-1] == "cancel"
        assert desk.answered.count("cancel") == 1


def test_no_answer_outlives_the_question_that_failed() -> None:
    desk = Desk({"a": 0}, [("discard", 0), ("discard", 0)])
    assert may_lose(desk.losses)
    assert may_lose(desk.losses)  # what was asked for came to nothing
    assert desk.answered == ["discard", "discard"]


@pytest.mark.usefixtures("look")
@given(st.lists(st.one_of(st.none(), st.tuples(st.integers(0, 2))), max_size=20))
@tries(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_tick_is_for_the_dangers_in_sight(qtbot: QtBot, steps: list[tuple[int] | None]) -> None:
    box = ConsentBox("Send them anyway")
    qtbot.addWidget(box)
    shown, ticked_for = 0, 0
    for step in steps:
        if step is None and shown:  # a user ticks
            box.setChecked(True)
            ticked_for = shown
        elif step is not None:
            (shown,) = step
            box.show_for(shown)
            ticked_for = ticked_for if shown == ticked_for else 0
        assert box.isChecked() is bool(ticked_for)
        assert box.isHidden() is not bool(shown)
