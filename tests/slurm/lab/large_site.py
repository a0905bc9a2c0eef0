"""A real cluster of the size of a large site: associations, jobs and nodes by the thousand."""

from __future__ import annotations

from collections.abc import Iterator

from tests.slurm.lab.conf import LabOptions
from tests.slurm.lab.demo_tree import SYSTEM_PEOPLE, plant
from tests.slurm.lab.lab import Lab

NODES, JOBS = 1932, 22_700
_LIVE, _TOP, _ACCOUNTS, _USERS = 4, 10, 300, 12
_ARRAYS, _TASKS = 8, 2200  # Each array is one record of pending tasks.
_SINGLE = JOBS - _ARRAYS * _TASKS


class LargeLab(Lab):
    """A cluster most of whose nodes are declared and down."""

    def __init__(self) -> None:
        declared = f"d[0001-{NODES - _LIVE:04}] NodeAddr=127.0.0.1 Port=1 CPUs=64 RealMemory=1000"
        more = {
            "MaxJobCount": "60000",
            "MaxArraySize": "10001",
            "NodeName": f"{declared} State=DOWN Reason=declared",
        }
        super().__init__(LabOptions(nodes=_LIVE, more=more))

    def await_nodes(self) -> None:
        """Wait until jobs can run on those that are there."""
        asked = ("sinfo", "-h", "-N", "-p", "batch", "-n", f"n[1-{_LIVE}]", "-o", "%T")

        def are_up() -> bool:
            states = self.run(*asked, check=False).stdout.split()
            return len(states) == _LIVE and set(states) <= {"idle", "mixed", "allocated"}

        self.wait_until(are_up, "all live nodes are up")

    def fill(self) -> None:
        """Add associations, and jobs that are held, most of them as records of their own."""
        plant(self)
        file = self.folders.top / "large.cfg"
        file.write_text("\n".join((*_tree(self.options.cluster), "")))
        self.run("sacctmgr", "-i", "load", str(file))
        user, account = SYSTEM_PEOPLE[0], "ocean"
        single = self.submit(user, account, "--hold", f"--array=0-{_SINGLE - 1}")
        # A task that is changed alone is a record of its own from then on.
        self.run("scontrol", "update", f"JobId={single}_[0-{_SINGLE - 2}]", "Nice=5")
        for _ in range(_ARRAYS):
            self.submit(user, account, "--hold", f"--array=0-{_TASKS - 1}")


def _tree(cluster: str) -> Iterator[str]:
    """Yield lines of a dump: accounts below ten at the top, users in each account."""
    names = [f"a{number:03}" for number in range(_ACCOUNTS)]
    about = "Description='large':Organization='large':Fairshare=3"
    yield f"Cluster - '{cluster}':Fairshare=1:QOS='normal'"
    yield "Parent - 'root'"
    yield from (f"Account - '{name}':{about}" for name in names[:_TOP])
    for place, name in enumerate(names):
        below = names[_TOP + 3 * place : _TOP + 3 * place + 3]
        yield f"Parent - '{name}'"
        yield from (f"Account - '{one}':{about}" for one in below)
    for place, name in enumerate(names):
        yield f"Parent - '{name}'"
        users = (f"u{place * _USERS + number:05}" for number in range(_USERS))
        yield from (f"User - '{user}':DefaultAccount='{name}':Fairshare=5" for user in users)
