"""People, devices, books and restarts in a scenario file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.names import Person
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.spec import Demand, DemandReport, Device, Event, Scenario, SettingError
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import Kind
from tests.shares.scenario.test_errors import problems_of
from tests.shares.scenario.test_write import assert_same
from tests.texts import refuses, says, wording

HEAD = """\
version: 1
tree:
  name: root
  children:
    - {name: g, children: [{name: p1, kind: account}, {name: p2, kind: account}]}
    - {name: u, shares: 3}
people: [{name: hale, accounts: [p1, g/p2], nice: 28}, {name: bo, accounts: [p2]}, {name: u, nice: 25}]
devices: [{name: dd40}, {name: tty, kind: stream}]
"""
G, P1, P2, U = 1, 2, 3, 4
HERE = actions.CURRENT_ACCOUNT
REST = """\
logins: [u, hale, bo]
workloads:
  - {user: hale}
  - {user: hale, charge_to: p2, nice: 20, interactive: true}
  - {user: u, work: {burst_s: 0.1 s, device: dd40, io_s: 20 ms, syscalls_per_s: 100, clicks: 2000}}
events:
  - {at: 5, newacct: {user: hale, account: p2}}
  - {at: 6, start: {user: hale}}
  - {at: 6, start: {user: hale, charge_to: p1}}
  - {at: 7, renice: {user: hale, nice: 25}}
  - {at: 7, renice: {user: u, nice: 25}}
  - {at: 8, set_books: {user: u, usage: 0, charge: 12}}
  - {at: 8, set_books: {user: p1, charge: 1}}
  - {at: 9, logout: hale, end_processes: false}
  - {at: 9, logout: bo}
  - {at: 10, restart: true}
  - {at: 11, set: {policy.k_mu: [0.5, 0.7], machine.calendar: daily 2}}
reports:
  - {title: May, demands: {g: 4.19 %, p1: saturated, u: idle}, measured: {g: 0.0419, p2: 46.78 %}}
