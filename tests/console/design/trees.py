"""Trees that the tests of Design work on."""

from __future__ import annotations

from fsconsole.shares.tree import Kind, ShareTree


def navoceano() -> ShareTree:
    """The upper levels of the NAVOCEANO tree (Junglas, Fig. 1-1), with the accounts of the mock-up."""
    tree = ShareTree("Machine")
    for name, shares in (("System", 50), ("Staff", 50)):
        tree.add(0, name, shares, Kind.GROUP)
    user = tree.add(0, "User", 300, Kind.GROUP).id
    tree.add(user, "NAVOCEANO", 15, Kind.GROUP)
    dod = tree.add(user, "DoD", 85, Kind.GROUP).id
    for name, shares in (("Army", 30), ("Navy R&D", 30), ("Air Force", 30), ("DoD Other", 10)):
        tree.add(dod, name, shares, Kind.GROUP)
    air_force = tree.find("Air Force").id
    lab_a1 = tree.add(air_force, "Lab A1", 3, Kind.GROUP).id
    for name in ("p2101", "p2104", "p2107"):
        tree.add(lab_a1, name, 1, Kind.ACCOUNT)
    tree.add(air_force, "Lab A2", 2, Kind.GROUP)
    return tree


def ids(tree: ShareTree, *names: str) -> list[int]:
    return [tree.find(name).id for name in names]
