"""Probe of the host behind a prefix: the first command looks at it before the tool runs, in the same login.

The login shell may print lines of its own before any output, may have set variables that change what Slurm's
tools show, and may not find them at all. A script for /bin/sh looks at that and becomes the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SEARCH_S = 5  # Without a slurm.conf each tool searches for one, for up to a minute.
_GRACE_S = 5
# Slurm's tools look in one of these for their settings, by the way they were built, if SLURM_CONF is not set.
SETTINGS_FILES = (
    "/etc/slurm/slurm.conf",
    "/etc/slurm-llnl/slurm.conf",
    "/usr/local/etc/slurm.conf",
    "/opt/slurm/etc/slurm.conf",
    "/run/slurm/conf/slurm.conf",
    "/var/spool/slurmd/conf-cache/slurm.conf",
)

# Users set these variables at a shell. They would change what a tool prints, or what it acts on.
# Source: the manual pages of Slurm 22.05 to 26.05.
_OF_TOOL = {
    "squeue": (
        "SQUEUE_",
        "ACCOUNT ALL ARRAY ARRAY_UNIQUE FEDERATION FORMAT FORMAT2 LICENSES LOCAL NAMES PARTITION PRIORITY",
        "QOS SIBLING SORT STATES USERS",
    ),
    "sinfo": ("SINFO_", "ALL FEDERATION FORMAT LOCAL PARTITION SORT"),
    "sshare": ("SSHARE_", "FORMAT"),
    "sprio": ("SPRIO_", "FEDERATION FORMAT LOCAL SIBLING"),
    "scancel": (
        "SCANCEL_",
        "ACCOUNT BATCH CTLD FULL HURRY INTERACTIVE NAME PARTITION QOS STATE USER VERBOSE WCKEY",
    ),
    "scontrol": ("SCONTROL_", "ALL FEDERATION FUTURE LOCAL SIBLING"),
    "sacct": ("SACCT_", "FEDERATION FORMAT LOCAL"),
    "sreport": ("SREPORT_", "CLUSTER FEDERATION LOCAL TRES"),
}
_WITHOUT_OWN = ("sacctmgr", "sdiag")
_OF_ALL = ("SLURM_CLUSTERS", "SLURM_TIME_FORMAT", "SLURM_BITSTR_LEN", "SLURM_DEBUG_FLAGS")
_STARTS = tuple(start for start, *_ in _OF_TOOL.values())

# A line break would end the command in tcsh. $0 is the mark, $1 the time limit, the rest is the command.
_SCRIPT = "; ".join(
    (
        "l=$1",
        "shift",
        'echo "$0:begin"',
        "t=$(command -v scontrol 2>/dev/null)",
        "c=$SLURM_CONF",
        "p=${t%/bin/*}",
        "f=",
        f'for g in "${{c:-/etc/slurm/slurm.conf}}" ${{c:+""}} "$p/etc/slurm.conf" {" ".join(SETTINGS_FILES)}',
        'do [ -n "$g" ] || break; [ -z "$f" ] && [ -e "$g" ] && f=$g; done',
        'echo "user=$(id -un 2>/dev/null)"',
        'echo "host=$(uname -n 2>/dev/null)"',
        'echo "shell=$SHELL"',
        'echo "tool=$t"',
        'echo "settings=$c"',
        'echo "found=$f"',
        'echo "timeout=$(command -v timeout 2>/dev/null)"',
        '[ -n "$t" ] || echo "login_tool=$(bash -lc "command -v scontrol" 2>/dev/null | tail -n 1)"',
        "for v in $(env | sed -n 's/^\\(S[A-Z]*_[A-Z0-9_]*\\)=.*/\\1/p')",
        'do echo "set=$v"',
        f'case $v in {"*|".join(_STARTS)}*) unset "$v"; esac',
        "done",
        'echo "$0:end"',
        f'[ -n "$f" ] || [ -z "$t" ] || l={SEARCH_S}',
        'if command -v timeout >/dev/null 2>&1; then exec timeout -k 2 "$l" "$@"; else exec "$@"; fi',
    )
)
_MARK_SCRIPT = 'echo "$0:end"; exec "$@"'


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What the probe found behind a prefix.

    Attributes:
        user: who the commands run as.
        host: its name for itself.
        shell: the login shell.
        tool: path of scontrol; empty where the shell does not find it.
        login_tool: path of scontrol in a login shell, where the shell does not find it otherwise.
        settings: SLURM_CONF there.
        settings_found: path of the slurm.conf that is there; empty where none is in the usual places.
        has_timeout: whether the program timeout is there.
        output_variables: variables of the environment that change what Slurm's tools print or act on.
        noise: what start files print before any command; empty where they are silent.
    """

    user: str = ""
    host: str = ""
    shell: str = ""
    tool: str = ""
    login_tool: str = ""
    settings: str = ""
    settings_found: str = ""
    has_timeout: bool = False
    output_variables: tuple[str, ...] = ()
    noise: str = ""

    @property
    def lacks_settings(self) -> bool:
        """True if Slurm's tools are there, but no slurm.conf in any of the usual places."""
        return bool(self.tool) and not self.settings_found


