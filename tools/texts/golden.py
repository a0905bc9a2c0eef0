"""Golden files of texts: one for each room, a text a line behind a key that survives rewording.

A key is made from the first words of a text when it is new. After that it belongs to the text's place: a text
that changed is found again by its neighbours in the module, one that moved within the room by its words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from tools.texts.extract import Text, rooms, texts_of

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "texts"
_LIKE = 0.4  # of 1: as alike must an old and a new text be at least, for the key to be kept
_MOST_WORDS = 5
_LEFT_OUT = frozenset({"a", "an", "the"})
_ENTRY = re.compile(r"  (?P<key>[a-z0-9-]+): (?P<template>.*)")
_CONFLICT = ("<<<<<<< ", "||||||| ", "=======", ">>>>>>> ")
_HEAD = (
    "# Texts of fsconsole/{folder}, one a line behind its key, by module. `make texts` writes this file.\n"
)


@dataclass(frozen=True)
class Entry:
    """A text of a module with its key."""

    module: str
    key: str
    template: str


def golden_file(room: str) -> Path:
    """Return the golden file of a room, given by its dotted name."""
    return FOLDER / f"{room}.txt"


def read_golden(room: str) -> list[Entry]:
    """Return the entries of a golden file, of both sides of a conflict too; none if there is no such file."""
    path = golden_file(room)
    if not path.is_file():
        return []
    entries, module = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := _ENTRY.fullmatch(line):
            entries.append(Entry(module, found["key"], unfolded(found["template"])))
        elif line and not line.startswith(("#", *_CONFLICT)):
            module = line
    return entries


def format_golden(room: str, entries: list[Entry]) -> str:
    """Return the text of a golden file."""
    folder = "" if room == "fsconsole" else room.replace(".", "/")
    lines = [_HEAD.format(folder=folder)]
    module = None
    for entry in entries:
        if entry.module != module:
            module = entry.module
            lines.append(f"\n{module}\n")
        lines.append(f"  {entry.key}: {folded(entry.template)}\n")
    return "".join(lines)


def renewed(room: str, modules: list[Path]) -> list[Entry]:
    """Return the entries of a room as its source has them now, with the keys of its golden file."""
    old = read_golden(room)
    new = [text for path in modules for text in texts_of(path)]
    keys = _kept_keys(old, new)
    taken = {key for key in keys if key}
    entries = []
    for text, key in zip(new, keys, strict=True):
        entries.append(Entry(text.module, key or _new_key(text.template, taken), text.template))
    return entries


def _kept_keys(old: list[Entry], new: list[Text]) -> list[str]:
    keys = [""] * len(new)
    left = dict.fromkeys(range(len(old)))

    def keep(pairs: list[tuple[int, int]]) -> None:
        for i, at in pairs:
            del left[i]
            if old[i].key not in keys:  # A merge may have left a key to two texts.
                keys[at] = old[i].key

    equal, replaced = _aligned(old, new)
    keep(equal)
    for at, text in enumerate(new):  # What moved keeps its key, before any other text takes its place.
        moved = [i for i in left if old[i].template == text.template]
        if moved and not keys[at]:
            keep([(min(moved, key=lambda i: old[i].module != text.module), at)])
    for theirs, mine in replaced:
        changed, fresh = [i for i in theirs if i in left], [at for at in mine if not keys[at]]
        is_in_place = len(changed) == len(fresh)
        keep(list(zip(changed, fresh, strict=True)) if is_in_place else _most_alike(old, new, changed, fresh))
    return keys


def _aligned(
    old: list[Entry], new: list[Text]
) -> tuple[list[tuple[int, int]], list[tuple[list[int], list[int]]]]:
    """Return the indexes of old and new texts that are equal in their module, and of runs that are not."""
    equal: list[tuple[int, int]] = []
    replaced: list[tuple[list[int], list[int]]] = []
    for module in dict.fromkeys(text.module for text in new):
        theirs = [i for i, entry in enumerate(old) if entry.module == module]
        mine = [at for at, text in enumerate(new) if text.module == module]
        before, after = [old[i].template for i in theirs], [new[at].template for at in mine]
        for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag == "equal":
                equal += zip(theirs[i:j], mine[k:m], strict=True)
            elif tag == "replace":
                replaced.append((theirs[i:j], mine[k:m]))
    return equal, replaced


def _most_alike(
    old: list[Entry], new: list[Text], theirs: list[int], mine: list[int]
) -> list[tuple[int, int]]:
    """Return old entries of a module with the new text that each most likely became, by their indexes."""
    alike = sorted(
        (
            (SequenceMatcher(None, old[i].template, new[at].template).ratio(), -i, -at)
            for i in theirs
            for at in mine
        ),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for ratio, i, at in alike:
        if ratio >= _LIKE and -i not in pairs and -at not in pairs.values():
            pairs[-i] = -at
    return list(pairs.items())


def _new_key(template: str, taken: set[str]) -> str:
    words = [
        word
        for word in re.findall(r"[a-z0-9]+", re.sub(r"\{\w+\}", " ", template).lower())
        if word not in _LEFT_OUT
    ]
    stem = "-".join(words[:_MOST_WORDS]) or "-".join(re.findall(r"[a-z0-9]+", template.lower())[:_MOST_WORDS])
    key, number = stem, 1
    while key in taken:
        number += 1
        key = f"{stem}-{number}"
    taken.add(key)
    return key


def folded(template: str) -> str:
    """Return a text on one line, with signs for line breaks and tabs."""
    return template.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def unfolded(line: str) -> str:
    """Return the text of a folded line."""
    signs = {"\\\\": "\\", "\\n": "\n", "\\t": "\t", "\\r": "\r"}
    return re.sub(r"\\[\\ntr]", lambda found: signs[found[0]], line)


def stale_lines() -> list[str]:
    """Return the lines of golden files that differ from what the source has, as a short diff."""
    files = all_golden()
    found = [f"{path.name}: no such room" for path in sorted(FOLDER.glob("*.txt")) if path.stem not in files]
    for room, text in files.items():
        path = golden_file(room)
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        if old != text:
            pairs = zip_longest(old.splitlines(), text.splitlines(), fillvalue="")
            found += [f"{path.name}: {ours} -> {theirs}" for ours, theirs in pairs if ours != theirs][:3]
    return found


def all_golden() -> dict[str, str]:
    """Return the text of every room's golden file as the source has it; rooms without texts have none."""
    return {
        room: format_golden(room, entries)
        for room, modules in rooms().items()
        if (entries := renewed(room, modules))
    }
