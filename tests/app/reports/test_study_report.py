"""The report of a study says what `study show` says."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from fsconsole.app.reports.document import Report, Section, Table
from fsconsole.app.reports.study_findings import findings
from fsconsole.app.reports.study_report import study_report
from fsconsole.app.study.choice import trace_facts
from fsconsole.app.study.paper_tables import paper_tables
from fsconsole.app.study.reading import read_state
from fsconsole.app.study.rows import mean_rows, study_rows, with_significance
from fsconsole.app.study.significance import UnknownPolicyError, significance_of
from fsconsole.app.study.user_tests import user_tests
from fsconsole.batch.insight.user_types import find_user_types
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.traces.write_swf import write_swf
from tests.batch.measures.schedules import kth_jobs
from tests.batch.study.small import HereExecutor, run_kth_and_a_month, write_small
from tests.texts import refuses, says, wording


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    """Seven months of KTH under three policies."""
    path = tmp_path_factory.mktemp("months")
    write_swf(kth_jobs(), path / "kth.swf")
    names = ", ".join(f"1997-0{month}" for month in range(1, 8))
    (path / "study.yaml").write_text(
        "version: 1\nname: Months of KTH\nabout: What a day's window does.\n"
        f"workloads: [{{trace: kth.swf, procs: 100, months: [{names}]}}]\n"
        "policies: [fcfs-backfill, lxf-backfill, {policy: relshare, window: 1d}]\n"
    )
    return run_study(read_study(path / "study.yaml"), path / "results", HereExecutor())


@pytest.fixture(scope="module")
def report(folder: StudyFolder) -> Report:
    return study_report(folder)


def _section(report: Report, title: str) -> Section:
    return next(section for section in report.sections if section.title == title)


def _table(section: Section, title: str) -> Table:
    return next(table for table in section.tables if table.title.startswith(title))


def test_findings_begin_with_the_question_and_name_the_best(report: Report, folder: StudyFolder) -> None:
    known = significance_of(folder.summary(), folder)
    waits = folder.summary().group_by("policy", maintain_order=True).agg(pl.col("avg_wait_h").mean())
    best = waits.sort("avg_wait_h").row(0, named=True)
    runs = wording("app.reports.on", policies="3 policies", workloads="7 workloads")
    assert report.findings[:2] == (
        folder.spec.about,
        wording("app.reports.of-done", runs=runs, count="21", cells="21 cells"),
    )
    sentence = next(one for one in report.findings if one.startswith("Lowest average wait:"))
    interval = known.interval(best["policy"], "avg_wait_h")
    assert f"{best['policy']}, {best['avg_wait_h']:.2f} h" in sentence
    ends = f"{interval.low:.2f} to {interval.high:.2f}"
    assert ends in sentence
    tied = known.tied["avg_wait_h"] - {best["policy"]}
    assert bool(says(sentence, "app.reports.no-significant-difference-from-it")) == bool(tied)


def test_where_all_policies_are_equal_none_is_called_best(folder: StudyFolder) -> None:
    state = read_state(folder, "x", "")
    same = pl.lit(0.0), pl.lit(2)
    summary = state.summary.with_columns(same[0].alias("max_wait_h"), same[1].alias("over_shared"))
    equal = replace(state, summary=summary)
    shown = findings(equal, mean_rows(equal.numbers), significance_of(summary, folder))
    assert says(shown, "app.reports.under-all-policies", called="Maximum wait", value="0.0 h", rows="3")
    assert says(shown, "app.reports.under-all-policies", value="2", rows="3")
    assert not any(one.startswith("Lowest") and "maximum wait" in one for one in shown)


def test_intervals_stand_below_their_values_in_a_line(report: Report, folder: StudyFolder) -> None:
    known = significance_of(folder.summary(), folder)
    table = _table(_section(report, "Tables"), "Means over all workloads")
    column = table.headers.index("Avg wait, h")
    place = next(at for at, row in enumerate(table.rows) if row[0] == "LXF-backfill")
    interval = known.interval("LXF-backfill", "avg_wait_h")
    assert table.rows[place + 1][column] == f"{interval.low:.2f}\N{EN DASH}{interval.high:.2f}"


def test_differences_are_those_of_the_significance(report: Report, folder: StudyFolder) -> None:
    known = significance_of(folder.summary(), folder)
    table = _table(_section(report, "Tables"), "Avg wait, h: difference from FCFS-backfill")
    rows = {row[0]: row for row in table.rows}
    for policy in ("LXF-backfill", "RelShare(1d)"):
        one = known.contrasts[policy, "avg_wait_h"]
        assert rows[policy][3] == f"{one.p_adjusted:.4f}"
        assert rows[policy][5:7] == (str(one.lower), str(one.higher))
        assert rows[policy][7] == ("decided" if one.is_decided else "not decided")


def test_tables_wider_than_the_page_go_on_below_with_all_policies(
    report: Report, folder: StudyFolder
) -> None:
    """The table of users who lose under RelShare ended before the columns of RelShare."""
    paper = _section(report, "Tables of the paper")
    made = {table.name: table for table in paper_tables(read_state(folder, "", ""))}
    for name in ("Table II(a)", "Table IV(a)"):
        parts = [part for part in paper.tables if part.title.startswith(name)]
        assert [part.title for part in parts[1:]] == [f"{name}, continued"] * (len(parts) - 1)
        assert all(len(part.headers) <= 10 and part.headers[0] == "User" for part in parts)
        shown = {pair for part in parts for pair in zip(part.groups, part.headers, strict=True)}
        frame = made[name].frame
        known = [one for one in made[name].columns if not frame[one.name].is_null().all()]
        assert shown == {(column.group, column.own_heading) for column in known}
        assert ("RelShare(1d)", "MaxW, h") in shown


def test_what_columns_have_in_common_is_reported_once_above_them(report: Report) -> None:
    """Each column of Table V was headed "Under-shared" and the policy, in words that ran into each other."""
    paper = _section(report, "Tables of the paper")
    (shared,) = (part for part in paper.tables if part.title.startswith("Table V: "))
    assert ("RelShare(1d)", "Under-shared, %") in zip(shared.headers, shared.groups, strict=True)
    deviations = next(part for part in paper.tables if part.title.startswith("Table VII"))
    assert list(deviations.spans()) == []  # one column each: the policy stands in the heading
    assert ["RelShare(1d)", "dev,", "node-h"] in [header.split() for header in deviations.headers]


def test_users_who_suffer_are_named_with_their_reasons(report: Report, folder: StudyFolder) -> None:
    base, run = (
        next(cell for cell in folder.finished() if cell.policy.label == label)
        for label in ("FCFS-backfill", "RelShare(1d)")
    )
    before, now = folder.month_run(base), folder.month_run(run, reservations=True)
    found = find_user_types(
        before.schedule, now.schedule, now.measured, now.period, base_measured=before.measured
    )
    text = _section(report, "Users who suffer under RelShare(1d)").text
    assert found
    assert {f"{user.kind}. {user.reason}" for user in found} <= set(text)


def test_users_whose_waits_grow_most_are_named_with_their_verdict(whole: StudyFolder) -> None:
    cells = tuple(cell for cell in whole.cells() if cell.period is None)
    state = replace(read_state(whole), cells=cells, users=whole.users(cells))
    known = significance_of(whole.summary(cells), whole)
    tests = user_tests(state.users, whole, "RelShare(1d)", known.reference).frame
    most = tests.filter(pl.col("verdict") != "too few").sort("difference", descending=True).row(0, named=True)
    sentence = next(
        one for one in findings(state, (), known) if one.startswith("The average wait grows most")
    )
    message = (
        f"user {most['user']} (+{most['difference']:.1f} h, p = {most['p_adjusted']:.4f}, {most['verdict']})"
    )
    begin = wording("app.reports.grows-most-for", called="average wait", named=message).rstrip(".")
    assert sentence.startswith(begin)


def test_all_that_is_needed_to_do_it_again_is_in_it(report: Report) -> None:
    again = _section(report, "Commands of this report")
    assert again.commands[0].splitlines() == [
        wording("app.reports.fsconsole-study-run-study-yaml", name="results"),
        wording("app.reports.fsconsole-study-report-out-report", name="results", options=""),
    ]
    windows = [line.partition("window: ")[2] for line in again.commands[1].splitlines()]
    assert "1 d" in windows
    policies = _table(_section(report, "Runs of the study"), "Policies")
    assert policies.rows[2][:2] == ("RelShare(1d)", "relshare")
    assert says(policies.note, "app.reports.same-for-all-cells-it")
    # One window: means and figure 1 alone.
    assert len(report.figures) == 8


def test_figures_of_means_have_intervals_and_say_so(report: Report) -> None:
    section = _section(report, "Figures")
    assert section.text == (wording("app.reports.lines-on-bars-and-bands"),)
    mean = section.figures[0].spec
    title, intervals = mean.title.split(". ")
    assert title == wording(
        "figures.mean-over",
        title=wording("figures.average-bounded-slowdown"),
        interval_units="7 months",
    )
    assert intervals.split() == ["95", "%", "intervals", "over", "7", "months"]
    low, high = (float(edge[0]) for edge in mean.curves[0].band)
    assert low < float(mean.curves[0].y[0]) < high
    names = {curve.name for figure in section.figures for curve in figure.spec.curves}
    # No short names without a key.
    assert names == {"FCFS-backfill", "LXF-backfill", "RelShare(1d)"}


def test_users_whose_waits_change_most_stand_in_a_table_with_interval_and_p(
    report: Report, folder: StudyFolder
) -> None:
    waits, slowdowns = _section(report, "Users under RelShare(1d)").tables
    assert waits.title == (wording("cli.average-wait-h") + ": " + "RelShare(1d) " + "minus FCFS-backfill")
    assert 0 < len(waits.rows) <= 10
    tests = user_tests(read_state(folder).users, folder, "RelShare(1d)", "FCFS-backfill").frame
    tested = tests.filter(pl.col("verdict") != "too few")
    most = tested.sort("difference", descending=True).row(0, named=True)
    assert waits.rows[0][0] == most["user"]
    assert waits.rows[0][4:6] == (f"{most['p_value']:.4f}", f"{most['p_adjusted']:.4f}")
    assert says(waits.note, "app.reports.largest-differences-of-with-jobs")
    assert {len(row) for row in (*waits.rows, *slowdowns.rows)} == {len(waits.headers)}


def test_it_is_held_against_another_policy(folder: StudyFolder) -> None:
    report = study_report(folder, against="LXF-backfill")
    assert any(
        says(sentence, "app.reports.difference-from", reference="LXF-backfill")
        for sentence in report.findings
    )
    commands = _section(report, "Commands of this report").commands
    assert "--against LXF-backfill" in commands[0]
    with pytest.raises(UnknownPolicyError):
        study_report(folder, against="SJF-something")


def test_a_study_of_one_run_says_why_it_has_no_intervals(tmp_path: Path) -> None:
    small = run_study(read_study(write_small(tmp_path)), tmp_path / "out", HereExecutor())
    report = study_report(small)
    reason = "there is one cell per policy, too short to divide into weeks"
    assert report.findings[-1].split(": ") == ["No intervals", f"{reason}."]
    assert not any("decided" in sentence for sentence in report.findings)
    notes = {table.note for section in report.sections for table in section.tables}
    assert says(notes, "app.reports.best-of-its-column")
    assert not any("intervals" in note for note in notes)


def test_what_the_runs_leave_out_of_a_trace_is_said_in_jobs(tmp_path: Path) -> None:
    spec = read_study(write_small(tmp_path))
    trace = tmp_path / "small.swf"
    unlimited = trace.read_text()
    trace.write_text(re.sub(r" -1 -1 1 (\d -1)", r" 90000 -1 1 \1", unlimited))
    limited = run_study(spec, tmp_path / "out", HereExecutor())
    words = f"{wording('batch.traces.not-modelled-here')}time limits of 40 jobs"
    assert limited.not_modelled == (f"small.swf: {words}.",)
    assert study_report(limited).findings[-1] == limited.not_modelled[0]
    assert trace_facts(str(trace)).faults[-1] == words
    trace.write_text(unlimited)
    free = run_study(spec, tmp_path / "free", HereExecutor())
    assert free.not_modelled == ()
    assert not says(study_report(free).findings, "batch.traces.not-modelled-here")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    """KTH as a whole and a month of it, under two policies."""
    return run_kth_and_a_month(tmp_path_factory.mktemp("whole"))


def test_counts_of_a_whole_run_are_not_said_to_be_tested(whole: StudyFolder) -> None:
    for cell in whole.cells()[2:]:
        whole.forget(cell)
    state = replace(read_state(whole), cells=whole.cells()[:2])
    known = significance_of(state.summary, whole)
    rows = with_significance(study_rows(state.numbers), known)
    shown = findings(state, rows, known)
    counted = next(one for one in shown if one.startswith("Lowest number of over-shared users"))
    waits = next(one for one in shown if one.startswith("Lowest maximum wait"))
    assert "significantly" in waits
    assert "significantly" not in counted
    assert "ecided" not in counted


def test_nothing_done_is_nothing_to_report(tmp_path: Path) -> None:
    small = run_study(read_study(write_small(tmp_path)), tmp_path / "out", HereExecutor())
    for cell in small.cells():
        small.forget(cell)
    with refuses(StudyError, "batch.study.no-cell-of-study-in"):
        study_report(StudyFolder(tmp_path / "out"))
