"""Control characters of files never get to the terminal, whatever is printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.tree import TreeError, check_spelling
from fsconsole.text.visible_text import control_in, visible, visible_line
from tests.cli.conftest import Cli
from tests.texts import refuses, says

ACTING = ["\x07", "\x1b", "\x7f", "\x85", "\x9b", "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a"]
ACTING += ["\u202e", "\u2066", "\u2069"]
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escaped(sign: str) -> str:
    return f"\\u{ord(sign):04x}"


@pytest.mark.parametrize("sign", ACTING)
def test_names_with_characters_that_act_are_refused(sign: str) -> None:
    with refuses(TreeError, "shares.is-not-name-it-holds", control=f"U+{ord(sign):04X}") as caught:
        check_spelling(f"a{sign}b")
    assert not RAW.search(str(caught.value))


@pytest.mark.parametrize("name", ["a", "Ärger und Größe", "数学", "انا", "u-1.x", "a\u200db", "a b", "😀"])
def test_names_of_all_alphabets_are_names(name: str) -> None:
    check_spelling(name)
    assert visible(name) == visible_line(name) == name
    assert control_in(name) == ""


@given(st.text())
def test_visible_text_of_json_is_the_same_json(text: str) -> None:
    shown = visible(json.dumps([text], ensure_ascii=False))
    assert not RAW.search(shown)
    assert json.loads(shown) == [text]


def scenario_with(folder: Path, name: str) -> Path:
    """A scenario with a title and a first user of this name, and a second user."""
    path = folder / "a.yaml"
    children = f"[{{name: {json.dumps(name)}, shares: 1}}, {{name: b, shares: 1}}]"
    title = json.dumps("t\x9b2Jx\x1b[31m\u202ey")
    path.write_text(f"version: 1\ntitle: {title}\ntree: {{name: root, children: {children}}}\n")
    return path


@pytest.mark.parametrize("sign", ACTING)
def test_a_refused_name_is_reported_with_its_line_and_character(cli: Cli, tmp_path: Path, sign: str) -> None:
    path = scenario_with(tmp_path, f"a{sign}31m")
    ended = cli("tree", "check", path)
    assert ended.status == 1
    assert f"{path}:3:" in ended.err + ended.out
    assert f"U+{ord(sign):04X}" in ended.err + ended.out
    assert not RAW.search(ended.out + ended.err)


def test_titles_are_printed_escaped_and_json_stays_whole(cli: Cli, tmp_path: Path) -> None:
    path = scenario_with(tmp_path, "a")
    shown = cli("simulate", path, "--until", "1s")
    assert shown.status == 0
    assert not RAW.search(shown.out + shown.err)
    plain = cli("simulate", path, "--until", "1s", "--json")
    assert not RAW.search(plain.out)
    assert "\x9b2J" in str(json.loads(plain.out)) or "title" not in json.loads(plain.out)


def test_foreign_trees_with_control_characters_are_refused(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.cfg"
    path.write_text("Cluster - 'lab':Fairshare=1\nParent - 'root'\nAccount - 'a\x1b[2Jb':Description='x'\n")
    ended = cli("tree", "check", path)
    assert ended.status == 1
    assert not RAW.search(ended.out + ended.err)
    assert "U+001B" in ended.out + ended.err


@pytest.mark.parametrize("sign", ["\x1b", "\x9b", "\u202e"])
def test_what_a_cluster_calls_its_accounts_is_refused_escaped(cli: Cli, tmp_path: Path, sign: str) -> None:
    path = tmp_path / "sshare.psv"
    text = (Path(__file__).parents[1] / "slurm" / "captures" / "drained.psv").read_text("utf-8")
    path.write_text(text.replace("fs_hugo", f"fs{sign}[2Jhugo"))
    ended = cli("slurm", "fairshare", path)
    assert ended.status == 1
    assert not RAW.search(ended.out + ended.err)
    assert says(ended.err, "shares.is-not-name-it-holds", control=f"U+{ord(sign):04X}")


def test_arguments_are_reported_escaped(cli: Cli) -> None:
    for words in (("tree", "check", "no\x1b[2Jfile"), ("sim\x1b[2J",), ("batch", "simulate", "\u202e.swf")):
        ended = cli(*words)
        assert ended.status == 2
        assert not RAW.search(ended.out + ended.err)
