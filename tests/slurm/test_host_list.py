"""Slurm's short form of node names; what is expected is what `scontrol show hostnames` of 22.05.8 printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.host_list import expand_hosts, folded, hosts_or_none
from fsconsole.slurm.parsers.findings import DamagedError
from tests.texts import Expected, refuses, worded

NAMES = st.builds(
    "{}{:0{}}".format,
    st.sampled_from(("n", "rack2-n", "gpu", "a0b")),
    st.integers(0, 3000),
    st.integers(1, 5),
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ""),
        ("n1", "n1"),
        ("n[1-4,7],login1", "n1 n2 n3 n4 n7 login1"),
        ("rack[01-03]n[1-2]", "rack01n1 rack01n2 rack02n1 rack02n2 rack03n1 rack03n2"),
        ("a[8-11]", "a8 a9 a10 a11"),
        ("a[099-101]", "a099 a100 a101"),
        ("a[01-2]", "a01 a02"),
        ("a[1-03]", "a1 a2 a3"),
        ("n1,n1", "n1 n1"),
        ("[1-3]", "1 2 3"),
    ],
)
def test_it_is_what_scontrol_makes_of_it(text: str, names: str) -> None:
    assert expand_hosts(text) == tuple(names.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a[3-1]", worded("slurm.in-is-not-range-of")),
        ("a[]", worded("slurm.in-is-not-range-of")),
        ("a[x]", worded("slurm.in-is-not-range-of")),
        ("a[1-2", worded("slurm.is-not-list-of-nodes")),
        ("a1-2]", worded("slurm.is-not-list-of-nodes")),
        ("a[1-[2]]", worded("slurm.is-not-list-of-nodes")),
        ("a,,b", worded("slurm.is-not-list-of-nodes")),
        ("a b", worded("slurm.is-not-name-of-nodes")),
        ("n[0-999999999999999]", worded("slurm.names-too-many-nodes")),
        ("n[0-99999,0-99999]", worded("slurm.names-too-many-nodes")),
        ("n[1-1000]m[1-1000]", worded("slurm.names-more-than-nodes", most="100\u202f000")),
        ("n[1-60000],m[1-60000]", worded("slurm.names-more-than-nodes", most="100\u202f000")),
    ],
)
def test_what_is_damaged_or_absurd_is_refused(text: str, message: Expected) -> None:
    with refuses(DamagedError, message):
        expand_hosts(text)
    assert hosts_or_none(text) == ()


@given(st.lists(NAMES, unique=True, max_size=40))
def test_it_is_the_way_back_from_the_short_form(names: list[str]) -> None:
    assert sorted(expand_hosts(folded(names))) == sorted(names)


@given(st.text(alphabet="an01-,[] ", max_size=24))
def test_any_text_gives_names_or_is_refused(text: str) -> None:
    try:
        names = expand_hosts(text, 50)
    except DamagedError:
        return
    assert len(names) <= 50
    assert all(name and not set(name) & set("[], ") for name in names)
