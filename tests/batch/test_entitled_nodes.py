"""Rule 7: the paper's definition by examples, and by the laws that leave no other numbers."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.reference_usage import entitled_nodes

_USERS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 60)), max_size=7)


def test_users_with_equal_shares_divide_the_machine() -> None:
    assert entitled_nodes(128, [1, 1, 1], {0: 128, 2: 500}) == {0: 64, 2: 64}


def test_what_capped_users_leave_is_shared_again() -> None:
    # 32 each at first: the first is capped at 1, which leaves 127/3 each; the second at 40; 87/2 are left.
    requested = {0: 1, 1: 40, 2: 99, 3: 99}
    assert entitled_nodes(128, [1] * 4, requested) == {0: 1, 1: 40, 2: Fraction(87, 2), 3: Fraction(87, 2)}


def test_what_nobody_can_use_stays_unused() -> None:
    assert entitled_nodes(10, [3, 1], {0: 2, 1: 1}) == {0: 2, 1: 1}
    assert entitled_nodes(10, [3, 1], {}) == {}


@given(_USERS, st.integers(1, 100))
def test_all_nodes_are_given_and_who_gets_less_than_requested_gets_most_a_share(
    users: list[tuple[int, int]], nodes: int
) -> None:
    shares = [share for share, _ in users]
    requested = {user: asked for user, (_, asked) in enumerate(users)}
    entitled = entitled_nodes(nodes, shares, requested)
    assert sum(entitled.values()) == min(nodes, sum(requested.values()))
    assert all(entitled[user] <= asked for user, asked in requested.items())
    a_share = {user: Fraction(entitled[user]) / shares[user] for user in requested}
    level = max(a_share.values(), default=Fraction())
    assert all(a_share[user] == level for user, asked in requested.items() if entitled[user] < asked)
