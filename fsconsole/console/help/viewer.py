"""The window that shows the pages of docs/, and F1, which opens the page of what has the focus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import join, normpath
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QDesktopServices,
    QGuiApplication,
    QImage,
    QImageReader,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QToolButton,
    QWidget,
)

from fsconsole.console.help.pages import HELP_PAGE, INDEX, Page, pages, picture_of, slug, topic_of
from fsconsole.console.kit.forms import close_buttons
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.resources import documents

_LIST_PX, _SPACE_PX = 250, 16
_WIDTH_PX, _HEIGHT_PX, _AROUND_PX = 1100, 760, 80


class PageBrowser(QTextBrowser):
    """A page whose pictures are as wide as its text at most. It opens no other files than those.

    Signals: widened() when there is another width for pictures.
    """

    widened = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Page")
        self.setOpenLinks(False)

    def loadResource(self, kind: int, url: QUrl | str) -> Any:
        link = QUrl(url).path()
        found = picture_of(self.searchPaths()[0], link) if self.searchPaths() else None
        if kind != QTextDocument.ResourceType.ImageResource.value or found is None:
            picture = QImage(1, 1, QImage.Format.Format_ARGB32)
            picture.fill(Qt.GlobalColor.transparent)
            return picture  # Without a picture, Qt would open the file itself.
        ratio = self.devicePixelRatioF()
        picture = QImageReader(str(found)).read()
        room_px = (
            self.width() - self.verticalScrollBar().sizeHint().width() - 2 * (_SPACE_PX + self.frameWidth())
        )
        most_px = int(room_px * ratio)
        if picture.width() > most_px:
            picture = picture.scaledToWidth(most_px, Qt.TransformationMode.SmoothTransformation)
            picture.setDevicePixelRatio(ratio)
        return picture

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.widened.emit()


class HelpDialog(Dialog):
    """The pages at the left, found by their words, and one of them at the right.

    Attributes:
        shown: the page shown, as links name it.
        heading: the heading at the top, as links name it; empty for the beginning.
    """

    def __init__(self, parent: QWidget | None, topic: str = INDEX) -> None:
        super().__init__("Help", parent, is_kept=True)
        self.shown = self.heading = ""
        self.box = SearchBox("Find in help", self)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Pages found")
        self.list.setMaximumWidth(_LIST_PX)
        self.list.setWordWrap(True)
        self.browser = PageBrowser(self)
        body = hbox(self.list, (self.browser, 1), spacing=8)
        vbox(self.box, (body, 1), close_buttons(self), on=self, margins=(12, 12, 12, 12), spacing=INHERIT)
        self.box.textChanged.connect(self._find)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.browser.anchorClicked.connect(self._follow)
        self._find("")
        room = self.screen().availableSize() - QSize(_AROUND_PX, _AROUND_PX)
        self.resize(QSize(scaled(_WIDTH_PX), scaled(_HEIGHT_PX)).boundedTo(room))
        self.show_page(topic)
        self.browser.widened.connect(self._on_widened)

    def show_page(self, topic: str) -> None:
        """Show `page.md`, or `page.md#heading` from that heading on."""
        path, _, heading = topic.partition("#")
        page = next((one for one in pages() if one.path == path), None)
        if page is None:
            self.browser.setPlainText("This page is not part of the program.")
            return
        if path != self.shown:
            self.shown = path
            self._fill(page)
        self._mark(page)
        self.heading = heading
        self._scroll()

    def _fill(self, page: Page) -> None:
        # A new document, because Markdown keeps the formats of the previous one. The browser gets it at the
        # end: there, it is laid out again after each change of a block.
        document = QTextDocument(self.browser)
        document.setDocumentMargin(_SPACE_PX)
        document.setDefaultFont(self.browser.font())
        document.setMarkdown(page.text)
        _set_spaces(document)
        self.browser.setSearchPaths([str((documents() / page.path).parent)])
        self.browser.setDocument(document)

    def _scroll(self) -> None:
        place = next((block for block in self._headings() if slug(block.text()) == self.heading), None)
        layout, bar = self.browser.document().documentLayout(), self.browser.verticalScrollBar()
        bar.setValue(0 if place is None else int(layout.blockBoundingRect(place).top()))

    @Slot()
    def _on_widened(self) -> None:
        """Read the pictures again where the page has some, for the width that there is now."""
        page = next((one for one in pages() if one.path == self.shown), None)
        if page is not None and "![" in page.text:
            self._fill(page)
        self._scroll()

    def _headings(self) -> Iterator[QTextBlock]:
        return (block for block in _blocks(self.browser.document()) if block.blockFormat().headingLevel())

    def _mark(self, page: Page) -> None:
        """Choose the page in the list, without opening it again."""
        with QSignalBlocker(self.list):
            self.list.setCurrentRow(self._found.index(page) if page in self._found else -1)

    @Slot(str)
    def _find(self, typed: str) -> None:
        self._found = [page for page in pages() if page.holds(typed)]
        with QSignalBlocker(self.list):
            self.list.clear()
            for page in self._found:
                item = QListWidgetItem(page.title, self.list)
                item.setToolTip(page.title)
            if not self._found:
                self.list.addItem(f"No page contains {typed.strip()}.")

    @Slot()
    def _on_chosen(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._found):
            self.show_page(self._found[row].path)

    @Slot(QUrl)
    def _follow(self, url: QUrl) -> None:
        """Open other pages here, everything else in the desktop's browser."""
        if url.scheme():
            QDesktopServices.openUrl(url)
            return
        path = normpath(join(self.shown.rpartition("/")[0], url.path())) if url.path() else self.shown
        self.show_page(f"{path}#{url.fragment()}" if url.hasFragment() else path)


