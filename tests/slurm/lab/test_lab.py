"""The test cluster itself: it comes up, obeys, and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.costs import processor_s
from tests.slurm.lab import missing
from tests.slurm.lab.daemons import Daemons, LabError
from tests.slurm.lab.demo_tree import ACCOUNTS, SYSTEM_PEOPLE
from tests.slurm.lab.holdings import pids_that_mention, sweep
from tests.slurm.lab.lab import PREFIX, Lab
from tests.texts import refuses

_KILLED = """
import sys, time
from tests.slurm.lab.lab import Lab
with Lab() as lab:
    print(lab.folders.top, flush=True)
    time.sleep(600)
"""


def test_the_tree_is_as_it_was_planted(slurm_lab: Lab) -> None:
    tree = read_sshare(slurm_lab.run("sshare", "-l", "-a", "-P").stdout).tree
    found = dict(zip(zip(tree.account, tree.user, strict=True), tree.shares.tolist(), strict=True))
    asked = {
        (account.name, SYSTEM_PEOPLE[place]): PARENT_SHARES if shares == "parent" else shares
        for account in ACCOUNTS
        for place, shares in account.users
    }
    assert {whose: shares for whose, shares in found.items() if whose[1] not in ("", "root")} == asked
    assert found["trials", ""] == PARENT_SHARES
    assert found["teaching", "bin"] == 0


def test_jobs_run_wait_and_give_way(slurm_lab: Lab) -> None:
    running = slurm_lab.submit("games", "ocean", "--nodes=4", "--exclusive", cpus=32)
    slurm_lab.wait_until(lambda: slurm_lab.job_states()[running] == "RUNNING", "the first job runs")
    waiting = slurm_lab.submit("mail", "ocean")
    urgent = slurm_lab.submit("lp", "climate", "--partition=dedicated")
    wanted = {running: "SUSPENDED", waiting: "PENDING", urgent: "RUNNING"}
    slurm_lab.wait_until(lambda: slurm_lab.job_states() == wanted, "the dedicated job suspends the other")
    assert slurm_lab.run("squeue", "-h", "-o", "%u", "-j", str(urgent)).stdout == "lp\n"
    slurm_lab.cancel_all()
    assert set(slurm_lab.job_states().values()) == {"CANCELLED"}


def test_a_tool_may_be_run_as_somebody_else(slurm_lab: Lab) -> None:
    words = ("sacctmgr", "-i", "modify", "account", "where", "name=ocean", "set", "fairshare=7")
    refused = slurm_lab.run(*words, user="games", check=False)
    assert refused.returncode == 1
    assert "Access/permission denied" in refused.stderr
    with refuses(LabError, "app.jobs.exit-status-2", status="1"):
        slurm_lab.run(*words, user="games")


def test_daemons_go_away_and_come_back(slurm_lab: Lab) -> None:
    slurm_lab.stop("slurmdbd")
    refused = slurm_lab.run("sacctmgr", "-nP", "show", "assoc", check=False)
    assert refused.returncode == 1
    assert "Connection refused" in refused.stderr
    slurm_lab.start("slurmdbd")
    assert "science" in slurm_lab.run("sacctmgr", "-nP", "show", "assoc").stdout
    slurm_lab.stop("n2")
    assert "n2" not in slurm_lab.daemons.running
    slurm_lab.start("n2")
    assert "n2" in slurm_lab.daemons.running


def test_all_listen_on_this_machine_alone(slurm_lab: Lab) -> None:
    """Ports as the kernel lists them: 0100007F is 127.0.0.1."""
    assert slurm_lab.daemons.running
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ours = {f"{port:04X}" for port in slurm_lab.ports.all_of(slurm_lab.options.nodes)}
    listening = {tuple(line[1].split(":")) for line in lines if line[3] == "0A"}
    assert {port for address, port in listening if address == "0100007F"} >= ours
    assert not {port for address, port in listening if address != "0100007F"} & ours


def test_nothing_is_left_of_a_cluster_whose_process_was_killed(slurm_lab: Lab) -> None:
    with subprocess.Popen((sys.executable, "-c", _KILLED), stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        folder = owner.stdout.readline().strip()
        assert pids_that_mention(folder)
        owner.kill()
    assert owner.returncode == -signal.SIGKILL
    slurm_lab.wait_until(lambda: not pids_that_mention(folder), "its daemons are gone")
    sweep(PREFIX)
    assert not Path(folder).exists()
    assert slurm_lab.folders.top.exists()


def test_what_is_missing_is_reported_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FSCONSOLE_NO_SLURM", raising=False)
    monkeypatch.setattr(missing, "search_path", lambda: "/nowhere")
    words = missing.what_is_missing().split()
    assert words[words.index("munged,") :][:2] == ["munged,", "mariadbd,"]
    packages = ["apt-get", "install", "mariadb-client", "mariadb-server", "munge"]
    assert words[words.index("apt-get") :][:5] == packages


def program(path: Path, says: str) -> None:
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)


@pytest.fixture
def sbin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs in which Debian's emulator has taken the names of two daemons over."""
    monkeypatch.delenv("FSCONSOLE_NO_SLURM", raising=False)
    monkeypatch.setattr(missing, "search_path", lambda: str(tmp_path / "sbin"))
    monkeypatch.setattr(missing, "ROOT", "")
    folder, alternatives = tmp_path / "sbin", tmp_path / "alternatives"
    folder.mkdir()
    alternatives.mkdir()
    for name in missing.PACKAGES:
        if name in ("slurmctld", "slurmd"):
            program(folder / f"{name}-wlm-emulator", "emulator")
            (alternatives / name).symlink_to(folder / f"{name}-wlm-emulator")
            (folder / name).symlink_to(alternatives / name)
        else:
            program(folder / name, "other")
    return folder


