"""What is kept of clusters, by their names and places."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_state_path

from fsconsole.recording.audit_log import lines_of
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm import kept_places
from fsconsole.targets.slurm.audit_keeper import AuditKeeper
from fsconsole.targets.slurm.diary import diary_folder
from fsconsole.targets.slurm.kept_places import claim, log_path, place_key, store_name, stores_of
from fsconsole.targets.slurm.location import Location, capture_place
from tests.texts import says

SAME = [
    ["ssh login1", "ssh ann@login1", "ssh -o BatchMode=yes LOGIN1", "nice ssh -v -i key login1 sudo -n"],
    ["ssh -p 2222 login1", "ssh -p2222 root@login1"],
    ["ssh gate ssh login1"],
    ["ssh -J gate login1"],
    ["", "sudo -n -u slurm", "env LC_ALL=C", "env SLURM_CONF=/srv/lab/slurm.conf"],
    ["env SLURM_CONF=/srv/other/slurm.conf", "sudo env SLURM_CONF=/srv/other/slurm.conf"],
    ["ssh login1 env SLURM_CONF=/srv/other/slurm.conf"],
    ["docker exec head"],
    ["docker exec other"],
]


def key(words: str) -> str:
    return place_key(Location(tuple(words.split())))


def test_ways_to_one_place_are_one_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CONF", "/srv/lab/slurm.conf")
    keys = [{key(way) for way in ways} for ways in SAME]
    assert [len(found) for found in keys] == [1] * len(SAME)
    assert len(set.union(*keys)) == len(SAME)


def test_the_usual_settings_are_the_same_place_whether_they_are_named_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = tmp_path / "slurm.conf"
    usual.touch()
    monkeypatch.setattr(kept_places, "SETTINGS_FILES", (str(tmp_path / "none"), str(usual)))
    monkeypatch.delenv("SLURM_CONF", raising=False)
    unnamed = key("")
    monkeypatch.setenv("SLURM_CONF", str(usual))
    assert key("") == unnamed == str(usual)


_NAMES = st.sampled_from(["cluster", "a b", "a-b", "Lab", "x" * 200, "ü" * 40, ""])
_PLACES = st.sampled_from([*(key(ways[0]) for ways in SAME), "capture /srv/kept", "login1", "ssh login1 "])


@given(opened=st.lists(st.tuples(_NAMES, _PLACES), min_size=1, max_size=12))
def test_no_two_clusters_share_and_each_finds_its_own_again(opened: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", folder)
        found: dict[tuple[str, str], str] = {}
        for cluster, place in opened:
            name = store_name(cluster, place)
            assert found.setdefault((cluster, place), name) == name
            assert len(name.encode()) < 200
            assert Path(name).name == name
        assert len(set(found.values())) == len(found)
        logs = {log_path(*one) for one in found}
        assert len(logs) == len(found)


def earlier(cluster: str, *ways: str) -> None:
    """What an earlier version kept: a diary and an audit log, by the name alone."""
    (diary_folder(cluster) / "2026-W48.run").mkdir(parents=True)
    path = audit_path(f"slurm-{cluster}")
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"tick": 7, "via": way} for way in ways] or [{"tick": 7}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_what_an_earlier_version_kept_is_found_again_and_said_once() -> None:
    earlier("cluster")
    first, other = key("ssh login1"), key("ssh login2")
    said = claim("cluster", first)
    assert says(said, "targets.slurm.what-earlier-version-kept-of", cluster="cluster", place=first)
    assert claim("cluster", first) == claim("cluster", other) == ""
    assert diary_folder("cluster", first) == diary_folder("cluster")
    assert log_path("cluster", first) == audit_path("slurm-cluster")
    assert not log_path("cluster", other).exists()
    assert diary_folder("cluster", other) != diary_folder("cluster")
    assert stores_of(diary_folder("cluster").parent, "cluster") == [diary_folder("cluster")]


def test_a_log_belongs_to_the_way_that_its_last_row_went() -> None:
    earlier("cluster", "", "ssh ann@login2")
    assert claim("cluster", key("ssh login1")) == ""
    assert log_path("cluster", key("ssh login1")) != audit_path("slurm-cluster")
    assert claim("cluster", key("ssh login2"))
    assert log_path("cluster", key("ssh login2")) == audit_path("slurm-cluster")
    assert log_path("cluster", key("ssh login1")) != audit_path("slurm-cluster")


def test_a_capture_takes_nothing_of_its_cluster(tmp_path: Path) -> None:
    earlier("cluster")
    captured = place_key(capture_place(tmp_path))
    assert claim("cluster", captured) == ""
    assert diary_folder("cluster", captured) != diary_folder("cluster")
    assert claim("cluster", key("ssh login1"))


def test_without_earlier_files_nothing_is_said() -> None:
    assert claim("cluster", key("ssh login1")) == ""
    assert (user_state_path("fsconsole") / "places").is_dir()


def test_the_console_logs_by_the_place() -> None:
    for place in ("ssh login1", "ssh login2"):
        keeper = AuditKeeper(lambda _rows, _problem: None)
        keeper.open("cluster", place)
        keeper.close()
        log_path("cluster", place).parent.mkdir(parents=True, exist_ok=True)
        log_path("cluster", place).write_text(f"{json.dumps({'tick': 1, 'on': place})}\n")
    assert [line["on"] for line in lines_of(log_path("cluster", "ssh login1"))] == ["ssh login1"]
    assert [line["on"] for line in lines_of(log_path("cluster", "ssh login2"))] == ["ssh login2"]
