"""Start files of a login shell: what they print, set and take their time for changes nothing that is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from fsconsole.targets.slurm.tools import Tools
from tests.slurm.ssh.login_node import LoginNode
from tests.targets.slurm.ssh.conftest import Slurm

ToolsOf = Callable[[Sequence[str]], Tools]
# Each is read by a shell that is started for one command. Those of dash and ksh are not.
_START_FILES = {
    "bash": (".bashrc", "export {name}={value}\n"),
    "zsh": (".zshenv", "export {name}={value}\n"),
    "tcsh": (".tcshrc", "setenv {name} {value}\n"),
    "fish": (".config/fish/config.fish", "set -gx {name} {value}\n"),
}
_VARIABLES = {
    "SQUEUE_PARTITION": "dedicated",
    "SQUEUE_USERS": "fs_jan",
    "SQUEUE_STATES": "CG",
    "SQUEUE_FORMAT": "%i",
    "SQUEUE_SORT": "-u",
    "SINFO_PARTITION": "dedicated",
    "SINFO_FORMAT": "%P",
    "SSHARE_FORMAT": "account",
    "SPRIO_FORMAT": "%i",
    "SCANCEL_USER": "fs_jan",
    "SCANCEL_STATE": "PENDING",
    "SCANCEL_INTERACTIVE": "1",
    "SCONTROL_ALL": "1",
    "SACCT_FORMAT": "jobid",
    "SLURM_CLUSTERS": "other",
    "SLURM_TIME_FORMAT": "%c",
}
_NEW = "SQUEUE_OF_NEXT_YEAR"
_OF_OURS = {"SLURM_TIME_FORMAT": "%s", "SLURM_BITSTR_LEN": "4096", "SQUEUE_STATES": "all"}
_CLOCK = re.compile(r"\d+:\d\d:\d\d")  # elapsed times and those left go on
_TOOLS = ("squeue", "sinfo", "sshare", "sprio", "sacct", "scontrol", "sacctmgr", "scancel")


@pytest.mark.parametrize("shell", _START_FILES)
def test_output_variables_of_a_start_file_reach_no_tool(
    login_node: LoginNode, slurm: Slurm, tools_of: ToolsOf, shell: str
) -> None:
    plain = _jobs(slurm, login_node.via(shell))
    login_node.cut()
    name, line = _START_FILES[shell]
    text = "".join(line.format(name=one, value=value) for one, value in _VARIABLES.items())
    text += line.format(name=_NEW, value="1")
    login_node.write_home(shell, name, text)
    begun = len(login_node.slurm.environments)
    assert _jobs(slurm, login_node.via(shell)) == plain
    tools = tools_of(login_node.via(shell))
    for tool in ("scontrol", *_TOOLS):  # the first one looks around
        tools.run((tool, "-h"))
    seen = login_node.slurm.environments[begun:]
    assert {one["tool"] for one in seen} == set(_TOOLS)
    found = [(one["tool"], name, one[name]) for one in seen for name in _VARIABLES if name in one]
    assert not [one for one in found if _matters(one[0], one[1]) and one[2] != _OF_OURS.get(one[1])]
    assert all(_NEW not in one for one in seen[-len(_TOOLS) :])


def _matters(tool: str, name: str) -> bool:
    """Return True for a variable that the tool obeys."""
    return name.startswith((f"{tool.upper()}_", "SLURM_"))


def _jobs(slurm: Slurm, via: Sequence[str]) -> tuple[int, list[str]]:
    status, text = slurm("jobs", via=via)
    return status, _CLOCK.sub("", text).split()


@pytest.mark.parametrize(
    ("shell", "text"),
    [
        ("bash", 'echo "Welcome to Cluster X. Next maintenance: Tuesday."\n'),
        ("bash", 'echo "quota|scratch|80%|a=b"; echo; printf "no line end"\n'),
        ("bash", 'echo "squeue: error: command not found" >&2\n'),
        ("zsh", "echo 'JOBID|NAME|USER'\n"),
        ("tcsh", "echo 'Account|User|RawShares'\n"),
        ("fish", "echo 'user=nobody'; echo 'tool='; echo\n"),
    ],
)
def test_lines_of_a_start_file_are_not_output_of_a_tool(
    login_node: LoginNode, slurm: Slurm, shell: str, text: str
) -> None:
    via = login_node.via(shell)
    plain = _jobs(slurm, via), slurm("show", via=via)
    login_node.cut()
    login_node.write_home(shell, _START_FILES[shell][0], text)
    assert (_jobs(slurm, via), slurm("show", via=via)) == plain
    assert slurm("status", via=via)[0] == 0


def test_a_banner_takes_no_part(login_node: LoginNode, slurm: Slurm, tools_of: ToolsOf) -> None:
    """It speaks of a password and of permission."""
    assert slurm("status", via=login_node.via("bash", "banner"))[0] == 0
    login_node.cut()
    login_node.slurm.cut("before", "squeue")
    cut = tools_of(login_node.via("bash", "banner")).run(("squeue", "-h"))
    assert "cut" in cut.problem
    assert "password" not in cut.problem
    assert "ermitted" not in cut.problem


def test_a_slow_start_file_makes_it_slow_and_no_more(login_node: LoginNode, slurm: Slurm) -> None:
    login_node.write_home("bash", ".bashrc", "sleep 2\n")
    status, text = slurm("jobs", via=login_node.via())
    assert status == 0, text
    assert "2 running, 2 pending" in text
