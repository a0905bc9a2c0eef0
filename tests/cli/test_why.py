"""`fsconsole why`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli


def test_two_users_of_series_6_with_their_factors(cli: Cli, examples: Path) -> None:
    ended = cli("why", examples / "convex-series-6.yaml", "u11", "u21", "--at", "600s")
    assert ended.status == 0
    assert "The two part below the root: gr1 has used" in ended.out
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
    assert "Nothing has run yet: this follows from the tree alone." in ended.out
    assert "1 / base share" in ended.out


def test_names_that_are_not_there(cli: Cli, examples: Path) -> None:
    ended = cli("why", examples / "convex-series-6.yaml", "u99")
    assert ended.status == 2
    assert "no node u99" in ended.err
    assert "a name is empty" in cli("why", examples / "convex-series-6.yaml", "").err
    ended = cli("why", examples / "convex-series-6.yaml", "u11", "--policy", "shre")
    assert ended.status == 2
    assert "did you mean share?" in ended.err
