"""A tree of accounts and users for a test cluster, and jobs that keep it busy."""

from __future__ import annotations

from dataclasses import dataclass

from tests.slurm.lab.lab import Lab

PARENT = "parent"
PEOPLE = ("anna", "ben", "cora", "dirk", "emma", "finn", "gina", "hugo", "ida", "jan", "kim", "lars", "mia")
"""Users of the demo, by their places in the tree; somebody has to make them known to the system."""

SYSTEM_PEOPLE = (
    *("games", "mail", "news", "lp", "man", "uucp", "proxy"),
    *("www-data", "backup", "list", "irc", "daemon", "bin"),
)
"""Users that every Debian has, in the same places: for tests, which leave no users behind."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account: the one above it, its shares, and its users with theirs (by place in a list of people)."""

    name: str
    above: str
    shares: int | str
    users: tuple[tuple[int, int | str], ...] = ()


ACCOUNTS = (
    Account("science", "root", 50, ((5, 2),)),  # a user beside accounts
    Account("medicine", "root", 30),
    Account("teaching", "root", 10, ((11, 1), (12, 0))),  # one of them has no shares
    Account("ocean", "science", 3, ((0, 10), (1, 5), (2, 1))),
    Account("climate", "science", 1, ((0, 3), (3, 1), (4, 1))),  # the first is in ocean too
    Account("imaging", "medicine", 2, ((6, 4), (7, 1), (8, PARENT))),
    Account("trials", "medicine", PARENT, ((9, 3), (10, 1))),  # its users compete in medicine
)


def plant(lab: Lab, people: tuple[str, ...] = SYSTEM_PEOPLE) -> None:
    """Put the tree into a cluster; what sacctmgr would be told in twenty commands is one file here."""
    file = lab.folders.top / "tree.cfg"
    file.write_text(_dump(lab.options.cluster, people))
    lab.run("sacctmgr", "-i", "load", str(file))


def _dump(cluster: str, people: tuple[str, ...]) -> str:
    lines = [f"Cluster - '{cluster}':Fairshare=1:QOS='normal'", "Parent - 'root'"]
    lines.append("User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1")
    above = "root"
    for account in ACCOUNTS:
        if account.above != above:
            above = account.above
            lines.append(f"Parent - '{above}'")
        what = f"Description='{account.name}':Organization='{cluster}'"
        lines.append(f"Account - '{account.name}':{what}:Fairshare={account.shares}")
    default: dict[str, str] = {}
    for account in ACCOUNTS:
        lines.append(f"Parent - '{account.name}'")
        for place, shares in account.users:
            first = default.setdefault(people[place], account.name)
            lines.append(f"User - '{people[place]}':DefaultAccount='{first}':Fairshare={shares}")
    return "\n".join((*lines, ""))
