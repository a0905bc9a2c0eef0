"""Everitt, Jones, Knesel, sections 2.2 and 3.1: the paper's statements on filters, depth and idle time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from fsconsole.experiments import printed_forms
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.unicos_flat import PAPER
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree

DELTA_S = 4.0
STEP_S, LENGTH_S = 1800.0, 2400.0  # The shares step at the first time, and the run ends at the second.
WINDOWS_S = (60.0, 300.0)
LONG_S = 100 * 86_400.0  # A half-life of this length keeps the share constant after the step.
REACHED = 1 - math.exp(-1)
WINDOW_ERROR_S = 15.0

NUS = (1.001, 1.1, 1.5)
JOINED_S, FIRST_S, REDISTRIBUTED_S = 1800.0, 40.0, 20.0

DEPTHS = (1, 2, 3, 4, 5, 6)
SETTLED_S, DEEP_LENGTH_S, WINDOW_S = 600.0, 3600.0, 60.0
TICKS_A_SECOND = 60
HALF_LIVES_S = {"1 min": 60.0, "8 h": 28_800.0}

NU, ALONE_S, EVEN = 1.5, 120, 0.1

NOTES = (
    Note(
        "paper",
        "The paper wants K_c to be set to the window of time that is considered, of one to five minutes, and "
        "gives no number. With a delta of 4 s these are K_c of 0.065 and 0.013.",
    ),
    Note(
        "paper",
        "The paper does not recommend small shares and deep trees, since the accuracy is limited. It "
        "gives no numbers. We measure a chain: each level has one user and one group with half each.",
    ),
    Note(
        "ours",
        "With nu near 1 the user with the most usage for its share gets (nu - 1) / (2 nu - 1) of the "
        "machine beside a user without usage. That follows from equation 10 with two equal shares.",
    ),
)


def _limits(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    filters = _filter_claims(steps)
    returning, marooned = _marooned_claims(steps)
    claims = (
        *filters,
        returning,
        *_idle_claims(steps),
        *_depth_claims(steps),
        _square_claim(),
        marooned,
    )
    return Result("unicos-limits", claims, (), NOTES)


# -- the low-pass filter ----------------------------------------------------------------------------------


def _filtered(k_c: float, steps: Steps) -> Measured:
    settings = {"policy.k_mu": (0.0,), "policy.k_c": k_c, "policy.half_life_s": LONG_S}
    return measure(
        Example.named("feedback-step"), LENGTH_S, steps, settings=settings, sample_s=DELTA_S,
        watched=("filtered", "actual"),
    )  # fmt: skip


def _filter_claims(steps: Steps) -> tuple[Claim, ...]:
    through = _filtered(1.0, steps.next(0.08))
    cpu, filtered = through.cpu_parts("u1")[1], through.state("filtered", "u1")[1:]
    reached = tuple(
        _reached_s(_filtered(1 - math.exp(-DELTA_S / window), steps.next(0.08))) for window in WINDOWS_S
    )
    return (
        Claim(
            "K_c 1: largest difference between the filtered charge and the CPU of the delta",
            0.0,
            100 * float(np.abs(filtered[10:] - cpu[10:]).max()),
            0.01,
            "points",
            origin=Origin.paper("section 2.2.2.1", "A K_c of 1 is an all-pass filter."),
        ),
        Claim(
            "K_c for windows of one and five minutes: time until the filtered charge reaches 63.2 % "
            "of a step",
            WINDOWS_S,
            reached,
            WINDOW_ERROR_S,
            "s",
            ("K_c 0.0645", "K_c 0.0132"),
            origin=Origin.law("an RC network gets this far after its time constant, the paper's analogy"),
        ),
    )


def _reached_s(run: Measured) -> float:
    """Return the time since the step at which u1's filtered charge had covered 63.2 % of it."""
    times, _ = run.cpu_parts("u1")
    filtered, actual = (run.state(name, "u1")[1:] for name in ("filtered", "actual"))
    place = int(np.searchsorted(times, STEP_S)) + 1
    before = float(filtered[place - 20 : place].mean())
    is_there = filtered[place:] - before >= REACHED * (actual[place:] - before)
    return float(times[place + int(np.argmax(is_there))] - times[place])


