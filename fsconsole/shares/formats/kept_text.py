"""Items in a value that a node keeps of its file, by the words of that file.

Readers keep comments, other settings and whole objects as text, so that they are written back. Where they are
lost, each is named as the file names it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fsconsole.shares.foreign import AFTER, BEFORE, bare_key, dialect_of, is_carried
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.yaml_nodes import Map, read_document, unpacked

COMMENTS = "comments"
INACTIVE = "rows with active = 0"
_YAML = ("kueue", "kai")
_XML = ("yarn-fair", "yarn-capacity")
# These keys are in the tree itself, or only spell the file.
_HIDDEN = frozenset(
    {
        "flux.row", "flux.cells", "lsf.row", "lsf.queue", "sge.order", "pbs.parent", "moab.around",
        "moab.top", "moab.forest", "yarn-capacity.mode", "yarn-fair.@", "slurm.title", "slurm.name",
        "slurm.label",
    }
)  # fmt: skip
_NAMES = {
    "lsf.member of": "share of each member",
    "maui.sign": "FSTARGET sign",
    "moab.rootshare": "share of the top",
    "slurm.cluster": "Cluster",
    "yarn-capacity.amount": "capacity",
    "pbs.remark": COMMENTS,
    "oar.remark": COMMENTS,
}
_BESIDE = frozenset((BEFORE, AFTER, "before_block", "end", "inactive banks", "inactive associations"))
_LINES = _BESIDE | {"#lines", "lines", "line", "units"}
_SLOT = re.compile("⟨[?]?[^⟨⟩]*⟩")
_ROOM = re.compile("⟨[?]([^⟨⟩]*)⟩")
_SETTING = re.compile(r"([A-Za-z_][\w.-]*(?:\[[^\]]*\])?)\s*=\s*(?!⟨)")
_FIRST = re.compile(r"[^\s=:]+")
_MARK = "slot-of-fsconsole"
_KNOWN_KEYS = ("apiVersion", "kind", "resourceGroups")
_BOUND = re.compile(r"\s*(Begin|End)\s+(\w+)", re.IGNORECASE)


def is_template(key: str) -> bool:
    """Return True if a foreign key keeps text of the file, or how the file spells things, for writing it
    back.
    """
    dialect = dialect_of(key)
    own = bare_key(key, dialect)
    return (
        own in _LINES
        or own in ("manifest", "remark")
        or f"{dialect}.{own}" in _HIDDEN
        or is_carried(key)
        or is_beside(key)
    )


def is_beside(key: str) -> bool:
    """Return True if the text of a foreign key is near its node in the file, and does not concern it."""
    own = bare_key(key, dialect_of(key))
    return own in _BESIDE or key == "lsf.file" or "#" in own


class KeptItem(NamedTuple):
    """One item in a kept text: name, distinction from others of that name, line from 0."""

    name: str
    place: str
    row: int


def place_of(key: str, item: KeptItem) -> str:
    """Return the name that `lines` of a format have for the place of something in a kept text."""
    return f"{key}\n{item.place}"


def names_in(key: str, value: str) -> list[KeptItem]:
    """Return the items of a foreign key's text; empty if it only repeats the tree."""
    dialect = dialect_of(key)
    own = bare_key(key, dialect)
    if f"{dialect}.{own}" in _HIDDEN or not value:
        return []
    if key == "lsf.file":
        return _apart(_lsf_names(value))
    if dialect in _YAML and own == "manifest":
        return _apart(_manifest_names(value))
    if dialect in _YAML and own in (BEFORE, AFTER):
        return _apart(_object_names(value))
    is_of_xml = dialect in _XML and (own in (BEFORE, AFTER) or "#" in own)
    if is_of_xml or own == "end" or value.startswith("<!--"):
        return _apart([(COMMENTS, 0)])
    if own in _LINES:
        return line_names(enumerate(value.split("\n")), dialect)
    if key == "htcondor.quota":
        return _apart([(value, 0)])
    name = _NAMES.get(f"{dialect}.{own}", own)
    return _apart(
        [(name.lstrip("/@").strip("<>") or own if dialect in _XML or dialect == "moab" else name, 0)]
    )


