"""Build the packages: `python -m tools.packages.build wheel|app|deb`.

The wheel is pure Python. The one-folder build has Python and all libraries but those of a desktop; it is made
in an environment of its own, in which the wheel is installed beside the locked versions. The .deb puts that
folder into a system, with a desktop entry, an icon and file types.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable
from pathlib import Path

from fsconsole import __version__

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
DIST, WORK = ROOT / "dist", ROOT / "build" / "packages"
LOCK = ROOT / "resources" / "setup" / "requirements-packages.lock"
ICON = ROOT / "resources" / "fsconsole.svg"
APP = DIST / "fsconsole"


def main() -> int:
    """Build what is named; its exit status."""
    makers: dict[str, Callable[[], Path]] = {"wheel": build_wheel, "app": build_app, "deb": build_deb}
    asked = sys.argv[1:]
    if not asked or any(name not in makers for name in asked):
        print(f"Usage: python -m tools.packages.build {'|'.join(makers)}", file=sys.stderr)
        return 2
    DIST.mkdir(exist_ok=True)
    for name in asked:
        made = makers[name]()
        print(f"Built {made.relative_to(ROOT)} ({made.stat().st_size / 1e6:.0f} MB)")
    return 0


def build_wheel() -> Path:
    """Build the wheel; return its file."""
    words = ("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(DIST))
    _run(sys.executable, "-m", *words, str(ROOT))
    return DIST / f"fsconsole-{__version__}-py3-none-any.whl"


def build_app() -> Path:
    """Build the folder dist/fsconsole, which runs by itself; return it as an archive."""
    python = _environment(build_wheel())
    words = ("PyInstaller", "--noconfirm", "--log-level", "ERROR", "--distpath", str(DIST))
    places = ("--workpath", str(WORK / "pyinstaller"), str(HERE / "fsconsole.spec"))
    # With -P Python imports the installed wheel and not the checkout.
    _run(str(python), "-P", "-m", *words, *places)
    archive = DIST / f"fsconsole-{__version__}-linux-{platform.machine()}.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=4) as packed:
        packed.add(APP, "fsconsole", filter=_as_root)
    return archive


def build_deb() -> Path:
    """Build the .deb of the folder, which is built where it is not there; return its file."""
    if not (APP / "fsconsole").exists():
        build_app()
    root = WORK / "deb"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(APP, root / "usr/lib/fsconsole", symlinks=True)
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/fsconsole").symlink_to("../lib/fsconsole/fsconsole")
    for source, folder, name in (
        (HERE / "fsconsole.desktop", "applications", "fsconsole.desktop"),
        (HERE / "fsconsole-mime.xml", "mime/packages", "fsconsole.xml"),
        (ICON, "icons/hicolor/scalable/apps", "fsconsole.svg"),
    ):
        place = root / "usr/share" / folder
        place.mkdir(parents=True)
        shutil.copy(source, place / name)
    kilobytes = sum(path.lstat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    architecture = _output("dpkg", "--print-architecture")
    text = (HERE / "control").read_text("utf-8")
    control = root / "DEBIAN" / "control"
    control.parent.mkdir()
    glibc = platform.libc_ver()[1]
    control.write_text(
        text.format(version=__version__, architecture=architecture, kilobytes=kilobytes, glibc=glibc)
    )
    _run("chmod", "-R", "u+rwX,go+rX,go-w", str(root))
    made = DIST / f"fsconsole_{__version__}_{architecture}.deb"
    _run("dpkg-deb", "--root-owner-group", "-Zzstd", "-z9", "--build", str(root), str(made))
    return made


def _environment(wheel: Path) -> Path:
    """Return the Python of an environment with the locked versions, PyInstaller and the wheel."""
    folder = WORK / "venv"
    python, stamp = folder / "bin" / "python", folder / "locked"
    if not stamp.exists() or stamp.stat().st_mtime < LOCK.stat().st_mtime:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        _run(str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(LOCK))
        stamp.touch()
    _run(str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", str(wheel))
    return python


def _as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def _run(*words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(words, check=True, env=environment, cwd=ROOT)


def _output(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