def test_an_emulator_alone_is_no_slurm(sbin: Path) -> None:
    assert [name for name in missing.PACKAGES if not missing.is_there(name)] == ["slurmctld", "slurmd"]
    assert missing.what_is_missing().split()[-4:] == ["apt-get", "install", "slurmctld", "slurmd"]
    for name in ("slurmctld", "slurmd"):
        program(sbin / f"{name}-wlm", "real")
    assert all(missing.is_there(name) for name in missing.PACKAGES)
    # Slurm goes by the name of its program.
    assert missing.tool("slurmctld") == str(sbin / "slurmctld")


def test_where_an_emulator_has_taken_the_names_over_the_keeper_gives_them_back(
    can_have_slurm: None, sbin: Path
) -> None:
    for name in ("slurmctld", "slurmd"):
        program(sbin / f"{name}-wlm", "real")
    names = ("slurmctld", "slurmd", "slurmdbd")
    code = (
        "import subprocess, sys; from pathlib import Path; from tests.slurm.lab import keeper\n"
        "keeper.use_real_daemons(Path(sys.argv[1]))\n"
        f"for name in {names}: subprocess.run((Path(sys.argv[1]) / name,), check=True)"
    )
    words = ("unshare", "--mount", sys.executable, "-c", code, str(sbin))
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.split() == [
        "real",
        "real",
        "other",
    ]
    outside = subprocess.run((sbin / "slurmctld",), capture_output=True, text=True, check=True)
    assert outside.stdout == "emulator\n"


def test_the_processor_time_of_daemons_counts_when_they_end(can_have_slurm: None, tmp_path: Path) -> None:
    daemons = Daemons(lambda name: tmp_path / f"{name}.log", {})
    busy = f"i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; touch {tmp_path}/done; exec sleep 1000"
    daemons.start("busy", ("sh", "-c", busy))
    daemons.await_("busy", (tmp_path / "done").exists)
    before_s = processor_s()
    daemons.close()
    assert processor_s() - before_s > 0.04
