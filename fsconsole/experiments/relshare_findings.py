"""Vasupongayya, sections IV and V: four policies on a real trace, month by month, and on all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fsconsole.batch.measures.benefit import Benefit, benefit
from fsconsole.batch.measures.summary import CONSIDERABLE_NH, Summary, summarise
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Note, Progress, Result
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_kth import (
    DAILY,
    FCFS,
    LXF,
    TRACE,
    WITHOUT,
    MonthRuns,
    Run,
    by_month,
    read_kth,
    run_months,
    run_whole,
)
from fsconsole.experiments.relshare_story import Story, write_story
from fsconsole.experiments.relshare_words import (
    COMPARABLE,
    SIMILAR,
    are_comparable,
    columns_text,
    in_most,
    in_nearly_all,
    is_so,
)
from fsconsole.figures.of_batch import figure_1
from fsconsole.figures.spec import FigureSpec, Provenance
from fsconsole.text.numbers import percent

NAME = "relshare-findings"
POLICIES = (FCFS, LXF, DAILY, WITHOUT)

# Other simulators gave these for all 28,481 jobs of the trace (with equal schedules job by job).
_NAMES = ("FCFS", "LXF", "RelShare(1d)", "RelShare(1d) without expected usage")
_WHOLE: tuple[tuple[str, str, str, tuple[float, ...], float], ...] = (
    ("avg_bounded_slowdown", "average bounded slowdown", "", (26.687, 12.030, 18.543, 20.035), 0.0005),
    ("avg_wait_h", "average wait", "h", (1.765, 1.263, 1.757, 1.778), 0.0005),
    ("max_wait_h", "maximum wait", "h", (71.89, 127.47, 221.82, 242.37), 0.005),
    ("p99_wait_h", "99th-percentile wait", "h", (19.84, 17.62, 24.73, 24.34), 0.005),
)
NOTES = (
    Note(
        "paper",
        "Its ten months of NCSA's IA-64 cluster are not public. Its findings can be tested on another "
        "machine's months; its numbers cannot.",
    ),
    Note(
        "paper",
        "Slips: the text counts short jobs as jobs of one minute, but the line of the formula, used "
        "here, does not. Table IV has user #166, its text #116. The users of 8/03 and 10/03 differ "
        'between Tables I and V. "All four users" shows five. "Only under 10 %" are over-shared, '
        "but Table V has 13.2 %.",
    ),
    Note(
        "ours",
        f"The trace is {TRACE}: 100 nodes, 28,481 jobs, ten whole calendar months. It follows the "
        "paper's protocol: 7 days of warm-up, and jobs keep arriving until all of the month have "
        "started.",
    ),
    Note(
        "ours",
        '"Each month" holds with at most two exceptions in ten, as in the paper. "Most" is more '
        "than half, and more than chance gives (exact one-sided sign test, p below 0.05, independent "
        f'cases). "Fairly comparable" is a factor of up to {COMPARABLE:.2f}, the largest in the '
        f'paper (Table V, 10/03). "Similar or larger" is at least {SIMILAR:.2f} times as many (Table '
        "III, 8/03). We gave these words a meaning before the first measurement. Afterwards we "
        "rounded the two factors, which moved one month of one claim. The sign test came later and "
        "left some claims undecided.",
    ),
)


def measure_findings(progress: Progress, cancelled: Asked) -> Result:
    """Measure claims, Figures 1 to 3 and Tables III and V on the bundled trace."""
    steps = Steps(progress, cancelled)
    steps.at(0.0)
    trace = read_kth()
    wholes = run_whole(trace, POLICIES, steps.next(0.2))
    found = run_months(trace.months(), POLICIES, steps.next(0.4), logged=DAILY)
    story = write_story(found, steps.next(0.4))
    summaries = [summarise(wholes[policy.label]) for policy in POLICIES]
    origin = trace.provenance("its whole months")
    return Result(
        NAME,
        (*wait_claims(found), *user_claims(found), *story.claims, *_whole_claims(summaries)),
        (
            *figures_1(found, "KTH's whole months", origin),
            *(replace(spec, provenance=origin) for spec in story.figures),
        ),
        NOTES,
        findings_text(found, story),
    )


def wait_claims(found: MonthRuns) -> tuple[Claim, ...]:
    """Return the claims of section IV on months under POLICIES."""
    return (
        in_nearly_all(
            "Maximum wait longer under RelShare(1d) than under FCFS",
            _worse(found, FCFS.label),
            origin=Origin.words("section IV, Fig. 1(c)"),
        ),
        in_nearly_all(
            "Maximum wait longer under RelShare(1d) than under LXF",
            _worse(found, LXF.label),
            origin=Origin.words("section IV, Fig. 1(c)"),
        ),
        in_nearly_all(
            "Average bounded slowdown of all four policies fairly comparable",
            _comparable(found, "avg_bounded_slowdown"),
            origin=Origin.words("section IV, Fig. 1(a)"),
        ),
        in_nearly_all(
            "Average wait of all four fairly comparable",
            _comparable(found, "avg_wait_h"),
            origin=Origin.words("section IV, Fig. 1(b)"),
        ),
        in_nearly_all(
            "99th-percentile wait of RelShare(1d) similar to that of FCFS",
            _comparable(found, "p99_wait_h", FCFS.label, DAILY.label),
            origin=Origin.words("section IV, Fig. 1(d)"),
        ),
        *(
            in_nearly_all(
                f"RelShare(1d) comparable with and without expected usage: {words}",
                _comparable(found, measure, WITHOUT.label, DAILY.label),
                origin=Origin.words("section IV, Fig. 1"),
            )
            for measure, words, *_ in _WHOLE
        ),
    )


def _worse(found: MonthRuns, base: str) -> list[bool]:
    pairs = found.pairs(found.policies[base], DAILY)
    return [_hours(after.summary) > _hours(before.summary) for before, after in pairs]


def _hours(summary: Summary) -> float:
    return summary.max_wait_h or 0.0


def _comparable(found: MonthRuns, measure: str, *labels: str) -> list[bool]:
    columns = [found.values(found.policies[label], measure) for label in labels or found.policies]
    return [are_comparable(*values) for values in zip(*columns, strict=True)]


def user_claims(found: MonthRuns) -> tuple[Claim, ...]:
    """Return the claims of sections V-C and V-D, Tables III and V, on the same months."""
    pairs = found.pairs(FCFS, DAILY)
    shared = [(before.summary, after.summary) for before, after in pairs]
    return (
        in_nearly_all(
            "At least as many users have a maximum wait shorter by over 10 h under RelShare(1d) as "
            "have one longer by over 10 h",
            [
                one.benefit_considerably >= SIMILAR * one.suffer_considerably
                for one in map(_benefit_of, pairs)
            ],
            origin=Origin.words("section V-C, Table III"),
        ),
        in_nearly_all(
            "Under-shared users (over 50 node-hours) fewer or equal under RelShare(1d)",
            [after.under_shared <= before.under_shared for before, after in shared],
            origin=Origin.words("section V-D, Table V"),
        ),
        in_nearly_all(
            "Over-shared users fairly comparable in number, FCFS and RelShare(1d)",
            [are_comparable(before.over_shared, after.over_shared) for before, after in shared],
            origin=Origin.words("section V-D, Table V"),
        ),
        in_most(
            "Users over-shared under FCFS are less so under RelShare(1d), which keeps them from dominating",
            [is_less for pair in pairs for is_less in _less_over_shared(*pair)],
            "users",
            origin=Origin.words("sections V-D and VII"),
        ),
        is_so(
            "Fewer under-shared users in all months together",
            measured=sum(after.under_shared for _, after in shared)
            < sum(before.under_shared for before, _ in shared),
            origin=Origin.words("section V-D, Table V"),
        ),
    )


def _benefit_of(pair: tuple[Run, Run]) -> Benefit:
    return benefit(pair[0].users, pair[1].users)


def _less_over_shared(base: Run, run: Run) -> list[bool]:
    """Return True if each user who is over-shared under the base is less so under the other policy."""
    after = dict(run.users.select("user", "dev_nh").iter_rows())
    return [
        after.get(user, 0.0) < dev_nh
        for user, dev_nh in base.users.select("user", "dev_nh").iter_rows()
        if dev_nh > CONSIDERABLE_NH
    ]


def _whole_claims(summaries: Sequence[Summary]) -> tuple[Claim, ...]:
    """Return claims on the whole trace, compared with other simulators."""
    return tuple(
        Claim(
            f"Whole trace, {words}",
            expected,
            tuple(float(getattr(summary, measure)) for summary in summaries),
            tolerance,
            unit,
            _NAMES,
            origin=Origin.ours("other simulators, which give the same schedule job by job"),
        )
        for measure, words, unit, expected, tolerance in _WHOLE
    )


def figures_1(found: MonthRuns, of_what: str, origin: Provenance) -> tuple[FigureSpec, ...]:
    """Return Figure 1 in four parts; `of_what` describes the months."""
    caption = f"{of_what}. 1d: RelShare(1d); 1d\u2212: the same without expected usage."
    specs = figure_1(found.numbers(), are_brief=True)
    return tuple(by_month(spec, caption, origin) for spec in specs)


def findings_text(found: MonthRuns, story: Story) -> str:
    """Return tables by month and the suffering users, in 80 columns."""
    return "\n\n".join(
        [_waits_table(found), story.table, _benefit_table(found), _shared_table(found), story.text, ""]
    )


def _waits_table(found: MonthRuns) -> str:
    headers = ("Month", *(2 * ("FCFS", "LXF", "1d", "1d-")))
    groups = (("", 1), ("average bounded slowdown", 4), ("maximum wait, h", 4))
    rows = [
        (
            month,
            *(f"{found.values(policy, 'avg_bounded_slowdown')[place]:.1f}" for policy in POLICIES),
            *(f"{found.values(policy, 'max_wait_h')[place]:.0f}" for policy in POLICIES),
        )
        for place, month in enumerate(found.months)
    ]
    title = "Fig. 1: FCFS, LXF, RelShare(1d), the same without expected usage (1d-)"
    return columns_text(title, headers, rows, groups)


def _benefit_table(found: MonthRuns) -> str:
    rows = []
    for month, pair in zip(found.months, found.pairs(FCFS, DAILY), strict=True):
        one = _benefit_of(pair)
        counts = (one.benefit_considerably, one.suffer_considerably, one.benefit, one.suffer)
        rows.append((month, str(one.users), *(percent(one.fraction(count)) for count in counts)))
    headers = ("Month", "users", *(2 * ("benefit", "suffer")))
    groups = (("", 2), ("by over 10 h", 2), ("at all", 2))
    return columns_text("Table III: maximum wait of users, from FCFS to RelShare(1d)", headers, rows, groups)


def _shared_table(found: MonthRuns) -> str:
    shown = (FCFS, DAILY, LXF)
    parts: tuple[Callable[[Summary], float], ...] = (
        lambda one: one.under_shared / one.active_users,
        lambda one: one.over_shared / one.active_users,
    )
    rows = [
        (
            month,
            str(found.of(DAILY)[place].summary.active_users),
            *(percent(part(found.of(policy)[place].summary)) for part in parts for policy in shown),
        )
        for place, month in enumerate(found.months)
    ]
    names = ("FCFS", "1d", "LXF")
    headers = ("Month", "users", *(2 * names))
    groups = (("", 2), ("under-shared", 3), ("over-shared", 3))
    return columns_text("Table V: users with a deviation of over 50 node-hours", headers, rows, groups)
