"""The console's questions about files: one small class, so that tests can answer in place of the user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from PySide6.QtWidgets import QFileDialog, QWidget

from fsconsole.console.widgets.dialog import MessageBox
from fsconsole.shares.files import is_there
from fsconsole.shares.scenario.problems import Problem
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed, plural

Answer = Literal["save", "discard", "cancel"]
Overwrite = Literal["save_as", "overwrite", "cancel"]

_SHOWN_LINES = 12
_SHOWN_BRANCHES = 4
RUN_SUFFIX = ".run"


class Questions:
    """Dialogs over a window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def file_to_open(self, title: str, folder: Path, filters: Sequence[str]) -> Path | None:
        """Return a file that exists; None for none."""
        name, _ = QFileDialog.getOpenFileName(self._window, title, str(folder), ";;".join(filters))
        return Path(name) if name else None

    def files_to_open(self, title: str, folder: Path, filters: Sequence[str]) -> list[Path]:
        """Ask for existing files to be read as one; empty for none."""
        names, _ = QFileDialog.getOpenFileNames(self._window, title, str(folder), ";;".join(filters))
        return [Path(name) for name in names]

    def run_to_open(self, folder: Path) -> Path | None:
        """Return a run folder that exists; None for none."""
        name = QFileDialog.getExistingDirectory(
            self._window, f"Open run (a folder NAME{RUN_SUFFIX})", str(folder)
        )
        return Path(name) if name else None

    def file_to_save(self, title: str, suggested: Path, filters: Sequence[str]) -> tuple[Path, int] | None:
        """Return a place to write to and the number of the filter chosen; None for none."""
        dialog = QFileDialog(self._window, title, str(suggested.parent))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(filters))
        dialog.selectFile(suggested.name)
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(_first_suffix(chosen)))
        dialog.setDefaultSuffix(_first_suffix(filters[0]))
        accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
        names, chosen = dialog.selectedFiles(), dialog.selectedNameFilter()
        dialog.deleteLater()
        if not accepted or not names:
            return None
        return Path(names[0]), list(filters).index(chosen) if chosen in filters else 0

    def run_folder(self, title: str, suggested: Path) -> Path | None:
        """Return a run folder to write, which replaces one that is there if that was agreed to; None for
        none.
        """
        name, _ = QFileDialog.getSaveFileName(
            self._window, title, str(suggested), f"Run folders (*{RUN_SUFFIX})",
            options=QFileDialog.Option.DontConfirmOverwrite,
        )  # fmt: skip
        if not name:
            return None
        path = Path(name)
        path = path if path.suffix == RUN_SUFFIX else path.with_name(f"{path.name}{RUN_SUFFIX}")
        return path if not is_there(path) or self.replace_run(path) else None

    def branch_folder(self, folder: Path, document: str, number: int) -> Path | None:
        """Return a run folder to write a branch into, proposed beside the document; None for none."""
        return self.run_folder(
            f"Save branch {number} as run", folder / f"{Path(document).stem}-branch-{number}.run"
        )

    def replace_run(self, path: Path) -> bool:
        """Return True if an existing run folder may be replaced."""
        return self._may(
            f"Replace {path.name}?", f"The run in {path} is lost. This cannot be undone.", "&Replace"
        )

    def save_changes(self, name: str, machine: str, typed: Sequence[str] = ()) -> Answer:
        """Ask what to do with unsaved changes before the document is closed; `save` enters `typed` ones."""
        return self._ask(
            f"Save the changes to {name}?",
            f"The simulated {machine} runs it. If you do not save, its changes are lost.",
            save="&Save",
            discard="&Discard changes",
            typed=typed,
        )

    def leave_notes(self, name: str, count: int) -> Answer:
        """Ask what to do with notes that no run folder has; `save` is to export them."""
        return self._ask(
            f"Keep {count_words(count, 'note')} on {name}?",
            "The run was not recorded into a run folder.",
            save="&Export notes…",
            discard="&Discard notes",
        )

    def leave_branches(self, name: str, branches: Sequence[str]) -> Answer:
        """Ask what to do with branches that no run folder has before they are closed."""
        count = len(branches)
        return self._ask(
            f"Save {listed(branches, _SHOWN_BRANCHES)} of {name}?",
            plural(
                count, "It is not in a run folder. If you do not save it, it is lost.",
                "They are not in a run folder. If you do not save them, they are lost.",
            ),
            save=plural(count, "&Save branch…", "&Save branches…"),
            discard=plural(count, "&Discard branch", "&Discard branches"),
        )  # fmt: skip

    def leave_staged(self, cluster: str, count: int, typed: Sequence[str] = ()) -> Answer:
        """Ask what to do with staged edits before the cluster is closed; `save` is to apply them."""
        return self._ask(
            plural(
                count,
                f"1 change was not applied to {cluster}.",
                f"{thousands(count)} changes were not applied to {cluster}.",
            ),
            "Discarded changes are lost.",
            save="&Apply…",
            discard="&Discard changes",
            typed=typed,
        )

    def discard_staged(self, cluster: str, count: int, typed: Sequence[str] = ()) -> bool:
        """Return True if edits of a capture, to which nothing can be applied, may be discarded."""
        return self._may(
            f"Discard {count_words(count, 'change')} of {cluster}?",
            plural(
                count,
                "A capture folder cannot be changed. Discard it?",
                "A capture folder cannot be changed. Discard them?",
            ),
            "&Discard changes",
            typed,
        )

    def leave_applying(self, cluster: str) -> bool:
        """Return True if a cluster may be left while changes are being applied to it."""
        return self._may(
            f"Changes are being applied to {cluster}. Leave now?",
            "Started commands finish; the rest are skipped. The results are not verified.",
            "Leave",
        )

    def leave_groups(self, root: str, *, is_armed: bool) -> Answer:
        """Ask what to do with applied control groups before the tree is closed; `save` is to release them."""
        more = (
            "If left in force, they keep their weights and processes. The next start offers to release them."
        )
        if not is_armed:
            more = f"{more} The console is read-only: Release changes the machine although it is not armed."
        return self._ask(
            f"Release the groups of {root} on this machine?",
            more,
            save="&Release",
            discard="&Leave in force",
        )

    def release_groups(self, roots: Sequence[str]) -> bool:
        """Return True if groups that an earlier console left may be released."""
        return self._may(
            f"Release the groups of {listed(roots)} on this machine?",
            "Processes go back to their earlier groups, and earlier weights are restored.",
            "&Release",
        )

    def lose_comments(self, name: str, lines: Sequence[int]) -> bool:
        """Return True if the comments of the file may be dropped; a copy of it is kept."""
        where = listed(lines, _SHOWN_LINES)
        answer = self._ask(
            plural(
                len(lines),
                f"Save {name} without its comments in line {where}?",
                f"Save {name} without its comments in lines {where}?",
            ),
            f"Only the comment at the top of the file is kept. The old file is kept beside it as {name}.bak.",
            save="Save without comments",
        )
        return answer == "save"

    def overwrite_changed(self, name: str) -> Overwrite:
        """Ask what to do about a file that another program has changed."""
        answer = self._ask(
            f"Another program changed {name} since it was opened. Overwrite it?",
            "Save as… keeps both.",
            save="Save &as…",
            discard="&Overwrite",
        )
        return "save_as" if answer == "save" else "overwrite" if answer == "discard" else "cancel"

    def discard_copy(self, name: str) -> bool:
        """Return True if the copy of an unsaved document may be discarded."""
        return self._may(
            f"Discard the copy of {name}?",
            "The unsaved changes are lost. This cannot be undone.",
            "Discard copy",
        )

    def locate_or_remove(self, path: Path) -> Literal["locate", "remove", "cancel"]:
        """Ask what to do about a recent file that was not found."""
        answer = self._ask(
            f"{path.name} was not found.",
            f"It was at {path.parent}.",
            save="Locate…",
            discard="Remove from the list",
        )
        return "locate" if answer == "save" else "remove" if answer == "discard" else "cancel"

    def show_problems(self, name: str, problems: Sequence[Problem], heading: str) -> None:
        """Show all problems of a file."""
        from fsconsole.console.files.problems_dialog import ProblemsDialog

        ProblemsDialog(name, problems, heading, self._window).open()

    def _may(self, text: str, more: str, discard: str, typed: Sequence[str] = ()) -> bool:
        return self._ask(text, more, discard=discard, typed=typed) == "discard"

    def _ask(
        self, text: str, more: str, *, save: str = "", discard: str = "", typed: Sequence[str] = ()
    ) -> Answer:
        """Ask with one or two buttons, `save` the default, and Cancel; that is the default without it.

        `typed` are places of half typed changes among those that it is about.
        """
        if typed:
            more = f"{more} What is half typed in {listed(typed)} counts as a change."
        box = MessageBox(self._window, text, more)
        role = MessageBox.ButtonRole
        labels: tuple[tuple[str, Answer, MessageBox.ButtonRole], ...] = (
            (save, "save", role.AcceptRole),
            (discard, "discard", role.DestructiveRole),
        )
        buttons = {answer: box.addButton(label, role) for label, answer, role in labels if label}
        cancel = box.add("Cancel", role.RejectRole)
        box.setDefaultButton(buttons.get("save", cancel))
        box.exec()
        clicked = box.clickedButton()
        box.deleteLater()
        return next((answer for answer, button in buttons.items() if button is clicked), "cancel")


def _first_suffix(name_filter: str) -> str:
    """Return the first suffix in "Scenario (*.yaml *.yml)", without the dot."""
    return name_filter.partition("(*.")[2].split(" ")[0].rstrip(")")
