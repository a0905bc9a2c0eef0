"""Trees and demands for rules of other schedulers."""

from __future__ import annotations

from fsconsole.app.tree.elsewhere.rule import Asked, Division, Rule
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.formats.kueue import FORMAT
from fsconsole.shares.saturation import saturated, wanted_of, with_stated
from fsconsole.shares.tree import ShareTree

Object = tuple[str, str, str | None, str, float | None]


def asked(tree: ShareTree, demands: dict[str, float] | None = None, size: int | None = None) -> Asked:
    """Demands by name; all others are saturated."""
    flat = FlatTree.of(tree)
    ids = {node.name: node.id for node in tree.walk()}
    stated = {ids[name]: demand for name, demand in (demands or {}).items()}
    return Asked(tree, flat, wanted_of(flat, with_stated(flat, saturated(flat), stated)), size)


def by_name(of: Asked, division: Division, size: float = 1.0) -> dict[str, float]:
    """What each node gets, of `size` units."""
    tree = of.tree
    return {
        tree.node(node).name: float(division.parts[row]) * size
        for row, node in enumerate(of.flat.ids.tolist())
    }


def divided(
    rule: Rule, tree: ShareTree, demands: dict[str, float] | None = None, size: int | None = None
) -> dict[str, float]:
    """What a rule gives each node, in parts of the machine, or units where there is a size."""
    of = asked(tree, demands, size)
    return by_name(of, rule.divide(of), size or 1.0)


def kueue(*objects: Object) -> ShareTree:
    """A tree of (kind, name, parent, nominal CPU quota or nothing, weight)."""
    texts = []
    for kind, name, parent, quota, weight in objects:
        lines = [
            "apiVersion: kueue.x-k8s.io/v1beta2",
            f"kind: {kind}",
            f"metadata: {{name: {name}}}",
            "spec:",
        ]
        if parent:
            lines.append(f"  {'parentName' if kind == 'Cohort' else 'cohortName'}: {parent}")
        if weight is not None:
            lines.append(f"  fairSharing: {{weight: {weight}}}")
        if quota:
            resource = f"{{name: cpu, {quota}}}"
            lines.append("  resourceGroups:")
            lines.append("  - coveredResources: [cpu]")
            lines.append(f"    flavors: [{{name: default, resources: [{resource}]}}]")
        texts.append("\n".join(lines))
    return FORMAT.read("---\n".join(f"{text}\n" for text in texts)).tree
