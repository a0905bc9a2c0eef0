"""What is staged, worked out without a window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsconsole.app.cluster.preview import compute_preview, gains_of, places_words
from fsconsole.shares.edits import SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.change_set import ChangeSet, Entry, set_limit
from fsconsole.slurm.desired_state import wanted_by
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limits import limit_or_fault
from fsconsole.targets.slurm.state import ClusterState
from tests.console.cluster.play import cluster_state
from tests.texts import says, wording


def _edited(state: ClusterState) -> ShareTree:
    assert state.tree is not None
    wanted = state.tree.shares.copy()
    SetShares.of(wanted.find("astro").id, 5).apply(wanted)
    return wanted


def _with_flags(*flags: str) -> ClusterState:
    state = cluster_state()
    assert state.settings is not None
    return replace(state, settings=replace(state.settings, flags=frozenset(flags)))


def test_fairshares_are_predicted_by_the_rule_of_the_cluster() -> None:
    state = _with_flags("NO_FAIR_TREE")
    classic = compute_preview(state, _edited(state))
    ranked = compute_preview(_with_flags(), _edited(state))
    assert len(classic.changes.changes) == 1
    assert classic.gains
    assert not classic.why_no_gains
    assert classic.gains != ranked.gains


def test_nothing_is_predicted_where_nobody_knows_the_rule() -> None:
    state = _with_flags("DEPTH_OBLIVIOUS")
    found = compute_preview(state, _edited(state))
    assert found.changes.can_be_applied
    assert found.gains == {}
    error = wording("slurm.parsers.cluster-uses-depth-oblivious-fairshare")
    assert found.why_no_gains == wording("app.cluster.cannot-predict-fairshare-2", error=error)


def test_pending_jobs_that_change_their_place_are_counted() -> None:
    state = cluster_state()
    assert state.tree is not None
    assert state.settings is not None
    wanted = _edited(state)
    found = compute_preview(state, wanted)
    known = {key: node for node, key in state.tree.keys.items() if key[1]}
    weight = state.settings.weights["fairshare"]
    jobs, points = [], {}
    for number, ((account, user, _), node) in enumerate(known.items()):
        gain = found.gains.get(node)
        points[number] = round(weight * (gain.after - gain.before)) if gain is not None else 0
        fields: dict[str, Any] = {
            "user": user,
            "account": account,
            "partition": "batch",
            "states": ("PENDING",),
        }
        jobs.append(Job(job_id=number, priority=20_000 + 900 * number, **fields))
    before, after = (
        sorted(jobs, key=lambda job: weighs * points[job.job_id] + (job.priority or 0), reverse=True)
        for weighs in (0, 1)
    )
    count = sum(one is not other for one, other in zip(before, after, strict=True))
    assert 0 < count < len(jobs)
    found = compute_preview(replace(state, jobs=tuple(jobs)), wanted)
    assert says(found.places, "app.cluster.of-change-their-place-in", count=str(count), of=str(len(jobs)))
    # The nodes of a file are others.
    filed = wanted_by(state.tree, wanted)
    gains, _ = gains_of(state.tree, filed, found.changes, state.settings, state.standing, "")
    assert set(gains).isdisjoint(found.gains)
    assert places_words(state.tree, gains, found.changes, state.settings, jobs) == found.places
    none = compute_preview(replace(state, jobs=()), wanted)
    assert none.places == ""
    # Priorities that change with the QOS are not known before.
    high, no = limit_or_fault("Priority", of_qos=True), Entry("", 0)
    one = set_limit(
        "lab", 0, ("", "", "normal"), high, no, Entry("", 0, {"Priority": "7"}), has_partitions=False
    )
    settings = replace(state.settings, weights={**state.settings.weights, "qos": 1000})
    unknown = places_words(state.tree, found.gains, ChangeSet((one,)), settings, jobs)
    assert unknown == wording("app.cluster.places-of-pending-jobs-depend")
