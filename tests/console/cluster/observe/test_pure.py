"""Times, words and numbers of the Observe face of a cluster, without a window."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest

from fsconsole.console.kit.tables import RowModel
from fsconsole.console.live.cluster.head import part_words, period_words, trouble_words
from fsconsole.console.live.cluster.partitions import NODE_COLUMNS, _node_ink
from fsconsole.console.live.time_range import TimeRange
from fsconsole.figures.quantities import quantity_named
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.targets.base import Clock
from fsconsole.targets.slurm.explain import weight_words
from fsconsole.targets.slurm.source import ClusterSource
from fsconsole.targets.slurm.state import Link, Part, PartName
from fsconsole.targets.slurm.summary import NodeGroup
from fsconsole.text import moments
from tests.console.cluster.play import NOW_S, PlayTarget, audit, cluster_state, parts_failed, parts_read
from tests.slurm.captured import captured
from tests.texts import says, wording

CLOCK = time.strftime("%H:%M:%S", time.localtime(NOW_S))


def test_words_of_a_part_say_as_of_when_and_when_next() -> None:
    usage = Part(NOW_S, next_s=NOW_S + 60)
    assert part_words(PartName.USAGE, usage, NOW_S + 18) == (
        wording("console.live.cluster.as-of", title="Usage", as_of_s=CLOCK)
        + wording("console.live.cluster.next-in", words="", wait_s="42 s")
    )
    assert part_words(PartName.USAGE, usage, NOW_S + 61) == (
        wording("console.live.cluster.as-of", title="Usage", as_of_s=CLOCK)
        + wording("console.live.cluster.next-now", words="")
    )
    assert part_words(PartName.USAGE, usage, NOW_S, is_short=True) == wording(
        "console.live.cluster.as-of", title="Usage", as_of_s=CLOCK
    )
    hours = replace(usage, next_s=NOW_S + 300)
    assert part_words(PartName.USAGE, hours, NOW_S) == (
        wording("console.live.cluster.as-of", title="Usage", as_of_s=CLOCK)
        + wording("console.live.cluster.next-in", words="", wait_s="5 min")
    )
    reading = replace(usage, is_reading=True, began_s=NOW_S + 60)
    assert part_words(PartName.JOBS, reading, NOW_S + 64) == wording(
        "console.operate.jobs.jobs-as-of",
        as_of_s=wording("console.live.cluster.reading-for-s", words=CLOCK, waited="4"),
    )
    assert part_words(PartName.JOBS, Part(), NOW_S) == wording(
        "console.live.cluster.not-read-yet", title="Jobs"
    )
    assert part_words(PartName.JOBS, Part(problem="no"), NOW_S) == wording(
        "console.live.cluster.cannot-read", title="Jobs"
    )


def test_what_is_wrong_is_reported_once() -> None:
    state = cluster_state()
    assert trouble_words(state) == ""
    gone = replace(state, link=Link.NO_ANSWER, parts=parts_failed("slurmctld does not respond"))
    assert trouble_words(gone) == wording("targets.slurm.does-not-respond-2", who="slurmctld")
    failed = Part(NOW_S, problem="slurmdbd refused")
    partly = replace(state, link=Link.PARTLY, parts={**parts_read(), PartName.TREE: failed})
    assert trouble_words(partly).split(": ") == ["Associations", "slurmdbd refused"]


def test_what_is_slow_is_named_the_slowest_first() -> None:
    parts = {**parts_read(), PartName.JOBS: Part(NOW_S, 6.0), PartName.TREE: Part(NOW_S, 7.25)}
    slow = replace(cluster_state(), link=Link.SLOW, parts=parts)
    assert trouble_words(slow).split(", ") == [
        wording("console.live.cluster.took-s", part_titles="Associations", took_s="7.2"),
        wording("console.live.cluster.took-s", part_titles="Jobs", took_s="6.0"),
    ]


def test_the_period_of_the_site_is_reported() -> None:
    assert period_words(60.0) == wording(
        "console.live.cluster.slurm-recalculates-usage-every-console", calc_period_s="1 min"
    )
    assert period_words(300.0) == wording(
        "console.live.cluster.slurm-recalculates-usage-every-console", calc_period_s="5 min"
    )
    assert period_words(0.0) == ""


def test_the_range_follows_from_connecting_on() -> None:
    span = TimeRange()
    span.begin(Clock(36_000.0, None, NOW_S - 36_000.0))
    assert (span.start_s, span.end_s) == (36_000.0, 36_120.0)  # the first minute fills half of the plot
    span.advance(36_500.0)
    assert (span.start_s, span.end_s) == (36_000.0, 36_600.0)
    span.advance(38_000.0)
    assert (span.start_s, span.end_s) == (36_000.0, 39_600.0)
    span.follow(600.0)
    assert span.end_s - span.start_s == 600.0
    span.follow(3600.0)
    span.advance(45_000.0)
    assert span.end_s - span.start_s == 3600.0
    assert 45_000.0 < span.end_s < 45_100.0


def test_the_whole_is_all_since_connecting() -> None:
    span = TimeRange()
    span.begin(Clock(36_000.0, None, 0.0))
    span.advance(36_000.0 + 4000.0)
    span.show_whole()
    assert (span.start_s, span.end_s) == (36_000.0, 40_000.0)
    span.zoom(38_000.0, 0.5)
    assert (span.mode, span.start_s, span.end_s) == ("fixed", 37_000.0, 39_000.0)
    span.fix(0.0, 1000.0)  # never before there was anything
    assert (span.start_s, span.end_s) == (36_000.0, 37_000.0)


def test_times_at_the_axis_are_clock_times() -> None:
    span = TimeRange()
    span.begin(Clock(0.0, None, NOW_S))
    span.advance(3000.0)
    assert span.exact(0.0) == moments.clock(NOW_S) == CLOCK
    assert span.words(0.0) == CLOCK[:-3]
    span.fix(0.0, 60.0)
    assert span.words(0.0) == CLOCK


def test_events_are_what_was_done_since_connecting() -> None:
    rows = (
        *audit(),
        AuditRow(NOW_S, "hale", "kill", "job 7", "RUNNING", "CANCELLED", Result.DONE, "", ""),
        AuditRow(NOW_S - 9000, "hale", "kill", "job 3", "RUNNING", "CANCELLED", Result.DONE, "", ""),
    )
    source = source_of(PlayTarget(replace(cluster_state(), audit=rows)), NOW_S - 100.0)
    assert [(event.time_s + source.history.base_s, event.text.split()) for event in source.events()] == [
        (NOW_S, ["kill", "job", "7"])
    ]
    source.close()


def source_of(target: PlayTarget, connected_s: float) -> ClusterSource:
    """A cluster connected at a time, as soon as it has been worked out."""
    source = ClusterSource(target, lambda: connected_s)
    while source.shown is None:
        source.look()
    return source


def test_percent_have_three_digits_that_count() -> None:
    eff = quantity_named("effective_usage")
    assert eff.text(0.444412, 0.0988).split() == ["44.4", "of", "9.88"]
    assert eff.text(0.000123) == "0.012"
    assert quantity_named("fairshare").text(0.4688724) == "0.4689"
    assert eff.text(math.nan) == "\N{EN DASH}"


def test_level_fairshares_show_under_fair_tree_alone() -> None:
    target = PlayTarget(cluster_state())
    source = ClusterSource(target, lambda: NOW_S)
    assert set(source.quantities) - set(source.leading(is_low=False)) == {"level_fs"}
    assert set(source.quantities) - set(source.leading(is_low=True)) == {"level_fs", "norm_usage"}
    assert target.now.settings is not None
    target.publish(settings=replace(target.now.settings, flags=frozenset()))
    assert set(source.quantities) - set(source.leading(is_low=False)) == {"norm_usage"}
    source.close()


@pytest.mark.parametrize(
    ("state", "token"),
    [("idle", ""), ("down*", "danger"), ("drained", "warn"), ("idle*", "danger"), ("mixed", "")],
)
def test_nodes_that_are_lost_stand_out(state: str, token: str) -> None:
    assert _node_ink(NodeGroup(state, "", "n1", 1, 8, 0)) == token


def test_weights_say_how_much_fairshare_counts() -> None:
    config = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    message = weight_words(replace(config, weights={"fairshare": 100_000, "age": 1000, "qos": 0}))
    most = " of ".join(f"{points}\N{NARROW NO-BREAK SPACE}000" for points in (100, 101))
    assert says(message, "targets.slurm.in-job-s-priority-fairshare", most=most)
    assert message.endswith(": age).")
    assert "no weight" in weight_words(replace(config, weights={"fairshare": 0, "age": 5}))
    assert weight_words(replace(config, weights={})) == ""


def test_a_table_stays_sorted_when_its_values_change() -> None:
    model = RowModel(NODE_COLUMNS, key=lambda row: row.state)
    groups = [NodeGroup(f"s{count}", "", "", count, 8, 0) for count in (2, 9, 5)]
    model.set_rows(groups)
    model.sort(1)
    assert [row.count for row in model.rows] == [2, 5, 9]
    model.set_rows([replace(group, count=20 - group.count) for group in groups])
    assert [row.count for row in model.rows] == [11, 15, 18]
