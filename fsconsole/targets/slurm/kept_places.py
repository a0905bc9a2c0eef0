"""Names of what is kept of a cluster: its diary, its audit log and its staged edits.

Clusters at two places may have one name, so that the names hold the place too. Two clusters may even have one
name and one place, as two login nodes with a shared home folder do: the controller tells them apart.

What earlier versions kept by the cluster's name alone belongs to the first place that opens a cluster of that
name, and stays where it is: an earlier version that still runs would begin a second log at the old path.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path

from fsconsole.recording.audit_log import file_name, lines_of
from fsconsole.recording.run_format import MANIFEST
from fsconsole.shares.files import append_lines, is_there_as_file, make_private_folder, private_opener
from fsconsole.shares.input_files import read_json, read_limited
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm.host_probe import SETTINGS_FILES
from fsconsole.targets.slurm.location import Location, captured_folder
from fsconsole.targets.slurm.prefixes import Hop, Prefix, read_prefix
from fsconsole.text.words import listed

_CAPTURE = "capture "
_HERE = "this machine"
_OWNERS, _CONTROLLERS = "places", "controllers"
_OF_CONTROLLER = ", controller "
_UNKNOWN = f"{_OF_CONTROLLER}unknown"
_LOOPBACK = re.compile(r"localhost\b|127\.|::1|\(null\)")
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


def settle(cluster: str, place: str, settings: Mapping[str, str]) -> tuple[str, str]:
    """Return the place of a cluster among those of one name and one place, and a sentence, once, if any.

    The first one has the place alone; each other one has its controller added. A cluster that moves to
    another controller is still known by a second controller or by its slurmdbd, where no two have one name.
    One whose settings are not read may be any of them, and is none.

    Args:
        cluster: its name.
        place: that of `place_key`.
        settings: those of `scontrol show config`, by key in lower case; empty while they are not read.
    """
    if not settings and not place.startswith(_CAPTURE):
        return f"{place}{_UNKNOWN}", ""
    ours = list(_marks(settings, place))
    if not place or place.startswith(_CAPTURE) or not ours:
        return place, claim(cluster, place)
    path = user_state_path("fsconsole") / _CONTROLLERS / f"{_bare(cluster)[:_NAME]}.{_digest(cluster, place)}"
    before = _groups(path)
    if not before and (earlier := _marks_of_diary(cluster, place)):
        _append(path, earlier)
    if set(ours) - {mark for group in before for mark in group}:
        _append(path, ours)
    groups = _groups(path)
    group = next((group for group in groups if not set(group).isdisjoint(ours)), ours)
    if not groups or group is groups[0]:
        return place, claim(cluster, place)
    first, own = groups[0][0], group[0]
    where = f"{place}{_OF_CONTROLLER}{own}"
    if any(own in known for known in before):
        return where, ""
    return where, (
        f"Another cluster {cluster} was opened at {place} before, with controller {first}. Diary, audit log "
        f"and staged edits of this one, with controller {own}, are kept apart."
    )


def is_settled(place: str) -> bool:
    """Return True unless the settings were not read when `settle` was asked for the place."""
    return not place.endswith(_UNKNOWN)


def _groups(path: Path) -> list[list[str]]:
    """Return the marks of each cluster of a name at a place, the first to come first.

    Lines are only appended, so that two programs see the same order: one that shares a mark with an earlier
    one is of the same cluster.
    """
    groups: list[list[str]] = []
    with suppress(OSError):
        for line in read_limited(path).decode("utf-8", "replace").splitlines():
            marks = line.split()
            same = next((group for group in groups if not set(group).isdisjoint(marks)), None)
            if same is not None:
                same += [mark for mark in marks if mark not in same]
            elif marks:
                groups.append(marks)
    return groups


def _append(path: Path, marks: Sequence[str]) -> None:
    with suppress(OSError):
        make_private_folder(path.parent)
        append_lines(path, [" ".join(marks)], private=True)


def _marks_of_diary(cluster: str, place: str) -> list[str]:
    """Return the marks in the newest week of a diary that was begun without them."""
    folder = user_state_path("fsconsole") / "diary" / _name_at(cluster, place)
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        for week in sorted(folder.iterdir(), reverse=True):
            settings = read_json(week / MANIFEST)["slurm"]
            return list(_marks({str(key): str(value) for key, value in settings.items()}, place))
    return []


def _marks(settings: Mapping[str, str], place: str) -> Iterator[str]:
    """Yield marks that others of its name do not have: controllers with their port, and a slurmdbd."""
    port = settings.get("slurmctldport", "")
    is_here = place == _HERE or place.startswith("/")
    for key in sorted(settings):
        if key.startswith("slurmctldhost") and (host := settings[key].lower()):
            # The controller is the login node itself, so that the node's name counts.
            host = platform.node().lower() if is_here and _LOOPBACK.match(host) else host
            yield f"{host}:{port}".replace(" ", "")
    database = settings.get("accountingstoragehost", "").lower()
    if database and not _LOOPBACK.match(database):
        yield f"slurmdbd={database}:{settings.get('accountingstorageport', '')}".replace(" ", "")


def store_name(cluster: str, place: str) -> str:
    """Return the name of what is kept of a cluster at a place of `settle`, as a part of a path.

    A place that is not known, an empty text, has the cluster's name alone.
    """
    if place:
        claim(cluster, place)
    return _name_at(cluster, place)


def _name_at(cluster: str, place: str) -> str:
    """Return the name as it is, or will be where no place owns the bare one yet, as on a full disk."""
    bare, digest = _bare(cluster), _digest(cluster, place)
    if not place:
        return bare
    path = _owner_path(bare)
    if not _is_owned(path) and _can_own(bare, place):
        return bare
    with suppress(OSError):
        if read_limited(path).decode("utf-8", "replace").strip() == digest:
            return bare
    return f"{bare[:_NAME]}.{_bare(place)[-_PLACE:].strip('.-')}.{digest}"


def claim(cluster: str, place: str) -> str:
    """Make a place the owner of the cluster's bare name, unless another one is; the first one is.

    Returns:
        A sentence where something of an earlier version becomes this place's; empty otherwise, and later.
    """
    bare = _bare(cluster)
    path = _owner_path(bare)
    if _is_owned(path) or not _can_own(bare, place):
        return ""
    kept = [words for words, folder in _earlier(bare).items() if _holds_something(folder)]
    try:
        make_private_folder(path.parent)
        path.unlink(missing_ok=True)  # A full disk leaves an empty file.
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


def _can_own(bare: str, place: str) -> bool:
    """Return True if a place may own earlier files: it is of no capture and no second cluster."""
    is_first = bool(place) and not place.startswith(_CAPTURE) and _OF_CONTROLLER not in place
    return is_first and not _is_of_another(bare, place)


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


def _is_owned(path: Path) -> bool:
    """Return True if a place owns the bare name; a file that a full disk left empty has no owner."""
    with suppress(OSError):
        return path.stat().st_size > 0
    return False


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