def probe_words(limit_s: float, mark: str) -> tuple[str, ...]:
    """Return the words before the first command: they print the facts, then become the command.

    The mark is a word that nobody else knows: it parts what start files print from the tool's output.
    """
    return ("/bin/sh", "-c", _SCRIPT, mark, _limit(limit_s))


def wrapper_words(facts: HostFacts, limit_s: float, mark: str) -> tuple[str, ...]:
    """Return the words before later commands: they print the mark, and limit the time.

    /bin/sh knows no functions and aliases of a login shell.
    """
    marked = ("/bin/sh", "-c", _MARK_SCRIPT, mark)
    return (*marked, "timeout", "-k", "2", _limit(limit_s)) if facts.has_timeout else marked


def split_at_mark(stdout: str, mark: str) -> tuple[str, str]:
    """Return the output before the mark and that after it; without a mark, empty text and all of it."""
    before, found, after = stdout.partition(f"{mark}:end\n")
    return (before, after) if found else ("", stdout)


def read_probe(before: str, mark: str) -> HostFacts | None:
    """Return the facts about the host; None where the output lacks the mark of the probe."""
    noise, found, text = before.partition(f"{mark}:begin\n")
    if not found:
        return None
    rows = [line.partition("=")[::2] for line in text.split("\n")]
    values = dict(reversed(rows))
    return HostFacts(
        user=values.get("user", ""),
        host=values.get("host", ""),
        shell=values.get("shell", ""),
        tool=values.get("tool", ""),
        login_tool=values.get("login_tool", ""),
        settings=values.get("settings", ""),
        settings_found=values.get("found", ""),
        has_timeout=bool(values.get("timeout")),
        output_variables=tuple(value for name, value in rows if name == "set"),
        noise=noise,
    )


def _limit(limit_s: float) -> str:
    """Return the seconds after which the host itself ends the command: a little after this program has."""
    return str(int(limit_s) + _GRACE_S)


def is_output_variable(name: str) -> bool:
    """Return True if a variable of the environment changes what Slurm's tools print or act on."""
    return name.startswith(_STARTS) or name in _OF_ALL


def is_of_slurm(tool: str) -> bool:
    """Return True if a program is one of Slurm's tools that the console runs."""
    return tool in _OF_TOOL or tool in _WITHOUT_OWN


def without_output_variables(tool: str, command: Sequence[str], found: Sequence[str] = ()) -> tuple[str, ...]:
    """Return a command that unsets the output variables of its tool: those known, and those found there.

    A command of a program that is not one of Slurm's tools stays as it is.
    """
    if not is_of_slurm(tool):
        return tuple(command)
    start, *ends = _OF_TOOL.get(tool, ("",))
    names = [*_OF_ALL, *(start + end for end in " ".join(ends).split()), *filter(is_output_variable, found)]
    words = tuple(word for name in dict.fromkeys(names) for word in ("-u", name))
    rest = command[1:] if command[0] == "env" else command
    return ("env", *words, *rest)
