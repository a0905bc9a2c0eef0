"""Junglas 1991, section 5: batch as a group with a user per queue, and one level of shares (section 4)."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.junglas import PAPER
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import diamonds, node_figure

BOTH = ("Batch", "Interactive")
QUEUES = ("short", "medium", "long")
BATCH_SHARES = (200, 600, 900)  # Interactive has 400 shares beside them.
LENGTH_S, SETTLED_S = 1200.0, 300.0
POINTS = 0.5
_SHARES = Origin.law(
    "shares of the example", "The paper says that the split can be set, but gives no numbers."
)
NOTES = (
    Note(
        "paper",
        "Batch is a group with a user for each queue, and jobs are charged to these users. The paper "
        "says that this splits the CPU between batch and interactive work. It gives no numbers.",
    ),
    Note("ours", "Queues, shares and jobs are ours. u11 owns all three jobs."),
    Note(
        "ours",
        "If queues charge the submitter, u11's own processes and the three jobs divide u11's share. "
        "Batch then gets nothing.",
    ),
)


def _batch(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("convex-batch")
    runs = {shares: _with_shares(example, shares, steps.next(0.2)) for shares in BATCH_SHARES}
    run = runs[600]
    own = example.changed(
        "jobs are charged to their submitters",
        queues=tuple(replace(queue, node=None) for queue in example.scenario.queues),
    )
    charged = measure(own, LENGTH_S, steps.next(0.2))
    alone = measure(example.changed("no interactive work", workloads=()), LENGTH_S, steps.next(0.2))
    claims = [
        Claim(
            f"CPU of Batch and Interactive, {shares} and 400 shares",
            (100 * shares / (shares + 400), 100 * 400 / (shares + 400)),
            _percent(one, BOTH),
            POINTS,
            "%",
            BOTH,
            origin=_SHARES,
        )
        for shares, one in runs.items()
    ]
    claims += [
        Claim(
            "CPU of the queues, 300, 200 and 100 shares of Batch's 60 %",
            (30.0, 20.0, 10.0),
            _percent(run, QUEUES),
            POINTS,
            "%",
            QUEUES,
            origin=_SHARES,
        ),
        Claim(
            "Jobs are not charged to their submitters: CPU of u11 with three jobs, and of u12 without jobs",
            (10.0, 10.0),
            _percent(run, ("u11", "u12")),
            POINTS,
            "%",
            ("u11", "u12"),
            origin=Origin.law("shares of the example", "Section 5, item 3, gives no numbers."),
        ),
        Claim(
            "Charge of the queues equals the CPU time of their jobs",
            tuple(float(run.cpu_s(queue)[-1]) for queue in QUEUES),
            tuple(float(run.series("charge").values[run.node(queue)][-1]) for queue in QUEUES),
            1.0,
            "CPU s",
            QUEUES,
            origin=Origin.law("section 5, item 3: jobs are charged to their queue"),
        ),
        Claim(
            "If submitters are charged, batch work gets no more than u11's share: CPU of Interactive, u12",
            (100.0, 25.0),
            _percent(charged, ("Interactive", "u12")),
            2.0,
            "%",
            ("Interactive", "u12"),
            origin=Origin.ours("the same with queues that do not have a user"),
        ),
        Claim(
            "CPU of Batch without interactive work",
            100.0,
            _percent(alone, BOTH[:1])[0],
            POINTS,
            "%",
            origin=Origin.paper("section 2", "No idling."),
        ),
    ]
    figure = node_figure(
        run,
        BOTH,
        "batch-cpu-rate",
        "Batch and interactive: CPU rate",
        "Batch holds 600 shares, Interactive 400. Diamonds: the shares.",
        expected=diamonds(LENGTH_S, (60.0, 40.0)),
    )
    return Result("junglas-batch", tuple(claims), (figure,), NOTES)


def _with_shares(example: Example, shares: int, steps: Steps) -> Measured:
    tree = example.scenario.tree.copy()
    tree.writable(tree.find(BOTH[0]).id).shares = shares
    return measure(example.changed(f"{shares} shares of Batch", tree=tree), LENGTH_S, steps)


def _percent(run: Measured, names: tuple[str, ...]) -> tuple[float, ...]:
    return run.cpu_percent(names, SETTLED_S, LENGTH_S)


# -- one level of shares ----------------------------------------------------------------------------------

USERS = ("u11", "u12", "u21", "u22", "u23")
FLAT_LENGTH_S, FLAT_SETTLED_S = 600.0, 100.0
REDISTRIBUTED = (150, 150, 100, 100, 100)
FLAT_NOTES = (
    Note(
        "paper",
        "Two groups of two users have 50 % each. A fifth user with the same 100 shares gives the "
        "second group 60 %, unless all shares are set again.",
    ),
    Note(
        "ours",
        "The paper's table of new shares is an image that the text does not contain. Here it is "
        "reconstructed as 150, 150, 100, 100 and 100. If users of a group are to be equal, that is "
        "the only solution up to a factor.",
    ),
)


def _flat(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("convex-series-1")
    four = _of_users(example, steps.next(0.25), "u23")
    five = _of_users(example, steps.next(0.25))
    again = _of_users(_with_user_shares(example, REDISTRIBUTED), steps.next(0.25))
    tree = measure(example, FLAT_LENGTH_S, steps.next(0.25))
    paper = Origin.paper("section 4")
    claims = (
        _flat_claim("One level, four users of 100 shares: CPU", USERS[:4], (25.0,) * 4, four, paper),
        _flat_claim(
            "One level, u23 joins with 100 shares: CPU of the groups",
            ("gr1", "gr2"),
            (40.0, 60.0),
            five,
            paper,
        ),
        _flat_claim(
            "One level, all shares set again (150 150 100 100 100): CPU of the groups",
            ("gr1", "gr2"),
            (50.0, 50.0),
            again,
            Origin.law(
                "section 4: equal groups", "Its table of new shares is lost; these are reconstructed."
            ),
        ),
        _flat_claim(
            "A hierarchy gives each user this share without new shares: CPU",
            USERS,
            _flat_percent(again, USERS),
            tree,
            Origin.ours("the previous run, with one level and new shares"),
        ),
    )
    return Result("junglas-redistributed", claims, (), FLAT_NOTES)


def _flat_claim(
    text: str, names: tuple[str, ...], expected: tuple[float, ...], run: Measured, origin: Origin
) -> Claim:
    return Claim(text, expected, _flat_percent(run, names), POINTS, "%", names, origin=origin)


def _flat_percent(run: Measured, names: tuple[str, ...]) -> tuple[float, ...]:
    return run.cpu_percent(names, FLAT_SETTLED_S, FLAT_LENGTH_S)


def _of_users(example: Example, steps: Steps, absent: str = "") -> Measured:
    """Run the example with shares of users only, without one user."""
    scenario = example.scenario
    ids = {scenario.tree.find(name).id for name in (*USERS, "root") if name != absent}
    left = example.changed(
        "shares of users alone",
        workloads=tuple(load for load in scenario.workloads if load.node in ids),
        logins=tuple(node for node in scenario.logins if node in ids),
    )
    return measure(left, FLAT_LENGTH_S, steps, settings={"policy.name": "flat"})


def _with_user_shares(example: Example, shares: tuple[int, ...]) -> Example:
    tree = example.scenario.tree.copy()
    for name, value in zip(USERS, shares, strict=True):
        tree.writable(tree.find(name).id).shares = value
    return example.changed(f"shares of users {shares}", tree=tree)


def junglas_batch() -> tuple[Experiment, ...]:
    """Return the experiment on sections 4 and 5 of the paper, which have no series."""
    return (
        Experiment(
            "junglas-redistributed",
            "One level of shares, set again",
            PAPER,
            "A fifth user changes the balance of two groups, until all shares are set again.",
            _flat,
        ),
        Experiment(
            "junglas-batch",
            "Batch against interactive",
            PAPER,
            "A group with a user per queue splits the CPU between batch and interactive work.",
            _batch,
        ),
    )
