"""The questions that the experiments answer: an order besides that by papers."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.experiments.experiment import Experiment

# Names of experiments for a question begin like this; the longest match decides.
QUESTIONS: dict[str, tuple[str, ...]] = {
    "Who is entitled to how much?": ("machine-share", "junglas", "unicos-process-fair"),
    "Who gets the surplus?": ("navoceano-tables", "unicos-adjgroups", "navoceano-adjgroups"),
    "How fast does it correct, and does it swing?": (
        "unicos-fig-2-3", "unicos-damping", "unicos-limits", "unicos-eq2", "unicos-decay", "junglas-6",
        "junglas-effective-share", "junglas-half-life", "navoceano-half-life",
    ),
    "Why does a user get less than entitled?": (
        "saturation", "edge-effects", "granularity", "io-interference", "memory", "navoceano-memory",
        "navoceano-urm", "unicos-control", "navoceano",
    ),
    "Which users gain an advantage beyond their shares?": (
        "navoceano-nice", "navoceano-pops", "junglas-cost-calendar", "junglas-batch",
    ),
    "Can one big job have the machine?": ("near-dedicated",),
    "Which policy for parallel jobs?": ("relshare",),
    "How does fairshare steer a Slurm site?": ("yalim",),
    "Does Linux do the same?": ("linux",),
}  # fmt: skip


def question_of(name: str) -> str:
    """Return the question that an experiment answers, by its name.

    Raises:
        KeyError: the name has no question.
    """
    fits = [
        (len(one), words) for words, starts in QUESTIONS.items() for one in starts if name.startswith(one)
    ]
    if not fits:
        raise KeyError(name)
    return max(fits)[1]


def by_paper(experiments: Sequence[Experiment]) -> list[tuple[str, list[Experiment]]]:
    """Group experiments by their paper, in the order given."""
    papers = dict.fromkeys(one.paper for one in experiments)
    return [(paper, [one for one in experiments if one.paper == paper]) for paper in papers]


def by_question(experiments: Sequence[Experiment]) -> list[tuple[str, list[Experiment]]]:
    """Group experiments by question, in the order of the questions; those without one by paper."""
    found: dict[str, list[Experiment]] = {question: [] for question in QUESTIONS}
    for one in experiments:
        try:
            title = question_of(one.name)
        except KeyError:
            title = one.paper
        found.setdefault(title, []).append(one)
    return [(question, items) for question, items in found.items() if items]
