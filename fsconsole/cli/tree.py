"""`fsconsole tree`: the commands about share trees."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.errors import (
    UNUSABLE,
    WRONG_USE,
    UserError,
    print_error,
    print_problem,
    problem_line,
)
from fsconsole.cli.lazy import LazyGroup
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import input_file, refuse_existing, tree_source
from fsconsole.recording.run_format import RunError
from fsconsole.shares import formats
from fsconsole.shares.edits import to_json
from fsconsole.shares.files import write_atomic
from fsconsole.shares.formats.base import without_templates
from fsconsole.shares.parent_shares import counted_ours, with_numbers
from fsconsole.shares.scenario.problems import Problem, ScenarioError, Severity
from fsconsole.shares.tree import TreeError
from fsconsole.text.numbers import percent
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsconsole.shares.formats.base import Loss
    from fsconsole.shares.scenario.spec import Scenario
    from fsconsole.shares.tree import Node, ShareTree

_COMMANDS = {
    "show": ("fsconsole.cli.tree:show", "Draw a tree with the share of machine of each node."),
    "check": ("fsconsole.cli.tree:check", "List errors and oddities in files."),
    "convert": ("fsconsole.cli.tree:convert", "Write a tree in another format."),
    "what-if": ("fsconsole.cli.tree_what_if", "Divide the machine among nodes by their demands."),
    "forecast": ("fsconsole.cli.tree_forecast", "Forecast a machine, with and without changes."),
    "elsewhere": ("fsconsole.cli.tree_elsewhere", "Divide the machine by the rules of other schedulers."),
    "load": ("fsconsole.cli.tree_load", "Plan the load of users, and write a scenario."),
    "diff": ("fsconsole.cli.tree:diff", "List the changes from one tree to another."),
}


@click.group("tree", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Show, check, try out, convert and compare share trees.

    A FILE is a scenario (YAML), a dump of Slurm's `sacctmgr` or a tree of another scheduler; - stands for
    stdin. `tree convert` names the formats. It may also be the folder of a run, a diary or a capture.
    """


from_option = click.option(
    "--from", "origin", metavar="NAME", help="Format of the file. Default: by suffix and content."
)
with_option = click.option(
    "--with", "more", multiple=True, type=input_file, metavar="FILE",
    help="Second file of the same tree, such as lsb.users beside lsb.queues.",
)  # fmt: skip


