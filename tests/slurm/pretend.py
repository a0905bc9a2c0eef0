"""A database of associations in memory that answers as sacctmgr and sshare of Slurm 22.05.8 do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import Entry
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.targets.slurm.tools import Answer
from tests.slurm.fake.as_text import squeue_lines

Meddle = Callable[["Database", tuple[str, ...]], Answer | None]


class Database:
    """Commands as a `Run` takes them.

    Attributes:
        entries: what is stored.
        defaults: default account by user.
        admins, coordinators: admin level, and coordinated accounts, by user.
        calls: every command, in order.
        meddle: asked before each command: it may change what is stored, or answer itself.
        behind: what sshare shows instead of what is stored.
        jobs: output of `squeue --json`.
    """

    def __init__(self, tree: ClusterTree) -> None:
        stored = tree.stored.tree
        self.entries: dict[Key, Entry] = {}
        self.defaults: dict[str, str] = {}
        self.admins: dict[str, str] = {}
        self.coordinators: dict[str, set[str]] = {}
        for row, node in enumerate(tree.nodes):
            key = tree.keys[node]
            above = "" if row == 0 else stored.account[stored.parent[row]]
            self.entries[key] = Entry(above, int(stored.shares[row]) if row else 1)
            if key[1]:
                self.defaults.setdefault(key[1], key[0])
        self.calls: list[tuple[str, ...]] = []
        self.meddle: Meddle = lambda _database, _command: None
        self.behind: dict[Key, int] = {}
        self.jobs = '{"jobs": []}'

    @property
    def changing(self) -> list[tuple[str, ...]]:
        """The commands that change something."""
        return [call for call in self.calls if call[1] == "-i"]

    def __call__(self, command: Sequence[str], *, limit_s: float = 60.0) -> Answer:
        shown = tuple(command)
        self.calls.append(shown)
        meddled = self.meddle(self, shown)
        if meddled is not None:
            return meddled
        if shown[0] == "sshare":
            return Answer(shown, 0, self._shares(shown[shown.index("-A") + 1].split(",")))
        if "squeue" in shown:
            return Answer(shown, 0, "".join(squeue_lines(self.jobs, shown[-1])))
        if shown[3:] == ("qos",):
            return Answer(shown, 0, _QOS)
        if shown[1] == "-nP":
            return Answer(shown, 0, self._users(shown) if shown[3] == "user" else self._associations(shown))
        # Without -i sacctmgr asks.
        assert shown[:2] == ("sacctmgr", "-i")
        # Every cluster would be changed.
        assert "cluster=lab" in shown or shown[3] == "coordinator"
        return getattr(self, f"_{shown[2]}")(shown)  # type: ignore[no-any-return]

    # -- printing -------------------------------------------------------------------------------------------

    def _associations(self, command: tuple[str, ...]) -> str:
        columns, lines = _words(command)["format"].split(","), []
        for (account, user, partition), entry in self.entries.items():
            row = {limits.limit_or_fault(name).column: value for name, value in entry.limits.items()
                   if name not in ("qos", "defaultqos")}  # fmt: skip
            row |= {name: entry.limits.get(name, "") for name in ("qos", "defaultqos")}
            row |= {"account": account, "user": user, "partition": partition, "share": _shown(entry.shares)}
            row["parentname"] = "" if user else entry.parent
            lines.append("|".join(row.get(column, "") for column in columns) + "\n")
        return "".join(lines)

    def _shares(self, accounts: Sequence[str]) -> str:
        now = {key: entry.shares for key, entry in self.entries.items()} | self.behind
        asked = [(key, shares) for key, shares in now.items() if key[0] in accounts]
        return "".join(f" {'|'.join(key)}|{_shown(shares)}\n" for key, shares in asked)

    def _users(self, command: tuple[str, ...]) -> str:
        asked = _words(command).get("name", "").split(",")
        columns = _words(command)["format"].split(",")
        lines = []
        for user in asked:
            row = {
                "user": user, "defaultaccount": self.defaults.get(user, ""),
                "adminlevel": self.admins.get(user, "None"),
                "coordinators": ",".join(sorted(self._coordinated(user))),
            }  # fmt: skip
            lines.append("|".join(row[column] for column in columns) + "\n")
        return "".join(lines)

    def _coordinated(self, user: str) -> set[str]:
        """Accounts of a coordinator, with those below them, as Slurm prints them."""
        found = set(self.coordinators.get(user, ()))
        while (
            more := {key[0] for key, entry in self.entries.items() if not key[1] and entry.parent in found}
            - found
        ):
            found |= more
        return found

    # -- changing -------------------------------------------------------------------------------------------

    def _add(self, command: tuple[str, ...]) -> Answer:
        message = _words(command)
        if command[3] == "coordinator":
            self.coordinators.setdefault(message["names"], set()).add(message["account"])
            return Answer(command, 0, "Adding")
        shares = _value(message["fairshare"])
        if command[3] == "account":
            if (message["parent"], "", "") not in self.entries:
                return _failed(command, f"Parent account '{message['parent']}' doesn't exist on cluster lab")
            key, above = (message["name"], "", ""), message["parent"]
        else:
            key, above = (
                (message["account"], message["name"], message.get("partition", "")),
                message["account"],
            )
            if (above, "", "") not in self.entries:
                return _failed(command, f"This account '{above}' doesn't exist.")
            if "defaultaccount" in message or not self.defaults.get(key[1]):
                self.defaults[key[1]] = above
            if "adminlevel" in message and not any(other[1] == key[1] for other in self.entries):
                self.admins[key[1]] = message["adminlevel"]
        if key in self.entries:
            return _failed(command, "Nothing new added.")
        self.entries[key] = Entry(above, shares, _limits(message))
        return Answer(command, 0, "Adding")

    def _modify(self, command: tuple[str, ...]) -> Answer:
        split = command.index("set")
        message, new = _words(command[:split]), _words(command[split:])
        if "defaultaccount" in new:
            user, account = message["name"], new["defaultaccount"]
            if not any(key[:2] == (account, user) for key in self.entries):
                return _failed(command, "Nothing modified")
            self.defaults[user] = account
            return Answer(command, 0, "Modified users...")
        keys = self._meant(command[3], message)
        for key in keys:
            entry = self.entries[key]
            shares = _value(new["fairshare"]) if "fairshare" in new else entry.shares
            kept = {**entry.limits, **_limits(new)}
            self.entries[key] = Entry(new.get("parent", entry.parent), shares, kept)
        if "parent" in new:
            self._check_circle(keys[0][0] if keys else "")
        return Answer(command, 0, "Modified") if keys else _failed(command, "Nothing modified")

    def _delete(self, command: tuple[str, ...]) -> Answer:
        keys = self._meant(command[3], _words(command))
        while keys:
            key = keys.pop()
            self.entries.pop(key, None)
            if self.defaults.get(key[1]) == key[0]:
                self.defaults[key[1]] = ""
            if key[1] and not any(other[1] == key[1] for other in self.entries):
                self.admins.pop(key[1], None)
                self.coordinators.pop(key[1], None)
            if not key[1]:
                keys += [below for below, entry in self.entries.items() if entry.parent == key[0]]
        return Answer(command, 0, "Deleting")

    def _meant(self, what: str, message: dict[str, str]) -> list[Key]:
        if what == "account":
            return [key for key in [(message["name"], "", "")] if key in self.entries]
        found = [key for key in self.entries if key[:2] == (message["account"], message["name"])]
        return [key for key in found if message.get("partition", key[2]) == key[2]]

    def _check_circle(self, account: str) -> None:
        above, seen = account, set[str]()
        while above and above not in seen:
            seen.add(above)
            above = self.entries[(above, "", "")].parent
        assert not above, f"{account} is below itself"


_QOS = "Name|Priority|Flags|UsageFactor\nnormal|0||1.000000\n"


def _limits(words: dict[str, str]) -> dict[str, str]:
    """Limits and QOS lists by name, of words to set."""
    found = {name: words[name] for name in ("qos", "defaultqos") if name in words}
    named = ((limits.limit_named(name), value) for name, value in words.items() if name != "partition")
    return found | {one.name: limits.typed(one, value) for one, value in named if one is not None}


def _words(command: Sequence[str]) -> dict[str, str]:
    return {word.partition("=")[0]: word.partition("=")[2] for word in command if "=" in word}


def _shown(shares: int) -> str:
    return "parent" if shares == PARENT_SHARES else str(shares)


def _value(text: str) -> int:
    return PARENT_SHARES if text == "parent" else int(text)


def _failed(command: tuple[str, ...], text: str) -> Answer:
    return Answer(command, 1, text, problem=f"sacctmgr failed with exit status 1: {text}")
