"""URM's ranking: a pure function with its terms."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.jobs import nqs
from fsconsole.machine.jobs.urm import Waiting, ranking, requests_in_order, share_ranks
from fsconsole.machine.machine import machine_for
from fsconsole.shares.scenario.actions import MoveJob, SetSetting, SubmitJob, Work
from fsconsole.shares.scenario.job_spec import UrmSpec
from tests.machine.jobs.nights import again, batch_of, done, job_of, night, run

OLD, FAVOURED = Waiting(1, 3600, 40.0, 10, 20), Waiting(2, 900, 10.0, 10, 20)
waiting = st.lists(
    st.builds(
        Waiting,
        st.integers(1, 10**6),
        st.floats(0, 1e6),
        st.floats(1e-6, 1e12),
        st.floats(0, 63),
        st.floats(0, 1000),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda job: job.request,
)
weights = st.floats(0, 1e3)


def test_the_terms_are_reported() -> None:
    urm = UrmSpec(age_wt=1, usage_wt=2, service_wt=4, size_wt=8)
    first, second = ranking(urm, [OLD, FAVOURED._replace(priority=5, memory_mw=5)])
    assert (second.request, second.age, second.usage, second.service, second.size) == (1, 1, 0.5, 4, 0)
    assert (first.request, first.age, first.usage, first.service, first.size) == (2, 0.25, 2, 2, 6)


def test_age_against_usage() -> None:
    """NAVOCEANO: with age first the old job goes first, with usage_wt the favoured user's."""
    assert [item.request for item in ranking(UrmSpec(), [FAVOURED, OLD])] == [1, 2]
    assert [item.request for item in ranking(UrmSpec(usage_wt=2), [OLD, FAVOURED])] == [2, 1]


@given(waiting, weights, weights, weights, weights)
def test_every_term_is_between_0_and_its_weight(
    jobs: list[Waiting], age: float, usage: float, service: float, size: float
) -> None:
    found = ranking(UrmSpec(age, usage, service, size), jobs)
    assert sorted(item.request for item in found) == sorted(job.request for job in jobs)
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
    for item in found:
        for term, weight in (
            (item.age, age),
            (item.usage, usage),
            (item.service, service),
            (item.size, size),
        ):
            assert 0 <= term <= weight
        assert item.score == pytest.approx(item.age + item.usage + item.service + item.size)


def _score(urm: UrmSpec, job: Waiting, jobs: list[Waiting]) -> float:
    """The sum of the terms, written out for one job."""
    age = job.age_s / oldest if (oldest := max(one.age_s for one in jobs)) > 0 else 1.0
    usage = min(one.share_rank for one in jobs) / job.share_rank
    service = job.priority / highest if (highest := max(one.priority for one in jobs)) > 0 else 1.0
    size = job.memory_mw / largest if (largest := max(one.memory_mw for one in jobs)) > 0 else 0.0
    terms = (urm.age_wt * age, urm.usage_wt * usage, urm.service_wt * service, urm.size_wt * (1 - size))
    return ((terms[0] + terms[1]) + terms[2]) + terms[3]


@given(waiting, weights, weights, weights, weights)
def test_jobs_are_in_the_order_of_their_scores_one_by_one(
    jobs: list[Waiting], age: float, usage: float, service: float, size: float
) -> None:
    urm = UrmSpec(age, usage, service, size)
    wanted = sorted(jobs, key=lambda job: (-_score(urm, job, jobs), -job.age_s, job.request))
    assert requests_in_order(urm, jobs) == [job.request for job in wanted]
    assert [item.score for item in ranking(urm, jobs)] == [_score(urm, job, jobs) for job in wanted]


def _size_terms(urm: UrmSpec, *sizes_mw: float) -> list[float]:
    found = ranking(urm, [Waiting(at, 60, 1, 1, size_mw) for at, size_mw in enumerate(sizes_mw)])
    return [item.size for item in sorted(found, key=lambda item: item.request)]


def test_a_preferred_size_has_the_whole_term_and_others_a_part() -> None:
    """Everitt, Jones and Knesel 1.5; outside in proportion, above in inverse proportion to memory."""
    urm = UrmSpec(size_wt=8, preferred_from_mw=8, preferred_to_mw=32)
    assert _size_terms(urm, 0, 4, 8, 16, 32, 64, 128) == [0, 4, 8, 8, 8, 4, 2]
    assert _size_terms(replace(urm, preferred_from_mw=0), 0, 4, 32, 64) == [8, 8, 8, 4]
    assert _size_terms(replace(urm, preferred_to_mw=0), 4, 8, 1e6) == [4, 8, 8]
    assert _size_terms(UrmSpec(size_wt=8), 4, 8, 16) == [6, 4, 0]  # without one, the least memory first


@given(waiting, st.floats(0, 1000), st.floats(0, 1000), weights)
def test_jobs_further_from_the_preferred_size_never_have_a_higher_term(
    jobs: list[Waiting], low: float, more: float, weight: float
) -> None:
    urm = UrmSpec(size_wt=weight, preferred_from_mw=low, preferred_to_mw=low + more)
    memory = {job.request: job.memory_mw for job in jobs}
    terms = {item.request: item.size for item in ranking(urm, jobs)}
    assert all(0 <= term <= weight for term in terms.values())
    if urm.prefers_a_size:
        below = sorted((size, terms[job]) for job, size in memory.items() if size <= low + more)
        above = sorted((size, -terms[job]) for job, size in memory.items() if size >= low)
        for side in (below, above):
            assert [term for _, term in side] == sorted(term for _, term in side)


