"""Counts, plurals and lists in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fsconsole.text.words import (
    count_words,
    first_of,
    jobs_words,
    listed,
    more_label,
    ordinal,
    plural,
    times_words,
)
from tests.texts import wording

_NAMES = st.lists(st.text("abcxyz0123456789", min_size=1), min_size=1)


def test_counts_and_ordinals() -> None:
    assert [count_words(count, "node") for count in (1, 2, 2000)] == ["1 node", "2 nodes", "2\u202f000 nodes"]
    assert [plural(count, "process") for count in (0, 1, 2)] == ["processes", "process", "processes"]
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 21, 112)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "21st",
        "112th",
    ]


@given(st.integers(0, 10**9), st.sampled_from(["job", "process", "change"]))
def test_only_one_is_singular(count: int, noun: str) -> None:
    for words in (count_words(count, noun), count_words(count, noun)):
        number, _, word = words.partition(" ")
        assert int("".join(filter(str.isdigit, number))) == count
        assert (word == noun) == (count == 1)
    assert plural(count, "is", "are") == ("is" if count == 1 else "are")


def test_of_many_jobs_the_first_are_named() -> None:
    assert jobs_words([7]) == jobs_words(["7"]) == "job 7"
    assert jobs_words(["7", "9_1"]).split() == ["jobs", "7", "and", "9_1"]
    assert jobs_words([7, 9, 12, 14]).split() == ["jobs", "7,", "9,", "12", "and", "14"]
    assert jobs_words([7, 9, 12, 14, 15]) == (
        "jobs 7" + ", " + wording("text.and-more", texts="9, 12", texts_2="2")
    )
    assert jobs_words(range(1, 1007)) == (
        "jobs 1" + ", " + wording("text.and-more", texts="2, 3", texts_2="1\u202f003")
    )


def test_lists() -> None:
    assert [listed(names).split() for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        [],
        ["a"],
        ["a", "and", "b"],
        ["a,", "b", "and", "c"],
    ]


@given(_NAMES, st.integers(1, 9))
def test_a_list_names_all_or_says_how_many_more(names: list[str], most: int) -> None:
    first, _, last = listed(names, most).rpartition(" and ")
    shown = [*first.split(", "), last] if first else [last]
    if len(names) <= most + 1:
        assert shown == names
    else:
        assert shown == [*names[:most], f"{len(names) - most} more"]
        assert len(names) - most > 1


def test_of_many_texts_the_first_are_named_and_the_others_counted() -> None:
    assert first_of(["a", "b"], 2) == ["a", "b"]
    assert first_of(["a", "b", "c"], 2) == ["a", "b", wording("text.and-more-2", count="1")]
    assert first_of(["a"] * 2002, 2) == ["a", "a", wording("text.and-more-2", count="2\u202f000")]
    assert [more_label(count) for count in (-1, 0, 2000)] == [
        [],
        [],
        [wording("text.and-more-2", count="2\u202f000")],
    ]


def test_times_are_counted_in_words() -> None:
    assert [times_words(count) for count in (1, 2, 3)] == ["once", "twice", "3 times"]
