"""Command prefixes: which programs hand the words after them on, and how many shells read these words.

A prefix is typed by a person: `ssh login1`, `sudo -n -u slurm`, `ssh login1 source /etc/profile ;`. What
stands behind it must arrive as it is, so each shell on the way must be known. ssh joins its words for the
login shell on the host, and a shell with the option -c reads a line. A program that is not in the table
may do either, as a script with `ssh HOST "$@"` does: it gets nothing that a shell could read otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import PurePath

from fsconsole.targets.slurm.location import capture_place, captured_folder
from fsconsole.targets.slurm.shell_words import is_bare, line_of, quoted, unsendable


class _Kind(StrEnum):
    HANDS_ON = "hands on"  # The words after it are the arguments of the next program, unchanged.
    CONTAINER = "container"  # Likewise, but in a system with an environment of its own.
    SSH = "ssh"  # The words after it are joined by blanks, and a login shell reads the line.
    SHELL = "shell"  # The word after its option -c is a line.


@dataclass(frozen=True, slots=True)
class _Program:
    """How a program reads its own arguments.

    Attributes:
        values: short options that take a value.
        long_values: long options whose value may be the next word.
        operands: number of arguments before the command.
        subcommand: words that must come first.
        has_dashes: the command stands behind `--`.
        has_assignments: `NAME=value` may stand before the command.
        refuses: options with which a shell reads the words in a way of its own. Such a program takes any
            beginning of a long option for it, so that no other long options than those here are known.
        flags: long options without a value of a program that `refuses` some.
        keeps_rules: it may run just the commands that a site allows, so nothing of ours goes behind it.
    """

    kind: _Kind = _Kind.HANDS_ON
    values: str = ""
    long_values: frozenset[str] = frozenset()
    operands: int = 0
    subcommand: str = ""
    has_dashes: bool = False
    has_assignments: bool = False
    refuses: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    keeps_rules: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGINE = _Program(
    _Kind.CONTAINER, "Hclewu", _words("--host --context --config --log-level --url --env --env-file --user "
    "--workdir --detach-keys --connection --namespace --address"), operands=1, subcommand="exec",
)  # fmt: skip
_CLUSTER = _Program(
    _Kind.CONTAINER, "ncfs", _words("--namespace --container --context --kubeconfig --cluster --user "
    "--server --filename --as --token"), operands=1, subcommand="exec", has_dashes=True,
)  # fmt: skip
_IMAGE = _Program(
    _Kind.CONTAINER, "BHSWo", _words("--bind --home --pwd --env --env-file --overlay --scratch --workdir"),
    operands=1, subcommand="exec",
)  # fmt: skip
_SHELL = _Program(_Kind.SHELL, "oOC", _words("--rcfile --init-file --init-command"))
_PROGRAMS = {
    "ssh": _Program(_Kind.SSH, "BbcDEeFIiJLlmOoPpQRSWw", operands=1),
    "sudo": _Program(
        values="ugpCThUrtDR", has_assignments=True, keeps_rules=True,
        refuses=_words("-i -s --login --shell"),
        long_values=_words("--user --group --prompt --close-from --command-timeout --host --other-user "
                           "--role --type --chdir --chroot"),
        flags=_words("--non-interactive --preserve-env --set-home --preserve-groups --stdin --background"),
    ),
    "doas": _Program(values="uCa", keeps_rules=True, refuses=_words("-s")),
    "runuser": _Program(
        values="ugGswT", long_values=_words("--user --group --supp-group --shell"), keeps_rules=True,
        refuses=_words("- -l --login -c --command -s --shell"), flags=_words("--fast --preserve-environment"),
    ),
    "su": _Program(_Kind.SHELL, "gGswT", _words("--group --supp-group --shell"), operands=1),
    "env": _Program(
        values="uC", long_values=_words("--unset --chdir"), has_assignments=True,
        refuses=_words("-S --split-string"),
        flags=_words("--ignore-environment --debug --block-signal --default-signal --ignore-signal"),
    ),
    "nice": _Program(values="n", long_values=_words("--adjustment")),
    "ionice": _Program(values="cnpPu", long_values=_words("--class --classdata")),
    "timeout": _Program(values="sk", long_values=_words("--signal --kill-after"), operands=1),
    "stdbuf": _Program(values="ioe", long_values=_words("--input --output --error")),
    "nohup": _Program(),
    "setsid": _Program(),
    "taskset": _Program(operands=1),
    "chrt": _Program(values="TPD", operands=1),
    "setpriv": _Program(
        long_values=_words("--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits "
                           "--pdeathsig --selinux-label --apparmor-profile"),
    ),
    "nsenter": _Program(values="tSG", long_values=_words("--target --setuid --setgid")),
    "chroot": _Program(_Kind.CONTAINER, long_values=_words("--userspec --groups"), operands=1),
    "docker": _ENGINE, "podman": _ENGINE, "nerdctl": _ENGINE,
    "kubectl": _CLUSTER, "oc": _CLUSTER,
    "singularity": _IMAGE, "apptainer": _IMAGE,
    **dict.fromkeys(("sh", "bash", "dash", "ksh", "mksh", "ash", "zsh", "tcsh", "csh", "fish"), _SHELL),
}  # fmt: skip
# Words of a shell's line that go before a command and hand it on.
_BUILTINS = {"exec", "command", "nohup", "time"}
# These leave the arguments and the terminal of an ssh behind them as they are.
_NEUTRAL = {"env", "nice", "ionice", "stdbuf", "timeout", "nohup"}
_SEPARATOR = re.compile(r"[;&|]")
_READS_ON = re.compile(r"[\s\"'`\\$(){}<>]")  # A shell may read what follows in a way that is not known here.
_OPENS = re.compile(r"[<({`\\\"']")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True, slots=True)
class Hop:
    """One ssh of a prefix.

    Attributes:
        at: place of the word `ssh`.
        options_at: place behind its own options, its host and the options after that.
        host: the host as it is written.
    """

    at: int
    options_at: int
    host: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """A command prefix, read.

    Attributes:
        words: as they were typed.
        hops: each ssh, the one that runs here first.
        shells: number of shells that read the command, one after the other.
        unknown_program: a program that may have a shell read its words; empty where all are known.
        is_elsewhere: the command runs in an environment that is not this program's.
        is_here_ssh: the first ssh is a child of this program, with nothing before it that matters to it.
        keeps_rules: the last program, such as sudo, may run certain commands alone.
        insert_at: place of words of ours; before a program that may run certain commands alone.
    """

    words: tuple[str, ...]
    hops: tuple[Hop, ...] = ()
    shells: int = 0
    unknown_program: str = ""
    is_elsewhere: bool = False
    is_here_ssh: bool = False
    keeps_rules: bool = False
    insert_at: int = 0

    @property
    def host(self) -> str:
        """The host that the last ssh goes to; empty without one."""
        return self.hops[-1].host if self.hops else ""

    def argv(
        self,
        command: Sequence[str],
        *,
        options: Sequence[Sequence[str]] = (),
        ours: Sequence[str] = (),
        more_shells: int = 0,
    ) -> tuple[str, ...]:
        """Return the whole argument list.

        Args:
            command: what is to arrive.
            options: for each ssh, those of ours.
            ours: words before the command, such as `timeout 60`.
            more_shells: number of shells that the unknown program turned out to use.
        """
        shells = self.shells + more_shells
        inserted = {hop.options_at: list(each) for hop, each in zip(self.hops, options, strict=False)}
        is_apart = bool(ours) and self.insert_at < len(self.words)
        if is_apart:
            inserted.setdefault(self.insert_at, []).extend(_for_shells(ours, shells))
        made: list[str] = []
        for place, word in enumerate(self.words):
            made += [*inserted.get(place, ()), word]
        made += inserted.get(len(self.words), [])
        return (*made, *_for_shells(command if is_apart else (*ours, *command), shells))

    def refusal(self, command: Sequence[str], *, more_shells: int | None = None) -> str:
        """Return the reason why a command cannot be sent unchanged; empty where it can."""
        if self.unknown_program and more_shells is None:
            word = next((word for word in command if not is_bare(word)), None)
            return "" if word is None else self._unsafe_words(word)
        if (self.shells or more_shells) and (word := unsendable(command)):
            return (
                f"{word!r} contains a line break, which not every shell passes on. Run fsconsole where Slurm "
                "is."
            )
        return ""

    def _unsafe_words(self, word: str) -> str:
        sign = next((sign for sign in word if not is_bare(f"a{sign}")), word[:1])
        shown = "a blank" if sign == " " else sign if sign.isprintable() else f"U+{ord(sign or ' '):04X}"
        return (
            f"{word!r} contains {shown or 'nothing'}, which a shell after {self.unknown_program} may "
            'interpret. Use --via "ssh HOST", or run fsconsole where Slurm is.'
        )


@lru_cache(maxsize=64)
def read_prefix(words: tuple[str, ...]) -> Prefix:
    """Return a prefix as the programs in it read it."""
    folder = captured_folder(words)
    if folder is not None:
        words = capture_place(folder).prefix
        return Prefix(words, insert_at=len(words))
    return _Reading(words).read()


class _Reading:
    """Reads a prefix from left to right."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words
        self._at = 0
        self._hops: list[Hop] = []
        self._shells = 0
        self._insert_at: int | None = None
        self._is_elsewhere = False
        self._keeps_rules = False
        self._before: list[str] = []

    def read(self) -> Prefix:
        unknown_program = self._first_unknown()
        at_end = len(self._words)
        insert_at = at_end if self._insert_at is None or not self._keeps_rules else self._insert_at
        return Prefix(
            self._words,
            tuple(self._hops),
            self._shells,
            unknown_program,
            self._is_elsewhere or bool(unknown_program),
            bool(self._hops) and set(self._before) <= _NEUTRAL,
            self._keeps_rules,
            insert_at,
        )

    def _first_unknown(self) -> str:
        """Pass over all programs; return the first one that is not known, or empty text."""
        while self._at < len(self._words):
            word = self._words[self._at]
            if self._shells:
                if _READS_ON.search(word):
                    return word
                if word in _BUILTINS or _ASSIGNMENT.match(word):
                    self._at += 1
                    continue
            name = PurePath(word).name.removesuffix(".exe")
            program = _PROGRAMS.get(name)
            start, self._at = self._at, self._at + 1
            if program is None or not self._passes(program, start):
                return word
            if not self._hops:
                self._before.append(name)
        return ""

    def _passes(self, program: _Program, start: int) -> bool:
        """Pass over the arguments of a program; return False where they are not understood."""
        if program.kind is _Kind.SHELL:
            return self._passes_shell(program)
        if program.keeps_rules and not self._keeps_rules:
            self._keeps_rules, self._insert_at = True, start
        if not self._options(program):
            return False
        if program.subcommand:
            while self._word() in ("compose", "container"):
                self._at += 1
                if not self._options(program):
                    return False
            if self._word() != program.subcommand:
                return False
            self._at += 1
            if not self._options(program):
                return False
        return self._passes_operands(program, start)

    def _passes_operands(self, program: _Program, start: int) -> bool:
        if program.has_dashes:
            if "--" not in self._words[self._at :]:
                return False
            self._at = self._words.index("--", self._at) + 1
        elif self._at + program.operands > len(self._words):
            return False
        else:
            self._at += program.operands
        while program.has_assignments and _ASSIGNMENT.match(self._word()):
            self._at += 1
        if program.kind is _Kind.CONTAINER:
            self._is_elsewhere, self._keeps_rules = True, False
        return self._passes_host(start) if program.kind is _Kind.SSH else True

    def _passes_host(self, start: int) -> bool:
        host = self._words[self._at - 1]
        if not self._options(_PROGRAMS["ssh"], ends_before_dashes=True):
            return False
        self._hops.append(Hop(start, self._at, host))
        self._shells += 1
        self._is_elsewhere, self._keeps_rules, self._insert_at = True, False, None
        if self._word() == "--":
            self._at += 1
        return self._passes_line()

    def _passes_line(self) -> bool:
        """Pass over whole commands of a shell's line, such as `module load slurm ;`."""
        rest = self._words[self._at :]
        last = max((place for place, word in enumerate(rest) if _SEPARATOR.search(word)), default=-1)
        if last < 0:
            return True
        self._at += last + 1
        # A quote or a backslash there is for a shell further on, or stays open.
        return rest[last].rstrip()[-1:] in (";", "&", "|") and not _OPENS.search(" ".join(rest[: last + 1]))

    def _passes_shell(self, program: _Program) -> bool:
        """Pass over a shell: the line that its option -c takes must be the command itself."""
        if self._shells:
            self._keeps_rules = False
        rest = self._words[self._at :]
        is_ready = bool(rest) and re.fullmatch(r"-[A-Za-z]*c|--command", rest[-1]) is not None
        names = [word for word in rest[:-1] if not word.startswith(("-", "+"))]
        if not is_ready or len(names) > program.operands or any(_READS_ON.search(word) for word in rest):
            return False
        self._at = len(self._words)
        self._shells += 1
        self._is_elsewhere, self._keeps_rules = True, False
        return True

    def _options(self, program: _Program, *, ends_before_dashes: bool = False) -> bool:
        while (word := self._word()).startswith("-") and word:
            if word == "--" and program.kind is _Kind.SSH and not ends_before_dashes:
                return False  # Options after the host would be words of the command.
            if word == "--":
                self._at += 0 if ends_before_dashes or program.has_dashes else 1
                return True
            if word in program.refuses or _may_refuse(word, program):
                return False
            self._at += 1
            takes_next = word in program.long_values
            if not word.startswith("--"):
                letters = word[1:]
                first = next(
                    (place for place, letter in enumerate(letters) if letter in program.values), None
                )
                takes_next = first is not None and first == len(letters) - 1
            self._at += takes_next
        return self._at <= len(self._words)

    def _word(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""


def _may_refuse(word: str, program: _Program) -> bool:
    """Return True if an option holds or abbreviates one that is refused: `sudo -ni`, `env --split=a`."""
    if word.startswith("--"):
        name = word.partition("=")[0]
        return bool(program.refuses) and name not in program.long_values and name not in program.flags
    for letter in word[1:]:
        if f"-{letter}" in program.refuses:
            return True
        if letter in program.values:
            return False
    return False


def _for_shells(command: Sequence[str], shells: int) -> tuple[str, ...]:
    """Return words so that as many shells, one after the other, leave them as they are."""
    if not shells:
        return tuple(command)
    line = line_of(command)
    for _ in range(shells - 1):
        line = quoted(line)
    return (line,)
