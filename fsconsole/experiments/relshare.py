"""Vasupongayya's findings as experiments, by their names; what they stand on is loaded when one is run."""

from __future__ import annotations

from fsconsole.experiments.experiment import Asked, Experiment, Progress, Result

PAPER = "Vasupongayya 2009, parallel jobs"


def _findings(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_findings import measure_findings  # compiles

    return measure_findings(progress, cancelled)


def _windows(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_windows import measure_windows  # compiles

    return measure_windows(progress, cancelled)


def _choice(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_reservation import measure_choice  # compiles

    return measure_choice(progress, cancelled)


def _generated(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_generated import measure_generated  # compiles

    return measure_generated(progress, cancelled)


def _users(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_users import measure_users  # compiles

    return measure_users(progress, cancelled)


def _weights(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_weights import measure_weights  # compiles

    return measure_weights(progress, cancelled)


def relshare() -> tuple[Experiment, ...]:
    """Figures 1 to 4 and the tables beside them, on a trace that is public."""
    return (
        Experiment(
            "relshare-findings",
            "RelShare against backfilling",
            PAPER,
            "What fair-share does to waits and users, month by month on KTH's trace; who suffers, and why.",
            _findings,
        ),
        Experiment(
            "relshare-windows",
            "Fair-share windows, 4 h to 7 d",
            PAPER,
            "What the length of the window does to averages, maximum waits, heavy and light users.",
            _windows,
        ),
        Experiment(
            "relshare-reservation-choice",
            "Reservations and forms of the share",
            PAPER,
            "What follows from what the paper leaves open: reservation rebuilt or carried, one or several.",
            _choice,
        ),
        Experiment(
            "relshare-users",
            "Who benefits, and jobs spread out",
            PAPER,
            "Which users gain by RelShare, and what spreading their jobs does for users who suffer.",
            _users,
        ),
        Experiment(
            "relshare-weights",
            "Weights of usage, and shares",
            PAPER,
            "Whether weights of LSF's usage that are good in one month are good in the next one.",
            _weights,
        ),
        Experiment(
            "relshare-generated",
            "RelShare on generated months",
            PAPER,
            "The same findings on months generated to the figures of Table I, with two planted users.",
            _generated,
        ),
    )