class FocusHelp(QObject):
    """Opens the page of what has the focus: `show`, and F1 in each dialog that is opened."""

    def __init__(self, window: QWidget, current: Callable[[], QWidget | None]) -> None:
        """Make the menu; `current` gives the workspace at the front, which counts where no part of it has the
        focus.
        """
        super().__init__(window)
        self._window, self._current = window, current
        app = QGuiApplication.instance()
        if isinstance(app, QApplication):
            app.focusWindowChanged.connect(self._on_window)

    @Slot()
    def show(self) -> HelpDialog:
        """Open the page of what has the focus."""
        active = QApplication.activeWindow()
        focus = QApplication.focusWidget() or active or self._window
        return self.open(topic_of((*_names(focus), *_names(self._current()))))

    def open(self, topic: str) -> HelpDialog:
        """Open a page in the help window of the active window, if it has one."""
        above = QApplication.activeModalWidget() or self._window
        dialog = above.findChild(HelpDialog)
        if dialog is None:
            dialog = HelpDialog(above, topic)
        else:
            dialog.show_page(topic)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog

    @Slot()
    def _on_window(self) -> None:
        """Give a dialog F1, once: shortcuts of the main window do not reach it."""
        dialog = QApplication.activeWindow()
        if not isinstance(dialog, QDialog) or isinstance(dialog, HelpDialog) or _has_help(dialog):
            return
        QShortcut(QKeySequence(QKeySequence.StandardKey.HelpContents), dialog, self.show)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _set_spaces(document: QTextDocument) -> None:
    """Part paragraphs, and give code its ground: Markdown is read without either."""
    for block in _blocks(document):
        form = block.blockFormat()
        is_code = _is_code(form)
        if form.headingLevel():
            form.setTopMargin(scaled(_SPACE_PX) if block.blockNumber() else 0)
            form.setBottomMargin(scaled(_SPACE_PX) / 2)
        elif is_code:
            form.setNonBreakableLines(False)
            form.setBackground(colour("raised"))
            form.setLeftMargin(scaled(_SPACE_PX))
            form.setTopMargin(0)
            form.setBottomMargin(0 if _is_code(block.next().blockFormat()) else scaled(_SPACE_PX) / 2)
        elif QTextCursor(block).currentTable() is None:
            form.setBottomMargin(scaled(_SPACE_PX) / (2 if block.textList() is None else 4))
        QTextCursor(block).setBlockFormat(form)


def _is_code(form: QTextBlockFormat) -> bool:
    """Return True if Qt has read a block as code, fenced or indented."""
    return form.hasProperty(QTextFormat.Property.BlockCodeLanguage.value)


def _has_help(dialog: QDialog) -> bool:
    keys = QKeySequence(QKeySequence.StandardKey.HelpContents)
    return any(shortcut.key() == keys for shortcut in dialog.findChildren(QShortcut))


def _names(widget: QWidget | None) -> Iterator[str]:
    """Yield the names of a widget and of all around it: its page, action and name, and its own classes."""
    while widget is not None:
        if isinstance(page := widget.property(HELP_PAGE), str):
            yield page
        if isinstance(widget, QToolButton) and (action := widget.defaultAction()) is not None:
            yield action.objectName()
        if widget.objectName():
            yield widget.objectName()
        for kind in type(widget).__mro__:
            if kind.__module__.startswith("fsconsole."):
                yield kind.__name__
        widget = widget.parentWidget()
