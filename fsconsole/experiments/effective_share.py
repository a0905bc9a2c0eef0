"""Junglas 1991, series 2: the swinging effective share that the paper could not explain, and a hypothesis."""

from __future__ import annotations

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.junglas import CPU_SPLIT, PAPER, POINTS, SETTLED_S, USERS
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import node_figure, squares
from fsconsole.figures.spec import FigureSpec
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.spec import Event, Scenario

LENGTH_S = 1800.0
NOW_AND_THEN_S = 60.0
PROBABILITY = 0.3
TINY = 1.0  # The unit is percentage points of the machine.

NOTES = (
    Note(
        "paper",
        "Junglas saw the effective shares of series 2 swing with periods of 70 to 200 s and could not "
        "explain it.",
    ),
    Note(
        "ours",
        "The swing does not follow from the formulas. Without system groups the values stay at 25 and "
        "16.67 %. With the idle groups Daemon and Network, whose usage is almost zero, they stay "
        "close to 0.",
    ),
    Note(
        "ours",
        "A hypothesis: Daemon and Network run for a single tick now and then (here every "
        f"{NOW_AND_THEN_S:.0f} s with probability {PROBABILITY}, seeded). Their effective share then "
        "swings irregularly, mostly over 60 to 210 s. The CPU of the users stays constant. Only this "
        "last sentence is a claim.",
    ),
)


def _measure(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("convex-series-2")
    idle = measure(example, LENGTH_S, steps.next(0.5))
    ticking = measure(with_system_ticks(example), LENGTH_S, steps.next(0.5), remarks=(NOTES[-1].text,))
    tiny = max(idle.percent_at("effective_share", USERS, LENGTH_S))
    alone = idle.percent_at("effective_share", USERS, LENGTH_S, leave_out_system=True)
    claims = (
        Claim(
            "Effective share, without system groups",
            CPU_SPLIT,
            alone,
            POINTS,
            "%",
            USERS,
            origin=Origin.law("the equation of section 6, without system groups"),
        ),
        Claim(
            "Largest effective share of a user, counting idle system groups",
            0.0,
            tiny,
            TINY,
            "%",
            origin=Origin.law("the equation of section 6: idle groups with almost no usage"),
        ),
        _cpu("CPU, Daemon and Network idle", idle),
        _cpu("CPU while Daemon and Network run a single tick now and then (ours)", ticking),
    )
    return Result("junglas-effective-share", claims, _figures(idle, ticking), NOTES)


def _cpu(text: str, run: Measured) -> Claim:
    return Claim(
        text,
        CPU_SPLIT,
        run.cpu_percent(USERS, SETTLED_S, LENGTH_S),
        POINTS,
        "%",
        USERS,
        origin=Origin.paper("section 8, series 2"),
    )


def with_system_ticks(example: Example) -> Example:
    """Return an example with single ticks of CPU for the logged-in users of system groups."""
    scenario = example.scenario
    random = np.random.default_rng(scenario.seed)
    tick = Work(cpu_s=1 / scenario.machine.hz, spread="fixed")
    events = [
        Event(float(at), StartProcess(node, tick, command="tick"))
        for at in np.arange(NOW_AND_THEN_S, LENGTH_S, NOW_AND_THEN_S)
        for node in idle_system_users(scenario)
        if random.random() < PROBABILITY
    ]
    return example.changed("single ticks of Daemon and Network", events=(*scenario.events, *events))


def idle_system_users(scenario: Scenario) -> list[int]:
    """Return ids of the leaves of system groups that are logged in."""
    return [node for node in scenario.logins if scenario.tree.is_system(node)]


def _figures(idle: Measured, ticking: Measured) -> tuple[FigureSpec, ...]:
    tree = ticking.machine.tree
    system = tuple(tree.node(node).name for node in idle_system_users(ticking.scenario))
    return (
        node_figure(
            idle,
            USERS,
            "effective-share",
            "Effective share, Daemon and Network idle and counted",
            "Series 2. The usage of the idle groups is almost zero, so that nothing is left for the users.",
            quantity="effective_share",
        ),
        node_figure(
            ticking,
            system,
            "effective-share-hypothesis",
            "[ours] Effective share of Daemon and Network",
            "Series 2, hypothesis: each runs for a single tick now and then.",
            marks=False,
            quantity="effective_share",
        ),
        node_figure(
            ticking,
            USERS,
            "cpu-rate-hypothesis",
            "[ours] CPU rate at the same time",
            "Series 2, hypothesis: the CPU of the users stays constant. Squares: the paper's shares.",
            expected=squares(LENGTH_S, CPU_SPLIT),
            marks=False,
        ),
    )


def effective_share() -> Experiment:
    """Return the experiment on possible causes of swinging effective shares."""
    return Experiment(
        "junglas-effective-share",
        "The swinging effective share",
        PAPER,
        "The swing does not follow from the formulas. Single ticks of the system groups would explain it.",
        _measure,
    )
