"""What is kept of clusters, by their names and places."""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_state_path

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.audit_log import AuditLog, lines_of
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm import kept_places
from fsconsole.targets.slurm.audit_keeper import AuditKeeper
from fsconsole.targets.slurm.diary import diary_folder
from fsconsole.targets.slurm.kept_places import (
    claim,
    is_settled,
    log_path,
    place_key,
    settle,
    store_name,
    stores_of,
)
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


@pytest.mark.parametrize("is_begun", [True, False])
def test_where_no_owner_can_be_noted_what_was_kept_is_found_all_the_same(
    monkeypatch: pytest.MonkeyPatch, is_begun: bool
) -> None:
    """A full disk left the note empty, and hid diary, audit log and staged edits from then on."""
    earlier("cluster")
    first, path = key("ssh login1"), user_state_path("fsconsole") / "places" / "cluster"

    def no_room(name: str, flags: int) -> int:
        if is_begun:
            path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)

    with monkeypatch.context() as patch:
        patch.setattr(kept_places, "private_opener", no_room)
        assert diary_folder("cluster", first) == diary_folder("cluster")
        assert path.exists() is is_begun
    assert diary_folder("cluster", first) == diary_folder("cluster")
    assert diary_folder("cluster", key("ssh login2")) != diary_folder("cluster")


def test_the_console_logs_by_the_place() -> None:
    for place in ("ssh login1", "ssh login2"):
        keeper = AuditKeeper(lambda _rows, _problem: None)
        keeper.open("cluster", place)
        keeper.close()
        log_path("cluster", place).parent.mkdir(parents=True, exist_ok=True)
        log_path("cluster", place).write_text(f"{json.dumps({'tick': 1, 'on': place})}\n")
    assert [line["on"] for line in lines_of(log_path("cluster", "ssh login1"))] == ["ssh login1"]
    assert [line["on"] for line in lines_of(log_path("cluster", "ssh login2"))] == ["ssh login2"]


def settings(*controllers: str, port: str = "6817", database: str = "localhost") -> dict[str, str]:
    """Settings of a cluster as `scontrol show config` gives them."""
    hosts = {f"slurmctldhost[{at}]": host for at, host in enumerate(controllers)}
    return {
        **hosts,
        "slurmctldport": port,
        "accountingstoragehost": database,
        "accountingstorageport": "6819",
    }


SITES = (
    settings("head1"),
    settings("head2", "head3(10.0.0.3)"),
    settings("head1", port="7817"),
    settings("mgmt", database="db.example.org"),
)
HERE = "/etc/slurm/slurm.conf"


