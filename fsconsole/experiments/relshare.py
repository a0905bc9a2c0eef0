"""Vasupongayya's findings as experiments; their modules are loaded when one is run."""

from __future__ import annotations

from fsconsole.experiments.experiment import Asked, Experiment, Progress, Result

PAPER = "Vasupongayya 2009, parallel jobs"


def _findings(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_findings import measure_findings  # Importing it compiles the engine.

    return measure_findings(progress, cancelled)


def _windows(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_windows import measure_windows  # Importing it compiles the engine.

    return measure_windows(progress, cancelled)


def _choice(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_reservation import measure_choice  # Importing it compiles the engine.

    return measure_choice(progress, cancelled)


def _generated(progress: Progress, cancelled: Asked) -> Result:
    # Importing it compiles the engine.
    from fsconsole.experiments.relshare_generated import measure_generated

    return measure_generated(progress, cancelled)


def _users(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_users import measure_users  # Importing it compiles the engine.

    return measure_users(progress, cancelled)


def _weights(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.experiments.relshare_weights import measure_weights  # Importing it compiles the engine.

    return measure_weights(progress, cancelled)


def _definitions(progress: Progress, cancelled: Asked) -> Result:
    # Importing it compiles the engine.
    from fsconsole.experiments.relshare_measures import measure_definitions

    return measure_definitions(progress, cancelled)


def relshare() -> tuple[Experiment, ...]:
    """Return the experiment on Figures 1 to 4 and their tables, on a public trace."""
    return (
        Experiment(
            "relshare-findings",
            "RelShare against backfilling",
            PAPER,
            "The effect of fair-share on waits and users, month by month on KTH's trace: users who "
            "suffer, and why.",
            _findings,
        ),
        Experiment(
            "relshare-windows",
            "Fair-share windows, 4 h to 7 d",
            PAPER,
            "The effect of the window's length on averages, maximum waits, heavy and light users.",
            _windows,
        ),
        Experiment(
            "relshare-reservation-choice",
            "Reservations and forms of the share",
            PAPER,
            "The effect of choices that the paper leaves open: reservation rebuilt or carried, one or "
            "several.",
            _choice,
        ),
        Experiment(
            "relshare-users",
            "Users who benefit, and jobs spread out",
            PAPER,
            "Users who gain with RelShare, and the effect of spreading jobs for users who suffer.",
            _users,
        ),
        Experiment(
            "relshare-weights",
            "Weights of usage, and shares",
            PAPER,
            "A test whether weights of LSF's usage that are good in one month are good in the next one.",
            _weights,
        ),
        Experiment(
            "relshare-generated",
            "RelShare on generated months",
            PAPER,
            "The same findings on months generated to match Table I, with two planted users.",
            _generated,
        ),
        Experiment(
            "relshare-measures",
            "Rules and measures by definition",
            PAPER,
            "Starts, entitlement, waits and fairness of a few jobs, beside what follows from definitions.",
            _definitions,
        ),
    )
