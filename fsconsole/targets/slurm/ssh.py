"""Options of ours for OpenSSH, and one shared connection for all commands to a host.

A login takes about ten round trips, work of the login node, and at some sites a second factor. So the first
command leaves a connection open (`ControlMaster`), and those after it are sessions in that. It ends a minute
after the last one. What the user's own ssh_config says of shared connections comes first.

Source: ssh(1) and ssh_config(5) of OpenSSH 9.2.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.operating_system import has_master_connections
from fsconsole.shares.files import make_own_folder, make_private_folder

if TYPE_CHECKING:
    from fsconsole.targets.slurm.prefixes import Prefix

PERSIST_S = 60
_LOCAL_S = 10.0  # Questions to ssh itself, which no host answers.
_CONTROL_S = 2.0
# ssh reads quotes, tabs and ${NAME} in a path.
_PATH = re.compile(r"[\w ./+,:@%~#-]+")
_MOST_PATH = 90  # A socket's path has room for 104 bytes on macOS; ssh makes it 17 bytes longer for a moment.
# Nothing asks where nobody sees it, and a dead connection is reported. Nothing of a person's own sessions
# comes along: banners, forwarded ports, which such a session may hold, terminals, which change line ends,
# and tmux.
_OPTIONS = (
    "-T",
    "-oBatchMode=yes",
    "-oConnectTimeout=10",
    "-oServerAliveInterval=15",
    "-oServerAliveCountMax=3",
    "-oLogLevel=ERROR",
    "-oClearAllForwardings=yes",
    "-oForwardX11=no",
    "-oIgnoreUnknown=RemoteCommand",
    "-oRemoteCommand=none",
)
# What an ssh runs to reach a host if no connection is open: nothing.
_NO_LOGIN = ("-oProxyCommand=false",)
_OWN = ("controlpath", "controlmaster", "controlpersist")


@dataclass(frozen=True, slots=True)
class SharedConnection:
    """Connection to a host that all commands share.

    Attributes:
        path: its socket.
        options: those that make and use it; empty where the user's ssh_config has its own.
        lack: why there is none, in a sentence; empty where there can be one.
    """

    path: Path | None = None
    options: tuple[str, ...] = ()
    lack: str = ""

    @property
    def is_open(self) -> bool:
        """True if the connection is there now."""
        return self.path is not None and self.path.exists()


def hop_options(
    prefix: Prefix,
    shared: SharedConnection,
    *,
    may_ask: bool = False,
    stays: bool = False,
    messages: Path | None = None,
) -> list[tuple[str, ...]]:
    """Return the options for each ssh of a prefix; the user's own stand before them, and ssh takes the first.

    Args:
        prefix: the prefix.
        shared: for the first ssh.
        may_ask: whether ssh may ask for a password.
        stays: whether the first ssh must not log in: it goes through the open connection, or fails.
        messages: file for what the first ssh itself reports, apart from the output of the far end.
    """
    plain: tuple[str, ...] = _OPTIONS
    if may_ask:
        asking = ("-oBatchMode=no", "-oNumberOfPasswordPrompts=1")
        plain = (*asking, *(word for word in _OPTIONS if not word.startswith("-oBatchMode")))
    apart = ("-E", str(messages)) if messages is not None else ()
    first = (*shared.options, *(_NO_LOGIN if stays else ()), *apart)
    return [(*plain, *(first if hop is prefix.hops[0] else ())) for hop in prefix.hops]


def shared_connection(prefix: Prefix, environment: Mapping[str, str], folder: Path) -> SharedConnection:
    """Return the connection that the commands behind a prefix share; its socket is in the folder."""
    if not prefix.hops or not prefix.is_here_ssh:
        return SharedConnection()
    if not has_master_connections():
        return SharedConnection(lack="ssh on Windows cannot share a connection")
    given = settings_of(prefix, environment)
    if not given:
        return SharedConnection(lack="ssh cannot show its settings")
    path = given.get("controlpath", "none")
    if path.lower() != "none":
        return SharedConnection(Path(path).expanduser())
    if _has_own(prefix):
        return SharedConnection(lack="the command prefix forbids it")
    try:
        make_private_folder(folder.parent)
        make_own_folder(folder)
    except OSError as error:
        return SharedConnection(lack=f"{folder} cannot be used: {error.strerror or error}")
    socket = folder / _name(prefix, given)
    if len(os.fsencode(socket)) > _MOST_PATH:
        return SharedConnection(lack=f"the path {folder} is too long for a socket")
    if not _PATH.fullmatch(str(socket)):
        return SharedConnection(lack=f"the path {folder} holds a sign that ssh reads in its own way")
    written = str(socket).replace("%", "%%")
    written = f'"{written}"' if " " in written else written
    options = ("-oControlMaster=auto", f"-oControlPath={written}", f"-oControlPersist={PERSIST_S}")
    shared = SharedConnection(socket, options)
    drop_dead(prefix, shared, environment)
    return shared


def drop_dead(prefix: Prefix, shared: SharedConnection, environment: Mapping[str, str]) -> bool:
    """Remove the socket of a connection of ours that does not respond; return whether it did not."""
    is_dead = bool(shared.options) and shared.is_open and not _control(prefix, shared, environment, "check")
    if is_dead and shared.path is not None:
        with suppress(OSError):
            shared.path.unlink(missing_ok=True)
    return is_dead


def settings_of(prefix: Prefix, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of ssh for the first host, by names in lower case; empty where it fails."""
    hop = prefix.hops[0]
    argv = (*prefix.words[: hop.at + 1], "-G", *prefix.words[hop.at + 1 : hop.options_at])
    found: dict[str, str] = {}
    for line in output_of(argv, environment).splitlines():
        name, _, value = line.partition(" ")
        found[name] = f"{found[name]}\n{value}" if name == "identityfile" and name in found else value
    return found


def output_of(argv: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the output of a program that runs here; empty where it fails."""
    is_well, output = run_here(argv, environment)
    return output if is_well else ""


def run_here(
    argv: Sequence[str], environment: Mapping[str, str], limit_s: float = _LOCAL_S
) -> tuple[bool, str]:
    """Run a program that asks no host; return whether it ended well, and its output."""
    try:
        ended = subprocess.run(
            argv,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit_s,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False, ""
    return ended.returncode == 0, ended.stdout.decode("utf-8", "replace")


def stop_sharing(prefix: Prefix, shared: SharedConnection, environment: Mapping[str, str]) -> None:
    """End a connection of ours once the sessions in it have ended, such as those of another program."""
    if shared.options and shared.is_open:
        _control(prefix, shared, environment, "stop")


def _control(prefix: Prefix, shared: SharedConnection, environment: Mapping[str, str], command: str) -> bool:
    """Give a command to the ssh that holds the connection; return whether it was there to take it."""
    at = prefix.hops[0].options_at
    return run_here((*prefix.words[:at], shared.options[1], "-O", command), environment, _CONTROL_S)[0]


def _has_own(prefix: Prefix) -> bool:
    hop = prefix.hops[0]
    own = prefix.words[hop.at + 1 : hop.options_at]
    return any(
        word in ("-M", "-S") or word.removeprefix("-o").partition("=")[0].strip().lower() in _OWN
        for word in own
    )


def _name(prefix: Prefix, given: Mapping[str, str]) -> str:
    """Return the same name for the same host, user and options, however they are written."""
    ours = [f"{name} {value}" for name, value in sorted(given.items())]
    text = "\0".join([*prefix.words[: prefix.hops[0].at], *ours])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
