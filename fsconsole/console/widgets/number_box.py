"""A field for a number, which takes a comma for a point."""

from __future__ import annotations

from PySide6.QtWidgets import QDoubleSpinBox


class NumberBox(QDoubleSpinBox):
    """A spin box of numbers with a decimal point; a comma that is typed or pasted becomes one.

    Without it, Qt leaves out the sign that is not the decimal point, so that 0,5 would become 5.
    """

    def validate(self, text: str, at: int) -> object:
        """Take a comma for a point."""
        return super().validate(text.replace(",", "."), at)

    def valueFromText(self, text: str) -> float:
        # Accept a comma as decimal point.
        return super().valueFromText(text.replace(",", "."))
