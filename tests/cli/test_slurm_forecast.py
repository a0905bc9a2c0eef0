"""`fsconsole slurm forecast` as a user types it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fsconsole.cli.main import run
from fsconsole.targets.slurm.location import example_capture
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded, wording

CAPTURES = Path(__file__).parents[1] / "slurm" / "captures"
DRAINED = str(CAPTURES / "drained.psv")
LAB = ("--half-life", "10min", "--period", "1min")


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert run(["slurm", "forecast", DRAINED, *LAB, *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_usage_and_fairshare_at_all_times(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--user", "fs_ben", "--job", "4,10min,1h", "--others", "0")
    (ben,) = found["users"]
    assert (ben["account"], ben["user"]) == ("hep", "fs_ben")
    assert ben["fairshare"][0] == pytest.approx(0.117739, abs=1e-3)  # as sshare printed it
    assert len(ben["usage_s"]) == len(ben["fairshare"]) == len(found["times_s"])
    at = found["times_s"].index(3600.0)
    assert ben["fairshare"][at] == pytest.approx(min(ben["fairshare"]), rel=1e-12)
    assert ben["fairshare"][at - 1] > ben["fairshare"][at]
    # 50 minutes of 4 cores, a minute each decayed with 0.998845^60, as the log of a real cluster has it
    left = 0.933009354810673
    before = ben["usage_s"][found["times_s"].index(600.0)]
    expected = before * left**50 + 240 * left * (1 - left**50) / (1 - left)
    assert ben["usage_s"][at] == pytest.approx(expected, rel=1e-9)


def test_others_may_go_on_be_idle_or_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    idle = _json(capsys, "--user", "fs_ben", "--others", "0")["users"][0]["fairshare"]
    np.testing.assert_allclose(idle, idle[0])
    steady = _json(capsys, "--user", "fs_ben")["users"][0]["fairshare"]
    assert steady[-1] > steady[0]
    words = ("--user", "fs_ben", "--others", "0", "--others", "fs_mia=8", "--against", "fs_mia")
    found = _json(capsys, *words)
    mia = found["users"][1]
    assert mia["usage_s"][-1] > mia["usage_s"][0]
    assert found["against"][0]["turns"][0] == {"time_s": 0.0, "is_ahead": False}


def test_a_target_is_reached_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--user", "fs_ben", "--target", "0.2")
    reached = found["target"]["from_s"]
    ben = found["users"][0]["fairshare"]
    assert ben[found["times_s"].index(reached)] >= 0.2 > ben[found["times_s"].index(reached) - 1]
    assert _json(capsys, "--user", "fs_lars", "--target", "0.2")["target"]["from_s"] is None
    assert run(["slurm", "forecast", DRAINED, *LAB, "--user", "fs_lars", "--target", "0.2"]) == 0
    assert says(capsys.readouterr().out, "app.forecast.never-reaches-for-good", wished="0.2")


def test_new_shares_are_in_force_from_now_on(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--user", "fs_ben", "--share", "hep=6", "--share", "hep/fs_ben=parent")
    found = _json(capsys, *words)
    ben = next(row for row in found["shares"] if row["user"] == "fs_ben")
    assert ben["after"] == pytest.approx(found["users"][0]["fairshare"][0])
    assert ben["before"] == pytest.approx(0.117739, abs=1e-3)


def test_a_person_reads_a_table_and_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--user",
        "fs_ben",
        "--job",
        "4,0,1h",
        "--against",
        "fs_cora",
        "--target",
        "0.2",
        "--share",
        "hep=6",
    ]
    assert run(["slurm", "forecast", DRAINED, *LAB, *words]) == 0
    out = capsys.readouterr().out
    for part in (
        "Forecast for hep/fs_ben",
        "lowest 0.",
        "head of fs_cora",
        "Before",
        "Assumes that the usage of the others does not change",
    ):
        assert part in out
    assert run(["slurm", "forecast", DRAINED, *LAB, "--user", "fs_ben", "--share", "hep=3"]) == 0
    assert says(capsys.readouterr().out, "app.forecast.no-user-s-fairshare")


def test_what_the_cluster_did_otherwise_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slurm", "forecast", str(CAPTURES / "fairtree.psv"), *LAB, "--user", "fs_ben"]) == 0
    assert says(capsys.readouterr().out, "app.forecast.cluster-ranks-by-fair-tree")
    words = ["--user", "fs_ben", "--json"]
    assert run(["slurm", "forecast", str(CAPTURES / "fairtree.psv"), *LAB, *words]) == 0
    assert says(capsys.readouterr().err, "app.forecast.cluster-ranks-by-fair-tree")


def test_where_a_goal_is_reached_only_what_may_be_given_up_is_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--account", "hep", "--solve", "F=0.01 in 10 min"]
    assert run(["slurm", "forecast", DRAINED, *LAB, *words]) == 0
    out = capsys.readouterr().out
    assert says(out, "app.forecast.is-reached-each-limit-below", plain="0.01")
    assert says(out, "cli.shares-of", paths="hep")
    for needless in ("RawUsage=0", "Half-life", "Dampening factor"):
        assert needless not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--user", "fs_bem"], naming("Did you mean fs_ben")),
        ([], naming("give either --user or --account")),
        (["--user", "fs_ben", "--account", "hep"], naming("give either --user or --account")),
        (["--account", "hepp"], worded("figures.did-you-mean", near="hep")),
        (["--account", "fs_ben"], worded("app.forecast.has-no-account")),
        (["--user", "fs_ben", "--solve", "0.5"], naming("F=0.5 by Monday")),
        (["--user", "fs_ben", "--solve", "F=2 by Monday"], naming("at most 1")),
        (
            ["--user", "fs_ben", "--solve", "F=0.5 by 2020-01-01"],
            worded("app.forecast.is-in-past-write-later"),
        ),
        (
            ["--user", "fs_ben", "--solve", "LevelFS=1 in 1 d"],
            worded("slurm.levelfs-belongs-to-fair-tree"),
        ),
        (["--user", "fs_ben", "--work", "8"], naming("NAME=CORES")),
        (
            ["--user", "fs_ben", "--share", "hep=1", "--share", "hep=2"],
            worded("slurm.its-is-changed-twice-keep"),
        ),
        (["--user", "fs_ben", "--new-job", "cpu=8"], naming("KEY=VALUE")),
        (["--user", "fs_ben", "--new-job", "cpus=8"], worded("app.forecast.has-no-priority-weights-capture")),
        (["--account", "hep", "--new-job", "cpus=8"], worded("cli.jobs-belong-to-users-use")),
        (["--user", "fs_ben", "--now", "Friday"], naming("2026-11-26T12:00")),
        (["--user", "fs_anna"], naming("astro/fs_anna, hep/fs_anna")),
        (["--user", "fs_ben", "--job", "4"], naming("CORES,START,END")),
        (["--user", "fs_ben", "--job", "four,0,1h"], worded("cli.is-not-number-of-cores")),
        (["--user", "fs_ben", "--job", "4,2h,1h"], worded("cli.end-must-be-after-start")),
        (
            ["--user", "fs_ben", "--others", "=3"],
            worded("cli.user-is-missing-write-user"),
        ),
        (["--user", "fs_ben", "--others", "fs_ben=3"], naming("--job")),
        (["--user", "fs_ben", "--others", "nan"], worded("cli.is-not-number-of-cores")),
        (["--user", "fs_ben", "--share", "hep"], naming("ACCOUNT=SHARES")),
        (["--user", "fs_ben", "--share", "hep=-1"], naming("ACCOUNT=SHARES")),
        (["--user", "fs_ben", "--share", "help=1"], worded("figures.did-you-mean", near="hep")),
        (["--user", "fs_ben", "--share", "root=1"], naming("root account")),
        (["--user", "fs_ben", "--half-life", "10s"], worded("shares.scenario.at-least", ge="a minute")),
        (["--user", "fs_ben", "--target", "nan"], worded("cli.target-must-be-number-above")),
        (["--user", "fs_ben", "--damp", "nan"], naming("dampening")),
    ],
)
def test_wrong_use_is_answered(
    words: list[str], message: Expected, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["slurm", "forecast", DRAINED, *words]) == 2
    assert says(capsys.readouterr().err, message)


def test_a_capture_without_raw_usage_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = tmp_path / "short.psv"
    short.write_text("Account|User|RawShares\nroot||\n root|alice|1\n", "utf-8")
    assert run(["slurm", "forecast", str(short), "--user", "alice"]) == 1
    assert "RawUsage" in capsys.readouterr().err


def test_an_infinite_raw_usage_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = tmp_path / "odd.psv"
    odd.write_text("Account|User|RawShares|RawUsage\nroot|||5\n root|alice|1|inf\n", "utf-8")
    assert run(["slurm", "forecast", str(odd), "--user", "alice"]) == 1
    assert "RawUsage" in capsys.readouterr().err


def test_an_account_is_forecast_with_the_spread_of_its_users(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--account", "hep", "--against", "fs_ben")
    hep, ben = found["users"]
    assert (hep["account"], hep["user"]) == ("hep", "")
    assert hep["fairshare"][0] == pytest.approx(0.2948, abs=1e-3)
    assert min(hep["lowest"]) <= ben["fairshare"][0] <= max(hep["highest"])
    # An account goes on as now; NormUsage of its users has six digits.
    np.testing.assert_allclose(hep["usage_s"], hep["usage_s"][0], rtol=1e-5)
    quiet = _json(capsys, "--account", "hep", "--own", "nothing")["users"][0]
    assert quiet["usage_s"][-1] < hep["usage_s"][-1]


def test_what_must_change_by_monday_is_solved_and_holds_when_it_is_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = ("--now", "2026-11-27T18:00")
    wish = ("--user", "fs_ben", "--own", "same-usage", "--solve", "F=0.3 by Monday 0:30", *now)
    found = _json(capsys, *wish)["solution"]
    assert found["by"].split() == ["Mon", "30", "Nov", "2026,", "00:30"]
    assert found["by_s"] == 54.5 * 3600
    assert found["reached"] < 0.3
    own, hep, physics = (way for way in found["ways"] if way["change"] == "shares")
    assert not own["is_enough"]
    assert not hep["is_enough"]
    expected = [f"sacctmgr -i modify account where name=physics set fairshare={physics['becomes']}"]
    assert physics["commands"] == expected
    done = _json(capsys, *wish, "--share", f"physics={physics['becomes']}")
    assert done["solution"]["reached"] == pytest.approx(physics["reached"], rel=1e-9)
    assert done["solution"]["reached"] >= 0.3
    text = ["slurm", "forecast", DRAINED, *LAB, *wish]
    assert run(text) == 0
    reached = {"reached": f"{found['reached']:.3f}", "when": found["by"], "basis": "without changes"}
    assert says(capsys.readouterr().out, "app.forecast.of-is-by", **reached)
    assert run([*text, "--share", "physics=2"]) == 0
    out = capsys.readouterr().out
    basis = wording("app.forecast.with-changes-above")
    assert says(out, "app.forecast.of-is-by", when=found["by"], basis=basis)
    assert "without changes" not in out
    less = _json(capsys, *wish, "--share", f"physics={physics['becomes'] - 1}")
    assert less["solution"]["reached"] < 0.3


def test_changes_are_in_force_together_with_their_commands(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--user", "fs_ben", "--share", "hep=6", "--work", "genomics=1", "--reset-usage", "hep/fs_ben")
    found = _json(capsys, *words, "--new-half-life", "1d12h", "--new-damp", "2")
    expected = [
        "sacctmgr -i modify account where name=hep set fairshare=6",
        "sacctmgr -i modify user where name=fs_ben account=hep set RawUsage=0",
        wording("app.forecast.uses-all-time", names="genomics", rate="1 billing unit"),
        "# limit to enforce it: sacctmgr -i modify account where name=genomics set GrpTRES=billing=1",
        "# slurm.conf: PriorityDecayHalfLife=1-12:00:00",
        "# slurm.conf: FairShareDampeningFactor=2",
        "scontrol reconfigure",
    ]
    assert found["commands"] == expected
    plain = _json(capsys, "--user", "fs_ben")["users"][0]
    assert found["unchanged"][0]["fairshare"][0] == plain["fairshare"][0]
    assert found["users"][0]["fairshare"][0] > found["unchanged"][0]["fairshare"][0]
    assert run(["slurm", "forecast", DRAINED, *LAB, *words]) == 0
    out = capsys.readouterr().out
    assert "Unchanged" in out
    assert "set RawUsage=0" in out


def test_a_capture_folder_gives_rule_settings_clock_and_priorities(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = str(CAPTURES.parents[1] / "data" / "slurm" / "limits")
    words = ["slurm", "forecast", folder, "--user", "ocean/games", "--priority-of", "10"]
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["half_life_s"], found["period_s"]) == (3600.0, 60.0)
    (games,) = found["users"]
    expected = 100_000 * games["fairshare"][0] + 141 + 500 + 531
    assert games["priority"][0] == pytest.approx(expected, abs=1)
    assert run([*words[:-2], "--new-job", "cpus=8,qos=high,mem=1G", "--until", "2h"]) == 0
    title = wording("slurm.new-job-of-in", cpus="8 CPUs", name="batch")
    assert says(capsys.readouterr().out, "cli.priority-of", title=title)
    answer = run([*words[:5], "--solve", "F=0.5 by 3 d"])
    assert answer == 0
    out = capsys.readouterr().out
    where = {"name=games", "account=ocean", "cluster=testlab"}
    assert where <= set(out.split()) or "not enough" in out


def test_a_job_without_a_priority_is_explained(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    jobs = {row.split("|")[0]: row for row in Path(EXAMPLE, "jobs.txt").read_text().splitlines()}
    running = next(number for number, row in jobs.items() if "|RUNNING|" in row)
    for job, key in ((999, "cli.has-no-job"), (running, "cli.job-is-not-pending")):
        assert run(["slurm", "forecast", EXAMPLE, "--user", "finn", "--priority-of", str(job)]) == 2
        err = capsys.readouterr().err
        assert says(err, key, job_id=job)
        assert "finn" in err
    folder = shutil.copytree(EXAMPLE, tmp_path / "kept")
    (folder / "settings.txt").unlink()
    assert run(["slurm", "forecast", str(folder), "--user", "finn", "--priority-of", "36"]) == 2
    assert str(folder / "settings.txt") in capsys.readouterr().err


def test_fair_tree_is_forecast_by_rank(capsys: pytest.CaptureFixture[str]) -> None:
    fair = str(CAPTURES / "fairtree.psv")
    words = ["--account", "hep", "--solve", "LevelFS=1 in 10 min", "--json"]
    assert run(["slurm", "forecast", fair, *LAB, *words]) == 0
    found = json.loads(capsys.readouterr().out)
    (hep,) = found["users"]
    assert len(hep["level_fs"]) == len(found["times_s"])
    assert any(way["is_enough"] for way in found["solution"]["ways"])


EXAMPLE = str(example_capture())


def test_an_account_of_a_capture_goes_on_as_its_running_jobs_in_billing_hours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["slurm", "forecast", EXAMPLE, "--account", "science", "--until", "6h"]
    assert run(words) == 0
    out = capsys.readouterr().out
    rate = "49 billing units a second"
    assert says(out, "app.forecast.assumes-that-goes-on-as", name="science", own=rate)
    assert "billing-h" in out
    assert "core-h" not in out
    assert run([*words, "--own", "same-usage", "--json"]) == 0
    same = json.loads(capsys.readouterr().out)
    assert same["unit"] == "billing units"
    usage = same["users"][0]["usage_s"]
    np.testing.assert_allclose(usage, usage[0], rtol=1e-3)


def _with_settings(folder: Path, **values: str) -> str:
    """The example with other settings."""
    text = Path(EXAMPLE, "settings.txt").read_text()
    for key, value in values.items():
        text, count = re.subn(rf"(?m)^{key} .*$", f"{key} = {value}", text)
        assert count == 1
    shutil.copytree(EXAMPLE, folder)
    (folder / "settings.txt").write_text(text)
    return str(folder)


@pytest.mark.parametrize("half_life", ["00:00:00", "7-00:00:00"])
def test_no_answer_has_a_time_after_the_next_reset_of_usage(cli: Cli, tmp_path: Path, half_life: str) -> None:
    settings = {"PriorityDecayHalfLife": half_life, "PriorityUsageResetPeriod": "DAILY"}
    folder = _with_settings(tmp_path / "reset", **settings)
    left_s = 24366  # The capture is of 17:13:54, and its clock shows UTC.
    words = ("slurm", "forecast", folder, "--user", "gina", "--work", "medicine=0", "--target", "0.5")
    for more in ((), ("--until", "30d")):
        found = json.loads(cli(*words, *more, "--json").out)
        assert max(found["times_s"]) <= max(left_s + 60, 60)
        assert found["target"]["from_s"] is None
        assert says(
            " ".join(found["assumptions"]),
            "slurm.priorityusageresetperiod-slurm-sets-all-usage",
            period="DAILY",
        )
    out = cli(*words).out
    assert says(out, "app.forecast.does-not-reach-before-next", wished="0.5")
    assert says(out, "app.forecast.usage-does-not-decay-prioritydecayhalflife") is (half_life[0] == "0")
    late = cli(*words, "--solve", "F=0.5 in 3 d")
    assert late.status == 2
    assert says(late.err, "app.forecast.goal-is-after-next-reset")
    for who in (("gina",), ("account", "imaging"), ("gina", "ben")):
        why = " ".join(cli("slurm", "why", *who, "--capture", folder).out.split())
        assert "PriorityUsageResetPeriod=DAILY" in why
        assert " d " not in why.split("A change that helps")[1].split("Priority")[0]


@pytest.mark.parametrize("own", ["to-limits", "running-jobs"])
@pytest.mark.parametrize("column", [9, 13, 17])  # The state, the CPUs and the start.
def test_running_jobs_that_were_left_out_are_not_taken_for_none(
    cli: Cli, tmp_path: Path, own: str, column: int
) -> None:
    folder = shutil.copytree(EXAMPLE, tmp_path / "part")
    rows = [row.split("|") for row in (folder / "jobs.txt").read_text().splitlines()]
    words = ("slurm", "forecast", folder, "--user", "gina", "--own", own, "--json")
    key = "app.forecast.running-jobs-of-are-known"
    assert not says(" ".join(json.loads(cli(*words).out)["assumptions"]), key)
    for row in rows:
        if row[5] == "gina" and row[9] in ("RUNNING", "SUSPENDED"):
            row[column] = ""
    (folder / "jobs.txt").write_text("".join("|".join(row) + "\n" for row in rows))
    assert says(" ".join(json.loads(cli(*words).out)["assumptions"]), key, name="gina")


@pytest.mark.parametrize(
    ("job", "status"),
    [
        ("64,0,2h", 0),  # Partition dedicated has 32 CPUs of 2 billing units each.
        ("65,0,2h", 2),
        ("cpus=32,partition=dedicated,start=0,end=2h", 0),
        ("cpus=33,partition=dedicated,start=0,end=2h", 2),
    ],
)
def test_a_planned_job_is_refused_where_no_partition_has_as_much(cli: Cli, job: str, status: int) -> None:
    assert cli("slurm", "forecast", EXAMPLE, "--user", "finn", "--job", job).status == status


def test_without_a_half_life_nothing_decays_unless_one_is_given(cli: Cli, tmp_path: Path) -> None:
    folder = _with_settings(tmp_path / "none", PriorityDecayHalfLife="00:00:00")
    words = ("slurm", "forecast", folder, "--user", "gina", "--own", "nothing", "--json")
    found = json.loads(cli(*words).out)
    assert found["half_life_s"] is None
    np.testing.assert_allclose(found["users"][0]["usage_s"], found["users"][0]["usage_s"][0])
    given = json.loads(cli(*words, "--half-life", "1h").out)
    assert given["half_life_s"] == 3600
    assert given["users"][0]["usage_s"][-1] < given["users"][0]["usage_s"][0] / 2
    assert cli(*words[:-1], "--solve", "F=0.5 in 3 d").status == 0


def test_a_planned_job_is_charged_as_its_partition_and_qos_do(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["slurm", "forecast", EXAMPLE, "--user", "mia", "--until", "2h", "--json"]
    found = []
    for job in ("16,0,1h", "cpus=8,mem=1G,partition=dedicated,qos=normal,start=0,end=1h"):
        assert run([*words, "--job", job]) == 0
        found.append(json.loads(capsys.readouterr().out)["users"][0]["usage_s"])
    np.testing.assert_allclose(found[0], found[1])
    wrong = (("cpus=8,partition=gone", "no partition"), ("cpus=8,start=2h,end=1h", "after the start"))
    for job, words_of in wrong:
        assert run([*words, "--job", job]) == 2
        assert words_of in capsys.readouterr().err
    assert run([*words[:-1], "--new-job", "cpus=8,partition=dedicated"]) == 0
    charge = "16 billing units a second"
    assert says(capsys.readouterr().out, "app.forecast.while-it-runs-it-uses", rate=charge)


def test_no_way_that_is_not_enough_has_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["slurm", "forecast", EXAMPLE, "--user", "emma", "--solve", "F=0.9 in 10 min", "--json"]
    assert run(words) == 0
    ways = json.loads(capsys.readouterr().out)["solution"]["ways"]
    assert {bool(way["commands"]) for way in ways if not way["is_enough"]} == {False}
    shares = [way for way in ways if way["change"] == "shares"]
    assert all(way["reached"] > 0 for way in shares)
