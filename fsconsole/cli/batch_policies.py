"""`fsconsole batch policies`: the policies that can schedule jobs."""

from __future__ import annotations

import click

from fsconsole.cli.batch_policy import options_for
from fsconsole.cli.tables import print_json, print_table


@click.command("policies")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def command(*, as_json: bool) -> None:
    """List the policies of `batch simulate` and of study files: what each does, and its options."""
    from fsconsole.batch.policy import POLICIES, POLICY_WORDS

    if as_json:
        print_json(
            [
                {
                    "policy": name,
                    "label": policy.label,
                    "about": POLICY_WORDS[name],
                    "options": options_for(policy),
                }
                for name, policy in POLICIES.items()
            ]
        )
        return
    rows = [
        (name, POLICY_WORDS[name], ", ".join(option.removeprefix("--") for option in options_for(policy)))
        for name, policy in POLICIES.items()
    ]
    print_table(("Policy", "Order", "Options"), rows, numbers=False)
