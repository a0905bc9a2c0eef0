"""`fsconsole study users`: which users wait longer under a policy, by more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.study import explained, folder_argument, opened
from fsconsole.cli.tables import print_json, print_table
from fsconsole.text.numbers import plain_signed, plain_signed_range

if TYPE_CHECKING:
    from fsconsole.app.study.user_facts import Types
    from fsconsole.app.study.user_tests import UserTests
    from fsconsole.batch.study.folder import StudyFolder

_MEASURES = ("avg_wait_h", "max_wait_h", "avg_bounded_slowdown")
_LARGEST = 5  # This many differences are shown if none is significant.
_HEADERS = (
    "User", "Jobs", "Units", "Difference", "95 %\ninterval", "p\nalone", "p\ncorrected", "Effect", "Verdict"
)  # fmt: skip


@click.command("users")
@folder_argument
@click.option("--policy", metavar="POLICY", help="Policy to test. Default: RelShare(1d).")
@click.option("--against", metavar="POLICY", help="Policy to compare with. Default: FCFS-backfill.")
@click.option(
    "--measure",
    type=click.Choice(_MEASURES),
    default=_MEASURES[0],
    show_default=True,
    help="Measure to compare.",
)
@click.option(
    "--correction",
    type=click.Choice(("holm", "bh")),
    default="holm",
    show_default=True,
    help="Correction for the number of users: Holm, or Benjamini-Hochberg.",
)
@click.option("--all", "are_all", is_flag=True, help="Also list users whose difference is not decided.")
@click.option("--why", is_flag=True, help="Also list the users who suffer most, and why. Takes seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print all users as one JSON object.")
def command(
    folder: Path, policy: str | None, against: str | None, measure: str, correction: str, are_all: bool,
    why: bool, as_json: bool,
) -> None:  # fmt: skip
    """Test each user of the study in DIR: higher, lower or not decided.

    A user's units are the months, or weeks of a single run, that the user has jobs in. p-values are paired
    (sign flips) and corrected for all users who can be decided.
    docs/explanation/significance.md explains them. Where none is decided the largest are shown.

    With --why come users whose longest wait is over 10 hours above that under FCFS-backfill, of the two
    types of Vasupongayya 2009. S1: their own easy jobs took reservations from their difficult ones. S2: they
    ask for far more than others on several days.
    """
    from fsconsole.app.study.user_facts import types_by_workload
    from fsconsole.app.study.user_tests import user_tests

    stored = opened(folder)
    with explained():
        judged, other = _pair(stored, policy, against)
        found = user_tests(
            stored.users(), stored, judged, other, measure=measure, correction=correction,  # type: ignore[arg-type]
        )  # fmt: skip
        types = types_by_workload(stored, judged) if why else {}
    if as_json:
        print_json(_facts(found) | ({"suffering": _suffering(types)} if why else {}))
        return
    _print(found, are_all=are_all)
    for workload, one in types.items():
        print(f"\n{workload}: {one.words}.")
        for user in one.found.values():
            print(f"{user.kind}  {user.reason}")
    if why and not types:
        print(f"\nNo reasons: they are found by comparing {judged} with FCFS on the same jobs of real users.")


def _pair(stored: StudyFolder, policy: str | None, against: str | None) -> tuple[str, str]:
    """Return the labels of both policies; refuse a study without one of them."""
    from fsconsole.app.study.significance import UnknownPolicyError, default_reference, policy_meant

    done = list(dict.fromkeys(cell.policy for cell in stored.finished()))
    labels = [one.label for one in done]
    named = {"--policy": policy, "--against": against}
    for option, name in named.items():
        try:
            named[option] = None if name is None else policy_meant(labels, name)
        except UnknownPolicyError as error:
            raise click.BadParameter(str(error), param_hint=option) from None
    policy, against = named["--policy"], named["--against"]
    other = against or default_reference(labels)
    daily = [one.label for one in done if one.is_by_user and one.label == "RelShare(1d)"]
    by_user = [one.label for one in done if one.is_by_user]
    judged = policy or next((label for label in (*daily, *by_user, *labels) if label != other), "")
    if not judged or judged == other:
        msg = "the study does not have two policies to compare. Choose them with --policy and --against"
        raise click.UsageError(msg)
    return judged, other


def _print(found: UserTests, *, are_all: bool) -> None:
    from fsconsole.app.study.user_tests import HIGHER, LOWER, MEASURES, OPEN
    from fsconsole.batch.significance.corrections import CORRECTIONS

    if found.reason:
        print(f"{found.reason}.")
        return
    rows = [row for row in found.frame.to_dicts() if are_all or row["verdict"] in (HIGHER, LOWER)]
    title = f"Users, {MEASURES[found.measure]}: {found.policy} minus {found.against}"
    if not rows:
        title = f"{title}; none is decided"
        open_ones = found.frame.filter(found.frame["verdict"] == OPEN)
        rows = open_ones.sort(open_ones["difference"].abs(), descending=True).head(_LARGEST).to_dicts()
    print_table(_HEADERS, [_texts(row) for row in rows], title)
    print(f"{found.words}.")
    print(f"Units: {found.unit}. {CORRECTIONS[found.correction]}. Each interval is for one user alone.")


def _texts(row: dict[str, Any]) -> tuple[str, ...]:
    interval = plain_signed_range(row["low"], row["high"], 2)
    p_values = ("-" if row[name] is None else f"{row[name]:.4f}" for name in ("p_value", "p_adjusted"))
    effect = "-" if row["effect"] is None else f"{row['effect']:+.2f}"
    counts = (row["user"], str(row["jobs"]), str(row["units"]))
    return (*counts, plain_signed(row["difference"], 2), interval, *p_values, effect, row["verdict"])


def _suffering(types: Mapping[str, Types]) -> list[dict[str, Any]]:
    return [
        {"workload": workload, **user.to_json()}
        for workload, one in types.items()
        for user in one.found.values()
    ]


def _facts(found: UserTests) -> dict[str, Any]:
    rows = []
    for row in found.frame.to_dicts():
        low, high = row.pop("low"), row.pop("high")
        rows.append({**row, "interval": None if low is None else [low, high]})
    return {
        "policy": found.policy,
        "against": found.against,
        "measure": found.measure,
        "units": found.unit,
        "correction": found.correction,
        "reason": found.reason or None,
        "users": rows,
    }
