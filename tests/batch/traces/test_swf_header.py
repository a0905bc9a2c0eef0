"""What the header of a trace says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.batch.study.stored_jobs import StoredJobs, digest_of
from fsconsole.batch.traces.read import parse_trace, read_trace
from fsconsole.batch.traces.swf import SwfHeader
from fsconsole.batch.traces.write_swf import write_swf


def header(*lines: str) -> SwfHeader:
    shown = SwfHeader()
    for line in lines:
        shown.add(line)
    return shown


def test_labels_of_the_standard() -> None:
    shown = header(
        *(
            "; MaxJobs: 28490",
            ";MaxProcs:  100 ",
            "; MaxNodes: 50",
            "; UnixStartTime: 843480031 (Mon Sep 23)",
        ),
        *("; TimeZoneString: Europe/Stockholm", "; Note: uses: colons", "; no label", ";"),
    )
    assert (shown.cluster_nodes, shown.unix_start_s, shown.max_records) == (100, 843480031, 28490)
    assert shown.time_zone == "Europe/Stockholm"
    assert shown.fields["Note"] == "uses: colons"


def test_nothing_said_or_nothing_that_can_be_used() -> None:
    beyond = header(f"; MaxProcs: {10**20}", f"; UnixStartTime: {10**20}", f"; MaxJobs: {10**20}")
    for shown in (
        header(),
        header("; MaxProcs: many", "; UnixStartTime: -1", "; MaxJobs: 0", "; TimeZone:"),
        beyond,
    ):
        assert (shown.cluster_nodes, shown.unix_start_s, shown.max_records) == (None, None, None)
        assert shown.time_zone == ""


def test_nodes_where_processors_are_not_reported() -> None:
    answer = header("; MaxProcs: -1", "; MaxNodes: 64").cluster_nodes
    assert answer == 64


# Zones by their distance from Greenwich have the other sign in the Time Zone Database.
@pytest.mark.parametrize(
    ("offset_s", "zone"),
    [("3600", "Etc/GMT-1"), ("-18000", "Etc/GMT+5"), ("0", ""), ("1800", ""), ("99999999", "")],
)
def test_a_zone_by_its_distance(offset_s: str, zone: str) -> None:
    answer = header(f"; TimeZone: {offset_s}").time_zone
    assert answer == zone


def test_who_is_who() -> None:
    shown = header("; UserName: 1 anna", "; UserName: 2 ben of hep", "; UserName: x y", "; UserName: 3")
    assert shown.names["UserName"] == {1: "anna", 2: "ben of hep"}


def test_queues_and_partitions_are_read_and_written_back(tmp_path: Path) -> None:
    lines = [
        f"{job} {job} -1 10 4 -1 -1 4 10 -1 1 7 -1 -1 {job % 3} {job % 2 - 1} -1 -1" for job in range(1, 7)
    ]
    header = "; MaxProcs: 4\n; QueueName: 2 long jobs\n"
    read = parse_trace((header + "\n".join(lines) + "\n").encode(), "a.swf").jobs
    assert read.qos is not None
    assert read.partition is not None
    assert [read.qos.names[place] for place in read.qos.number] == ["1", "long jobs", "0"] * 2
    assert [read.partition.names[place] for place in read.partition.number] == ["0", ""] * 3
    write_swf(read, tmp_path / "b.swf")
    again = read_trace(tmp_path / "b.swf").jobs
    for one, other in ((again.qos, read.qos), (again.partition, read.partition)):
        assert one is not None
        assert [one.names[place] for place in one.number] == [other.names[place] for place in other.number]
    stored = StoredJobs.of(read).table()
    assert stored.qos is not None
    assert (stored.qos.names, stored.qos.number.tolist()) == (read.qos.names, read.qos.number.tolist())
    assert digest_of(stored) == digest_of(read) != digest_of(replace(read, qos=None))
