"""What a dock shows besides its content: nothing there, loading, an error."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from fsconsole.console.connections import once
from fsconsole.console.style import icons
from fsconsole.console.style.sizes import keep_height, tall
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel

LINE_AFTER_MS = 300
TEXT_AFTER_MS = 2000
STRIP_HEIGHT = 28
LINE_HEIGHT = 2

Run = Callable[[], object]


class EmptyNotice(QWidget):
    """One muted sentence and at most one button in the middle of the content; headers stay visible."""

    def __init__(self, content: QWidget) -> None:
        self._place = content.viewport() if isinstance(content, QAbstractScrollArea) else content
        super().__init__(self._place)
        self._run: Run | None = None
        self._sentence = MutedLabel("", self, "base", wraps=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._button = QPushButton(self)
        self._button.clicked.connect(self._on_clicked)
        button = (self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        vbox(STRETCH, self._sentence, button, STRETCH, on=self, margins=None, spacing=INHERIT)
        self._place.installEventFilter(self)
        self.hide()

    def say(self, sentence: str, button: str = "", run: Run | None = None) -> None:
        """Show the notice; the button appears when it has a word."""
        self._sentence.setText(sentence)
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self._run = run
        self.setGeometry(self._place.rect())
        self.show()
        self.raise_()

    def _on_clicked(self) -> None:
        if self._run is not None:
            self._run()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and not self.isHidden():
            self.setGeometry(self._place.rect())
        return super().eventFilter(watched, event)


class LoadingStrip(QWidget):
    """Two px of accent after 300 ms; after 2 s also words and Cancel, and the old content is muted."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self._cancel: Run | None = None
        self._text = MutedLabel("", self)
        self._button = QPushButton("Cancel", self)
        self._button.clicked.connect(self._cancelled)
        hbox((self._text, 1), self._button, on=self, margins=(10, LINE_HEIGHT, 6, 0), spacing=INHERIT)
        self._line_timer = once(self, LINE_AFTER_MS, self._show_line)
        self._text_timer = once(self, TEXT_AFTER_MS, self._show_text)
        self.hide()

    def start(self, text: str, cancel: Run | None) -> None:
        """Show that loading has begun; a later start only changes the words."""
        self._text.setText(text)
        self._cancel = cancel
        self._button.setVisible(cancel is not None)
        if self.isHidden() and not self._line_timer.isActive():
            self._line_timer.start()
            self._text_timer.start()

    def finish(self) -> None:
        """Finish: show the content as usual."""
        self._line_timer.stop()
        self._text_timer.stop()
        self.hide()
        self._content.setEnabled(True)

    def _show_line(self) -> None:
        self._text.hide()
        self._button.hide()
        self.setFixedHeight(LINE_HEIGHT)
        self.show()

    def _show_text(self) -> None:
        self._text.show()
        self._button.setVisible(self._cancel is not None)
        keep_height(self, STRIP_HEIGHT)
        self._content.setEnabled(False)

    def _cancelled(self) -> None:
        self.finish()
        if self._cancel is not None:
            self._cancel()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(0, 0, self.width(), LINE_HEIGHT, colour("accent"))


class ErrorStrip(QWidget):
    """28 px of dangerbg: icon, sentence, Retry, Details."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keep_height(self, STRIP_HEIGHT)
        self._sentence = PlainLabel("", self)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._runs: dict[str, Run | None] = {}
        layout = hbox((self._sentence, 1), on=self, margins=(32, 0, 6, 0), spacing=4)
        self._buttons = {name: self._add_button(layout, name) for name in ("Retry", "Details")}
        self.hide()

    @property
    def text(self) -> str:
        """Sentence that is shown."""
        return self._sentence.text()

    def say(self, sentence: str, retry: Run | None, details: Run | None) -> None:
        """Show the strip; a button appears for what can be done."""
        self._sentence.setText(sentence)
        self._sentence.setToolTip(sentence)
        self.setAccessibleName(sentence)
        self._runs = {"Retry": retry, "Details": details}
        for name, button in self._buttons.items():
            button.setVisible(self._runs[name] is not None)
        self.show()

    def _add_button(self, layout: QHBoxLayout, name: str) -> QPushButton:
        button = QPushButton(name, self)
        button.setObjectName(name)
        button.clicked.connect(self._on_clicked)
        layout.addWidget(button)
        return button

    def _on_clicked(self) -> None:
        name = self.sender().objectName()
        if name == "Retry":
            self.hide()
        run = self._runs.get(name)
        if run is not None:
            run()

    def sizeHint(self) -> QSize:
        return QSize(200, tall(STRIP_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("dangerbg"))
            icons.draw_icon(painter, "warning", "danger", self.rect().adjusted(10, 0, 0, 0))
