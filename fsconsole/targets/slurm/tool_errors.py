"""Sentences on why a tool of Slurm failed, from the output of Slurm 22.05, ssh, sudo and env."""

from __future__ import annotations

import re
import shlex
import signal
from collections.abc import Sequence
from pathlib import PurePath

_LONGEST = 300
_ADVICE = "is Slurm installed? A command prefix such as ssh login1 may be needed"

_CONTROLLER = re.compile(
    r"Unable to contact slurm controller|slurm_receive_msg|Unable to contact slurmctld|"
    r"Socket timed out on send/recv operation"
)
_DATABASE = re.compile(
    r"(?:open persistent connection to (?:host:)?(?P<where>\S+?):? |Sending PersistInit msg|"
    r"Problem talking to (?:the )?database|Unable to contact the slurm database|slurmdbd: )"
    r".*?(?P<why>Connection refused|timed out|No route to host|Unknown host)?$",
    re.IGNORECASE | re.MULTILINE,
)
_SETTINGS = re.compile(
    r"Unable to process configuration file|Could not establish a configuration source|"
    r"Unable to (?:open|read|stat).*slurm\.conf|error parsing slurm",
    re.IGNORECASE,
)
_NO_FILE = re.compile(r"cannot stat file (?P<path>/.*?): No such file or directory")
_MUNGE = re.compile(
    r"munge|auth plugin|Protocol authentication error|Zero Bytes were transmitted", re.IGNORECASE
)
_MISSING = re.compile(
    r"command not found|not found in \$PATH|No such file or directory$|[: ]not found$", re.MULTILINE
)
TIMED_OUT = 124  # Exit status of timeout(1) for a command that it has ended.
_NO_MODULE = re.compile(
    r"(?:^|[:\s])module: command not found|command: module$", re.IGNORECASE | re.MULTILINE
)
_CANNOT_RUN = (126, 127)  # Exit status of shells and env for a program that cannot be run.
_DENIED = re.compile(r"permission denied|have (?:sufficient )?privilege|not permitted", re.IGNORECASE)
_PASSWORD = re.compile(r"password is required|terminal is required|no tty present|askpass", re.IGNORECASE)
_NO_ACCOUNTING = re.compile(
    r"slurm accounting storage is disabled|not running a supported accounting_storage|"
    r"only_cluster_fed|AccountingStorageType",
    re.IGNORECASE,
)


def not_started(prefix: Sequence[str], command: Sequence[str], error: Exception) -> str:
    """Return the reason why the first word of the whole command could not be started."""
    program = (prefix or command)[0]
    if isinstance(error, FileNotFoundError):
        if prefix:
            return f"the command prefix does not work: program {program} not found here"
        return f"{program} not found here: {_ADVICE}"
    if isinstance(error, PermissionError):
        return f"this user cannot run {program}: {error.strerror}"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{program} could not be started: {reason}"


def not_run(prefix: Sequence[str], tool: str) -> str:
    """Return the message for a command that ended well without a sign that it has begun."""
    way = shlex.join(prefix)
    return f"{tool} was not run: the other end of {way} did not pass the command on. Check the prefix"


def no_settings_file(path: str) -> str:
    """Return the message for a missing slurm.conf: each tool searches for it for a minute."""
    return f"SLURM_CONF names {path}, which does not exist. Set it to Slurm's slurm.conf, or unset it"


def no_settings(prefix: Sequence[str], host: str, path: str) -> str:
    """Return the message for a host without a slurm.conf where Slurm's tools look for it."""
    if path:
        return f"SLURM_CONF on {host} names {path}, which does not exist. Correct it in the start files there"
    way = shlex.join((*prefix, "env", "SLURM_CONF=/path/to/slurm.conf"))
    hint = f"Name it by --via {shlex.quote(way)}" if prefix else "Set SLURM_CONF"
    return f"slurm.conf is not in any of the usual places on {host}, and SLURM_CONF is not set. {hint}"


def blames_settings(stderr: str) -> bool:
    """Return True if a tool of Slurm says that it cannot read its settings."""
    return _SETTINGS.search(stderr) is not None or _NO_FILE.search(stderr) is not None


