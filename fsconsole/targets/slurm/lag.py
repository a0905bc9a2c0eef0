"""Whether slurmctld has heard of what slurmdbd has stored, by what sshare shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from fsconsole.slurm.change_set import shares_words
from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.names import in_words
from fsconsole.targets.slurm.readback import Stored, UnreadableError, read_shares
from fsconsole.targets.slurm.tools import Run

_TRIES = 3
BETWEEN_S = 0.7
# Slurm 22.05.8 takes in a change of 50,000 associations within 0.3 s; sacctmgr does not wait for that.
_LAG_PATIENCE_S = 60.0


def lag_of(
    run: Run,
    keys: set[Key],
    stored: Stored,
    *,
    limit_s: float,
    wait: Callable[[float], None],
    is_stopped: Callable[[], bool],
) -> str:
    """How sshare shows associations otherwise than they are stored, in a sentence; empty where it does not.

    It is waited for as long as there is less and less that slurmctld has not heard of.

    Args:
        run: runs a command where the cluster is.
        keys: what was changed.
        stored: what is stored of all associations.
        limit_s: time limit of each command.
        wait: waits so many seconds.
        is_stopped: whether waiting is to end.
    """
    touched = {account for account, _, _ in keys}
    there = (*stored, *sorted(keys - stored.keys()))
    accounts = [account for account, _, _ in there if account in touched]

    def behind_now() -> list[str]:
        shown = read_shares(run, accounts, limit_s=limit_s)
        return [words for key in sorted(keys) if (words := _behind(key, stored, shown.get(key)))]

    try:
        behind, quiet = behind_now() if keys else [], 0
        end = time.monotonic() + _LAG_PATIENCE_S
        while behind and quiet < _TRIES - 1 and time.monotonic() < end and not is_stopped():
            wait(BETWEEN_S)
            before, behind = len(behind), behind_now()
            quiet = quiet + 1 if len(behind) >= before else 0
    except UnreadableError as error:
        return f"whether it is in force is not known, for sshare does not say it: {error}"
    return _words(behind, is_moving=not quiet)


def _behind(key: Key, stored: Stored, shown: int | None) -> str:
    """How sshare shows an association otherwise than it is stored; empty where it does not."""
    now = stored.get(key)
    if now is None:
        return f"{in_words(key)}, which is removed" if shown is not None else ""
    if shown is None:
        return f"no {in_words(key)}, which is stored"
    same = shown == now.shares
    return "" if same else f"{shares_words(shown)} of {in_words(key)}, {now.shares} are stored"


def _words(behind: Sequence[str], *, is_moving: bool) -> str:
    if not behind:
        return ""
    more = f", and {len(behind) - 1} others" if len(behind) > 1 else ""
    why = (
        "slurmctld takes in one change after the other, and may not have got there yet"
        if is_moving
        else "slurmctld has not heard of it; if it stays so, a restart of slurmctld helps"
    )
    return f"sshare still shows {behind[0]}{more}: {why}"
