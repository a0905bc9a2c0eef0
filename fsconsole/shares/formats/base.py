"""Declaration of one format of share trees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from fsconsole.shares.edits import Move, Remove
from fsconsole.shares.foreign import dialect_of, is_carried, slurm_shares_key, takes_parents_shares
from fsconsole.shares.formats.kept_text import is_beside, is_template, names_in, place_of
from fsconsole.shares.formats.several_files import SeveralFiles
from fsconsole.shares.parent_shares import with_numbers
from fsconsole.shares.scenario.problems import NO_NODE, Problem, Severity
from fsconsole.shares.scenario.spec import Scenario, default_settings, settings_of
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.words import count_words, listed, plural

Lines = Mapping[tuple[int, str], int]
_NAMED = 20
_LEAVES = (Kind.USER, Kind.ACCOUNT)


class Meaning(StrEnum):
    """Meaning of a dialect's value; different meanings cannot replace each other."""

    WEIGHT = "weight"
    QUOTA = "quota"
    LIMIT = "limit"
    TARGET = "target"
    PRIORITY = "priority"
    SETTING = "setting"


@dataclass(frozen=True, slots=True)
class Column:
    """A value that nodes have in only one dialect.

    Attributes:
        key: foreign key; one that ends with * stands for all keys that begin so.
        title: what the dialect calls it.
        meaning: what kind of value it is.
        unit: what it is counted in.
        check: what is wrong with a text, or nothing.
        default: what a weight is that is left out.
    """

    key: str
    title: str
    meaning: Meaning
    unit: str = ""
    check: Callable[[str], str] = lambda _: ""
    default: str = "1"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of a tree that a format has no place for.

    Attributes:
        what: one thing, in words, or a sentence where nothing is counted; with `is_key` a key of nodes.
        is_beside: whether it stands beside nodes in the file, so that these are not counted.
        note: what becomes of it.
        places: (node, foreign key or field) of each; NO_NODE with what stands beside the tree.
    """

    what: str
    places: tuple[tuple[int, str], ...] = ()
    is_key: bool = False
    note: str = ""
    is_beside: bool = False

    def words(self, lines: Lines | None = None, files: SeveralFiles | None = None) -> str:
        """Describe the loss in words, with its lines in the file, or in each of several."""
        count = len(self.places)
        if not count:
            return self.what
        text = self.what if self.is_beside else count_words(count, self.what)
        if self.is_key:
            nodes = len({node for node, _ in self.places})
            text = f"{self.what} of {count_words(nodes, 'node')}"
        found = sorted({line for node, key in self.places if (line := line_of(lines or {}, node, key))})
        if found:
            text = f"{text} ({_places(found, files)})"
        return f"{text} {self.note}".strip()


def _places(lines: list[int], files: SeveralFiles | None) -> str:
    """Format lines in words, with the file of each if there are several."""
    by_file: dict[str, list[int]] = {}
    for line in lines:
        name, own = files.place(line) if files is not None else ("", line)
        by_file.setdefault(name, []).append(own)
    return "; ".join(
        f"{name}{', ' if name else ''}{plural(len(found), 'line')} {listed(_runs(found), _NAMED)}"
        for name, found in by_file.items()
    )


def _runs(numbers: list[int]) -> list[str]:
    """Return numbers in words, three or more in a row as `4 to 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [word for run in runs for word in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]


def line_of(lines: Lines, node: int, key: str = "") -> int:
    """Return the line of a node's key in its file, or of the node, or 0.

    A key may be a place in a kept text, from `kept_text.place_of`.
    """
    return lines.get((node, key)) or lines.get((node, key.partition("\n")[0])) or lines.get((node, ""), 0)


def with_lines(problems: Iterable[Problem], lines: Lines) -> list[Problem]:
    """Return problems about nodes with their lines in the file that they were read from."""
    found = list(problems)
    places = [one.line or (line_of(lines, one.node) if one.node is not None else 0) for one in found]
    return [replace(one, line=line, column=min(line, 1)) for one, line in zip(found, places, strict=True)]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    Attributes:
        name: what the command line calls it; foreign keys of it begin so.
        title: what a file dialog calls it.
        suffixes: endings of its files alone, with the dot.
        read: text to scenario, ScenarioError with all that is wrong.
        write: scenario to text, ScenarioError for what would come back as something else.
        is_of: whether a text is of this kind, where the file's suffix does not say.
        about: where its files come from, for the menu; `File > Import` has none without it.
        lost: what of a scenario the format has no place for.
        endings: suffixes that it shares with other formats: the text decides.
        columns: values of the dialect that Design shows and edits.
        rules: what is wrong or odd with a tree by the rules of the dialect.
        lines: text to the line of each node and foreign key.
        caveats: what shares and names of a tree stand for that the scheduler has in another way, as notes.
        between: what stands between the texts where a tree may be in several files; None where it is in one.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[str], Scenario]
    write: Callable[[Scenario], str]
    is_of: Callable[[str], bool] = lambda _: False
    lost: Callable[[Scenario], list[Loss]] = lambda _: []
    about: str = ""
    endings: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    rules: Callable[[ShareTree], Iterable[Problem]] = lambda _: ()
    lines: Callable[[str], Lines] = lambda _: {}
    caveats: Callable[[ShareTree], Iterable[Problem]] = lambda _: ()
    between: str | None = None

    def problems_in(self, text: str) -> list[Problem]:
        """Return the faults of a readable text by the rules of the dialect, without notes."""
        found = with_lines(self.rules(self.read(text).tree), self.lines(text))
        return [one for one in found if one.severity is not Severity.NOTE]

    @property
    def all_suffixes(self) -> tuple[str, ...]:
        """All endings of its files, its own first."""
        return (*self.suffixes, *self.endings)


def without_work(scenario: Scenario) -> list[Loss]:
    """Return the losses of a format that holds only the tree: users' work and its times."""
    work = {
        "login": ("logins", scenario.logins),
        "workload": ("workloads", scenario.workloads),
        "event": ("events", scenario.events),
        "person": ("people", scenario.people),
        "device": ("devices", scenario.devices),
        "queue": ("queues", scenario.queues),
        "job": ("jobs", scenario.jobs),
        "demand report": ("reports", scenario.reports),
    }
    losses = [
        Loss(word, tuple((NO_NODE, f"{section}.{row}") for row in range(len(items))))
        for word, (section, items) in work.items()
        if items
    ]
    known = default_settings()
    own = settings_of(scenario.machine, scenario.policy)
    changed = tuple((NO_NODE, key) for key, value in own.items() if value != known[key])
    if changed:
        losses.append(Loss("setting", changed, note="of machine or policy"))
    return losses


def by_numbers(form: Format) -> Format:
    """Return a format that writes a number, with a note, for nodes with their account's share in Slurm."""

    def write(scenario: Scenario) -> str:
        return form.write(replace(scenario, tree=with_numbers(scenario.tree)[0]))

    def lost(scenario: Scenario) -> list[Loss]:
        tree, taken = with_numbers(scenario.tree)
        places = tuple((node, slurm_shares_key(tree.node(node).foreign) or "") for node in taken)
        numbers = Loss("Fairshare=parent (slurm)", places, is_key=True, note=_BY_NUMBERS)
        return [*form.lost(replace(scenario, tree=tree)), *([numbers] if taken else [])]

    return replace(form, write=write, lost=lost)


_BY_NUMBERS = (
    "exists only in Slurm: a user gets the mean of its siblings' shares, an account the sum of the "
    "shares in it"
)


def with_one_root(form: Format) -> Format:
    """Return a format that has the root itself for the only group at the top that is called root too.

    A tree of cohorts or queues may end in such a one, where this format has each name once.
    """

    def lost(scenario: Scenario) -> list[Loss]:
        top = _second_root(scenario.tree)
        joined = [Loss("group", ((top.id, "name"),), note=_IS_ROOT)] if top is not None else []
        return [*form.lost(scenario), *joined]

    return replace(
        form,
        write=lambda scenario: form.write(replace(scenario, tree=_joined(scenario.tree))),
        lost=lost,
    )


_ROOT = "root"  # These formats give the root this name, whatever its name in the tree.
_IS_ROOT = "called root becomes the root itself"


def _second_root(tree: ShareTree) -> Node | None:
    """Return the only node below the root, where it is a group called root without a node of that name in
    it.
    """
    below = tree.children(tree.root.id)
    if len(below) != 1 or not below[0].is_group or below[0].name != _ROOT:
        return None
    inside = [node.name for node in tree.children(below[0].id)]
    return below[0] if _ROOT not in inside else None


def _joined(tree: ShareTree) -> ShareTree:
    top = _second_root(tree)
    if top is None:
        return tree
    joined = tree.copy()
    for row, node in enumerate(joined.children(top.id)):
        Move(node.id, joined.root.id, row).apply(joined)
    Remove(top.id).apply(joined)
    return joined


def lost_of(
    scenario: Scenario,
    dialect: str,
    *,
    fields: tuple[str, ...] = (),
    leaves: tuple[Kind, ...] = _LEAVES,
    empty_groups: bool = False,
    foreign: bool = False,
    others: str = "",
    written: Collection[tuple[int, str]] = (),
) -> list[Loss]:
    """Return the parts of a scenario that a format loses.

    Args:
        scenario: the tree, and who works on it.
        dialect: name of the format, whose foreign keys stay.
        fields: fields of nodes beside name, shares and kind that it has a place for.
        leaves: kinds of leaves that it distinguishes; all others come back as the first.
        empty_groups: whether a group without nodes stays one.
        foreign: whether keys of all dialects stay.
        others: what leaves of other kinds come back as; by default the first of `leaves`.
        written: nodes' foreign keys that it writes in another way.
    """
    found: dict[str, list[tuple[int, str]]] = {}
    keys: dict[tuple[str, bool], list[tuple[int, str]]] = {}
    for node in scenario.tree.walk():
        for what, key in _of_node(node, fields, leaves, empty_groups=empty_groups):
            found.setdefault(what, []).append((node.id, key))
        if foreign or not node.foreign:
            continue
        for key, value in node.foreign.items():
            if dialect_of(key) == dialect or _repeats_shares(node, key) or (node.id, key) in written:
                continue
            for one in names_in(key, value):
                named = f"{one.name} ({dialect_of(key)})", is_beside(key)
                keys.setdefault(named, []).append((node.id, place_of(key, one)))
    losses = without_work(scenario) + [
        Loss(
            what, tuple(places), note=f"read back as {others or leaves[0]}" if places[0][1] == "kind" else ""
        )
        for what, places in found.items()
    ]
    return losses + [
        Loss(what, tuple(places), is_key=not beside, is_beside=beside)
        for (what, beside), places in keys.items()
    ]


def without_templates(tree: ShareTree) -> tuple[ShareTree, list[Loss]]:
    """Return the tree without the text of its file in nodes, and without keys that depend on it."""
    found: dict[tuple[str, bool], list[tuple[int, str]]] = {}
    plain = tree.copy()
    for node in tree.walk():
        gone = [key for key, value in node.foreign.items() if is_template(key) or "\n" in value]
        for key in gone:
            for one in () if is_carried(key) else names_in(key, node.foreign[key]):
                named = f"{one.name} ({dialect_of(key)})", is_beside(key)
                found.setdefault(named, []).append((node.id, place_of(key, one)))
        if gone:
            kept = {key: value for key, value in node.foreign.items() if key not in gone}
            plain.writable(node.id).foreign = kept
    return plain, [
        Loss(what, tuple(places), is_key=not beside, is_beside=beside)
        for (what, beside), places in found.items()
    ]


def _repeats_shares(node: Node, key: str) -> bool:
    """Return True if a foreign key only repeats the shares."""
    return is_carried(key) or (key == slurm_shares_key(node.foreign) and not takes_parents_shares(node))


def _of_node(
    node: Node, fields: tuple[str, ...], leaves: tuple[Kind, ...], *, empty_groups: bool
) -> Iterator[tuple[str, str]]:
    if node.system and "system" not in fields:
        yield "system mark", "system"
    if node.note and "note" not in fields:
        yield "note", "note"
    for key, what in (("usage", "starting usage"), ("charge", "starting charge")):
        if getattr(node, key) and key not in fields:
            yield what, key
    if node.last_use_s is not None and "last_use_s" not in fields:
        yield "time of last use", "last_use_s"
    if node.parent is None:
        return
    if node.is_group and not node.children and not empty_groups:
        yield "empty group", "kind"
    elif not node.is_group and node.kind not in leaves:
        yield f"{node.kind}", "kind"