@given(opened=st.lists(st.tuples(st.integers(0, 3), st.sampled_from([HERE, "login1"])), max_size=12))
def test_clusters_of_one_name_at_one_place_are_told_apart_by_their_controllers(
    opened: list[tuple[int, str]],
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", folder)
        wheres: dict[tuple[int, str], str] = {}
        for site, place in opened:
            is_first = not any(known == place for _, known in wheres)
            is_new = (site, place) not in wheres
            where, said = settle("cluster", place, SITES[site])
            assert wheres.setdefault((site, place), where) == where
            assert (where == place) >= is_first
            assert bool(said) == (is_new and not is_first)
        assert len(set(wheres.values())) == len(wheres)
        assert len({store_name("cluster", where) for where in wheres.values()}) == len(wheres)


MOVES = (
    (settings("head1", "head2"), settings("head2", "head1")),  # a failover
    (settings("head1", "head2"), settings("head2", "head9"), settings("head9")),
    (settings("head1", database="db"), settings("head7", database="db"), settings("head7", database="db2")),
)


@pytest.mark.parametrize("moves", MOVES)
def test_a_cluster_that_moves_keeps_its_place(moves: tuple[dict[str, str], ...]) -> None:
    settle("cluster", HERE, settings("other"))
    first, said = settle("cluster", HERE, moves[0])
    assert said
    assert first != HERE
    assert [settle("cluster", HERE, after) for after in moves] == [(first, "")] * len(moves)


def test_a_controller_on_the_login_node_itself_is_that_of_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    found, elsewhere = [], []
    for node in ("ws1", "ws2", "ws1"):
        monkeypatch.setattr("platform.node", lambda node=node: node)
        found.append(settle("cluster", HERE, settings("localhost(127.0.0.1)"))[0])
        elsewhere.append(settle("cluster", "login1", settings("localhost"))[0])
    assert found[0] == found[2] == HERE != found[1]
    assert elsewhere == ["login1"] * 3


def test_a_diary_of_the_form_before_belongs_to_the_controller_in_it(tmp_path: Path) -> None:
    week = diary_folder("cluster", HERE) / "2026-W48.run"
    week.mkdir(parents=True)
    (week / "manifest.json").write_text(json.dumps({"slurm": SITES[0]}))
    other, said = settle("cluster", HERE, SITES[1])
    assert other != HERE
    assert said
    assert settle("cluster", HERE, SITES[0]) == (HERE, "")
    assert diary_folder("cluster", HERE) == week.parent != diary_folder("cluster", other)


def test_a_diary_by_the_name_alone_is_not_taken_by_another_controller() -> None:
    earlier("cluster")
    week = diary_folder("cluster") / "2026-W48.run"
    (week / "manifest.json").write_text(json.dumps({"slurm": SITES[0]}))
    other, _ = settle("cluster", HERE, SITES[1])
    assert diary_folder("cluster", other) != week.parent
    where, said = settle("cluster", HERE, SITES[0])
    assert says(said, "targets.slurm.what-earlier-version-kept-of", cluster="cluster", place=HERE)
    assert diary_folder("cluster", where) == week.parent
    assert log_path("cluster", where) == audit_path("slurm-cluster") != log_path("cluster", other)


def test_settings_without_a_controller_and_captures_split_nothing(tmp_path: Path) -> None:
    settle("cluster", HERE, SITES[0])
    assert settle("cluster", HERE, {"clustername": "cluster"}) == (HERE, "")
    captured = place_key(capture_place(tmp_path))
    assert settle("cluster", captured, SITES[1]) == (captured, "")


@pytest.mark.parametrize("known", [(), SITES[:1], SITES])
def test_a_cluster_whose_settings_are_not_read_is_taken_for_none(known: tuple[dict[str, str], ...]) -> None:
    others = {settle("cluster", HERE, site)[0] for site in known}
    earlier("cluster")
    before = sorted(path for path in user_state_path("fsconsole").rglob("*"))
    where, said = settle("cluster", HERE, {})
    assert said == ""
    assert not is_settled(where)
    assert where not in others
    names = {store_name("cluster", one) for one in (*others, "")}
    assert store_name("cluster", where) not in names
    assert sorted(path for path in user_state_path("fsconsole").rglob("*")) == before


_STEPS = st.tuples(st.sampled_from(["old", "new"]), st.integers(0, 3), st.sampled_from([HERE, "login1"]))


@given(steps=st.lists(_STEPS, max_size=15))
def test_no_log_is_split_while_an_earlier_version_writes(steps: list[tuple[str, int, str]]) -> None:
    """The earlier version writes by the name alone; what it has written is one file, whoever comes when."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", folder)
        written: dict[Path, set[object]] = {}
        paths: dict[object, Path] = {}
        for version, site, place in steps:
            path, by = audit_path("slurm-cluster"), "old"
            if version == "new":
                where, _ = settle("cluster", place, SITES[site])
                path, by = log_path("cluster", where), f"{site} {place}"
                assert paths.setdefault(by, path) == path
            AuditLog(path, 1, datetime(1970, 1, 1, tzinfo=UTC)).write([row_by(by)])
            written.setdefault(path, set()).add(by)
        assert all(len(by - {"old"}) <= 1 for by in written.values())
        rows = [line["who"] for path in written for line in lines_of(path)]
        assert len(rows) == len(steps)
        assert sum("old" in {line["who"] for line in lines_of(path)} for path in written) <= 1


def row_by(who: str) -> AuditRow:
    return AuditRow(7, who, "set shares", "a", "1", "2", Result.DONE, "", "")
