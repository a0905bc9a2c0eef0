"""What other projects' own tools make of what we write, where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.formats import format_named
from fsconsole.shares.formats.systemd import name_of_unit, unit_of_name
from fsconsole.shares.scenario.spec import Scenario
from tests.laws import tries
from tests.shares.formats.dialects import SYSTEMD, plain_tree

_PERL = """
use OAR::Conf qw(init_conf get_conf is_conf);
init_conf($ARGV[0]);
foreach my $kind ("PROJECT", "USER") {
  next unless is_conf("SCHEDULER_FAIRSHARING_${kind}_TARGETS");
  my $targets = eval(get_conf("SCHEDULER_FAIRSHARING_${kind}_TARGETS").";");
  print "$kind $_ $targets->{$_}\\n" foreach (sort keys %$targets);
}
"""
_names = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1)
_IN_OAR = ["perl", f"-I{os.environ.get('OAR_PERL5', '/usr/share/perl5')}"]


def has_oar() -> bool:
    """Return True if the configuration module of OAR (liboar-perl) is there."""
    if shutil.which("perl") is None:
        return False
    return (
        subprocess.run([*_IN_OAR, "-MOAR::Conf", "-e", "1"], capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(not has_oar(), reason="no OAR: install liboar-perl, or set OAR_PERL5 to its folder")
def test_oar_reads_the_targets_that_are_written(tmp_path: Path) -> None:
    tree = plain_tree()
    tree.add(0, "o-brien", 4)
    text = format_named("oar").write(Scenario(tree))
    (tmp_path / "oar.conf").write_text(text)
    done = subprocess.run(
        [*_IN_OAR, "-e", _PERL, tmp_path / "oar.conf"], capture_output=True, text=True, check=True
    )
    found = {tuple(line.split()[:2]): float(line.split()[2]) for line in done.stdout.splitlines()}
    whole = 60 + 40 + 10 + 4
    assert found == pytest.approx(
        {
            ("PROJECT", "proj"): 1000 / whole, ("USER", "o-brien"): 400 / whole, ("USER", "cy"): 4000 / whole,
            ("USER", "ana"): 4500 / whole, ("USER", "bo"): 1500 / whole,
        }
    )  # fmt: skip


@pytest.mark.skipif(shutil.which("systemd-escape") is None, reason="no systemd-escape: install systemd")
@tries(30)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1),
        min_size=1,
        max_size=20,
    )
)
def test_names_are_escaped_as_systemd_does(names: list[str]) -> None:
    done = subprocess.run(["systemd-escape", "--", *names], capture_output=True, text=True, check=True)
    assert [unit_of_name(name) for name in names] == done.stdout.split()
    assert [name_of_unit(unit_of_name(name)) for name in names] == names


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze: install systemd")
@pytest.mark.parametrize("text", [SYSTEMD, format_named("systemd").write(Scenario(plain_tree()))])
def test_systemd_finds_nothing_wrong_with_the_slices_that_are_written(text: str, tmp_path: Path) -> None:
    for name, body in re.findall(r"^# /\S*/(\S+\.slice)\n(.*?)(?=^# /|\Z)", text, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(body)
    slices = sorted(tmp_path.iterdir())
    assert len(slices) > 2
    env = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    command = ["systemd-analyze", "verify", "--man=no", *map(str, slices)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert [line for line in done.stderr.splitlines() if str(tmp_path) in line] == []
    (tmp_path / slices[0].name).write_text("[Slice]\nCPUWeight=20000\n")
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert "20000" in done.stderr  # it would say so
