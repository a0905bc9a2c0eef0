from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from PySide6.QtCore import QObject, Signal

from fsconsole import __version__
from fsconsole.resources import COMMIT, commit_of, examples, resource
from tests.texts import refuses

CHECKOUT = Path(__file__).resolve().parent.parent
SETUP = CHECKOUT / "resources" / "setup"
PYPROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


class Emitter(QObject):
    changed = Signal(bool)


def committed_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout: nothing to look through")
    return [CHECKOUT / name for name in listed.stdout.decode().split("\0") if name]


def test_void_qt_calls_keep_their_references_to_none() -> None:
    # PySide6 6.12.0 loses one reference to None per void call: long-running windows die of it.
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(100):
        thing.setObjectName("x")
    assert sys.getrefcount(None) > before - 50


def test_emitting_a_signal_keeps_its_references_to_true() -> None:
    emitter = Emitter()
    before = sys.getrefcount(True)
    for _ in range(100):
        emitter.changed.emit(True)
    assert sys.getrefcount(True) > before - 50


def locked_versions(lock: str) -> dict[str, list[str]]:
    versions: dict[str, list[str]] = {}
    text = (SETUP / lock).read_text(encoding="utf-8")
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", text, re.MULTILINE):
        versions.setdefault(canonicalize_name(name), []).append(version)
    return versions


def wanted(requirements: list[str | dict[str, str]]) -> list[Requirement]:
    return [Requirement(text) for text in requirements if isinstance(text, str)]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_the_lock_holds_what_pyproject_asks(lock: str) -> None:
    requirements = wanted(PYPROJECT["project"]["dependencies"]) + wanted(
        PYPROJECT["dependency-groups"]["build"]
    )
    if lock == "requirements-dev.lock":
        requirements += wanted(PYPROJECT["dependency-groups"]["dev"])
    locked = locked_versions(lock)
    for requirement in requirements:
        versions = locked[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_the_two_locks_agree() -> None:
    development = locked_versions("requirements-dev.lock")
    assert locked_versions("requirements.lock").items() <= development.items()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock", "requirements-uv.lock"])
def test_every_locked_version_has_a_hash_and_no_host_is_named(lock: str) -> None:
    text = (SETUP / lock).read_text(encoding="utf-8")
    packages = re.findall(r"^\S+==.*(?:\\\n.*)+", text, re.MULTILINE)
    assert len(packages) == sum(map(len, locked_versions(lock).values()))
    assert all("--hash=sha256:" in package for package in packages)
    assert "://" not in text
    assert "--index" not in text


def test_the_version_is_reported_once() -> None:
    assert PYPROJECT["project"]["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


@pytest.mark.parametrize("where", ["loose", "packed", "detached", "worktree", "wheel", "none"])
def test_the_commit_of_a_checkout_is_read_without_git(tmp_path: Path, where: str) -> None:
    package, git, commit = tmp_path / "fsconsole", tmp_path / ".git", "0123456789abcdef" * 2 + "01234567"
    package.mkdir()
    if where == "wheel":
        (package / COMMIT).write_text("01234567\n")
    elif where == "worktree":
        common, git = tmp_path / "main", tmp_path / "main" / "worktrees" / "w"
        git.mkdir(parents=True)
        (tmp_path / ".git").write_text(f"gitdir: {git}\n")
        (git / "commondir").write_text("../..\n")
        (common / "refs" / "heads").mkdir(parents=True)
        (common / "refs" / "heads" / "h").write_text(f"{commit}\n")
        (git / "HEAD").write_text("ref: refs/heads/h\n")
    elif where != "none":
        git.mkdir()
        (git / "HEAD").write_text(f"{commit}\n" if where == "detached" else "ref: refs/heads/main\n")
        (git / "packed-refs").write_text(f"# pack-refs\n{'f' * 40} refs/heads/other\n")
        if where == "packed":
            (git / "packed-refs").write_text(f"# pack-refs\n{commit} refs/heads/main\n")
        elif where == "loose":
            (git / "refs" / "heads").mkdir(parents=True)
            (git / "refs" / "heads" / "main").write_text(f"{commit}\n")
    assert commit_of(package) == ("" if where == "none" else commit[:8])


def test_resources_and_examples_are_found() -> None:
    assert resource("setup/requirements.lock").is_file()
    assert examples().is_dir()
    with refuses(FileNotFoundError, "fsconsole.no-such-resource"):
        resource("no/such.svg")


def test_the_wheel_carries_resources_and_examples(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(tmp_path), str(CHECKOUT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"fsconsole-{__version__}-py3-none-any.whl"  # For every system.
    carried = set(zipfile.ZipFile(wheel).namelist())
    assert not {name for name in carried if Path(name).suffix in (".so", ".dylib", ".pyd", ".dll")}
    assert not {name for name in carried if set(name) & set('\\:*?"<>|')}  # Windows has no such names.
    assert zipfile.ZipFile(wheel).read(f"fsconsole/{COMMIT}").decode().strip() == commit_of(
        CHECKOUT / "fsconsole"
    )
    assert {f"fsconsole/_resources/icons/{path.name}" for path in resource("icons").iterdir()} <= carried
    assert {f"fsconsole/_examples/{path.name}" for path in examples().glob("*.yaml")} <= carried
    assert "fsconsole/_docs/how-to/linux.md" in carried
    pages = "".join(path.read_text("utf-8") for path in (CHECKOUT / "docs").rglob("*.md"))
    pictures = set(re.findall(r"\.\./resources/(screenshots/[\w-]+\.png)\)", pages))
    assert "screenshots/dragging.png" in pictures
    assert {f"fsconsole/_resources/{name}" for name in pictures} <= carried


# Put together here, so that this file may itself be looked through.
FORBIDDEN = re.compile(
    "|".join(
        ["/wo" + "rk/", "/home/" + r"\w", "/ro" + "ot/", r"[\w.]+@(?!example\.)[\w-]+\.(?:com|org|net)\b"]
    )
)


def test_nothing_committed_names_a_machine_or_a_person() -> None:
    found = []
    for path in committed_files():
        if not path.is_file() or path.suffix in {".png", ".lock"}:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{path.relative_to(CHECKOUT)}: {hit.group()}" for hit in FORBIDDEN.finditer(text)]
    assert not found


HEAVY = ("numpy", "PySide6", "pyqtgraph", "numba", "polars", "pydantic", "yaml")


def test_the_command_line_starts_without_heavy_libraries() -> None:
    code = (
        "import sys; from fsconsole.cli.main import main\n"
        "sys.argv = ['fsconsole', '--help']\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"print('loaded:', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines()[-1] == "loaded:"
