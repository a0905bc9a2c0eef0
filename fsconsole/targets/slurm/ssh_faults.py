"""Faults of the link to a host: how ssh reports them, and what to do about each.

ssh ends with 255 for all of them, and so may a command at the other end. Source: messages of OpenSSH 9.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from fsconsole.shares.input_files import read_whole
from fsconsole.targets.slurm.prefixes import Prefix
from fsconsole.targets.slurm.shell_words import line_of, quoted
from fsconsole.targets.slurm.tool_errors import last_line

SSH_FAILED = 255


class FaultKind(StrEnum):
    """Kind of fault; each has words of its own."""

    NEW_KEY = "unknown host key"
    OTHER_KEY = "changed host key"
    REFUSED_LOGIN = "refused login"
    LOCKED_KEY = "key without agent"
    NO_KEY = "no key"
    ASKS = "asks for a password"
    NO_NAME = "unknown host name"
    NO_PORT = "refused connection"
    SILENT = "no response"
    CLOSED = "closed before the login"
    CUT = "connection cut"
    NO_SESSION = "no further session"
    SETTINGS = "settings of ssh"
    OTHER = "other"


# Another try is another refused login, for which sites shut a user out; or it cannot end otherwise.
WAITS_FOR_PERSON = frozenset(
    (
        FaultKind.NEW_KEY,
        FaultKind.OTHER_KEY,
        FaultKind.REFUSED_LOGIN,
        FaultKind.LOCKED_KEY,
        FaultKind.NO_KEY,
        FaultKind.ASKS,
        FaultKind.SETTINGS,
    )
)
_CAN_ASK = frozenset((FaultKind.ASKS, FaultKind.LOCKED_KEY, FaultKind.NEW_KEY))
_NOT_CONNECTED = frozenset((FaultKind.NO_NAME, FaultKind.NO_PORT, FaultKind.SILENT, FaultKind.CLOSED))


@dataclass(frozen=True, slots=True)
class LinkFault:
    """Why no command reaches a host.

    Attributes:
        kind: which fault.
        sentence: what is wrong, and what to do.
    """

    kind: FaultKind
    sentence: str

    @property
    def waits_for_person(self) -> bool:
        """True if it is not tried again by itself."""
        return self.kind in WAITS_FOR_PERSON

    @property
    def can_ask(self) -> bool:
        """True if a person who types a password or a code can mend it."""
        return self.kind in _CAN_ASK

    @property
    def is_not_connected(self) -> bool:
        """True if no connection came about."""
        return self.kind in _NOT_CONNECTED


# What ssh says in each case, the most telling first: regular expressions for the beginning of a line.
_PHRASES = {
    FaultKind.NO_SESSION: ("mux_client_request_session: session request failed",),
    FaultKind.OTHER_KEY: (
        "@ +WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED",
        "Host key for .* has changed",
    ),
    FaultKind.NEW_KEY: ("Host key verification failed", "No .* host key is known for "),
    FaultKind.REFUSED_LOGIN: (
        r"(?:\S+: )?Permission denied \(",
        "Received disconnect from .*Too many authentication failures",
    ),
    FaultKind.NO_NAME: ("ssh: Could not resolve hostname ",),
    FaultKind.NO_PORT: ("ssh: connect to host .*: Connection refused",),
    FaultKind.SILENT: ("ssh: connect to host ", "Connection timed out during banner exchange"),
    FaultKind.CLOSED: (
        "(?:kex|ssh)_exchange_identification: ",
        "banner exchange: ",
        r"Connection (?:closed|reset|timed out) .*\bport \d+",
    ),
    FaultKind.SETTINGS: (
        ".*[Bb]ad configuration option",
        "Bad owner or permissions",
        "Could not request local forwarding",
        "Cannot execute command-line and remote command",
        "Unable to negotiate with ",
        "unknown option",
    ),
    # The session was there, so that a command may have run.
    FaultKind.CUT: (
        "Connection to .* closed by remote host",
        "client_loop: ",
        "Timeout, server .* not responding",
        "Read from remote host ",
        "Write failed",
        "packet_write_wait",
        "mux_client_(?!request_session: session request failed)",
    ),
}
_KINDS = tuple(
    (kind, re.compile("|".join(f"^{phrase}" for phrase in phrases), re.MULTILINE))
    for kind, phrases in _PHRASES.items()
)
_METHODS = re.compile(r"Permission denied \(([^)]*)\)")
_REMOVE_KEY = re.compile(r"ssh-keygen -f .* -R .*")
_ASKING = {"password", "keyboard-interactive"}
Look = Callable[[Sequence[str]], str]


def link_fault(
    prefix: Prefix,
    rc: int,
    stderr: str,
    own: str | None,
    settings: Callable[[], dict[str, str]],
    look: Look,
    *,
    is_refused: bool = False,
) -> LinkFault | None:
    """Return the fault of the link to the host; None where the command was reached.

    Args:
        prefix: of the command.
        rc: exit status of the command.
        stderr: what it printed, and ssh too where `own` is None.
        own: messages of the first ssh itself, if they are apart.
        settings: returns what ssh uses for the host.
        look: runs a program here and returns its output.
        is_refused: whether ssh was to log in and the command has printed nothing, not even that it began: an
            end without a word is then that of an account without access, after its key was accepted.
    """
    if not prefix.hops or rc != SSH_FAILED:
        return None
    if own is not None and (own.strip() or len(prefix.hops) == 1):
        stderr = own
    kind = next(iter(faults_in(stderr)), FaultKind.OTHER if stderr.strip() else FaultKind.CUT)
    if is_refused and kind is FaultKind.CUT and own is not None and not own.strip():
        return LinkFault(FaultKind.REFUSED_LOGIN, _sentence(FaultKind.REFUSED_LOGIN, prefix, stderr, ""))
    if kind is FaultKind.REFUSED_LOGIN and len(prefix.hops) == 1:
        kind, key = _refusal(stderr, settings(), look)
    else:
        key = ""
    return LinkFault(kind, _sentence(kind, prefix, stderr, key))


def faults_in(stderr: str) -> tuple[FaultKind, ...]:
    """Return the faults that ssh reports, the most telling first; more than one with several hosts.

    A session in a shared connection that is cut ends without a word.
    """
    return tuple(kind for kind, pattern in _KINDS if pattern.search(stderr))


def _refusal(stderr: str, given: dict[str, str], look: Look) -> tuple[FaultKind, str]:
    """Tell apart what ssh calls "Permission denied", and return the key that is meant."""
    match = _METHODS.search(stderr)
    methods = set(match[1].split(",")) if match else set()
    if methods and "publickey" not in methods:
        return (FaultKind.ASKS if methods & _ASKING else FaultKind.REFUSED_LOGIN), ""
    names = (Path(name).expanduser() for name in given.get("identityfile", "").split("\n") if name)
    keys = [path for path in names if path.is_file()]
    offered = look(("ssh-add", "-L")).split()
    held = [path for path in keys if _public(path, look) in offered]
    open_keys = [path for path in keys if look(("ssh-keygen", "-y", "-P", "", "-f", str(path)))]
    if held or open_keys or (offered and given.get("identitiesonly") != "yes"):
        return FaultKind.REFUSED_LOGIN, ""
    if keys:
        return FaultKind.LOCKED_KEY, str(keys[0])
    return (FaultKind.ASKS if methods & _ASKING else FaultKind.NO_KEY), ""


def _public(path: Path, look: Look) -> str:
    """Return the middle word of a public key, which is the key itself."""
    try:
        return read_whole(path.with_name(f"{path.name}.pub")).decode("utf-8", "replace").split()[1]
    except (OSError, IndexError):
        return ""


_SENTENCES = {
    FaultKind.NEW_KEY: (
        "the host key of {host} is not known here. Compare its fingerprint with the site's and accept it: "
        "with Log in… in the console, or in a terminal with: {login}"
    ),
    FaultKind.OTHER_KEY: (
        "WARNING: the host key of {host} has changed. Another machine may pose as it. Ask the site before "
        "you accept the new key. Then remove the old one: {remove}"
    ),
    FaultKind.REFUSED_LOGIN: (
        "host {host} refused the login. Check the user name, and that the site has your public key. Run "
        "this in a terminal to see why: {login}"
    ),
    FaultKind.LOCKED_KEY: (
        "the key {key} has a passphrase, and no agent holds it. Use Log in… in the console, or run this and "
        "try again: ssh-add {key}"
    ),
    FaultKind.NO_KEY: (
        "host {host} refused the login, because there is no key here. Make one with ssh-keygen, then run: "
        "ssh-copy-id {host}"
    ),
    FaultKind.ASKS: (
        "host {host} asks for a password or a second factor. Log in once, with Log in… in the console, or in "
        "a terminal with: fsconsole slurm status --via {way}"
    ),
    FaultKind.NO_NAME: (
        "the host name of {host} cannot be resolved. Check its spelling, ~/.ssh/config and the VPN."
    ),
    FaultKind.NO_PORT: "host {host} refuses connections by ssh. Check the port, and that sshd runs there.",
    FaultKind.SILENT: (
        "host {host} does not respond to ssh. Check the network and the VPN, and that the host is up."
    ),
    FaultKind.CLOSED: (
        "host {host} closed the connection before the login. It may limit logins (MaxStartups, fail2ban). "
        "Wait a minute, then try again."
    ),
    FaultKind.NO_SESSION: "host {host} allows no further session in the open connection",
    FaultKind.CUT: "the connection to {host} was cut.",
    FaultKind.SETTINGS: "ssh cannot use its settings for {host}. Run this in a terminal to see why: {login}",
    FaultKind.OTHER: "ssh failed on the way to {host}. Run this in a terminal to see why: {login}",
}


def _sentence(kind: FaultKind, prefix: Prefix, stderr: str, key: str) -> str:
    host = prefix.host
    command = _REMOVE_KEY.search(stderr)
    text = _SENTENCES[kind].format(
        host=host,
        login=line_of((*prefix.words[: prefix.hops[-1].options_at], "true")),
        remove=command[0].strip() if command else line_of(("ssh-keygen", "-R", host)),
        key=quoted(key),
        way=quoted(line_of(prefix.words)),
    )
    line = last_line(stderr).rstrip(".")
    return f"{text} ({line})" if line else text.rstrip(".")
