"""What is shown of a change set at each stage of applying it."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.app.cluster.apply_view import ApplyView, outcome
from fsconsole.app.cluster.preview import ChangeSetPreview
from fsconsole.recording.audit import Result
from fsconsole.slurm.change_set import Change, ChangeSet, Verb
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
from fsconsole.text.words import count_words
from tests.texts import says, wording

FIRST = Change(Verb.SET, 1, "bio", "30", "40", ("sacctmgr",), notes=("it is used now",))
BLOCKED = Change(Verb.REMOVE, 2, "hep", "20", "", ("sacctmgr",), obstacle="2 jobs of it run")
VIEW = ApplyView("lab", ChangeSetPreview(ChangeSet((FIRST, BLOCKED))))


def report_of(*results: Result) -> ApplyReport:
    return ApplyReport(tuple(ChangeReport(FIRST, result) for result in results), ChangeSet())


def test_before_it_is_applied_it_is_a_question_with_what_stands_in_the_way() -> None:
    assert VIEW.heading == wording("app.cluster.apply-to", what="2 changes", cluster="lab")
    assert VIEW.verb.split() == ["&Apply", "1", "change"]
    one = count_words(1, "change is")
    assert says(VIEW.obstacles.splitlines()[0], "app.cluster.expected-to-fail", count=one)
    assert VIEW.obstacles.splitlines()[0].endswith("skipped:")
    assert BLOCKED.obstacle in VIEW.obstacles
    assert VIEW.explanation.splitlines()[1].split(": ") == [FIRST.on, f"{FIRST.notes[0]}."]
    assert VIEW.can_be_sent
    insisting = replace(VIEW, insists=True)
    assert insisting.verb.split() == ["&Apply", "2", "changes"]
    assert insisting.obstacles.splitlines()[0] == wording("app.cluster.expected-to-fail", count=one, value="")


def test_nothing_is_sent_while_it_runs_is_done_or_is_computed() -> None:
    for other in ({"is_running": True}, {"report": report_of(Result.DONE)}, {"is_computing": True}):
        assert not replace(VIEW, **other).can_be_sent
    assert replace(VIEW, is_computing=True, is_rollback=True).can_be_sent
    only_blocked = replace(VIEW, staged=ChangeSetPreview(ChangeSet((BLOCKED,))))
    assert not only_blocked.can_be_sent
    assert replace(only_blocked, insists=True).can_be_sent


def test_headings_follow_the_stages() -> None:
    done = report_of(Result.DONE)
    assert replace(VIEW, is_running=True).heading == wording(
        "app.cluster.applying-to", what="2 changes", cluster="lab"
    )
    assert replace(VIEW, report=done).heading.split() == ["Applied", "to", "lab"]
    assert replace(VIEW, is_rollback=True).heading == wording(
        "app.cluster.roll-back-on", what="2 changes", cluster="lab"
    )
    undone = replace(VIEW, is_rollback=True, report=done).heading
    assert undone.split() == ["Rolled", "back", "on", "lab"]
    assert replace(VIEW, report=done).obstacles == ""


def test_the_colour_of_an_outcome_is_that_of_the_worst_row() -> None:
    assert outcome(report_of(Result.DONE, Result.DONE))[1] == "ok"
    assert outcome(report_of(Result.DONE, Result.REFUSED))[1] == "danger"
    warning = "sshare is old."
    answer = outcome(replace(report_of(Result.DONE), warnings=(warning,)))
    assert answer == (f"{outcome(report_of(Result.DONE))[0]} {warning}", "warn")
