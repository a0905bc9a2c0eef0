"""Report of a share tree with its what-if: entitlements, and the distribution of surplus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from fsconsole.app.reports.document import Figure, Report, Section, Table, provenance, to_redo
from fsconsole.figures.tree_map import tree_map
from fsconsole.shares.demand_words import demand_text
from fsconsole.shares.quoting import quoted
from fsconsole.shares.saturation import SATURATED, demands_of_report, measured_in
from fsconsole.shares.saturation_words import measured_sentence
from fsconsole.shares.scenario.spec import digest
from fsconsole.shares.scenario.write import write_text
from fsconsole.text.numbers import UNKNOWN, fixed, percent, signed
from fsconsole.text.words import count_words, listed

if TYPE_CHECKING:
    from fsconsole.app.tree.outlook import Outlook
    from fsconsole.shares.scenario.spec import Scenario

_LEAST_PART_SHOWN = 5e-6
_FILE = "scenario.yaml"


def tree_report(scenario: Scenario, outlook: Outlook, title: str = "") -> Report:
    """Report on a what-if of a scenario's tree; `title` is for scenarios without one."""
    measured = {
        int(node): float(value)
        for node, value in zip(outlook.flat.ids, outlook.measured, strict=True)
        if value == value
    }
    text = write_text(scenario)
    return Report(
        scenario.title or title,
        "Share tree and what-if",
        tuple(_findings(outlook, measured)),
        (
            Section("Share maps", figures=tuple(_maps(outlook))),
            Section("Shares and what-if", tables=(_nodes(outlook, measured),)),
            _flows(outlook),
            provenance({"Digest of the scenario": digest(text)}),
            to_redo((_command(scenario, outlook, measured),), ((_FILE, text),)),
        ),
    )


def _maps(outlook: Outlook) -> Iterator[Figure]:
    """Yield the map of entitlements, and that of resulting parts if demands change them."""
    drawn = [("Entitlement of each node", outlook.result.entitled)]
    if outlook.differs:
        drawn.append(("CPU time of each node", outlook.result.what_if))
    for title, widths in drawn:
        spec = tree_map(outlook.tree, title, widths)
        top = [row for row in range(len(outlook.flat)) if outlook.flat.parent[row] == 0 and row]
        parts = [
            f"{outlook.tree.node(int(outlook.flat.ids[row])).name} {percent(widths[row], 1)}" for row in top
        ]
        yield Figure(spec, f"{title}. Widths are shares of machine: {listed(parts, 12)}.", spec.height_mm)


def _command(scenario: Scenario, outlook: Outlook, measured: Mapping[int, float]) -> str:
    words = ["fsconsole", "tree", "what-if", _FILE]
    stated = dict(outlook.stated)
    if source := next((one for one in scenario.reports if measured and measured == measured_in(one)), None):
        words += ["--report", source.title]
        own = demands_of_report(source)
        stated = dict.fromkeys(own, SATURATED) | stated
        stated = {node: demand for node, demand in stated.items() if demand != own.get(node)}
    for node, demand in stated.items():
        text = "saturated" if demand == SATURATED else f"{100 * demand:.6g}%"
        words += ["--demand", f"{outlook.tree.path(node)}={text}"]
    return " ".join(map(quoted, [*words, "--out", "report.pdf"]))


def _findings(outlook: Outlook, measured: Mapping[int, float]) -> list[str]:
    tree, flat, result = outlook.tree, outlook.flat, outlook.result
    leaves = [row for row in range(len(flat)) if flat.is_leaf[row]]
    groups = count_words(len(flat) - len(leaves), "group")
    found = [f"{count_words(len(leaves), 'leaf', 'leaves')} in {groups}."]
    gains = sorted(outlook.rows.tolist(), key=lambda row: result.entitled[row] - result.what_if[row])
    for row in gains[:3]:
        gain = float(result.what_if[row] - result.entitled[row])
        if gain > _LEAST_PART_SHOWN:
            path = tree.path(int(flat.ids[row]))
            gets = f"{path} gets {percent(result.what_if[row], 3)} of the machine"
            entitled = percent(result.entitled[row], 3)
            found.append(f"{gets}, {fixed(100 * gain, 3)} points above its entitlement of {entitled}.")
    found += outlook.all_left
    differences = {
        node: value - float(result.what_if[flat.row_of[node]])
        for node, value in measured.items()
        if node in flat.row_of
    }
    if differences:
        found.append(measured_sentence(tree, differences))
    return found


def _nodes(outlook: Outlook, measured: Mapping[int, float]) -> Table:
    tree, flat, result = outlook.tree, outlook.flat, outlook.result
    lines = []
    for row in outlook.rows.tolist():
        node = int(flat.ids[row])
        demand = SATURATED if result.wants_more(row) else float(result.demand[row])
        cells = [
            tree.path(node),
            demand_text(demand),
            fixed(100 * result.entitled[row], 3),
            fixed(100 * result.what_if[row], 3),
            signed(100 * (result.what_if[row] - result.entitled[row]), 3),
        ]
        if measured:
            known = measured.get(node)
            cells.append(UNKNOWN if known is None else fixed(100 * known, 3))
        lines.append(tuple(cells))
    headers = ("Node", "Demand", "Entitled, %", "What if, %", "Change, points", "Measured, %")
    note = "Shares of machine. A demand is the most that a node can use."
    return Table("", headers[: 5 + bool(measured)], tuple(lines), note)


def _flows(outlook: Outlook) -> Section:
    paths, flat = outlook.tree.paths(), outlook.flat
    lines = tuple(
        (
            paths[int(flat.ids[flow.giver])],
            "no node" if flow.taker < 0 else paths[int(flat.ids[flow.taker])],
            fixed(100 * flow.amount, 3),
        )
        for flow in outlook.flows
    )
    title = "Surplus handed on"
    if not lines:
        return Section(title, ("None: no node leaves any of its entitlement.",))
    return Section(title, tables=(Table("", ("From", "To", "Points of the machine"), lines, "", 2),))
