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
    """Return the entries of a golden file; none if there is no such file."""
    path = golden_file(room)
    if not path.is_file():
        return []
    entries, module = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := _ENTRY.fullmatch(line):
            entries.append(Entry(module, found["key"], unfolded(found["template"])))
        elif line and not line.startswith("#"):
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
    left = list(old)
    for module in dict.fromkeys(text.module for text in new):
        mine = [at for at, text in enumerate(new) if text.module == module]
        for entry, at in _paired([one for one in old if one.module == module], mine, new):
            keys[at] = entry.key
            left.remove(entry)
    moved = {entry.template: entry for entry in reversed(left)}
    for at, text in enumerate(new):
        if not keys[at] and text.template in moved:
            keys[at] = moved.pop(text.template).key
    return keys


def _paired(old: list[Entry], mine: list[int], new: list[Text]) -> list[tuple[Entry, int]]:
    """Return old entries of a module with the index of the new text that each became."""
    pairs: list[tuple[Entry, int]] = []
    before, after = [entry.template for entry in old], [new[at].template for at in mine]
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal" or (tag == "replace" and j - i == m - k):
            pairs += zip(old[i:j], mine[k:m], strict=True)
        elif tag == "replace":
            pairs += _most_alike(old[i:j], mine[k:m], new)
    return pairs


def _most_alike(old: list[Entry], mine: list[int], new: list[Text]) -> list[tuple[Entry, int]]:
    alike = sorted(
        (
            (SequenceMatcher(None, entry.template, new[at].template).ratio(), -i, -k)
            for i, entry in enumerate(old)
            for k, at in enumerate(mine)
        ),
        reverse=True,
    )
    pairs, used = [], (set[int](), set[int]())
    for ratio, i, k in alike:
        if ratio >= _LIKE and -i not in used[0] and -k not in used[1]:
            pairs.append((old[-i], mine[-k]))
            used[0].add(-i)
            used[1].add(-k)
    return pairs


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
    found = []
    for room, text in all_golden().items():
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
