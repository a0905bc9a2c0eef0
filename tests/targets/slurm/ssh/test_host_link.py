"""The way to a login node: few logins, each fault in words of its own, no process left behind there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import psutil  # type: ignore[import-untyped]
import pytest

from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.polling import PaceOptions
from fsconsole.targets.slurm.state import ClusterState, Link, PartName
from fsconsole.targets.slurm.target import SlurmTarget
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.ssh.login_node import LoginNode
from tests.slurm.ssh.missing import SHELLS
from tests.targets.slurm.ssh.conftest import Slurm

_QUICK = PaceOptions(settings_s=0.5, tree_s=0.3, usage_s=0.3, jobs_s=0.1, hardware_s=0.2)
_JOBS_READ = 4
_MOST_AT_ONCE = 3
ToolsOf = Callable[[Sequence[str]], Tools]
TargetOf = Callable[[Sequence[str]], SlurmTarget]


@pytest.fixture
def target_of() -> Iterator[TargetOf]:
    """Return an opener of targets that read as quickly as they can; close them at the end."""
    made: list[SlurmTarget] = []

    def make(prefix: Sequence[str]) -> SlurmTarget:
        made.append(SlurmTarget(Location(tuple(prefix)), pace=_QUICK))
        return made[-1]

    yield make
    for one in made:
        one.close(wait=True)


def _until(node: LoginNode, target: SlurmTarget, is_so: Callable[[ClusterState], object], what: str) -> None:
    node.wait_until(lambda: is_so(target.state()), f"{what}; it is {target.state().link}")


def _all_tried(state: ClusterState) -> bool:
    return len(state.parts) == len(PartName) and all(
        part.problem or part.as_of_s is not None for part in state.parts.values()
    )


def _jobs_read(node: LoginNode) -> int:
    return sum(call.tool == "squeue" for call in node.slurm.calls)


def _wait_a_second(node: LoginNode) -> None:
    """Wait, while jobs become due ten times, and until no login is under way."""
    began = time.monotonic()
    node.wait_until(lambda: time.monotonic() - began > 1, "a second goes by")
    node.settle()


def _impatient(prefix: Sequence[str]) -> tuple[str, ...]:
    """Return the prefix with short times in which ssh finds out that nobody answers."""
    options = ("-oServerAliveInterval=1", "-oServerAliveCountMax=1", "-oConnectTimeout=2")
    return (*prefix[:-1], *options, prefix[-1])


# --------------------------------------------------------------------------------------- few logins


def test_the_window_logs_in_once(login_node: LoginNode, target_of: TargetOf) -> None:
    """The bar is 2 logins a minute. All parts are read some times here, as in a minute of a window."""
    target = target_of(login_node.via("fish"))
    login_node.wait_until(lambda: _jobs_read(login_node) > _JOBS_READ, "jobs are read again and again")
    _until(login_node, target, _all_tried, "each part is tried")
    assert login_node.logins() == 1
    assert target.state().link is Link.ANSWERS
    assert not any(part.problem for part in target.state().parts.values())


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_answers(login_node: LoginNode, slurm: Slurm, shell: str) -> None:
    status, text = slurm("status", via=login_node.via(shell))
    assert status == 0, text
    assert login_node.logins() == 1


def test_one_command_after_the_other_shares_a_login(login_node: LoginNode, slurm: Slurm) -> None:
    for words in (("status",), ("jobs",), ("show",), ("why", "fs_anna")):
        assert slurm(*words, via=login_node.via())[0] == 0
    assert login_node.logins() == 1


@pytest.mark.parametrize("door", ["narrow", "single"])
def test_a_host_that_limits_logins_or_sessions_answers_whole(
    login_node: LoginNode, slurm: Slurm, door: str
) -> None:
    """MaxStartups 2:100:2 drops a third login under way; MaxSessions 1 lets no two sessions share one."""
    status, text = slurm("status", via=login_node.via("bash", door))
    assert status == 0, text
    assert "refused" not in text


def test_settings_of_a_person_for_shared_connections_come_first(
    login_node: LoginNode, tools_of: ToolsOf
) -> None:
    socket = login_node.top / "laptop" / "own.sock"
    own = login_node.via(ControlMaster="auto", ControlPath=str(socket), ControlPersist="60")
    assert tools_of(own).run(("squeue", "--version")).is_well
    assert socket.is_socket()
    assert not list(login_node.state.rglob("*.sock"))
    none = tools_of((*own[:-1], "-oControlPath=none", own[-1]))
    assert [none.run(("squeue", "--version")).is_well for _ in range(2)] == [True, True]
    assert login_node.logins() == 3


def test_forwarded_ports_and_remote_commands_of_a_person_are_left_alone(
    login_node: LoginNode, slurm: Slurm
) -> None:
    port = login_node.port("closed")
    prefix = login_node.via(
        LocalForward=f"{port} 127.0.0.1:{login_node.port('plain')}",
        ExitOnForwardFailure="yes",
        RemoteCommand="exec sleep 600",
    )
    with login_node.listen("closed"):  # somebody else has the port already
        status, text = slurm("status", via=prefix)
    assert status == 0, text


# --------------------------------------------------------------------------------- few refused logins


@pytest.mark.parametrize("case", ["user", "key", "locked", "password"])
def test_a_refused_login_is_not_tried_again_by_itself(
    login_node: LoginNode, slurm: Slurm, target_of: TargetOf, case: str
) -> None:
    prefix = {
        "user": login_node.via("nobody-here"),
        "key": login_node.via(IdentityFile=str(login_node.key("strange"))),
        "locked": login_node.via(IdentityFile=str(login_node.key("locked"))),
        "password": login_node.via("bash", "password"),
    }[case]
    assert slurm("status", via=prefix)[0] == 1
    login_node.settle()
    assert login_node.refused() == 1
    target = target_of(prefix)
    _until(login_node, target, _all_tried, "each part is tried")
    _wait_a_second(login_node)
    assert login_node.refused() == 2
    target.refresh()
    login_node.wait_until(lambda: login_node.refused() == 3, "a click tries once more")
    assert login_node.logins() == 0


def test_a_key_that_lapses_while_the_window_is_open(login_node: LoginNode, target_of: TargetOf) -> None:
    target = target_of(login_node.via())
    _until(login_node, target, lambda state: state.link is Link.ANSWERS, "it answers")
    keys = login_node.home("bash") / ".ssh" / "authorized_keys"
    kept = keys.rename(keys.with_name("kept"))
    login_node.cut_connections()
    login_node.wait_until(login_node.refused, "a login is refused")
    _until(login_node, target, lambda state: state.link is Link.NO_ANSWER, "nothing answers")
    kept.rename(keys)
    login_node.settle()
    refused = login_node.refused()  # of each command that was under way when the connection went
    _wait_a_second(login_node)
    assert login_node.refused() == refused
    target.refresh()
    _until(login_node, target, lambda state: state.link is Link.ANSWERS, "it answers after a click")


# ------------------------------------------------------------------------------- each in its own words


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("user", ("refused the login", "user name", "Run this in a terminal")),
        ("key", ("refused the login", "public key")),
        ("locked", ("has a passphrase", "ssh-add ")),
        ("password", ("asks for a password",)),
        ("unknown key", ("host key", "not known", "accept")),
        ("changed key", ("WARNING", "has changed", "ssh-keygen -f ")),
        ("name", ("host name", "cannot be resolved")),
        ("port", ("refuses connections", "Check the port")),
        ("down", ("does not respond", "VPN")),
        ("modules", ("not found", "A login shell there finds", "bash -lc")),
    ],
)
def test_each_fault_is_named_apart_and_only_once(
    login_node: LoginNode, slurm: Slurm, case: str, words: tuple[str, ...]
) -> None:
    via = login_node.via
    prefix = {
        "user": lambda: via("nobody-here"),
        "key": lambda: via(IdentityFile=str(login_node.key("strange"))),
        "locked": lambda: via(IdentityFile=str(login_node.key("locked"))),
        "password": lambda: via("bash", "password"),
        "unknown key": lambda: via(UserKnownHostsFile="/dev/null"),
        "changed key": lambda: via(UserKnownHostsFile=str(login_node.known_hosts(is_changed=True))),
        "name": lambda: via(HostName="login1.example.invalid"),
        "port": lambda: via("bash", "closed"),
        "down": lambda: _impatient(via("bash", "down")),
        "modules": lambda: via("bash", "modules"),
    }[case]()
    status, text = slurm("status", via=prefix)
    assert status == 1
    found = " ".join(text.split())
    assert all(one in found for one in words), text
    if case != "modules":
        assert found.count(words[0]) == 1
    if case != "changed key":
        assert "WARNING" not in found


def test_the_advice_for_modules_works(login_node: LoginNode, slurm: Slurm) -> None:
    for way in (("bash", "-lc"), ("source", "/etc/profile", ";")):
        status, text = slurm("status", via=(*login_node.via("bash", "modules"), *way))
        assert status == 0, text


def test_a_missing_slurm_conf_is_found_in_seconds(login_node: LoginNode, slurm: Slurm) -> None:
    for tool in ("scontrol", "squeue", "sinfo", "sacctmgr", "sshare"):
        login_node.slurm.answer(tool, ending="hang")  # the real ones look for a minute
    began = time.monotonic()
    status, text = slurm("status", via=(*login_node.via(), "env", "SLURM_CONF=/nowhere/slurm.conf"))
    assert status == 1
    assert time.monotonic() - began < 30
    assert "slurm.conf" in text


# ------------------------------------------------------------------------------------ cuts and silence


def test_a_cut_connection_is_made_anew(login_node: LoginNode, target_of: TargetOf) -> None:
    target = target_of(login_node.via())
    _until(login_node, target, lambda state: state.link is Link.ANSWERS, "it answers")
    login_node.cut_connections()
    login_node.wait_until(lambda: login_node.logins() > 1, "it logs in again")
    before = _jobs_read(login_node)
    login_node.wait_until(lambda: _jobs_read(login_node) > before, "jobs are read again")
    _until(login_node, target, lambda state: state.link is Link.ANSWERS, "it answers again")


def test_silence_leaves_the_values_and_few_tries_and_ends_by_itself(
    login_node: LoginNode, target_of: TargetOf
) -> None:
    target = target_of(_impatient(login_node.via()))
    _until(login_node, target, lambda state: state.link is Link.ANSWERS and bool(state.jobs), "jobs are read")
    jobs = target.state().jobs
    login_node.silence()
    most = 0

    def is_noticed() -> bool:
        nonlocal most
        most = max(most, len(_ssh_children()))
        return target.state().link is Link.NO_ANSWER

    login_node.wait_until(is_noticed, "nothing answers")
    assert target.state().jobs == jobs
    began = time.monotonic()
    login_node.wait_until(lambda: not is_noticed() or time.monotonic() - began > 1, "a second more")
    assert (
        most <= _MOST_AT_ONCE + len(PartName) - 1
    )  # sessions of the shared connection, until it is given up
    assert len(_ssh_children()) <= _MOST_AT_ONCE
    login_node.resume()
    _until(login_node, target, lambda state: state.link is Link.ANSWERS, "it answers without a click")


def test_no_process_there_outlives_its_question(login_node: LoginNode, tools_of: ToolsOf) -> None:
    tools = tools_of(login_node.via())
    assert tools.run(("squeue", "--version")).is_well
    answer = tools.run(("sleep", "600"), limit_s=1.0)
    assert answer.timed_out
    assert "sleep" in [one.name for one in login_node.processes("bash")]
    login_node.wait_until(
        lambda: "sleep" not in [one.name for one in login_node.processes("bash")], "it is ended there too"
    )


@pytest.mark.dear("starts the program and a login node")
def test_quitting_leaves_nothing_on_either_side(login_node: LoginNode) -> None:
    target = SlurmTarget(Location(login_node.via()), pace=_QUICK)
    _until(login_node, target, lambda state: state.link is Link.ANSWERS, "it answers")
    target.close(wait=True)
    login_node.settle()
    assert not login_node.processes("bash")
    assert not list(login_node.state.rglob("ssh/*"))


def _ssh_children() -> list[psutil.Process]:
    found = []
    for one in psutil.Process().children(recursive=True):
        try:
            if one.name() == "ssh" and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
        except psutil.NoSuchProcess:
            continue
    return found
