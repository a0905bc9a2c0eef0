"""Memory, queues, jobs and near-dedicated windows in scenario files."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsconsole.policies.check import warnings_of
from fsconsole.shares.edits import Remove, Rename
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.actions import MAX_CLICKS, Action, StartProcess, Work
from fsconsole.shares.scenario.field_types import descriptions
from fsconsole.shares.scenario.job_spec import FIRST_REQUEST, JobSpec, QueueSpec, UrmSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from fsconsole.shares.scenario.names import Person
from fsconsole.shares.scenario.nd_spec import ORDERS, NearDedicatedSpec
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.rename_references import following, held_names
from fsconsole.shares.scenario.spec import Event, MachineSpec, Scenario, SettingError
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import ShareTree
from tests.laws import tries
from tests.shares.scenario.test_errors import problems_of
from tests.shares.scenario.test_write import assert_same
from tests.shares.trees import names, texts
from tests.texts import Expected, naming, refuses, refuses_naming, says, worded, wording

HEAD = """\
version: 1
machine: {cpus: 8}
memory: {size_mw: 60, sds_mw: 256, share_aware: true, hard_sleep: first, sds_poll_s: 10 s}
urm: {age_wt: 2, pass_s: 1 min}
tree:
  name: root
  children:
    - {name: PRI_BATCH, kind: account}
    - {name: PRI_ND, shares: 300, kind: account}
    - {name: own}
people:
  - {name: sbert, accounts: [PRI_BATCH]}
"""
QUEUES = """\
queues:
  - {name: nd, node: PRI_ND, most_cpu_s: 30 h, most_memory_mw: 40, most_sds_mw: 210, started: false}
  - {name: batch, node: PRI_BATCH, run_limit: 10, user_limit: 3}
  - {name: free, priority: 5}
near_dedicated: {queue: nd, windows: daily 23:00-07:30, required_efficiency: 88 %}
"""
JOBS = """\
workloads:
  - {user: own, work: {memory_mw: 2.5, sds_mw: 38.4, system_fraction: 4 %, mflops: 90, locked_fraction: 0.2}}
jobs:
  - {name: ccm, queue: nd, user: sbert, requested_cpu_s: 16 h, tasks: 8, memory_mw: 27.3, sds_mw: 210}
  - {name: small, queue: batch, requested_cpu_s: 1 h, cpu_s: 30 min, count: 2}
  - {name: mine, queue: free, user: own, requested_cpu_s: 60, take_chances: true, shown_efficiency: 89.9 %}
events:
  - {at: 1 min, submit: {name: late, queue: nd, user: sbert, requested_cpu_s: 10 h}}
  - {at: 2 min, open_window: {until_s: 8 h}}
  - {at: 3 min, open_window: true}
  - {at: 4 min, extend_job: {request: 41870, by_s: -30 min}}
  - {at: 5 min, kill_job: {request: 41871, hold_others: true}}
  - {at: 6 min, order_queue: shortest}
  - {at: 7 min, set_queue: {queue: batch, started: false}}
  - {at: 8 min, move_job: {request: 41874, place: 1}}
  - {at: 9 min, close_window: {}}
  - {at: 10 min, set: {memory.share_aware: false, urm.run_limit: 4}}
