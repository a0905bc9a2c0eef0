"""Each rule has output of tools on which it fires and some on which it does not, read by the readers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fsconsole.app.doctor.catalogue import Grade
from fsconsole.app.doctor.examine import RULES, applying, examine
from fsconsole.app.doctor.rule import Rule
from fsconsole.app.doctor.site import Site
from fsconsole.app.doctor.sources import of_scenario
from fsconsole.cli.main import run
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.slurm.location import example_capture
from tests.app.doctor.faults import CAPTURES, FAULTS, SOUND_ONES, captured, copy_of, settings, site_of, text

_SEEN_CAPTURES = (
    "22.05", "24.11", "26.05", "limits", "relative", "relative-memory", "partition-qos", "sound",
)  # fmt: skip
_OF_RELATIVE = (
    "gpu-not-billed", "relative-percent-above-100", "relative-partition-qos-listed", "root-competes",
    "relative-minutes",
)  # fmt: skip
_BESIDE = {
    **{rule.id: _OF_RELATIVE for rule in RULES if rule.id.startswith("relative-")},
    "priority-flag-unknown": ("max-tres-idle",),
}
"""What else is found where a rule fires."""
_MEANT = {"feedback-depth.yaml": {"policy-constant"}}  # It shows how far a gain of 1 overshoots.
_STATED = ("PreemptType", "PreemptMode", "PriorityType", "SchedulerType")


def _ids(site: Site) -> set[str]:
    return {one.rule.id for one in examine(site)}


def _worse_than_unusual(site: Site) -> set[str]:
    return {one.rule.id for one in examine(site) if one.rule.grade is not Grade.UNUSUAL}


def test_no_rule_is_without_a_fault() -> None:
    assert set(FAULTS) == {rule.id for rule in RULES}


@pytest.mark.parametrize("rule", FAULTS)
def test_a_rule_fires_on_what_the_tools_print(rule: str, tmp_path: Path) -> None:
    found = examine(FAULTS[rule](tmp_path))
    assert {one.rule.id for one in found} == {rule, *_BESIDE.get(rule, ())}
    assert all(one.hit.evidence and one.hit.fix and one.hit.effect and one.rule.source for one in found)


@pytest.mark.parametrize("name", SOUND_ONES)
def test_a_sound_one_has_no_findings(name: str, tmp_path: Path) -> None:
    assert _ids(SOUND_ONES[name](tmp_path)) == set()


@pytest.fixture(scope="module")
def sound_sites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Site]:
    return {name: made(tmp_path_factory.mktemp(name)) for name, made in SOUND_ONES.items()}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_silent_on_a_sound_one_that_it_applies_to(rule: Rule, sound_sites: dict[str, Site]) -> None:
    able = [site for site in sound_sites.values() if rule in applying(site)]
    assert able
    assert [examine(site, [rule]) for site in able] == [[] for _ in able]


@pytest.mark.parametrize("name", _SEEN_CAPTURES)
def test_what_is_left_out_of_the_settings_adds_no_finding(name: str, tmp_path: Path) -> None:
    folder = copy_of(name, tmp_path / name)
    known = _ids(site_of(folder))
    path = folder / "settings.txt"
    lines = path.read_text().splitlines(keepends=True)
    telling = ("Priority", "Accounting", "Preempt", "Sched", "Private", "FairShare", "Enforce", "Dependency")
    for at, line in enumerate(lines):
        if line.startswith(telling):
            path.write_text("".join(lines[:at] + lines[at + 1 :]))
            assert _ids(site_of(folder)) <= known, line


@pytest.mark.parametrize("name", _SEEN_CAPTURES)
def test_an_answer_that_is_missing_adds_no_finding(name: str, tmp_path: Path) -> None:
    known = _ids(site_of(CAPTURES / name))
    for path in sorted((CAPTURES / name).glob("*.txt")):
        if path.name not in ("usage.txt", "tree.txt"):
            folder = copy_of(name, tmp_path / path.stem)
            (folder / path.name).unlink()
            assert _ids(site_of(folder)) <= known, path.name


@pytest.mark.parametrize("key", _STATED)
def test_no_rule_compares_a_setting_that_is_unknown_here(key: str, tmp_path: Path) -> None:
    for value in ("preempt/ours", "priority/ours", "sched/ours", "OURS"):
        folder = tmp_path / value.replace("/", "-")
        assert _ids(captured(settings(**{key: value}))(folder)) == set()


def test_a_cluster_without_fairshare_has_its_finding_and_a_capture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copy_of("sound", tmp_path / "basic")
    settings(PriorityType="priority/basic")(folder)
    text("settings", (r"re:^Priority(Decay|Calc|Flags|Weight|Max|Favor|Usage).*\n", ""))(folder)
    assert run(["doctor", str(folder), "--json"]) == 1
    assert '"priority-plugin"' in capsys.readouterr().out


def test_no_shipped_example_is_graded_above_unusual(tmp_path: Path) -> None:
    for path in sorted(examples().glob("*.yaml")):
        site = of_scenario(path.name, read_scenario(path))
        assert _worse_than_unusual(site) == _MEANT.get(path.name, set()), path.name
    shutil.copytree(example_capture(), tmp_path / "capture")
    site = site_of(tmp_path / "capture")
    assert _worse_than_unusual(site) == {"user-at-zero"}  # mia of teaching is there to show it
