from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch import generate
from fsconsole.batch.multifactor import Multifactor
from fsconsole.batch.policy import POLICIES, BatchPolicy, UsageWeights
from fsconsole.batch.study.bundled import bundled_studies
from fsconsole.batch.study.spec import (
    ModelWorkload,
    MonthWorkload,
    Span,
    StudySpec,
    TraceWorkload,
    Workload,
    expanded,
    has_seeds,
)
from fsconsole.batch.study.study_file import parse_study, read_study, study_text
from fsconsole.shares.scenario.problems import ScenarioError
from tests.texts import Expected, naming, says, worded, wording

HOUR_S, DAY_S = 3600, 86400
GOOD = "version: 1\nname: A\nworkloads: [{trace: KTH-SP2-1996-2}]\npolicies: [fcfs-backfill, relshare]\n"


def policy(item: str) -> str:
    """The good study with another second policy."""
    return GOOD.replace("relshare]", f"{item}]")


def trace(more: str) -> str:
    """The good study with more keys of its trace."""
    return GOOD.replace("1996-2}", f"1996-2, {more}}}")


def study(text: str) -> StudySpec:
    return parse_study(text, Path("nowhere"), "a.yaml")


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        study(text)
    return [f"{item.line}:{item.column}: {item}" for item in error.value.problems]


def test_the_studies_that_come_along_are_right() -> None:
    names = bundled_studies()
    assert {"kth-windows", "kth-months"} <= set(names)
    windows = read_study(names["kth-windows"])
    assert [item.label for item in windows.policies] == [
        "FCFS-backfill",
        "LXF-backfill",
        *(f"RelShare({window})" for window in ("4h", "12h", "1d", "2d", "7d")),
        ("RelShare(1d), " + wording("batch.no-expected-usage")),
    ]
    assert windows.workloads == (TraceWorkload("KTH-SP2-1996-2", 100, "whole"),)
    for path in names.values():
        assert read_study(path).policies


def test_windows_are_for_policies_by_users_that_have_none_of_their_own() -> None:
    found = study(policy("relshare, {policy: relshare, decay: 0.5, window: 6h}") + "windows: [1d, 7 d]")
    assert found.policies == (
        BatchPolicy("fcfs"),
        BatchPolicy("relshare", window_s=DAY_S),
        BatchPolicy("relshare", window_s=7 * DAY_S),
        BatchPolicy("relshare", window_s=6 * HOUR_S, decay=0.5),
    )


def test_without_windows_a_policy_has_its_usual_one() -> None:
    assert study(GOOD).policies == (BatchPolicy("fcfs"), BatchPolicy("relshare"))


def test_months_are_named_or_spans() -> None:
    months = "months: [1996-10, {from: 1997-01-01, to: 1997-02-01, name: January}, {from: 0, to: 30d}]"
    (workload,) = study(trace(months)).workloads
    assert isinstance(workload, TraceWorkload)
    assert workload.months == ("1996-10", Span("1997-01-01", "1997-02-01", "January"), Span("0", "30d"))


