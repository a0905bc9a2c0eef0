"""The claims of an experiment: a row over all columns each, and under it a row per number."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QIcon

from fsconsole.console.analyse.two_levels import NOWHERE, Index, TwoLevelModel
from fsconsole.console.style import icons
from fsconsole.console.style.theme import colour, theme
from fsconsole.experiments.claims import WORDS, Claim, Verdict, format_probability, numbers
from fsconsole.experiments.origins import OriginKind
from fsconsole.text.numbers import UNKNOWN, fixed, full, signed

_Role = Qt.ItemDataRole
TEXT, EXPECTED, MEASURED, TOLERANCE, VERDICT = range(5)
_HEADERS = ("Claim", "Expected", "Measured", "Tolerance", "Verdict")
COPIED_HEADERS = (
    "Claim",
    "Of",
    "Expected",
    "Measured",
    "Tolerance",
    "Verdict",
    "p",
    "Source of the expected value",
)
_TOKENS: dict[Verdict, str] = {
    "holds": "ok", "fails": "danger", "undecided": "warn", "input": "muted", "discrepancy": "muted",
}  # fmt: skip
_ICONS: dict[Verdict, str] = {"holds": "ok", "fails": "warning", "undecided": "waiting"}
_KINDS = {"claim": "", "input": "Input: ", "discrepancy": "Discrepancy: "}
_ORIGINS: dict[OriginKind, str] = {
    "paper": "", "words": " (in words)", "fitted": " (fitted)", "law": " (law)", "ours": " (ours)",
}  # fmt: skip
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ClaimsModel(TwoLevelModel):
    """A group per claim, a row per number of it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._claims: tuple[Claim, ...] = ()
        theme().changed.connect(self._repaint)

    def show_claims(self, claims: tuple[Claim, ...]) -> None:
        """Show these claims and no others."""
        self.beginResetModel()
        self._claims = claims
        self.endResetModel()

    def claim(self, index: Index) -> Claim:
        """Return the claim that a row belongs to."""
        return self._claims[self.group_of(index) if index.internalId() else index.row()]

    def line(self, group: int, row: int) -> tuple[str, ...]:
        """Return a number with all digits, for a spreadsheet."""
        claim = self._claims[group]
        word = WORDS[_verdict_of(claim, row)]
        name = claim.names[row] if claim.names else ""
        expected, measured = full(numbers(claim.expected)[row]), full(numbers(claim.measured)[row])
        tolerance = "" if claim.tolerance is None else full(claim.tolerance)
        p_value = "" if claim.p_value is None else format_probability(claim.p_value)
        return _title(claim), name, expected, measured, tolerance, word, p_value, claim.origin.describe()

    def group_count(self) -> int:
        """Return number of claims."""
        return len(self._claims)

    def row_count(self, group: int) -> int:
        """Return the count of numbers in a claim."""
        return len(numbers(self._claims[group].expected))

    def _repaint(self) -> None:
        if self._claims:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._claims) - 1, VERDICT))

    def _claim_data(self, claim: Claim, column: int, role: int) -> Any:
        """Return the content of a claim's row, which has one cell over all columns."""
        if column != TEXT:
            return None
        match role:
            case _Role.DisplayRole:
                return _title(claim)
            case _Role.AccessibleTextRole:
                return f"{_title(claim)}: {claim.describe_verdict()}"
            case _Role.ToolTipRole:
                return _tip(claim)
            case _Role.DecorationRole:
                return _mark(claim.verdict)
        return None

    def _number_data(self, claim: Claim, row: int, column: int, role: int) -> Any:
        """Return the content of one number's row."""
        verdict = _verdict_of(claim, row)
        match role:
            case _Role.DisplayRole:
                return _texts(claim, row)[column]
            case _Role.TextAlignmentRole if column in (EXPECTED, MEASURED, TOLERANCE):
                return _RIGHT
            case _Role.ForegroundRole if column == VERDICT:
                return colour(_TOKENS[verdict])
            case _Role.ForegroundRole if column == TEXT:
                return colour("muted")
            case _Role.DecorationRole if column == VERDICT:
                return _mark(verdict)
            case _Role.ToolTipRole if column == EXPECTED:
                return _origin(claim)
            case _Role.ToolTipRole if column == TOLERANCE:
                return claim.why_tolerance or None
            case _Role.ToolTipRole if column == VERDICT:
                return claim.describe_verdict()
            case _Role.ToolTipRole if column == MEASURED and claim.tolerance is not None:
                return f"{full(numbers(claim.measured)[row])}, {signed(claim.differences()[row], 4)} off"
        return None

    # -- Qt -----------------------------------------------------------------------------------------------

    def columnCount(self, _parent: Index = NOWHERE) -> int:
        return len(_HEADERS)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        claim = self.claim(index)
        if index.internalId():
            return self._number_data(claim, index.row(), index.column(), role)
        return self._claim_data(claim, index.column(), role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _Role.TextAlignmentRole and section in (EXPECTED, MEASURED, TOLERANCE):
            return _RIGHT
        return _HEADERS[section] if role == _Role.DisplayRole else None


def _title(claim: Claim) -> str:
    """Return kind, text and unit of a row, and the origin of its value if the paper does not print it."""
    unit = f", {claim.unit}" if claim.unit else ""
    return f"{_KINDS[claim.kind]}{claim.text}{unit}{_ORIGINS[claim.origin.kind]}"


def _tip(claim: Claim) -> str:
    """Return all facts on a claim, one a line."""
    why = f"Tolerance: {claim.why_tolerance}" if claim.why_tolerance else ""
    verdict = claim.explain() or f"{claim.text}: {claim.describe_verdict()}"
    return "\n".join(line for line in (verdict, _origin(claim), why) if line)


def _origin(claim: Claim) -> str:
    note = f". {claim.origin.note}" if claim.origin.note else ""
    return f"Source of the expected value: {claim.origin.describe()}{note}"


def _verdict_of(claim: Claim, row: int) -> Verdict:
    """Return the verdict of one number, which can hold where another of the claim fails."""
    if not claim.parts_hold()[row]:
        return "fails"
    if not claim.fails:
        return claim.verdict
    return "holds" if claim.kind == "claim" else claim.kind


def _texts(claim: Claim, row: int) -> tuple[str, ...]:
    """Return the cells of one number: whose it is (or the probability), expected, measured, tolerance,
    verdict.
    """
    name = claim.names[row] if claim.names else ""
    if claim.p_value is not None:
        name = f"p = {format_probability(claim.p_value)}"
    word = WORDS[_verdict_of(claim, row)]
    if claim.tolerance is None:
        return name, _truth(claim.expected), _truth(claim.measured), UNKNOWN, word
    expected, measured = numbers(claim.expected)[row], numbers(claim.measured)[row]
    return name, claim.shown(expected), _measured(claim, measured), f"{claim.tolerance:g}", word


def _measured(claim: Claim, value: float) -> str:
    """Format a number with the decimals that give the claim's largest one four digits, more if needed."""
    largest = max(abs(number) for number in numbers(claim.measured))
    if _is_counted(claim):
        return f"{value:.0f}"
    if not 1e-3 <= largest < 1e6 or claim.is_fine:
        return claim.shown(value)
    return fixed(value, max(0, 3 - math.floor(math.log10(largest))))


def _is_counted(claim: Claim) -> bool:
    """Return True if a claim compares whole numbers with whole numbers."""
    found = (*numbers(claim.expected), *numbers(claim.measured), claim.tolerance or 0.0)
    return all(number.is_integer() for number in found)


def _truth(value: object) -> str:
    return "true" if value else "false"


def _mark(verdict: Verdict) -> QIcon:
    return icons.icon(_ICONS[verdict], _TOKENS[verdict]) if verdict in _ICONS else QIcon()
