"""Words of strangers through a real sshd, six login shells and every kind of prefix.

A word arrives as it is, or the command is refused in a sentence before anything runs; nothing in it is ever
executed. Job names, reasons and paths of any user of the cluster are such words.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fsconsole.targets.slurm.tools import Answer, Tools
from tests.slurm.ssh.login_node import LoginNode
from tests.slurm.ssh.missing import SHELLS

ToolsOf = Callable[[Sequence[str]], Tools]
_LIMIT_S = 60.0
_AT_ONCE = 3
_PLAIN = ("squeue", "-h", "--name=abc", "/tmp/out.txt", "a,b", "x:1")
_RUNS_NOTHING = (
    "a b", " ", "", "it's", '"q"', "''", '""', "$HOME", "${HOME}", "$0", "~", "~root", "*", "?", "[a-z]*",
    "/etc/pass*", "{a,b}", "{", "}", "!!", "!x", "hi!foo", "!", "!#", "!$", "^a^b", "%", "%1", "%s", "%n",
    "#x", "@x", "=ls", "=", "a=b", "A=1", "-", "--", "-n", "--help", "1>", "2>&1", "<", ">", "|", "&", ";",
    "(", ")", "a\\", "a\\\\", "\\", "\\'", "\\\"", "\\n", "\\x41", "a\tb", "\t", "\x01\x1b[31m", "\x7f",
    "ü€😀", "e\u0301", "\u202etxt", "\u00a0", "-e", "+x", ":", ".", "..", "a" * 5000, "' '" * 200,
    "if", "end",
)  # fmt: skip
_RUNS = (
    "$(touch {p})", "`touch {p}`", "; touch {p};", "&& touch {p}", "| touch {p}", "> {p}", ">> {p}",
    "(touch {p})", "' ; touch {p} ; '", "\\'; touch {p}; '", "\\''; touch {p};#", "\"; touch {p}; \"",
    "'; touch {p}; #", "o!#:s\"--\"Z';touch {p};echo \\", "!#:s\"--\"Z'\"'\"';touch {p};echo \\",
    "a' \\; touch {p}", "x\\'$(touch {p})'", "& touch {p} &", "%; touch {p}", "#'; touch {p}", "<(touch {p})",
    "$'\\047; touch {p}'", "\\\\'; touch {p} #", "{{touch,{p}}}", "(touch {p};)", "'(touch {p})'",
    "\\`touch {p}\\`", "!'; touch {p} ;'", "=(touch {p})",
)  # fmt: skip
_BREAKS = (
    "a\nb", "a\r\nb", "\n", "a\r", "a\ntouch {p}\n", "\\\ntouch {p}\n", "'\ntouch {p}\n'",
    "\\''\ntouch {p}\n#", "\rtouch {p}\r",
)  # fmt: skip


@pytest.fixture
def canary(login_node: LoginNode) -> Path:
    """Return a file that commands in hostile words would make."""
    return login_node.canaries / "bird"


def _filled(words: Sequence[str], canary: Path) -> list[str]:
    return [word.format(p=canary) if "{p}" in word else word for word in words]


def _said(tools: Tools, words: Sequence[str]) -> Answer:
    return tools.run(
        ("printf", "%s|%s", "BEGIN", "|", *(sign for word in words for sign in (word, "|"))), limit_s=_LIMIT_S
    )


def _is_intact(answer: Answer, words: Sequence[str]) -> bool:
    return answer.is_well and answer.stdout == "BEGIN||" + "".join(f"{word}||" for word in words)


def _programs(folder: Path, **scripts: str) -> str:
    """Write programs; the PATH that has them first."""
    folder.mkdir()
    for name, line in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def _prefixes(node: LoginNode, shell: str) -> dict[str, tuple[str, ...]]:
    """Return the prefixes behind which every word of one line arrives, each in words."""
    ssh = node.via(shell)
    jump = node.via("jump")
    *options, host = ssh
    key = node.top / "laptop" / "ssh"
    key.write_bytes(node.key("id").read_bytes())
    key.chmod(0o600)
    return {
        "ssh": ssh,
        "ssh jump ssh": (*jump, "ssh", shell),
        "ssh -J": (*options, "-J", jump[-1], host),
        "ssh bash -lc": (*ssh, "bash", "-lc"),
        "ssh sudo": (*ssh, "sudo", "-n", "-u", "fsbash"),
        "ssh env": (*ssh, "env", "A=1"),
        "ssh env nice": (
            *ssh,
            "env",
            "nice",
            "-n",
            "5",
        ),  # by itself it is a builtin of tcsh, with other options
        "ssh timeout": (*ssh, "timeout", "30"),
        "ssh --": (*ssh, "--"),
        "ssh exec": (*ssh, "exec"),
        "ssh cd ;": (*ssh, "cd", "/", ";"),
        "env ssh": ("env", "A=1", *ssh),
        "timeout ssh": ("timeout", "30", *ssh),
        "sudo ssh": ("sudo", "-n", *ssh),
        "ssh -i ssh": (*options, "-i", str(key), host),
        "ssh -l": (*options, "-l", f"fs{shell}", host),
        "ssh -T": (*options, "-T", host),
        "ssh jump sudo ssh": (*jump, "sudo", "-n", "-u", "fsfish", "ssh", shell),
    }


_IN_EACH_SHELL = ("ssh", "ssh jump ssh", "ssh bash -lc")
"""The others add nothing that the login shell would read: two shells with quoting of their own will do."""
_OTHERS_THROUGH = ("tcsh", "fish")


@pytest.mark.parametrize("shell", SHELLS)
def test_words_arrive_as_they_are(login_node: LoginNode, canary: Path, tools_of: ToolsOf, shell: str) -> None:
    words = _filled((*_RUNS_NOTHING, *_RUNS), canary)
    prefixes = _prefixes(login_node, shell)
    wanted = prefixes if shell in _OTHERS_THROUGH else _IN_EACH_SHELL
    tools = [tools_of(prefixes[name]) for name in wanted]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(lambda one: _said(one, words), tools)
    wrong = {
        name: answer for name, answer in zip(wanted, answers, strict=True) if not _is_intact(answer, words)
    }
    assert not wrong
    assert not canary.exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_each_word_arrives_alone(login_node: LoginNode, canary: Path, tools_of: ToolsOf, shell: str) -> None:
    """One word may undo what another does, in a line that has both."""
    tools = tools_of(login_node.via(shell))
    words = _filled(_RUNS, canary)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(lambda word: _said(tools, [word]), words)
    wrong = [word for word, answer in zip(words, answers, strict=True) if not _is_intact(answer, [word])]
    assert not wrong
    assert not canary.exists()
    assert login_node.logins() <= 2


@pytest.mark.parametrize("shell", SHELLS)
def test_line_breaks_are_refused_or_arrive(
    login_node: LoginNode, canary: Path, tools_of: ToolsOf, shell: str
) -> None:
    for name in ("ssh", "ssh jump ssh", "ssh sudo", "env ssh"):
        tools = tools_of(_prefixes(login_node, shell)[name])
        for word in _filled(_BREAKS, canary):
            answer = _said(tools, [word])
            assert _is_intact(answer, [word]) or (not answer.stdout and "line break" in answer.problem), name
    assert not canary.exists()


@pytest.mark.parametrize("shell", ["bash", "tcsh", "fish"])
@pytest.mark.parametrize("way", ["hpc", "hpc-quoted", "hpc-printing", "ssh sudo -i", "ssh su -c"])
def test_ways_that_are_not_known_refuse_what_they_might_run(
    login_node: LoginNode,
    canary: Path,
    tools_of: ToolsOf,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shell: str,
    way: str,
) -> None:
    ssh = " ".join(login_node.via(shell))
    path = _programs(
        tmp_path / "bin",
        hpc=f'exec {ssh} "$@"',
        **{
            "hpc-quoted": f'exec {ssh} "$(printf "%q " "$@")"',
            "hpc-printing": f'echo Welcome; exec {ssh} "$@"',
        },
    )
    monkeypatch.setenv("PATH", path)
    prefix = {
        "ssh sudo -i": (*login_node.via(shell), "sudo", "-n", "-i", "-u", "fsbash"),
        "ssh su -c": (*login_node.via(shell), "sudo", "-n", "su", "fsbash", "-c"),
    }.get(way, (way,))
    tools = tools_of(prefix)
    plain = _said(tools, _PLAIN)
    assert _is_intact(plain, _PLAIN) or "|" in plain.problem
    few = ("$HOME", "a b", "", "!!")
    for words in (
        _filled((*_RUNS, *_RUNS_NOTHING), canary),
        *([word] for word in (*few, *_filled(_RUNS[:4], canary))),
    ):
        answer = _said(tools, words)
        is_refused = not answer.stdout and "a shell after" in answer.problem
        assert _is_intact(answer, words) or is_refused, answer
        assert not canary.exists()


@pytest.mark.parametrize(
    ("way", "script"),
    [
        ("podman exec x", 'shift 2; exec "$@"'),
        ("docker exec -i -u root x", 'shift 5; exec "$@"'),
        ("kubectl exec pod --", 'shift 3; exec "$@"'),
        ("kubectl -n slurm exec -i pod -c main --", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'),
        ("apptainer exec image.sif", 'shift 2; exec "$@"'),
    ],
)
def test_containers_hand_every_word_on(
    canary: Path, tools_of: ToolsOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, script: str
) -> None:
    """Programs in their place hand words on as the real ones do: without a shell."""
    monkeypatch.setenv("PATH", _programs(tmp_path / "bin", **{way.split(maxsplit=1)[0]: script}))
    words = _filled((*_RUNS_NOTHING, *_RUNS, *_BREAKS), canary)
    tools = tools_of(way.split())
    answer = _said(tools, words)
    assert _is_intact(answer, words), answer
    assert not canary.exists()


@pytest.mark.parametrize("shell", ["bash", "tcsh", "fish"])
def test_a_word_of_100_kb_arrives_or_is_refused(
    login_node: LoginNode, canary: Path, tools_of: ToolsOf, shell: str
) -> None:
    tools = tools_of(login_node.via(shell))
    for word in ("x" * 100_000, f"'; touch {canary} ;!\\" * 4_000):
        answer = _said(tools, [word])
        assert _is_intact(answer, [word]) or (not answer.stdout and answer.problem), answer.problem[:200]
        assert not canary.exists()
