"""`fsconsole tree forecast`: a simulated machine from now on, and the necessary changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.tree import from_option, named_format
from fsconsole.cli.values import duration, moment, tree_source
from fsconsole.shares.scenario.names import Names
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent

if TYPE_CHECKING:
    from fsconsole.app.forecast.machine import NodeCurve, PartGoal, ShareWay
    from fsconsole.shares.scenario.actions import Action
    from fsconsole.shares.scenario.spec import Scenario

_SHOWN_ROWS = 12
_LEAST_WINDOW_S = 60.0


@click.command("forecast")
@click.argument("file", type=tree_source)
@from_option
@click.option("--node", "nodes", multiple=True, required=True, metavar="PATH",
              help="User or group. May be repeated. A goal is for the first.")  # fmt: skip
@click.option("--at", "at_s", type=moment, default="0", metavar="TIME",
              help="Instant of the forecast: the scenario runs up to it. Default: its start.")  # fmt: skip
@click.option("--until", "until_s", type=duration, metavar="TIME",
              help="Length of the forecast from now. Default: 10 min, or until the goal.")  # fmt: skip
@click.option("--window", "window_s", type=duration, metavar="TIME",
              help="Time over which shares are averaged. Default: from the scenario, or 1 min.")  # fmt: skip
@click.option("--share", "shares", multiple=True, metavar="PATH=SHARES",
              help="Change: shares of a node from now on. May be repeated.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE",
              help="Change: setting, such as policy.half_life_s=30s. May be repeated.")  # fmt: skip
@click.option("--policy", default="", metavar="NAME", help="Change: another policy from now on.")
@click.option("--event", "events", multiple=True, metavar="EVENT",
              help="Change: event now, such as 'login: carol'. May be repeated.")  # fmt: skip
@click.option(
    "--solve", metavar="WISH", help="Goal, such as 'part=0.5 in 10 min': print the shares that reach it."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all times.")
def command(file: Path, origin: str | None, *, as_json: bool, **typed: Any) -> None:
    """Run the scenario in FILE on from an instant, with and without changes, and show what nodes get.

    It is the simulated machine itself, so a forecast is exact as long as what the scenario plans is what
    happens: logins, work and events after the instant are in it, nothing else is. All changes are made
    together, now. A part is the CPU time of a node over the machine's, in the window before.
    """
    from fsconsole.app.forecast.machine import curves, present, read_part_goal, share_ways
    from fsconsole.app.runs.changes import BranchError, ChangeTexts
    from fsconsole.cli.reading import read_with_caveats

    scenario = read_with_caveats(file, named_format(origin))
    names = Names(scenario.tree)
    texts = ChangeTexts(typed["settings"], typed["policy"], typed["shares"], typed["events"])
    window_s = typed["window_s"] or max(scenario.plot.rate_window_s, _LEAST_WINDOW_S)
    try:
        asked = [names.find(path.strip()).id for path in typed["nodes"]]
        changes = texts.actions_on(scenario, scenario.tree)
        goal = None if typed["solve"] is None else read_part_goal(typed["solve"], asked[0])
        until_s = typed["until_s"] or (600.0 if goal is None else goal.time_s)
        start = present(scenario, typed["at_s"], window_s)
        unchanged = curves(start, asked, (), until_s)
        changed = curves(start, asked, changes, until_s) if changes else unchanged
        ways = () if goal is None else share_ways(start, goal, changes)
    except (BranchError, LookupError, ValueError) as error:
        raise click.UsageError(str(error.args[0] if error.args else error)) from None
    report = _Report(scenario, window_s, unchanged, changed, changes, goal, ways)
    if as_json:
        report.print_as_json()
    else:
        report.print_tables()


class _Report:
    """Printed report of a forecast."""

    def __init__(
        self,
        scenario: Scenario,
        window_s: float,
        unchanged: Sequence[NodeCurve],
        changed: Sequence[NodeCurve],
        changes: Sequence[Action],
        goal: PartGoal | None,
        ways: Sequence[ShareWay],
    ) -> None:
        self._paths = scenario.tree.paths()
        self._window_s = window_s
        self._unchanged, self._changed = unchanged, changed
        self._has_changes = bool(changes)
        self._goal, self._ways = goal, ways

    def print_tables(self) -> None:
        """Print the curves at even times, then the ways."""
        times = self._changed[0].times_s
        places = np.unique(np.linspace(0, len(times) - 1, _SHOWN_ROWS).round().astype(int))
        headers, columns = ["From now"], [[length_words(times[at]) for at in places]]
        for changed, unchanged in zip(self._changed, self._unchanged, strict=True):
            name = self._paths[changed.node]
            headers += [f"{name}, of the machine", "Allocated"]
            columns += [_percents(changed.part, places), _percents(changed.allocated, places)]
            if self._has_changes:
                headers.append("Unchanged")
                columns.append(_percents(unchanged.part, places))
        print_table(headers, list(zip(*columns, strict=True)), "Forecast of the machine")
        print(f"Shares are averaged over the last {length_words(self._window_s)}.")
        print("Assumes that everything in the scenario happens as planned, and nothing else.")
        if self._goal is not None:
            self._print_ways(self._goal)

    def _print_ways(self, goal: PartGoal) -> None:
        from fsconsole.app.forecast.machine_question import goal_part_words

        name, when = self._paths[goal.node], length_words(goal.time_s)
        is_then = goal_part_words(name, self._changed[0], goal, has_changes=self._has_changes)
        if is_then:
            print(f"\n{is_then}")
        rows = [
            (
                f"Shares of {self._paths[way.node]}",
                str(way.now),
                str(way.shares),
                percent(way.part, 2) + ("" if way.is_enough else ", not enough"),
            )
            for way in self._ways
        ]
        print_table(("Change", "Now", "Becomes", f"Share in {when}"), rows, "Each way alone")
        for way in self._ways:
            if way.is_enough and way.shares != way.now:
                print(f"--share '{self._paths[way.node]}={way.shares}'")

    def print_as_json(self) -> None:
        """Print one JSON object."""
        fields: dict[str, Any] = {"window_s": self._window_s, "nodes": [*map(self._plain, self._changed)]}
        if self._has_changes:
            fields["unchanged"] = [*map(self._plain, self._unchanged)]
        if self._goal is not None:
            ways = [
                {
                    "change": "shares",
                    "node": self._paths[way.node],
                    "now": way.now,
                    "becomes": way.shares,
                    "reached": way.part,
                    "is_enough": way.is_enough,
                }
                for way in self._ways
            ]
            fields["solution"] = {"value": self._goal.part, "in_s": self._goal.time_s, "ways": ways}
        print_json(fields)

    def _plain(self, curve: NodeCurve) -> dict[str, Any]:
        part = [None if math.isnan(value) else value for value in curve.part.tolist()]
        allocated = curve.allocated.tolist()
        return {
            "node": self._paths[curve.node], "times_s": curve.times_s.tolist(), "part": part,
            "allocated": allocated,
        }  # fmt: skip


def _percents(values: np.ndarray[Any, Any], places: np.ndarray[Any, Any]) -> list[str]:
    return ["" if math.isnan(value) else percent(value, 2) for value in values[places].tolist()]
