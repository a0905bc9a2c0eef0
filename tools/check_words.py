"""Refuse words that the style of the project bans, in code, docstrings, documents and names of modules.

Words with a number are too many to be gone yet: there may be no more of them than that. Lower the number
when you have removed some.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
# A row has what is refused, what to write instead, and how many there may be.
WORDS: tuple[tuple[str, str, int], ...] = (
    (r"anew|oftener|none such|all the same", "again, more often, anyway", 0),
    (r"reckon\w*", "compute, count", 0),
    (r"tool tips?|read-outs?|count-down|time line", "tooltip, readout, countdown, timeline", 0),
    (r"fair share(?! and its Configurations)", "fair-share (adjective), fairshare (noun)", 0),
    (r"(?:shown|told|compared) are", "begin with the subject or a verb", 0),
    (r"(?<!there )(?:is|are) no(?! longer| more)", "is not a", 0),
    (r"meanwhile|whilst|hence|thereof|whereof|wherein|withal", "say since when, or nothing", 0),
    (r"for ever", "forever, without end", 0),
    (r"set in force|of no use|no matter|such as are", "apply, useless, whatever", 0),
    (r"(?:program|console|machine) (?:says|hears|knows|wants|thinks)", "shows, reports, has", 0),
    (r"work(?:s|ed|ing)? out", "compute, recalculate", 0),
    (r"(?:some|no|every)body", "name the user or the operator", 256),
    (r"he|his|him|himself", "they, or the noun", 0),
    (r"(?:take|takes|taken|took|taking) back", "revert, undo, roll back", 33),
    (r"(?:is|are|be|not) said", "shows, reports, is unknown", 140),
    (r"what (?:becomes?|became|came) of", "the result of", 95),
    (r"tells?|told|hears?|heard", "show, report, return", 584),
)  # fmt: skip
MODULES = frozenset({
    "asked", "asking", "board", "courier", "desk", "differing", "digest", "doer", "doing", "door",
    "ending", "errand", "fast", "following", "furniture", "given", "house", "judging", "keeper",
    "kept", "known", "late", "look", "outside", "pace", "place", "places", "reaching", "room",
    "sifting", "staged", "staging", "standing", "stored", "telling", "ties", "troubles", "wanted",
    "who",
})  # fmt: skip
DOCUMENTS = ("README.md", "tests/benchmarks/README.md")
WRITTEN = ("papers", "reference")  # These folders of docs/ are written from code and quotations.
# A banned word is right in quotations, and where it is Slurm's or Qt's own.
QUOTED = (
    "the fair share priority of the user is lowered",
    "*The UNICOS Fair Share Scheduler as",
)


def words_found(text: str, pattern: str) -> list[int]:
    """Return the numbers of the lines that hold a banned word."""
    found = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    return [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if found.search(line) and not any(quoted in line for quoted in QUOTED)
    ]


def faults() -> list[str]:
    """Return the faults, a line each."""
    modules = sorted((_ROOT / "fsconsole").rglob("*.py"))
    pages = [path for path in sorted((_ROOT / "docs").rglob("*.md")) if path.parent.name not in WRITTEN]
    documents = [*(_ROOT / name for name in DOCUMENTS), *pages]
    files = {path: path.read_text("utf-8") for path in (*documents, *modules)}
    found = []
    for pattern, instead, most in WORDS:
        places = [
            f"{path.relative_to(_ROOT)}:{line}"
            for path, text in files.items()
            for line in words_found(text, pattern)
        ]
        if len(places) > most:
            found.append(f"{pattern}: {len(places)}, at most {most}. Write {instead}. {' '.join(places[:9])}")
    for path in modules:
        name = str(path.relative_to(_ROOT / "fsconsole").with_suffix(""))
        if path.stem in MODULES:
            found.append(f"{name}: the name is a metaphor, a participle or an adverb. Write a noun.")
    return found


def main() -> int:
    """Print what is wrong and return 1, or 0."""
    wrong = faults()
    print("\n".join(wrong), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
