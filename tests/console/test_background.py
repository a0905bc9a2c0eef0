from __future__ import annotations

import pytest

from fsconsole.console import background


def test_an_import_that_met_another_thread_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def once_in_vain(module: str) -> None:
        asked.append(module)
        if len(asked) == 1:
            msg = "partially initialized module"
            raise ImportError(msg)

    monkeypatch.setattr(background, "import_module", once_in_vain)
    monkeypatch.setattr(background, "_WAIT_S", 0.0)
    background.load("json")
    assert asked == ["json", "json"]


def test_a_module_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_WAIT_S", 0.0)
    with pytest.raises(ImportError, match="nowhere"):
        background.load("fsconsole.nowhere")
