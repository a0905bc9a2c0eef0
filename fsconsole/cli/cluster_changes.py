"""Changes that lead from a cluster to the tree in a file: computed, and printed on a terminal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.tables import print_table
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.words import count_words, first_of, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from fsconsole.app.cluster.preview import ChangeSetPreview, Gain
    from fsconsole.cli.cluster import Reading
    from fsconsole.shares.tree import ShareTree
    from fsconsole.slurm.change_set import Change, ChangeSet
    from fsconsole.slurm.cluster_tree import ClusterTree, Key

_MOST_GAINS = 10
_MOST_LEFT = 20
_LIMIT_S = 60.0

remove_option = click.option(
    "--remove", "removes", is_flag=True, help="Also remove accounts and users that are not in FILE."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Planned changes of a cluster and their effects.

    Attributes:
        reading: state of the cluster.
        tree: stored tree.
        staged: changes of it with their effects.
        of: cluster named in the file; empty if it names none.
        file: name of the file.
        left: accounts and users that are missing in the file and stay.
    """

    reading: Reading
    tree: ClusterTree
    staged: ChangeSetPreview
    of: str = ""
    file: str = ""
    left: tuple[Key, ...] = ()

    @property
    def changes(self) -> ChangeSet:
        """Changes without their effects."""
        return self.staged.changes

    @property
    def gains(self) -> list[Gain]:
        """Associations whose fairshare changes, users first."""
        return sorted(self.staged.gains.values(), key=lambda gain: not gain.is_user)

    @property
    def is_of_another(self) -> bool:
        """True if the file is a dump of a cluster of another name."""
        return bool(self.of) and self.of.lower() != self.reading.name.lower()


def plan_of(file: Path, via: tuple[str, ...], *, removes: bool) -> Plan:
    """Read file and cluster; ScenarioError or UserError if one of them cannot be read.

    With `removes`, accounts and users that are missing in the file are removed; otherwise they stay.
    """
    from fsconsole.cli.reading import name_of, tree_of
    from fsconsole.slurm.desired_state import cluster_in, wanted_by, with_unnamed

    scenario = tree_of(file)
    if any("DefaultAccount" in node.foreign for node in scenario.walk()):
        print_problem(f"note: default accounts in {name_of(file)} are not compared")
    reading = read_whole(via)
    tree = reading.tree()
    exact = wanted_by(tree, scenario)
    wanted, left = (exact, ()) if removes else with_unnamed(tree, exact)
    return plan_between(reading, tree, wanted, left, cluster_in(scenario), name_of(file))


def read_whole(via: tuple[str, ...]) -> Reading:
    """Return a cluster with all data that changes need.

    Raises:
        UserError: the stored tree cannot be read.
    """
    from fsconsole.cli.cluster import read

    reading = read(via, PartName.TREE, PartName.USAGE, PartName.JOBS, PartName.QOS)
    if PartName.TREE not in reading.found:
        raise UserError(f"cannot read the stored associations: {reading.problems[PartName.TREE]}")
    return reading


def plan_between(
    reading: Reading, tree: ClusterTree, wanted: ShareTree, left: tuple[Key, ...] = (), of: str = "",
    file: str = "",
) -> Plan:  # fmt: skip
    """Return the changes from a cluster's tree to a wanted one, and their effects; see `Plan`."""
    from fsconsole.slurm.change_set import change_set
    from fsconsole.slurm.limits import tres_of

    return plan_by(reading, tree, change_set(tree, wanted, tres_of(reading.settings)), wanted, left, of, file)


def plan_by(
    reading: Reading, tree: ClusterTree, changes: ChangeSet, wanted: ShareTree | None = None,
    left: tuple[Key, ...] = (), of: str = "", file: str = "",
) -> Plan:  # fmt: skip
    """Return the effects of changes of a cluster's tree; `wanted` is that afterwards, where it is known."""
    from fsconsole.app.cluster.preview import Basis, effects_of

    unread = next(iter(reading.problems.values()), "")
    basis = Basis(reading.settings, reading.standing(tree), reading.found.get(PartName.JOBS), unread)
    staged = effects_of(_foreseen(reading, tree, changes), tree, basis, wanted)
    return Plan(reading, tree, staged, of, file, left)


def _foreseen(reading: Reading, tree: ClusterTree, changes: ChangeSet) -> ChangeSet:
    """Return the changes with the known obstacles of each."""
    from fsconsole.slurm.obstacles import with_obstacles

    users = {one.key[1] for one in changes.changes if one.verb == "Remove"} - {""}
    defaults = defaults_of(reading, users)
    if users and PartName.JOBS in reading.problems:
        print_problem(f"note: jobs cannot be read: {reading.problems[PartName.JOBS]}")
    jobs = reading.found.get(PartName.JOBS, ())
    return with_obstacles(reading.name, changes, jobs, defaults, tuple(tree.keys.values()))


