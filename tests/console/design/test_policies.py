"""The policy is changed from the menu, and lists of settings are typed with commas."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.policies.registry import POLICIES
from fsconsole.shares.scenario.parameters import PARAMETERS, parsed, written
from fsconsole.shares.scenario.spec import SettingError
from tests.texts import refuses


def test_the_menu_changes_the_policy_of_document_and_machine(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    session = workspace.session
    qtbot.waitUntil(lambda: session.snapshot is not None)
    assert workspace.table.trigger("policy.feedback")
    assert document.settings["policy.name"] == "feedback"
    change = document.changes[0]
    assert (change.names, change.before, change.after) == (
        ("Policy",), "Share, hierarchical", "Hierarchical feedback",
    )  # fmt: skip
    assert workspace.table.qaction("policy.feedback").isChecked()
    assert not workspace.table.qaction("policy.share").isChecked()
    outcomes: list[object] = []
    session.outcome.connect(outcomes.append)
    qtbot.waitUntil(lambda: bool(outcomes))
    document.stack.undo()
    assert document.settings["policy.name"] == "share"


def test_feedback_that_may_hunt_is_warned_of(workspace: DesignWorkspace, document: Document) -> None:
    messages: list[str] = []
    workspace.session.message.connect(messages.append)
    document.set_settings({"policy.nu": 1.001})
    workspace.commands.set_policy("flat")
    assert not any("hunt" in text for text in messages)
    workspace.commands.set_policy("feedback")
    assert [text for text in messages if "nu 1.001" in text and "hunt" in text]


def test_every_policy_is_in_the_menu_with_its_source(workspace: DesignWorkspace) -> None:
    for policy in POLICIES.values():
        action = workspace.table[f"policy.{policy.name}"]
        assert (action.menu, action.text, action.tip) == ("Simulation/Policy", policy.title, policy.source)
    assert "misprint" in POLICIES["exponential"].title


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("policy.k_mu", "0.5, 0.7", (0.5, 0.7)),
        ("policy.level_half_lives_s", "7 d, 8 h", (604_800.0, 28_800.0)),
        ("policy.level_half_lives_s", "", ()),
        ("machine.calendar", "mon-fri 08:00-18:00 1, daily 0.25", ("mon-fri 08:00-18:00 1", "daily 0.25")),
    ],
)
def test_lists_are_typed_with_commas(key: str, text: str, value: object) -> None:
    parameter = next(one for one in PARAMETERS if one.key == key)
    assert parsed(parameter, text) == value
    assert written(parameter, value) == text


def test_a_list_that_cannot_be_says_what_would_be_right() -> None:
    parameter = next(one for one in PARAMETERS if one.key == "policy.k_mu")
    with refuses(
        SettingError, "shares.scenario.is-not-allowed-it-must", shown="'[0.5, much]'", value="a number"
    ):
        parsed(parameter, "0.5, much")