@given(waiting, weights, weights)
def test_a_higher_usage_weight_never_moves_the_favoured_down(
    jobs: list[Waiting], usage: float, more: float
) -> None:
    best = min(jobs, key=lambda job: job.share_rank).request
    places = [
        [item.request for item in ranking(UrmSpec(usage_wt=weight), jobs)].index(best)
        for weight in (usage, usage + more)
    ]
    assert places[1] <= places[0]


def test_who_has_used_little_of_his_share_is_favoured() -> None:
    """Whether or not he runs anything now."""
    loops = [("ana", Work(), 1), ("bob", Work(), 1)]
    machine, _ = run(night(loops=loops), 60)
    ranks, row_of = share_ranks(machine), machine.flat.row_of
    rows = {name: ranks[row_of[machine.tree.find(name).id]] for name in ("ana", "bob", "intr")}
    assert rows["intr"] < rows["ana"] < rows["bob"]
    fixed = machine_for(night(), {"policy.name": "fixed"})
    rows = {name: share_ranks(fixed)[row_of[fixed.tree.find(name).id]] for name in ("nd", "intr", "batch")}
    assert rows["nd"] < rows["intr"] < rows["batch"]


def test_who_has_used_what_he_is_entitled_to_is_favoured_like_all_others() -> None:
    """Usages as shares, 3 to 1; Everitt, Jones and Knesel 3.3: usage relative to the entitlement."""
    machine = machine_for(night())
    rows = [machine.flat.row_of[machine.tree.find(name).id] for name in ("ana", "bob")]
    machine.state.usage[rows] = [3e6, 1e6]
    assert share_ranks(machine)[rows[0]] == pytest.approx(share_ranks(machine)[rows[1]])
    machine.state.usage[rows] = [3e6, 1.1e6]
    assert share_ranks(machine)[rows[0]] < share_ranks(machine)[rows[1]]


@pytest.mark.parametrize("urm", [UrmSpec(), UrmSpec(usage_wt=1), UrmSpec(age_wt=0)])
def test_jobs_are_looked_at_as_they_rank_where_their_queue_has_room(urm: UrmSpec) -> None:
    jobs = [job_of(f"b{at}") for at in range(5)] + [job_of(f"o{at}", "own", person="ana") for at in range(5)]
    machine, batch = run(night(jobs, urm=replace(urm, run_limit=1)), 1)
    for job in (job_of("b5"), job_of("o5", "own", person="bob"), job_of("n", "nd")):
        machine.advance_to(machine.now_s + 1)
        done(machine, SubmitJob(job))
    done(machine, MoveJob(batch.queues["batch"].order[-1], 1))
    ranked = [item.request for item in batch.ranked()]
    assert len(ranked) == 11
    assert batch._nqs._in_turn() == []  # run_limit
    machine.spec = replace(machine.spec, urm=replace(machine.spec.urm, run_limit=0))
    assert batch._nqs._in_turn() == ranked


def test_thousands_that_wait_are_not_ranked_where_only_age_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nqs, "ranking", None)
    _, batch = run(night([job_of()] * 50), 31)
    assert len(batch.finished) == 6  # two at a time, 10 s each, in the order of their requests
    assert sorted(job.request for job in batch.finished) == list(range(41870, 41876))


def test_the_machine_starts_by_rank() -> None:
    loops = [("bob", Work(), 8)]
    for usage_wt, name in ((0, "first"), (5, "later")):
        machine, batch = run(night(loops=loops, urm=UrmSpec(usage_wt=usage_wt, run_limit=1)), 60)
        done(machine, SubmitJob(job_of("running", "own", person="ana")))
        machine.advance_to(62)
        done(machine, SubmitJob(job_of("first", "own", person="bob")))
        machine.advance_to(64)
        done(machine, SubmitJob(job_of("later", "own", person="ana")))
        machine.advance_to(90)
        assert [job.spec.name for job in batch.finished] == ["running", name]


def test_jobs_of_the_preferred_size_start_first_once_it_is_set_and_after_a_checkpoint() -> None:
    sizes = {"small": 1.0, "large": 64.0, "suits": 16.0}
    jobs = [job_of("running", "own", person="ana")]
    jobs += [job_of(name, "own", person="ana", memory_mw=size) for name, size in sizes.items()]
    preferred = {"urm.preferred_from_mw": 8.0, "urm.preferred_to_mw": 32.0}
    for values, order in (({}, ["small", "suits", "large"]), (preferred, ["suits", "large", "small"])):
        machine, _ = run(night(jobs, urm=UrmSpec(size_wt=5, run_limit=1)), 1)
        for key, value in values.items():
            done(machine, SetSetting(key, value))
        machine.advance_to(8)
        machine = again(machine)
        machine.advance_to(60)
        assert [job.spec.name for job in batch_of(machine).finished] == ["running", *order]
