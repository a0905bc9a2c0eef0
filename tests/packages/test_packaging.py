"""What packages are built from: the program of the one-folder build, the desktop entry, file types."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from fsconsole.cli import open_console
from fsconsole.cli.main import run
from fsconsole.shares.formats import FORMATS

PACKAGES = Path(__file__).resolve().parents[2] / "tools" / "packages"
DESKTOP = PACKAGES / "fsconsole.desktop"


def _program(*words: str) -> str:
    command = (sys.executable, str(PACKAGES / "program.py"), *words)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_program_of_the_build_runs_python_that_the_console_starts() -> None:
    expected = "['-c', 'a', '-b']\n"
    answer = _program("-I", "-S", "-c", "import sys; print(sys.argv)", "a", "-b")
    assert answer == expected
    assert "usage" in _program("-m", "json.tool", "--help").lower()


def test_the_program_of_the_build_is_the_command_line_otherwise() -> None:
    assert _program("--version").startswith("fsconsole ")
    assert "Usage: fsconsole tree" in _program("tree", "--help")


def _desktop() -> dict[str, str]:
    parser = ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(DESKTOP, "utf-8")
    return dict(parser["Desktop Entry"])


def test_the_desktop_entry_opens_a_file_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path | None] = []

    def note(file: Path | None, *_: object, **__: object) -> int:
        opened.append(file)
        return 0

    monkeypatch.setattr(open_console, "open_console", note)
    command = _desktop()["Exec"].split()
    assert command == ["fsconsole", "open", "%f"]
    assert run([*command[1:-1]]) == 0
    assert run([*command[1:-1], str(DESKTOP)]) == 0
    assert opened == [None, DESKTOP]


def test_the_desktop_entry_is_valid() -> None:
    if (validate := shutil.which("desktop-file-validate")) is None:
        pytest.skip("desktop-file-validate is not installed: apt-get install desktop-file-utils")
    subprocess.run((validate, "--no-hints", str(DESKTOP)), check=True)


def test_file_types_are_formats_that_are_read() -> None:
    ours = "{http://www.freedesktop.org/standards/shared-mime-info}"
    root = ET.parse(PACKAGES / "fsconsole-mime.xml").getroot()
    types = {found.get("type", "") for found in root.iter(f"{ours}mime-type")}
    globs = {found.get("pattern", "") for found in root.iter(f"{ours}glob")}
    assert types <= set(_desktop()["MimeType"].split(";"))
    assert globs
    suffixes = tuple(suffix for form in FORMATS for suffix in form.all_suffixes)
    assert [glob for glob in globs if not glob.endswith(suffixes)] == []


def test_a_desktop_recognises_our_files_and_no_other_yaml(tmp_path: Path) -> None:
    (tmp_path / "mime" / "packages").mkdir(parents=True)
    shutil.copy(PACKAGES / "fsconsole-mime.xml", tmp_path / "mime" / "packages" / "fsconsole.xml")
    names = ("night.fsconsole.yaml", "tree.sharecf", "night.yaml")
    words = f"""
from PySide6.QtCore import QMimeDatabase
by_name = QMimeDatabase.MatchMode.MatchExtension
for name in {names}: print(QMimeDatabase().mimeTypeForFile(name, by_name).name())
"""
    found = subprocess.run(
        (sys.executable, "-c", words), env=os.environ | {"XDG_DATA_HOME": str(tmp_path)}, check=True,
        capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert found[:2] == ["application/x-fsconsole", "application/x-fsconsole-share-tree"]
    assert found[2] in ("application/yaml", "application/x-yaml")


def test_the_debian_package_needs_libraries_that_set_up_knows() -> None:
    control = (PACKAGES / "control").read_text("utf-8")
    assert re.findall(r"{(\w+)}", control) == ["version", "architecture", "kilobytes", "glibc"]
    bootstrap = (PACKAGES.parents[1] / "resources" / "setup" / "bootstrap").read_text("utf-8")
    for name in ("libegl1", "libgl1", "libwayland-client0", "libwayland-cursor0", "libwayland-egl1"):
        assert f" {name}," in control
        assert name in bootstrap


def test_the_install_page_names_every_package_of_qt() -> None:
    root = PACKAGES.parents[1]
    bootstrap = (root / "resources" / "setup" / "bootstrap").read_text("utf-8")
    needed = re.findall(r"^lib\S+\.so\S* +(\S+)$", bootstrap, re.MULTILINE)
    page = (root / "docs" / "how-to" / "install.md").read_text("utf-8")
    assert len(needed) > 20
    assert set(needed) <= set(page.split())