machine: {defer_interactive_to: g/p1, calendar: [mon-fri 08:00-18:00 1, daily 0.25]}
policy: {k_mu: 0.4, level_half_lives_s: [7 d, 8 h]}
"""


def loop(node: int, person: str = "", nice: int | None = None) -> actions.StartProcess:
    return actions.StartProcess(node, actions.Work(), nice=nice, person=person)


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return parse_scenario(HEAD + REST)


def test_people_have_accounts_and_a_nice_value(scenario: Scenario) -> None:
    assert scenario.people == (Person("hale", (P1, P2), 28), Person("bo", (P2,)), Person("u", (U,), 25))
    assert scenario.devices == (Device("dd40"), Device("tty", "stream"))


def test_who_is_there_at_0(scenario: Scenario) -> None:
    assert scenario.logins == (U,)
    assert scenario.events[:2] == (
        Event(0.0, actions.Login(HERE, "hale")),
        Event(0.0, actions.Login(P2, "bo")),
    )
    waiting = actions.Work(0.1, device="dd40", io_s=0.02, syscalls_per_s=100.0, clicks=2000)
    assert scenario.workloads == (
        loop(P1, "hale"),
        replace(loop(P2, "hale", 20), interactive=True),
        actions.StartProcess(U, waiting),
    )


def test_what_people_do_later_is_charged_where_they_work_then(scenario: Scenario) -> None:
    assert [(event.at_s, event.action) for event in scenario.events[2:]] == [
        (5.0, actions.NewAccount("hale", P2)),
        (6.0, loop(HERE, "hale")),
        (6.0, loop(P1, "hale")),
        (7.0, actions.ReniceUser("hale", 25)),
        (7.0, actions.ReniceUser("u", 25)),
        (8.0, actions.SetBooks(U, 0.0, 12.0)),
        (8.0, actions.SetBooks(P1, None, 1.0)),
        (9.0, actions.Logout(HERE, end_processes=False, person="hale")),
        (9.0, actions.Logout(P2, person="bo")),
        (10.0, actions.Restart()),
        (11.0, actions.SetSetting("policy.k_mu", (0.5, 0.7))),
        (11.0, actions.SetSetting("machine.calendar", ("daily 2",))),
    ]


def test_reports_are_fractions_of_the_machine(scenario: Scenario) -> None:
    demands = (Demand(1, 0.0419, 0.0419), Demand(P1), Demand(U, 0.0), Demand(P2, None, 0.4678))
    assert scenario.reports == (DemandReport("May", demands),)


def test_settings_may_be_lists(scenario: Scenario) -> None:
    assert scenario.machine.calendar == (wording("app.load.mon-fri-08-00-18"), "daily 0.25")
    assert scenario.machine.defer_interactive_to == "g/p1"
    assert (scenario.policy.k_mu, scenario.policy.level_half_lives_s) == ((0.4,), (604800.0, 28800.0))


def test_it_is_written_back(scenario: Scenario) -> None:
    text = write_text(scenario)
    assert_same(parse_scenario(text), scenario)
    expected = "  - {name: hale, accounts: [p1, p2], nice: 28}\n"
    assert expected in text
    expected = "  - {name: u, nice: 25}\n"
    assert expected in text
    expected = "  - {at: 0 s, login: hale}\n"
    assert expected in text
    expected = "  - {user: hale, charge_to: p2, command: loop, nice: 20, interactive: true, work: endless}\n"
    assert expected in text
    expected = "  - title: May\n    demands:\n      g: 4.19 %\n      p1: saturated\n      u: idle\n"
    assert expected in text
    expected = "    measured:\n      g: 4.19 %\n      p2: 46.78 %\n"
    assert expected in text


def test_a_person_may_have_the_name_of_one_of_several_accounts() -> None:
    text = HEAD.replace("{name: u, nice: 25}", "{name: u, accounts: [u, p1]}") + "events: [{at: 1, login: u}"
    scenario = parse_scenario(text + ", {at: 2, login: root/u}]\n")
    assert [event.action for event in scenario.events] == [actions.Login(HERE, "u"), actions.Login(U)]
    assert_same(parse_scenario(write_text(scenario)), scenario)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "people: [{name: x}]",
            "node x not found in the tree. A person who is not a user of the tree needs accounts",
        ),
        (
            "people: [{name: hale, accounts: [pp1]}]",
            "people[1].accounts[1]: node pp1 not found in the tree. Did you",
        ),
        ("people: [{name: hale, accounts: [g]}]", "g is a group. Write a user below it. Example: p1"),
        ("people: [{name: hale, accounts: []}]", "accounts: is an empty list. Give at least one item"),
        ("people: [{name: hale, accounts: [p1, g/p1]}]", "g/p1 occurs twice here. List each account once"),
        ("people: [{name: u}, {name: u}]", "u occurs twice in people. List each person once"),
        (
            "people: [{name: g, accounts: [p1]}]",
            "g is the name of a group too. Choose another name for the person",
        ),
        ("people: [{name: u, accounts: [p1]}]", "u is a user or account that is not among the person's"),
        ("people: [{name: a/b, accounts: [p1]}]", "'a/b' is not a name"),
        ("people: [{name: u, nice: 40}]", "nice: must be below 40"),
        ("people: [{name: u, acounts: [u]}]", "Unknown key 'acounts'. Did you mean 'accounts'?"),
        ("devices: [{name: d}, {name: d}]", "d occurs twice in devices. List each device once"),
        ("devices: [{name: d, kind: disk}]", "kind: must be 'block' or 'stream', not \"disk\""),
    ],
)
def test_faults_of_people_and_devices(text: str, message: str) -> None:
    tree = HEAD[: HEAD.index("people:")]
    found = problems_of(tree + text + "\n")
    assert any(message in line for line in found), found
    assert all(says(line, "shares.scenario.line-column", line="7") for line in found)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        ("{burst_s: 1, device: dd4, io_s: 1}", "work: device dd4 not found. Did you mean dd40?"),
        ("{burst_s: 1, device: zzz, io_s: 1}", "work: device zzz not found. Choose one of dd40, tty"),
        ("{burst_s: 1, device: dd40}", "device needs io_s, the time of a request there, above 0"),
        ("{burst_s: 1, device: dd40, io_s: 0}", "device needs io_s"),
        ("{burst_s: 1, device: dd40, io_s: 0 s}", "device needs io_s"),
        ("{device: dd40, io_s: 1}", "device needs burst_s, the CPU time before each request"),
        ("{burst_s: 1, io_s: 1}", "io_s needs device"),
        (
            "{burst_s: 1, device: dd40, io_s: 1, sleep_s: 2}",
            "a process either waits for a device or sleeps. Leave sleep_s or device out",
        ),
        ("{syscalls_per_s: fast}", "syscalls_per_s: must be a number"),
        ("{clicks: 1.5}", "clicks: must be a whole number"),
    ],
)
def test_faults_of_work(work: str, message: str) -> None:
    (found,) = problems_of(HEAD + f"workloads: [{{user: u, work: {work}}}]\n")
    assert says(found, "shares.scenario.line-column", line="9")
    assert message in found


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("login: halle", "node halle not found in the tree. Did you mean hale?"),
        ("start: {user: hale, charge_to: u}", "u is not an account of hale. Choose from p1, p2"),
        ("start: {user: bo, charge_to: p1}", "p1 is not an account of bo. Choose from p2"),
        ("start: {user: hale, charge_to: zz}", "node zz not found in the tree"),
        (
            "start: {user: p1, charge_to: p1}",
            "charge_to needs a person of the list people, but p1 pays for itself",
        ),
        ("newacct: {user: hale, account: u}", "u is not an account of hale. Choose from p1, p2"),
        ("newacct: {user: hal, account: p1}", "person hal not found in people. Did you mean hale?"),
        ("newacct: {user: hale}", "the key account is missing"),
        ("renice: {user: hale, pid: 3, nice: 2}", "renice needs either a pid or a user"),
        ("renice: {nice: 2}", "renice needs either a pid or a user"),
        ("renice: {user: g, nice: 2}", "g is a group"),
        ("renice: {user: u}", "the key nice is missing"),
        ("end: {user: hale}", "hale is a person. Write one of the accounts, p1, p2"),
        ("set_books: {user: hale, usage: 1}", "hale is a person. Write one of the accounts, p1, p2"),
        ("set_books: {user: u}", "set_books needs usage, charge or both besides the user"),
        ("set_books: {user: u, usage: -1}", "usage: must be at least 0, not -1"),
        ("set_books: {user: g, usage: 1}", "g is a group"),
        ("restart: false", "write restart: true"),
        ("restart: ", "restart must not be empty"),
        ("set: {machine.defer_interactive_to: p3}", "node p3 not found in the tree"),
        ("set: {policy.k_mu: [0.5, 3]}", "policy.k_mu: needs a number from 0 to 2"),
        ("set: {policy.k_mu: [a]}", "policy.k_mu: ['a'] is not allowed. It must be a number"),
        ("set: {machine.calendar: [never 1]}", "'never' in 'never 1' is not a day"),
    ],
)
def test_faults_of_events(event: str, message: str) -> None:
    found = problems_of(HEAD + f"events: [{{at: 1, {event}}}]\n")
    assert any(message in line for line in found), found
    assert all(says(line, "shares.scenario.line-column", line="9") for line in found)


def test_who_has_a_fault_is_not_unknown_as_well() -> None:
    text = HEAD.replace("[p1, g/p2]", "[p9]").replace("dd40}", "dd40, kind: disk}")
    work = "workloads: [{user: hale, work: {burst_s: 1, device: dd40, io_s: 1}}]\n"
    found = problems_of(text + work + "logins: [hale]\nevents: [{at: 1, start: {user: hale}}]\n")
    places = [
        wording("shares.scenario.line-column", line=line, column=column)
        for line, column in ((7, 34), (8, 30))
    ]
    assert [line.split("error: ")[0] for line in found] == places


def test_a_person_is_logged_in_once() -> None:
    (found,) = problems_of(HEAD + "logins: [hale, hale]\n")
    assert says(found, "shares.scenario.is-already-logged-in-list", reference="logins[2]: hale")


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("{title: t}", "a report lists demands. Example: {g1: 4.19 %, g2: saturated}"),
        ("{demands: {u: idle}}", "the key title is missing"),
        ("{title: t, demands: {x: idle}}", "reports[1].demands: node x not found in the tree"),
        ("{title: t, demands: {u: idle, root/u: idle}}", "root/u is u, which is already listed here"),
        ("{title: t, demands: {u: much}}", "'much' is not a share of machine. Write a percentage"),
        (
            "{title: t, demands: {u: 120 %}}",
            'u: must be a share of machine, from 0 % to 100 %, not "120 %"',
        ),
        ("{title: t, demands: {u: }}", "u: a demand is a percentage such as 2.08 %, saturated or idle"),
        ("{title: t, measured: {u: saturated}}", "'saturated' is not a share of machine"),
        ("{title: t, measured: {u: 4.19}}", "u: must be a share of machine, from 0 % to 100 %, not 4.19"),
    ],
)
def test_faults_of_reports(report: str, message: str) -> None:
    found = problems_of(HEAD + f"reports: [{report}]\n")
    assert any(message in line for line in found), found
    assert all(says(line, "shares.scenario.line-column", line="9") for line in found)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "machine: {defer_interactive_to: pp1}",
            "machine.defer_interactive_to: node pp1 not found in the tree. Did",
        ),
        ("machine: {defer_interactive_to: g}", "g is a group. Write a user below it"),
        ("machine: {calendar: [8-18 1]}", "machine.calendar: '8-18 1' cannot be read"),
        ("machine: {calendar: [3]}", "machine.calendar[1]: each item of calendar must be text"),
        ("policy: {k_mu: []}", "policy.k_mu: needs a number for the first level at least"),
        ("policy: {level_half_lives_s: [8 h, 3 x]}", "'3 x' is not a time"),
    ],
)
def test_faults_of_settings(settings: str, message: str) -> None:
    found = problems_of(HEAD + settings + "\n")
    assert any(message in line for line in found), found


def without(scenario: Scenario, *nodes: int) -> Scenario:
    tree = scenario.tree.copy()
    for node in nodes:
        Remove(node).apply(tree)
    return pruned(replace(scenario, tree=tree))


def test_what_goes_with_an_account(scenario: Scenario) -> None:
    """hale keeps p2 alone, so that nothing is left to switch; what p1 was charged for goes."""
    left = without(scenario, P1)
    assert left.people == (Person("hale", (P2,), 28), Person("bo", (P2,)), Person("u", (U,), 25))
    assert left.machine.defer_interactive_to == ""
    assert left.workloads == scenario.workloads[1:]
    hales = [event.action for event in left.events if getattr(event.action, "person", "") == "hale"]
    assert hales == [
        actions.Login(P2, "hale"),
        actions.NewAccount("hale", P2),
        loop(P2, "hale"),
        actions.ReniceUser("hale", 25),
        actions.Logout(P2, end_processes=False, person="hale"),
    ]
    assert P1 not in [getattr(event.action, "node", None) for event in left.events]
    assert [demand.node for demand in left.reports[0].demands] == [1, U, P2]
    assert parse_scenario(write_text(left)).people[0].name == "hale"


def test_people_without_accounts_go_with_all_they_do(scenario: Scenario) -> None:
    left = without(scenario, G, U)
    assert (left.people, left.logins, left.workloads, left.reports) == ((), (), (), ())
    assert {type(event.action) for event in left.events} == {actions.Restart, actions.SetSetting}


def test_a_scenario_with_nothing_to_prune_stays(scenario: Scenario) -> None:
    assert_same(pruned(scenario), scenario)


def test_a_person_whose_name_a_group_has_got_cannot_be_saved(scenario: Scenario) -> None:
    tree = scenario.tree.copy()
    tree.add(0, "hale", kind=Kind.GROUP)
    with refuses(ValueError, "shares.scenario.is-name-of-group-too", name="hale"):
        write_text(replace(scenario, tree=tree))


def test_nobody_works_who_is_not_listed(scenario: Scenario) -> None:
    with refuses(ValueError, "shares.scenario.person-not-found-in-people-2", value="hale"):
        write_text(replace(scenario, people=()))


def test_settings_from_outside_name_leaves_that_are_there(scenario: Scenario) -> None:
    key = "machine.defer_interactive_to"
    assert scenario.with_settings({key: "u"}).machine.defer_interactive_to == "u"
    assert scenario.with_settings({key: ""}).machine.defer_interactive_to == ""
    with refuses(SettingError, "shares.scenario.node-not-found-in-tree", reference="pp1"):
        scenario.with_settings({key: "pp1"})