# -- who has used too much --------------------------------------------------------------------------------


def _marooned_claims(steps: Steps) -> tuple[Claim, Claim]:
    parts = []
    for nu in NUS:
        settings = {"policy.name": "feedback", "policy.nu": nu, "policy.redistribution_s": REDISTRIBUTED_S}
        example = Example.named("two-organisations")
        run = measure(example, JOINED_S + 60.0, steps.next(0.06), settings=settings)
        start = JOINED_S + REDISTRIBUTED_S
        parts.append(run.cpu_percent(("u4",), start, start + FIRST_S)[0])
    expected = tuple(100 * (nu - 1) / (2 * nu - 1) for nu in NUS)
    return (
        Claim(
            "CPU in the first minute of the user with all the usage, beside others: nu",
            expected[1:],
            tuple(parts[1:]),
            2.0,
            "%",
            tuple(f"nu {nu:g}" for nu in NUS[1:]),
            origin=Origin.law("equation 10 for two equal shares"),
        ),
        Claim(
            f"With nu {NUS[0]:g} it is marooned: it gets less than a fifth of its CPU with nu {NUS[1]:g}",
            expected=True,
            measured=parts[0] < parts[1] / 5,
            origin=Origin.words("section 2.2.2.2", "The paper gives no numbers."),
        ),
    )


# -- idle time --------------------------------------------------------------------------------------------


def _idle_claims(steps: Steps) -> tuple[Claim, ...]:
    example = Example.named("unsaturated-node")
    found = {}
    for name, counts in {"idle": (3, 3), "busy": (16, 16)}.items():
        loads = tuple(
            replace(load, count=count) for load, count in zip(example.scenario.workloads, counts, strict=True)
        )
        found[name] = measure(
            example.changed(f"processes {counts}", workloads=loads), 600.0, steps.next(0.05)
        )
    names = ("favoured", "others")
    idle, busy = (run.cpu_percent(names, 300.0, 600.0) for run in (found["idle"], found["busy"]))
    return (
        Claim(
            "75 and 25 % by shares, three processes each on eight processors, a quarter idle: CPU used",
            (50.0, 50.0),
            idle,
            0.5,
            "%",
            names,
            origin=Origin.law("section 3.1: idle time suspends fair-share scheduling"),
        ),
        Claim(
            "The same without idle time, sixteen processes each: CPU used",
            (75.0, 25.0),
            busy,
            1.0,
            "%",
            names,
            origin=Origin.law("the shares"),
        ),
    )


# -- depth ------------------------------------------------------------------------------------------------


def _chain(depth: int) -> Example:
    """Return an example with a user and a group of a half each on every level, and two users on the last."""
    nodes = [Node(ROOT_ID, "root", shares=100, kind=Kind.GROUP)]
    above = nodes[0]
    for level in range(1, depth + 1):
        user = Node(len(nodes), f"user{level}", shares=50, parent=above.id)
        nodes.append(user)
        is_last = level == depth
        other = Node(
            len(nodes), "deepest" if is_last else f"group{level}", shares=50, parent=above.id,
            kind=Kind.USER if is_last else Kind.GROUP,
        )  # fmt: skip
        nodes.append(other)
        above.children += [user.id, other.id]
        above = other
    example = Example.named("two-organisations")
    tree = ShareTree.from_nodes(nodes, len(nodes))
    load = example.scenario.workloads[0]
    leaves = [node.id for node in nodes if node.kind is Kind.USER]
    loads = tuple(replace(load, node=leaf) for leaf in leaves)
    plot = replace(example.scenario.plot, nodes=())
    return example.changed(
        f"a chain of {depth} levels", tree=tree, workloads=loads, logins=tuple(leaves), events=(), plot=plot
    )


