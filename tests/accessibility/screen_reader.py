"""The console as a screen reader has it: walked and used through AT-SPI, from another process.

Runs under the system's Python, which has pyatspi; `make test-accessibility` starts it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyatspi  # type: ignore[import-not-found]
from gi.repository import Atspi  # type: ignore[import-not-found]

_PATIENCE_S = 180.0
_LOOK_S = 0.2
_CALL_MS = 60_000
_WORKSPACES = ("Design", "Observe", "Operate", "Analyse")
_EXAMPLE = "Two organisations"
# A name in a scenario, in which a screen reader must hear each sign.
_HOSTILE = "EVIL <b>R&D"
_TABLES = (pyatspi.ROLE_TABLE, pyatspi.ROLE_TREE, pyatspi.ROLE_TREE_TABLE, pyatspi.ROLE_LIST)
_INTERACTIVE = (
    *_TABLES,
    pyatspi.ROLE_COMBO_BOX,
    pyatspi.ROLE_PUSH_BUTTON,
    pyatspi.ROLE_CHECK_BOX,
    pyatspi.ROLE_RADIO_BUTTON,
    pyatspi.ROLE_SPIN_BUTTON,
    pyatspi.ROLE_SLIDER,
    pyatspi.ROLE_PAGE_TAB,
    pyatspi.ROLE_CHART,
)


class Console:
    """A console that runs, and the objects it gives to assistive technology."""

    def __init__(self, home: Path, *command: str) -> None:
        names = ("CONFIG_HOME", "STATE_HOME", "DATA_HOME", "CACHE_HOME")
        folders = {f"XDG_{name}": str(home / name.lower()) for name in names}
        self._process = subprocess.Popen(command, env=os.environ | folders | {"HOME": str(home)})
        self.seen = 0

    def __enter__(self) -> Console:
        wait_for("the console", self._application)
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.terminate()
        self._process.wait(30)

    def _application(self) -> Any:
        if self._process.poll() is not None:
            sys.exit(f"The console ended with status {self._process.returncode}.")
        desktop = pyatspi.Registry.getDesktop(0)
        return next((one for one in _children(desktop) if one.name == "fsconsole"), None)

    def objects(self) -> Iterator[Any]:
        """Yield all objects, those inside of tables left out."""
        yield from _below(self._application())

    def find(self, role: int, *, name: str = "", about: str = "", showing: bool = True) -> Any:
        """Return the first object with a role, and with a name or a description; None without one."""
        for one in self.objects():
            if one.getRole() != role or (name and one.name != name) or (about and one.description != about):
                continue
            if not showing or _has(one, pyatspi.STATE_SHOWING):
                return one
        return None

    def press(self, role: int, name: str, *, showing: bool = True) -> None:
        """Press an object as soon as it is there and enabled."""

        def there() -> Any:
            found = self.find(role, name=name, showing=showing)
            return found if found is not None and _has(found, pyatspi.STATE_ENABLED) else None

        found = wait_for(f"'{name}' to press", there)
        actions = found.queryAction()
        names = [actions.getName(at) for at in range(actions.nActions)]
        actions.doAction(names.index("Press"))

    def unnamed(self) -> list[str]:
        """Return the objects in sight that can be used and say nothing of themselves."""
        found = []
        for one in self.objects():
            if one.getRole() not in _INTERACTIVE or not _has(one, pyatspi.STATE_SHOWING):
                continue
            self.seen += 1
            is_choice = one.getRole() == pyatspi.ROLE_COMBO_BOX
            if not (_is_labelled(one) if is_choice else one.name or one.description):
                found.append(f"{one.getRoleName()} in {' < '.join(_path(one))}")
        return found


def wait_for(what: str, found: Callable[[], Any]) -> Any:
    """Return the result once it is found; the program ends if it does not come."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        if result := found():
            return result
        time.sleep(_LOOK_S)
    sys.exit(f"Waited {_PATIENCE_S:.0f} s for {what}.")


def _children(one: Any) -> Iterator[Any]:
    for at in range(one.childCount):
        child = one.getChildAtIndex(at)
        if child is not None:
            yield child


def _below(one: Any) -> Iterator[Any]:
    one.clear_cache()  # this program does not listen to what changes
    yield one
    if one.getRole() not in _TABLES:
        for child in _children(one):
            yield from _below(child)


def _has(one: Any, state: int) -> bool:
    return bool(one.getState().contains(state))


def _is_labelled(one: Any) -> bool:
    """Return True if a choice says what is chosen: its name is the choice itself."""
    kinds = [relation.getRelationType() for relation in one.getRelationSet()]
    return bool(one.description) or pyatspi.RELATION_LABELLED_BY in kinds