@pytest.mark.parametrize(
    ("seeds", "expected"), [("[3, 1]", (3, 1)), ("2-5", (2, 3, 4, 5)), ("7", (7,)), ("[1, 1]", (1,))]
)
def test_seeds_are_a_list_or_a_range(seeds: str, expected: tuple[int, ...]) -> None:
    text = GOOD.replace("{trace: KTH-SP2-1996-2}", "{month: 7/03, plant: [S1]}") + f"seeds: {seeds}\n"
    found = study(text)
    assert found.seeds == expected
    assert found.workloads == (MonthWorkload("7/03", ("S1",)),)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "", worded("targets.slurm.is-empty", path="the file")),
        ("- a\n", "1:1", worded("shares.scenario.this-is-not-which-is", kind="study file")),
        (GOOD.replace("version: 1\n", ""), "1:1", worded("shares.scenario.key-version-is-missing")),
        (GOOD + "polices: []\n", "5:1", naming("Unknown key 'polices'. Did you mean 'policies'?")),
        (policy("relshear"), "4:27", naming("unknown policy 'relshear'. Did you mean relshare")),
        (
            policy("{policy: relshare, windw: 1d}"),
            "4:46",
            worded("shares.scenario.unknown-key", key="'windw'", hint=" Did"),
        ),
        (policy("{policy: lxf-backfill, window: 1d}"), "4:58", naming("window does not apply to lxf")),
        (
            policy("{policy: relshare, lxf_bound: 1 min}"),
            "4:57",
            worded("batch.study.does-not-apply-to-leave", key="lxf_bound"),
        ),
        (
            policy("{policy: share-upper, form: ratio}"),
            "4:55",
            worded("batch.study.does-not-apply-to-leave", key="form", what="share-upper"),
        ),
        (
            policy("{policy: relshare, expected_usage: false, carry_reservation: true}"),
            "4:88",
            naming("carry_reservation does not apply to relshare without expected usage"),
        ),
        (
            policy("{policy: relshare, decay: 1.5}"),
            "4:53",
            worded("shares.scenario.must-be-not", key="decay:", right="below 1", written="1.5"),
        ),
        (
            policy("{policy: weighted-usage, weights: {slots: 0}}"),
            "4:69",
            worded("shares.scenario.must-be-not", key="slots:", right="above 0", written="0"),
        ),
        (GOOD + "windows: [1 week]\n", "5:11", worded("text.is-not-time-write-seconds", shown="'1 week'")),
        (GOOD + "windows: [0]\n", "5:11", naming("each item of windows must be at least 1")),
        (GOOD + "windows: [0.5 s]\n", "5:11", worded("batch.study.s-is-not-whole-number", value="0.5")),
        (
            GOOD + "windows: [999999 d]\n",
            "5:11",
            worded(
                "batch.study.at-most-s-not-s", longest_s="10\u202f000\u202f000\u202f000", value="8.63999e+10"
            ),
        ),
        (GOOD + "seeds: [1]\n", "5:8", worded("batch.study.seeds-apply-only-to-generated")),
        (GOOD + "shares: [a]\n", "5:9", worded("batch.study.write-name-of-file-with")),
        (GOOD + "shares: none.yaml\n", "5:9", naming("no file nowhere/none.yaml")),
        (
            GOOD.replace("KTH-SP2-1996-2", "KTH"),
            "3:21",
            worded("batch.study.file-does-not-exist-and-2", folder="nowhere/KTH"),
        ),
        (
            GOOD.replace("{trace: KTH-SP2-1996-2}", "{procs: 100}"),
            "3:13",
            worded("batch.study.workload-needs-one-of-keys"),
        ),
        (
            trace("procs: 0"),
            "3:44",
            worded(
                "shares.scenario.must-be-not",
                key="procs:",
                right=wording("shares.scenario.at-least", ge="1"),
                written="0",
            ),
        ),
        (
            GOOD.replace("trace: KTH-SP2-1996-2", "month: 13/03"),
            "3:21",
            worded("batch.generate.table-i-has-no-month", name_2="'13/03'. Did"),
        ),
        (
            GOOD.replace("trace: KTH-SP2-1996-2", "month: 7/03, plant: [S1, S9]"),
            "3:34",
            worded(
                "batch.study.unknown-type-of-planted-user",
                kind_2="'S9'" + wording("neardedicated.choose-one-of", known="S1, S2"),
            ),
        ),
        (
            trace("plant: [S1]"),
            "3:44",
            worded("batch.study.does-not-apply-to-leave", key="plant", what="a trace"),
        ),
        (
            GOOD.replace("trace: KTH-SP2-1996-2", "model: lublin, procs: 8"),
            "3:21",
            worded("batch.study.model-needs-whole-number-from", key="jobs"),
        ),
        (
            GOOD.replace("trace: KTH-SP2-1996-2", "model: lublin, jobs: 9, procs: 8, plant: [S1]"),
            "3:55",
            worded("batch.study.does-not-apply-to-leave", key="plant", what="a model"),
        ),
        (trace("months: some"), "3:45", naming("months: must be 'whole' or 'all'")),
        (
            GOOD.replace("policies: [fcfs-backfill, relshare]", "policies: []"),
            "4:11",
            worded("shares.scenario.is-empty-list-give-at"),
        ),
        (
            policy("lxf-backfill") + "windows: [1d]\n",
            "5:10",
            worded("batch.study.windows-apply-only-to-policies"),
        ),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, place: str, message: Expected) -> None:
    found = problems(text)
    assert any(item.startswith(place) and says(item, message) for item in found), found


def test_everything_wrong_is_reported_at_once() -> None:
    text = policy("relshear, {policy: fcfs-backfill, decay: 0.1}") + "seeds: 3\n"
    assert len(problems(text)) == 3


def test_without_the_files_a_study_can_still_be_read() -> None:
    text = GOOD.replace("KTH-SP2-1996-2", "gone.swf") + "shares: gone.yaml\n"
    found = parse_study(text, Path("nowhere"), check_files=False)
    assert found.shares == Path("nowhere/gone.yaml")