"""
FULL = HEAD + QUEUES + JOBS

sizes = st.floats(0, 2.0**20)
times = st.floats(1e-3, 1e6)
parts = st.floats(0, 1)


@st.composite
def batch_scenarios(draw: st.DrawFn) -> Scenario:
    """Draw scenarios with all new sections."""
    tree = ShareTree()
    leaves = [tree.add(0, name).id for name in draw(st.lists(names, min_size=2, max_size=3, unique=True))]
    assume(not any(tree.root.name == tree.node(leaf).name for leaf in leaves))
    node = st.sampled_from(leaves)
    queue_names = draw(st.lists(names.map(str.strip), min_size=1, max_size=3, unique=True))
    queues = tuple(
        QueueSpec(
            name, draw(node), draw(st.integers(0, 9)), draw(st.none() | st.integers(0, 9)),
            started=draw(st.booleans()),
        )
        for name in queue_names
    )  # fmt: skip
    people = st.sampled_from(["", *(tree.node(leaf).name for leaf in leaves)])
    job = st.builds(
        JobSpec, names, st.sampled_from(queue_names), times, people, st.none() | times, st.integers(1, 64),
        sizes, sizes, times, sizes, parts, times, times, parts, st.floats(0, 1e4), parts, st.none() | parts,
        st.booleans(), st.none() | times, st.booleans(),
    )  # fmt: skip
    jobs = tuple(draw(st.lists(job, max_size=4)))
    request = st.integers(FIRST_REQUEST, FIRST_REQUEST + max(len(jobs) - 1, 0))
    happenings: list[st.SearchStrategy[Action]] = [
        st.builds(actions.SubmitJob, job),
        st.builds(actions.SetQueue, st.sampled_from(queue_names), st.booleans()),
        st.builds(actions.SuspendProcess, st.integers(1, 9)),
        st.builds(actions.OpenWindow, st.none() | st.floats(2e6, 3e6)),
        st.builds(actions.CloseWindow, st.booleans()),
        st.builds(actions.MoveWindow, st.none() | times, st.floats(2e6, 3e6)),
        st.builds(actions.OrderQueue, st.sampled_from(ORDERS)),
        st.builds(actions.WriteNote, texts),
        st.builds(actions.Acknowledge, names),
    ]
    if jobs:
        happenings += [
            st.builds(actions.KillJob, request, st.booleans()),
            st.builds(actions.MoveJob, request, st.integers(1, 9)),
            st.builds(actions.ExtendJob, request, st.floats(-1e6, 1e6)),
            st.builds(actions.HoldJob, request),
            st.builds(actions.ReleaseJob, request),
            st.builds(actions.RunJob, request),
            st.builds(actions.CheckpointJob, request),
            st.builds(actions.RestartJob, request),
            st.builds(actions.CloseWindow, st.booleans(), request),
        ]
    clicks = st.integers(0, MAX_CLICKS)
    work = st.builds(
        Work, clicks=clicks, sds_clicks=st.just(0), system_fraction=parts, mflops=times, locked_fraction=parts
    )
    return Scenario(
        tree,
        machine=MachineSpec(
            memory=MemorySpec(sds_mw=2.0**20, swap_mw_per_s=draw(times), share_aware=draw(st.booleans())),
            urm=UrmSpec(
                draw(st.floats(0, 1e6)),
                run_limit=draw(st.integers(0, 99)),
                preferred_from_mw=draw(st.floats(0, 64)),
                preferred_to_mw=draw(st.just(0.0) | st.floats(64, 2.0**20)),
            ),
        ),
        queues=queues,
        near_dedicated=NearDedicatedSpec(
            queue_names[0],
            draw(st.sampled_from([(), ("daily 23:00-07:30",), ("mon 01:00-06:00", "sat,sun 01:00-06:00")])),
            draw(st.sampled_from(["near-dedicated", "dedicated"])),
            required_efficiency=draw(parts),
            order=draw(st.sampled_from(ORDERS)),
            scan_s=draw(st.floats(1, 86400)),
        ),
        workloads=tuple(draw(st.lists(st.builds(StartProcess, node, work), max_size=2))),
        jobs=jobs,
        events=tuple(Event(at, draw(st.one_of(happenings))) for at in draw(st.lists(times, max_size=4))),
    )


@given(batch_scenarios())
@tries(150)
def test_what_is_written_is_read_back_exactly(scenario: Scenario) -> None:
    text = write_text(scenario)
    again = parse_scenario(text)
    assert_same(again, scenario)
    assert write_text(again) == text


def test_a_file_becomes_a_scenario() -> None:
    scenario = parse_scenario(FULL)
    memory = scenario.machine.memory
    assert (memory.size_mw, memory.sds_mw, memory.share_aware, memory.hard_sleep) == (60, 256, True, "first")
    assert (scenario.machine.urm.age_wt, scenario.machine.urm.pass_s) == (2.0, 60.0)
    assert scenario.queues[0] == QueueSpec(
        "nd", 2, most_cpu_s=108000, most_memory_mw=40, most_sds_mw=210, started=False
    )
    assert scenario.queues[2].node is None
    assert scenario.near_dedicated == NearDedicatedSpec("nd", ("daily 23:00-07:30",))
    assert [job.name for job in scenario.jobs] == ["ccm", "small", "small", "mine"]
    assert (scenario.jobs[0].person, scenario.jobs[1].person, scenario.jobs[3].person) == ("sbert", "", "own")
    assert scenario.jobs[3].shown_efficiency == 0.899
    # 1 click is 512 words, 2048 of them a MW
    (load,) = scenario.workloads
    assert (load.work.clicks, load.work.sds_clicks) == (5120, round(38.4 * 2048))
    assert [one.action for one in scenario.events][:6] == [
        actions.SubmitJob(JobSpec("late", "nd", 36000, "sbert")),
        actions.OpenWindow(28800),
        actions.OpenWindow(),
        actions.ExtendJob(41870, -1800),
        actions.KillJob(41871, hold_others=True),
        actions.OrderQueue("shortest"),
    ]


def test_the_paper_s_sds_is_so_many_clicks() -> None:
    """430080 clicks stand in the report of the night as 210.0 MW."""
    text = FULL.replace("sds_mw: 38.4", "sds_mw: 210")
    scenario = parse_scenario(text)
    assert scenario.workloads[0].work.sds_clicks == 430080
    assert "sds_mw: 210," in write_text(scenario)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "near_dedicated: true",
            worded(
                "shares.scenario.write-its-keys-below-it",
                example=wording("shares.scenario.queue-nd-windows-daily-23"),
            ),
        ),
        ("near_dedicated:", worded("shares.scenario.write-its-keys-below-it")),
        ("memory: 60", naming("memory: write its keys below it. Example: {size_mw: 60}")),
        (
            "queues: {nd: 1}",
            worded(
                "shares.scenario.must-be-not",
                key="queues:",
                right=wording("shares.scenario.list-each-item-after-dash"),
                written="a mapping",
            ),
        ),
        ("memory: {size: 60}", naming("Unknown key 'size'. Did you mean 'size_mw'?")),
        (
            "memory: {swap_mw_per_s: 20 MB/s}",
            naming('must be a number of MW/s (20 MB/s are 2.5), not "20 MB/s"'),
        ),
        ("memory: {size_mw: 64 MW}", naming('must be a number of MW, 8 MB each, not "64 MW"')),
        ("memory: {size_mw: -1}", naming("memory.size_mw: needs a number from 0 to 1.04858e+06 MW")),
        ("memory: {hard_sleep: never}", naming("hard_sleep: must be 'first' or 'priority'")),
        ("urm: {age_weight: 1}", worded("shares.scenario.unknown-key")),
        (
            "jobs: [{name: a, queue: nd, requested_cpu_s: 1 h, device: disc, io_s: 1 s}]",
            worded(
                "shares.scenario.device-not-found",
                name="disc",
                hint=wording("shares.scenario.list-devices-is-empty"),
            ),
        ),
        (
            "jobs: [{name: a, queue: nd, requested_cpu_s: 1 h, device: disc}]",
            naming("device: needs io_s, the time of a request there, above 0"),
        ),
        (
            "urm: {preferred_from_mw: 32, preferred_to_mw: 8}",
            naming("urm.preferred_to_mw: needs at least preferred_from_mw, 32 MW, or 0 for no upper limit"),
        ),
        ("urm: {pass_s: 0}", naming("urm.pass_s: needs a number from 0.1 to 86400 s")),
        (
            "queues: [{name: q, node: PRI_NDD}]",
            worded(
                "shares.scenario.node-not-found-in-tree",
                reference="PRI_NDD",
                reference_2=wording("shares.scenario.did-you-mean-2", meant="PRI_ND"),
            ),
        ),
        (
            "queues: [{name: q, node: root}]",
            worded("shares.scenario.is-group-write-user-below", reference="root", id="PRI_BATCH"),
        ),
        ("queues: [{name: q}, {name: q}]", worded("shares.scenario.occurs-twice-in-queues-write", name="q")),
        ("queues: [{name: q, run_limit: -1}]", naming("queues[1].run_limit: needs a number from 0")),
        ("queues: [{node: own}]", worded("shares.scenario.key-is-missing", key="name")),
        (
            "near_dedicated: {queue: nd}",
            worded(
                "shares.scenario.queue-not-found",
                name="nd",
                hint="; " + wording("shares.scenario.section-queues-is-missing"),
            ),
        ),
        (
            "queues: []\nnear_dedicated: {queue: nd}",
            worded(
                "shares.scenario.queue-not-found",
                name="nd",
                hint="; " + wording("shares.scenario.list-queues-is-empty"),
            ),
        ),
        (
            "queues: [{name: ' nd'}]",
            worded("shares.scenario.is-not-name-of-queue", name="' nd'"),
        ),
        (
            'queues: [{name: "n\\nd"}]',
            worded("shares.scenario.is-not-name-of-queue"),
        ),
        (
            "queues: [{name: ndq}]\nnear_dedicated: {windows: daily 1:00-2:00}",
            worded(
                "shares.scenario.queue-not-found",
                name="nd",
                hint=wording("shares.scenario.did-you-mean-2", meant="ndq"),
            ),
        ),
        (
            "events: [{at: 1, open_window: true}]",
            worded("shares.scenario.needs-section-near-dedicated-which", key="open_window"),
        ),
        (
            "events: [{at: 1, set_queue: {queue: q, started: true}}]",
            worded(
                "shares.scenario.queue-not-found",
                name="q",
                hint="; " + wording("shares.scenario.section-queues-is-missing"),
            ),
        ),
        (
            "events: [{at: 1, kill_job: {request: 41870}}]",
            naming("no request 41870: this file submits no jobs"),
        ),
        (
            "events: [{at: 1, kill_job: {request: x}}]",
            worded(
                "shares.scenario.must-be-not",
                key="request:",
                right=wording("shares.scenario.whole-number"),
                written='"x"',
            ),
        ),
        ("events: [{at: 1, kill_job: {}}]", worded("shares.scenario.key-is-missing", key="request")),
        (
            "events: [{at: 1, kill_job: 41870}]",
            worded(
                "shares.scenario.must-be-not",
                key="kill_job:",
                right=wording("shares.scenario.mapping-of-keys-to-values"),
                written="41870",
            ),
        ),
        (
            "events: [{at: 1, set: {memory.size_mw: 4}}]",
            worded("shares.scenario.cannot-change-while-machine-runs", key="memory.size_mw"),
        ),
        (
            "workloads: [{user: own, work: {memory_mw: 1, clicks: 2048}}]",
            worded("shares.scenario.memory-mw-and-clicks-give"),
        ),
        (
            "workloads: [{user: own, work: {sds_mw: 1}}]",
            worded(
                "shares.scenario.mw-of-can-never-be", needed_mw="1", what="SDS", setting="sds_mw", there="0"
            ),
        ),
        (
            "workloads: [{user: own, work: {locked_fraction: 2}}]",
            naming("locked_fraction: must be a number from 0 to 1, or a percentage"),
        ),
    ],
)
def test_faults_of_sections_are_reported_with_what_would_be_right(wrong: str, message: Expected) -> None:
    base = "".join(line for line in HEAD.splitlines(keepends=True) if not line.startswith(("memory", "urm")))
    found = problems_of(f"{base}{wrong}\n")
    assert any(says(line, message) for line in found), found
    assert all(line.startswith("line ") for line in found)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "queue: bach",
            worded(
                "shares.scenario.queue-not-found",
                name="bach",
                hint=wording("shares.scenario.did-you-mean-2", meant="batch"),
            ),
        ),
        (
            "queue: nd, requested_cpu_s: 31 h",
            worded(
                "shares.scenario.requests-but-queue-allows-at",
                name="x",
                asked="31 h",
                queue="nd",
                allowed="30 h",
                limit="most_cpu_s",
            ),
        ),
        (
            "queue: nd, memory_mw: 41",
            worded(
                "shares.scenario.requests-but-queue-allows-at",
                name="x",
                asked="41 MW",
                queue="nd",
                allowed="40 MW",
                limit="most_memory_mw",
            ),
        ),
        (
            "queue: nd, sds_mw: 211",
            worded("shares.scenario.requests-but-queue-allows-at", allowed="210 MW", limit="most_sds_mw"),
        ),
        (
            "queue: batch, memory_mw: 61",
            worded(
                "shares.scenario.mw-of-can-never-be",
                needed_mw="61",
                what="memory",
                setting="size_mw",
                there="60",
            ),
        ),
        (
            "queue: batch, sds_mw: 300",
            worded(
                "shares.scenario.mw-of-can-never-be",
                needed_mw="300",
                what="SDS",
                setting="sds_mw",
                there="256",
            ),
        ),
        (
            "queue: batch, user: sbret",
            worded(
                "shares.scenario.node-not-found-in-tree",
                reference="sbret",
                reference_2=wording("shares.scenario.did-you-mean-2", meant="sbert"),
            ),
        ),
        ("queue: free", worded("shares.scenario.key-user-is-missing-queue", queue="free")),
        ("queue: batch, tasks: 0", naming("jobs[1].tasks: needs a number from 1 to 4096")),
        ("queue: batch, cpu: 1 h", naming("Unknown key 'cpu'. Did you mean 'cpu_s'?")),
        (
            "queue: batch, requested_cpu_s: 16 hours",
            naming("'16 hours' is not a time"),
        ),
        (
            "queue: batch, shown_efficiency: 88",
            naming("a number from 0 to 1, or a percentage such as 88 %, not 88"),
        ),
        (
            "queue: batch, shown_efficiency: good",
            worded("shares.scenario.is-not-fraction-write-percentage", value="'good'"),
        ),
        (
            "queue: batch, count: 0",
            worded(
                "shares.scenario.must-be-not",
                key="count:",
                right=wording("shares.scenario.at-least", ge="1"),
                written="0",
            ),
        ),
    ],
)
def test_faults_of_jobs(wrong: str, message: Expected) -> None:
    asked = "" if "requested_cpu_s" in wrong else ", requested_cpu_s: 1 h"
    found = problems_of(f"{HEAD}{QUEUES}jobs:\n  - {{name: x, {wrong}{asked}}}\n")
    assert any(says(line, message) for line in found), found
    assert all(line.startswith("line ") for line in found)
    again = problems_of(f"{HEAD}{QUEUES}events:\n  - {{at: 1, submit: {{name: x, {wrong}{asked}}}}}\n")
    answer, wanted = ([line.split(": ", 3)[3] for line in lines] for lines in (again, found))
    assert answer == wanted


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            "hold_job: {request: 41869}",
            naming("no request 41869: jobs of this file have the numbers 41870 to 41874"),
        ),
        (
            "hold_job: {request: 41875}",
            worded("shares.scenario.jobs-of-this-file-have", first_request="41870", last="41874"),
        ),
        ("move_job: {request: 41870, place: 0}", worded("shares.scenario.positions-in-queue-are-counted")),
        ("move_window: {}", worded("shares.scenario.move-window-needs-start-s")),
        ("open_window: {until_s: 5 s}", worded("shares.scenario.window-would-end-at-before")),
        ("open_window: {end_s: 8 h}", naming("Unknown key 'end_s'. Possible here: until_s")),
        ("order_queue: longest", naming("order_queue: must be 'arrival', 'shares'")),
        ("close_window: ", worded("shares.scenario.must-not-be-empty", key="close_window")),
    ],
)
def test_faults_of_events(event: str, message: Expected) -> None:
    found = problems_of(f"{FULL}  - {{at: 10 s, {event}}}\n")
    assert any(says(line, message) for line in found), found


def test_a_window_can_be_closed_for_no_request() -> None:
    *_, last = parse_scenario(f"{FULL}  - {{at: 10 min, close_window: {{request: ~}}}}\n").events
    assert last.action == actions.CloseWindow()


def test_a_job_above_urm_s_memory_is_never_started() -> None:
    text = FULL.replace("age_wt: 2", "memory_mw: 8").replace("cpu_s: 30 min", "memory_mw: 9")
    found = [problem.text for problem in warnings_of(parse_scenario(text))]
    start = wording("shares.scenario.never-starts-it-needs-mw", name="small", memory_mw="9")
    (shown,) = [one for one in found if "urm" in one]
    assert shown.startswith(start)
    assert shown.split()[-2:] == ["8", "MW"]


@pytest.mark.parametrize(
    ("memory", "message"),
    [("5", "memory: write its keys below it"), ("{size_mw: -1, sds_mw: 1}", "size_mw: needs")],
)
def test_wrong_sizes_of_memory_say_nothing_of_jobs(memory: str, message: str) -> None:
    lines = [f"memory: {memory}" if line.startswith("memory") else line for line in FULL.split("\n")]
    found = problems_of("\n".join(lines))
    assert len(found) == 1, found
    assert message in found[0]


def test_items_that_are_no_queues_are_reported_once() -> None:
    (shown,) = problems_of(f"{HEAD}queues: [nd]\nnear_dedicated: {{queue: nd}}\n")
    assert (
        "queues[1]"
        + wording(
            "shares.scenario.must-be-not",
            key=": " + wording("shares.scenario.each-item-of", key="queues"),
            right=wording("shares.scenario.mapping-of-keys-to-values"),
            written='"nd"',
        )
        in shown
    )


def test_all_faults_come_at_once() -> None:
    text = FULL.replace("size_mw: 60", "size_mw: x").replace("daily 23:00", "dayly 23:00")
    text = text.replace("node: PRI_ND,", "node: PRI,").replace(
        "requested_cpu_s: 16 h", "requested_cpu_s: 99 h"
    )
    lines = [int(line.split()[1].strip(",")) for line in problems_of(text)]
    assert lines == sorted(lines)
    assert len(lines) == 4


def test_more_sds_than_there_is_cannot_be_held_at_the_start() -> None:
    (shown,) = problems_of(FULL.replace("user: own, work", "user: own, count: 7, work"))
    start = wording("shares.scenario.workloads-hold-mw-of-sds", held="268.799")
    assert shown.partition(start)[2].split() == ["256", "MW"]


def test_what_stands_in_a_removed_queue_goes_and_requests_keep_their_jobs() -> None:
    scenario = parse_scenario(FULL)
    tree = scenario.tree.copy()
    Remove(tree.find("PRI_ND").id).apply(tree)
    left = pruned(replace(scenario, tree=tree))
    assert [queue.name for queue in left.queues] == ["batch", "free"]
    assert [job.name for job in left.jobs] == ["small", "small", "mine"]
    assert left.near_dedicated is None
    assert [one.action for one in left.events if not isinstance(one.action, actions.SetQueue)][:1] == [
        actions.KillJob(41870, hold_others=True)
    ]
    assert parse_scenario(write_text(left)).jobs == left.jobs


def test_jobs_go_with_their_submitter_and_follow_another_name() -> None:
    scenario = parse_scenario(FULL)
    own = scenario.tree.find("own").id
    held = held_names(scenario)
    tree = scenario.tree.copy()
    Rename(own, "new").apply(tree)
    renamed = replace(scenario, tree=tree)
    renamed = replace(renamed, **following(renamed, held))
    assert renamed.jobs[3].person == "new"
    assert parse_scenario(write_text(renamed)).jobs == renamed.jobs
    Remove(own).apply(tree)
    assert [job.name for job in pruned(replace(renamed, tree=tree)).jobs] == ["ccm", "small", "small"]


def test_people_who_only_submit_jobs_are_kept() -> None:
    scenario = parse_scenario(FULL)
    assert pruned(scenario) == scenario
    assert scenario.people == (Person("sbert", (1,)),)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "started: false}\n  - {name: batch",
            "started: true}\n  - {name: batch",
            "starts its jobs by itself",
        ),
        ("windows: daily 23:00-07:30, ", "", ""),
        ("tasks: 8", "tasks: 9", "ccm requests 9 processors at once, but the machine has 8"),
        (
            "daily 23:00-07:30",
            "daily 23:00-02:00",
            "ccm never fits: its estimate is 4 h, and the longest window",
        ),
        ("queue: nd, user: sbert", "queue: batch, user: sbert", "no job is submitted to nd"),
        ("tasks: 8,", "setup_s: 4 h,", "ccm is killed while it prepares: setup_s is 4 h, its estimate 4 h"),
        (
            "windows: daily",
            "estimate_factor: 0.9, windows: daily",
            "estimate_factor 0.9 is below 1: the watchdog kills jobs before they",
        ),
        ("{age_wt: 2,", "{preferred_to_mw: 8,", "URM's preferred size has no effect: urm.size_wt"),
        ("most_cpu_s: 30 h,", "run_limit: 0,", "no job of queue nd ever starts: its run_limit is 0"),
        (
            "cpu_s: 30 min,",
            "memory_mw: 9, setup_mw: 10,",
            "small uses 10 MW while it prepares (setup_mw), more than the",
        ),
    ],
)
def test_what_is_worth_a_look(old: str, new: str, message: str) -> None:
    before = {problem.text for problem in warnings_of(parse_scenario(FULL))}
    assert not [text for text in before if "window" in text or "nd" in text.split()]
    found = {problem.text for problem in warnings_of(parse_scenario(FULL.replace(old, new)))} - before
    assert any(message in text for text in found) if message else not found


def test_dedicated_time_without_memory_stops_jobs_alone() -> None:
    scenario = parse_scenario(FULL)
    assert scenario.near_dedicated is not None
    near = replace(scenario.near_dedicated, mode="dedicated")
    bare = replace(scenario, near_dedicated=near, machine=replace(scenario.machine, memory=MemorySpec()))
    message = "without memory.size_mw or memory.sds_mw, dedicated time stops jobs but no other processes"
    assert any(message in problem.text for problem in warnings_of(bare))
    full = replace(bare, machine=scenario.machine)
    assert not any(message in problem.text for problem in warnings_of(full))


def test_settings_leave_room_for_all_jobs_and_processes() -> None:
    scenario = parse_scenario(FULL)
    for setting, value, text in (
        (
            "memory.sds_mw",
            0.0,
            "memory.sds_mw 0 MW is too small for job ccm (210 MW) and process loop (38.3999",
        ),
        (
            "memory.sds_mw",
            30.0,
            "memory.sds_mw 30 MW is too small for job ccm (210 MW) and process loop (38.3999",
        ),
        (
            "memory.size_mw",
            2.0,
            "memory.size_mw 2 MW is too small for job ccm (27.3 MW) and process loop (2.5 MW)",
        ),
    ):
        with pytest.raises(SettingError) as found:
            scenario.with_settings({setting: value})
        assert text in str(found.value)
    assert scenario.with_settings({"memory.size_mw": 0.0}).machine.memory.size_mw == 0  # not simulated
    assert scenario.with_settings({"memory.size_mw": 27.3}).machine.memory.size_mw == 27.3


def test_settings_of_memory_are_checked_like_others() -> None:
    scenario = parse_scenario(FULL)
    assert scenario.with_settings({"memory.pass_s": 2.0}).machine.memory.pass_s == 2.0
    with refuses_naming(SettingError, "memory.pass_s: ", "from 0.1"):
        scenario.with_settings({"memory.pass_s": 0.0})


def test_a_job_with_a_device_is_written_and_read_back() -> None:
    scenario = parse_scenario(
        "devices: [{name: disk}]\n" + FULL.replace("tasks: 8,", "tasks: 8, device: disk, io_s: 2 s,", 1)
    )
    assert [(job.device, job.io_s) for job in scenario.jobs][:2] == [("disk", 2.0), (None, 0.0)]
    assert_same(parse_scenario(write_text(scenario)), scenario)


def test_a_preferred_size_must_not_end_below_its_beginning() -> None:
    scenario = parse_scenario(FULL)
    with refuses(SettingError, "shares.scenario.needs-at-least-preferred-from", preferred_from_mw="32"):
        scenario.with_settings({"urm.preferred_from_mw": 32.0, "urm.preferred_to_mw": 8.0})
    assert scenario.with_settings({"urm.preferred_from_mw": 32.0}).machine.urm.prefers_a_size


@pytest.mark.parametrize("spec", [MemorySpec, UrmSpec, JobSpec, QueueSpec, NearDedicatedSpec, Work])
def test_every_field_is_described(spec: type[Any]) -> None:
    assert set(descriptions(spec)) == {item.name for item in fields(spec)}
