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
from tests.texts import Expected, naming, refuses, says, worded, wording

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
            worded(
                "shares.scenario.person-who-is-not-user",
                error=wording("shares.scenario.node-not-found-in-tree", reference="x", reference_2=""),
            ),
        ),
        (
            "people: [{name: hale, accounts: [pp1]}]",
            worded("shares.scenario.node-not-found-in-tree", reference="pp1"),
        ),
        (
            "people: [{name: hale, accounts: [g]}]",
            worded("shares.scenario.is-group-write-user-below", reference="g", id="p1"),
        ),
        (
            "people: [{name: hale, accounts: []}]",
            worded("shares.scenario.is-empty-list-give-at", key="accounts:"),
        ),
        (
            "people: [{name: hale, accounts: [p1, g/p1]}]",
            worded("shares.scenario.occurs-twice-here-list-each", reference="g/p1"),
        ),
        ("people: [{name: u}, {name: u}]", worded("shares.scenario.occurs-twice-in-people-list", name="u")),
        (
            "people: [{name: g, accounts: [p1]}]",
            worded("shares.scenario.is-name-of-group-too", name="g"),
        ),
        ("people: [{name: u, accounts: [p1]}]", worded("shares.scenario.is-user-or-account-that", name="u")),
        (
            "people: [{name: a/b, accounts: [p1]}]",
            naming("'a/b' is not a name"),
        ),
        ("people: [{name: u, nice: 40}]", naming("nice: must be below 40")),
        ("people: [{name: u, acounts: [u]}]", naming("Unknown key 'acounts'. Did you mean 'accounts'?")),
        ("devices: [{name: d}, {name: d}]", worded("shares.scenario.occurs-twice-in-devices-list", name="d")),
        ("devices: [{name: d, kind: disk}]", naming("kind: must be 'block' or 'stream', not \"disk\"")),
    ],
)
def test_faults_of_people_and_devices(text: str, message: Expected) -> None:
    tree = HEAD[: HEAD.index("people:")]
    found = problems_of(tree + text + "\n")
    assert any(says(line, message) for line in found), found
    assert all(says(line, "shares.scenario.line-column", line="7") for line in found)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        ("{burst_s: 1, device: dd4, io_s: 1}", naming("work: device dd4 not found. Did you mean dd40?")),
        ("{burst_s: 1, device: zzz, io_s: 1}", naming("work: device zzz not found. Choose one of dd40, tty")),
        ("{burst_s: 1, device: dd40}", worded("shares.scenario.device-needs-io-s-time")),
        ("{burst_s: 1, device: dd40, io_s: 0}", worded("shares.scenario.device-needs-io-s-time")),
        ("{burst_s: 1, device: dd40, io_s: 0 s}", worded("shares.scenario.device-needs-io-s-time")),
        ("{device: dd40, io_s: 1}", naming("device needs burst_s, the CPU time before each request")),
        ("{burst_s: 1, io_s: 1}", naming("io_s needs device")),
        (
            "{burst_s: 1, device: dd40, io_s: 1, sleep_s: 2}",
            worded("shares.scenario.process-either-waits-for-device"),
        ),
        ("{syscalls_per_s: fast}", naming("syscalls_per_s: must be a number")),
        ("{clicks: 1.5}", naming("clicks: must be a whole number")),
    ],
)
def test_faults_of_work(work: str, message: Expected) -> None:
    (found,) = problems_of(HEAD + f"workloads: [{{user: u, work: {work}}}]\n")
    assert says(found, "shares.scenario.line-column", line="9")
    assert says(found, message)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            "login: halle",
            worded(
                "shares.scenario.node-not-found-in-tree",
                reference="halle",
                reference_2=wording("shares.scenario.did-you-mean-2", meant="hale"),
            ),
        ),
        (
            "start: {user: hale, charge_to: u}",
            worded("shares.scenario.is-not-account-of-choose", reference="u", name="hale", person="p1, p2"),
        ),
        (
            "start: {user: bo, charge_to: p1}",
            worded("shares.scenario.is-not-account-of-choose", reference="p1", name="bo", person="p2"),
        ),
        (
            "start: {user: hale, charge_to: zz}",
            worded("shares.scenario.node-not-found-in-tree", reference="zz"),
        ),
        (
            "start: {user: p1, charge_to: p1}",
            worded("shares.scenario.charge-to-needs-person-of", item="p1"),
        ),
        (
            "newacct: {user: hale, account: u}",
            worded("shares.scenario.is-not-account-of-choose", reference="u", name="hale", person="p1, p2"),
        ),
        (
            "newacct: {user: hal, account: p1}",
            worded(
                "shares.scenario.person-not-found-in-people",
                name="hal",
                hint=wording("shares.scenario.did-you-mean-2", meant="hale"),
            ),
        ),
        ("newacct: {user: hale}", worded("shares.scenario.key-is-missing", key="account")),
        ("renice: {user: hale, pid: 3, nice: 2}", worded("shares.scenario.renice-needs-either-pid-or")),
        ("renice: {nice: 2}", worded("shares.scenario.renice-needs-either-pid-or")),
        ("renice: {user: g, nice: 2}", naming("g is a group")),
        ("renice: {user: u}", worded("shares.scenario.key-is-missing", key="nice")),
        (
            "end: {user: hale}",
            worded("shares.scenario.is-person-write-one-of", reference="hale", people="p1, p2"),
        ),
        (
            "set_books: {user: hale, usage: 1}",
            worded("shares.scenario.is-person-write-one-of", reference="hale", people="p1, p2"),
        ),
        ("set_books: {user: u}", worded("shares.scenario.set-books-needs-usage-charge")),
        (
            "set_books: {user: u, usage: -1}",
            worded(
                "shares.scenario.must-be-not",
                key="usage:",
                right=wording("shares.scenario.at-least", ge="0"),
                written="-1",
            ),
        ),
        (
            "set_books: {user: g, usage: 1}",
            naming("g is a group"),
        ),
        ("restart: false", worded("shares.scenario.leave-event-out-if-nothing")),
        ("restart: ", worded("shares.scenario.must-not-be-empty", key="restart")),
        (
            "set: {machine.defer_interactive_to: p3}",
            worded("shares.scenario.node-not-found-in-tree", reference="p3"),
        ),
        ("set: {policy.k_mu: [0.5, 3]}", naming("policy.k_mu: needs a number from 0 to 2")),
        (
            "set: {policy.k_mu: [a]}",
            worded("shares.scenario.is-not-allowed-it-must", shown="policy.k_mu: ['a']", value="a number"),
        ),
        (
            "set: {machine.calendar: [never 1]}",
            worded("shares.scenario.in-is-not-day-write", part="'never'", line="'never 1'"),
        ),
    ],
)
def test_faults_of_events(event: str, message: Expected) -> None:
    found = problems_of(HEAD + f"events: [{{at: 1, {event}}}]\n")
    assert any(says(line, message) for line in found), found
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
        ("{title: t}", worded("shares.scenario.report-lists-demands-example-g1")),
        ("{demands: {u: idle}}", worded("shares.scenario.key-is-missing", key="title")),
        ("{title: t, demands: {x: idle}}", worded("shares.scenario.node-not-found-in-tree")),
        (
            "{title: t, demands: {u: idle, root/u: idle}}",
            worded("shares.scenario.is-which-is-already-listed", reference="root/u", found="u"),
        ),
        ("{title: t, demands: {u: much}}", worded("shares.scenario.is-not-share-of-machine", text="'much'")),
        (
            "{title: t, demands: {u: 120 %}}",
            worded(
                "shares.scenario.must-be-not",
                key="u:",
                right=wording("shares.scenario.share-of-machine-from-0"),
                written='"120 %"',
            ),
        ),
        (
            "{title: t, demands: {u: }}",
            naming("u: a demand is a percentage such as 2.08 %, saturated or idle"),
        ),
        (
            "{title: t, measured: {u: saturated}}",
            worded("shares.scenario.is-not-share-of-machine", text="'saturated'"),
        ),
        (
            "{title: t, measured: {u: 4.19}}",
            worded(
                "shares.scenario.must-be-not",
                key="u:",
                right=wording("shares.scenario.share-of-machine-from-0"),
                written="4.19",
            ),
        ),
    ],
)
def test_faults_of_reports(report: str, message: Expected) -> None:
    found = problems_of(HEAD + f"reports: [{report}]\n")
    assert any(says(line, message) for line in found), found
    assert all(says(line, "shares.scenario.line-column", line="9") for line in found)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "machine: {defer_interactive_to: pp1}",
            worded("shares.scenario.node-not-found-in-tree", reference="pp1"),
        ),
        (
            "machine: {defer_interactive_to: g}",
            worded("shares.scenario.is-group-write-user-below", reference="g"),
        ),
        ("machine: {calendar: [8-18 1]}", naming("machine.calendar: '8-18 1' cannot be read")),
        ("machine: {calendar: [3]}", naming("machine.calendar[1]: each item of calendar must be text")),
        ("policy: {k_mu: []}", naming("policy.k_mu: needs a number for the first level at least")),
        (
            "policy: {level_half_lives_s: [8 h, 3 x]}",
            naming("'3 x' is not a time"),
        ),
    ],
)
def test_faults_of_settings(settings: str, message: Expected) -> None:
    found = problems_of(HEAD + settings + "\n")
    assert any(says(line, message) for line in found), found


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
