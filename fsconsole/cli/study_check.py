"""`fsconsole study check`: what a study would compute, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.study_files import explained, spec_of, study_file
from fsconsole.text.words import count_words


@click.command("check")
@click.argument("study", type=study_file)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def command(study: Path, as_json: bool) -> None:
    """Read a study and its workloads; say what would be computed. Exit status 1 if something is wrong."""
    from fsconsole.batch.study.plan import plan_of
    from fsconsole.cli.tables import print_json

    spec = spec_of(study)
    with explained():
        plan = plan_of(spec)
    workloads = list(dict.fromkeys(cell.workload for cell in plan.cells))
    policies = list(dict.fromkeys(cell.policy.label for cell in plan.cells))
    reports = [line for source in plan.sources.values() for line in source.report]
    if as_json:
        print_json(
            {
                "name": spec.name,
                "cells": len(plan.cells),
                "workloads": workloads,
                "policies": policies,
                "seeds": sorted({cell.seed for cell in plan.cells if cell.seed is not None}),
                "reports": reports,
            }
        )
        return
    counts = f"{count_words(len(workloads), 'workload')} x {count_words(len(policies), 'policy')}"
    print(f"{spec.name}: {count_words(len(plan.cells), 'cell')}, {counts}")
    # Names hold commas, so that each list is parted by semicolons.
    print(f"Workloads: {'; '.join(workloads)}")
    print(f"Policies: {'; '.join(policies)}")
    for line in reports:
        print(line)
