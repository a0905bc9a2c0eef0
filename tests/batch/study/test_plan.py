from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.batch.generate import generate_month, period_of_month
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.months import Period
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.study.bundled import bundled_studies
from fsconsole.batch.study.plan import Plan, key_of, plan_of
from fsconsole.batch.study.spec import MonthWorkload, Span, StudyError, StudySpec, TraceWorkload, resampled
from fsconsole.batch.study.stored_jobs import StoredJobs, digest_of
from fsconsole.batch.study.study_file import read_study
from fsconsole.shares.scenario.problems import ScenarioError
from tests.batch.study.small import swf_text, write_small
from tests.texts import refuses, says, wording


def small(folder: Path, **changes: object) -> StudySpec:
    workload = replace(TraceWorkload("small.swf"), **changes)  # type: ignore[arg-type]
    return replace(read_study(write_small(folder)), workloads=(workload,))


def refused(spec: StudySpec) -> str:
    with pytest.raises(StudyError) as error:
        plan_of(spec)
    return str(error.value)


def test_the_months_of_kth_are_those_that_it_has_nearly_whole() -> None:
    # 23 September 1996 to 29 August 1997: eleven months, and a week of September.
    plan = plan_of(read_study(bundled_studies()["kth-months"]))
    months = list(dict.fromkeys(cell.period.name for cell in plan.cells if cell.period))
    assert months == [f"1996-{month}" for month in (10, 11, 12)] + [f"1997-0{month}" for month in range(1, 9)]
    assert len(plan.cells) == 11 * 8
    (source,) = plan.sources.values()
    assert source.dropped == 8  # jobs of no runtime, says the page of the trace


def test_cells_stand_by_workload_and_then_in_the_order_of_the_policies(tmp_path: Path) -> None:
    spec = small(tmp_path, months=("1996-10", Span("1996-11-01", "1996-11-02", "first")), name="Tiny")
    assert [cell.words for cell in plan_of(spec).cells] == [
        f"{policy} on Tiny {period}"
        for period in ("1996-10", "first")
        for policy in ("FCFS-backfill", "RelShare(4h)", "RelShare(1d)")
    ]


def test_a_resampled_trace_has_a_workload_for_each_seed_and_its_own_months(tmp_path: Path) -> None:
    spec = replace(small(tmp_path, months="all", resample=True), seeds=(1, 2))
    plan = plan_of(spec)
    workloads = list(dict.fromkeys((cell.workload, cell.seed) for cell in plan.cells))
    assert workloads == [(f"small {month}", seed) for seed in (1, 2) for month in ("1996-10", "1996-11")]
    assert all(source.is_resampled for source in plan.sources.values())
    (tmp_path / "plan.json").write_text(plan.to_json())
    assert Plan.read(tmp_path / "plan.json") == plan


def test_users_drawn_more_than_once_have_the_shares_of_their_trace(tmp_path: Path) -> None:
    tree = tmp_path / "tree.yaml"
    tree.write_text(
        "version: 1\ntree: {name: site, children: [{name: '0'}, {name: '1', shares: 2}, {name: '2'}]}\n"
    )
    spec = replace(small(tmp_path, resample=True), seeds=tuple(range(6)), shares=tree)
    stored: dict[str, JobTable] = {}
    plan = plan_of(spec, stored.__setitem__)
    assert any("." in user for jobs in stored.values() for user in jobs.users)
    for digest, jobs in stored.items():
        shares = plan.sources[digest].shares
        assert shares == tuple({"0": 0.25, "1": 0.5, "2": 0.25}[user.split(".")[0]] for user in jobs.users)


def test_resampling_needs_a_trace(tmp_path: Path) -> None:
    spec = resampled(small(tmp_path), 3)
    (workload, *_) = spec.workloads
    assert (spec.name, spec.seeds) == (wording("batch.study.users-resampled", name="Small"), (1, 2, 3))
    assert workload.resample  # type: ignore[union-attr]
    with refuses(StudyError, "batch.study.does-not-have-trace-whose"):
        resampled(replace(spec, workloads=(MonthWorkload("7/03"),)), 3)