def line_names(rows: Iterable[tuple[int, str]], dialect: str) -> list[KeptItem]:
    """Return comments and settings in numbered lines."""
    return _apart((name, row) for row, line in rows for name in _names_of_line(line, dialect))


def _apart(found: Iterable[tuple[str, int]]) -> list[KeptItem]:
    count: Counter[str] = Counter()
    items = []
    for name, row in found:
        count[name] += 1
        items.append(KeptItem(name, name if count[name] == 1 else f"{name}\n{count[name]}", row))
    return items


def _names_of_line(line: str, dialect: str) -> Iterator[str]:
    plain = line.strip()
    if not plain or plain.startswith(("[", "⟨?")):
        return
    has_slot = _SLOT.search(plain) is not None
    if plain.startswith(("#", "<!--")):
        if not has_slot:
            yield COMMENTS
    elif dialect == "flux":
        yield INACTIVE
    elif has_slot:
        yield from (match[1] for match in _SETTING.finditer(plain))
    elif match := _FIRST.match(plain):
        yield match[0]


def _lsf_names(text: str) -> Iterator[tuple[str, int]]:
    """Yield settings of queues, columns of UserGroup that are not shares, and other sections as a whole."""
    section, has_titles = "", False
    for row, line in enumerate(text.split("\n")):
        bound = _BOUND.match(line)
        if bound is not None:
            section, has_titles = (bound[2].lower() if bound[1].lower() == "begin" else ""), False
            if section and section not in ("queue", "usergroup"):
                yield f"section {bound[2]}", row
        elif line.lstrip().startswith("#"):
            yield COMMENTS, row
        elif section == "usergroup" and line.strip() and not line.lstrip().startswith("⟨"):
            if not has_titles:
                titles = line.partition("#")[0].split()
                yield from ((word, row) for word in titles if word.upper() not in _LSF_KNOWN_KEYS)
            has_titles = True
        elif section in ("", "queue"):
            yield from (
                (name, row) for name in _names_of_line(line, "lsf") if name.upper() not in _LSF_KNOWN_KEYS
            )


_LSF_KNOWN_KEYS = ("QUEUE_NAME", "FAIRSHARE", "GROUP_NAME", "GROUP_MEMBER", "USER_SHARES")


def _manifest_names(text: str) -> Iterator[tuple[str, int]]:
    """Yield keys of an object that no slot covers: those of its spec by their own names."""
    lines = [_SLOT.sub(_MARK, _ROOM.sub("", line)).replace("⟨⟨", "⟨") for line in text.split("\n")]
    data = _data("\n".join(lines))
    if data is None:
        yield "rest of the manifest", 0
        return
    for key, value in data.items():
        if key in _KNOWN_KEYS:
            continue
        inner = value if isinstance(value, Map) and key in ("metadata", "spec") else None
        if inner is None:
            yield key, unpacked(data.place_of(key, of_key=True))[0] - 1
            continue
        for name, one in inner.items():
            if name not in _KNOWN_KEYS and not _is_slot(one):
                yield (
                    name if key == "spec" else f"{key}.{name}",
                    unpacked(inner.place_of(name, of_key=True))[0] - 1,
                )
    yield from ((COMMENTS, row) for row, line in enumerate(lines) if line.lstrip().startswith("#"))


def _is_slot(value: object) -> bool:
    """Return True if slots cover all of a value."""
    if isinstance(value, Map):
        return bool(value) and all(map(_is_slot, value.values()))
    return value == _MARK or value is None


def _object_names(text: str) -> Iterator[tuple[str, int]]:
    """Yield other objects as `KIND NAME`, and comments between them."""
    first = 0
    for piece in re.split(r"^---.*$", text, flags=re.MULTILINE):
        rows = piece.split("\n")
        start = next((row for row, line in enumerate(rows) if line.strip()), 0)
        data = _data(piece)
        if data is not None and "kind" in data:
            metadata = data.get("metadata")
            name = metadata.get("name") if isinstance(metadata, Map) else ""
            yield f"{data['kind']} {name or ''}".strip(), first + start
        elif piece.strip():
            yield COMMENTS, first + start
        first += len(rows) - 1


def _data(text: str) -> Map | None:
    try:
        document = read_document(text)
    except ScenarioError:
        return None
    return document.data if isinstance(document.data, Map) and not document.problems else None
