"""`fsconsole linux share`: weights by the Share rule, set again each delta."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.cluster import confirmed
from fsconsole.cli.errors import UNUSABLE, UserError
from fsconsole.cli.interrupts import interrupts
from fsconsole.cli.linux import (
    groups_of,
    logged,
    must_be_applied,
    print_rates,
    rate_rows,
    root_option,
    tree_in,
)
from fsconsole.cli.plan import must_be_planned, plan_here, plan_option, say_plan
from fsconsole.cli.tables import print_table
from fsconsole.cli.values import change_options, duration, input_file, yes_option
from fsconsole.text.durations import in_words
from fsconsole.text.words import capitalised

if TYPE_CHECKING:
    from fsconsole.linux.accounting import Reading
    from fsconsole.linux.share_tree_groups import ShareTreeGroups
    from fsconsole.linux.sharer import Sharer
    from fsconsole.shares.tree import ShareTree


@click.command("share")
@click.argument("file", metavar="TREE", type=input_file)
@click.option(
    "--half-life", type=duration, default="120s", show_default=True, help="Time in which usage halves."
)
@click.option(
    "--delta", type=duration, default="4s", show_default=True, help="Time between two updates of the weights."
)
@click.option(
    "--for", "for_s", type=duration, default=None, metavar="TIME", help="Time to run. Default: until Ctrl+C."
)
@root_option
@change_options()
@yes_option
@plan_option
@click.pass_context
def command(
    ctx: click.Context, file: Path, half_life: float, delta: float, for_s: float | None, root: str,
    dry_run: bool, yes: bool, planned: str, reason: str,
) -> None:  # fmt: skip
    """Give the kernel a memory: each delta, set weights by what users of TREE have used, as Share does.

    Groups are those of `linux apply` with the same TREE. In the end the weights of the shares alone are in
    force again; groups that others have removed by then stay removed, and are named.
    """
    if min(half_life, delta) <= 0:
        raise click.UsageError("--half-life and --delta must be longer than 0 s")
    from fsconsole.linux.share_tree_groups import shares_words

    tree = tree_in(file)
    with groups_of(root) as groups:
        must_be_applied(groups, moves=False)
        if other := groups.why_other(tree):
            msg = f"the groups in force below {root} are not those of {file}. {other}. "
            raise UserError(f"{msg}`fsconsole linux apply TREE` makes its groups")
        now, paths = groups.weights(tree), tree.paths()
        # Weights to come follow from use: the tree, the weights in force and the times are what is planned.
        nodes = [(paths[node.id], str(node.shares), str(now.get(node.id))) for node in tree.walk()]
        identity = plan_here(root, nodes, [(str(half_life), str(delta), str(for_s))])
        must_be_planned(planned, identity)
        if dry_run:
            _print_weights(groups, tree, now, half_life, delta)
            say_plan(identity)
            return
        until = "Ctrl+C" if for_s is None else in_words(for_s)
        confirmed(f"Set weights below {root} every {in_words(delta)}, until {until}?", yes=yes)
        first = groups.reading(tree)
        message = f"Usage halves in {in_words(half_life)}. Weights are set every {in_words(delta)}"
        print(f"{message}, until {until}.", flush=True)
        words = f"weights are set every {delta:g} s, usage halves in {half_life:g} s"
        logged(groups, "weigh by usage", lambda: words, why=reason)
        missing: list[str] = []

        def by_shares() -> str:
            missing.extend(groups.set_shares(tree))
            return capitalised(shares_words(missing))

        try:
            _share(groups, tree, half_life, delta, for_s)
        finally:
            # The weights of the shares must come back, whatever signals follow and even if the disk is full.
            with interrupts():
                last = groups.reading(tree)
                again = logged(groups, "weigh by shares", by_shares, must_log=False)
            print_rates(rate_rows(tree, first, last))
            print(f"{again}.")
        if missing:
            ctx.exit(UNUSABLE)


def _print_weights(
    groups: ShareTreeGroups, tree: ShareTree, now: Mapping[int, int], half_life: float, delta: float
) -> None:
    """Print the weights after one delta and those in force, without setting them."""
    before, sharer = _begun(groups, tree, half_life)
    time.sleep(delta)
    _, weights = _after_delta(groups, tree, sharer, before)
    paths = tree.paths()
    rows = [(paths[node], str(now.get(node, "–")), str(weight)) for node, weight in weights.items()]
    print_table(("Node", "Weight now", f"After {in_words(delta)}"), rows)


def _begun(groups: ShareTreeGroups, tree: ShareTree, half_life: float) -> tuple[Reading, Sharer]:
    """Return the CPU time that the kernel has charged up to now, and a sharer that begins with it."""
    from fsconsole.linux.sharer import Sharer

    sharer = Sharer(tree, half_life)
    before = groups.reading(tree)
    sharer.begin_with(before.used_s, os.cpu_count() or 1)
    return before, sharer


def _after_delta(
    groups: ShareTreeGroups, tree: ShareTree, sharer: Sharer, before: Reading
) -> tuple[Reading, dict[int, int]]:
    """Read usage again; return that, and the weights that the Share rule gives."""
    from fsconsole.linux.accounting import charged_s
    from fsconsole.linux.sharer import active_leaves

    now = groups.reading(tree)
    passed_s, charged = now.at_s - before.at_s, charged_s(before, now)
    sharer.take(charged, passed_s)
    active = active_leaves(tree, charged, passed_s, groups.waiting(tree))
    return now, sharer.weights(active, groups.hierarchy.limits)


def _share(
    groups: ShareTreeGroups, tree: ShareTree, half_life: float, delta: float, for_s: float | None
) -> None:
    began = time.monotonic()
    before, sharer = _begun(groups, tree, half_life)
    while (left_s := math.inf if for_s is None else began + for_s - time.monotonic()) > 0:
        time.sleep(min(delta, left_s))
        before, weights = _after_delta(groups, tree, sharer, before)
        groups.set_weights(tree, weights)
        groups.let_go()
