from __future__ import annotations

from pathlib import Path

from fsconsole.shares.formats import FORMATS, format_named, format_of, read_tree, write_tree
from fsconsole.shares.scenario.problems import ScenarioError
from tests.shares.example_files import CHECKOUT, EXAMPLES
from tests.texts import refuses_naming, wording

DUMP = CHECKOUT / "tests" / "data" / "slurm" / "running-dump.cfg"


def test_the_suffix_chooses_and_the_content_where_it_says_nothing() -> None:
    assert format_of(Path("a.yaml")).name == format_of(Path("a.YML")).name == "yaml"
    assert format_of(Path("a.cfg")).name == "slurm"
    assert format_of(Path("dump"), DUMP.read_text()).name == "slurm"
    assert format_of(Path("tree.txt"), EXAMPLES[0].read_text()).name == "yaml"


def test_formats_are_known_by_name() -> None:
    assert [format_named(item.name) for item in FORMATS] == list(FORMATS)
    with refuses_naming(LookupError, "toml", "yaml", "slurm", "sharecf", "csv", "sge"):
        format_named("toml")


def test_a_dump_through_a_scenario_file_is_the_same_dump(tmp_path: Path) -> None:
    scenario = read_tree(DUMP)
    assert scenario.title == wording("shares.formats.slurm-cluster", cluster="lab")
    write_tree(scenario, tmp_path / "lab.yaml")
    write_tree(read_tree(tmp_path / "lab.yaml"), tmp_path / "lab.cfg")
    assert (tmp_path / "lab.cfg").read_text() == DUMP.read_text()


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.cfg"
    path.write_text("nonsense")
    place = wording("shares.scenario.line-column", line="1", column="1")
    wrong = wording("shares.formats.not-line-of-slurm-dump")
    with refuses_naming(ScenarioError, f"bad.cfg: {place}error: {wrong}"):
        read_tree(path)
    path.write_bytes(b"\xff\xfe")
    wrong = wording("shares.scenario.file-is-utf-16-save")
    with refuses_naming(ScenarioError, f"bad.cfg: {place}error: {wrong}"):
        read_tree(path)
