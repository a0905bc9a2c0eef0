"""The fake tools do what a test asks of them, and by themselves what a real cluster said."""

from __future__ import annotations

import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from fsconsole.slurm.parsers.assoc import COLUMNS, read_assoc
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.sprio import read_sprio
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.slurm.captured import ASSOC_COLUMNS, captured
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.fake.known import NOT_KNOWN
from tests.slurm.fake.large import large_cluster

_ASSOC = ("sacctmgr", "-nP", "show", "assoc", f"format={','.join(COLUMNS)}")


def _run(*argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.usefixtures("fake_slurm")
class TestByThemselves:
    def test_captures_come_back_unchanged(self) -> None:
        assert _run("sshare", "-l", "-a", "-P").stdout == captured("running.psv")
        ids = _run("sacctmgr", "-nP", "show", "assoc", f"format={','.join(ASSOC_COLUMNS)}")
        assert ids.stdout == captured("plain/assoc-ids.psv")
        assert _run("squeue", "--json").stdout == captured("plain/squeue.json")
        norm = _run("sprio", "-h", "-o", "%i|%r|%u|%Y|%a|%f|%j|%p|%q|%t|%N").stdout
        assert norm == captured("plain/sprio.psv")
        tree = _run(
            "sacctmgr", "-P", "show", "assoc", "tree", "format=Cluster,Account,User,Partition,Share"
        ).stdout
        assert tree.splitlines() == [
            "|".join(line.split("|")[:5]) for line in captured("plain/assoc-tree.psv").splitlines()
        ]

    def test_our_parsers_read_what_they_print(self) -> None:
        assert len(read_sshare(_run("sshare", "-laP").stdout).tree) == 23
        assert len(read_assoc(_run(*_ASSOC).stdout, columns=COLUMNS).tree) == 23
        assert len(read_squeue(_run("squeue", "-a", "--json").stdout).items) == 4
        assert read_scontrol_job(_run("scontrol", "-o", "show", "job").stdout).items
        assert read_scontrol_config(_run("scontrol", "show", "config").stdout).dampening == 1
        listing = read_sprio(_run("sprio", "-o", "%i|%r|%u|%Y|%A|%F|%J|%P|%Q|%T|%N").stdout)
        assert [job.priority for job in listing.items] == [11344, 719]

    def test_without_all_only_accounts_and_ones_own_rows(self) -> None:
        users = {line.split("|")[1] for line in _run("sshare", "-P").stdout.splitlines()[1:]}
        assert users <= {"", "root"}

    def test_shares_that_were_set_are_shown_by_both_tools(self) -> None:
        changed = _run(
            "sacctmgr", "-i", "modify", "user", "where", "name=fs_anna", "account=hep", "set", "fairshare=7"
        )
        assert changed.returncode == 0
        assert ["U", "=", "fs_anna"] in [line.split()[-3:] for line in changed.stdout.splitlines()]
        found = [line.split("|") for line in _run(*_ASSOC).stdout.splitlines()]
        assert {row[3]: row[6] for row in found if row[4] == "fs_anna"} == {"hep": "7", "astro": "3"}
        shown = [line.split("|")[:3] for line in _run("sshare", "-l", "-a", "-P").stdout.splitlines()]
        expected = ["   hep", "fs_anna", "7"]
        assert expected in shown
        expected = ["   astro", "fs_anna", "3"]
        assert expected in shown

    def test_what_is_not_there_is_not_modified(self) -> None:
        nothing = _run("sacctmgr", "-i", "modify", "account", "where", "name=nosuch", "set", "fairshare=7")
        assert (nothing.returncode, nothing.stdout.split()) == (1, ["Nothing", "modified"])

    def test_sacctmgr_asks_and_changes_nothing_when_told_no(self) -> None:
        before = _run(*_ASSOC).stdout
        asked = _run("sacctmgr", "modify", "account", "where", "name=hep", "set", "fairshare=7", stdin="n\n")
        assert asked.stdout.split()[-2:] == ["Changes", "Discarded"]
        assert _run(*_ASSOC).stdout == before

    def test_sacctmgr_asks_for_ever_at_the_end_of_input(self) -> None:
        words = ("sacctmgr", "modify", "account", "where", "name=hep", "set", "fairshare=7")
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as asking:
            assert asking.stdout is not None
            read = asking.stdout.read(1_000_000)
            asking.kill()
        assert read.count(b"Y or N please") > 10_000

    def test_the_cluster_has_a_name(self) -> None:
        assert _run("sacctmgr", "-nP", "show", "cluster", "format=cluster").stdout == "lab\n"

    def test_what_nobody_said_is_refused(self) -> None:
        argv = ("-i", "delete", "account", "hep")
        refused = _run("sacctmgr", *argv)
        assert refused.returncode == NOT_KNOWN
        assert repr(shlex.join(argv)) in refused.stderr


def test_the_last_answer_that_fits_is_given(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("squeue", stdout="any\n")
    fake_slurm.answer("squeue", "-u", "anna", stdout=b"\xff\x00", stderr="hm\n", rc=3)
    assert _run("squeue", "-a", "-u", "ben").stdout == "any\n"
    found = subprocess.run(("squeue", "-h", "-u", "anna"), capture_output=True, timeout=60, check=False)
    assert (found.stdout, found.stderr, found.returncode) == (b"\xff\x00", b"hm\n", 3)
    expected = ["squeue -a -u ben", "squeue -h -u anna"]
    assert [call.line for call in fake_slurm.calls] == expected


def test_an_answer_is_used_up(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("scancel", "5", stderr="twice\n", rc=1, times=2)
    assert [_run("scancel", "5").returncode for _ in range(3)] == [1, 1, 0]


def test_everything_can_be_forgotten(fake_slurm: FakeSlurm) -> None:
    fake_slurm.slurmdbd_is_down()
    assert "Connection refused" in _run(*_ASSOC).stderr
    fake_slurm.forget()
    assert _run(*_ASSOC).returncode == 0


def test_words_of_failures_are_those_of_the_tools(fake_slurm: FakeSlurm) -> None:
    fake_slurm.permission_is_denied()
    assert _run("scancel", "5").returncode == 210
    assert (
        "privilege"
        in _run("sacctmgr", "-i", "modify", "user", "where", "name=x", "set", "fairshare=2").stderr
    )
    assert _run(*_ASSOC).returncode == 0
    fake_slurm.slurmctld_is_down()
    assert [_run(tool).returncode for tool in ("squeue", "sshare", "scancel")] == [1, 255, 8]


_POLITE = {signal.SIGTERM, signal.SIGINT}


def test_one_that_hangs_and_is_deaf_ends_by_a_kill_alone(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("sshare", stdout="Account|User|Ra", ending="hang", is_deaf=True)
    with subprocess.Popen(("sshare",), stdout=subprocess.PIPE) as hanging:
        assert hanging.stdout is not None
        assert hanging.stdout.read(15) == b"Account|User|Ra"
        status = Path(f"/proc/{hanging.pid}/status").read_text("ascii")
        ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
        assert {number for number in _POLITE if ignored >> (number - 1) & 1} == _POLITE
        hanging.terminate()  # the kernel drops at once what is ignored
        assert hanging.poll() is None
        hanging.kill()
    assert hanging.returncode == -signal.SIGKILL


def test_half_an_output_and_death_by_a_signal(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("squeue", "--json", stdout='{"jobs": [', rc=-signal.SIGSEGV)
    died = _run("squeue", "--json")
    assert (died.stdout, died.returncode) == ('{"jobs": [', -signal.SIGSEGV)


def test_endless_output_goes_on_as_long_as_it_is_read(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("sacctmgr", ending="endless")
    with subprocess.Popen(("sacctmgr",), stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        assert endless.stdout.read(14 * 1000) == b"Y or N please\n" * 1000
    assert endless.returncode == -signal.SIGPIPE


def test_large_output_is_whole_and_of_one_tree(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    cluster = large_cluster(users=2000, accounts=50)
    fake_slurm.answer("sshare", stdout=cluster.sshare())
    fake_slurm.answer("sacctmgr", "show", stdout=cluster.assoc())
    fake_slurm.answer("squeue", stdout=cluster.squeue(500, tmp_path / "squeue.json"))
    shown = read_sshare(_run("sshare", "-l", "-a", "-P").stdout).tree
    stored = read_assoc(_run(*_ASSOC).stdout, columns=COLUMNS).tree
    assert len(shown) == 2000 + 50 + 20 + 2
    assert sorted(zip(shown.account, shown.user, shown.shares, strict=True)) == sorted(
        zip(stored.account, stored.user, stored.shares, strict=True)
    )
    jobs = read_squeue(_run("squeue", "--json").stdout)
    assert not jobs.problems
    assert [job.job_id for job in jobs.items] == list(range(1, 501))
    assert {(job.account, job.user) for job in jobs.items} <= set(zip(shown.account, shown.user, strict=True))
