"""The page of keys in docs/reference is what the action table says."""

from __future__ import annotations

from fsconsole.console.window import ConsoleWindow
from tools.reference.tables import keys_page
from tools.reference.write import FOLDER, KEYS, actions_of


def test_the_page_of_keys_is_what_the_action_table_says(window: ConsoleWindow) -> None:
    # Renew it with: make reference.
    assert (FOLDER / KEYS).read_text("utf-8") == keys_page(actions_of(window))
