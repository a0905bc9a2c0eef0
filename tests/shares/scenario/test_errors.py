"""What is wrong with a file: told all at once, each with its place and what would be right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from fsconsole.shares.scenario import yaml_nodes
from fsconsole.shares.scenario.actions import SetSetting
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from tests.laws import tries
from tests.shares.example_files import EXAMPLES
from tests.texts import Expected, naming, refuses, says, worded, wording

TREE = """\
version: 1
tree:
  name: root
  children:
    - {name: a, shares: 1}
    - {name: g, children: []}
    - {name: g2, children: [{name: b}]}
"""


def problems_of(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    return [str(problem) for problem in caught.value.problems]


def in_tree(node: str) -> str:
    return f"version: 1\ntree:\n  name: root\n  children:\n    - {node}\n"


def test_a_sound_file_has_no_problems() -> None:
    assert [node.name for node in parse_scenario(TREE).tree.walk()] == ["root", "a", "g", "g2", "b"]


def test_all_errors_come_at_once_in_the_order_of_the_file() -> None:
    text = (
        TREE.replace("version: 1", "version: 2\ntitel: x").replace("shares: 1", "shares: -1")
        + "machine: {cpus: 0, start: tomorrow}\n"
        + "logins: [zz, g2]\n"
        + "workloads: [{user: g, nice: 40}]\n"
        + "events: [{at: 5 x, login: bb}, {at: 4, set: {policy.halflife_s: 4}}]\n"
    )
    found = problems_of(text)
    places = [tuple(int(word.strip(",:")) for word in line.split()[1:4:2]) for line in found]
    assert places == sorted(places)
    wanted = (
        "line 1, column 10: error: version: version must be 1",
        "line 2, column 1: error: Unknown key 'titel'. Did you mean 'title'?",
        "line 6, column 25: error: root/a: shares must be a whole number from 0 to 2147483647, not -1",
        "line 9, column 17: error: machine.cpus: needs 1 to 4096 processors",
        "line 9, column 27: error: machine.start: must be a date and time such as",
        "line 10, column 10: error: logins[1]: node zz not found in the tree",
        "line 10, column 14: error: logins[2]: g2 is a group. Write a user below it. Example: b",
        "line 11, column 20: error: workloads[1]: g is a group without users. Add a user below it",
        "line 11, column 29: error: workloads[1].nice: must be below 40, not 40",
        "line 12, column 15: error: events[1].at: '5 x' is not a time",
        "line 12, column 27: error: events[1]: node bb not found in the tree. Did you mean b?",
        "line 12, column 46: error: events[2].set: unknown setting 'policy.halflife_s'. Did you mean policy",
    )
    assert len(found) == len(wanted)
    for line, start in zip(found, wanted, strict=True):
        assert line.startswith(start)


@pytest.mark.parametrize("shares", ["-3", "1.5", "true", '"7"', "2147483648", "[]", "1e3", ""])
def test_shares_are_whole_numbers(shares: str) -> None:
    (shown,) = problems_of(in_tree(f"{{name: a, shares: {shares}}}"))
    assert says(shown, "shares.scenario.line-column", line="5")
    whole = wording("shares.scenario.whole-number-from-0-to", max_shares="2147483647")
    assert says(shown, "shares.scenario.must-be-not", key="shares", right=whole)


@pytest.mark.parametrize(
    "name", ["no", "On", "007", "1e3", "2001-01-01", "12:30", "~", ".inf", "0x1F", "null"]
)
def test_names_that_yaml_takes_for_something_else_want_quotes(name: str) -> None:
    found = problems_of(in_tree(f"{{name: {name}, shares: 3}}"))
    wanted = f'in quotes: "{name}"' if name not in ("~", "null") else "name must be text, not empty"
    assert any(wanted in text for text in found)
    if name not in ("~", "null"):
        answer = parse_scenario(in_tree(f'{{name: "{name}", shares: 3}}')).tree.find(name).shares
        assert answer == 3


def test_twins_among_siblings_are_named_with_both_lines() -> None:
    (shown,) = problems_of(TREE + "    - {name: a, shares: 2}\n")
    place = wording("shares.scenario.line-column", line="8", column="14")
    assert shown.removeprefix(place).split(": ")[:2] == ["error", "root/a"]
    assert says(shown, "shares.scenario.name-occurs-twice-in-this", name="a", first="5")
    assert re.findall(r"line (\d+)", shown) == ["8", "5", "8"]


def test_the_same_name_in_two_groups_is_no_fault_but_wants_a_path() -> None:
    text = TREE.replace("children: []", "children: [{name: b}]")
    assert len(parse_scenario(text).tree) == 6
    (message,) = problems_of(text + "logins: [b]\n")
    assert says(
        message,
        "shares.scenario.is-name-of-nodes-write",
        reference="b",
        named="2",
        places="root/g/b, root/g2/b",
    )
    assert parse_scenario(text + "logins: [g2/b]\n").logins == (5,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", worded("shares.scenario.file-is-empty-it-needs-2")),
        ("# only this\n", worded("shares.scenario.this-is-not-which-is")),
        ("hello", worded("shares.scenario.this-is-not-which-is")),
        ("- 1", worded("shares.scenario.this-is-not-which-is")),
        ("tree: {name: root}", naming("version: this key is missing. Write version: 1, ")),
        (
            "version: '1'\ntree: {name: root}",
            naming('this program reads, not "1"'),
        ),
        ("version: 1", worded("shares.scenario.key-is-missing", key="tree")),
        (
            "version: 1\ntree: [1]",
            worded(
                "shares.scenario.must-be-not",
                key="tree:",
                right=wording("shares.scenario.mapping-of-keys-to-values"),
                written="a list",
            ),
        ),
        (
            "version: 1\ntree:\n\tname: x",
            naming("line 3, column 1: error: not valid YAML: a tab cannot indent"),
        ),
        ("version: 1\ntree: {name: 'root", naming("not valid YAML: found unexpected end of stream")),
        ("version: 1\n---\nversion: 1\n", naming("line 2, column 1: error: a second document starts here")),
        (
            "version: 1\ntree: !!python/object/apply:os.system [ls]",
            naming("the tag !!python/object/apply:os"),
        ),
        (
            "version: !!int 1\ntree: {name: root}",
            worded("shares.scenario.tag-is-not-plain-yaml", tag="!!int"),
        ),
        ("version: *x", worded("shares.scenario.refers-to-nothing-no-comes", anchor="x")),
        (
            "version: 1\ntree: &t {name: root, children: [*t]}",
            worded("shares.scenario.refers-to-value-that-contains", anchor="t"),
        ),
        (
            TREE + "seed: 1\nseed: 2\n",
            naming("line 9, column 1: error: the key seed occurs here a second time, first"),
        ),
        (TREE + "1: 2\n", worded("shares.scenario.this-key-is-not-text", written="1")),
        (TREE + "? [a]\n: 3\n", worded("shares.scenario.key-must-be-text")),
        (in_tree("{<<: {shares: 1}, name: a}"), worded("shares.scenario.merge-keys-are-not-read")),
        (in_tree("{name: a/b}"), naming("'a/b' is not a name")),
        (in_tree("{shares: 1}"), worded("shares.scenario.key-is-missing", key="name")),
        (in_tree("5"), worded("shares.scenario.node-must-be-mapping-such")),
        (in_tree("{name: a, kind: usr}"), naming("kind must be 'group', 'user' or 'account'")),
        (
            in_tree("{name: a, kind: user, children: []}"),
            worded("shares.scenario.kind-cannot-contain-nodes-leave", row="user"),
        ),
        (
            in_tree("{name: a, usage: .nan}"),
            worded(
                "shares.scenario.must-be-not",
                key="usage",
                right=wording("shares.scenario.finite-number"),
                written=".nan",
            ),
        ),
        (
            in_tree("{name: a, charge: -1}"),
            worded(
                "shares.scenario.must-be-not",
                key="charge",
                right=wording("shares.scenario.at-least", ge="0"),
                written="-1",
            ),
        ),
        (in_tree("{name: a, last_use_s: 2 h}"), naming("last_use_s must be at most 0")),
        (in_tree("{name: a, shars: 1}"), naming("Unknown key 'shars'. Did you mean 'shares'?")),
        (
            in_tree("{name: a, foreign: {x: 1}}"),
            worded("shares.scenario.must-be-text-may-be", key="x", written="1"),
        ),
        (
            "version: 1\ntree: {name: root, kind: user}",
            worded("shares.scenario.kind-cannot-contain-nodes-leave", row="user"),
        ),
        (
            TREE + "machine: {k2: 0.5}\n",
            naming("line 8, column 15: error: machine.k2: k2 * (nice + k3)"),
        ),
        (TREE + "policy: {delta_s: 0.001}\n", naming("policy.delta_s: needs a whole number of ticks")),
        (TREE + "policy: {half_life_s: .inf}\n", naming("half_life_s: must be a finite number")),
        (TREE + "workloads: [{user: b, work: {sleep_s: 4 s}}]\n", naming("sleep_s needs burst_s")),
        (
            TREE + "workloads: [{user: b, work: endles}]\n",
            worded("shares.scenario.must-be-not", key="work:", right="'endless'", written='"endles"'),
        ),
        (
            TREE + "workloads: [{user: b, work: {brst_s: 1 s}}]\n",
            worded("shares.scenario.did-you-mean", repr="'burst_s'"),
        ),
        (
            TREE + "workloads: [{user: g2}]\n",
            worded("shares.scenario.is-group-write-user-below", reference="g2", id="b"),
        ),
        (TREE + "logins: [root]\n", naming("root is a group")),
        (TREE + "logins: [b, b]\n", worded("shares.scenario.is-already-logged-in-list", reference="b")),
        (TREE + "events: [{at: 1}]\n", worded("shares.scenario.event-has-one-of-besides")),
        (TREE + "events: [{at: 1, login: b, logout: b}]\n", naming("besides its time at, not 2")),
        (
            TREE + "events: [{at: 1, login: b, end_processes: false}]\n",
            worded("shares.scenario.end-processes-needs-logout"),
        ),
        (TREE + "events: [{at: 1, end: {}}]\n", worded("shares.scenario.end-needs-either-user-with")),
        (
            TREE + "events: [{at: 1, set_shares: {g1: 2}}]\n",
            worded("shares.scenario.node-not-found-in-tree", reference="g1"),
        ),
        (
            TREE + "events: [{at: 1, set_shares: {g: -2}}]\n",
            naming("g: must be a whole number from 0 to 2147483647"),
        ),
        (TREE + "events: [{at: 1, set: {machine.k2: 0.3}}]\n", worded("shares.scenario.k2-nice-k3-must-lie")),
        (TREE + "plot: {nodes: [q]}\n", worded("cli.not-found", what="plot.nodes:", name="node q")),
        (TREE + "plot: {quantities: [cpu]}\n", naming("must be 'cpu_rate', 'allocated_share'")),
        (
            TREE + "plot: {sample_s: 0.001}\n",
            naming("plot.sample_s: needs a whole number of ticks of 1/60 s"),
        ),
        (
            TREE + "plot: {sample_s: 60}\n",
            naming("plot.rate_window_s: needs at least the time between samples, 60 s"),
        ),
        (TREE + "events: [{at: 1, login: }]\n", worded("shares.scenario.must-not-be-empty", key="login")),
        (TREE + "events: [{at: 1, end: {user: }}]\n", worded("shares.scenario.end-needs-either-user-with")),
        (TREE + "events: [{at: 1e300, login: b}]\n", naming("at: must be at most 1e+10")),
        (
            TREE + "events: [{at: 1, set: {machine.hz: 50}}]\n",
            worded("shares.scenario.cannot-change-while-machine-runs", key="machine.hz"),
        ),
        (
            TREE + "plot: {until_s: 0}\n",
            worded("shares.scenario.must-be-not", key="until_s:", right="above 0", written="0"),
        ),
        (
            TREE + "about: [1]\n",
            worded("shares.scenario.must-be-not", key="about:", right="text", written="a list"),
        ),
        (
            TREE + "events: {}\n",
            worded(
                "shares.scenario.must-be-not",
                key="events:",
                right=wording("shares.scenario.list-each-item-after-dash"),
                written="a mapping",
            ),
        ),
    ],
)
def test_each_fault_says_what_would_be_right(text: str, message: Expected) -> None:
    assert any(says(line, message) for line in problems_of(text)), problems_of(text)


def test_settings_are_checked_after_each_other_in_time() -> None:
    """k3 = 60 is possible only once k2 is smaller: nice 39 must stay below 1."""
    ahead = "events:\n  - {at: 9, set: {machine.k3: 60}}\n  - {at: 5, set: {machine.k2: 0.01}}\n"
    assert len(parse_scenario(TREE + ahead).events) == 2
    (shown,) = problems_of(TREE + ahead.replace("at: 5", "at: 15"))
    assert says(shown, "shares.scenario.line-column", line="9", column="19")


@pytest.mark.parametrize("order", ["machine.k3: 60, machine.k2: 0.01", "machine.k2: 0.01, machine.k3: 60"])
def test_settings_of_one_event_take_the_order_in_which_each_is_allowed(order: str) -> None:
    events = parse_scenario(TREE + f"events: [{{at: 5, set: {{{order}}}}}]\n").events
    assert [event.action for event in events] == [
        SetSetting("machine.k2", 0.01),
        SetSetting("machine.k3", 60),
    ]


@pytest.mark.parametrize("text", ["version: 1\ntree: " + "[" * 9999, "- " * 9999, "tree: " + "{a: " * 9999])
def test_deep_nesting_is_no_crash(text: str) -> None:
    assert says(problems_of(text)[0], "shares.scenario.nested-deeper-than-levels-of")


def test_a_deep_tree_within_the_bound_is_read() -> None:
    depth = (yaml_nodes.MAX_DEPTH - 4) // 2
    node = "{name: u}"
    for level in range(depth):
        node = f"{{name: g{level}, children: [{node}]}}"
    answer = len(parse_scenario(f"version: 1\ntree: {{name: root, children: [{node}]}}").tree)
    assert answer == depth + 2


def test_aliases_that_explode_are_refused_quickly() -> None:
    rows = [
        f"{next_}: &{next_} [{', '.join([f'*{name}'] * 10)}]\n"
        for name, next_ in zip("abcdefg", "bcdefgh", strict=True)
    ]
    found = problems_of("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(rows))
    assert says(found[0], "shares.scenario.aliases-stand-for-more-than")


def test_plain_aliases_are_read() -> None:
    text = TREE + "workloads:\n  - {user: a, work: &w {burst_s: 2 s}}\n  - {user: b, work: *w}\n"
    first, second = parse_scenario(text).workloads
    assert first.work == second.work


@given(st.integers(0, yaml_nodes.MAX_BYTES), st.integers(0, yaml_nodes.MAX_BYTES))
@example(1, yaml_nodes.MAX_BYTES)
def test_every_place_of_the_largest_file_has_its_line_and_column(line: int, column: int) -> None:
    """A file of JSON may be a single line."""
    assert yaml_nodes.unpacked(yaml_nodes.packed(line, column)) == (line + 1, column + 1)


def test_files_over_the_limit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_nodes, "MAX_BYTES", 100)
    with refuses(ScenarioError, "shares.scenario.file-is-larger-than-mib"):
        yaml_nodes.text_of(b"x" * 101)
    monkeypatch.setattr(yaml_nodes, "MAX_VALUES", 10)
    assert says(problems_of(TREE)[0], "shares.scenario.more-than-values-which-is", max_values="10")


def test_a_tree_of_nothing_but_problems_is_given_up() -> None:
    found = problems_of("version: 1\ntree:\n  name: root\n  children:\n" + "  - {}\n" * 30_000)
    assert says(found[0], "shares.scenario.tree-has-more-than-problems", most_problems="10\u202f000")
    assert says(found[1], "shares.scenario.key-is-missing", key="name")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"version: 1\ntitle: \xff\n", "line 2, column 8: error: byte 0xff is not UTF-8"),
        ("version: 1".encode("utf-16"), "line 1, column 1: error: the file is UTF-16. Save it as UTF-8"),
        (b"version: 1\n\x00\x01", "line 2, column 1: error: the file is binary"),
    ],
)
def test_what_is_not_text(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    with pytest.raises(ScenarioError) as caught:
        read_scenario(path)
    assert str(caught.value).startswith(f"x.yaml: {message}")


def test_yaml_without_its_fast_parser_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert says(problems_of(TREE)[0], "shares.scenario.pyyaml-was-built-without-libyaml")


def test_very_many_problems_are_cut_short() -> None:
    text = TREE + "logins: [" + ", ".join(f"z{row}" for row in range(3000)) + "]\n"
    found = problems_of(text)
    assert len(found) == 1001
    assert found[-1] == ("error: " + wording("shares.scenario.and-more-problems", problems="2000"))


def read_or_refuse(text: str) -> None:
    problems: list[Problem] | None = None
    try:
        parse_scenario(text)
    except ScenarioError as error:
        problems = error.problems
    assert problems is None or all(problem.text for problem in problems)
    assert problems != []


@given(st.binary(max_size=300))
@tries(300)
def test_random_bytes_give_a_scenario_error_or_a_scenario(data: bytes) -> None:
    try:
        text = yaml_nodes.text_of(data)
    except ScenarioError:
        return
    read_or_refuse(text)


@given(st.text(st.sampled_from("ab:-,[]{}&*!|>'\"#%@` \n\t0123.~\x85\ufeff"), max_size=80))
@tries(400)
def test_random_yaml_gives_a_scenario_error_or_a_scenario(text: str) -> None:
    read_or_refuse(text)
    read_or_refuse(TREE + text)


@given(st.data())
@tries(300)
def test_mutated_examples_give_a_scenario_error_or_a_scenario(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(EXAMPLES)).read_text()
    text = text[text.index("version:") :]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 12))
        new = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
        word = st.sampled_from(
            ["", "-1", "null", "[]", "{}", "yes", "1e400", "*a", "&a ", "\n", "name: ", "!!x "]
        )
        text = text[:start] + data.draw(new | word) + text[start + length :]
    read_or_refuse(text)


def test_an_unknown_policy_is_reported_with_the_rest_and_where_it_stands() -> None:
    found = problems_of(TREE + "policy:\n  name: shar\n  half_life_s: 0\nmachine: {hz: 0}\nsed: 1\n")
    texts = [line.partition("error: ")[2] for line in found]
    assert texts == [
        (
            "policy.name: "
            + wording("shares.scenario.unknown-policy", name="", name_2="'shar'")
            + wording("shares.scenario.did-you-mean-2", meant="share")
        ),
        ("policy.half_life_s: " + wording("shares.scenario.needs-time-above-0-s")),
        ("machine.hz: " + wording("shares.scenario.needs-1-to-ticks-per", most_hz="10000")),
        (
            wording("shares.scenario.unknown-key", key="'sed'", hint=" ")
            + wording("figures.did-you-mean", near="'seed'")
        ),
    ]
    assert "column 9:" in found[0]


def test_hours_and_minutes_are_not_taken_for_seconds() -> None:
    text = "version: 1\npolicy: {half_life_s: 16:00}\ntree: {name: root}\n"
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    assert says(str(caught.value), "shares.scenario.line-column", line="2", column="23")
    assert says(
        str(caught.value),
        "shares.scenario.write-times-with-unit-such",
        read=wording("shares.scenario.some-yaml-readers-take-for", value="16:00", sexagesimal="960"),
    )
