"""Hook of hatchling: a wheel or a source archive carries the commit that it is built of."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The package is not installed where it is built.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fsconsole.resources import COMMIT, commit_of


class CommitHook(BuildHookInterface[Any]):
    """Adds the file to all that is built but an editable install, which is the checkout itself."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file beside what is built, and name it."""
        if version == "editable" or not (commit := commit_of(Path(self.root) / "fsconsole")):
            return
        self._folder = TemporaryDirectory()
        place = Path(self._folder.name) / COMMIT
        place.write_text(f"{commit}\n", "ascii")
        build_data["force_include"][str(place)] = f"fsconsole/{COMMIT}"
