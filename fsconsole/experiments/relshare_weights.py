"""Vasupongayya, sections I and II-B: weights of LSF's usage, and shares compared with users' waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import simulate_month
from fsconsole.batch.policy import HOUR_S, BatchPolicy, UsageWeights
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Note, Progress, Result
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_kth import DAILY, Workload, read_kth, run_months
from fsconsole.experiments.relshare_words import columns_text, in_most
from fsconsole.figures.spec import Floats

NAME = "relshare-weights"
LSF_WINDOW_S = 5 * HOUR_S
WEIGHTS = (
    UsageWeights(),
    UsageWeights(1.0, 0.0, 1.0),
    UsageWeights(0.0, 1.0, 1.0),
    UsageWeights(0.0, 0.0, 1.0),
    UsageWeights(1.0, 1.0, 0.1),
    UsageWeights(0.1, 0.1, 10.0),
)
MEASURES = ("avg_wait_h", "max_wait_h")
SHARES = (1.0, 2.0, 4.0)
SEED = 1
SIGMAS = 1.96  # Of a normal distribution, 5 % are outside.
NOTES = (
    Note(
        "paper",
        "The paper says that good weights are hard to find, since each part acts differently and "
        "other months have other loads. It tests none. It cites a study that found no correlation "
        "between shares and waits.",
    ),
    Note(
        "ours",
        "Six sets of weights with LSF's window of five hours. A seeded draw gives users shares of 1, "
        "2 and 4. A rank correlation of over 1.96/sqrt(users - 1) counts as found.",
    ),
)


def measure_weights(progress: Progress, cancelled: Asked) -> Result:
    """Measure claims on the bundled trace, month by month."""
    steps = Steps(progress, cancelled)
    steps.at(0.0)
    months = read_kth().months()
    policies = [BatchPolicy("weighted", LSF_WINDOW_S, weights=weights) for weights in WEIGHTS]
    found = run_months(months, policies, steps.next(0.7))
    values = {
        measure: np.array([found.values(policy, measure) for policy in policies]) for measure in MEASURES
    }
    claims = (*_claims_of_weights(values), _claim_of_shares(months, steps.next(0.3)))
    return Result(NAME, claims, (), NOTES, _text(found.months, values))


def _claims_of_weights(values: Mapping[str, Floats]) -> tuple[Claim, ...]:
    average, longest = (values[measure].argmin(axis=0).tolist() for measure in MEASURES)
    hard = Origin.words("section II-B", "The paper runs none.")
    spread = values["max_wait_h"].max(axis=0) / values["max_wait_h"].min(axis=0)
    return (
        in_most(
            "The weights with the shortest average wait are not those with the shortest maximum wait",
            [one != other for one, other in zip(average, longest, strict=True)],
            origin=hard,
        ),
        in_most(
            "The weights with the shortest average wait differ in the next month",
            [one != other for one, other in pairwise(average)],
            "changes of month",
            origin=hard,
        ),
        in_most(
            "The weights with the shortest maximum wait differ in the next month",
            [one != other for one, other in pairwise(longest)],
            "changes of month",
            origin=hard,
        ),
        in_most(
            "Weights matter: the longest of the maximum waits is over 1.2 times the shortest",
            [ratio > 1.2 for ratio in spread.tolist()],
            origin=Origin.words("section II-B", "The paper says that each part acts differently."),
        ),
    )


def _claim_of_shares(months: Sequence[Workload], steps: Steps) -> Claim:
    draw = np.random.default_rng(SEED)
    small = []
    for number, month in enumerate(months):
        steps.at(number / len(months))
        shares = draw.choice(SHARES, len(month.jobs.users))
        run = simulate_month(month.jobs, month.period, month.nodes, DAILY, shares)
        users = user_table(run.schedule, run.measured, run.period)
        of = dict(zip(month.jobs.users, shares.tolist(), strict=True))
        own = np.array([of[name] for name in users["user"].to_list()])
        found = np.corrcoef(_ranks(own), _ranks(users["avg_wait_h"].to_numpy()))[0, 1]
        small.append(bool(abs(found) < SIGMAS / np.sqrt(len(own) - 1)))
    steps.at(1.0)
    return in_most(
        "A user's shares and average wait under RelShare(1d) do not correlate",
        small,
        origin=Origin.words("section I", "The finding of a cited study on another machine."),
    )


def _ranks(values: Floats) -> Floats:
    """Return ranks from 0 on; equal values have their mean."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Floats = (np.cumsum(counts) - (counts + 1) / 2)[place]
    return means


def _text(months: Sequence[str], values: Mapping[str, Floats]) -> str:
    names = [f"{one.used:g} {one.running:g} {one.slots:g}" for one in WEIGHTS]
    tables = []
    for measure, words in zip(MEASURES, ("Average", "Maximum"), strict=True):
        rows = [
            (month, *(f"{value:.1f}" for value in values[measure][:, place]))
            for place, month in enumerate(months)
        ]
        title = f"{words} wait in h by weights: used, running, nodes"
        tables.append(columns_text(title, ("month", *names), rows))
    return "\n\n".join([*tables, ""])
