"""The files of a login node: users, sshd's settings, and those of the ssh that comes from the laptop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.slurm.ssh.missing import SHELLS

FIRST_UID = 61_000
JUMP = "jump"
USERS = {**SHELLS, JUMP: "/bin/sh"}
"""Users by name, each with the login shell; `jump` is whom one goes through to others."""

DOORS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "banner": ("Banner {top}/etc/banner",),
    "narrow": ("MaxStartups 2:100:2", "LogLevel DEBUG1"),
    "single": ("MaxSessions 1",),
    "password": ("PubkeyAuthentication no", "PasswordAuthentication yes"),
    "new-key": ("HostKey {top}/keys/other-host",),
    "modules": ("SetEnv PATH={top}/bin",),
}
"""The node's sshd processes: each with a port and with lines of its own, which come before the others."""


def user_of(name: str) -> str:
    """Return the user whose login shell is called so."""
    return f"fs{name}"


def uid_of(name: str) -> int:
    """Return that user's number."""
    return FIRST_UID + list(USERS).index(name)


def account_files(homes: Path) -> dict[str, str]:
    """Return the additions to this machine's files of /etc, by name."""
    passwd, group, shadow = [], [], []
    for name, shell in USERS.items():
        user, uid = user_of(name), uid_of(name)
        passwd.append(f"{user}:x:{uid}:{uid}::{homes / name}:{shell}\n")
        group.append(f"{user}:x:{uid}:\n")
        shadow.append(f"{user}:*:19000:0:99999:7:::\n")
    return {"passwd": "".join(passwd), "group": "".join(group), "shadow": "".join(shadow)}


def sudoers(path: str) -> str:
    """Return rules by which every user may become every other."""
    return f"Defaults secure_path={path}\nALL ALL=(ALL:ALL) NOPASSWD: ALL\n"


def sshd_config(top: Path, port: int, lines: Iterable[str], path: str) -> str:
    """Return the settings of one sshd; the first of two lines with one name counts."""
    own = [line.format(top=top) for line in lines]
    usual = (
        f"Port {port}",
        "ListenAddress 127.0.0.1",
        f"HostKey {top}/keys/host",
        "AuthorizedKeysFile .ssh/authorized_keys",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "PidFile none",
        "PrintMotd no",
        "PrintLastLog no",
        "UseDNS no",
        "UsePAM no",
        f"SetEnv PATH={path}",
    )
    given = {line.split()[0] for line in own}
    return "\n".join((*own, *(line for line in usual if line.split()[0] not in given))) + "\n"


def ssh_config(hosts: Mapping[str, Mapping[str, str]], identity: str, known_hosts: str) -> str:
    """Return the settings of an ssh client: hosts by alias, and what all of them share."""
    shared = {
        "HostName": "127.0.0.1",
        "IdentitiesOnly": "yes",
        "IdentityAgent": "none",
        "UserKnownHostsFile": known_hosts,
        "GlobalKnownHostsFile": "/dev/null",
        "UpdateHostKeys": "no",
    }
    lines: list[str] = []
    own = {alias: {"IdentityFile": identity} | dict(options) for alias, options in hosts.items()}
    for alias, options in (
        own | {"*": shared}
    ).items():  # identities of several blocks would be tried in turn
        lines.append(f"Host {alias}")
        lines += [f"  {name} {value}" for name, value in options.items()]
    return "\n".join(lines) + "\n"
