"""One format of numbers and dates in fields, plots and messages, whatever the locale of the session is."""

from __future__ import annotations

import locale

from PySide6.QtCore import QLocale


def install_formats() -> None:
    """Let Qt and C read and write numbers with a point and without separators, and dates in English.

    Call it once the application is there: Qt sets the locale of the C library from the environment then.
    """
    plain = QLocale.c()
    plain.setNumberOptions(
        QLocale.NumberOption.OmitGroupSeparator | QLocale.NumberOption.RejectGroupSeparator
    )
    QLocale.setDefault(plain)
    for category in (locale.LC_NUMERIC, locale.LC_TIME):
        locale.setlocale(category, "C")
