"""`fsconsole run branch|diff`: a branch without changes is its run; with changes, what differs is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fsconsole.machine.checkpoint import save
from fsconsole.recording.run import RunReader
from fsconsole.targets.run_machine import machine_at_tick
from fsconsole.targets.run_scenario import scenario_of
from fsconsole.text.durations import in_words
from tests.cli.conftest import Cli
from tests.cli.test_resume import recorded
from tests.texts import Expected, naming, says, worded, wording


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 500 s in which an operator acts at 60, 200 and 203 s."""
    path = tmp_path_factory.mktemp("runs") / "x.run"
    recorded(path, 500, killed=False)
    return path


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(item): item.read_bytes() for item in sorted(folder.rglob("*")) if item.is_file()}


def state(path: Path, tick: int) -> bytes:
    run = RunReader(path)
    return save(machine_at_tick(run, scenario_of(run), tick))


@pytest.mark.parametrize("at_s", [0, 60, 100, 137.5, 200])
def test_without_changes_it_is_the_run_byte_for_byte(
    cli: Cli, run: Path, tmp_path: Path, at_s: float
) -> None:
    before, out = bytes_of(run), tmp_path / "b.run"
    ended = cli("run", "branch", run, "--at", f"{at_s} s", "--out", out)
    assert (ended.status, ended.err) == (0, "")
    assert bytes_of(run) == before
    ours, theirs = RunReader(out), RunReader(run)
    assert ours.samples().equals(theirs.samples().filter(pl.col("time_s") >= at_s), null_equal=True)
    assert ours.samples()["time_s"][-1] == 500
    assert (ours.journal(), ours.state) == (theirs.journal(), "complete")
    hz = scenario_of(ours).machine.hz
    for second in (at_s, 203, 204, 421, 500):
        assert state(out, round(second * hz)) == state(run, round(second * hz))
    acted = {entry["tick"] for entry in theirs.journal()}  # what is kept there is before what was done
    for tick, file in ours.checkpoints():
        assert state(out, tick) == state(run, tick)
        assert tick in acted or file.read_bytes() == state(run, tick)
    assert cli("run", "diff", run, out).status == 0


