"""Names of what is kept of a cluster: its diary, its audit log and its staged edits.

Clusters at two places may have one name, so that the names hold the place too. What earlier versions kept by
the cluster's name alone belongs to the first place that opens a cluster of that name, and stays where it is.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path

from fsconsole.recording.audit_log import file_name, lines_of
from fsconsole.shares.files import is_there_as_file, make_private_folder, private_opener
from fsconsole.shares.input_files import read_limited
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm.host_probe import SETTINGS_FILES
from fsconsole.targets.slurm.location import Location, captured_folder
from fsconsole.targets.slurm.prefixes import Hop, Prefix, read_prefix
from fsconsole.text.words import listed

_CAPTURE = "capture "
_HERE = "this machine"
_OWNERS = "places"
_NAME, _PLACE = 30, 24  # Characters of each in a file's name; a digest of both follows.
# Options of ssh that lead to another host under the same name.
_LEADING = "pJF"
_LEADING_WORDS = ("port", "hostname", "proxyjump", "proxycommand")
_OPTIONS_WITH_VALUE = "BbcDEeFIiJLlmOoPpQRSWw"


def place_key(place: Location) -> str:
    """Return the key of a place, for clusters of one name: ssh's hosts, the container, or its slurm.conf.

    Users, and programs such as sudo, do not count: they lead to the same cluster.
    """
    folder = captured_folder(place.prefix)
    if folder is not None:
        return f"{_CAPTURE}{folder.absolute()}"
    prefix = read_prefix(place.prefix)
    named = {
        word.partition("=")[0]: word for word in prefix.words if word.startswith(("SLURM_CONF=", "PATH="))
    }
    if prefix.hops:
        way = " ".join(_host(prefix, hop) for hop in prefix.hops)
    elif prefix.is_elsewhere:
        return shlex.join(prefix.words)
    else:
        settings = named.pop("SLURM_CONF", "").partition("=")[2] or os.environ.get("SLURM_CONF", "")
        usual = (path for path in SETTINGS_FILES if is_there_as_file(Path(path)))
        way = str(Path(settings).absolute()) if settings else next(usual, _HERE)
    return " ".join((way, *named.values()))


def store_name(cluster: str, place: str) -> str:
    """Return the name of what is kept of a cluster at a place of `place_key`, as a part of a path.

    A place that is not known, an empty text, has the cluster's name alone.
    """
    bare = _bare(cluster)
    if not place:
        return bare
    digest = _digest(cluster, place)
    claim(cluster, place)
    with suppress(OSError):
        if read_limited(_owner_path(bare)).decode("utf-8", "replace").strip() == digest:
            return bare
    return f"{bare[:_NAME]}.{_bare(place)[-_PLACE:].strip('.-')}.{digest}"


def claim(cluster: str, place: str) -> str:
    """Make a place the owner of the cluster's bare name, unless another one is; the first one is.

    Returns:
        A sentence where something of an earlier version becomes this place's; empty otherwise, and later.
    """
    bare = _bare(cluster)
    path = _owner_path(bare)
    if not place or place.startswith(_CAPTURE) or path.exists() or _is_of_another(bare, place):
        return ""
    kept = [words for words, folder in _earlier(bare).items() if _holds_something(folder)]
    try:
        make_private_folder(path.parent)
        with open(path, "x", encoding="utf-8", opener=private_opener) as stream:
            stream.write(f"{_digest(cluster, place)}\n")
    except OSError:  # Another program was faster, or nothing can be written there.
        return ""
    if not kept:
        return ""
    return (
        f"What an earlier version kept of {cluster} is of the cluster at {place} from now on: "
        f"{listed(kept)}. Clusters of that name at other places begin their own."
    )


def log_path(cluster: str, place: str) -> Path:
    """Return the path of the audit log of a cluster at a place."""
    return audit_path(f"slurm-{store_name(cluster, place)}")


def stores_of(folder: Path, cluster: str) -> list[Path]:
    """Return the entries in a folder of all clusters of a name, at all places."""
    bare = _bare(cluster)
    with suppress(OSError):
        found = sorted(folder.iterdir())
        return [path for path in found if path.name == bare or path.name.startswith(f"{bare[:_NAME]}.")]
    return []


def _earlier(bare: str) -> dict[str, Path]:
    state = user_state_path("fsconsole")
    return {
        "the diary": state / "diary" / bare,
        "the audit log": audit_path(f"slurm-{bare}"),
        "staged edits": state / "staged" / bare,
    }


def _holds_something(path: Path) -> bool:
    with suppress(OSError):
        return path.is_file() or any(path.iterdir())
    return False


def _is_of_another(bare: str, place: str) -> bool:
    """Return True if the last row of the log of an earlier version went another way."""
    with suppress(OSError, ValueError):
        ways = [
            line["via"] for line in lines_of(audit_path(f"slurm-{bare}")) if isinstance(line.get("via"), str)
        ]
        return bool(ways) and place_key(Location(tuple(shlex.split(ways[-1])))) != place
    return False


def _bare(text: str) -> str:
    return file_name(text).removesuffix(".jsonl")


def _owner_path(bare: str) -> Path:
    return user_state_path("fsconsole") / _OWNERS / bare


def _digest(cluster: str, place: str) -> str:
    return hashlib.blake2b(f"{cluster}\0{place}".encode("utf-8", "replace"), digest_size=6).hexdigest()


def _host(prefix: Prefix, hop: Hop) -> str:
    """Return the host of an ssh without its user, and the options that lead to another one of that name."""
    host = hop.host.removeprefix("ssh://").rpartition("@")[2].rstrip("/").lower()
    words = list(prefix.words[hop.at + 1 : hop.options_at])
    found: list[str] = []
    while words:
        word = words.pop(0)
        if not word.startswith("-") or len(word) < 2:
            continue
        at = next((at for at, letter in enumerate(word[1:], 1) if letter in _OPTIONS_WITH_VALUE), None)
        if at is None:
            continue
        letter = word[at]
        value = word[at + 1 :] or (words.pop(0) if words else "")
        is_word = letter == "o" and value.strip().lower().startswith(_LEADING_WORDS)
        if letter in _LEADING or is_word:
            found.append(f"-{letter} {value}")
    return " ".join((host, *sorted(found)))
