"""A plot of a cluster as a figure for paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from fsconsole.console.cluster.observe.events import events_of
from fsconsole.console.cluster.observe.quantities import ClusterQuantity
from fsconsole.figures.spec import Axis, Curve, EventMark, FigureSpec, Provenance
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.slurm.digest import Digest
from fsconsole.targets.slurm.history import ClusterHistory

_DOTS = (1.0, 3.0)


def figure_of(
    quantity: ClusterQuantity,
    history: ClusterHistory,
    digest: Digest,
    tree: ShareTree,
    nodes: Sequence[int],
    style: Callable[[int], CurveStyle],
) -> FigureSpec:
    """All that was read of these nodes; times count from connecting, which the axis names."""
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(history.base_s + history.began_s))
    there = [node for node in nodes if node in tree]
    curves = _curves(quantity.name, history, tree, there, style)
    if quantity.partner:
        curves += [
            Curve(f"{one.name}: share", one.x, one.y, one.colour, _DOTS, f"{one.path} {quantity.partner}")
            for one in _curves(quantity.partner, history, tree, there, style)
        ]
    settings = digest.state.settings
    marks = events_of(digest.state.audit, history.base_s, history.began_s)
    return FigureSpec(
        name=f"{digest.state.name}-{quantity.name.replace('_', '-')}",
        title=f"{digest.state.name}: {quantity.drawn.title}",
        y_axis=quantity.drawn.axis,
        x_axis=Axis(f"time since {began}", "s", 1.0, "s"),
        curves=tuple(curves),
        quantity=quantity.name,
        events=tuple(EventMark(at_s - history.began_s, text) for at_s, text in marks),
        provenance=Provenance(
            scenario=f"Slurm cluster {digest.state.name}",
            settings={} if settings is None else {"slurm_version": settings.version},
            origin=f"read from the cluster since {began}, values to 7 digits",
        ),
    )


def _curves(
    name: str,
    history: ClusterHistory,
    tree: ShareTree,
    nodes: Sequence[int],
    style: Callable[[int], CurveStyle],
) -> list[Curve]:
    times, values = history.readings(name).curves(name, nodes, 0.0, float("inf"))
    made = []
    for node, line in zip(nodes, values, strict=True):
        look = style(node)
        made.append(
            Curve(
                tree.node(node).name,
                times - history.began_s,
                line,
                look.colour_token,
                look.dash,
                tree.path(node),
            )
        )
    return made
