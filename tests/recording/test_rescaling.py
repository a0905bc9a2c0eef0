"""Shares without system groups: many samples at once, and when two trees are rescaled alike."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.recording.rescaling import Rescaling
from fsconsole.recording.run_format import RESCALED, WITHOUT_SYSTEM
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import ShareTree
from tests.shares.trees import trees


def with_other_shares(tree: ShareTree) -> ShareTree:
    """A copy in which every node has another number of shares, and is where it was."""
    copy = tree.copy()
    for node in tree.walk():
        copy.writable(node.id).shares = node.shares + 1
    return copy


@given(trees(), st.data())
def test_trees_are_the_same_as_long_as_leaves_and_system_groups_are(
    tree: ShareTree, data: st.DataObject
) -> None:
    one = Rescaling(FlatTree.of(tree))
    other = Rescaling(FlatTree.of(with_other_shares(tree)))
    assert other.flat is not one.flat
    assert one.is_same(one)
    assert one.is_same(other)
    assert other.is_same(one)
    marked = tree.copy()
    node = data.draw(st.sampled_from([node.id for node in tree.walk()]))
    marked.writable(node).system = not tree.node(node).system
    changed = FlatTree.of(marked)
    is_same = changed.is_system.tolist() == one.flat.is_system.tolist()
    assert one.is_same(Rescaling(changed)) is is_same
    larger = tree.copy()
    larger.add(0, "a name that no drawn one has", 1)
    assert not one.is_same(Rescaling(FlatTree.of(larger)))


@given(trees(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_many_samples_at_once_are_each_alone(tree: ShareTree, samples: int, seed: int) -> None:
    flat = FlatTree.of(tree)
    share = np.random.default_rng(seed).random((len(flat), samples)).astype(np.float64)
    found = Rescaling(flat).columns(dict.fromkeys(RESCALED, share))
    for name in RESCALED:
        for at in range(samples):
            expected = flat.without_system(share[:, at])
            np.testing.assert_allclose(found[f"{name}{WITHOUT_SYSTEM}"][:, at], expected, atol=1e-12)