def test_a_run_from_before_a_setting_existed_is_like_one_with_its_default(
    cli: Cli, run: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.run"
    shutil.copytree(run, old)
    manifest = json.loads((old / "manifest.json").read_text())
    del manifest["settings"]["memory.size_factor"]
    (old / "manifest.json").write_text(json.dumps(manifest))
    assert cli("run", "diff", old, run).out.endswith(wording("app.runs.runs-are-alike") + "\n")


def test_a_branch_of_a_branch_is_the_run_too(cli: Cli, run: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "1.run", tmp_path / "2.run"
    assert cli("run", "branch", run, "--at", "100s", "--out", first).status == 0
    for at_s in (100, 250):
        assert cli("run", "branch", first, "--at", f"{at_s}s", "--out", second, "--force").status == 0
        assert cli("run", "diff", run, second).out.endswith(wording("app.runs.runs-are-alike") + "\n")
        assert RunReader(second).manifest["branch"]["of"] == str(first.resolve())


def test_changes_are_actions_of_the_instant(cli: Cli, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.run"
    changes = ["--set", "policy.half_life_s=30s", "--shares", "b=50 %", "--policy", "flat"]
    changes += ["--event", "login: a", "--event", "start: {user: c, work: endless, count: 2}"]
    ended = cli("run", "branch", run, "--at", "50s", *changes, "--until", "10min", "--out", out)
    assert ended.status == 0, ended.err
    changed = dict(line.split(": ", 1) for line in ended.out.splitlines() if ": " in line)
    assert changed[wording("shares.scenario.half-life-of-usage")].split() == ["120", "s", "→", "30", "s"]
    assert says(ended.err, "machine.is-already-logged-in")  # the operator did that later
    entries = [entry for entry in RunReader(out).journal() if entry["tick"] == 3000]
    deeds = ["set_setting", "set_setting", "change_tree", "login", "start_process"]
    assert [entry["action"] for entry in entries] == deeds
    branch = RunReader(out).manifest["branch"]
    assert (branch["at_s"], len(branch["changes"]), branch["is_later_kept"]) == (50.0, 5, True)
    data = json.loads(cli("run", "diff", run, out, "--json").out)
    assert not data["same"]
    assert (data["from_s"], data["until_s"], data["instants"]) == (50.0, 500.0, 46)
    assert 50 < data["first_s"] <= 60
    assert [deed["time_s"] for deed in data["done_in_one"]["b"]] == [50.0] * 5
    assert [deed["time_s"] for deed in data["done_in_one"]["a"]] == [60.0]
    largest = {(row["quantity"], row["path"]): row for row in data["largest"]}["charge", "root/b"]
    frames = [
        reader.samples().filter((pl.col("path") == "root/b") & pl.col("time_s").is_between(50, 500))
        for reader in (RunReader(run), RunReader(out))
    ]
    amounts = np.abs(frames[0]["charge"].to_numpy() - frames[1]["charge"].to_numpy())
    assert largest["difference"] == amounts.max() > 1
    assert largest["time_s"] == frames[0]["time_s"][int(amounts.argmax())]


def test_diff_says_what_was_set_and_puts_what_weighs_most_first(cli: Cli, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.run"
    assert (
        cli("run", "branch", run, "--at", "100s", "--set", "policy.half_life_s=2h", "--out", out).status == 0
    )
    data = json.loads(cli("run", "diff", run, out, "--json").out)
    half_life = RunReader(run).manifest["settings"]["policy.half_life_s"]
    assert data["settings"] == [{"key": "policy.half_life_s", "a": in_words(half_life), "b": "2 h"}]
    weights = [row["weight"] for row in data["largest"]]
    assert weights == sorted(weights, reverse=True)
    assert 0 < weights[-1] < weights[0] <= 1
    largest = data["largest"][0]
    samples = pl.concat([RunReader(one).samples(["time_s", largest["quantity"]]) for one in (run, out)])
    values = samples.filter(pl.col("time_s") >= 100.0)[largest["quantity"]]
    spread = values.max() - values.min()
    assert largest["weight"] == pytest.approx(largest["difference"] / spread)
    output = cli("run", "diff", run, out).out
    values = [*in_words(half_life).split(), "→", "2", "h"]
    half_life_line = [*wording("shares.scenario.half-life-of-usage").split(), *values]
    half_life_line[-len(values) - 1] += ":"
    assert any(line.split()[-len(half_life_line) :] == half_life_line for line in output.splitlines())
    assert says(
        output,
        "app.runs.only-in-at",
        name="B",
        time_s="00:01:40",
        text=wording("shares.scenario.half-life-of-usage") + ": ",
    )
    first = next(line for line in output.splitlines() if f" {largest['path']} " in line)
    assert "(cost units" in first or "%" in first


def test_both_limits_of_a_range_are_set_in_any_order(cli: Cli, run: Path, tmp_path: Path) -> None:
    first, last = "urm.preferred_from_mw", "urm.preferred_to_mw"
    one, two = tmp_path / "one.run", tmp_path / "two.run"
    assert cli("run", "branch", run, "--at", "100s", "--set", f"{first}=10", "--set", f"{last}=20",
               "--out", one).status == 0  # fmt: skip
    ended = cli("run", "branch", one, "--at", "200s", "--set", f"{first}=30", "--set", f"{last}=60",
                "--out", two)  # fmt: skip
    assert (ended.status, ended.err) == (0, "")
    largest, smallest = (line.split(": ") for line in ended.out.splitlines()[:2])
    assert largest[0] == wording("shares.scenario.largest-preferred-size")
    assert largest[1].split() == ["20", "→", "60"]
    assert smallest[0] == wording("shares.scenario.smallest-preferred-size")
    assert smallest[1].split() == ["10", "→", "30"]


def test_what_came_later_can_be_left_out(cli: Cli, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.run"
    assert cli("run", "branch", run, "--at", "100s", "--drop-later", "--out", out).status == 0
    assert [entry["tick"] for entry in RunReader(out).journal()] == [3600]
    result = cli("run", "diff", run, out)
    assert result.status == 1
    lines = result.out.splitlines()
    (only,) = (line for line in lines if says(line, "app.runs.only-in-at", name="A", time_s="00:03:20"))
    assert says(only, "app.shares")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--at", "2h"], 2, naming("2 h is outside the run. The run covers 0 s to 8 min 20 s.")),
        (["--at", "500.1s"], 2, naming("500.1 s is outside the run. The run covers 0 s to 8 min 20 s.")),
        (["--at", "100s", "--until", "50s"], 2, worded("app.runs.branch-begins-at-choose-later")),
        (["--at", "100s", "--set", "policy.halflife=3"], 2, naming("Did you mean policy.half_life_s")),
        (
            ["--at", "100s", "--set", "machine.hz=3"],
            2,
            worded("machine.cannot-change-while-machine-runs", key="machine.hz"),
        ),
        (["--at", "100s", "--policy", "shar"], 2, naming("unknown policy 'shar'. Did you mean share")),
        (
            ["--at", "100s", "--shares", "q=3"],
            2,
            worded("shares.scenario.node-not-found-in-tree", reference="q"),
        ),
        (
            ["--at", "100s", "--shares", "a"],
            2,
            worded("app.runs.is-not-change-of-shares"),
        ),
        (
            ["--at", "100s", "--shares", "a=-1"],
            2,
            worded("app.runs.shares-of-is-not-allowed", path="a", shares="'-1'"),
        ),
        (["--at", "100s", "--event", "logn: a"], 2, naming("Did you mean 'login' or 'logout'?")),
        (["--at", "100s", "--event", "login: c"], 2, worded("machine.is-already-logged-in", value="c")),
    ],
)
def test_what_cannot_be_is_reported_and_leaves_no_folder(
    cli: Cli, run: Path, tmp_path: Path, arguments: list[str], status: int, message: Expected
) -> None:
    ended = cli("run", "branch", run, *arguments, "--out", tmp_path / "b.run")
    assert (ended.status, ended.out) == (status, "")
    assert says(ended.err, message)
    assert not list(tmp_path.iterdir())


def test_it_stays_apart_from_its_run(cli: Cli, run: Path) -> None:
    before = bytes_of(run)
    for out in (run, run / "b.run", run.parent):
        ended = cli("run", "branch", run, "--at", "100s", "--out", out, "--force")
        assert ended.status == 2
        assert says(ended.err, "app.runs.is-inside-run-s-folder")
    assert bytes_of(run) == before
    ended = cli("run", "branch", run.parent, "--at", "9s", "--out", "b.run")
    assert says(ended.err, "recording.is-not-run-folder-is", path=run.parent)


def test_diff_lists_what_the_runs_were_made_with(cli: Cli, tmp_path: Path) -> None:
    text = "version: 1\ntitle: t\ntree: {name: root, children: [{name: a}, {name: b}]}\n"
    text += "workloads: [{user: a, work: endless}]\n"
    text += "plot: {until_s: 60 s, sample_s: 10 s, rate_window_s: 10 s}\n"
    for name, changed in (("a", text), ("b", text.replace("{name: b}", "{name: c, shares: 3}"))):
        (tmp_path / f"{name}.yaml").write_text(changed)
    a, b = tmp_path / "a.run", tmp_path / "b.run"
    assert cli("simulate", tmp_path / "a.yaml", "--out", a).status == 0
    other = ["--seed", "9", "--set", "machine.cpus=2", "--out", b]
    assert cli("simulate", tmp_path / "b.yaml", *other).status == 0
    data = json.loads(cli("run", "diff", a, b, "--json").out)
    assert {row["key"] for row in data["settings"]} == {"seed", "machine.cpus"}
    assert data["tree"] == [
        "root/b: removed",
        wording("app.new-with", parent="root", name="c", kind="user", tree="3 shares"),
    ]
    assert data["nodes_in_one"] == {"a": {"root/b": 0.0}, "b": {"root/c": 0.0}}
    assert data["first_s"] == 0.0
    late = tmp_path / "late.run"
    assert cli("run", "branch", a, "--at", "60s", "--until", "90s", "--out", late).status == 0
    apart = cli("run", "branch", a, "--at", "5s", "--until", "8s", "--out", tmp_path / "c.run")
    assert apart.status == 0
    ended = cli("run", "diff", tmp_path / "c.run", late)
    assert (ended.status, ended.out) == (2, (wording("app.runs.runs-have-no-instant-in") + "\n"))
    data = cli("run", "diff", tmp_path / "c.run", late, "--json")
    assert (data.status, json.loads(data.out)["same"]) == (2, False)
    assert cli("run", "diff", a, tmp_path / "none.run").status == 2


def test_the_tree_of_a_changed_run_is_the_one_at_its_end(cli: Cli, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.run"
    leaf = next(node for node in scenario_of(RunReader(run)).tree.walk() if node.parent is not None)
    assert cli("run", "branch", run, "--at", "60 s", "--shares", f"{leaf.name}=777", "--out", out).status == 0
    shown = cli("tree", "show", out)
    assert (shown.status, shown.err) == (0, "")
    assert "777" in shown.out
    differs = cli("tree", "diff", run, out)
    assert differs.status == 1
    assert "777" in differs.out
    for _, checkpoint in RunReader(out).checkpoints():
        checkpoint.write_bytes(b"x")
    before = cli("tree", "show", out)
    assert before.status == 0
    assert "777" not in before.out
    assert str(out) in before.err
