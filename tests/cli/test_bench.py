"""`fsconsole bench engine`: its figures, not how good they are."""

from __future__ import annotations

import json
import re

from click.testing import CliRunner

from fsconsole.cli.bench import command

_SMALL = ["engine", "--cpus", "2", "--processes", "6", "--users", "3", "--seconds", "20"]


def test_figures_as_json() -> None:
    answer = CliRunner().invoke(command, [*_SMALL, "--realistic", "--json"])
    assert answer.exit_code == 0, answer.output
    figures = json.loads(answer.output)
    assert figures["simulated_s_per_wall_s"] > 0
    assert figures["simple_kernel"] > 0
    assert (figures["cpus"], figures["processes"], figures["users"]) == (2, 6, 3)


def test_a_table_for_people() -> None:
    answer = CliRunner().invoke(command, [*_SMALL, "--policy", "feedback"])
    assert answer.exit_code == 0, answer.output
    assert "Simple kernel" in answer.output
    line = next(line for line in answer.output.splitlines() if "CPUs, " in line)
    assert "feedback" in line
    assert re.findall(r"\d+", line)[:3] == ["2", "6", "3"]
