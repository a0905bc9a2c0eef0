"""A claim of an experiment: the expected value and its origin, the measured value, and the verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from fsconsole.experiments.origins import Origin
from fsconsole.text.words import count_words

_ROUNDING = 1e-12
_DIGITS = 4
SIGNIFICANT = 0.05  # A majority that a fair coin gives this often is not significant.

Value = float | tuple[float, ...] | bool
Kind = Literal["claim", "input", "discrepancy"]
Verdict = Literal["holds", "fails", "undecided", "input", "discrepancy"]
Count = Literal["", "most", "nearly all"]
Grade = Literal["checked", "fitted", "shown"]

WORDS: dict[Verdict, str] = {
    "holds": "holds",
    "fails": "fails",
    "undecided": "not decided",
    "input": "input",
    "discrepancy": "discrepancy",
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of an experiment that can be checked.

    Verdicts: holds: each number is within the tolerance, or the truth values agree. A claim of `most` holds
        if more than half of the cases agree and a fair coin gives as many with a probability below
        SIGNIFICANT. undecided: more than half of the cases agree, but a coin gives as many too often. fails:
        a number is outside the tolerance, or no more than half of the cases agree. The paper says "most" of
        its own cases, so half of them or fewer fail whatever the probability is. input, discrepancy: a row of
        that kind that agrees. It does not count as a claim.

    Attributes:
        text: the claim, with the measured quantity and its unit.
        expected, measured: numbers in that unit, tuples of them, or truth values.
        tolerance: largest absolute difference that agrees, in the same unit; None for truth values.
        names: names of the numbers of a tuple.
        is_retested: whether it is tested on other data, since the paper's are not public. If it fails there,
            that is a finding and not a fault of the measurement.
        origin: origin of the expected value.
        kind: `input` for a row that repeats an input and can fail only if the program is wrong; `discrepancy`
            for a statement of the paper that contradicts its own equations, with the paper's words in
            `origin.note`.
        count: whether it is a number of cases, of which most or nearly all must agree.
        why_tolerance: reason for the width of the tolerance.
    """

    text: str
    expected: Value
    measured: Value
    tolerance: float | None = None
    unit: str = ""
    names: tuple[str, ...] = ()
    is_retested: bool = False
    _: KW_ONLY
    origin: Origin
    kind: Kind = "claim"
    count: Count = ""
    why_tolerance: str = ""

    @property
    def verdict(self) -> Verdict:
        """Verdict on the claim."""
        if not all(self.parts_hold()):
            return "fails"
        if self.kind != "claim":
            return self.kind
        p_value = self.p_value
        return "holds" if p_value is None or p_value < SIGNIFICANT else "undecided"

    @property
    def holds(self) -> bool:
        """True if the value is a claim and holds."""
        return self.verdict == "holds"

    @property
    def fails(self) -> bool:
        """True if the measured value disagrees."""
        return self.verdict == "fails"

    @property
    def grade(self) -> Grade:
        """How far it checks a statement of a paper, whatever the verdict.

        `fitted` if parameters were chosen to reproduce the value. `shown` if it repeats an input, decides
        nothing, or has its value from another program of ours. Otherwise `checked`.
        """
        if self.kind == "input" or self.verdict == "undecided" or self.origin.kind == "ours":
            return "shown"
        return "fitted" if self.origin.kind == "fitted" else "checked"

    @property
    def p_value(self) -> float | None:
        """Probability that at least as many cases agree by chance; None unless it is a claim of `most`.

        The exact one-sided sign test: each case is a toss of a fair coin. One-sided, because each such claim
        has a direction. It assumes independent cases.
        """
        if self.count != "most":
            return None
        (cases,), (agreeing,) = numbers(self.expected), numbers(self.measured)
        ways = sum(math.comb(int(cases), more) for more in range(int(agreeing), int(cases) + 1))
        return math.ldexp(ways, -int(cases))

    def parts_hold(self) -> tuple[bool, ...]:
        """Return True if measured and expected values agree, number by number."""
        if self.tolerance is None:
            return (self.expected == self.measured,)
        return tuple(abs(difference) <= self.tolerance + _ROUNDING for difference in self.differences())

    def differences(self) -> tuple[float, ...]:
        """Return measured minus expected values, number by number.

        Raises:
            ValueError: there are more measured than expected values, or fewer.
        """
        pairs = zip(numbers(self.measured), numbers(self.expected), strict=True)
        return tuple(measured - expected for measured, expected in pairs)

    def shown(self, value: float) -> str:
        """Return a number of the claim with four digits, or more if the tolerance is finer."""
        if self.tolerance == 0 and float(value).is_integer():
            return f"{value:.0f}"
        digits = _DIGITS
        if self.tolerance and value and math.isfinite(value):
            digits = max(digits, math.ceil(math.log10(max(abs(value) / self.tolerance, 1.0))))
        return f"{value:.{digits}g}"

    @property
    def is_fine(self) -> bool:
        """True if four digits cannot show a difference that matters."""
        largest = max(map(abs, numbers(self.expected)))
        return self.tolerance is not None and largest > 10**_DIGITS * (self.tolerance or 1.0)

    def describe_verdict(self) -> str:
        """Return the verdict, with the probability if it depends on one."""
        p_value = self.p_value
        return WORDS[self.verdict] + ("" if p_value is None else f" (p = {format_probability(p_value)})")

    def explain(self) -> str:
        """Return a sentence on why it fails or is undecided; empty for other verdicts."""
        if self.verdict not in ("fails", "undecided"):
            return ""
        if self.count:
            return self._explain_count()
        if self.tolerance is None:
            return f"{self.text}: expected {_word(self.expected)}, found {_word(self.measured)}."
        return self._explain_number(self.tolerance)

    def _explain_count(self) -> str:
        (cases,), (agreeing,) = numbers(self.expected), numbers(self.measured)
        found = f"{self.text}: in {agreeing:.0f} of {cases:.0f} {self.unit}"
        if self.fails:
            return f"{found}, and {cases - (self.tolerance or 0.0):.0f} are needed."
        return f"{found}. Chance gives at least as many with p = {format_probability(self.p_value or 0.0)}."

    def _explain_number(self, tolerance: float) -> str:
        differences = self.differences()
        worst = max(range(len(differences)), key=lambda index: abs(differences[index]))
        measured, expected = numbers(self.measured)[worst], numbers(self.expected)[worst]
        side = "above" if differences[worst] > 0 else "below"
        who = f" for {self.names[worst]}" if self.names else ""
        shown = self.shown(measured)
        unit = f" {_of_one(self.unit) if shown == '1' else self.unit}" if self.unit else ""
        off = abs(differences[worst])
        by = f"{off:.0f}" if off.is_integer() else f"{off:.2g}"
        return (
            f"{self.text}: {shown}{unit}{who}, {by} {side} the expected "
            f"{self.shown(expected)} (tolerance {tolerance:g})."
        )

    def head(self) -> str:
        """Return the common beginning of `explain` for claims with this verdict."""
        if self.verdict == "undecided":
            return "Not decided on these data"
        return "The paper's finding does not hold on these data" if self.is_retested else "Does not hold"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `fsconsole reproduce --json`; `holds` is null for other rows than claims."""
        p_value = self.p_value
        return {
            "text": self.text,
            "expected": _plain(self.expected),
            "measured": _plain(self.measured),
            "tolerance": self.tolerance,
            "holds": {"holds": True, "fails": False}.get(self.verdict),
            "verdict": self.verdict,
            "kind": self.kind,
            "origin": self.origin.to_json(),
            **({"unit": self.unit} if self.unit else {}),
            **({"names": list(self.names)} if self.names else {}),
            **({} if p_value is None else {"p_value": p_value}),
            **({"why_tolerance": self.why_tolerance} if self.why_tolerance else {}),
            **({"retested": True} if self.is_retested else {}),
        }


def describe_tally(claims: Iterable[Claim]) -> str:
    """Return the numbers of claims that hold, of undecided ones, and of rows that are not claims."""
    found = Counter(claim.verdict for claim in claims)
    counted = found["holds"] + found["fails"] + found["undecided"]
    parts = [f"{found['holds']} of {counted} claims hold"]
    parts += [f"{found['undecided']} not decided"] if found["undecided"] else []
    parts += [count_words(found[verdict], verdict) for verdict in ("input", "discrepancy") if found[verdict]]
    return ", ".join(parts)


def format_probability(value: float) -> str:
    """Return a probability with two digits."""
    return f"{value:.2g}" if value >= 0.001 else "below 0.001"


def numbers(value: Value) -> tuple[float, ...]:
    """Return the numbers of a value as a tuple."""
    return tuple(map(float, value)) if isinstance(value, tuple) else (float(value),)


def _plain(value: Value) -> float | list[float] | bool:
    if isinstance(value, bool):
        return value
    return [float(item) for item in value] if isinstance(value, tuple) else float(value)


def _of_one(unit: str) -> str:
    """Return the singular of a unit, `month` of `months`; symbols such as `s` stay."""
    return unit.removesuffix("s") if unit.isalpha() and len(unit) > len("ms") else unit


def _word(value: Value) -> str:
    return "true" if value else "false"
