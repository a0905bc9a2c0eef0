from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from fsconsole.app.study.search import findings, result_facts, search_result
from fsconsole.app.study.search_point import study_of_points
from fsconsole.batch.search.folder import SearchFolder
from fsconsole.batch.search.run import run_search
from fsconsole.batch.search.search_file import read_search
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.study_file import read_study
from tests.batch.search.small_search import TEXT, Here, write_search
from tests.batch.study.small import HereExecutor
from tests.texts import refuses, says, wording


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> SearchFolder:
    base = tmp_path_factory.mktemp("search")
    return run_search(read_search(write_search(base)), TEXT, base / "out", Here())


def test_two_months_decide_nothing_and_that_is_reported(folder: SearchFolder) -> None:
    result = search_result(folder)
    reason = wording("app.study.no-intervals-but-at-least", words="2 months", fewest="5")
    assert result.known.reason == reason
    assert f"{reason}." in findings(result)


def test_findings_count_what_meets_the_bounds_in_both_kinds_of_months(folder: SearchFolder) -> None:
    result = search_result(folder)
    settings, points = folder.settings(), folder.points()
    assert points is not None
    meeting = int((settings["share_of_A"] <= 31).sum())
    message = " ".join(findings(result))
    assert re.search(rf"\b{meeting} of them meet\b", message)
    both = points[1:].filter(points[1:]["share_of_A"] <= 31)
    held = int((both["held_out:share_of_A"] <= 31).sum())
    assert says(message, "app.study.listed-points-meet-bounds", meeting=both.height)
    assert says(message, "app.study.also-meet-them-on-held", held=held)


def test_a_space_with_fewer_settings_than_the_budget_is_reported(
    tmp_path: Path, folder: SearchFolder
) -> None:
    text = (
        TEXT[: TEXT.index("space:")]
        + "space:\n  window: [4h, 1d]\n  expected_usage: [true, false]\nbudget: 60\n"
    )
    small = run_search(read_search(write_search(tmp_path, text)), text, tmp_path / "out", Here())
    message = "No more distinct settings were found. The budget of 60 is not used up."
    assert says(findings(search_result(small)), "app.study.tried-on", tried="4 settings", train="2 months")
    assert message in findings(search_result(small))
    assert not any(
        says(line, "app.study.no-more-distinct-settings-were") for line in findings(search_result(folder))
    )


def test_facts_are_json_with_the_held_out_value_beside_the_chosen_one(folder: SearchFolder) -> None:
    facts = json.loads(json.dumps(result_facts(search_result(folder)), allow_nan=False))
    points = folder.points()
    assert points is not None
    assert [row["number"] for row in facts["points"]] == points["number"].to_list()
    assert [row["chosen"]["share_of_A"] for row in facts["points"]] == points["share_of_A"].to_list()
    assert [row["held_out"]["share_of_A"] for row in facts["points"]] == points[
        "held_out:share_of_A"
    ].to_list()
    assert (facts["chosen_on"], facts["held_out"]) == (["1997-01", "1997-02"], ["1997-03"])


def test_ties_are_marked_where_months_do_not_decide(tmp_path: Path) -> None:
    # Five weeks in place of months.
    spans = ", ".join(f"{{from: {7 * week}d, to: {7 * week + 7}d, name: w{week}}}" for week in range(5))
    text = TEXT.replace("train: [1997-01, 1997-02]", f"train: [{spans}]").replace("over: 7d", "over: 1d")
    path = write_search(tmp_path, text)
    result = search_result(run_search(read_search(path), text, tmp_path / "out", Here()))
    assert result.known.reason == ""
    marks = np.array([[result.mark(point, place) for place in range(3)] for point in result.points])
    assert (marks[0] == "").all()  # the baseline is no point of the front
    assert all("*" in column for column in marks.T)
    # With five months at least 2 of 32 ways to flip signs are as far off: no difference can be decided.
    assert set(marks[1:].ravel()) == {"*", "~"}
    ties = int((marks[1:, 0] == "~").sum())
    shown, share_miss = findings(result)[-1], f"{ties} in share miss of A"
    assert says(shown, "app.study.of-these-tie-with-best")
    assert share_miss in shown


def test_a_point_runs_as_a_study_and_comes_to_the_same(folder: SearchFolder, tmp_path: Path) -> None:
    point = search_result(folder).points[1]
    path = study_of_points(folder, [point.number], tmp_path / "point")
    spec = read_study(path)
    stored = run_study(spec, tmp_path / "results", HereExecutor())
    assert isinstance(stored, StudyFolder)
    cells = [cell for cell in stored.finished() if cell.policy.label == point.policy]
    assert [cell.workload.split()[-1] for cell in cells] == ["1997-01", "1997-02", "1997-03"]
    waits = []
    for cell in cells[:2]:
        run = stored.month_run(cell)
        own = run.measured & np.isin(
            run.schedule.jobs.user, [run.schedule.jobs.users.index(user) for user in ("1", "2")]
        )
        waits += (run.schedule.wait_s[own] / 3600).tolist()
    assert np.mean(waits) == pytest.approx(point.chosen[2])


def test_points_of_the_same_shares_come_into_one_study(tmp_path: Path) -> None:
    text = TEXT.replace("    A: {from: 1, to: 100, scale: log}", "    A: [1, 2, 4]\n    others: [3, 6]")
    path = write_search(tmp_path, text)
    folder = run_search(read_search(path), text, tmp_path / "out", Here())
    settings = folder.settings()
    ratio = (settings["set:shares.A"] / settings["set:shares.others"]).to_list()
    numbers = [place + 1 for place, value in enumerate(ratio) if value == 2 / 3][:2]
    other = next(place + 1 for place, value in enumerate(ratio) if value != 2 / 3)
    spec = read_study(study_of_points(folder, numbers, tmp_path / "both"))
    assert [policy.label for policy in spec.policies] == [
        "FCFS-backfill",
        *(settings["policy"][number - 1] for number in numbers),
    ]
    with refuses(StudyError, "app.study.points-and-have-different-shares"):
        study_of_points(folder, [numbers[0], other], tmp_path / "none")
