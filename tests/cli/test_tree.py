"""`fsconsole tree show|check|convert|diff`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.texts import says, wording

# Junglas 1991, section 4: the worked example of machine shares.
WORKED = """\
version: 1
tree:
  name: root
  shares: 1000
  children:
    - name: g1
      shares: 400
      children:
        - {name: u11, shares: 100}
        - {name: u12, shares: 100}
    - name: g2
      shares: 600
      children:
        - {name: u21, shares: 50}
        - {name: u22, shares: 50}
        - {name: u23, shares: 100}
"""
SHARES = {"g1": 400, "g1/u11": 200, "g1/u12": 200, "g2": 600, "g2/u21": 150, "g2/u22": 150, "g2/u23": 300}


@pytest.fixture
def worked(tmp_path: Path) -> Path:
    path = tmp_path / "worked.yaml"
    path.write_text(WORKED)
    return path


def test_show_as_json(cli: Cli, worked: Path) -> None:
    ended = cli("tree", "show", worked, "--json")
    nodes = json.loads(ended.out)
    assert all(list(node) == ["path", "shares", "part_of_parent", "machine_share"] for node in nodes)
    shares = {node["path"].removeprefix("root/"): 1000 * node["machine_share"] for node in nodes[1:]}
    assert shares == pytest.approx(SHARES)
    assert nodes[0] == {"path": "root", "shares": 1000, "part_of_parent": 1.0, "machine_share": 1.0}
    assert nodes[-1]["part_of_parent"] == 0.5


def test_show_draws_the_tree(cli: Cli, worked: Path) -> None:
    expected = [
        "Node       Shares   Of group  Of machine",
        "root         1000   100.00 %    100.00 %",
        "├─ g1         400    40.00 %     40.00 %",
        "│  ├─ u11     100    50.00 %     20.00 %",
        "│  └─ u12     100    50.00 %     20.00 %",
        "└─ g2         600    60.00 %     60.00 %",
        "   ├─ u21      50    25.00 %     15.00 %",
        "   ├─ u22      50    25.00 %     15.00 %",
        "   └─ u23     100    50.00 %     30.00 %",
    ]
    assert cli("tree", "show", worked).out.splitlines() == expected


def test_show_and_convert_a_real_slurm_dump(cli: Cli, shared: Path, tmp_path: Path) -> None:
    dump = shared / "slurm-lab" / "captures" / "drained" / "sacctmgr-dump.cfg"
    nodes = {node["path"]: node for node in json.loads(cli("tree", "show", dump, "--json").out)}
    assert nodes["root/bio"]["part_of_parent"] == pytest.approx(30 / 81)
    assert cli("tree", "convert", dump, tmp_path / "lab.yaml").status == 0
    assert cli("tree", "diff", dump, tmp_path / "lab.yaml").status == 0
    assert cli("tree", "convert", tmp_path / "lab.yaml", tmp_path / "back.cfg").status == 0
    assert (tmp_path / "back.cfg").read_text() == dump.read_text()


def test_check_lists_errors_and_warnings_of_all_files(cli: Cli, worked: Path, tmp_path: Path) -> None:
    assert cli("tree", "check", worked).out == wording("cli.no-problems", file=worked) + "\n"
    odd, bad = tmp_path / "odd.yaml", tmp_path / "bad.yaml"
    odd.write_text(WORKED.replace("u11, shares: 100", "u11, shares: 0"))
    bad.write_text(WORKED.replace("shares: 400", "shares: four").replace("u12", "u11"))
    ended = cli("tree", "check", worked, odd)
    assert ended.status == 0
    assert f"{odd}" in ended.out
    lines = [line.split(": ")[:3] for line in ended.out.splitlines()]
    assert [f"{odd}:9:11", "warning", "root/g1/u11"] in lines
    ended = cli("tree", "check", odd, bad)
    assert ended.status == 1
    assert f"{bad}:7:" in ended.out
    assert [line.split(": ")[1] for line in ended.out.splitlines() if ": " in line].count("error") == 2


def test_check_gives_the_place_of_what_is_late_and_names_nodes_without_a_name(cli: Cli, worked: Path) -> None:
    late = "plot: {until_s: 10 s}\nevents: [{at: 20 s, login: u11}]\n"
    worked.write_text(WORKED + late)
    lines = [line.split(": ", 3) for line in cli("tree", "check", worked).out.splitlines()]
    (late_words,) = (line[3] for line in lines if line[:3] == [f"{worked}:18:1", "warning", "events"])
    assert late_words.startswith(wording("policies.event-lies"))
    worked.write_text(WORKED.replace("  name: root\n", "").replace("{name: u12, shares", "{shares"))
    output = cli("tree", "check", worked).out
    lines = [line.split(": ", 3)[:3] for line in output.splitlines()]
    assert [f"{worked}:3:3", "error", "root"] in lines
    assert [f"{worked}:9:11", "error", "root/g1/(no name)"] in lines
    assert "node 0" not in output


def test_check_knows_the_policies(cli: Cli, worked: Path) -> None:
    worked.write_text(WORKED + "policy: {name: shar}\n")
    ended = cli("tree", "check", worked)
    assert ended.status == 1
    assert (
        wording("cli.unknown-policy", name="", name_2="'shar'")
        + wording("shares.scenario.did-you-mean-2", meant="share")
        in ended.out
    )


def test_convert_chooses_by_suffix_or_by_name(cli: Cli, worked: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.cfg"
    assert cli("tree", "convert", worked, out).status == 0
    assert re.search("Account.*'g1'", out.read_text())
    ended = cli("tree", "convert", worked, out)
    assert ended.status == 1
    assert "exists already" in ended.err
    assert cli("tree", "convert", worked, out, "--force").status == 0
    ended = cli("tree", "convert", worked, "-", "--to", "yaml")
    assert "name: g1" in ended.out
    ended = cli("tree", "convert", worked, tmp_path / "out.txt")
    assert ended.status == 2
    assert says(ended.err, "cli.suffix-of-is-not-known-2", target=tmp_path / "out.txt")
    assert ": yaml, slurm," in ended.err
    refused = cli("tree", "convert", worked, "-", "--to", "toml").err
    assert "of yaml, slurm" in refused
    assert "toml" in refused


def test_convert_tells_what_the_other_format_has_no_place_for(cli: Cli, worked: Path, tmp_path: Path) -> None:
    marked = WORKED.replace("u11, shares: 100", "u11, shares: 100, note: a, system: true, usage: 5")
    worked.write_text(marked + "logins: [u12]\n")
    output = cli("tree", "convert", worked, tmp_path / "out.cfg").err.splitlines()
    title = wording("shares.formats.slurm-sacctmgr-dump")
    cannot = wording("cli.cannot-contain", named=tmp_path / "out.cfg", title=title)
    assert output[0].split(": ", 1) == ["fsconsole tree convert", cannot]
    losses = [re.fullmatch(r"  1 (.+) \(line (\d+)\)", line) for line in output[1:]]
    assert [loss and loss.groups() for loss in losses] == [
        ("login", "17"),
        ("system mark", "9"),
        ("note", "9"),
        ("starting usage", "9"),
    ]
    assert cli("tree", "convert", worked, tmp_path / "out.yaml").err == ""
    upper = tmp_path / "upper.csv"
    upper.write_text("path,name,kind,shares\n/,root,group,1\n/A,A,group,1\n/A/b,b,account,1\n")
    wrong = cli("tree", "convert", upper, tmp_path / "out.yaml", "--to", "kueue", "--force").err
    place, _, fault = next(line for line in wrong.splitlines() if "root/A:" in line).partition(": root/A: ")
    assert place.endswith(f"{tmp_path / 'out.yaml'}:1:1: error")
    assert says(fault, "shares.formats.cannot-be-name-of-object", name="'A'")
    small = (
        "tree",
        "convert",
        upper,
        tmp_path / "out.yaml",
        "--to",
        "kueue",
        "--force",
        "--rename",
        "A-Z=a-z",
    )
    assert "error" not in cli(*small).err
    assert "name: a\n" in (tmp_path / "out.yaml").read_text()


def test_diff_lists_nodes_with_both_shares_of_the_machine(cli: Cli, worked: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    text = WORKED.replace("shares: 400", "shares: 600").replace("        - {name: u12, shares: 100}\n", "")
    other.write_text(text)
    ended = cli("tree", "diff", worked, other)
    assert ended.status == 1
    rows = [line.split("  ") for line in ended.out.splitlines() if "root/" in line]
    cells = {row[0].strip(): [cell.strip() for cell in row[1:] if cell.strip()] for row in rows}
    assert cells["root/g1"][0].split() == ["Shares", "400", "→", "600"]
    assert cells["root/g1"][1:] == ["40.000 %", "50.000 %", "+10.000"]
    assert cells["root/g1/u12"][0].split() == ["Removed:", "user", "with", "100", "shares"]
    assert cells["root/g1/u12"][1:] == ["20.000 %", "–", "−20.000"]
    assert cells["root/g2"] == ["Entitled share", "60.000 %", "50.000 %", "−10.000"]
    assert says(ended.out, "app.tree.another-entitled-share")
    parts, _, entitled = ended.out.splitlines()[-1].partition("; ")
    assert parts.split(", ") == ["1 removed", "1 changed"]
    assert entitled.split()[:2] == ["7", "nodes"]
    found = json.loads(cli("tree", "diff", worked, other, "--json").out)
    assert found["same"] is False
    assert {edit["edit"] for edit in found["edits"]} == {"remove", "set_shares"}
    nodes = {node["path"]: node for node in found["nodes"]}
    assert nodes["root/g1/u11"]["machine_after"] == pytest.approx(0.5)
    assert nodes["root/g1"]["changes"] == [{"what": "shares", "before": "400", "after": "600"}]


def test_diff_ends_as_diff_does(cli: Cli, worked: Path, tmp_path: Path) -> None:
    ended = cli("tree", "diff", worked, worked)
    assert (ended.status, ended.out) == (0, (wording("app.tree.trees-are-equal") + "\n"))
    assert json.loads(cli("tree", "diff", worked, worked, "--json").out) == {
        "same": True,
        "nodes": [],
        "edits": [],
    }
    (tmp_path / "bad.yaml").write_text("[")
    ended = cli("tree", "diff", worked, tmp_path / "bad.yaml")
    assert (ended.status, ended.out) == (2, "")
    assert f"{tmp_path / 'bad.yaml'}:" in ended.err
    assert cli("tree", "diff", "-", "-").status == 2


@pytest.mark.parametrize("command", ["show", "check"])
def test_a_file_that_is_no_text_is_reported(cli: Cli, tmp_path: Path, command: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(bytes(range(256)))
    ended = cli("tree", command, path)
    assert ended.status == 1
    assert str(path) in ended.out + ended.err


def test_a_file_that_is_not_recognised_is_read_as_the_format_given(cli: Cli, tmp_path: Path) -> None:
    banks = tmp_path / "banks"
    banks.write_text("A,root,60\nB,root,40\n")
    for words in (("show",), ("check",), ("elsewhere", "--rule", "share")):
        ended = cli("tree", words[0], banks, "--from", "flux", *words[1:])
        assert ended.status == 0, ended.err
    assert cli("tree", "diff", banks, banks, "--from", "flux").status == 0
    assert says(
        cli("tree", "show", banks, "--from", "flx").err,
        "shares.formats.unknown-format",
        name="",
        name_2="'flx'",
    )


def test_what_shares_of_another_scheduler_stand_for_is_reported(cli: Cli, tmp_path: Path) -> None:
    targets = tmp_path / "maui.cfg"
    targets.write_text("USERCFG[ana] FSTARGET=10\nGROUPCFG[chem] FSTARGET=30\n")
    message = f"{targets}: note: tree: targets of USER and GROUP apply at the same time in Maui"
    for words in (("show", targets), ("convert", targets, "-", "--to", "sge")):
        assert message in cli("tree", *words).err
    assert message not in cli("tree", "convert", targets, "-", "--to", "maui").err
    assert message in cli("tree", "check", targets).out


def test_a_tree_in_two_files_is_read_as_one(cli: Cli, tmp_path: Path) -> None:
    banks, users = tmp_path / "banks.csv", tmp_path / "users.csv"
    banks.write_text("root,,1\nA,root,60\n")
    users.write_text("ana,5011,A,2,5,7,9,\n")
    assert "ana" in cli("tree", "show", banks, "--with", users).out
    ended = cli("tree", "convert", users, "-", "--to", "slurm", "--with", banks)
    assert re.search("User.*'ana'", ended.out)
    lost = ["1", "UserID", "(flux)", "of", "1", "node", f"({users},", "line", "1)"]
    assert any(line.split() == lost[-len(line.split()) :] for line in ended.err.splitlines())
    users.write_text("ana,5011,C,2,5,7,9,\n")
    ended = cli("tree", "check", banks, "--with", users)
    assert (ended.status, ended.out.startswith(f"{users}:1:1: error")) == (1, True)
    assert says(ended.out, "shares.formats.no-bank-in-file", name="'C'")
    ended = cli("tree", "check", users, "--from", "sge", "--with", banks)
    assert says(ended.err, "cli.tree-of-is-one-file", name="sge")
    assert ended.err.split()[-7:] == ["kueue", "or", "kai", "or", "lsf", "or", "flux."]


def test_who_takes_the_accounts_share_is_shown_with_one(cli: Cli, tmp_path: Path) -> None:
    dump = tmp_path / "lab.cfg"
    dump.write_text(
        "Cluster - 'lab':Fairshare=1\nParent - 'root'\nAccount - 'phys':Fairshare=40\nParent - 'phys'\n"
        "User - 'anna':Fairshare=10\nUser - 'ben':Fairshare=parent\n"
    )
    lines = cli("tree", "show", dump).out.splitlines()
    assert lines[-2].split()[1:] == ["ben", "10", "50.00", "%", "50.00", "%", "parent", "(ours)"]
    assert says(lines[-1], "cli.parent-slurm-uses-share-of")
    found = json.loads(cli("tree", "elsewhere", dump, "--rule", "share", "--json").out)
    assert [node["entitled"] for node in found["nodes"]] == pytest.approx([1, 1, 0.5, 0.5])


_SLICES = "# /etc/systemd/system/a-b.slice\n[Unit]\nDescription=B\n[Slice]\nCPUWeight=300\nCPUQuota=20%\n"


def test_a_plain_table_has_values_and_no_texts_of_the_file(cli: Cli, tmp_path: Path) -> None:
    slices = tmp_path / "all.slice"
    slices.write_text(_SLICES)
    ended = cli("tree", "convert", slices, "-", "--to", "csv", "--plain")
    assert ended.out.splitlines()[0].endswith(",last_use_s,systemd.CPUQuota")
    assert not set("⟨⟩[") & set(ended.out)
    lost = ["Description", "(systemd)", "of", "1", "node", "(line", "3)"]
    assert lost in [line.split() for line in ended.err.splitlines()]
    assert "CPUQuota (systemd)" not in ended.err
    assert cli("tree", "convert", slices, "-", "--to", "pbs", "--plain").status == 2


def test_names_that_the_other_scheduler_cannot_have_are_changed_on_demand(cli: Cli, tmp_path: Path) -> None:
    queues = tmp_path / "queues.yaml"
    cohort = (
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\nmetadata: {name: %s}\nspec: {parentName: root}\n"
    )
    queues.write_text("---\n".join(cohort % name for name in ("team-a", "team-b")))
    plain = cli("tree", "convert", queues, "-", "--to", "slurm")
    lost = ["1", "group", *wording("shares.formats.called-root-becomes-root-itself").split()]
    assert (plain.status, lost in [line.split()[: len(lost)] for line in plain.err.splitlines()]) == (0, True)
    assert re.search("Account.*'team-a'", plain.out)
    ended = cli("tree", "convert", queues, "-", "--to", "slurm", "--rename", "root=top", "--rename", "-=_")
    assert ended.status == 0
    assert re.search("Account.*'top'", ended.out)
    assert re.search("Account.*'team_a'", ended.out)
    twice = cli("tree", "convert", queues, "-", "--to", "slurm", "--rename", "team-a=team-b")
    assert (twice.status, "--rename: " in twice.err) == (1, True)
    assert cli("tree", "convert", queues, "-", "--to", "slurm", "--rename", "team-a").status == 2
