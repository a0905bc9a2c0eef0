"""`fsconsole why`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.cli.conftest import Cli
from tests.texts import says, span, wording


def test_two_users_of_series_6_with_their_factors(cli: Cli, examples: Path) -> None:
    ended = cli("why", examples / "convex-series-6.yaml", "u11", "u21", "--at", "600s")
    assert ended.status == 0
    assert wording("policies.their-paths-separate-below", common="the root") + ": gr1" in ended.out
    assert "= increment" in ended.out


def test_json_has_factors_whose_product_is_the_increment(cli: Cli, examples: Path) -> None:
    path = examples / "navoceano-c916.yaml"
    ended = cli("why", path, "p1103", "p2107", "--at", "60s", "--set", "policy.half_life_s=60", "--json")
    found = json.loads(ended.out)
    assert (found["tick"], found["policy"]) == (3600, "share")
    for side in (found["first"], found["other"]):
        product = 1.0
        for factor in side["factors"]:
            product *= factor["value"] if factor["multiplies"] else 1.0
        assert abs(product - side["increment"]) <= max(1.0, 1e-9 * product)


def test_a_policy_of_its_own_and_the_tree_alone(cli: Cli, examples: Path) -> None:
    ended = cli("why", examples / "navoceano-c916.yaml", "p1103", "--policy", "feedback")
    assert ended.status == 0
    assert says(ended.out, "machine.insight.nothing-has-run-yet-this", used="alone")
    assert re.search(r"1 / +base", ended.out)


def test_names_that_are_not_there(cli: Cli, examples: Path) -> None:
    ended = cli("why", examples / "convex-series-6.yaml", "u99")
    assert ended.status == 2
    assert says(ended.err, "shares.scenario.node-not-found-in-tree", reference="u99")
    assert says(cli("why", examples / "convex-series-6.yaml", "").err, "shares.scenario.name-is-empty")
    ended = cli("why", examples / "convex-series-6.yaml", "u11", "--policy", "shre")
    assert ended.status == 2
    assert says(ended.err, "figures.did-you-mean", near="share")


def test_numbers_are_short_and_fractions_percent(cli: Cli, examples: Path) -> None:
    path = examples / "convex-series-6.yaml"
    ended = cli("why", path, "u11", "u21", "--at", "600s", "--policy", "feedback")
    assert "at " + span(s=600.0) in ended.out
    target = next(line for line in ended.out.splitlines() if "target among siblings" in line)
    assert target.count(" %") == 2
    increment = next(line for line in ended.out.splitlines() if "= increment" in line)
    answer = increment.count(" M ")
    assert answer == 2


def test_a_run_folder_stands_at_its_end(cli: Cli, examples: Path, tmp_path: Path) -> None:
    run = tmp_path / "six.run"
    cli("machine", examples / "convex-series-6.yaml", "--at", "100s", "--out", run, "lim", "u11", "shares=50")
    assert json.loads(cli("why", run, "u11", "u21", "--json").out)["time_s"] == 100.0
    later = json.loads(cli("why", run, "u11", "u21", "--at", "110s", "--json").out)
    u11 = next(level for level in later["levels"] if level["name"] == "u11")
    assert (later["time_s"], u11["shares"]) == (110.0, 50)
    ended = cli("why", run, "u11", "u21", "--policy", "flat")
    assert ended.status == 2
    assert says(ended.err, "cli.run-keeps-its-settings-policy")
