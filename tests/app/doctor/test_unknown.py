"""Census of what the rules read: each field missing, and blank. No rule takes it for 0 or for no."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.app.doctor.examine import RULES, examine
from fsconsole.app.doctor.rule import Finding
from fsconsole.targets.slurm.location import example_capture
from fsconsole.targets.slurm.state import PartName
from tests.app.doctor.faults import CAPTURES, FAULTS, copy_of, parts_of, settings, site_of
from tests.slurm.gaps import gaps
from tests.texts import wording

_FOLDERS = {"shipped": example_capture(), **{name: CAPTURES / name for name in ("sound", "relative")}}
_PARTS: dict[str, tuple[PartName, ...]] = {f"{part}.txt": (part,) for part in PartName}
_PARTS |= {"partitions.txt": (PartName.PARTITIONS, PartName.QOS), "priorities.txt": ()}
# What tools leave blank, or out, says something: no flag of a QOS, and one billing unit per CPU.
_TELLING = {
    ("qos.txt", "Flags"): "relative-not-in-force",
    ("partitions.txt", "TRESBillingWeights"): "gpu-not-billed",
}
# RawUsage is as good a number; of several limits of minutes the first is named.
_OTHER_NUMBER = {("usage.txt", "NormUsage"), ("qos.txt", "MaxTRESMins")}
_OF_COUNTS = (
    "age-full", "cannot-run", "fairshare-weight", "held-jobs-age", "limit-below-share", "max-tres-idle",
    "nice-beats-fairshare", "one-fairshare-for-all", "partition-without-nodes", "usage-of-removed",
)  # fmt: skip


def _variants(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (file, field, file without it) for what rules read."""
    for path in sorted(folder.glob("*.txt")):
        if path.name not in ("reservations.txt", "assoc_mgr.txt", "cluster_tres.txt", "own_limits.txt"):
            yield from ((path.name, field, less) for field, less in gaps(folder, path.name))


def _numbers(found: Sequence[Finding]) -> set[str]:
    return {number for one in found for number in re.findall(r"\d+(?:[.,]\d+)*", one.hit.evidence)}


def _census(folder: Path, only: str = "") -> Iterator[tuple[str, str, list[Finding], list[Finding]]]:
    """Yield (file, field, findings of the whole capture, findings without the field)."""
    rules = [rule for rule in RULES if not only or rule.id == only]
    read, cluster = parts_of(folder), json.loads((folder / "capture.json").read_text())["cluster"]
    known = examine(site_of(folder, read), rules)
    for name, field, less in _variants(folder):
        path = folder / name
        text = path.read_text()
        path.write_text(less)
        others = {part: one for part, one in read.items() if part not in _PARTS[name]}
        now = others | parts_of(folder, _PARTS[name], cluster)
        yield name, field, known, examine(site_of(folder, now), rules)
        path.write_text(text)


@pytest.mark.parametrize("name", _FOLDERS)
def test_a_field_that_is_unknown_adds_no_finding_and_no_number(name: str, tmp_path: Path) -> None:
    folder = copy_of(str(_FOLDERS[name]), tmp_path / name)
    for file, field, known, found in _census(folder):
        places = {(one.rule.id, one.hit.where) for one in known}
        added = {one.rule.id for one in found if (one.rule.id, one.hit.where) not in places}
        assert added <= {_TELLING.get((file, field))}, (file, field, added)
        if not added and (file, field) not in _OTHER_NUMBER:
            assert _numbers(found) <= _numbers(known), (file, field)


@pytest.mark.parametrize("rule", _OF_COUNTS)
def test_a_rule_that_counts_counts_nothing_that_is_unknown(rule: str, tmp_path: Path) -> None:
    FAULTS[rule](tmp_path)
    for file, field, known, found in _census(tmp_path, rule):
        assert known
        assert _numbers(found) <= _numbers(known), (file, field, [one.hit.evidence for one in found])


def test_rules_about_all_of_a_part_are_silent_where_lines_of_it_are_left_out(tmp_path: Path) -> None:
    counted = {rule.id for rule in RULES if rule.whole}
    assert {"partition-without-nodes", "only-child", "max-tres-idle", "age-full"} <= counted
    for rule in counted & set(FAULTS):
        folder = tmp_path / rule
        folder.mkdir()
        site = FAULTS[rule](folder)
        (part, *_) = next(one.whole for one in RULES if one.id == rule)
        assert rule not in {one.rule.id for one in examine(replace(site, partial=frozenset((part,))))}


def test_the_effect_of_shares_is_unknown_where_settings_or_rows_are(tmp_path: Path) -> None:
    site = FAULTS["user-at-zero"](tmp_path)
    assert site.shares is not None
    settings(PriorityFlags="DEPTH_OBLIVIOUS")(tmp_path)
    for key, one in {
        "associations-were-left-out-so": replace(site, partial=frozenset((PartName.TREE,))),
        "depth-oblivious-is-set-so": site_of(tmp_path),
        "fairsharedampeningfactor-is-unknown-so-fairshare": replace(
            site, settings=None, shares=replace(site.shares, is_fair_tree=False)
        ),
    }.items():
        (found,) = [hit for hit in examine(one) if hit.rule.id == "user-at-zero"]
        assert found.hit.effect == wording(f"app.doctor.{key}")
