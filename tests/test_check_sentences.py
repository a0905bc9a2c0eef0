"""Tests that compare sentences are counted, however the sentence gets into the comparison."""

from __future__ import annotations

import pytest

from tools.check_sentences import functions_with_sentences

BODIES = {
    "assert shown == 'a b c'": True,
    "assert 'a b c' in shown": True,
    "wanted = 'a b c'; assert shown == wanted": True,
    "wanted = ['x', 'a b c']; assert shown == wanted": True,
    "assert_text(shown, 'a b c')": True,
    "assert shown == 'a b'": False,
    "made = run('a b c'); assert made": False,
    "wanted = 'a b c'; run(wanted)": False,
}


@pytest.mark.parametrize("body", BODIES)
def test_a_sentence_is_found_where_it_is_compared(body: str) -> None:
    names, total = functions_with_sentences(f"def test_it(shown): {body}\n")
    assert (bool(names), total) == (BODIES[body], 1)
