"""`fsconsole slurm status`, `show`, `diff`, `apply` and `job`, with fake tools that tests drive."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsconsole.app.cluster.reached import Reached, ReachedRow
from fsconsole.cli import cluster
from fsconsole.cli.cluster_reached import say_reached
from fsconsole.cli.errors import UNKNOWN
from fsconsole.cli.main import run
from fsconsole.cli.slurm_show import _rows
from fsconsole.recording.audit_log import lines_of
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm.location import capture_place
from tests.slurm.captured import OLD_EXAMPLE, captured
from tests.slurm.clusters import cluster_of, stored_of
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.fake.fake_ssh import Cut, FakeSsh
from tests.texts import says, wording

Out = pytest.CaptureFixture[str]


_JOBS = captured("preempted/scontrol-show-job-oneline.txt").splitlines()
_RUNNING = re.sub(r"JobState=\w+", "JobState=RUNNING", next(one for one in _JOBS if "JobId=43 " in one))


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """The tree of the cluster that the fake tools speak of, with another share for hep."""
    file = tmp_path / "wanted.cfg"
    lines = captured("plain/dump.cfg").split("\n")
    changed = [
        line.replace("Fairshare=3", "Fairshare=7") if line.startswith("Account - 'hep'") else line
        for line in lines
    ]
    assert changed != lines
    file.write_text("\n".join(changed))
    return file


def _changing(fake: FakeSlurm) -> list[str]:
    return [call.line for call in fake.calls if call.argv[:1] == ("-i",) or call.tool == "scancel"]


def _json(capsys: Out) -> Any:
    return json.loads(capsys.readouterr().out)


def test_status_says_what_answers(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "status", "--json"]) == 0
    data = _json(capsys)
    assert (data["cluster"], data["version"]) == ("lab", "22.05.8")
    assert {part["problem"] for part in data["parts"].values()} == {""}
    fake_slurm.slurmdbd_is_down()
    assert run(["slurm", "status"]) == 1
    out = capsys.readouterr().out
    assert says(out, "targets.slurm.slurmdbd-does-not-respond", where="", why="")
    assert says(out, "cli.slurmctld-responds-for", name="lab")


def test_a_missing_tool_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["slurm", "show"]) == 1
    assert says(capsys.readouterr().err, "targets.slurm.not-found-here")


def test_a_missing_configuration_is_reported_at_once(
    fake_slurm: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    assert run(["slurm", "why", "fs_anna"]) == 1
    assert says(
        capsys.readouterr().err, "targets.slurm.slurm-conf-names-which-does", path=tmp_path / "slurm.conf"
    )
    assert not fake_slurm.calls
    (tmp_path / "slurm.conf").touch()
    assert run(["slurm", "why", "fs_anna"]) == 0


def test_a_slow_tool_is_named_and_ended(
    fake_slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr(cluster, "_SLOW_S", 0.1)
    monkeypatch.setattr(cluster, "_SETTINGS_S", 0.5)
    fake_slurm.answer("scontrol", ending="hang")
    assert run(["slurm", "show"]) == 0  # sacctmgr has the tree
    err = capsys.readouterr().err
    assert err.count(wording("cli.waiting-for-for-at-most", tool="scontrol", limit_s="0.5")) == 1
    assert says(err, "targets.slurm.did-not-respond-within-s", tool="scontrol", limit_s="0.5")
    assert not [call for call in fake_slurm.calls if call.tool == "sshare"]


def test_jobs_that_wait_have_their_priority(capsys: Out) -> None:
    via = shlex.join(capture_place(OLD_EXAMPLE).prefix)
    assert run(["slurm", "jobs", "--via", via]) == 0
    lines = capsys.readouterr().out.splitlines()
    (title,) = (line for line in lines if "Reason" in line)
    at = title.index("Priority")
    priorities = {line.split()[0]: line[at:].split("  ")[0].strip() for line in lines if line.split()}
    assert priorities["32"] == "34,199"
    # It does not wait.
    assert priorities["1"] == ""


def test_jobs_stand_as_the_queue_does_and_fit_the_terminal(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = Path(__file__).parents[1] / "data" / "slurm" / "26.05"
    jobs = ["slurm", "jobs", "--via", shlex.join(capture_place(capture).prefix)]
    counts, each = ("5 running", "1 suspended", "4 held"), wording("cli.each-task-of-array-is") + "."
    for width in (130, 100, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        assert run(jobs) == 0
        lines = capsys.readouterr().out.splitlines()
        table = lines[: next(at for at, line in enumerate(lines) if "task of an array" in line)]
        assert max(map(len, table)) <= max(width, 73)
        assert [line.split()[0] for line in table if line[1:2].isdigit()] == [*"123457", "6_[1-4%2]"]
        left_out = {130: "Account.", 100: "Account, Elapsed and Left."}.get(width, "Partition.")
        assert says("".join(table), "app.jobs.held-by-its-user")
        assert lines[len(table)] == ", ".join(counts) + each
        assert "".join(lines[len(table) + 1 :]).endswith(left_out)
    monkeypatch.delenv("COLUMNS")
    assert run([*jobs, "user:games"]) == 0
    output = capsys.readouterr().out
    assert "Account" in output
    assert output.endswith(each + "\n")
    assert output.splitlines()[-1].removesuffix(each).split() == ["1", "running", "of", "10", "jobs"]


def test_a_prefix_is_put_before_each_tool(fake_slurm: FakeSlurm, capsys: Out) -> None:
    answer = run(["slurm", "status", "--via", "env 'X=a b'", "--json"])
    assert answer == 0
    assert _json(capsys)["via"] == ["env", "X=a b"]
    assert run(["slurm", "status", "--via", "no-such-program", "--json"]) == 1
    assert says(
        _json(capsys)["parts"]["jobs"]["problem"],
        "cli.not-found",
        what="program",
        name="no-such-program",
        name_2="",
    )


@pytest.mark.parametrize("via", ["", "'cut", "--yes"])
def test_what_is_no_prefix_is_wrong_use(via: str, capsys: Out) -> None:
    assert run(["slurm", "status", "--via", via]) == 2
    assert "--via" in capsys.readouterr().err


def test_show_has_usage_and_fairshare(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "show", "--json"]) == 0
    rows = {(row["account"], row["user"]): row for row in _json(capsys)}
    assert rows[("genomics", "fs_hugo")]["shares"] == "parent"
    assert 0 < rows[("hep", "fs_ben")]["fairshare"] < 1
    assert run(["slurm", "show"]) == 0
    assert "fs_ben" in capsys.readouterr().out


def test_without_slurmdbd_the_tree_is_that_of_sshare(fake_slurm: FakeSlurm, capsys: Out) -> None:
    fake_slurm.slurmdbd_is_down()
    assert run(["slurm", "show"]) == 0
    output = capsys.readouterr()
    assert "fs_ben" in output.out
    assert says(output.err, "targets.slurm.slurmdbd-does-not-respond", where="", why="")


def test_diff_says_changes_commands_and_who_gains(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    assert run(["slurm", "diff", str(dump), "--json"]) == 1
    data = _json(capsys)
    command = "sacctmgr -i modify account where name=hep cluster=lab set fairshare=7"
    assert [" ".join(change["command"]) for change in data["changes"]] == [command]
    found = {tuple(row["association"].split()) for row in data["fairshares"]}
    assert {("fs_anna", "in", "hep"), ("fs_dirk", "in", "astro")} <= found
    assert run(["slurm", "diff", str(dump)]) == 1
    out = capsys.readouterr().out
    assert command in out
    gains = out.partition("FairShare changes")[2]
    assert says(out, "cli.computed-from-usage-of")
    assert re.search(r" of [0-9:]{8}", gains)
    assert says(gains, "cli.with-old-shares")
    assert _changing(fake_slurm) == []


def test_what_sshare_printed_before_is_titled_so(capsys: Out) -> None:
    row = ReachedRow(("hep", "fs_ben", ""), before=0.1022, predicted=0.2, reached=0.3)
    say_reached(Reached((row,), is_calculated=True, as_of_s=1.7956e9), "Compared.")
    out = capsys.readouterr().out
    assert "Before (sshare)" in out
    assert "Reached (sshare)" in out
    assert says(out, "cli.before-printed-by-sshare-when")
    assert re.search(r"\d\d:\d\d:\d\d\.", out)
    assert "0.1022" in out


def test_diff_of_what_is_so_already(fake_slurm: FakeSlurm, tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "same.cfg"
    file.write_text(captured("plain/dump.cfg"))
    assert run(["slurm", "diff", str(file)]) == 0
    assert says(capsys.readouterr().out, "cli.already-matches-file", name="lab")
    assert run(["slurm", "apply", str(file), "--yes"]) == 0
    assert _changing(fake_slurm) == []


def _without(dump: Path, *starts: str) -> None:
    """Leave lines out of the dump."""
    lines = dump.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(starts)]
    assert len(kept) == len(lines) - len(starts)
    dump.write_text("".join(kept))


def test_what_a_file_does_not_name_is_left_alone(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    _without(dump, "User - 'fs_ben'")
    assert run(["slurm", "diff", str(dump), "--json"]) == 1
    data = _json(capsys)
    assert {change["change"] for change in data["changes"]} == {"Set shares"}
    assert data["left"] == [{"account": "hep", "user": "fs_ben", "partition": ""}]
    assert run(["slurm", "diff", str(dump)]) == 1
    out = capsys.readouterr().out
    assert says(out, "cli.not-in-and-remove-removes", whose="1", are="user is", file=dump, stay="stays")
    assert "delete" not in out
    assert run(["slurm", "apply", str(dump), "--yes", "--json"]) == 0
    assert _json(capsys)["left"] == data["left"]
    assert not any("delete" in line for line in _changing(fake_slurm))


def test_removing_has_to_be_reported(
    fake_slurm: FakeSlurm, dump: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    _without(dump, "User - 'fs_ben'")
    assert run(["slurm", "diff", str(dump), "--remove", "--json"]) == 1
    data = _json(capsys)
    (removed,) = (change["on"] for change in data["changes"] if change["change"] == "Remove")
    assert removed.split() == ["fs_ben", "in", "hep"]
    assert data["left"] == []
    asked: list[str] = []

    def prompt(text: str) -> str:
        asked.append(text)
        return "n"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", prompt)
    assert run(["slurm", "apply", str(dump), "--remove"]) == 1
    removing = wording("cli.of-them-to-remove-something", gone="1")
    question = wording("cli.apply-to", count="2 changes", removing=removing, name="lab")
    assert [text.partition(" [y/N]")[0] for text in asked] == [question]
    run(["slurm", "apply", str(dump), "--remove", "--yes"])
    expected = "sacctmgr -i delete user where name=fs_ben account=hep cluster=lab"
    assert expected in _changing(fake_slurm)


def test_what_slurm_would_refuse_is_reported_and_not_sent(
    fake_slurm: FakeSlurm, dump: Path, capsys: Out
) -> None:
    _without(dump, "User - 'fs_finn'")
    assert run(["slurm", "diff", str(dump), "--remove"]) == 1
    output = capsys.readouterr()
    assert says(output.err, "slurm.1-job-is-active-in", named="7 running")
    assert "fs_finn in" in output.err
    expected = "# not sent: sacctmgr -i delete user where name=fs_finn account=genomics"
    assert expected in output.out
    assert run(["slurm", "apply", str(dump), "--remove", "--dry-run", "--json"]) == 0
    dry = {tuple(row["on"].split(" in ")): row["text"] for row in _json(capsys)["rows"]}
    assert dry["fs_finn", "genomics"].startswith(wording("targets.slurm.would-be-skipped", obstacle=""))
    assert run(["slurm", "apply", str(dump), "--remove", "--yes"]) == 1
    assert not any("delete" in line for line in _changing(fake_slurm))
    run(["slurm", "apply", str(dump), "--remove", "--yes", "--insist"])
    assert any({"delete", "user", "name=fs_finn"} <= set(line.split()) for line in _changing(fake_slurm))


_ANNA_IN_ASTRO = "User - 'fs_anna':DefaultAccount='hep':Fairshare=3"


def _default_is_changed(fake: FakeSlurm) -> None:
    fake.answer("sacctmgr", "show", "user", stdout="fs_anna|astro\n")


def _job_begins(fake: FakeSlurm) -> None:
    fake.forget()


@pytest.mark.parametrize(
    ("line", "change", "key"),
    [
        (_ANNA_IN_ASTRO, _default_is_changed, "slurm.is-default-account-of-so"),
        ("User - 'fs_finn'", _job_begins, "slurm.1-job-is-active-in"),
    ],
    ids=["default account", "job"],
)
def test_what_changes_behind_the_question_is_not_sent(
    fake_slurm: FakeSlurm, dump: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out,
    line: str, change: Callable[[FakeSlurm], None], key: str,
) -> None:  # fmt: skip
    _without(dump, line)
    fake_slurm.answer("squeue")
    asked: list[str] = []

    def prompt(text: str) -> str:
        asked.append(text)
        change(fake_slurm)
        return "y"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", prompt)
    assert run(["slurm", "apply", str(dump), "--remove"]) == 1
    output = capsys.readouterr()
    assert len(asked) == 1
    assert "skipped" not in output.err
    assert says(output.out, key)
    assert not any("delete" in line for line in _changing(fake_slurm))
    logged = [one["text"] for one in lines_of(audit_path("slurm-lab")) if one["result"] == "not sent"]
    assert says(logged[0].partition(". ")[2] + ".", key)


def test_nothing_to_do_but_to_remove(fake_slurm: FakeSlurm, tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "less.cfg"
    file.write_text(captured("plain/dump.cfg"))
    _without(file, "User - 'fs_ben'", "User - 'fs_cora'")
    assert run(["slurm", "diff", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(wording("cli.already-matches-file", name="lab") + "\n")
    assert says(out, "cli.not-in-and-remove-removes", whose="2 users", are="are", stay="stay", them="them")
    assert run(["slurm", "apply", str(file), "--yes"]) == 0
    assert _changing(fake_slurm) == []
    assert run(["slurm", "diff", str(file), "--remove"]) == 1


def test_nothing_is_predicted_by_a_rule_that_nobody_knows(
    fake_slurm: FakeSlurm, dump: Path, capsys: Out
) -> None:
    config = captured("plain/scontrol-show-config.txt").replace("= NO_FAIR_TREE", "= DEPTH_OBLIVIOUS")
    fake_slurm.answer("scontrol", "show", "config", stdout=config)
    assert run(["slurm", "diff", str(dump), "--json"]) == 1
    data = _json(capsys)
    assert (len(data["changes"]), data["fairshares"]) == (1, [])
    assert run(["slurm", "diff", str(dump)]) == 1
    output = capsys.readouterr()
    assert "FairShare of" not in output.out
    why = wording("slurm.parsers.cluster-uses-depth-oblivious-fairshare")
    assert says(output.err, "app.cluster.cannot-predict-fairshare", unread=why)
    assert run(["slurm", "status", "--json"]) == 0
    assert _json(capsys)["fairshare"] == "depth-oblivious fairshare"


def test_diff_with_trouble_is_2(fake_slurm: FakeSlurm, dump: Path, tmp_path: Path, capsys: Out) -> None:
    damaged = tmp_path / "damaged.cfg"
    damaged.write_text("Account - 'hep'\nnonsense\n")
    assert run(["slurm", "diff", str(damaged)]) == 2
    assert "damaged.cfg:2" in capsys.readouterr().err
    fake_slurm.slurmdbd_is_down()
    assert run(["slurm", "diff", str(dump)]) == 2
    assert says(capsys.readouterr().err, "targets.slurm.slurmdbd-does-not-respond", where="", why="")


def test_what_cannot_be_told_to_slurm_is_refused(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    dump.write_text(dump.read_text() + "Parent - 'hep'\nUser - 'Zoe':Fairshare=2\n")
    assert run(["slurm", "apply", str(dump), "--yes"]) == 1
    output = capsys.readouterr().err
    assert "in hep: " + wording("slurm.slurm-stores-names-in-lower", name="zoe") in output
    assert "Zoe" in output
    assert _changing(fake_slurm) == []


def test_apply_asks_or_is_told_yes(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    assert run(["slurm", "apply", str(dump)]) == 1
    assert says(capsys.readouterr().err, "cli.cannot-ask-for-confirmation-stdin")
    assert run(["slurm", "apply", str(dump), "--json"]) == 2
    assert _changing(fake_slurm) == []


@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("y", 0)])
def test_who_is_asked_decides(
    fake_slurm: FakeSlurm, dump: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    asked: list[str] = []

    def prompt(text: str) -> str:
        asked.append(text)
        return answer

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", prompt)
    assert run(["slurm", "apply", str(dump)]) == status
    question = wording("cli.apply-to", count="1 change", removing="", name="lab")
    assert [text.partition(" [y/N]")[0] for text in asked] == [question]
    assert bool(_changing(fake_slurm)) is (status == 0)


def test_a_dry_run_only_prints(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    assert run(["slurm", "apply", str(dump), "--dry-run"]) == 0
    expected = "name=hep cluster=lab set fairshare=7"
    assert expected in capsys.readouterr().out
    assert _changing(fake_slurm) == []


def test_apply_reads_back_and_writes_the_audit_log(
    fake_slurm: FakeSlurm, dump: Path, own_folders: Path, capsys: Out
) -> None:
    reason = "agreed in March"
    assert run(["slurm", "apply", str(dump), "--yes", "--reason", reason]) == 0
    out = capsys.readouterr().out
    done = ["done:", "Set", "shares", "hep:", "3", "shares", "to", "7", "shares"]
    assert done in [line.split() for line in out.splitlines()]
    assert says(out, "app.cluster.rest-follows-when-slurmctld-next")
    expected = ["sacctmgr -i modify account where name=hep cluster=lab set fairshare=7"]
    assert _changing(fake_slurm) == expected
    (log,) = own_folders.rglob("slurm-lab.jsonl")
    begun, sent, row, ended = (json.loads(line) for line in log.read_text().splitlines())
    assert sent["action"].split() == ["send", "set", "shares"]
    assert sent["text"] == _changing(fake_slurm)[0]
    assert ended["action"] == wording("targets.slurm.end-of-apply")
    assert (begun["action"], begun["after"]) == (wording("targets.slurm.start-of-apply"), "1 change")
    assert (row["on"], row["result"], row["why"]) == ("hep", "done", reason)
    assert "set fairshare=7" in row["text"]


def test_without_a_log_nothing_is_sent(
    fake_slurm: FakeSlurm, dump: Path, own_folders: Path, capsys: Out
) -> None:
    audit_path("slurm-lab").mkdir(parents=True)
    assert run(["slurm", "apply", str(dump), "--yes"]) == 1
    output = capsys.readouterr().err
    assert says(output, "cli.no-command-was-run")
    assert "--without-log" in output
    fake_slurm.answer("scontrol", "show", "job", stdout=_RUNNING)
    assert run(["slurm", "job", "kill", "43", "--yes"]) == 1
    assert "Not sent" + ": " + wording("cli.audit-log") in capsys.readouterr().out
    assert _changing(fake_slurm) == []
    assert not any(call.tool == "scancel" for call in fake_slurm.calls)
    assert run(["slurm", "apply", str(dump), "--yes", "--without-log"]) == 0
    assert len(_changing(fake_slurm)) == 1


def test_jobs_have_a_row_before_and_one_after(fake_slurm: FakeSlurm, own_folders: Path, capsys: Out) -> None:
    fake_slurm.answer("scancel", stderr="scancel: error: Access/permission denied\n", rc=1)
    fake_slurm.answer("scontrol", "show", "job", stdout=_RUNNING)
    run(["slurm", "job", "kill", "43", "--yes"])
    sent, done = lines_of(audit_path("slurm-lab"))
    assert sent["action"].split() == ["send", "kill", "job"]
    assert (sent["on"], sent["text"]) == ("43", "scancel 43")
    assert done["action"] == "kill job"


def test_what_is_refused_is_no_success(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    fake_slurm.permission_is_denied()
    assert run(["slurm", "apply", str(dump), "--yes", "--json"]) == 1
    (row,) = _json(capsys)["rows"]
    assert row["result"] == "refused"
    assert row["text"].startswith(wording("targets.slurm.is-not-allowed-to-do", tool="sacctmgr", denied=""))


def test_unknown_results_have_their_exit_status_and_commands_to_check_them(
    fake_slurm: FakeSlurm, dump: Path, capsys: Out
) -> None:
    ssh = FakeSsh(fake_slurm)
    via = ("--via", shlex.join(ssh.prefix))
    check = (
        "ssh login1 'sacctmgr -P show assoc where cluster=lab account=hep "
        "format=account,user,partition,share,parentname'"
    )
    ssh.set(Cut.GONE)
    assert run(["slurm", "apply", str(dump), "--yes", *via]) == UNKNOWN
    out, err = capsys.readouterr()
    unknown = ["unknown:", "Set", "shares", "hep:", "3", "shares", "to", "7", "shares"]
    assert unknown in [line.partition(" (")[0].split() for line in out.splitlines()]
    expected = f"To check the unknown results:\n    {check}\n"
    assert expected in err
    assert "To revert" not in out
    ssh.set(Cut.WELL)
    fake_slurm.answer("scontrol", "show", "job", stdout=_RUNNING)
    ssh.set(Cut.LOST)
    assert run(["slurm", "job", "kill", "43", "--yes", *via]) == UNKNOWN
    expected = "    ssh login1 'scontrol show job 43'\n"
    assert expected in capsys.readouterr().err
    sent, row = lines_of(audit_path("slurm-lab"))[-2:]
    wanted = ("ssh login1 'scancel 43'", "unknown", "ssh login1")
    assert (sent["text"], row["result"], row["via"]) == wanted


def test_a_dump_of_another_cluster_is_not_applied(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    dump.write_text(dump.read_text().replace("Cluster - 'lab'", "Cluster - 'other'"))
    assert run(["slurm", "diff", str(dump)]) == 1
    assert says(capsys.readouterr().err, "cli.file-is-for-cluster-but", of="other")
    assert run(["slurm", "apply", str(dump), "--yes"]) == 1
    assert says(capsys.readouterr().err, "cli.file-is-for-cluster-but", of="other", name="lab")
    assert _changing(fake_slurm) == []


def test_a_forecast_reads_the_cluster_behind_a_prefix(fake_slurm: FakeSlurm, capsys: Out) -> None:
    asked = ["slurm", "forecast", "--user", "fs_ben", "--json"]
    assert run([*asked, "--via", "env X=1"]) == 0
    live = _json(capsys)
    # Without a prefix the tools of this machine are asked.
    assert run(asked) == 0
    assert _json(capsys).keys() == live.keys()
    fake_slurm.answer("sshare", stderr="sshare: error: no\n", rc=1)
    assert run(asked) == 1
    assert "sshare" in capsys.readouterr().err


def test_a_number_is_taken_for_a_job(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "why", "43"]) == 1
    assert capsys.readouterr().err.endswith(wording("cli.for-job-fsconsole-slurm-why", words="43") + "\n")


def test_names_are_shown_as_slurm_has_them() -> None:
    tree = cluster_of(stored_of("a/b 3\n"))
    expected = ["root", "  a/b"]
    assert [row[0] for row in _rows(tree, None)] == expected
    assert tree.shares.node(tree.nodes[1]).name == "a|b"


def test_a_capture_answers_as_the_cluster_did(
    fake_slurm: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    folder = tmp_path / "kept"
    assert run(["slurm", "capture", str(folder), "--via", "env X=1"]) == 0
    assert says(capsys.readouterr().out, "cli.cluster-outputs-in", cluster="lab", files="12", folder="")
    assert run(["slurm", "show", "--json"]) == 0
    live = _json(capsys)
    monkeypatch.setenv("PATH", str(tmp_path))
    again = shlex.join(capture_place(folder).prefix)
    assert run(["slurm", "show", "--json", "--via", again]) == 0
    assert _json(capsys) == live


def test_a_capture_replaces_another_one_only_when_told(
    fake_slurm: FakeSlurm, tmp_path: Path, capsys: Out
) -> None:
    folder, other = tmp_path / "kept", tmp_path / "other"
    for made in (folder, other):
        made.mkdir()  # An empty one holds nothing to replace.
    assert run(["slurm", "capture", str(folder)]) == 0
    before = (folder / "capture.json").read_bytes()
    asked = len(fake_slurm.calls)
    assert run(["slurm", "capture", str(folder)]) == 1
    assert says(capsys.readouterr().err, "cli.exists-already-choose-another-name", path=folder)
    (other / "jobs.txt").write_text("mine")
    for more in ((), ("--force",)):
        assert run(["slurm", "capture", str(other), *more]) == 1
    assert len(fake_slurm.calls) == asked
    assert (folder / "capture.json").read_bytes() == before
    assert [path.name for path in other.iterdir()] == ["jobs.txt"]
    fake_slurm.answer("sprio", stderr="sprio: error\n", rc=1)
    assert run(["slurm", "capture", str(folder), "--force"]) == 0
    assert not (folder / "priorities.txt").exists()
    (folder / "capture.json").unlink()
    assert run(["slurm", "show", "--capture", str(folder)]) == 2
    assert says(
        capsys.readouterr().err, "app.is-not", kind="an unfinished capture folder, without capture.json"
    )
    assert run(["slurm", "capture", str(folder), "--force"]) == 0


def test_what_cannot_be_captured_is_reported(fake_slurm: FakeSlurm, tmp_path: Path, capsys: Out) -> None:
    fake_slurm.slurmdbd_is_down()
    assert run(["slurm", "capture", str(tmp_path / "partly")]) == 1
    assert says(
        capsys.readouterr().err,
        "targets.slurm.does-not-respond-2",
        who=wording("cli.incomplete-capture", problem="slurmdbd"),
    )
    fake_slurm.slurmctld_is_down()
    assert run(["slurm", "capture", str(tmp_path / "nothing")]) == 1
    assert says(capsys.readouterr().err, "cli.slurmctld-does-not-respond")
    assert not (tmp_path / "nothing").exists()
    assert run(["slurm", "capture", str(tmp_path), "--via", ""]) == 2


def test_a_dry_run_on_jobs_only_prints(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "job", "kill", "7", "8", "--dry-run"]) == 0
    assert "scancel" in capsys.readouterr().out
    assert run(["slurm", "job", "extend", "7", "--by=-30min", "--dry-run", "--json"]) == 0
    assert "TimeLimit=-30" in _json(capsys)[0]["command"]
    assert _changing(fake_slurm) == []


def test_jobs_ask_too(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "job", "kill", "7"]) == 1
    assert says(capsys.readouterr().err, "cli.cannot-ask-for-confirmation-stdin")
    assert run(["slurm", "job", "kill", "7", "--json"]) == 2
    assert run(["slurm", "job", "extend", "7"]) == 2
    assert run(["slurm", "job", "extend", "7", "--by", "soon"]) == 2
    assert run(["slurm", "job", "kill"]) == 2
    assert _changing(fake_slurm) == []


def test_without_slurmctld_nothing_is_done_to_jobs(fake_slurm: FakeSlurm, capsys: Out) -> None:
    fake_slurm.slurmctld_is_down()
    assert run(["slurm", "job", "kill", "7", "--yes", "--json"]) == 1
    (row,) = _json(capsys)
    assert row["result"] == "not sent"
    assert says(row["text"], "cli.slurmctld-does-not-respond")
    assert _changing(fake_slurm) == []


def test_why_answers_from_a_cluster_and_from_a_capture_alike(
    fake_slurm: FakeSlurm, tmp_path: Path, capsys: Out
) -> None:
    folder = tmp_path / "kept"
    assert run(["slurm", "capture", str(folder)]) == 0
    capsys.readouterr()
    questions = (["fs_anna", "fs_ben"], ["fs_anna"], ["account", "physics"], ["job", "19"])
    for words in questions:
        assert run(["slurm", "why", *words, "--json"]) == 0
        live = _json(capsys)
        assert run(["slurm", "why", *words, "--capture", str(folder), "--json"]) == 0
        kept = _json(capsys)
        kept["about"], live["about"] = kept["about"][:-5], live["about"][:-5]  # the minute
        assert kept == live
        assert 1 <= len(live["sentences"]) <= 3
        assert live["table"]
    assert run(["slurm", "why", "job", "19"]) == 0
    text = capsys.readouterr().out
    assert says(text, "app.slurm_why.job-of-is-pending-2", label="19", user="fs_emma")
    assert says(text, "app.slurm_why.change-that-helps", change="")


def test_why_says_what_it_cannot_answer(fake_slurm: FakeSlurm, tmp_path: Path, capsys: Out) -> None:
    assert run(["slurm", "why", "fs_ana"]) == 1
    assert says(
        capsys.readouterr().err,
        "app.slurm_why.sshare-shows-no-user",
        user="",
        where="'fs_ana'",
        hint=wording("app.slurm_why.did-you-mean", near="'fs_anna'"),
    )
    assert run(["slurm", "why", "a", "b", "c"]) == 2
    assert says(capsys.readouterr().err, "cli.give-one-or-two-users")
    assert run(["slurm", "why", "fs_anna", "--capture", str(tmp_path)]) == 2
    assert says(capsys.readouterr().err, "app.is-not", kind="a folder", wanted="a capture folder")


def test_a_diary_is_written_and_listed(fake_slurm: FakeSlurm, capsys: Out, tmp_path: Path) -> None:
    assert run(["slurm", "diary"]) == 0
    assert says(capsys.readouterr().out, "cli.no-diary-yet-console-writes")
    assert run(["slurm", "diary", "--write", "--until", "2"]) == 0
    capsys.readouterr()
    assert run(["slurm", "diary", "lab", "--json"]) == 0
    (part,) = _json(capsys)["parts"]
    assert (part["cluster"], part["state"], part["gaps"]) == ("lab", "complete", 0)
    out = tmp_path / "diary.csv"
    assert run(["export", part["folder"], "--plot", "fairshare", "--out", str(out)]) == 0
    assert "fs_anna" in out.read_text("utf-8")


def test_a_diary_answers_as_its_cluster_did(fake_slurm: FakeSlurm, capsys: Out, tmp_path: Path) -> None:
    assert run(["slurm", "why", "fs_anna", "fs_ben", "--json"]) == 0
    live = _json(capsys)
    assert run(["slurm", "diary", "--write", "--until", "2", "--folder", str(tmp_path / "diary")]) == 0
    (part,) = (tmp_path / "diary").iterdir()
    capsys.readouterr()
    assert run(["why", str(part), "fs_anna", "fs_ben", "--json"]) == 0
    kept = _json(capsys)
    assert (kept["sentences"], kept["table"]) == (live["sentences"], live["table"])
    assert run(["why", str(part), "nobody"]) == 1
    assert says(capsys.readouterr().err, "app.slurm_why.sshare-shows-no-user")
    assert run(["doctor", str(part), "--json"]) in (0, 1)
    assert {one["rule"] for one in _json(capsys)}
    assert run(["tree", "show", str(part), "--json"]) == 0
    parts = {one["path"]: one["machine_share"] for one in _json(capsys)}
    printed = {row["Level"].strip(): float(row["NormShares"]) for row in live["table"]}
    assert parts["root/physics"] == pytest.approx(printed["physics"], abs=1e-4)
