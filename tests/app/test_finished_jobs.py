"""Finished jobs and nodes in words and figures."""

from __future__ import annotations

import math

import pytest

from fsconsole.app.jobs.filter import read_filter
from fsconsole.app.jobs.finished import (
    columns_of_finished,
    efficiency,
    end_words,
    exit_words,
    found,
    sum_of,
    sum_words,
)
from fsconsole.app.jobs.nodes import NodeSort, cpus_of_node, hidden_words, node_views, sort_of_node
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.node_change import NodeChange, NodeVerb, command, is_done, why_not
from fsconsole.slurm.parsers.sacct import read_sacct
from fsconsole.slurm.parsers.scontrol_node import busy_cpus
from fsconsole.slurm.parsers.sinfo import read_sinfo
from tests.slurm.captured import captured
from tests.texts import refuses, wording

JOBS = read_sacct(captured("finished/sacct.psv")).items
NODES = read_sinfo(captured("finished/sinfo-drained.psv")).items
NOW_S = 1795658430.0


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("1", ""),
        ("2", "a step: exit status 2"),
        ("3", "exit status 3"),
        ("4", "exit status 127: a command was not found"),
        ("5", "killed by SIGKILL"),
        ("6", "cancelled by root"),
        ("7", "reached its time limit"),
    ],
)
def test_how_a_job_ended(label: str, words: str) -> None:
    assert end_words(next(one for one in JOBS if one.job.label == label)) == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (None, ""),
        ((0, 0), ""),
        ((137, 0), "exit status 137: signal SIGKILL killed a command"),
        ((255, 0), "exit status 255"),
        ((0, 64), "killed by SIGRTMAX"),
        ((0, 99), "killed by signal 99"),
        ((0, 10), "killed by SIGUSR1"),
    ],
)
def test_exit_codes_in_words(code: tuple[int, int] | None, words: str) -> None:
    assert exit_words(code) == words


def test_efficiency_is_cpu_time_used_of_what_was_allocated() -> None:
    of = {one.job.label: efficiency(one) for one in JOBS}
    assert of["1"] == pytest.approx(4.737 / 18)
    assert math.isnan(of["4"])  # it ended within its first second
    total = sum_of(JOBS)
    assert total.efficiency == pytest.approx(sum(one.used_s or 0 for one in JOBS) / total.allocated_s)


def test_the_filter_of_the_jobs_table_finds_them() -> None:
    def labels(text: str) -> list[str]:
        return [one.job.label for one in found(JOBS, read_filter(text), columns_of_finished(JOBS, NOW_S))]

    assert labels("state:failed user:mail") == ["3", "4", "5"]
    assert labels("elapsed>80s") == ["7"]
    assert labels("state=TO,CA") == ["6", "7"]
    assert labels("bars") == ["3"]
    assert len(labels("")) == len(JOBS)


def test_what_they_come_to_in_a_sentence() -> None:
    three = found(JOBS, read_filter("user:mail"), columns_of_finished(JOBS, NOW_S))
    words = sum_words(sum_of(three), "day")
    hours = wording("app.jobs.cpu-seconds", allocated_s="11")
    assert words == wording(
        "app.jobs.ended",
        count="3 jobs",
        when=wording("app.jobs.in-last", span="day"),
        states="3 failed",
        subject="They",
        used=wording("app.jobs.used-of", efficiency="0%", hours=hours),
    )
    assert sum_words(sum_of(()), "hour") == wording(
        "console.operate.jobs.no-job-ended-in-last", span_words="hour"
    )


def test_kinds_of_nodes() -> None:
    assert {node.name: sort_of_node(node) for node in NODES} == {
        "n1": NodeSort.DRAINING,
        "n2": NodeSort.BUSY,
        "n3": NodeSort.IDLE,
        "n4": NodeSort.DRAINED,
    }


def test_jobs_stand_on_their_nodes_and_hidden_ones_are_reported() -> None:
    jobs = (
        Job(job_id=8, user="games", partition="batch", states=("RUNNING",), nodes="n[1-2]"),
        Job(job_id=9, user="games", partition="batch", states=("PENDING",), nodes=""),
    )
    views = node_views(NODES, jobs)
    assert {view.node.name: [job.job_id for job in view.jobs] for view in views} == {
        "n1": [8], "n2": [8], "n3": [], "n4": [],
    }  # fmt: skip
    assert hidden_words(views) == ""
    first = wording("app.jobs.and-more-nodes", hidden="n1", hidden_2="1")
    assert hidden_words(node_views(NODES, ())) == wording("app.jobs.jobs-on-are-not-shown", first=first)


def test_what_makes_no_sense_is_refused() -> None:
    by_name = {node.name: node for node in NODES}
    drain, resume = NodeChange(NodeVerb.DRAIN, (), "fan"), NodeChange(NodeVerb.RESUME, ())
    assert why_not(drain, by_name["n4"]) == wording("slurm.node-is-already", state="drained")
    assert why_not(NodeChange(NodeVerb.DRAIN, ()), by_name["n3"]) == wording(
        "slurm.slurm-needs-reason-for-drain"
    )
    assert why_not(resume, by_name["n3"]) == wording("slurm.node-is-neither-drained-nor", state="idle")
    assert why_not(drain, by_name["n2"]) == why_not(resume, by_name["n1"]) == ""
    assert is_done(drain, by_name["n1"])
    assert not is_done(resume, by_name["n1"])


def test_commands_are_lists_of_words() -> None:
    drain = NodeChange(NodeVerb.DRAIN, ("n1",), "fan 2; rm -rf /")
    assert command(drain, ("n1", "n2")) == (
        *("scontrol", "update", "NodeName=n1,n2", "State=DRAIN"), f"Reason={drain.reason}",
    )  # fmt: skip


def test_the_busy_cpus_of_a_node_are_unknown_unless_all_are_known() -> None:
    (known,) = read_sinfo("n1|batch|mixed|8|3/5/0/8|none\n").items
    for use in ("", "N/A", "/5/0/8"):
        (unknown,) = read_sinfo(f"n2|batch|mixed|8|{use}|none\n").items
        assert unknown.busy_cpus is None
        assert busy_cpus([known, unknown]) is None
        view, other = node_views([unknown, known], ())
        assert (view.busy, other.busy) == (None, 3 / 8)
        assert cpus_of_node(unknown) == "\N{EN DASH} of 8"
    assert busy_cpus([known, known]) == 6
    with refuses(ScenarioError, "slurm.parsers.node-was-left-out", error="its number of CPUs is empty"):
        read_sinfo("n3|batch|idle||0/8/0/8|none\n")
