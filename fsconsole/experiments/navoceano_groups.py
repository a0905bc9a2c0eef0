"""Everitt, Jones, Knesel, sections 1.1 to 1.5: NAVOCEANO as it ran, with Adjust Groups on."""

from __future__ import annotations

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.navoceano import (
    ADJUSTED,
    GROUPS,
    NICE_LENGTH_S,
    NICE_SAMPLE_S,
    NICE_SETTLED_S,
    PRINTED,
    SITE_NICE,
    TARGET,
    with_site_nice,
)
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure, node_figure, squares
from fsconsole.experiments.unicos_flat import PAPER, POINTS
from fsconsole.figures.spec import Axis, EventMark, FigureSpec
from fsconsole.shares.scenario.actions import ReniceUser
from fsconsole.shares.scenario.spec import Event

AIR_FORCE = ("a1", "a2", "a3", "a4")
HALF = 5.83  # Half the distance between the two groups in Table 1-1.
WITHOUT: dict[str, object] = {"policy.adjgroups": "off"}
_SITE = Origin.words(
    "sections 1.3 and 1.4", "The paper says that Adjust Groups was on, and gives no other number."
)

# -- the favoured nice value, and what follows once it is corrected ----------------------------------------

CORRECTED_S, CORRECTED_LENGTH_S = 14_400.0, 72_000.0
HOUR_S = 3600.0
NOTES = (
    Note(
        "paper",
        "The paper attributes the majority of the difference of May 1995 to one user whose jobs had a nice "
        "value 8 below all others. It does not print how much work that user had.",
    ),
    Note(
        "ours",
        "Adjust Groups follows the Share kernel: once a delta it slows down a group above 1/mingshare "
        "of its entitlement. That removes part of a nice value's advantage. All Air Force work at "
        "nice 20 explains over half of the printed difference. One of four equal users explains a "
        "sixth of it.",
    ),
    Note(
        "ours",
        "Where each group always has work, as in the experiments on half-life, URM and memory, Adjust "
        "Groups has almost no effect. The runs compared for that are shorter than those experiments.",
    ),
)


