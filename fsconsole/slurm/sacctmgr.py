"""Command lines of sacctmgr that change associations, as argument lists.

Each has `-i`, for without it sacctmgr asks and, where nobody answers, never ends; each names the cluster, and
the account of a user, for without it the user is changed in every account. `partition=` with nothing behind
it means the association that is for no partition alone. Source: tried with Slurm 22.05.8.
"""

from __future__ import annotations

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.cluster_tree import Key

Command = tuple[str, ...]

_TOOL = ("sacctmgr", "-i")


def shares_value(shares: int) -> str:
    """Return raw shares as sacctmgr takes them."""
    return "parent" if shares == PARENT_SHARES else str(shares)


def set_shares(cluster: str, key: Key, shares: int, *, has_partitions: bool = False) -> Command:
    """Set the shares of an association.

    Args:
        cluster: name of the cluster.
        key: key of the association.
        shares: raw shares; PARENT_SHARES for `parent`.
        has_partitions: whether its user also has associations for partitions, which must not be set too.
    """
    what = "user" if key[1] else "account"
    where = _where(cluster, key, has_partitions=has_partitions)
    return (*_TOOL, "modify", what, "where", *where, "set", f"fairshare={shares_value(shares)}")


def set_limit(cluster: str, key: Key, word: str, *, has_partitions: bool = False) -> Command:
    """Give an association, or a QOS, another limit: a word such as GrpJobs=8, see `limits.set_word`."""
    account, user, name = key
    if not (account or user):
        return (*_TOOL, "modify", "qos", "where", f"name={name}", "set", word)
    what = "user" if user else "account"
    where = _where(cluster, key, has_partitions=has_partitions)
    return (*_TOOL, "modify", what, "where", *where, "set", word)


def reset_usage(cluster: str, key: Key, *, has_partitions: bool = False) -> Command:
    """Set the raw usage of an association to 0, the only value that sacctmgr takes."""
    what = "user" if key[1] else "account"
    where = _where(cluster, key, has_partitions=has_partitions)
    return (*_TOOL, "modify", what, "where", *where, "set", "RawUsage=0")


def move_account(cluster: str, account: str, parent: str) -> Command:
    """Move an account, with all below it, under another one."""
    where = _where(cluster, (account, "", ""))
    return (*_TOOL, "modify", "account", "where", *where, "set", f"parent={parent}")


def add_account(cluster: str, account: str, parent: str, shares: int, words: tuple[str, ...] = ()) -> Command:
    """Return the command that adds an account, with `words` for its limits and QOS."""
    made = (f"name={account}", f"cluster={cluster}", f"parent={parent}")
    return (*_TOOL, "add", "account", *made, f"fairshare={shares_value(shares)}", *words)


def add_user(
    cluster: str, key: Key, shares: int, words: tuple[str, ...] = (), *, is_default: bool = False
) -> Command:
    """Add a user to an account; `is_default` makes it the default for jobs without an account."""
    account, user, partition = key
    made = (f"name={user}", f"account={account}", f"cluster={cluster}")
    more = (f"partition={partition}",) if partition else ()
    default = (f"defaultaccount={account}",) if is_default else ()
    return (*_TOOL, "add", "user", *made, *more, *default, f"fairshare={shares_value(shares)}", *words)


def add_coordinator(account: str, user: str) -> Command:
    """Make a user a coordinator of an account, on all clusters of the database."""
    return (*_TOOL, "add", "coordinator", f"account={account}", f"names={user}")


def show_coordinator(user: str) -> Command:
    """Return the command that shows the accounts that a user coordinates."""
    return (
        "sacctmgr",
        "-P",
        "show",
        "user",
        "where",
        f"name={user}",
        "withcoord",
        "format=user,coordinators",
    )


def set_default(cluster: str, user: str, account: str) -> Command:
    """Set a user's default account, for jobs without an account; the user must be in it."""
    where = (f"name={user}", f"cluster={cluster}")
    return (*_TOOL, "modify", "user", "where", *where, "set", f"defaultaccount={account}")


def remove(cluster: str, key: Key, *, has_partitions: bool = False) -> Command:
    """Remove an association; an account's takes all below it along."""
    what = "user" if key[1] else "account"
    return (*_TOOL, "delete", what, "where", *_where(cluster, key, has_partitions=has_partitions))


def show_entry(cluster: str, key: Key, column: str = "", *, is_default: bool = False) -> Command:
    """Return the command that shows what is stored of an association or a QOS.

    Args:
        cluster: name of the cluster.
        key: key of the association or QOS.
        column: column of a limit; by default the account above and the shares are shown.
        is_default: whether to show the default account of a user instead.
    """
    account, user, name = key
    shows = ("sacctmgr", "-P", "show")
    if is_default:
        return (*shows, "user", "where", f"name={user}", f"cluster={cluster}", "format=user,defaultaccount")
    if not (account or user):
        return (*shows, "qos", "where", f"name={name}", f"format=name,{column}")
    where = [f"cluster={cluster}", f"account={account}", *([f"user={user}"] if user else [])]
    shown = column or "share,parentname"
    return (*shows, "assoc", "where", *where, f"format=account,user,partition,{shown}")


def _where(cluster: str, key: Key, *, has_partitions: bool = False) -> Command:
    """Return the association; without a cluster where that is not known, which means all of the database."""
    account, user, partition = key
    of_cluster = (f"cluster={cluster}",) if cluster else ()
    if not user:
        return (f"name={account}", *of_cluster)
    more = (f"partition={partition}",) if partition or has_partitions else ()
    return (f"name={user}", f"account={account}", *of_cluster, *more)