def defaults_of(reading: Reading, users: Collection[str]) -> Mapping[str, str] | None:
    """Return the default accounts of some users; None with a note where they cannot be read."""
    from fsconsole.targets.slurm.readback import UnreadableError, read_defaults

    try:
        return read_defaults(reading.tools.run, reading.name, users, limit_s=_LIMIT_S)
    except UnreadableError as error:
        print_problem(f"note: default accounts cannot be read: {error}")
        return None


def say(plan: Plan) -> None:
    """Print the changes, commands, largest gains and losses; print impossible changes to stderr."""
    changes = plan.changes.changes
    if changes:
        rows = [[change.verb, change.on, change.before, change.after] for change in changes]
        print_table(["Change", "Association", "Before", "After"], rows, numbers=False)
        print("\n".join(_commands(plan)))
    elif not plan.changes.refusals:
        print(f"{plan.reading.name} already matches the file.")
    _say_gains(plan)
    if plan.staged.places:
        print(plan.staged.places)
    _say_left(plan)
    for blocked in plan.changes.blocked:
        print_problem(f"note: {blocked.verb} {blocked.on} would be skipped: {blocked.obstacle}")
    for refusal in plan.changes.refusals:
        print_problem(f"{refusal.on}: {refusal.why}")
    if plan.is_of_another:
        print_problem(f"note: the file is for cluster {plan.of}, but this cluster is {plan.reading.name}")


def _commands(plan: Plan) -> Iterator[str]:
    """Yield lines for a shell, each with a remark where one is needed."""
    from fsconsole.targets.slurm.tools import shown_command

    for change in plan.changes.changes:
        yield from (f"# {change.on}: {note}" for note in change.notes)
        line = shown_command(plan.reading.place.prefix, change.command)
        yield f"# not sent: {line}" if change.obstacle else line


def _say_left(plan: Plan) -> None:
    """Print accounts and users that are missing in the file, separately from the changes."""
    if not plan.left:
        return
    users = sum(bool(user) for _, user, _ in plan.left)
    counts = ((users, "user"), (len(plan.left) - users, "account"))
    whose = listed([count_words(count, what) for count, what in counts if count])
    is_one = len(plan.left) == 1
    are, stay, them = ("is", "stays", "it") if is_one else ("are", "stay", "them")
    names = first_of(_left_words(plan), _MOST_LEFT)
    print(f"\n{whose} {are} not in {plan.file} and {stay}. --remove removes {them}:")
    print("\n".join(f"  {name}" for name in names))


def _left_words(plan: Plan) -> list[str]:
    from fsconsole.slurm.names import in_words

    return [in_words(key) if key[1] else f"account {in_words(key)}" for key in plan.left]


def _say_gains(plan: Plan) -> None:
    from fsconsole.targets.slurm.link_words import at

    if not plan.gains:
        if plan.staged.why_no_gains:
            print_problem(f"note: {plan.staged.why_no_gains}")
        return
    rows = [[gain.name, _fairshare(gain.before), _fairshare(gain.after)] for gain in plan.gains]
    most = ", most of these" if len(rows) > _MOST_GAINS else ""
    count, usage = count_words(len(rows), "association"), at(plan.reading.begun_s)
    print(f"\nFairShare changes for {count} at the next calculation, computed from usage of {usage}{most}:")
    print_table(["Association", "With old shares", "With new shares"], rows[:_MOST_GAINS])


def _fairshare(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6f}"


def plain(plan: Plan) -> dict[str, Any]:
    """Return a plan of changes as plain data."""
    changes = plan.changes
    return {
        "cluster": plan.reading.name,
        "same": not changes.changes and not changes.refusals,
        "changes": [plain_change(change) for change in changes.changes],
        "refusals": [{"on": refusal.on, "why": refusal.why} for refusal in changes.refusals],
        "fairshares": [
            {"association": gain.name, "before": _number(gain.before), "after": _number(gain.after)}
            for gain in plan.gains
        ],
        "left": plain_left(plan),
    }


def plain_left(plan: Plan) -> list[dict[str, str]]:
    """Return the associations that stay because the file does not name them, as plain data."""
    names = ("account", "user", "partition")
    return [dict(zip(names, key, strict=True)) for key in plan.left]


def plain_change(change: Change) -> dict[str, Any]:
    """Return a change as plain data."""
    fields = {"change": str(change.verb), "on": change.on, "before": change.before, "after": change.after}
    more = {"notes": list(change.notes), "obstacle": change.obstacle}
    return {**fields, "command": list(change.command), **more}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
