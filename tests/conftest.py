"""What all tests stand on: no display, no settings of the person who runs them, the same examples each time."""

from __future__ import annotations

import os
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything imports Qt

import pytest
from hypothesis import settings

# numba compiles inside the first example, so no deadline; the same examples in every run.
settings.register_profile("house", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("house")

_CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a home of its own, so that no settings, state or cache is read or left behind."""
    home = tmp_path_factory.mktemp("home")
    for variable, folder in {
        "XDG_CONFIG_HOME": ".config",
        "XDG_STATE_HOME": ".local/state",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
        "XDG_RUNTIME_DIR": "run",
    }.items():
        path = home / folder
        path.mkdir(parents=True, mode=0o700)
        monkeypatch.setenv(variable, str(path))
    return home


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["fsconsole"]


@pytest.fixture
def shared() -> Path:
    """Return the folder of real captures and traces that stands beside a developer's checkout."""
    folder = _CHECKOUT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no ../shared beside this checkout: its captures and traces are not part of the project")
    return folder