def late(tool: str, limit_s: float, stderr: str) -> str:
    """Return the message for a tool that did not end within its time, with its output."""
    if match := _NO_FILE.search(stderr):
        return no_settings_file(match["path"])
    message = last_line(stderr)
    return f"{tool} did not respond within {limit_s:g} s and was ended{f' ({message})' if message else ''}"


def trouble(prefix: Sequence[str], tool: str, rc: int, stdout: str, stderr: str, login_tool: str = "") -> str:
    """Return the error from the exit status and the output; empty for exit status 0.

    `login_tool` is the path of Slurm's tools that only a login shell knows.
    """
    if rc == 0:
        return ""
    output = f"{stderr}\n{stdout[-4096:]}"
    by_slurm = _of_slurm(tool, output)
    if by_slurm:
        return by_slurm
    if prefix and (by_prefix := _of_prefix(prefix, tool, rc, stderr, login_tool)):
        return by_prefix
    if "slurm_load_node" in output and _DENIED.search(output):
        return f"{tool} shows nodes only to operators (PrivateData=nodes): {_line_with(_DENIED, output)}"
    if _DENIED.search(output):
        return f"{tool} is not allowed to do this: {_line_with(_DENIED, output)}"
    if rc < 0:
        return f"{tool} was ended by {_signal_name(-rc)}{_behind(output)}"
    return f"{tool} failed with exit status {rc}{_behind(output)}"


def last_line(output: str) -> str:
    """Return the last line that is not blank, without the tool's name before it."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if not lines:
        return ""
    shortened = re.sub(r"^[a-z]+: (?:error|fatal|info): ", "", lines[-1])
    printable = "".join(sign if sign.isprintable() else "�" for sign in shortened)
    return printable if len(printable) <= _LONGEST else f"{printable[:_LONGEST]}…"


def _of_slurm(tool: str, output: str) -> str:
    """Return the meaning of Slurm's own messages; empty where none of them is known."""
    if _SETTINGS.search(output):
        line = _line_with(_SETTINGS, output)
        return (
            f"{tool} cannot read Slurm's configuration. Check slurm.conf on its host, or connect through a "
            f"login node. ({line})"
        )
    if tool != "sacctmgr" and _CONTROLLER.search(output):
        return f"slurmctld does not respond: {_line_with(_CONTROLLER, output)}"
    if match := _DATABASE.search(output):
        where = f" at {match['where']}" if match["where"] else ""
        why = f": {match['why']}" if match["why"] else ""
        return f"slurmdbd does not respond{where}{why}"
    if _MUNGE.search(output):
        return f"MUNGE rejected the credentials of {tool}: {_line_with(_MUNGE, output)}"
    if _NO_ACCOUNTING.search(output):
        return f"accounting storage is disabled on this cluster: {_line_with(_NO_ACCOUNTING, output)}"
    return ""


def _of_prefix(prefix: Sequence[str], tool: str, rc: int, stderr: str, login_tool: str) -> str:
    """Return the fault before the tool began; empty where none is seen."""
    program = PurePath(prefix[0]).name
    if _PASSWORD.search(stderr):
        return f"{program} asks for a password, which cannot be typed here: {last_line(stderr)}"
    # tcsh and sudo end with 1 for a missing program, as a tool does for a missing file.
    is_missing = rc in _CANNOT_RUN and _MISSING.search(stderr)
    if _NO_MODULE.search(stderr):
        return (
            f"module is not defined there without a login shell. Put source /etc/profile && before it in the "
            f"command prefix. ({last_line(stderr)})"
        )
    if is_missing or re.search(rf"(?:^|[:\s]){re.escape(tool)}: command not found", stderr, re.IGNORECASE):
        way = shlex.join((*prefix, "bash", "-lc"))
        hint = f". A login shell there finds {login_tool}: use --via {shlex.quote(way)}" if login_tool else ""
        return f"{tool} not found through {' '.join(prefix)}: {last_line(stderr).rstrip('.')}{hint}"
    return ""


def _line_with(pattern: re.Pattern[str], output: str) -> str:
    return next((last_line(line) for line in output.splitlines() if pattern.search(line)), "")


def _behind(output: str) -> str:
    line = last_line(output)
    return f": {line}" if line else ", and gives no reason"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
