"""Turns on the link to a host, one thread at a time: which command goes alone, and which does not begin."""

from __future__ import annotations

from fsconsole.targets.slurm.host_link import AT_ONCE, SHARED_AT_ONCE, HostLink, Turn
from fsconsole.targets.slurm.ssh_faults import FaultKind, LinkFault

_CUT = LinkFault(FaultKind.CUT, "the connection to login1 was cut")


def _never() -> bool:
    return False


def _use(link: HostLink, *, reaches: bool = True, fault: LinkFault | None = None) -> Turn:
    with link.turn(_never) as turn:
        turn.has_reached, turn.result = reaches, fault
    return turn


def test_after_one_that_reached_the_host_the_others_need_not_go_alone() -> None:
    link = HostLink()
    assert [_use(link).is_first for _ in range(3)] == [True, False, False]
    assert link.at_once == AT_ONCE


def test_a_command_that_did_not_reach_the_host_leaves_the_next_one_alone() -> None:
    link = HostLink()
    assert [_use(link, reaches=reaches).is_first for reaches in (False, True, True)] == [True, True, False]


def test_a_command_that_is_stopped_while_it_waits_does_not_begin() -> None:
    link = HostLink()
    with link.turn(_never) as first:
        looks = iter((False, True))
        with link.turn(lambda: next(looks)) as second:
            assert second.is_stopped
            assert not second.may_begin
        first.has_reached = True
    assert not _use(link).is_first


def test_without_its_shared_connection_a_link_is_tried_by_one_command() -> None:
    """Otherwise all that wait would log in at once when it ends."""
    is_open = [True]
    link = HostLink(lambda: is_open[0])
    assert not _use(link).is_first
    assert link.at_once == SHARED_AT_ONCE
    is_open[0] = False
    assert [_use(link).is_first for _ in range(2)] == [True, False]
    assert link.at_once == AT_ONCE


def test_a_refused_session_lowers_the_number_at_once_for_good() -> None:
    link = HostLink(lambda: True)
    with link.turn(_never), link.turn(_never), link.turn(_never) as third:
        link.limit_sessions()
        third.is_lost = True
    assert link.at_once == 2
    assert _use(link).is_first
    assert link.at_once == 2
    with link.turn(_never):
        link.limit_sessions()
    assert not link.is_shared
    assert link.at_once == AT_ONCE


def test_a_fault_that_cannot_be_waited_out_is_tried_again_by_one_command() -> None:
    link = HostLink()
    assert _use(link, fault=_CUT).is_first
    assert link.fault is _CUT
    assert [_use(link).is_first for _ in range(2)] == [True, False]
    assert link.fault is None