@click.command("show")
@click.argument("file", type=tree_source)
@from_option
@with_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print a list of path, shares, part_of_parent, machine_share."
)
@click.option(
    "--map",
    "picture",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the share map to a file instead: .svg, .pdf or .png.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def show(
    file: Path, origin: str | None, more: tuple[Path, ...], as_json: bool, picture: Path | None, force: bool
) -> None:  # fmt: skip
    """Draw the tree in FILE: shares, part of the group, part of the machine.

    FILE may be a run folder or a capture folder; a cluster's diary has the shares of its last reading.
    """
    from fsconsole.cli.reading import read_with_caveats
    from fsconsole.shares.flat import FlatTree

    stored = read_with_caveats(file, named_format(origin), more).tree
    tree, taken = with_numbers(stored)
    if picture is not None:
        _draw_map(tree, file, picture, force=force)
        return
    flat = FlatTree.of(tree)
    nodes = list(tree.walk())
    parts, machine = flat.part_of_parent().tolist(), flat.machine_share().tolist()
    if as_json:
        paths = tree.paths()
        print_json(
            [
                {
                    "path": paths[node.id],
                    "shares": node.shares,
                    "part_of_parent": part,
                    "machine_share": whole,
                }
                for node, part, whole in zip(nodes, parts, machine, strict=True)
            ]
        )
        return
    marks = {node.id: "system" for node in nodes if node.system} | dict.fromkeys(
        counted_ours(stored), "(ours)"
    )
    lines = "\n".join(_drawn(tree, nodes, parts, machine, marks | dict.fromkeys(taken, "parent (ours)")))
    print(lines if _can_show(_LINES) else lines.translate(_IN_ASCII))
    if taken:
        print(
            "(ours): a user with Fairshare=parent counts as the mean of its siblings' shares, an account as "
            "the sum of those in it. sshare prints NormShares otherwise."
        )


def _draw_map(tree: ShareTree, source: Path, out: Path, *, force: bool) -> None:
    from fsconsole.figures.export import export_map, picture_format

    form = picture_format(out)
    if form is None:
        msg = f"{out}: a share map must end in .svg, .pdf or .png"
        raise click.BadParameter(msg)
    refuse_existing(out, force=force)
    export_map(tree, source.stem, out, form)
    print(f"Wrote {out}")


def _drawn(
    tree: ShareTree, nodes: list[Node], parts: list[float], machine: list[float], marks: Mapping[int, str]
) -> list[str]:
    labels = _labels(tree, nodes)
    width = max(len("Node"), *(len(label) for label in labels))
    shares = max(len("Shares"), *(len(str(node.shares)) for node in nodes))
    lines = [f"{'Node':<{width}}  {'Shares':>{shares}}  {'Of group':>9}  {'Of machine':>10}"]
    for label, node, part, whole in zip(labels, nodes, parts, machine, strict=True):
        fractions = f"{percent(part, 2):>9}  {percent(whole, 2):>10}"
        lines.append(
            f"{label:<{width}}  {node.shares:>{shares}}  {fractions}  {marks.get(node.id, '')}".rstrip()
        )
    return lines


def _labels(tree: ShareTree, nodes: list[Node]) -> list[str]:
    """Put names after the lines that lead to them."""
    margins = {tree.root.id: ""}
    labels = []
    for node in nodes:
        margin = margins[node.id]
        labels.append(node.name if node.parent is None else f"{margin[:-3]}{_CORNER[margin[-3:]]}{node.name}")
        for child in node.children:
            margins[child] = margin + ("   " if child == node.children[-1] else "│  ")
    return labels


def _can_show(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


_LINES = "└─├│"
_IN_ASCII = str.maketrans(_LINES, "`-||")
_CORNER = {"   ": "└─ ", "│  ": "├─ "}


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=tree_source)
@click.option("--from", "origin", metavar="NAME", help="Format of the files. Default: by suffix and content.")
@with_option
@click.pass_context
def check(ctx: click.Context, files: tuple[Path, ...], origin: str | None, more: tuple[Path, ...]) -> None:
    """List all problems of the files as FILE:line:column: severity: text."""
    from fsconsole.cli.reading import name_of

    errors, form = 0, named_format(origin)
    if more and len(files) > 1:
        ctx.fail("--with belongs to one FILE. Check the files one by one")
    for file in files:
        problems = _problems(file, form, more)
        for problem in problems:
            print(problem_line(name_of(file), problem))
        errors += sum(problem.severity is Severity.ERROR for problem in problems)
        if not problems:
            print(f"{name_of(file)}: no problems")
    ctx.exit(UNUSABLE if errors else 0)


def _problems(file: Path, form: formats.Format | None, more: tuple[Path, ...]) -> list[Problem]:
    from fsconsole.cli.reading import read_files
    from fsconsole.policies.check import warnings_of
    from fsconsole.shares.scenario.tree_rows import with_places

    try:
        read = read_files(file, form, more)
    except ScenarioError as error:
        return error.problems
    except (UserError, RunError) as error:
        if more:
            raise
        return [Problem(str(error))]
    except OSError as error:
        return [Problem(f"cannot be read: {error.strerror or error}")]
    found = warnings_of(read.scenario)
    return with_places(found, read.text) if read.form.name == "yaml" else read.located(found)


_NAMES = ", ".join(form.name for form in formats.FORMATS)


@click.command("convert")
@click.argument("source", metavar="IN", type=tree_source)
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--from", "origin", metavar="NAME", help="Format of IN. Default: by its suffix and content.")
@click.option("--to", "name", metavar="NAME", help=f"Format of OUT ({_NAMES}). Default: by its suffix.")
@with_option
@click.option(
    "--rename",
    "pairs",
    multiple=True,
    metavar="OLD=NEW",
    help="New name of a node. For all names: --rename -=_ replaces a character, A-Z=a-z gives lower case.",
)
@click.option("--plain", is_flag=True, help="With csv: omit texts of the file.")
@click.option("--force", is_flag=True, help="Replace an existing OUT.")
def convert(
    source: Path, target: Path, origin: str | None, name: str | None, more: tuple[Path, ...],
    pairs: tuple[str, ...], plain: bool, force: bool,
) -> None:  # fmt: skip
    """Write the tree in IN to OUT (- for stdout) in another format.

    What the format has no place for, such as logins and notes, is listed on stderr with its lines in IN,
    and what is wrong with OUT by the rules of its scheduler, as `tree check` does.
    """
    from fsconsole.cli.reading import STDIN, name_of, read_files

    form = _form(target, name)
    if target != STDIN:
        refuse_existing(target, force=force)
    changes = _name_changes(pairs)
    if plain and form.name != "csv":
        msg = f"--plain is for csv. {form.name} always writes everything it can"
        raise click.UsageError(msg)
    read = read_files(source, named_format(origin), more)
    texts: list[Loss] = []
    if changes:
        read = replace(read, scenario=_renamed(read.scenario, changes))
    if plain:
        tree, texts = without_templates(read.scenario.tree)
        read = replace(read, scenario=replace(read.scenario, tree=tree))
    try:
        written = form.write(read.scenario)
    except ScenarioError as error:
        raise ScenarioError(read.located(error.problems), name_of(source)) from None
    if form is not read.form:
        read.print_caveats()
    lost = [*form.lost(read.scenario), *texts]
    if lost:
        lines = read.form.lines(read.text)
        named = "stdout" if target == STDIN else target
        named_losses = [f"  {one.words(lines, read.files)}" for one in lost]
        print_problem("\n".join([f"{named} ({form.title}) cannot contain", *named_losses]))
    if target == STDIN:
        sys.stdout.write(written)
    else:
        write_atomic(target, written)
    for problem in form.problems_in(written):
        print_problem(problem_line("stdout" if target == STDIN else str(target), problem))


def _name_changes(pairs: tuple[str, ...]) -> list[tuple[str, str]]:
    found = [(old, new) for old, sign, new in (pair.partition("=") for pair in pairs) if old and sign]
    if len(found) < len(pairs):
        msg = "--rename needs OLD=NEW. Example: team-a=team_a, or -=_ for a character in all names"
        raise click.UsageError(msg)
    return found


def _renamed(scenario: Scenario, changes: list[tuple[str, str]]) -> Scenario:
    from fsconsole.app.tree.name_changes import renamed

    try:
        return replace(scenario, tree=renamed(scenario.tree, changes))
    except TreeError as error:
        raise UserError(f"--rename: {error}") from error


def _form(target: Path, name: str | None) -> formats.Format:
    form = named_format(name) or formats.format_by_suffix(target)
    if form is not None:
        return form
    sharing = [item for item in formats.FORMATS if target.suffix.lower() in item.all_suffixes]
    names = ", ".join(form.name for form in sharing or formats.FORMATS)
    msg = f"the suffix of {target} is not a known format. Choose one with --to: {names}"
    raise click.UsageError(msg)


def named_format(name: str | None) -> formats.Format | None:
    """Return the format of a name; None for no name."""
    if name is None:
        return None
    try:
        return formats.format_named(name)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None


@click.command("diff")
@click.argument("before", type=tree_source)
@click.argument("after", type=tree_source)
@click.option("--from", "origin", metavar="NAME", help="Format of both. Default: by suffix and content.")
@click.option("--json", "as_json", is_flag=True, help='Print {"same": ..., "nodes": [...], "edits": [...]}.')
@click.pass_context
def diff(ctx: click.Context, before: Path, after: Path, origin: str | None, as_json: bool) -> None:
    """List what differs between the trees in BEFORE and AFTER, with each node's share of the machine.

    Nodes are matched by name; a node that alone has its name elsewhere was moved.
    """
    from fsconsole.app.edit_words import lines
    from fsconsole.app.kinds import KindError
    from fsconsole.app.tree.comparison import TITLES, compare_trees
    from fsconsole.cli.reading import STDIN, tree_of
    from fsconsole.shares.diff import diff as edits_between
    from fsconsole.shares.matching import matched

    if before == after == STDIN:
        ctx.fail("only one of the two can be read from stdin")
    form = named_format(origin)
    try:
        old, new = tree_of(before, form), tree_of(after, form)
    except (KindError, OSError, RunError, ScenarioError, UserError) as error:
        print_error(error)
        ctx.exit(WRONG_USE)
    new = matched(old, new)
    edits = edits_between(old, new)
    comparison = compare_trees(old, new)
    if as_json:
        words = [{"text": text, **to_json(edit)} for edit, text in lines(old, edits)]
        nodes = [node.to_json() for node in comparison.differences()]
        print_json({"same": not edits, "nodes": nodes, "edits": words})
    else:
        if edits:
            print_table(TITLES, [node.cells() for node in comparison.differences()], numbers=False)
        print(comparison.summary(count_words))
    ctx.exit(1 if edits else 0)
