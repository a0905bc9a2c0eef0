from __future__ import annotations

import pytest

from fsconsole.policies.check import warnings_of
from fsconsole.shares.scenario.read import parse_scenario
from tests.texts import wording


def warnings_in(rest: str, children: str = "{name: u}") -> list[str]:
    scenario = parse_scenario(f"version: 1\ntree: {{name: root, children: [{children}]}}\n{rest}")
    found = warnings_of(scenario)
    for problem in found:
        assert problem.node is None or scenario.tree.path(problem.node) == problem.path
    return [f"{problem.severity}: {problem.text}" for problem in found]


def test_a_plain_scenario_raises_no_eyebrow() -> None:
    answer = warnings_in("logins: [u]\nworkloads: [{user: u}, {user: root}]\n")
    assert answer == []


@pytest.mark.parametrize(
    ("children", "wanted"),
    [
        ("{name: u, shares: 0}", "warning: u has zero shares and runs only when nothing else can"),
        (
            "{name: g, shares: 0, children: [{name: u}]}",
            "warning: g has zero shares: everything below it runs only when nothing else can",
        ),
        (
            '{name: u, shares: 0, foreign: {FairShare: "2147483647"}}',
            (
                "note: Only Slurm has Fairshare=parent. Here a user takes the mean of the siblings' shares "
                "and an account the sum of its members' shares: u 1"
            ),
        ),
        (
            "{name: g, children: [{name: h, children: []}]}, {name: u}",
            "note: g is a group without users: its share of machine goes to the others",
        ),
        (
            "{name: s, shares: 3, system: true, children: [{name: d}]}, {name: u}",
            (
                "note: system groups hold 75.0\xa0% of the machine: "
                "leave them out to see the other groups clearly"
            ),
        ),
    ],
)
def test_trees_worth_a_look(children: str, wanted: str) -> None:
    assert warnings_in("", children) == [wanted]


def test_work_of_one_who_never_logs_in() -> None:
    wanted = ["note: u has work but never logs in: it counts as active while it has a process"]
    answer = warnings_in("workloads: [{user: u}, {user: u}]\n")
    assert answer == wanted
    answer = warnings_in("events: [{at: 5, start: {user: u}}]\n")
    assert answer == wanted
    answer = warnings_in("events: [{at: 5, start: {user: u}}, {at: 4, login: u}]\n")
    assert answer == []
    answer = warnings_in("workloads: [{user: u}]\n", "{name: u, kind: account}")
    assert answer == []


def test_events_after_the_end() -> None:
    found = warnings_in("events: [{at: 9, login: u}, {at: 7, logout: u}]\nplot: {until_s: 5}\n")
    assert found == [
        wording(
            "policies.after-end-of-run-at",
            events=wording("policies.events-lie", late="warning: 2"),
            end_s="5 s",
            late="7 s",
        )
    ]


def test_warnings_come_before_notes() -> None:
    found = warnings_in(
        "workloads: [{user: u}]\nevents: [{at: 9, renice: {pid: 1, nice: 2}}]\nplot: {until_s: 5}\n"
    )
    assert [line.split(":")[0] for line in found] == ["warning", "note"]


def test_people_with_work_who_never_log_in() -> None:
    people = "people: [{name: hale, accounts: [p, u]}]\nworkloads: [{user: hale}]\n"
    children = "{name: p, kind: account}, {name: u}"
    wanted = ["note: hale has work but never logs in: an account counts as active while it has a process"]
    assert warnings_in(people, children) == wanted
    answer = warnings_in(people + "events: [{at: 5, start: {user: hale}}]\n", children)
    assert answer == wanted
    assert warnings_in(people + "logins: [hale]\n", children) == []


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        (
            "name: flat, adjgroups: share",
            "note: adjgroups has no effect under flat: only share adjusts groups",
        ),
        (
            "name: fixed, limshare: true",
            "note: limshare has no effect under fixed: only share and flat limit effective shares",
        ),
    ],
)
def test_switches_that_the_policy_does_not_look_at(policy: str, wanted: str) -> None:
    assert warnings_in(f"policy: {{{policy}}}\n") == [wanted]
    answer = warnings_in("policy: {name: share, adjgroups: integral, limshare: true}\n")
    assert answer == []


def test_a_policy_worth_a_look() -> None:
    (shaky,) = warnings_in("policy: {name: feedback}\n")
    assert shaky.startswith("warning: feedback may hunt: nu 1.1 is too small for a redistribution every 20 s")
    wanted = ["note: exponential is equation 1 as printed, a misprint that does not give users their shares"]
    answer = warnings_in("policy: {name: exponential}\n")
    assert answer == wanted


def test_a_share_quantum_above_the_smallest_entitlement() -> None:
    children = "{name: a, shares: 97}, {name: b, shares: 1}, {name: c, shares: 2}, {name: d, shares: 0}"
    (found, _) = warnings_in("policy: {sharemin: 0.03}\n", children)
    assert found == wording("policies.has-zero-shares-and-runs", name="warning: d")
    answer = warnings_in("policy: {sharemin: 0.03}\n", children)[1]
    assert answer == ("warning: sharemin, 3\xa0%, exceeds the 1\xa0% to which b is entitled")
    result = warnings_in("policy: {sharemin: 0.01}\n", "{name: a, shares: 99}, {name: b}")
    assert result == []
    silent = warnings_in("machine: {calendar: daily 0.5}\n")
    assert silent == []


def test_a_limit_of_usage_that_a_full_machine_reaches_is_reported() -> None:
    # 60,000 cost units a second at a tau of 43,281 s, over a part of 1/1000: 2.6e12.
    children = "{name: a, shares: 999}, {name: b}"
    text = (
        "warning: usage / share^2 of b reaches about 2.6e+12 when all are busy. That is above "
        "max_kusage 1e+12,"
    )
    answer = warnings_in("policy: {half_life_s: 500 min}\n", children)
    assert answer == [f"{text} beyond which usage no longer counts"]
    answer = warnings_in("policy: {half_life_s: 500 min, max_kusage: 1.0e+13}\n", children)
    assert answer == []
    answer = warnings_in("policy: {name: feedback, half_life_s: 500 min}\n", children)
    assert answer == []


def test_settings_that_feedback_does_not_look_at_are_reported() -> None:
    settings = "machine: {count_inactive: true}\npolicy: {name: feedback, sharemin: 0.01, half_life_s: 1 h}\n"
    answer = warnings_in(settings, "{name: a}, {name: b}")
    assert answer == [
        "note: sharemin has no effect under feedback; base_min is the smallest base share",
        "note: count_inactive has no effect under feedback, which has no allocated shares",
    ]
