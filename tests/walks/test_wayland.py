"""The README's walk on a Wayland display: sway without a screen, its output scaled by 1.5."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import pytest

_CHECKOUT = Path(__file__).parents[2]
_CONFIG = """\
output HEADLESS-1 mode 2560x1600 scale 1.5
xwayland disable
default_border none
for_window [app_id=".*"] floating enable
"""
_NOBODY = 65_534  # sway does not start as root
_STARTS_S = 30.0
_WALK_S = 280


@pytest.fixture
def display() -> Iterator[Path]:
    """The socket of a compositor that draws into memory."""
    sway = shutil.which("sway")
    if sway is None:
        pytest.skip("no sway on this machine; Debian's package has that name")
    with TemporaryDirectory(prefix="fsconsole-sway-") as name:
        folder = Path(name)
        (folder / "config").write_text(_CONFIG, encoding="utf-8")
        is_root = os.geteuid() == 0
        if is_root:
            for path in (folder, folder / "config"):
                os.chown(path, _NOBODY, _NOBODY)
        headless = {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
        started = subprocess.Popen(
            [sway, "--config", folder / "config"],
            env={"PATH": os.environ["PATH"], "HOME": name, "XDG_RUNTIME_DIR": name, **headless},
            user=_NOBODY if is_root else None,
            group=_NOBODY if is_root else None,
            extra_groups=[] if is_root else None,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield _socket(folder)
        finally:
            started.terminate()
            started.wait()


def _socket(folder: Path) -> Path:
    ends = monotonic() + _STARTS_S
    while monotonic() < ends:
        found = [path for path in folder.glob("wayland-*") if path.is_socket()]
        if found:
            return found[0]
        sleep(0.1)
    raise AssertionError(list(folder.iterdir()))


def test_readme_on_wayland(display: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/walks/test_readme.py", "-k", "1280x800"],
        cwd=_CHECKOUT,
        env={**os.environ, "FSCONSOLE_TEST_PLATFORM": "wayland", "WAYLAND_DISPLAY": str(display)},
        capture_output=True,
        text=True,
        timeout=_WALK_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
