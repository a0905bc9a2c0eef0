"""Window in which ssh asks for a password, a code or a yes; ssh starts it as a program of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLineEdit

from fsconsole.console.general_preferences import GeneralPreferences
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.application_style import install_look, use_utf8
from fsconsole.console.widgets.boxes import Gap, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import PlainLabel

_WIDTH_PX = 460
_VISIBLE = re.compile(r"\(yes/no")  # The question about a host key; all else may be a secret.


class AskDialog(Dialog):
    """Shows a question of ssh, which may come from the host, as plain text."""

    def __init__(self, question: str) -> None:
        super().__init__("Log in by ssh", is_kept=True)
        self.question = PlainLabel(question.strip(), self, wraps=True)
        self.answer = QLineEdit(self)
        self.answer.setAccessibleName(question.strip())
        if not _VISIBLE.search(question):
            self.answer.setEchoMode(QLineEdit.EchoMode.Password)
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        vbox(self.question, self.answer, Gap(8), buttons, on=self, margins=(20, 16, 20, 14), spacing=8)
        self.setMinimumWidth(_WIDTH_PX)
        self.answer.setFocus()


def main(arguments: Sequence[str]) -> int:
    """Ask, and print the answer; the exit status is 1 without one."""
    use_utf8()
    app = QApplication(["fsconsole"])
    general = GeneralPreferences.read(Preferences())
    style = install_look(app, general.theme)
    general.apply(app)
    dialog = AskDialog(" ".join(arguments) or "Password:")
    is_answered = dialog.exec() == AskDialog.DialogCode.Accepted
    if is_answered:
        sys.stdout.write(f"{dialog.answer.text()}\n")
        sys.stdout.flush()
    del style
    return 0 if is_answered else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