# Names without surrogates, which no file can hold.
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
PERIODS = st.tuples(NAMES) | st.builds(Span, NAMES, NAMES, NAMES).map(lambda span: (span,))
TRACES = st.builds(
    TraceWorkload,
    st.just("KTH-SP2-1996-2"),
    st.none() | st.integers(1, 1000),
    st.sampled_from(["whole", "all"]) | PERIODS,
    NAMES,
    st.booleans(),
)
MONTHS = st.builds(
    MonthWorkload,
    st.sampled_from([month.name for month in generate.MONTHS]),
    st.lists(st.sampled_from(generate.KINDS), max_size=2).map(tuple),
    NAMES,
)
MODELS = st.builds(
    ModelWorkload,
    st.integers(1, 5_000_000),
    st.integers(1, 10_000),
    st.integers(1, 1000),
    st.none() | st.floats(0.01, 10),
    NAMES,
)
WINDOWS = st.integers(1, 10**7)
POLICY = st.builds(BatchPolicy, st.just("relshare"), WINDOWS, st.integers(0, 10**6), st.booleans(),
                   st.sampled_from(["ratio", "difference"]), st.floats(0, 0.99), st.booleans(),
                   st.integers(1, 9), st.booleans()).filter(
    lambda policy: policy.means("carry_reservation") or not policy.carry_reservation
) | st.sampled_from(list(POLICIES.values())) | st.builds(
    lambda used, bound: BatchPolicy("weighted", weights=UsageWeights(used=used), reservations=bound),
    st.floats(0, 1e6), st.integers(1, 5))  # fmt: skip


@given(
    NAMES,
    st.lists(TRACES | MONTHS | MODELS, min_size=1, max_size=3),
    st.lists(POLICY, min_size=1, max_size=4, unique=True),
    st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=3, unique=True),
    NAMES,
)
def test_what_is_written_is_read_back(
    name: str, workloads: list[Workload], policies: list[BatchPolicy], seeds: list[int], about: str
) -> None:
    known = tuple(seeds) if any(map(has_seeds, workloads)) else (1,)
    spec = StudySpec(name, tuple(workloads), tuple(policies), known, None, about)
    assert parse_study(study_text(spec, Path()), Path()) == spec


def test_names_of_files_hold_good_from_the_folder_that_a_study_is_written_to(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "a.swf").write_text("")
    (here / "tree.yaml").write_text("")
    spec = StudySpec("A", (TraceWorkload("a.swf"),), (BatchPolicy(),), shares=here / "tree.yaml", folder=here)
    beside = study_text(spec, here)
    assert "trace: a.swf" in beside
    elsewhere = parse_study(study_text(spec, tmp_path / "there"), tmp_path / "there")
    assert elsewhere.shares == here / "tree.yaml"
    assert elsewhere.workloads == (TraceWorkload(str(here / "a.swf")),)


def test_no_policy_comes_twice() -> None:
    relshare = BatchPolicy("relshare")
    assert expanded([relshare, relshare], [DAY_S, DAY_S]) == (relshare,)


def test_slurms_settings_are_written_and_read_back() -> None:
    item = (
        "{policy: slurm-multifactor, multifactor: {fairshare: 5, half_life: 7d, fair_tree: true, "
        'partitions: {"1": 10, fast: 2}}}'
    )
    spec = study(policy(item))
    made = spec.policies[-1]
    assert made.multifactor == Multifactor(
        fairshare=5, half_life_s=7 * DAY_S, fair_tree=True, partitions=(("1", 10), ("fast", 2))
    )
    assert study(study_text(spec, Path("nowhere"))).policies == spec.policies


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "{age: -1}",
            worded(
                "shares.scenario.must-be-not",
                key="age:",
                right=wording("shares.scenario.at-least", ge="0"),
                written="-1",
            ),
        ),
        ("{half_life: 5s}", worded("batch.study.half-life-is-s-it", half_life_s="5")),
        ("{ages: 1}", naming("ages")),
        ("{partitions: 3}", worded("batch.study.write-priorities-by-name-such")),
    ],
)
def test_wrong_settings_of_slurm_are_reported_with_their_line(settings: str, message: Expected) -> None:
    found = problems(policy(f"{{policy: slurm-multifactor, multifactor: {settings}}}"))
    assert found[0].startswith("4:")
    assert says(found[0], message)
