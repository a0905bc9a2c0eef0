"""Command prefixes as their programs read them, and words quoted for the shells on the way."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.targets.slurm.prefixes import read_prefix
from fsconsole.targets.slurm.shell_words import line_of, quoted, unsendable
from tests.texts import says

# What a word of a command may hold: everything that a shell would make something of.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
SENDABLE = WORDS.filter(lambda word: not unsendable((word,)))
SHELLS = ("bash", "dash", "ksh", "zsh", "tcsh", "fish")


@pytest.mark.parametrize(
    ("text", "shells", "hosts", "unknown"),
    [
        ("", 0, [], ""),
        ("ssh login1", 1, ["login1"], ""),
        ("ssh -p 2222 admin@login1", 1, ["admin@login1"], ""),
        ("ssh admin@login1 -p 2222", 1, ["admin@login1"], ""),
        ("ssh -J jump login1", 1, ["login1"], ""),
        ("ssh jump ssh -p 22 login1", 2, ["jump", "login1"], ""),
        ("ssh jump ssh login1 sudo -n -u slurm", 2, ["jump", "login1"], ""),
        ("ssh -i keys/ssh login1", 1, ["login1"], ""),
        ("ssh -l ssh login1", 1, ["login1"], ""),
        ("ssh -tt login1", 1, ["login1"], ""),
        ("ssh login1 --", 1, ["login1"], ""),
        ("ssh login1 exec", 1, ["login1"], ""),
        ("ssh login1 A=1", 1, ["login1"], ""),
        ("ssh login1 env A=1 nice -n 5", 1, ["login1"], ""),
        ("ssh login1 source /etc/profile ';'", 1, ["login1"], ""),
        ("ssh login1 module load slurm '&&'", 1, ["login1"], ""),
        ("ssh login1 'source /etc/profile;'", 1, ["login1"], ""),
        ("ssh login1 bash -lc", 2, ["login1"], ""),
        ("ssh login1 sudo -u slurm bash -lc", 2, ["login1"], ""),
        ("ssh login1 su - slurm -c", 2, ["login1"], ""),
        ("env A=1 timeout 30 ssh login1", 1, ["login1"], ""),
        ("sudo -n -u root ssh login1", 1, ["login1"], ""),
        ("sudo -n -u slurm", 0, [], ""),
        ("bash -lc", 1, [], ""),
        ("docker exec ssh", 0, [], ""),
        ("docker compose exec -T slurmctld", 0, [], ""),
        ("podman exec -u slurm -e A=1 box bash -lc", 1, [], ""),
        ("kubectl -n slurm exec -it pod -c main --", 0, [], ""),
        ("singularity exec -B /etc image.sif", 0, [], ""),
        # Not known, or known to have a shell read the words in a way of its own.
        ("hpc", 0, [], "hpc"),
        ("ssh login1 hpc", 1, ["login1"], "hpc"),
        ("ssh login1 bash", 1, ["login1"], "bash"),
        ("ssh login1 bash -c 'exec $0'", 1, ["login1"], "bash"),
        ("ssh login1 '$HOME/bin/x'", 1, ["login1"], "$HOME/bin/x"),
        ("ssh login1 'echo \"a;'", 1, ["login1"], "ssh"),
        ("ssh login1 'a;ssh' b", 1, ["login1"], "ssh"),
        ("ssh", 0, [], "ssh"),
        ("sudo -i", 0, [], "sudo"),
        ("sudo -nu slurm -i", 0, [], "sudo"),
        ("env -S 'a b'", 0, [], "env"),
        ("kubectl exec pod", 0, [], "kubectl"),
        ("docker run image", 0, [], "docker"),
        ("A=1 ssh login1", 0, [], "A=1"),
    ],
)  # fmt: skip
def test_a_prefix_as_its_programs_read_it(text: str, shells: int, hosts: list[str], unknown: str) -> None:
    prefix = read_prefix(tuple(shlex.split(text)))
    assert (prefix.shells, [hop.host for hop in prefix.hops], prefix.unknown_program) == (
        shells,
        hosts,
        unknown,
    )


def test_options_and_words_of_ours_go_to_their_places() -> None:
    prefix = read_prefix(("ssh", "-p", "2", "jump", "ssh", "login1", "-v", "sudo", "-u", "slurm"))
    made = prefix.argv(("squeue", "a b"), options=[("-T",), ("-x",)], ours=("timeout", "9"))
    assert made[:-1] == (
        *("ssh", "-p", "2", "jump", "-T", "ssh", "login1", "-v", "-x", "'timeout 9'"),
        *("sudo", "-u", "slurm"),
    )
    # Two shells read the last word, one after the other.
    (once,) = shlex.split(made[-1])
    assert shlex.split(once) == ["squeue", "a b"]
    behind_sudo = read_prefix(("sudo", "-u", "slurm"))
    assert behind_sudo.argv(("squeue", "a b")) == ("sudo", "-u", "slurm", "squeue", "a b")


@given(command=st.lists(SENDABLE, min_size=1, max_size=4))
def test_words_arrive_behind_ssh(command: list[str]) -> None:
    for words in (
        ("ssh", "a"),
        ("ssh", "-oX=no", "a", "sudo"),
        ("/usr/bin/ssh", "a", "ssh", "b"),
        ("ssh", "a", "--"),
    ):
        prefix = read_prefix(words)
        arrived = _as_ssh_does(prefix.argv(command, options=[("-T",)] * len(prefix.hops)))
        assert arrived == (["sudo", *command] if "sudo" in words else command)


def _as_ssh_does(argv: Sequence[str]) -> list[str]:
    """Words at the other end: each ssh joins those behind the host, and a shell parts them again."""
    words = list(argv)
    while words[0].endswith("ssh"):
        host = next(place for place, word in enumerate(words) if place and not word.startswith("-"))
        rest = words[host + 1 :]
        while rest[0] == "-T":
            rest = rest[1:]
        words = shlex.split(" ".join(rest[1:] if rest[0] == "--" else rest))
    return words


@given(name=WORDS)
def test_a_program_that_is_not_known_gets_nothing_that_a_shell_could_read(name: str) -> None:
    command = ["sshare", "-A", f"hep,{name}"]
    for words in (("site-wrapper",), ("ssh", "login1", "site-wrapper"), ("sudo", "-i")):
        if not read_prefix(words).refusal(command):
            assert shlex.split(" ".join(command), comments=True) == command


@pytest.mark.parametrize("sign", ["\n", "\r", "\0"])
def test_a_line_break_is_refused_where_a_shell_reads_it(sign: str) -> None:
    command = ("tail", f"a{sign}touch b")
    for text in ("ssh login1", "ssh a ssh b", "bash -lc", "docker exec x sh -c"):
        refusal = read_prefix(tuple(text.split())).refusal(command)
        assert says(refusal, "targets.slurm.contains-line-break-which-not")
    assert not read_prefix(("docker", "exec", "x")).refusal(command)


HOSTILE = (
    *(
        "a b",
        "it's",
        '"q"',
        "$HOME",
        "$(touch X)",
        "`touch X`",
        "; touch X;",
        "!!",
        "hi!foo",
        "a\\",
        "a\\\\b",
    ),
    *(r"\'';touch X;#", "x!#:s\"--\"Z'\"'\"';touch X;echo \\'", "~root", "*", "{a,b}", "%s", "%self", ""),
    *("a\tb", "ü€😀!", "&& touch X", "^a^b", "#x", "(touch X)", "[a-z]", "a=b", "=ls", "@x", "%1", "?"),
    *("\x01!\x1b[31m", "\u2028", "a\u00a0b!", "$?$$", "!$", "--", "-n", "\\\\", "a\\!b", "1>X", "~+"),
    *("!" * 500, "\x7f", "a$", "'", '"', "|", "2>&1", "\\x41\\n", "<(touch X)"),
)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_reads_a_word_as_it_is(shell: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    folder = tmp_path_factory.mktemp("shell")
    line = line_of(("printf", r"%s\0", *HOSTILE))
    for text in (line, f"{shell} -c {quoted(line)}"):
        ended = subprocess.run((shell, "-c", text), cwd=folder, capture_output=True, check=False)
        assert ended.stdout.decode().split("\0")[:-1] == list(HOSTILE)
        assert not list(folder.iterdir())