def _path(one: Any) -> list[str]:
    names: list[str] = []
    while one is not None and len(names) < 4:
        one = one.parent
        if one is not None and one.name:
            names.append(one.name)
    return names


def _run_and_read_the_clock(console: Console) -> str:
    """Open an example, press Run, and return what the clock shows once it goes."""
    console.press(pyatspi.ROLE_MENU_ITEM, _EXAMPLE, showing=False)
    title = "two-organisations.yaml - fsconsole"
    wait_for(title, lambda: console.find(pyatspi.ROLE_FRAME, name=title))
    console.press(pyatspi.ROLE_CHECK_BOX, "Observe")

    def clock() -> str:
        label = console.find(pyatspi.ROLE_LABEL, about="Simulated clock")
        return "" if label is None else str(label.name)

    before = wait_for("the clock", clock)
    if before != "00:00:00":
        sys.exit(f"The clock shows {before} before Run is pressed.")
    console.press(pyatspi.ROLE_PUSH_BUTTON, "Run")
    return str(wait_for("the clock to go", lambda: now if (now := clock()) > before else ""))


def _read_plot_as_table(console: Console) -> str:
    """Open the table of a plot, and return its title, its size and its first cells."""

    def plot() -> Any:
        return next((one for one in console.objects() if one.name == "Plot of CPU rate"), None)

    wait_for("the plot", plot).queryComponent().grabFocus()
    console.press(pyatspi.ROLE_MENU_ITEM, "Show as table…", showing=False)
    dialog = wait_for("the table", lambda: console.find(pyatspi.ROLE_DIALOG, name="Show as table"))
    found = next(one for one in _below(dialog) if one.getRole() == pyatspi.ROLE_TABLE)
    table = found.queryTable()
    first = [table.getAccessibleAt(0, column).name for column in range(min(table.nColumns, 3))]
    if first[0] != "smallest" or not all(first):
        sys.exit(f"The table of {found.name} begins with {first}.")
    return f"{found.name}: {table.nRows} rows, {table.nColumns} columns, first {', '.join(first)}"


def _read_hostile_names(home: Path) -> str:
    """Open a scenario whose names hold tags, and return in how many objects they were read as they are."""
    text = Path("example_trees/two-organisations.yaml").read_text(encoding="utf-8")
    for name in ("Two organisations", "One processor"):
        text = text.replace(f": {name}\n", f": {name} {_HOSTILE}\n")
    text = text.replace("name: A\n", f'name: "A {_HOSTILE}"\n').replace("[A, B,", f'["A {_HOSTILE}", B,')
    file = home / "evil.yaml"
    file.write_text(text, encoding="utf-8")
    seen, faults = 0, list[str]()
    with Console(home, sys.argv[1], "open", str(file)) as console:
        wait_for("the window", lambda: console.find(pyatspi.ROLE_FRAME, name="evil.yaml - fsconsole"))
        for workspace in _WORKSPACES:
            console.press(pyatspi.ROLE_CHECK_BOX, workspace)
            words = [word for one in console.objects() for word in (one.name, one.description)]
            hostile = [word for word in words if word and "EVIL" in word]
            seen += len(hostile)
            faults += [word for word in hostile if _HOSTILE not in word]
    if faults or not seen:
        sys.exit("\n".join(["Not read as they are:", *dict.fromkeys(faults)]))
    return f"Read names with tags as they are in {seen} texts."


def main() -> None:
    """Do it, and say what was done; the status is 1 where something is missing."""
    Atspi.set_timeout(_CALL_MS, _CALL_MS)
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="fsconsole-") as home:
        print(_read_hostile_names(Path(home)))
    folder = tempfile.TemporaryDirectory(prefix="fsconsole-")
    with folder as home, Console(Path(home), sys.argv[1]) as console:
        clock = _run_and_read_the_clock(console)
        print(f"Opened {_EXAMPLE}, pressed Run: the clock shows {clock}.")
        console.press(pyatspi.ROLE_PUSH_BUTTON, "Pause")
        table = _read_plot_as_table(console)
        print(f"Read a plot as a table. {table}.")
        faults += console.unnamed()
        console.press(pyatspi.ROLE_PUSH_BUTTON, "Close")
        for workspace in _WORKSPACES:
            console.press(pyatspi.ROLE_CHECK_BOX, workspace)
            faults += [f"{workspace}: {one}" for one in console.unnamed()]
        print(f"Looked at {console.seen} objects that can be used, in {len(_WORKSPACES)} workspaces.")
    if faults:
        sys.exit("\n".join(["Without a name:", *dict.fromkeys(faults)]))


if __name__ == "__main__":
    main()