def test_a_key_depends_on_all_that_the_result_does_and_on_nothing_else() -> None:
    policy, period = BatchPolicy("relshare"), Period(0, 10, "a")
    keys = [
        key_of("source", 8, period, policy, None),
        key_of("other", 8, period, policy, None),
        key_of("source", 9, period, policy, None),
        key_of("source", 8, Period(0, 11, "a"), policy, None),
        key_of("source", 8, None, policy, None),
        key_of("source", 8, period, replace(policy, window_s=1), None),
        key_of("source", 8, period, replace(policy, carry_reservation=True), None),
        key_of("source", 8, period, policy, (1.0, 2.0)),
        key_of("source", 8, period, policy, None, dropped=1),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of("source", 8, Period(0, 10, "b"), policy, None) == keys[0]


def test_a_trace_packed_otherwise_is_the_same_trace(tmp_path: Path) -> None:
    spec = small(tmp_path)
    first = plan_of(spec)
    (tmp_path / "small.swf").write_text("; Note: nothing\n" + swf_text())
    assert [cell.key for cell in plan_of(spec).cells] == [cell.key for cell in first.cells]
    (tmp_path / "small.swf").write_text(swf_text(every_s=5001))
    assert not {cell.key for cell in plan_of(spec).cells} & {cell.key for cell in first.cells}


def test_a_plan_comes_back_from_its_text(tmp_path: Path) -> None:
    spec = small(tmp_path, months="all")
    tree = "version: 1\ntree: {name: site, children: [{name: '0'}, {name: '1', shares: 2}, {name: '2'}]}\n"
    (tmp_path / "tree.yaml").write_text(tree)
    plan = plan_of(replace(spec, shares=tmp_path / "tree.yaml"))
    (tmp_path / "plan.json").write_text(plan.to_json())
    assert Plan.read(tmp_path / "plan.json") == plan
    (source,) = plan.sources.values()
    assert source.shares == (0.25, 0.5, 0.25)
    assert plan.task(plan.cells[0]).shares == source.shares


def test_jobs_come_back_from_their_files(tmp_path: Path) -> None:
    kept: dict[str, JobTable] = {}
    plan_of(small(tmp_path), lambda digest, jobs: kept.update({digest: jobs}))
    ((digest, jobs),) = kept.items()
    StoredJobs.of(jobs).write(tmp_path / "jobs")
    again = StoredJobs.read(tmp_path / "jobs").table()
    assert digest_of(again) == digest
    assert (again.name, again.users, again.unix_start_s) == (jobs.name, jobs.users, jobs.unix_start_s)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"months": ("1997-01",)}, "the trace has no month '1997-01'. It has months from 1996-10 to 1996-11"),
        ({"months": (Span("1990-01-01", "1990-02-01"),)}, "no job was submitted from 1990-01-01"),
        ({"months": (Span("1996-11-02", "1996-11-01"),)}, "ends before it begins"),
        ({"months": (Span("soon", "later"),)}, "'soon' is not a date"),
        ({"trace": "none.swf"}, "none.swf does not exist, and no such trace comes with the program"),
        ({"procs": 1}, None),
    ],
)
def test_what_a_trace_does_not_have_is_reported(
    changes: dict[str, object], message: str | None, tmp_path: Path
) -> None:
    spec = small(tmp_path, **changes)
    if message is None:  # larger jobs are dropped, and said
        (source,) = plan_of(spec).sources.values()
        assert source.dropped > 0
        assert any("dropped" in line for line in source.report)
    else:
        assert message in refused(spec)


def test_a_machine_of_unknown_size_is_asked_for(tmp_path: Path) -> None:
    spec = small(tmp_path)
    (tmp_path / "small.swf").write_text(swf_text().replace("; MaxProcs: 8\n", ""))
    assert says(refused(spec), "batch.study.its-header-does-not-give")


def test_a_damaged_trace_is_reported_with_its_name(tmp_path: Path) -> None:
    spec = small(tmp_path)
    (tmp_path / "small.swf").write_text("this is no trace\n")
    assert "small.swf" in refused(spec)


def test_the_same_jobs_twice_are_refused(tmp_path: Path) -> None:
    spec = small(tmp_path)
    twice = replace(spec, workloads=(TraceWorkload("small.swf"), TraceWorkload("small.swf", name="again")))
    assert "FCFS-backfill on again is the same as FCFS-backfill on small" in refused(twice)


def test_two_workloads_of_one_name_are_refused(tmp_path: Path) -> None:
    spec = small(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "small.swf").write_text(swf_text(every_s=4000))
    twice = replace(spec, workloads=(TraceWorkload("small.swf"), TraceWorkload("other/small.swf")))
    assert says(refused(twice), "batch.study.two-workloads-have-name-rename", workload="small")


def test_a_tree_without_a_user_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tree.yaml").write_text("version: 1\ntree: {name: site, children: [{name: '0'}]}\n")
    spec = replace(small(tmp_path), shares=tmp_path / "tree.yaml")
    assert "1" in refused(spec)
    assert refused(spec).startswith("small: ")


def test_a_broken_tree_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "tree.yaml").write_text("version: 1\ntre: {}\n")
    with pytest.raises(ScenarioError) as error:
        plan_of(replace(small(tmp_path), shares=tmp_path / "tree.yaml"))
    assert error.value.name.endswith("tree.yaml")
    assert error.value.problems[0].line


def test_a_generated_month_has_its_jobs_for_each_seed() -> None:
    tables: dict[str, JobTable] = {}
    workloads = (MonthWorkload("7/03"), MonthWorkload("8/03", ("S1",), "planted"))
    plan = plan_of(
        StudySpec("A", workloads[:1], (BatchPolicy(), BatchPolicy("lxf")), seeds=(1, 4)), tables.__setitem__
    )
    assert [cell.words for cell in plan.cells] == [
        f"{policy} on 7/03, seed {seed}" for seed in (1, 4) for policy in ("FCFS-backfill", "LXF-backfill")
    ]
    assert {cell.period for cell in plan.cells} == {period_of_month("7/03")}
    assert {cell.cluster_nodes for cell in plan.cells} == {128}  # of the paper's machine
    assert len(plan.sources) == len(tables) == 2
    for seed, cell in zip((1, 4), plan.cells[::2], strict=True):
        assert digest_of(generate_month("7/03", seed)) == cell.source
    (cell,) = plan_of(StudySpec("A", workloads[1:], (BatchPolicy(),), seeds=(2,)), tables.__setitem__).cells
    assert cell.words == "FCFS-backfill on planted, seed 2"
    assert digest_of(generate_month("8/03", 2, ("S1",))) == cell.source


def test_an_unknown_month_of_table_i_is_reported() -> None:
    spec = StudySpec("A", (MonthWorkload("13/99"),), (BatchPolicy(),))
    assert "13/99" in refused(spec)
