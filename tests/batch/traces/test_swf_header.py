"""What the header of a trace says."""

from __future__ import annotations

import pytest

from fsconsole.batch.traces.swf import SwfHeader


def header(*lines: str) -> SwfHeader:
    heard = SwfHeader()
    for line in lines:
        heard.hear(line)
    return heard


def test_labels_of_the_standard() -> None:
    heard = header(
        *(
            "; MaxJobs: 28490",
            ";MaxProcs:  100 ",
            "; MaxNodes: 50",
            "; UnixStartTime: 843480031 (Mon Sep 23)",
        ),
        *("; TimeZoneString: Europe/Stockholm", "; Note: uses: colons", "; no label", ";"),
    )
    assert (heard.cluster_nodes, heard.unix_start_s, heard.max_records) == (100, 843480031, 28490)
    assert heard.time_zone == "Europe/Stockholm"
    assert heard.fields["Note"] == "uses: colons"


def test_nothing_said_or_nothing_that_can_be_used() -> None:
    beyond = header(f"; MaxProcs: {10**20}", f"; UnixStartTime: {10**20}", f"; MaxJobs: {10**20}")
    for heard in (
        header(),
        header("; MaxProcs: many", "; UnixStartTime: -1", "; MaxJobs: 0", "; TimeZone:"),
        beyond,
    ):
        assert (heard.cluster_nodes, heard.unix_start_s, heard.max_records) == (None, None, None)
        assert heard.time_zone == ""


def test_nodes_where_processors_are_not_said() -> None:
    assert header("; MaxProcs: -1", "; MaxNodes: 64").cluster_nodes == 64


# Zones by their distance from Greenwich have the other sign in the Time Zone Database.
@pytest.mark.parametrize(
    ("offset_s", "zone"),
    [("3600", "Etc/GMT-1"), ("-18000", "Etc/GMT+5"), ("0", ""), ("1800", ""), ("99999999", "")],
)
def test_a_zone_by_its_distance(offset_s: str, zone: str) -> None:
    assert header(f"; TimeZone: {offset_s}").time_zone == zone


def test_who_is_who() -> None:
    heard = header("; UserName: 1 anna", "; UserName: 2 ben of hep", "; UserName: x y", "; UserName: 3")
    assert heard.users == {1: "anna", 2: "ben of hep"}