def _error(depth: int, half_life_s: float, steps: Steps) -> float:
    """Return the deepest user's root mean square relative error over windows of a minute, in percent."""
    run = measure(
        _chain(depth), DEEP_LENGTH_S, steps, settings={"policy.half_life_s": half_life_s}, sample_s=WINDOW_S,
    )  # fmt: skip
    times, parts = run.cpu_parts("deepest")
    late = parts[times >= SETTLED_S]
    return 100 * float(np.sqrt(np.mean((late * 2**depth - 1) ** 2)))


def _depth_claims(steps: Steps) -> tuple[Claim, ...]:
    errors = tuple(_error(depth, 600.0, steps.next(0.06)) for depth in DEPTHS)
    deepest = tuple(_error(DEPTHS[-1], half_life, steps.next(0.06)) for half_life in HALF_LIVES_S.values())
    whole = Origin.law("a user gets whole ticks each second: one instead of 0.94, two instead of 1.88")
    due = [TICKS_A_SECOND / 2**depth for depth in DEPTHS[-2:]]
    bound = tuple(100 * (math.ceil(one) / one - 1) for one in due)
    return (
        Claim(
            "The deeper the tree, the less accurate its leaves are: chains of one to six levels",
            expected=True,
            measured=list(errors) == sorted(errors) and errors[-1] > 10 * errors[2],
            origin=Origin.words("section 2.2.1.2", "The paper gives no numbers."),
        ),
        Claim(
            "Relative error of the deepest user's CPU in a minute",
            bound,
            errors[-2:],
            0.1,
            "%",
            tuple(f"{depth} levels" for depth in DEPTHS[-2:]),
            origin=whole,
        ),
        Claim(
            "A long half-life does not remove it: the same at six levels",
            (bound[-1],) * 2,
            deepest,
            0.1,
            "%",
            tuple(HALF_LIVES_S),
            origin=whole,
        ),
        _consistent_claim(steps),
    )


def _consistent_claim(steps: Steps) -> Claim:
    """Return the claim on the largest deviation of a group while all four users compute."""
    example = Example.named("two-organisations")
    tree, load = example.scenario.tree, example.scenario.workloads[0]
    users = tuple(tree.find(name).id for name in ("u1", "u2", "u3", "u4"))
    loads = tuple(replace(load, node=user) for user in users)
    all_day = example.changed("all four from 0 on", workloads=loads, logins=users, events=())
    found = []
    for half_life in HALF_LIVES_S.values():
        settings = {"policy.half_life_s": half_life, "policy.adjgroups": "share"}
        run = measure(all_day, DEEP_LENGTH_S, steps.next(0.04), settings=settings, sample_s=20.0)
        times, parts = run.cpu_parts("A")
        found.append(100 * float(np.abs(parts[times >= SETTLED_S] - 0.5).max()))
    return Claim(
        "All four users of Figure 2-3 compute, ADJGROUPS on: largest deviation of A from its half",
        (0.0, 0.0),
        tuple(found),
        0.5,
        "points",
        tuple(HALF_LIVES_S),
        origin=Origin.law(
            "A's half while all compute", "Section 2.2.1.2 says that the problem is less apparent then."
        ),
    )


# -- the square of the terminator -------------------------------------------------------------------------


def _square_claim() -> Claim:
    """Return the claim on equal shares, where both powers have the same aim after one user was alone."""
    plain, squared = (
        printed_forms.evened_s(printed_forms.redistributed((0.5, 0.5), NU, power, every=1), ALONE_S, EVEN)
        for power in (1, 2)
    )
    return Claim(
        "nprocs/base^2 makes usages of two equal users equal, to a tenth, sooner than nprocs/base",
        expected=True,
        measured=squared < plain,
        origin=Origin.words(
            "section 2.2.2.3",
            f"Here it takes {squared:g} s and {plain:g} s after {ALONE_S} s alone, nu {NU:g}.",
        ),
    )


def unicos_limits() -> Experiment:
    """Return the experiment that measures the paper's statements without numbers."""
    return Experiment(
        "unicos-limits",
        "Filters, depth, idle time",
        PAPER,
        "The effect of K_c, nu near 1, deep trees, the square of the share and idle time on accuracy.",
        _limits,
    )