def _adjgroups(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("navoceano-nice")
    alike, one = (with_site_nice(example, set(users)) for users in (AIR_FORCE, AIR_FORCE[1:]))
    off = _settle(example, steps, WITHOUT)
    runs = [_settle(each, steps, ADJUSTED) for each in (example, one, alike)]
    mended = _corrected(example, steps.next(0.2))
    c916 = measure(Example.named("navoceano-c916"), 7200.0, steps.next(0.2), settings=ADJUSTED, sample_s=60.0)
    claims = (
        *_claims_of_nice(off, *runs),
        Claim(
            "The C916's whole tree: both get equal parts of the CPU that Army and DoD Other leave",
            TARGET,
            c916.cpu_percent(GROUPS, 3600.0, 7200.0),
            POINTS,
            "%",
            GROUPS,
            origin=Origin.fitted("section 1.4", "The light groups use about what Table 1-1 prints."),
        ),
        *_claims_of_convergence(mended),
        *_claims_of_no_difference(steps),
    )
    return Result("navoceano-adjgroups", claims, _figures(runs[0], mended), NOTES)


def _settle(example: Example, steps: Steps, settings: dict[str, object]) -> Measured:
    return measure(example, NICE_LENGTH_S, steps.next(0.05), settings=settings, sample_s=NICE_SAMPLE_S)


def _groups(run: Measured) -> tuple[float, ...]:
    return run.cpu_percent(GROUPS, NICE_SETTLED_S, NICE_LENGTH_S)


def _claims_of_nice(off: Measured, favoured: Measured, one: Measured, alike: Measured) -> tuple[Claim, ...]:
    apart = {
        name: _groups(run)[1] - _groups(run)[0]
        for name, run in (("off", off), ("all", favoured), ("one", one))
    }
    majority = Origin.words("section 1.5", "The paper attributes most of the difference to one user.")
    return (
        Claim(
            "Adjust Groups on, all work at nice 28: CPU, the target",
            TARGET,
            _groups(alike),
            POINTS,
            "%",
            GROUPS,
            origin=Origin.paper("section 1.4"),
        ),
        Claim(
            "All Air Force work at nice 20: Air Force gets more, by less than with Adjust Groups off",
            expected=True,
            measured=0 < apart["all"] < apart["off"],
            origin=_SITE,
        ),
        Claim(
            "It explains more than half of the difference that Table 1-1 prints",
            expected=True,
            measured=apart["all"] > HALF,
            origin=majority,
        ),
        Claim(
            "One of four equal Air Force users at nice 20 explains more than half of it",
            expected=False,
            measured=apart["one"] > HALF,
            kind="discrepancy",
            origin=majority,
        ),
    )


def _corrected(example: Example, steps: Steps) -> Measured:
    """Run with the nice values of Air Force corrected after four hours."""
    events = tuple(Event(CORRECTED_S, ReniceUser(user, SITE_NICE)) for user in AIR_FORCE)
    mended = example.changed("all work at nice 28 from 4 h on", events=events)
    return measure(mended, CORRECTED_LENGTH_S, steps, settings=ADJUSTED, sample_s=HOUR_S)


def _claims_of_convergence(run: Measured) -> tuple[Claim, ...]:
    """Return claims on the accounts of the two groups after the correction, hour by hour."""
    since = run.times >= CORRECTED_S
    navy, force = (run.cpu_s(group)[since] for group in GROUPS)
    hourly = np.diff(force - navy)
    whole = np.abs(run.cpu_s(GROUPS[1]) - run.cpu_s(GROUPS[0]))[since][1:]
    return (
        Claim(
            "Corrected: the groups' accounts converge in the following hours",
            expected=True,
            measured=bool(hourly[0] < 0 and whole[3] < whole[0]),
            origin=Origin.words("section 1.5", "The paper found greater convergence, without numbers."),
        ),
        Claim(
            "They do not converge evenly: the hourly change differs by over a half",
            expected=True,
            measured=bool(np.abs(hourly[:12]).min() < np.abs(hourly[:12]).max() / 2),
            origin=Origin.words("section 1.1", "Convergence is seldom monotonic and complete."),
        ),
        Claim(
            "Sixteen hours, two half-lives, after the correction they still differ",
            expected=True,
            measured=bool(whole[-1] > 0.01 * force[-1]),
            origin=Origin.words("section 1.1", "Convergence is seldom monotonic and complete."),
        ),
    )


def _claims_of_no_difference(steps: Steps) -> tuple[Claim, ...]:
    """Return claims on the site's other findings, with Adjust Groups on and off."""
    found = []
    shorter = (
        ("navoceano-half-life", "half-life", GROUPS, 86_400.0, 600.0),
        ("navoceano-urm", "URM, by age", ("NAVOCEANO", *GROUPS), 4 * HOUR_S, 60.0),
        ("navoceano-memory", "memory, by turns", ("Navy R&D", "DoD Other"), 1800.0, 10.0),
    )
    for name, words, groups, length_s, sample_s in shorter:
        on, off = (
            measure(
                Example.named(name), length_s, steps.next(0.4 / 6), settings=settings, sample_s=sample_s
            ).cpu_percent(groups, length_s / 3, length_s)
            for settings in (ADJUSTED, WITHOUT)
        )
        found.append(
            Claim(
                f"Adjust Groups on changes nothing in {words}: CPU compared with Adjust Groups off",
                off,
                on,
                POINTS,
                "%",
                groups,
                origin=Origin.ours("the same run with Adjust Groups off"),
            )
        )
    return tuple(found)


def _figures(favoured: Measured, mended: Measured) -> tuple[FigureSpec, ...]:
    times = mended.times[1:]
    navy, force = (np.diff(mended.cpu_s(group)) / 3600 for group in GROUPS)
    return (
        node_figure(
            favoured,
            GROUPS,
            "adjgroups-cpu-rate",
            "All Air Force work at nice 20, Adjust Groups on: CPU rate",
            "Squares: Table 1-1. The paper attributes most of the difference to one user.",
            expected=squares(NICE_LENGTH_S, PRINTED),
        ),
        curve_figure(
            "corrected",
            "Nice values corrected: CPU time per hour, Air Force minus Navy R&D",
            "Values below 0 repay Navy R&D. Usage halves in 8 h.",
            {"difference": (times, force - navy)},
            mended.provenance,
            x_axis=Axis("time", "h", 1 / HOUR_S, "s"),
            y_axis=Axis("CPU time", "h", 1.0, "h"),
            events=(EventMark(CORRECTED_S, "corrected"),),
        ),
    )


# -- products within their window --------------------------------------------------------------------------

LEVELS = ("Products", "Development")
STARTS_S, WINDOW_S = 26 * HOUR_S, HOUR_S
PRODUCTS_S = 8 * 1800.0  # A day's products take this much CPU time.
POPS_LENGTH_S = 29 * HOUR_S
FEW = 2  # The example has 20 shares there.
POPS_NOTES = (
    Note(
        "paper",
        "The paper says that products have more shares than they use, so that they run within their "
        "windows, and gives neither the shares nor the windows.",
    ),
    Note(
        "ours",
        "The products, the window of an hour and the shares are ours. The second day counts, when "
        "usages have reached their long-run values. With Adjust Groups on the products take longer "
        "than with it off. Their group is above its entitlement while they run, and is slowed down.",
    ),
)


def _pops(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("navoceano-pops")
    many = _day(example, steps)
    few = _day(_with_few_shares(example), steps)
    off = _day(example, steps, WITHOUT)
    claims = (
        Claim(
            "CPU of the products, compared with their entitlement of 10 %",
            100 * 2 * PRODUCTS_S / (POPS_LENGTH_S * 16),
            many.cpu_percent(LEVELS[:1], 0.0, POPS_LENGTH_S)[0],
            0.05,
            "%",
            kind="input",
            origin=Origin.ours("the example"),
        ),
        Claim(
            "With far more shares than they use, they are ready within the window of an hour",
            expected=True,
            measured=_ready_s(many) <= WINDOW_S,
            origin=Origin.words("section 1.3", "The paper gives no numbers."),
        ),
        Claim(
            "With a tenth of these shares they are not ready after three windows",
            expected=True,
            measured=_ready_s(few) > 3 * WINDOW_S,
            origin=Origin.ours("the same with shares nearer to the use"),
        ),
        Claim(
            "They are ready sooner with Adjust Groups off",
            expected=True,
            measured=_ready_s(off) < _ready_s(many),
            origin=Origin.ours("the group is above its entitlement while they run"),
        ),
        Claim(
            "While the products rest, the other level has all of NAVOCEANO's 15 %",
            15.0,
            many.cpu_percent(LEVELS[1:], 12 * HOUR_S, STARTS_S)[0],
            1.0,
            "%",
            origin=Origin.paper("sections 1.1 and 1.2"),
        ),
    )
    ready = {
        words: (run.times - STARTS_S, (run.cpu_s(LEVELS[0]) - PRODUCTS_S) / PRODUCTS_S)
        for words, run in (("20 of 30 shares", many), ("2 of 12 shares", few), ("Adjust Groups off", off))
    }
    shown = {words: (x[x >= 0], y[x >= 0]) for words, (x, y) in ready.items()}
    figure = curve_figure(
        "products",
        "Fraction of the day's products that is ready",
        "From 2 o'clock of the second day on. The window is an hour.",
        shown,
        many.provenance,
        x_axis=Axis("time since 2 o'clock", "h", 1 / HOUR_S, "s"),
        y_axis=Axis("ready", "%", 100.0, "fraction"),
        events=(EventMark(WINDOW_S, "end of the window"),),
    )
    return Result("navoceano-pops", claims, (figure,), POPS_NOTES)


def _day(example: Example, steps: Steps, settings: dict[str, object] | None = None) -> Measured:
    return measure(example, POPS_LENGTH_S, steps.next(1 / 3), settings=settings, sample_s=60.0)


def _with_few_shares(example: Example) -> Example:
    tree = example.scenario.tree.copy()
    node = tree.writable(tree.find(LEVELS[0]).id)
    node.shares = FEW
    return example.changed(f"{FEW} shares of {LEVELS[0]}", tree=tree)


def _ready_s(run: Measured) -> float:
    """Return the time from the start of the second day's products until they are ready; infinite if never."""
    done = run.times[run.cpu_s(LEVELS[0]) >= 2 * PRODUCTS_S - 1.0]
    return float(done[0]) - STARTS_S if len(done) else float("inf")


def navoceano_groups() -> tuple[Experiment, ...]:
    """Return the experiment on the site's schedule with Adjust Groups on."""
    return (
        Experiment(
            "navoceano-adjgroups",
            "NAVOCEANO with Adjust Groups on",
            PAPER,
            (
                "Effect of a favoured nice value, and the surplus of light groups, with Adjust Groups as "
                "at the site."
            ),
            _adjgroups,
        ),
        Experiment(
            "navoceano-pops",
            "NAVOCEANO: products in their window",
            PAPER,
            "Two levels within a group: the daily products hold more shares than they use.",
            _pops,
        ),
    )
