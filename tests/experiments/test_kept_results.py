"""Results of experiments are kept for a state of the sources, where no other user can put any."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.experiments.conftest import digest_of_sources, folder_of_digest

FILES = (
    "fsconsole/machine/a.py",
    "fsconsole/experiments/b.py",
    "example_trees/c.yaml",
    "resources/setup/requirements-dev.lock",
)
OTHERS = ("fsconsole/console/d.py", "fsconsole/machine/__pycache__/a.pyc", "tests/e.py")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in (*FILES, *OTHERS):
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\n")
    return tmp_path / "checkout"


@pytest.mark.parametrize("name", FILES)
def test_each_source_changes_the_digest(checkout: Path, name: str) -> None:
    before = digest_of_sources(checkout)
    (checkout / name).write_text("2\n")
    changed = digest_of_sources(checkout)
    (checkout / name).unlink()
    assert len({before, changed, digest_of_sources(checkout)}) == 3


def test_other_files_and_the_place_of_the_checkout_do_not(checkout: Path, tmp_path: Path) -> None:
    before = digest_of_sources(checkout)
    for name in OTHERS:
        (checkout / name).write_text("2\n")
    clone = shutil.copytree(checkout, tmp_path / "clone")
    assert digest_of_sources(checkout) == digest_of_sources(clone) == before


def test_a_few_states_stay_and_those_used_last_among_them(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    made = [folder_of_digest(folder, name) for name in "abcd"]
    for age, path in enumerate(made):
        os.utime(path, (1000 + age, 1000 + age))
    folder_of_digest(folder, "a")
    folder_of_digest(folder, "e")
    assert sorted(path.name for path in folder.iterdir()) == ["a", "c", "d", "e"]
    assert {path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())} == {0o700}


def test_a_state_that_another_run_may_be_at_stays(tmp_path: Path) -> None:
    made = [folder_of_digest(tmp_path / "kept", name) for name in "abcdef"]
    assert all(path.is_dir() for path in made)


def test_a_folder_that_leads_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "kept").symlink_to(tmp_path / "theirs")
    with pytest.raises(PermissionError):
        folder_of_digest(tmp_path / "kept", "a")
