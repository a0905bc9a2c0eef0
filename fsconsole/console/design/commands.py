"""Design's rows of the action table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.policies.registry import POLICIES
from fsconsole.targets.base import MACHINE

if TYPE_CHECKING:
    from fsconsole.console.design.workspace import DesignWorkspace

# What the table and the map show on a right click; an empty id is a rule.
NODE_MENU = (
    "rename_node",
    "add_user",
    "add_group",
    "duplicate_node",
    "remove_node",
    "",
    "cut_nodes",
    "copy_nodes",
    "paste_nodes",
    "",
    "move_up",
    "move_down",
    "move_out",
    "move_in",
    "",
    "why",
    "zoom_map",
    "expand_all",
    "collapse_all",
)
TREE_KEYS = NODE_MENU[: NODE_MENU.index("zoom_map")]
MAP_KEYS = (
    "rename_node",
    "add_user",
    "add_group",
    "duplicate_node",
    "remove_node",
    "cut_nodes",
    "copy_nodes",
    "paste_nodes",
    "move_up",
    "move_down",
    "border_left",
    "border_right",
)


def design_actions(design: DesignWorkspace) -> list[Action]:
    """All rows; the keys of nodes act in the table and the map alone."""
    return [
        *_node_actions(design),
        *_place_actions(design),
        *_view_actions(design),
        *(replace(action, needs=MACHINE) for action in _machine_actions(design)),
        *(replace(action, needs=MACHINE) for action in _what_if_actions(design)),
    ]


def _on_nodes(
    design: DesignWorkspace,
    action_id: str,
    text: str,
    run: Callable[[], object],
    keys: tuple[str, ...] = (),
    icon: str = "",
    group: str = "nodes",
) -> Action:
    """An action that needs a selected node other than the root."""
    return Action(
        action_id, text, design.unless_editing(run), keys=keys, icon=icon, menu="Edit", group=group,
        enabled=lambda: design.editing.has_nodes, why_not=lambda: "Select a node other than the root",
        words="node tree", local=True,
    )  # fmt: skip


def _on_tree(
    design: DesignWorkspace, action_id: str, text: str, run: Callable[[], object], key: str, icon: str = ""
) -> Action:
    """An action that needs an open document."""
    return Action(
        action_id, text, design.unless_editing(run), keys=(key,) if key else (), icon=icon, menu="Edit",
        group="nodes", enabled=lambda: design.editing.has_document, why_not=lambda: "Nothing is open",
        words="node tree", local=True,
    )  # fmt: skip


def _node_actions(design: DesignWorkspace) -> list[Action]:
    editing = design.editing
    return [
        _on_tree(design, "rename_node", "Re&name or edit cell", design.edit_cell, "F2"),
        _on_tree(design, "add_user", "Add &user", editing.add_user, "Ins", "add-user"),
        _on_tree(design, "add_group", "Add &group", editing.add_group, "Shift+Ins", "add-group"),
        _on_nodes(design, "duplicate_node", "&Duplicate", editing.duplicate, ("Ctrl+D",)),
        _on_nodes(design, "remove_node", "Remo&ve", editing.remove, ("Del",), "delete"),
        _on_nodes(design, "cut_nodes", "Cu&t", editing.cut, ("Ctrl+X",), group="clipboard"),
        _on_nodes(design, "copy_nodes", "&Copy", editing.copy, ("Ctrl+C",), group="clipboard"),
        _on_tree(design, "paste_nodes", "&Paste", editing.paste, "Ctrl+V"),
    ]


def _place_actions(design: DesignWorkspace) -> list[Action]:
    editing, share_map = design.editing, design.share_map
    return [
        _on_nodes(design, "move_up", "Move up", editing.move_up, ("Alt+Up",), group="place"),
        _on_nodes(design, "move_down", "Move down", editing.move_down, ("Alt+Down",), group="place"),
        _on_nodes(design, "move_out", "Move out of group", editing.move_out, ("Alt+Left",), group="place"),
        _on_nodes(design, "move_in", "Move into group above", editing.move_in, ("Alt+Right",), group="place"),
        _on_nodes(
            design,
            "border_left",
            "Move right border left",
            lambda: share_map.move_right_border(-1),
            ("Alt+Left",),
            group="borders",
        ),
        _on_nodes(
            design,
            "border_right",
            "Move right border right",
            lambda: share_map.move_right_border(1),
            ("Alt+Right",),
            group="borders",
        ),
    ]


def _view_actions(design: DesignWorkspace) -> list[Action]:
    def has_document() -> bool:
        return design.editing.has_document

    return [
        Action(
            "find_node", "&Find node", design.find_node, keys=("Ctrl+F",), icon="search", menu="Edit",
            group="find", enabled=has_document, local=True,
        ),
        Action(
            "expand_all", "Expand all", design.expand_all, menu="View", group="tree", enabled=has_document
        ),
        Action(
            "collapse_all", "Collapse all", design.collapse_all, menu="View", group="tree",
            enabled=has_document,
        ),
        Action(
            "zoom_map", "Zoom map to node", design.zoom_map, menu="View", group="tree",
            enabled=lambda: bool(design.session.selection), why_not=lambda: "Select a group",
            words="share map",
        ),
    ]  # fmt: skip


def _machine_actions(design: DesignWorkspace) -> list[Action]:
    def has_document() -> bool:
        return design.editing.has_document

    return [
        Action(
            "parameters", "Para&meters…", design.ask_parameters, icon="settings", menu="Simulation",
            group="parameters", tip="Constants of machine and policy", enabled=has_document,
            words="half-life settings constants",
        ),
        *_policies(design),
        Action(
            "simulate", "S&imulate", design.simulate, icon="run", menu="Simulation", group="run",
            tip="Run the machine and look at the plots", enabled=has_document,
        ),
    ]  # fmt: skip


def _policies(design: DesignWorkspace) -> list[Action]:
    """One choice per policy; a running machine goes over to it at its next delta, with all usages."""
    return [
        Action(
            f"policy.{policy.name}", policy.title, partial(design.set_policy, policy.name),
            menu="Simulation/Policy", tip=policy.source, enabled=lambda: design.editing.has_document,
            checked=partial(design.has_policy, policy.name), choice="policy", words="policy scheduler",
        )
        for policy in POLICIES.values()
    ]  # fmt: skip


def _what_if_actions(design: DesignWorkspace) -> list[Action]:
    what_if = design.what_if
    return [
        Action(
            "show_what_if", "What if", design.show_what_if, menu="View", group="tree",
            enabled=lambda: design.editing.has_document, words="demand saturated idle surplus",
        ),
        Action(
            "keep_demands", "Keep demands as report…", design.ask_to_keep_demands, menu="Edit",
            group="demands", enabled=lambda: what_if.can_keep,
            why_not=lambda: "Type a demand in What if first", words="what if save demand report",
        ),
        Action(
            "forget_demands", "Forget typed demands", lambda: what_if.choose(what_if.source), menu="Edit",
            group="demands", enabled=lambda: what_if.has_typed, why_not=lambda: "No demand was typed in",
            words="what if",
        ),
    ]  # fmt: skip
