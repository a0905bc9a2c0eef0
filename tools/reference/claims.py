"""The page of experiments with every claim: what is expected, whose that is, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from fsconsole.experiments.claims import Claim, numbers
from fsconsole.experiments.experiment import Experiment, Result
from fsconsole.experiments.registry import experiments
from tools.reference.markdown import cell, page, table

ResultOf = Callable[[str], Result]
_ABOUT = """`fsconsole reproduce NAME` and Analyse run them. A claim is what a paper or our own model
expects; the verdict is what came of it by default settings. An input repeats what the experiment was
given; a discrepancy is a statement of a paper that contradicts its own equations. *From* is *paper* for
values that a paper prints, *in words* for what it states without a number, *fitted* for values to which the
model was fitted, *law* for what follows from equations, definitions or entitlements, and *ours* for values of
other programs and examples of ours."""
_OF_THE_KERNEL = (
    "Its claims are measured on the kernel of the machine that runs it; where groups cannot be "
    "changed it is skipped."
)
_ON_LINUX = "linux-"


def claims_page(result_of: ResultOf) -> str:
    """Return the page; `result_of` gives the result of an experiment by its name."""
    parts: list[str] = []
    for paper, found in groupby(experiments(), key=lambda one: one.paper):
        parts.append(f"## {paper}")
        for one in found:
            parts += _experiment(one, result_of)
    return page("Experiments and their claims", _ABOUT, *parts)


def _experiment(experiment: Experiment, result_of: ResultOf) -> Iterator[str]:
    yield f"### {experiment.name}"
    yield cell(f"{experiment.title}. {experiment.about}")
    if experiment.name.startswith(_ON_LINUX):
        yield _OF_THE_KERNEL
        return
    result = result_of(experiment.name)
    yield table(("", "claim", "expected", "from", "verdict"), map(_row, enumerate(result.claims, 1)))
    yield "\n".join(f"- {cell(note.text)}" for note in result.notes)


def _row(numbered: tuple[int, Claim]) -> tuple[str, ...]:
    number, claim = numbered
    return str(number), claim.text, _expected(claim), claim.origin.describe(), claim.describe_verdict()


def _expected(claim: Claim) -> str:
    if isinstance(claim.expected, bool):
        return "yes" if claim.expected else "no"
    values = ", ".join(claim.shown(value) for value in numbers(claim.expected))
    tolerance = f" ± {claim.tolerance:g}" if claim.tolerance else ""
    return f"{values}{tolerance} {claim.unit}".strip()
